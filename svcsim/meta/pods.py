"""What is said of pods in more than one place: finished, active, ready, on which node, which generation, and their containers."""

from collections.abc import Iterator

from svcsim.meta.objects import condition, condition_is, is_terminating, set_condition
from svcsim.meta.times import parse_time
from svcsim.meta.types import Object
from svcsim.wall import LATEST_S

CONTAINERS = ("initContainers", "containers", "ephemeralContainers")
"""The fields of a pod's spec that hold containers."""
TEMPLATE_HASH_LABEL = "pod-template-hash"
"""By which a ReplicaSet of a Deployment knows its pods."""
FINISHED_PHASES = ("Succeeded", "Failed")
_PROGRESS = {"Pending": 0, "Unknown": 1, "Running": 2}
_SAID = ("reason", "message")
"""Fields of a condition that go when they aren't said any more."""
DEFAULT_SCHEDULER = "default-scheduler"
"""Who places the pods that don't say who is to."""


_CONTAINER_STATUSES = ("initContainerStatuses", "containerStatuses", "ephemeralContainerStatuses")


def with_kind(pod: Object) -> Object:
    """A pod as events and owner references speak of it, where a cache or a list leaves its kind out."""
    return {"apiVersion": "v1", "kind": "Pod", "metadata": pod["metadata"]}


def pod_reference(namespace: str, name: str, uid: str) -> Object:
    """As much of a pod as an event about it needs."""
    return {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name, "namespace": namespace, "uid": uid}}


def addresses_of(pod: Object) -> list[str]:
    """Its addresses, one for each IP family that it has; the one at which it is dialled comes first."""
    status = pod.get("status") or {}
    several = [one["ip"] for one in status.get("podIPs") or () if one.get("ip")]
    return several or ([status["podIP"]] if status.get("podIP") else [])


def progress(pod: Object) -> int:
    """How far a pod has come, the more the higher: of those that are too many, the ones that have come least far go first."""
    return _PROGRESS.get(phase_of(pod), 0)


def phase_of(pod: Object) -> str:
    """``status.phase``."""
    phase: str = (pod.get("status") or {}).get("phase") or ""
    return phase


def node_of(pod: Object) -> str:
    """The name of the node it has been given; empty before that."""
    node: str = (pod.get("spec") or {}).get("nodeName") or ""
    return node


def is_finished(pod: Object) -> bool:
    """Whether all its containers have ended for good: it no longer uses resources on its node, and no phase follows."""
    return (pod.get("status") or {}).get("phase") in FINISHED_PHASES


def is_active(pod: Object) -> bool:
    """Whether it counts as a replica: it has not finished and is not on its way out."""
    return not is_finished(pod) and not is_terminating(pod)


def deletion_asked_at(obj: Object) -> float | None:
    """When the deletion of what is on its way out was asked for; None where its grace ends beyond what can be written, and nobody knows."""
    metadata = obj["metadata"]
    ends = parse_time(metadata["deletionTimestamp"])
    return ends - float(metadata.get("deletionGracePeriodSeconds") or 0) if ends < LATEST_S else None


def is_ready(pod: Object) -> bool:
    return condition_is(pod, "Ready")


def ready_since(pod: Object) -> float:
    """When it became ready, in seconds since the epoch; 0 where it isn't said."""
    ready = condition(pod, "Ready")
    return parse_time(ready["lastTransitionTime"]) if ready and ready.get("lastTransitionTime") else 0.0


def available_in(pod: Object, min_ready_s: float, now: float) -> float | None:
    """Seconds until a ready pod counts as available: 0 or less once it does; None for a pod that isn't ready."""
    if not is_ready(pod):
        return None
    if min_ready_s == 0:
        return 0.0
    since = ready_since(pod)
    # What was noted by a clock that was ahead, and has been set back, is over: it must not be waited for until that time comes again.
    return 0.0 if since > now + 1 else since + min_ready_s - now


def generation_of(pod: Object) -> int:
    """``metadata.generation``, which counts the changes of its spec."""
    generation: int = pod["metadata"].get("generation") or 0
    return generation


def set_pod_condition(pod: Object, conditions: list[Object], wanted: Object, now: str) -> bool:
    """As `set_condition`, for a condition of the pod as it is given: the condition says which generation that is."""
    return set_condition(conditions, {**wanted, "observedGeneration": generation_of(pod)}, now)


def replace_pod_condition(pod: Object, conditions: list[Object], wanted: Object, now: str) -> None:
    """As `set_pod_condition`, but a reason or message that is not said any more goes."""
    for index, one in enumerate(conditions):
        if one.get("type") == wanted["type"]:
            conditions[index] = renewed_pod_condition(pod, one, wanted, now)
            return
    conditions.append(renewed_pod_condition(pod, None, wanted, now))


def renewed_pod_condition(pod: Object, current: Object | None, wanted: Object, now: str) -> Object:
    """A condition of a pod that was ``current`` and now is as wanted."""
    wanted = {**wanted, "observedGeneration": generation_of(pod)}
    if current is None:
        return {"lastTransitionTime": now, **wanted}
    since = now if current.get("status") != wanted["status"] else current.get("lastTransitionTime") or now
    renewed = {**current, "lastTransitionTime": since, **wanted}
    for name in _SAID:
        if name not in wanted:
            renewed.pop(name, None)
    return renewed


def containers_of(spec: Object, kinds: tuple[str, ...] = CONTAINERS) -> Iterator[Object]:
    """The containers of a pod's spec, kind by kind."""
    return (container for kind in kinds for container in spec.get(kind) or ())


def container_statuses(pod: Object) -> Iterator[Object]:
    """What is told of a pod's containers, those that come first first."""
    status = pod.get("status") or {}
    return (item for field in _CONTAINER_STATUSES for item in status.get(field) or ())


def is_sidecar(init_container: Object) -> bool:
    """Whether an init container goes on running beside the containers that follow it."""
    return init_container.get("restartPolicy") == "Always"


def sidecars(spec: Object) -> list[Object]:
    """The sidecars of a pod's spec."""
    return [container for container in spec.get("initContainers") or () if is_sidecar(container)]
