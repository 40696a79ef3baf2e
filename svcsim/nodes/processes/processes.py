"""The first processes of all containers, as far as anybody has had to know what they do.

They are run when somebody looks: at a log, into a container, at a port; or the node, where only running it tells how a container ends. Then
all processes of the pod are run up to that moment, in the order of what they do, so that each sees what the others have left in shared
volumes. What there has been to run follows from the pod's status; so after a new start of the cluster, the same is run once more.
"""

import asyncio
import math
from collections import OrderedDict
from collections.abc import Callable, Mapping
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field
from functools import partial
from typing import TypeAlias

from svcsim import limits
from svcsim.clock import Clock
from svcsim.meta.objects import uid_of
from svcsim.meta.pods import node_of
from svcsim.meta.types import Object
from svcsim.nodes.containers.hooks import PRE_STOP
from svcsim.nodes.containers.said import Said, Spoken
from svcsim.nodes.machines.machine import Machine
from svcsim.nodes.machines.own_pods import pod_now
from svcsim.nodes.processes.first_process import FirstProcess, OwnTime
from svcsim.nodes.processes.probed import found_by_probes
from svcsim.nodes.processes.runs import Asked, ProcessRun, RunKey, runs_of
from svcsim.nodes.shell.tree import Disk
from svcsim.nodes.streams.pod_files import AllFiles
from svcsim.nodes.streams.running import Running
from svcsim.nodes.streams.world import Inside, Insides

NOBODY_ASKED: Mapping[str, Asked] = {}
_ByRun: TypeAlias = dict[RunKey, FirstProcess]


@dataclass(slots=True)
class Listener:
    """A process that says only what clients have it say who are attached to it."""

    said: Said
    next_at: float = math.inf


@dataclass(slots=True)
class _OfPod:
    """The processes of one pod."""

    one_by_one: asyncio.Lock = field(default_factory=asyncio.Lock)
    processes: _ByRun = field(default_factory=dict)
    listeners: dict[RunKey, Listener] = field(default_factory=dict)


class Processes:
    """Runs them."""

    def __init__(self, clock: Clock, machines: Mapping[str, Machine], insides: Insides, files: AllFiles) -> None:
        self._clock = clock
        self._machines = machines
        self._insides = insides
        self.files = files
        """What they have left behind."""
        self._room = Disk(limits.ALL_SAID_BYTES)
        self._pods: OrderedDict[str, _OfPod] = OrderedDict()
        """By UID; those that were looked at last stand last."""

    async def catch_up(self, pod: Object, asked: Mapping[str, Asked] = NOBODY_ASKED) -> None:
        """Have what runs in a pod be run up to now. Raises `StatusError` where what it needs can't be read.

        ``asked`` tells of containers, by their names, that are being ended.
        """
        runs = runs_of(pod, asked)
        machine = self._machines.get(node_of(pod))
        if not runs or machine is None:
            return
        uid = uid_of(pod)
        mine = self._of(uid)
        async with mine.one_by_one:
            went_well = False
            try:
                await self._run_all(mine, pod, runs, machine, asked)
                went_well = self._pods.get(uid) is mine  # it may have gone meanwhile
            finally:
                if not went_well:
                    self._end(uid, mine)  # whatever was half done is done anew

    async def catch_up_anew(self, pod: Object) -> None:
        """The same for a pod of which there may be a newer state. Raises `StatusError`."""
        machine = self._machines.get(node_of(pod))
        if uid_of(pod) in self._pods and machine is not None:
            current = await pod_now(machine, pod)
            if current is not None:
                await self.catch_up(current)

    async def found_by_probes(self, one: Running) -> Mapping[str, str | None]:
        """What the probes of a container find in what has been run up to now, by their kinds. Raises `StatusError`."""
        machine = self._machines.get(node_of(one.pod))
        if machine is None:
            return {}
        async with self._insides.of(one, machine) as inside:
            return await found_by_probes(one, inside, partial(self._insides.of, one, machine), self._clock.now())

    def process_of(self, pod_uid: str, container: str, started_at: float) -> FirstProcess | None:
        """That of a run of a container, as far as it was run; None where there is none, or what it runs wasn't understood after all."""
        mine = self._pods.get(pod_uid)
        found = mine.processes.get(RunKey(container, started_at)) if mine is not None else None
        return None if found is None or found.puzzled else found

    def hook_of(self, pod_uid: str, container: str, called_at: float) -> FirstProcess | None:
        """The hook that was called before a container is asked to end; None where it can't be run."""
        mine = self._pods.get(pod_uid)
        found = mine.processes.get(RunKey(container, called_at, PRE_STOP)) if mine is not None else None
        return None if found is None or found.puzzled else found

    def signal(self, pod_uid: str, container: str, started_at: float, name: str, at: float) -> None:
        """Send a signal to the process of a run, if it is known."""
        found = self.process_of(pod_uid, container, started_at)
        if found is not None:
            found.signal(name, at)

    def rouse(self, pod_uid: str) -> None:
        """What those of a pod have waited for may be there now."""
        mine = self._pods.get(pod_uid)
        for process in mine.processes.values() if mine is not None else ():
            process.rouse()

    def heard_of(self, pod_uid: str, container: str, started_at: float) -> Spoken | None:
        """What a run of a container has said: as it is run, or to clients who were attached to it."""
        mine = self._pods.get(pod_uid)
        listener = mine.listeners.get(RunKey(container, started_at)) if mine is not None else None
        return self.process_of(pod_uid, container, started_at) if listener is None else listener

    def listener(self, pod_uid: str, container: str, started_at: float) -> Listener:
        """A run of a container to which a client is attached; it is remembered as long as another comes after the next one."""
        mine, key = self._of(pod_uid), RunKey(container, started_at)
        if key not in mine.listeners:
            mine.listeners[key] = Listener(Said(self._room))
            for former in sorted(one for one in mine.listeners if one.container == container)[:-2]:
                mine.listeners.pop(former).said.forget()
        return mine.listeners[key]

    def _of(self, pod_uid: str) -> _OfPod:
        mine = self._pods.get(pod_uid)
        if mine is None:
            mine = self._pods[pod_uid] = _OfPod()
            self._let_go()
        self._pods.move_to_end(pod_uid)
        return mine

    def forget(self, pod_uid: str) -> None:
        """The pod is gone from its node; its files go with it. Most have left nothing."""
        if not self._pods and not self.files.of_pods:
            return
        mine = self._pods.pop(pod_uid, None)
        if mine is not None and not mine.one_by_one.locked():
            self._end(pod_uid, mine)
        else:  # whoever is at work on it ends it
            self.files.forget(pod_uid)

    def _end(self, pod_uid: str, mine: _OfPod) -> None:
        if self._pods.get(pod_uid) is mine:
            del self._pods[pod_uid]
        for process in mine.processes.values():
            _forget(process)
        for listener in mine.listeners.values():
            listener.said.close()
        self.files.forget(pod_uid)

    def end(self) -> None:
        """Nobody looks any more."""
        for uid in list(self._pods):
            self.forget(uid)

    def _let_go(self) -> None:
        for uid in list(self._pods)[:-1]:
            if len(self._pods) <= limits.FIRST_PROCESSES:
                return
            if not self._pods[uid].one_by_one.locked():
                self.forget(uid)

    async def _run_all(self, mine: _OfPod, pod: Object, runs: list[ProcessRun], machine: Machine, asked: Mapping[str, Asked]) -> None:
        now, processes = self._clock.now(), mine.processes
        _forget_former(processes, runs)
        for process in processes.values():
            if process.next_at <= now:
                await process.refresh(pod)
        runs = _not_left_behind(processes, runs)
        for run in runs:
            if run.key not in processes:
                enter = partial(self._enter, pod, run, machine)
                said, path = Said(self._room), run.spec.message_path
                processes[run.key] = FirstProcess(run.words, run.key.started_at, enter, path, said, speaks=not run.key.hook)
            if run.over_at is None and not run.key.hook and run.key.container in asked:
                processes[run.key].signal(run.spec.asked_by, asked[run.key.container].at)
        await _go_on(processes, runs, now, lambda: self._pods.get(uid_of(pod)) is mine)
        for run in runs:
            if run.over_at is not None and (run.key.hook != PRE_STOP or run.over_at <= now):
                processes[run.key].end()
            if run.over_at is not None and run.key.hook != PRE_STOP:
                self.files.end(uid_of(pod), run.key.container, run.key.started_at)

    def _enter(self, pod: Object, run: ProcessRun, machine: Machine, time: OwnTime) -> AbstractAsyncContextManager[Inside]:
        return self._insides.of(Running(pod, run.spec, run.started_at), machine, time)


def _forget_former(processes: _ByRun, runs: list[ProcessRun]) -> None:
    """Let go of those that ran before all that the pod tells of their containers."""
    oldest = {run.key.container: run.key.started_at for run in reversed(runs)}
    for key in [key for key in processes if key.started_at < oldest.get(key.container, 0.0)]:
        _forget(processes.pop(key))


def _not_left_behind(processes: _ByRun, runs: list[ProcessRun]) -> list[ProcessRun]:
    """What is known already and what comes after it: what the pod says may be older than what is known."""
    begun = {key.container: key.started_at for key in sorted(processes, reverse=True)}
    return [run for run in runs if run.key in processes or run.key.started_at >= begun.get(run.key.container, 0.0)]


async def _go_on(processes: _ByRun, runs: list[ProcessRun], now: float, is_there: Callable[[], bool]) -> None:
    """Run all of them up to now, or to their ends, in the order of what they do, as long as their pod is there."""
    until = {run.key: now if run.over_at is None else min(now, run.over_at) for run in runs}
    while is_there() and (due := [run for run in runs if processes[run.key].next_at <= until[run.key]]):
        run = min(due, key=lambda run: (not run.comes_first, processes[run.key].next_at))
        await processes[run.key].go_on(until[run.key])


def _forget(process: FirstProcess) -> None:
    process.end()
    process.said.close()
