"""StatefulSet: pods with identities, each with a name and storage of its own."""

from svcsim.kinds.apps.columns import ready
from svcsim.kinds.apps.stateful_set_defaults import fill_claim_templates, fill_strategy
from svcsim.kinds.apps.stateful_set_rules import (
    claim_template_warnings,
    negative_history,
    pod_management_policy,
    stateful_set_changes,
    stateful_set_template_rules,
    update_strategy_rules,
)
from svcsim.kinds.autoscaling.scale import SCALE
from svcsim.kinds.core.persistent_volume_claim import PERSISTENT_VOLUME_CLAIM
from svcsim.kinds.groups import APPS_V1
from svcsim.kinds.shared.checks import not_negative, one_of
from svcsim.kinds.shared.columns import AGE, containers_of
from svcsim.kinds.shared.conditions import conditions
from svcsim.kinds.shared.pod_spec.spec import POD_TEMPLATE_SPEC
from svcsim.kinds.shared.pod_spec.warnings import warnings_of
from svcsim.kinds.shared.update_warnings import of_every_update, of_new_generations
from svcsim.kinds.shared.words import CLAIM_RETENTION, POD_MANAGEMENT, STATEFUL_SET_UPDATE
from svcsim.kinds.shared.workload import (
    REPLICAS,
    collisions_not_undone,
    min_ready_seconds,
    selector,
    status_counts,
    template_rules,
)
from svcsim.meta.names import dns_label
from svcsim.registry.kind import Column, Kind, Status, Strategy, status_subresource
from svcsim.schema.common import object_struct
from svcsim.schema.types import Field, Int, IntOrString, List, Str, Struct

_RETENTION = one_of("Retain", "Delete")
_ROLLING_UPDATE = Struct(
    "RollingUpdateStatefulSetStrategy",
    Field(1, "partition", Int(), "Pods with a lower ordinal than this keep the old template"),
    Field(
        2, "maxUnavailable", IntOrString(), "How many pods may be unavailable during the update, as a number or a percentage; 1 if unset"
    ),
    doc="Limits for a rolling update",
)
_UPDATE_STRATEGY = Struct(
    "StatefulSetUpdateStrategy",
    Field(1, "type", STATEFUL_SET_UPDATE, "Whether pods are replaced by themselves, or when they are deleted", default="RollingUpdate"),
    Field(2, "rollingUpdate", _ROLLING_UPDATE, "Limits for a rolling update"),
    fill=fill_strategy,
    rules=(update_strategy_rules,),
    doc="How pods of an old template are replaced with new ones",
)
_CLAIM_RETENTION = Struct(
    "StatefulSetPersistentVolumeClaimRetentionPolicy",
    Field(1, "whenDeleted", CLAIM_RETENTION, "When the stateful set is deleted", default="Retain", rules=(_RETENTION,)),
    Field(2, "whenScaled", CLAIM_RETENTION, "When there are to be fewer pods", default="Retain", rules=(_RETENTION,)),
    doc="Whether claims are kept when their pods are wanted no more",
)
_ORDINALS = Struct(
    "StatefulSetOrdinals",
    Field(1, "start", Int(), "Ordinal of the first pod", presence=False, rules=(not_negative,)),
    doc="The ordinals that the pods have",
)
_SPEC = Struct(
    "StatefulSetSpec",
    REPLICAS,
    selector(2),
    Field(3, "template", POD_TEMPLATE_SPEC, "Template from which the pods are created", required=True, default={}, unchecked=True),
    Field(
        4,
        "volumeClaimTemplates",
        List(object_struct(PERSISTENT_VOLUME_CLAIM.schema), list_type="atomic"),
        "Templates for the claims that each pod has; they take precedence over volumes of the same name",
        unchecked=True,
    ),
    Field(5, "serviceName", Str(), "Name of the Service that gives the pods their host names", presence=False),
    Field(
        6,
        "podManagementPolicy",
        POD_MANAGEMENT,
        "Whether pods come and go one after another, or all at once",
        default="OrderedReady",
        rules=(pod_management_policy,),
    ),
    Field(7, "updateStrategy", _UPDATE_STRATEGY, "How pods of an old template are replaced with new ones", default={}),
    Field(8, "revisionHistoryLimit", Int(), "How many old revisions are kept for a rollback", default=10),
    min_ready_seconds(9),
    Field(
        10,
        "persistentVolumeClaimRetentionPolicy",
        _CLAIM_RETENTION,
        "Whether claims are kept when their pods are wanted no more",
        default={},
    ),
    Field(11, "ordinals", _ORDINALS, "The ordinals that the pods have; from 0 if unset"),
    rules=(template_rules("statefulset", "StatefulSet", ""), stateful_set_template_rules),
    doc="Desired state of a stateful set",
)
_STATUS = Struct(
    "StatefulSetStatus",
    Field(1, "observedGeneration", Int(bits=64), "The metadata.generation that the controller has last acted on", presence=False),
    Field(2, "replicas", Int(), "Number of pods that belong to the stateful set", required=True),
    Field(3, "readyReplicas", Int(), "Number of pods that are ready", presence=False),
    Field(4, "currentReplicas", Int(), "Number of pods of the current revision", presence=False),
    Field(5, "updatedReplicas", Int(), "Number of pods of the revision that is being rolled out", presence=False),
    Field(6, "currentRevision", Str(), "Name of the revision that the first pods have"),
    Field(7, "updateRevision", Str(), "Name of the revision that is being rolled out"),
    Field(9, "collisionCount", Int(), "How often the name chosen for a new revision was already in use"),
    Field(10, "conditions", conditions("StatefulSetCondition", "none is in use"), "Current conditions of the stateful set"),
    Field(11, "availableReplicas", Int(), "Number of pods that have been ready for at least minReadySeconds", default=0),
    doc="Current state of a stateful set",
)
_TEMPLATE_WARNINGS = warnings_of("spec.template.spec")
STATEFUL_SET = Kind(
    APPS_V1,
    "statefulsets",
    Struct(
        "StatefulSet",
        Field(2, "spec", _SPEC, "Desired state of the stateful set", default={}),
        Field(3, "status", _STATUS, "Current state of the stateful set", default={}),
        doc="Keeps pods running that are told apart by ordinals, each with a name and with storage of its own",
    ),
    short=("sts",),
    categories=("all",),
    columns=(Column("Ready", ready, doc="Number of ready pods, and number of desired pods"), AGE, *containers_of("spec.template")),
    status=Status(
        subresource=status_subresource(
            update_rules=(
                status_counts(
                    *("replicas", "readyReplicas", "currentReplicas", "updatedReplicas", "availableReplicas"),
                    *("observedGeneration", "collisionCount"),
                    parts=("readyReplicas", "currentReplicas", "updatedReplicas", "availableReplicas"),
                    of_ready="status.readyReplicas",
                ),
                collisions_not_undone,
            )
        )
    ),
    subresources=(SCALE,),
    strategy=Strategy(
        fill=fill_claim_templates,
        warnings=(negative_history, claim_template_warnings, _TEMPLATE_WARNINGS),
        update_warnings=(of_every_update(negative_history, claim_template_warnings), of_new_generations(_TEMPLATE_WARNINGS)),
        update_rules=(stateful_set_changes,),
    ),
    name_rule=dns_label,
)
