"""Breaking things on purpose, on time, and mending them whatever happens.

The faults themselves live in the simulator; here is only when they come and go.
"""

import asyncio

from svcsim.meta.times import parse_duration
from svcsim.meta.types import Object
from svcsim.scenario.matching import shorten
from svcsim.scenario.target_cluster import FAULTS_PATH, TargetCluster
from svcsim.scenario.timeline import Timeline

_TIMING = ("at", "for")


class Injections:
    """The faults of one run."""

    def __init__(self, target: TargetCluster, timeline: Timeline) -> None:
        self._target = target
        self._timeline = timeline
        self._planned: list[asyncio.Task[None]] = []
        self._in_force: dict[str, Object] = {}

    async def plan(self, fault: Object) -> None:
        """Let a fault come at once, or ``at`` so long from now, and go after ``for`` so long, or with the scenario."""
        if "at" not in fault:
            fault_id = await self._inject(fault)
            if "for" in fault:
                self._planned.append(asyncio.create_task(self._mend_later(fault_id, fault)))
        else:
            self._planned.append(asyncio.create_task(self._inject_later(fault)))

    async def take_back(self) -> None:
        """Mend everything, and forget what was still to come. Raises what a fault that couldn't be injected raised."""
        for task in self._planned:
            task.cancel()
        results = await asyncio.gather(*self._planned, return_exceptions=True)
        self._planned.clear()
        for fault_id in list(self._in_force):
            await self._mend(fault_id)
        for result in results:
            if isinstance(result, Exception):
                raise result

    async def _inject_later(self, fault: Object) -> None:
        await self._target.clock.sleep(parse_duration(fault["at"]))
        fault_id = await self._inject(fault)
        if "for" in fault:
            await self._mend_later(fault_id, fault)

    async def _mend_later(self, fault_id: str, fault: Object) -> None:
        await self._target.clock.sleep(parse_duration(fault["for"]))
        await self._mend(fault_id)

    async def _inject(self, fault: Object) -> str:
        wish = {name: value for name, value in fault.items() if name not in _TIMING}
        answer = await self._target.client.request("POST", FAULTS_PATH, body=wish)
        fault_id: str = answer["id"]
        self._in_force[fault_id] = fault
        self._timeline.note(f"fault {shorten(wish)}")
        return fault_id

    async def _mend(self, fault_id: str) -> None:
        await self._target.client.request("POST", FAULTS_PATH, body={"remove": fault_id})
        fault = self._in_force.pop(fault_id)
        self._timeline.note(f"fault {fault['type']} removed")
