"""The flow schemas and priority levels that every cluster starts with: the fixed ones, and those for what a cluster consists of."""

from typing import Final

from svcsim.dialect import Dialect
from svcsim.kinds.flowcontrol.fixed import EVERYBODY, EVERYTHING, EXEMPT, FIXED_LEVELS, FIXED_SCHEMAS, group
from svcsim.meta.quoting import quoted
from svcsim.meta.types import Object

_LEVELS: Final = (
    ("system", 30, 33, (64, 6)),
    ("node-high", 40, 25, (64, 6)),
    ("leader-election", 10, 0, (16, 4)),
    ("workload-high", 40, 50, (128, 6)),
    ("workload-low", 100, 90, (128, 6)),
    ("global-default", 20, 50, (128, 6)),
)
"""Name, share, percentage that is lent, number of queues and of those for a flow."""
_QUEUE_LENGTH: Final = 50
_ANSWERS: Final = ("true", "false")
_LOCKS: Final = ("get", "create", "update")


def flow_control(dialect: Dialect) -> tuple[tuple[str, Object], ...]:
    """The plural and the content of each, levels first."""
    version = f"{dialect.group('flowcontrol.apiserver')}/v1"
    note = {upkeep_note(dialect): "true"}
    return (
        *(("prioritylevelconfigurations", _object(version, "PriorityLevelConfiguration", name, note, spec)) for name, spec in _levels()),
        *(("flowschemas", _object(version, "FlowSchema", name, note, spec)) for name, spec in _schemas(dialect)),
    )


def upkeep_note(dialect: Dialect) -> str:
    """The annotation by which one of them says whether it is kept as it was made."""
    return dialect.key("autoupdate-spec", "apf")


def is_kept(obj: Object, note: str) -> bool:
    """Whether one is kept as it was made: as it says itself, or, where it says nothing, for as long as nobody has changed its spec."""
    said = (obj["metadata"].get("annotations") or {}).get(note)
    if said in _ANSWERS:
        return bool(said == "true")
    return bool(obj["metadata"].get("generation") == 1)


def is_mandatory(obj: Object) -> bool:
    """Whether one is kept as it was made, whatever it says."""
    return obj["metadata"]["name"] in FIXED_SCHEMAS


def _object(version: str, kind: str, name: str, note: dict[str, str], spec: Object) -> Object:
    return {"apiVersion": version, "kind": kind, "metadata": {"name": name, "annotations": note}, "spec": spec}


def _levels() -> tuple[tuple[str, Object], ...]:
    return (
        *FIXED_LEVELS.items(),
        *(
            (
                name,
                {
                    "type": "Limited",
                    "limited": {
                        "nominalConcurrencyShares": shares,
                        "lendablePercent": lent,
                        "limitResponse": {
                            "type": "Queue",
                            "queuing": {"queues": queues, "handSize": hand, "queueLengthLimit": _QUEUE_LENGTH},
                        },
                    },
                },
            )
            for name, shares, lent, (queues, hand) in _LEVELS
        ),
    )


def _schemas(dialect: Dialect) -> tuple[tuple[str, Object], ...]:
    nodes = [group("system:nodes")]
    accounts = [{"kind": "ServiceAccount", "serviceAccount": {"name": "*", "namespace": dialect.system_namespace}}]
    manager, scheduler = _user("system:kube-controller-manager"), _user("system:kube-scheduler")
    leases = {"apiGroups": [dialect.group("coordination")], "resources": ["leases"], "namespaces": ["*"]}
    maps = {"apiGroups": [""], "resources": ["endpoints", "configmaps"]}
    locks = {"verbs": list(_LOCKS)}
    reports = [
        {"verbs": ["*"], "apiGroups": [""], "resources": ["nodes", "nodes/status"], "clusterScope": True, "namespaces": ["*"]},
        {"verbs": ["*"], **leases},
    ]
    system_locks = [{**locks, **maps, "namespaces": [dialect.system_namespace]}, {**locks, **leases}]
    workload_locks = [{**locks, **maps, "namespaces": ["*"]}, {**locks, **leases}]
    endpoints = {**locks, "apiGroups": [""], "resources": ["endpoints"], "namespaces": ["*"]}
    slices = {**locks, "apiGroups": [dialect.group("discovery")], "resources": ["endpointslices"], "namespaces": ["*"]}
    endpoint_accounts = [
        {"kind": "ServiceAccount", "serviceAccount": {"name": name, "namespace": dialect.system_namespace}}
        for name in ("endpoint-controller", "endpointslicemirroring-controller")
    ]
    probes = {"nonResourceRules": [{"verbs": ["get"], "nonResourceURLs": ["/healthz", "/readyz", "/livez"]}]}
    return (
        *FIXED_SCHEMAS.items(),
        ("system-nodes", _schema("system", 500, "ByUser", nodes, EVERYTHING)),
        ("system-node-high", _schema("node-high", 400, "ByUser", nodes, {"resourceRules": reports})),
        ("probes", _schema(EXEMPT, 2, "", EVERYBODY, probes)),
        (
            "system-leader-election",
            _schema("leader-election", 100, "ByUser", [manager, scheduler, *accounts], {"resourceRules": system_locks}),
        ),
        ("workload-leader-election", _schema("leader-election", 200, "ByUser", accounts, {"resourceRules": workload_locks})),
        (
            "endpoint-controller",
            _schema("workload-high", 150, "ByUser", [manager, *endpoint_accounts], {"resourceRules": [endpoints, slices]}),
        ),
        ("kube-controller-manager", _schema("workload-high", 800, "ByNamespace", [manager], EVERYTHING)),
        ("kube-scheduler", _schema("workload-high", 800, "ByNamespace", [scheduler], EVERYTHING)),
        ("kube-system-service-accounts", _schema("workload-high", 900, "ByNamespace", accounts, EVERYTHING)),
        ("service-accounts", _schema("workload-low", 9000, "ByUser", [group("system:serviceaccounts")], EVERYTHING)),
        ("global-default", _schema("global-default", 9900, "ByUser", EVERYBODY, EVERYTHING)),
    )


def _user(name: str) -> Object:
    return {"kind": "User", "user": {"name": name}}


def _schema(level: str, precedence: int, method: str, subjects: list[Object], rules: Object) -> Object:
    spec: Object = {"priorityLevelConfiguration": {"name": level}, "matchingPrecedence": precedence}
    if method:
        spec["distinguisherMethod"] = {"type": method}
    return {**spec, "rules": [{"subjects": subjects, **rules}]}


def status_of(schema: Object) -> Object:
    """The status of a flow schema whose priority level is there."""
    level = schema["spec"]["priorityLevelConfiguration"]["name"]
    condition = {
        "type": "Dangling",
        "status": "False",
        "lastTransitionTime": schema["metadata"]["creationTimestamp"],
        "reason": "Found",
        "message": f"This FlowSchema references the PriorityLevelConfiguration object named {quoted(level)} and it exists",
    }
    return {"conditions": [condition]}
