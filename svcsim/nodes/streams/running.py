"""Which container of a pod is meant, and whether it runs."""

from typing import NamedTuple

from svcsim.meta.errors import StatusError, bad_request
from svcsim.meta.objects import name_of, uid_of
from svcsim.meta.pods import container_statuses, node_of
from svcsim.meta.times import parse_time
from svcsim.meta.types import Object
from svcsim.nodes.container import ContainerSpec
from svcsim.nodes.logs import choose_container


class Running(NamedTuple):
    """One run of a container."""

    pod: Object
    spec: ContainerSpec
    started_at: float

    def goes_on_in(self, pod: Object | None) -> bool:
        """Whether this very run is still under way in a newer state of the pod."""
        return pod is not None and uid_of(pod) == uid_of(self.pod) and started_at_of(pod, self.spec.name) == self.started_at


def assigned(pod: Object) -> str:
    """The node that a pod is on. Raises `StatusError`."""
    node = node_of(pod)
    if not node:
        raise bad_request(f"pod {name_of(pod)} does not have a host assigned")
    return node


def chosen(pod: Object, container: str, default_annotation: str) -> ContainerSpec:
    """The container that is meant, of a pod that is on a node. Raises `StatusError`."""
    spec = choose_container(pod, container, default_annotation)
    assigned(pod)
    return spec


def running(pod: Object, spec: ContainerSpec) -> Running:
    """The run of it that is under way. Raises `StatusError`, as a node says it."""
    started_at = started_at_of(pod, spec.name)
    if started_at is None:
        raise internal(f'unable to upgrade connection: container not found ("{spec.name}")')
    return Running(pod, spec, started_at)


def internal(why: str) -> StatusError:
    """What a node can't do, as the API server passes it on."""
    return StatusError(500, "InternalError", f"Internal error occurred: {why}", {"causes": [{"message": why}]})


def started_at_of(pod: Object, container: str) -> float | None:
    """When the run of a container began that is under way; None if it doesn't run."""
    state = next((item.get("state") or {} for item in container_statuses(pod) if item.get("name") == container), {})
    moment = (state.get("running") or {}).get("startedAt")
    return parse_time(moment) if moment else None
