"""The processes that a container sees: its own alone, those of all containers of its pod, or those of the container that it looks into."""

from typing import NamedTuple

from svcsim.meta.types import Object
from svcsim.nodes.containers.container_spec import ContainerSpec
from svcsim.nodes.containers.sources import container_of
from svcsim.nodes.images.images import command_line
from svcsim.nodes.images.known_processes import shown_process
from svcsim.nodes.images.users import user_of
from svcsim.nodes.shell.process import PIDS_APART, ListedProcess, ProcessUser
from svcsim.nodes.shell.signals import name_of_signal
from svcsim.nodes.streams.running import Running, running_in

_FIRST_PID = 1
_PAUSE_USER = ProcessUser(65535, 65535)
_PAUSE = "/pause"
_ASKING = (1, 2, 3, 15)
"""Signals by which processes end that are asked to."""
_KILL = 9


class Ended(NamedTuple):
    """A container whose first process ends by a signal."""

    container: str
    exit_code: int
    heeded: str = ""
    """The name of the signal, where that is left to the process."""


class _Seen(NamedTuple):
    listed: ListedProcess
    spec: ContainerSpec | None
    """Of the container whose first process it is; None for what holds the namespace."""


class ContainerProcesses:
    """Those that one container sees. The first is the first process of somebody, or what holds the namespace that all share."""

    def __init__(self, one: Running) -> None:
        spec = one.pod["spec"]
        target = container_of(one.pod, one.spec.name).get("targetContainerName")
        if spec.get("shareProcessNamespace"):
            every = sorted(running_in(one.pod), key=lambda other: other.started_at)
            seen = list({**{other.spec.name: other.spec for other in every}, one.spec.name: one.spec}.values())
            self._seen = {_FIRST_PID: _Seen(ListedProcess(_FIRST_PID, _shown(_PAUSE_USER), _PAUSE), None)}
        else:
            seen = [*(other.spec for other in running_in(one.pod) if other.spec.name == target), one.spec]
            self._seen = {}
        for number, seen_spec in enumerate(seen, len(self._seen)):
            pid = _FIRST_PID + number * PIDS_APART
            self._seen[pid] = _Seen(_listed(pid, one.pod, seen_spec), seen_spec)

    @property
    def listed(self) -> list[ListedProcess]:
        return [seen.listed for seen in self._seen.values()]

    def ended_by(self, pid: int, signal: int) -> list[Ended]:
        """Which first processes end by a signal. What has the number 1 can't be killed by what it hasn't agreed to."""
        spec, name = self._seen[pid].spec, name_of_signal(signal)
        if spec is not None and name in spec.heeds:
            return [Ended(spec.name, 0, name)]
        if pid == _FIRST_PID and signal not in _ASKING:
            return []
        if spec is None:
            return [Ended(seen.spec.name, 128 + _KILL) for seen in self._seen.values() if seen.spec is not None]
        if signal not in (*_ASKING, _KILL):
            return []
        by_itself = signal != _KILL and (pid == _FIRST_PID or not spec.runs)  # servers end well when they are asked to
        return [Ended(spec.name, 0 if by_itself else 128 + signal)]


def command_of(container: Object) -> str:
    """What a container runs, as it is shown: its command line, or else what its image starts of itself."""
    image = str(container.get("image") or "")
    words = command_line(image, tuple(container.get("command") or ()), tuple(container.get("args") or ()))
    return " ".join(words) or shown_process(image)


def _listed(pid: int, pod: Object, spec: ContainerSpec) -> ListedProcess:
    container = container_of(pod, spec.name)
    return ListedProcess(pid, _shown(user_of(pod["spec"], container)), command_of(container))


def _shown(user: ProcessUser) -> str:
    return user.name or str(user.uid)
