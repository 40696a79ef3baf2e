"""Explains objects that aren't in any cluster, by facts that a test gives."""

from svcsim.dialect import KUBERNETES
from svcsim.meta.times import parse_time
from svcsim.meta.types import Object
from svcsim.printing.why.kinds import explainer_of
from svcsim.printing.why.verdict import Facts, Verdict

NOW = parse_time("2026-01-01T01:00:00Z")


def explained(group: str, kind: str, obj: Object, events: list[Object] | None = None, **found: list[Object]) -> Verdict:
    """The verdict on an object, which is called ``it`` unless it says otherwise, by its events and what was found beside it."""
    whole = {"apiVersion": f"{group}/v1" if group else "v1", "kind": kind, **obj}
    whole.setdefault("metadata", {"name": "it", "namespace": "default", "uid": "u1", "generation": 1})
    return explainer_of(group, kind).explain(whole, Facts(NOW, KUBERNETES, events or [], found))


def condition(kind: str, status: str, reason: str = "", message: str = "", **more: str) -> Object:
    """A condition of any object."""
    return {"type": kind, "status": status, "reason": reason, "message": message, **more}


def pod(state: Object, *, spec: Object | None = None, ready: bool = False, **status: object) -> Object:
    """A pod on node-1 with one container, in a state."""
    container = {"name": "c", "image": "shop:1", **(spec or {})}
    told = {"name": "c", "ready": ready, "started": ready, "restartCount": 3, "state": state, **status}
    conditions = [condition("Ready", "True" if ready else "False")]
    inner = {"phase": "Running", "startTime": "2026-01-01T00:00:00Z", "containerStatuses": [told], "conditions": conditions}
    return {"spec": {"nodeName": "node-1", "containers": [container]}, "status": inner}


READY_NODE = {"metadata": {"name": "node-1"}, "status": {"conditions": [condition("Ready", "True")]}}
RUNNING = {"running": {"startedAt": "2026-01-01T00:00:00Z"}}
WAITS = {"spec": {"nodeName": "node-1", "containers": [{"name": "c", "image": "shop:1"}]}, "status": {"phase": "Pending"}}
GOING = {**WAITS, "metadata": {"deletionTimestamp": "2026-01-01T00:59:50Z", "deletionGracePeriodSeconds": 30}}
SILENT = {"metadata": {"name": "node-1", "uid": "n1"}, "status": {"conditions": [condition("Ready", "Unknown")]}}


def job(spec: Object, status: Object) -> Object:
    """A job of one pod that has been begun with."""
    template = {"spec": {"restartPolicy": "Never", "containers": [{"name": "c"}]}}
    given = {"completions": 1, "parallelism": 1, "backoffLimit": 6, "template": template, **spec}
    return {"spec": given, "status": {"startTime": "2026-01-01T00:00:00Z", **status}}


def owned_pod(name: str, by: str = "u1", *, leaving: bool = False, ready: bool = True, **spec: str) -> Object:
    """A pod that an object controls, on its way out since ten seconds or not."""
    metadata = {"name": name, "uid": name, "namespace": "default", "ownerReferences": [{"uid": by, "controller": True}]}
    if leaving:
        metadata |= {"deletionTimestamp": "2026-01-01T01:00:50Z", "deletionGracePeriodSeconds": 60}
    since = condition("Ready", "True" if ready else "False", lastTransitionTime="2026-01-01T00:59:50Z")
    return {"kind": "Pod", "metadata": metadata, "spec": spec, "status": {"phase": "Running", "conditions": [since]}}
