"""Deployment: a number of identical pods, and how changes of them are rolled out."""

from svcsim.kinds.apps.columns import ready
from svcsim.kinds.apps.deployment_defaults import fill_strategy
from svcsim.kinds.apps.deployment_rules import deadline_rules, strategy_rules
from svcsim.kinds.autoscaling.scale import SCALE
from svcsim.kinds.groups import APPS_V1
from svcsim.kinds.shared.checks import not_negative
from svcsim.kinds.shared.columns import AGE, containers_of, number_at
from svcsim.kinds.shared.conditions import conditions
from svcsim.kinds.shared.pod_spec.spec import POD_TEMPLATE_SPEC
from svcsim.kinds.shared.pod_spec.warnings import warnings_of
from svcsim.kinds.shared.update_warnings import of_new_generations
from svcsim.kinds.shared.words import DEPLOYMENT_STRATEGY_TYPE
from svcsim.kinds.shared.workload import (
    REPLICAS,
    SELECTOR_COLUMN,
    collisions_not_undone,
    min_ready_seconds,
    name_of_pods,
    selector,
    selector_unchanged,
    status_counts,
    template_rules,
)
from svcsim.registry.kind import Column, Kind, Status, Strategy, status_subresource
from svcsim.schema.types import Bool, Field, Int, IntOrString, Struct

_ROLLING_UPDATE = Struct(
    "RollingUpdateDeployment",
    Field(1, "maxUnavailable", IntOrString(), "How many pods may be unavailable during the update, as a number or a percentage"),
    Field(2, "maxSurge", IntOrString(), "How many pods above the desired number may be created, as a number or a percentage"),
    doc="Limits for a rolling update",
)
_STRATEGY = Struct(
    "DeploymentStrategy",
    Field(1, "type", DEPLOYMENT_STRATEGY_TYPE, "How old pods make room for new ones", default="RollingUpdate"),
    Field(2, "rollingUpdate", _ROLLING_UPDATE, "Limits for a rolling update"),
    fill=fill_strategy,
    rules=(strategy_rules,),
    doc="How pods of an old template are replaced with new ones",
)
_SPEC = Struct(
    "DeploymentSpec",
    REPLICAS,
    selector(2),
    Field(3, "template", POD_TEMPLATE_SPEC, "Template from which the pods are created", required=True, default={}),
    Field(4, "strategy", _STRATEGY, "How pods of an old template are replaced with new ones", patch="retainKeys", default={}),
    min_ready_seconds(5),
    Field(6, "revisionHistoryLimit", Int(), "How many old ReplicaSets are kept for a rollback", default=10, rules=(not_negative,)),
    Field(7, "paused", Bool(), "Whether changes of the template are held back", presence=False),
    Field(
        9,
        "progressDeadlineSeconds",
        Int(),
        "Seconds without progress after which the deployment is reported as failed",
        default=600,
        rules=(not_negative,),
    ),
    rules=(template_rules("deployment", "ReplicaSet"), deadline_rules),
    doc="Desired state of a deployment",
)
_STATUS = Struct(
    "DeploymentStatus",
    Field(1, "observedGeneration", Int(bits=64), "The metadata.generation that the controller has last acted on", presence=False),
    Field(2, "replicas", Int(), "Number of pods that belong to the deployment", presence=False),
    Field(3, "updatedReplicas", Int(), "Number of pods created from the current template", presence=False),
    Field(7, "readyReplicas", Int(), "Number of pods that are ready", presence=False),
    Field(4, "availableReplicas", Int(), "Number of pods that have been ready for at least minReadySeconds", presence=False),
    Field(5, "unavailableReplicas", Int(), "Number of pods that are missing or not yet available", presence=False),
    Field(9, "terminatingReplicas", Int(), "Number of pods that are being deleted"),
    Field(
        6,
        "conditions",
        conditions(
            "DeploymentCondition",
            "Available, Progressing or ReplicaFailure",
            lastUpdateTime=6,
            lastTransitionTime=7,
            reason=4,
            message=5,
        ),
        "Current conditions of the deployment",
    ),
    Field(8, "collisionCount", Int(), "How often the name chosen for a new ReplicaSet was already in use"),
    doc="Current state of a deployment",
)


_TEMPLATE_WARNINGS = warnings_of("spec.template.spec")
DEPLOYMENT = Kind(
    APPS_V1,
    "deployments",
    Struct(
        "Deployment",
        Field(2, "spec", _SPEC, "Desired state of the deployment", default={}),
        Field(3, "status", _STATUS, "Current state of the deployment", default={}),
        doc="Keeps a number of identical pods running, and replaces them step by step when their template changes",
    ),
    short=("deploy",),
    categories=("all",),
    columns=(
        Column("Ready", ready, doc="Number of ready pods, and number of desired pods"),
        Column("Up-to-date", number_at("status.updatedReplicas"), doc="Number of pods created from the current template"),
        Column("Available", number_at("status.availableReplicas"), doc="Number of pods that have been ready long enough"),
        AGE,
        *containers_of("spec.template"),
        SELECTOR_COLUMN,
    ),
    status=Status(
        subresource=status_subresource(
            "metadata.labels",
            update_rules=(
                status_counts(
                    *("observedGeneration", "replicas", "updatedReplicas", "readyReplicas", "availableReplicas"),
                    *("unavailableReplicas", "collisionCount"),
                    parts=("updatedReplicas", "readyReplicas", "availableReplicas"),
                    of_ready="readyReplicas",
                ),
                collisions_not_undone,
            ),
        )
    ),
    subresources=(SCALE,),
    strategy=Strategy(
        warnings=(name_of_pods, _TEMPLATE_WARNINGS),
        update_warnings=(of_new_generations(_TEMPLATE_WARNINGS),),
        update_rules=(selector_unchanged,),
    ),
)
