"""The runs of a pod's containers that a simulated shell runs, as the pod's status tells of them: the one under way, and the one before."""

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from svcsim.meta.pods import container_statuses
from svcsim.meta.times import parse_time
from svcsim.meta.types import Object
from svcsim.nodes.containers.container_spec import ContainerSpec
from svcsim.nodes.containers.hooks import POST_START, PRE_STOP
from svcsim.nodes.containers.reading import read_containers
from svcsim.nodes.containers.understanding import read_first


class RunKey(NamedTuple):
    """One process: that of a run of a container, or of a hook of it."""

    container: str
    started_at: float
    hook: str = ""
    """Which one."""


class Asked(NamedTuple):
    """When a container was asked to end, and before that its hook was called."""

    hook_at: float
    at: float


class ProcessRun(NamedTuple):
    key: RunKey
    spec: ContainerSpec
    words: tuple[str, ...]
    started_at: float
    """When its container was."""
    over_at: float | None
    """When nothing of it is left any more; None while it is under way."""

    @property
    def comes_first(self) -> bool:
        """Whether other containers wait for its end."""
        return self.spec.init and not self.spec.sidecar


def runs_of(pod: Object, asked: Mapping[str, Asked]) -> list[ProcessRun]:
    """Those there have been, the oldest first. ``asked`` tells of containers, by their names, that are being ended."""
    specs = {spec.name: spec for spec in read_containers(pod) if spec.runs or spec.post_start is not None or spec.pre_stop_runs}
    if not specs:
        return []
    statuses = [status for status in container_statuses(pod) if status["name"] in specs]
    found = {run.key: run for status in statuses for run in _runs(status, specs[status["name"]], asked.get(status["name"]))}
    return sorted(found.values(), key=lambda run: run.key.started_at)


def _runs(status: Object, spec: ContainerSpec, asked: Asked | None) -> Iterator[ProcessRun]:
    hook = read_first(spec.image, spec.post_start.command, ()) if spec.post_start is not None else None
    for state in (status.get("lastState") or {}, status.get("state") or {}):
        run = state.get("running") or state.get("terminated") or {}
        if not run.get("startedAt"):
            continue
        started_at = parse_time(run["startedAt"])
        over_at = parse_time(run["finishedAt"]) + 1 if run.get("finishedAt") else None
        if spec.runs:
            yield ProcessRun(RunKey(spec.name, started_at), spec, spec.runs, started_at, over_at)
        if hook is not None:
            yield ProcessRun(RunKey(spec.name, started_at, POST_START), spec, hook.words, started_at, over_at)
        if asked is not None and spec.pre_stop_runs and "running" in state:
            yield ProcessRun(RunKey(spec.name, asked.hook_at, PRE_STOP), spec, spec.pre_stop_runs, started_at, asked.at)
