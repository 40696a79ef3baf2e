"""The runs of a pod's containers that a simulated shell runs, as the pod's status tells of them: the one under way, and the one before."""

from collections.abc import Iterator
from typing import NamedTuple

from svcsim.meta.pods import container_statuses
from svcsim.meta.times import parse_time
from svcsim.meta.types import Object
from svcsim.nodes.container import ContainerSpec, read_containers
from svcsim.nodes.processes.understanding import read_first


class RunKey(NamedTuple):
    """One process: that of a run of a container, or of its hook."""

    container: str
    started_at: float
    hook: bool = False


class ProcessRun(NamedTuple):
    key: RunKey
    spec: ContainerSpec
    words: tuple[str, ...]
    over_at: float | None
    """When nothing of it is left any more; None while it is under way."""

    @property
    def comes_first(self) -> bool:
        """Whether other containers wait for its end."""
        return self.spec.init and not self.spec.sidecar


def runs_of(pod: Object) -> list[ProcessRun]:
    """Those there have been, the oldest first."""
    specs = {spec.name: spec for spec in read_containers(pod) if spec.runs or spec.post_start is not None}
    if not specs:
        return []
    found = {run.key: run for status in container_statuses(pod) if status["name"] in specs for run in _runs(status, specs[status["name"]])}
    return sorted(found.values(), key=lambda run: run.key.started_at)


def _runs(status: Object, spec: ContainerSpec) -> Iterator[ProcessRun]:
    hook = read_first(spec.image, spec.post_start.command, ()) if spec.post_start is not None else None
    for state in (status.get("lastState") or {}, status.get("state") or {}):
        run = state.get("running") or state.get("terminated") or {}
        if not run.get("startedAt"):
            continue
        started_at = parse_time(run["startedAt"])
        over_at = parse_time(run["finishedAt"]) + 1 if run.get("finishedAt") else None
        if hook is not None:
            yield ProcessRun(RunKey(spec.name, started_at, hook=True), spec, hook.words, over_at)
        if spec.runs:
            yield ProcessRun(RunKey(spec.name, started_at), spec, spec.runs, over_at)
