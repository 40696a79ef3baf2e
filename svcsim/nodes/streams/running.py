"""Which container of a pod is meant, and whether it runs."""

from typing import NamedTuple

from svcsim.clock import format_time
from svcsim.meta.errors import bad_request, internal_error
from svcsim.meta.objects import name_of, uid_of
from svcsim.meta.pods import container_statuses, node_of
from svcsim.meta.times import parse_time
from svcsim.meta.types import Object
from svcsim.nodes.containers.container import CRASH_BACK_OFF, POST_START_ERROR
from svcsim.nodes.containers.container_spec import ContainerSpec
from svcsim.nodes.containers.reading import read_containers
from svcsim.nodes.logs.logs import choose_container


class Running(NamedTuple):
    """One run of a container."""

    pod: Object
    spec: ContainerSpec
    started_at: float
    hooked: bool = False
    """Whether its hook was still at work, of which the pod's status tells nothing but that it waits."""

    def goes_on_in(self, pod: Object | None) -> bool:
        """Whether this very run is still under way in a newer state of the pod."""
        if pod is None or uid_of(pod) != uid_of(self.pod):
            return False
        started_at = started_at_of(pod, self.spec.name)
        return started_at == self.started_at or (self.hooked and started_at is None and not _has_failed(pod, self))


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


def running(pod: Object, spec: ContainerSpec, hooked_since: float | None = None) -> Running:
    """The run of it that is under way. Raises `StatusError`, as a node says it.

    ``hooked_since`` is when it was started, where its hook is still at work.
    """
    started_at = started_at_of(pod, spec.name)
    if started_at is None and hooked_since is not None:
        return Running(_as_if_it_ran(pod, spec.name, hooked_since), spec, hooked_since, hooked=True)
    if started_at is None:
        raise internal_error(f'unable to upgrade connection: container not found ("{spec.name}")')
    return Running(pod, spec, started_at)


def running_in(pod: Object) -> list[Running]:
    """The runs of all of a pod's containers that are under way."""
    begun = ((spec, started_at_of(pod, spec.name)) for spec in read_containers(pod))
    return [Running(pod, spec, started_at) for spec, started_at in begun if started_at is not None]


def _as_if_it_ran(pod: Object, container: str, started_at: float) -> Object:
    """With a status that tells what its node knows of a container whose hook is at work."""
    state = {"running": {"startedAt": format_time(started_at)}}
    told = {
        field: [{**one, "state": state} if one["name"] == container else one for one in value]
        for field, value in pod["status"].items()
        if field.lower().endswith("containerstatuses")
    }
    return {**pod, "status": {**pod["status"], **told}}


def _has_failed(pod: Object, one: Running) -> bool:
    """Whether a run has ended whose hook was at work."""
    state = _state_of(pod, one.spec.name)
    ended_at = (state.get("terminated") or {}).get("startedAt")
    waits_for = (state.get("waiting") or {}).get("reason")
    return waits_for in {POST_START_ERROR, CRASH_BACK_OFF} or (ended_at is not None and parse_time(ended_at) == one.started_at)


def _state_of(pod: Object, container: str) -> Object:
    return next((item.get("state") or {} for item in container_statuses(pod) if item.get("name") == container), {})


def started_at_of(pod: Object, container: str) -> float | None:
    """When the run of a container began that is under way; None if it doesn't run."""
    state = _state_of(pod, container)
    moment = (state.get("running") or {}).get("startedAt")
    return parse_time(moment) if moment else None
