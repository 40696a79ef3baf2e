"""The apps group: Deployment and ReplicaSet, which keep a number of like pods running."""

from collections.abc import Iterator

from svcsim.kinds.autoscaling import SCALE
from svcsim.kinds.checks import not_negative, unchanged
from svcsim.kinds.groups import APPS_V1
from svcsim.kinds.pod_template.spec import POD_TEMPLATE_SPEC
from svcsim.meta.errors import FieldError, StatusError, forbidden_field, invalid_value, required, unsupported
from svcsim.meta.objects import get_path, labels_of
from svcsim.meta.selectors import from_object, validate_object
from svcsim.meta.types import Json, Object
from svcsim.registry.columns import AGE, containers_of, number_at, selector_text
from svcsim.registry.kind import STATUS, Column, Context, Kind, Selectable, Strategy, status
from svcsim.schema.common import LABEL_SELECTOR
from svcsim.schema.types import Bool, Field, Int, IntOrString, List, Str, Struct, Time

_STRATEGIES = ("Recreate", "RollingUpdate")
_BAD_PERCENT = (
    "a valid percent string must be a numeric string followed by an ending '%' "
    "(e.g. '1%',  or '93%', regex used for validation is '[0-9]+%')"
)


def _drop_status(obj: Object, context: Context) -> None:  # noqa: ARG001 - a hook's signature
    obj["status"] = {}


def _selector_changes(new: Object, old: Object, context: Context) -> Iterator[FieldError]:  # noqa: ARG001 - a rule's signature
    yield from unchanged(new, old, "selector")


def _template_rules(spec: Json, path: str) -> Iterator[FieldError]:
    """The selector selects the template's pods, and they run for ever."""
    selector, template = spec.get("selector"), spec.get("template") or {}
    if selector is None:
        return
    if not selector.get("matchLabels") and not selector.get("matchExpressions"):
        yield invalid_value(f"{path}.selector", selector, "empty selector is invalid for deployment")
    if validate_object(selector, f"{path}.selector"):
        yield invalid_value(f"{path}.selector", selector, "invalid label selector")
    elif not _selects(selector, labels_of(template)):
        where = f"{path}.template.metadata.labels"
        yield invalid_value(where, labels_of(template), "`selector` does not match template `labels`")
    pod = template.get("spec") or {}
    if pod.get("restartPolicy") not in (None, "Always"):
        yield unsupported(f"{path}.template.spec.restartPolicy", pod["restartPolicy"], ("Always",))
    if pod.get("activeDeadlineSeconds") is not None:
        yield forbidden_field(f"{path}.template.spec.activeDeadlineSeconds", "activeDeadlineSeconds in ReplicaSet is not Supported")


def _selects(selector: Object, labels: dict[str, str]) -> bool:
    try:
        return from_object(selector).matches(labels)
    except StatusError:
        return False


def _selector(obj: Object, context: Context) -> Json:  # noqa: ARG001 - a cell's signature
    return selector_text(get_path(obj, "spec.selector"))


_SELECTOR = Column("Selector", _selector, priority=1, doc="Which pods belong to it")

# Deployment


def _amount_or_share(value: Json, path: str) -> Iterator[FieldError]:
    """A number of pods, or a share of them."""
    if isinstance(value, int):
        yield from not_negative(value, path)
    elif not (value[-1:] == "%" and value[:-1].isdecimal()):
        yield invalid_value(path, value, _BAD_PERCENT)


def _nothing_of(value: Json) -> bool:
    return value == 0 if isinstance(value, int) else isinstance(value, str) and value.rstrip("%").strip("0") == ""


def _rolling_rules(rolling: Object, path: str) -> Iterator[FieldError]:
    for name in ("maxUnavailable", "maxSurge"):
        yield from _amount_or_share(rolling.get(name, 0), f"{path}.{name}")
    unavailable, surge = rolling.get("maxUnavailable", 0), rolling.get("maxSurge", 0)
    if _nothing_of(unavailable) and _nothing_of(surge):
        yield invalid_value(f"{path}.maxUnavailable", unavailable, "may not be 0 when `maxSurge` is 0")
    if isinstance(unavailable, str) and unavailable[:-1].isdecimal() and int(unavailable[:-1]) > 100:
        yield invalid_value(f"{path}.maxUnavailable", unavailable, "must not be greater than 100%")


def _fill_strategy(strategy: Object) -> None:
    if strategy["type"] == "RollingUpdate":
        rolling = strategy.setdefault("rollingUpdate", {})
        rolling.setdefault("maxUnavailable", "25%")
        rolling.setdefault("maxSurge", "25%")


def _strategy_rules(strategy: Json, path: str) -> Iterator[FieldError]:
    if strategy.get("type") == "Recreate":
        if strategy.get("rollingUpdate") is not None:
            yield forbidden_field(f"{path}.rollingUpdate", "may not be specified when strategy `type` is 'Recreate'")
    elif strategy.get("type") == "RollingUpdate":
        if strategy.get("rollingUpdate") is None:
            yield required(f"{path}.rollingUpdate", "this should be defaulted and never be nil")
        else:
            yield from _rolling_rules(strategy["rollingUpdate"], f"{path}.rollingUpdate")
    else:
        whole = {"Type": strategy.get("type"), "RollingUpdate": strategy.get("rollingUpdate")}
        yield unsupported(path, whole, _STRATEGIES)


def _deadline_rules(spec: Json, path: str) -> Iterator[FieldError]:
    deadline, ready = spec.get("progressDeadlineSeconds"), spec.get("minReadySeconds") or 0
    if deadline is not None and deadline <= ready:
        yield invalid_value(f"{path}.progressDeadlineSeconds", deadline, "must be greater than minReadySeconds")


_ROLLING_UPDATE = Struct(
    "RollingUpdateDeployment",
    Field(1, "maxUnavailable", IntOrString(), "How many pods may be missing, as a number or a share"),
    Field(2, "maxSurge", IntOrString(), "How many pods there may be too many, as a number or a share"),
    doc="How a rolling update goes",
)
_STRATEGY = Struct(
    "DeploymentStrategy",
    Field(1, "type", Str(), "Recreate or RollingUpdate", default="RollingUpdate"),
    Field(2, "rollingUpdate", _ROLLING_UPDATE, "How a rolling update goes"),
    fill=_fill_strategy,
    rules=(_strategy_rules,),
    doc="How new pods take the place of old ones",
)
_DEPLOYMENT_SPEC = Struct(
    "DeploymentSpec",
    Field(1, "replicas", Int(), "How many pods there are to be", default=1, rules=(not_negative,)),
    Field(2, "selector", LABEL_SELECTOR, "Which pods belong to it; must match the template's labels, and can't change", required=True),
    Field(3, "template", POD_TEMPLATE_SPEC, "What the pods are made from", required=True),
    Field(4, "strategy", _STRATEGY, "How new pods take the place of old ones", patch="retainKeys", default={}),
    Field(
        5,
        "minReadySeconds",
        Int(),
        "Seconds a new pod must be ready before it counts as available",
        rules=(not_negative,),
        presence=False,
    ),
    Field(6, "revisionHistoryLimit", Int(), "How many old ReplicaSets are kept to go back to", default=10, rules=(not_negative,)),
    Field(7, "paused", Bool(), "Whether changes of the template wait", presence=False),
    Field(
        9,
        "progressDeadlineSeconds",
        Int(),
        "Seconds without progress after which the deployment counts as failed",
        default=600,
        rules=(not_negative,),
    ),
    rules=(_template_rules, _deadline_rules),
    doc="What a deployment is to be",
)
_DEPLOYMENT_CONDITION = Struct(
    "DeploymentCondition",
    Field(1, "type", Str(), "Available, Progressing or ReplicaFailure", required=True, default=""),
    Field(2, "status", Str(), "True, False or Unknown", required=True, default=""),
    Field(6, "lastUpdateTime", Time(), "When it was last set"),
    Field(7, "lastTransitionTime", Time(), "When the status last changed"),
    Field(4, "reason", Str(), "Why, in one CamelCase word"),
    Field(5, "message", Str(), "Why, in a sentence"),
    doc="One aspect of a deployment's state",
)
_DEPLOYMENT_STATUS = Struct(
    "DeploymentStatus",
    Field(1, "observedGeneration", Int(bits=64), "The generation this status was set for", presence=False),
    Field(2, "replicas", Int(), "How many pods there are", presence=False),
    Field(3, "updatedReplicas", Int(), "How many pods are of the present template", presence=False),
    Field(7, "readyReplicas", Int(), "How many pods are ready", presence=False),
    Field(4, "availableReplicas", Int(), "How many pods have been ready long enough", presence=False),
    Field(5, "unavailableReplicas", Int(), "How many pods are missing or not ready long enough", presence=False),
    Field(9, "terminatingReplicas", Int(), "How many pods are terminating"),
    Field(
        6,
        "conditions",
        List(_DEPLOYMENT_CONDITION, kind="map", keys=("type",), merge_key="type", unique=False),
        "Aspects of its state",
    ),
    Field(8, "collisionCount", Int(), "How often a ReplicaSet's name was taken"),
    doc="How a deployment is",
)


def _ready(obj: Object, context: Context) -> Json:  # noqa: ARG001 - a cell's signature
    return f"{get_path(obj, 'status.readyReplicas') or 0}/{get_path(obj, 'spec.replicas') or 0}"


DEPLOYMENT = Kind(
    "Deployment",
    APPS_V1,
    "deployments",
    Struct(
        "Deployment",
        Field(2, "spec", _DEPLOYMENT_SPEC, "What the deployment is to be", default={}),
        Field(3, "status", _DEPLOYMENT_STATUS, "How the deployment is", default={}),
        doc="Keeps a number of like pods running and brings in changes of them step by step",
    ),
    short=("deploy",),
    singular="deployment",
    categories=("all",),
    columns=(
        Column("Ready", _ready, doc="Pods that are ready, of how many"),
        Column("Up-to-date", number_at("status.updatedReplicas"), "integer", doc="Pods of the present template"),
        Column("Available", number_at("status.availableReplicas"), "integer", doc="Pods that have been ready long enough"),
        AGE,
        *containers_of("spec.template"),
        _SELECTOR,
    ),
    subresources=(SCALE, status("metadata.labels")),
    strategy=Strategy(create=_drop_status, update_rules=(_selector_changes,)),
    generation=True,
    doc="Keeps a number of like pods running and brings in changes of them step by step",
)

# ReplicaSet

_REPLICA_SET_SPEC = Struct(
    "ReplicaSetSpec",
    Field(1, "replicas", Int(), "How many pods there are to be", default=1, rules=(not_negative,)),
    Field(
        4,
        "minReadySeconds",
        Int(),
        "Seconds a new pod must be ready before it counts as available",
        rules=(not_negative,),
        presence=False,
    ),
    Field(2, "selector", LABEL_SELECTOR, "Which pods belong to it; must match the template's labels, and can't change", required=True),
    Field(3, "template", POD_TEMPLATE_SPEC, "What the pods are made from", default={}),
    rules=(_template_rules,),
    doc="What a replica set is to be",
)
_REPLICA_SET_CONDITION = Struct(
    "ReplicaSetCondition",
    Field(1, "type", Str(), "ReplicaFailure", required=True, default=""),
    Field(2, "status", Str(), "True, False or Unknown", required=True, default=""),
    Field(3, "lastTransitionTime", Time(), "When the status last changed"),
    Field(4, "reason", Str(), "Why, in one CamelCase word"),
    Field(5, "message", Str(), "Why, in a sentence"),
    doc="One aspect of a replica set's state",
)
_REPLICA_SET_STATUS = Struct(
    "ReplicaSetStatus",
    Field(1, "replicas", Int(), "How many pods there are", required=True),
    Field(2, "fullyLabeledReplicas", Int(), "How many pods have all the template's labels", presence=False),
    Field(4, "readyReplicas", Int(), "How many pods are ready", presence=False),
    Field(5, "availableReplicas", Int(), "How many pods have been ready long enough", presence=False),
    Field(7, "terminatingReplicas", Int(), "How many pods are terminating"),
    Field(3, "observedGeneration", Int(bits=64), "The generation this status was set for", presence=False),
    Field(
        6,
        "conditions",
        List(_REPLICA_SET_CONDITION, kind="map", keys=("type",), merge_key="type", unique=False),
        "Aspects of its state",
    ),
    doc="How a replica set is",
)


def _no_replicas(obj: Object, context: Context) -> None:  # noqa: ARG001 - a hook's signature
    obj["status"] = {"replicas": 0}


REPLICA_SET = Kind(
    "ReplicaSet",
    APPS_V1,
    "replicasets",
    Struct(
        "ReplicaSet",
        Field(2, "spec", _REPLICA_SET_SPEC, "What the replica set is to be", default={}),
        Field(3, "status", _REPLICA_SET_STATUS, "How the replica set is", default={}),
        doc="Keeps a number of like pods running",
    ),
    short=("rs",),
    singular="replicaset",
    categories=("all",),
    columns=(
        Column("Desired", number_at("spec.replicas"), "integer", doc="How many pods there are to be"),
        Column("Current", number_at("status.replicas"), "integer", doc="How many pods there are"),
        Column("Ready", number_at("status.readyReplicas"), "integer", doc="How many pods are ready"),
        AGE,
        *containers_of("spec.template"),
        _SELECTOR,
    ),
    selectable=(Selectable("status.replicas", "0"),),
    subresources=(SCALE, STATUS),
    strategy=Strategy(create=_no_replicas, update_rules=(_selector_changes,)),
    generation=True,
    doc="Keeps a number of like pods running",
)
