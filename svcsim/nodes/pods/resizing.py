"""Resizing pods while they run: whether their node has room for what they want, and what is told of it.

A node grants more or less of what can be resized (cpu, memory) if it fits beside what others on it asked for. What can never fit is
infeasible; what doesn't fit now is deferred, and looked at again. What was granted is in force a moment later; a container whose resize
policy says so is started anew for it.
"""

from collections.abc import Iterable
from typing import NamedTuple

import orjson

from svcsim.meta.found_before import FoundBefore
from svcsim.meta.objects import uid_of
from svcsim.meta.pod_amounts import pod_amounts
from svcsim.meta.pods import containers_of
from svcsim.meta.types import Json, Object
from svcsim.nodes.containers.container_spec import ContainerSpec
from svcsim.nodes.machines.occupancy import Occupancy
from svcsim.nodes.machines.room import room, shortage, whole

RESIZE_S = (0.3, 1.5)
"""How long it takes until what was granted is in force."""
DEFERRED_RETRY_S = 30.0
PENDING, IN_PROGRESS = "PodResizePending", "PodResizeInProgress"
CONDITIONS = (PENDING, IN_PROGRESS)
INFEASIBLE, DEFERRED = "Infeasible", "Deferred"
_RESIZABLE = ("cpu", "memory")

Granted = tuple[Object, ...]
"""The resources of a pod's containers, in their order."""


class Resize(NamedTuple):
    """A resize under way, at the moment ``due_at``: granted and soon in force, or pending and looked at again."""

    wanted: Granted
    due_at: float | None
    """None where it waits for others: for containers that are being started anew for it, or for who needs less."""
    pending: str = ""
    """Why it is pending: Infeasible or Deferred; empty if it is in progress."""
    message: str = ""

    @property
    def condition(self) -> Object:
        """The condition that tells of it."""
        if not self.pending:
            return {"type": IN_PROGRESS, "status": "True"}
        return {"type": PENDING, "status": "True", "reason": self.pending, "message": self.message}


def resources_of(pod: Object) -> Granted:
    """What the spec of a pod says its containers are to have. Equal ones are shared between pods."""
    return _granted([container.get("resources") or {} for container in containers_of(pod.get("spec") or {})])


def reported(statuses: Iterable[Object], pod: Object) -> Granted:
    """What the containers of a pod have, as its status says; what the spec says where it doesn't."""
    had = {status["name"]: status["resources"] for status in statuses if status.get("resources") is not None}
    return _granted([had.get(one["name"], one.get("resources") or {}) for one in containers_of(pod.get("spec") or {})])


def _as_granted(resources: Json) -> Granted:
    return tuple(resources)


_granted: FoundBefore[Granted] = FoundBefore(_as_granted)


def changed(one: Object, other: Object) -> tuple[str, ...]:
    """The resizable resources of which a container has more or less in one than in the other."""
    return tuple(
        name
        for name in _RESIZABLE
        if any((one.get(part) or {}).get(name) != (other.get(part) or {}).get(name) for part in ("requests", "limits"))
    )


def completed(containers: Iterable[tuple[ContainerSpec, Object]]) -> str:
    """What is told once a resize is in force: what containers have by now."""
    told: dict[str, list[Object]] = {"initContainers": [], "containers": []}
    for spec, has in containers:
        if not spec.ephemeral:
            resources = {part: has[part] for part in ("limits", "requests", "claims") if has.get(part)}
            told["initContainers" if spec.init else "containers"].append({"name": spec.name, "resources": _in_order(resources)})
    encoded = orjson.dumps({kind: some for kind, some in told.items() if some})
    return f"Pod resize completed: {encoded.decode()}"


def _in_order(resources: Object) -> Object:
    """Amounts by the names of resources, in the order in which Kubernetes' agent writes them."""
    return {part: dict(sorted(some.items())) if isinstance(some, dict) else some for part, some in resources.items()}


def refusal(pod: Object, occupancy: Occupancy, allocatable: Object) -> tuple[str, str] | None:
    """Why a node can't give a pod what its spec wants: reason and message; None if it can."""
    wanted = whole(pod_amounts(pod["spec"], "requests"))
    for name in _RESIZABLE:
        asked, capacity = wanted.get(name, 0), room(allocatable, name)
        if capacity < asked:
            return INFEASIBLE, f"Node didn't have enough capacity: {name}, requested: {asked}, capacity: {capacity}"
    for name in _RESIZABLE:
        if short := shortage(name, wanted.get(name, 0), occupancy.used(name, besides=uid_of(pod)), room(allocatable, name)):
            return DEFERRED, short
    return None
