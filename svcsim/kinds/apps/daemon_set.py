"""DaemonSet: one pod on each node, or on each of some."""

from svcsim.kinds.apps.daemon_set_defaults import fill_strategy
from svcsim.kinds.apps.daemon_set_rules import daemon_set_rules, update_strategy_rules
from svcsim.kinds.apps.daemon_set_strategy import count_template, keep_template_count, start_template_count, template_count
from svcsim.kinds.groups import APPS_V1
from svcsim.kinds.shared.checks import not_negative
from svcsim.kinds.shared.columns import AGE, containers_of, labels_at, number_at
from svcsim.kinds.shared.conditions import conditions
from svcsim.kinds.shared.pod_spec.spec import POD_TEMPLATE_SPEC
from svcsim.kinds.shared.pod_spec.warnings import warnings_of
from svcsim.kinds.shared.update_warnings import where_changed
from svcsim.kinds.shared.words import DAEMON_SET_UPDATE
from svcsim.kinds.shared.workload import (
    SELECTOR_COLUMN,
    collisions_not_undone,
    min_ready_seconds,
    selector_of_rules,
    selector_unchanged,
    status_counts,
)
from svcsim.registry.kind import Column, Kind, Status, Strategy, status_subresource
from svcsim.schema.types import Field, Int, IntOrString, Struct

_ROLLING_UPDATE = Struct(
    "RollingUpdateDaemonSet",
    Field(1, "maxUnavailable", IntOrString(), "How many pods may be unavailable during the update, as a number or a percentage"),
    Field(2, "maxSurge", IntOrString(), "On how many nodes a new pod may start before the old one ends, as a number or a percentage"),
    doc="Limits for a rolling update",
)
_UPDATE_STRATEGY = Struct(
    "DaemonSetUpdateStrategy",
    Field(1, "type", DAEMON_SET_UPDATE, "Whether pods are replaced by themselves, or when they are deleted", default="RollingUpdate"),
    Field(2, "rollingUpdate", _ROLLING_UPDATE, "Limits for a rolling update"),
    fill=fill_strategy,
    rules=(update_strategy_rules,),
    doc="How pods of an old template are replaced with new ones",
)
_SPEC = Struct(
    "DaemonSetSpec",
    selector_of_rules(1),
    Field(2, "template", POD_TEMPLATE_SPEC, "Template from which the pods are created", required=True, default={}),
    Field(3, "updateStrategy", _UPDATE_STRATEGY, "How pods of an old template are replaced with new ones", default={}),
    min_ready_seconds(4),
    Field(6, "revisionHistoryLimit", Int(), "How many old revisions are kept for a rollback", default=10, rules=(not_negative,)),
    rules=(daemon_set_rules,),
    doc="Desired state of a daemon set",
)
_STATUS = Struct(
    "DaemonSetStatus",
    Field(1, "currentNumberScheduled", Int(), "Number of nodes that run a pod and should", required=True, default=0),
    Field(2, "numberMisscheduled", Int(), "Number of nodes that run a pod and should not", required=True, default=0),
    Field(3, "desiredNumberScheduled", Int(), "Number of nodes that should run a pod", required=True, default=0),
    Field(4, "numberReady", Int(), "Number of nodes whose pod is ready", required=True, default=0),
    Field(5, "observedGeneration", Int(bits=64), "The metadata.generation that the controller has last acted on", presence=False),
    Field(6, "updatedNumberScheduled", Int(), "Number of nodes whose pod was created from the current template", presence=False),
    Field(7, "numberAvailable", Int(), "Number of nodes whose pod has been ready for at least minReadySeconds", presence=False),
    Field(8, "numberUnavailable", Int(), "Number of nodes that should have an available pod and have none", presence=False),
    Field(9, "collisionCount", Int(), "How often the name chosen for a new revision was already in use"),
    Field(10, "conditions", conditions("DaemonSetCondition", "none is in use"), "Current conditions of the daemon set"),
    doc="Current state of a daemon set",
)
_TEMPLATE_WARNINGS = warnings_of("spec.template.spec")
DAEMON_SET = Kind(
    APPS_V1,
    "daemonsets",
    Struct(
        "DaemonSet",
        Field(2, "spec", _SPEC, "Desired state of the daemon set", default={}),
        Field(3, "status", _STATUS, "Current state of the daemon set", default={}),
        doc="Keeps one pod running on each node, or on each of some nodes",
    ),
    short=("ds",),
    categories=("all",),
    columns=(
        Column("Desired", number_at("status.desiredNumberScheduled"), "integer", doc="Number of nodes that should run a pod"),
        Column("Current", number_at("status.currentNumberScheduled"), "integer", doc="Number of nodes that run a pod and should"),
        Column("Ready", number_at("status.numberReady"), "integer", doc="Number of nodes whose pod is ready"),
        Column("Up-to-date", number_at("status.updatedNumberScheduled"), "integer", doc="Nodes with a pod of the current template"),
        Column("Available", number_at("status.numberAvailable"), "integer", doc="Number of nodes whose pod has been ready long enough"),
        Column("Node Selector", labels_at("spec.template.spec.nodeSelector"), doc="Labels of the nodes that should run a pod"),
        AGE,
        *containers_of("spec.template"),
        SELECTOR_COLUMN,
    ),
    status=Status(
        subresource=status_subresource(
            update_rules=(
                status_counts(
                    *("currentNumberScheduled", "numberMisscheduled", "desiredNumberScheduled", "numberReady", "observedGeneration"),
                    *("updatedNumberScheduled", "numberAvailable", "numberUnavailable", "collisionCount"),
                ),
                collisions_not_undone,
            ),
            update=keep_template_count,
        )
    ),
    strategy=Strategy(
        create=start_template_count,
        update=count_template,
        warnings=(_TEMPLATE_WARNINGS,),
        update_warnings=(where_changed(template_count, _TEMPLATE_WARNINGS),),
        update_rules=(selector_unchanged,),
    ),
)
