"""Breaking things on purpose, on time, and mending them whatever happens.

The faults themselves live in the simulator; here is only when they come and go, and whether they did anything: a run in which what was
to be broken never broke says nothing, so it fails. Answers in the place of webhooks are held to the same.
"""

import asyncio

from svcsim.client import paths
from svcsim.meta.times import parse_duration
from svcsim.meta.types import Object
from svcsim.meta.webhook_faults import WEBHOOK_ANSWER
from svcsim.scenario.expectations import Failure
from svcsim.scenario.load import Position
from svcsim.scenario.matching import shorten
from svcsim.scenario.target_cluster import TargetCluster
from svcsim.scenario.timeline import Timeline

_TIMING = ("at", "for")


class _Injection:
    """One fault of the run: when it comes, and what came of it."""

    def __init__(self, fault: Object, position: Position) -> None:
        self.fault = fault
        self.position = position
        self.id = ""
        """What the simulator knows it by, while it is in force."""
        self.came = False
        self.struck: int | None = 0
        """None where it isn't known: the simulator had forgotten it before it was asked."""

    @property
    def vain(self) -> str:
        """What to say of it if it never did anything; nothing if it did, or need not."""
        fault = self.fault
        if self.struck != 0 or fault.get("missing") == "ignore":
            return ""
        if fault["type"] == WEBHOOK_ANSWER:
            return f"the webhook {shorten(fault['target'])} was never asked for an answer; if that may be, say missing: ignore"
        when = "" if self.came else f": the run ended before its time came (at: {fault.get('at', '0s')})"
        return f"the fault {fault['type']} on {shorten(fault['target'])} struck nothing{when}; if it may, say missing: ignore"


class Injections:
    """The faults of one run."""

    def __init__(self, target: TargetCluster, timeline: Timeline) -> None:
        self._target = target
        self._timeline = timeline
        self._planned: list[asyncio.Task[None]] = []
        self._injections: list[_Injection] = []

    async def plan(self, fault: Object, position: Position) -> None:
        """Let a fault come at once, or ``at`` so long from now, and go after ``for`` so long, or with the scenario."""
        injection = _Injection(fault, position)
        self._injections.append(injection)
        if "at" not in fault:
            await self._inject(injection)
            if "for" in fault:
                self._planned.append(asyncio.create_task(self._mend_later(injection)))
        else:
            self._planned.append(asyncio.create_task(self._inject_later(injection)))

    async def take_back(self) -> None:
        """Mend everything, and forget what was still to come. Raises what a fault that couldn't be injected raised."""
        for task in self._planned:
            task.cancel()
        results = await asyncio.gather(*self._planned, return_exceptions=True)
        self._planned.clear()
        for injection in self._injections:
            if injection.id:
                await self._mend(injection)
        for result in results:
            if isinstance(result, Exception):
                raise result

    def in_vain(self) -> tuple[Position, Failure] | None:
        """Where the first fault stands that struck nothing, and what there is to say of all such. To be asked once all are taken back."""
        vain = [injection for injection in self._injections if injection.vain]
        return (vain[0].position, Failure(vain[0].vain, [injection.vain for injection in vain[1:]])) if vain else None

    async def _inject_later(self, injection: _Injection) -> None:
        await self._target.clock.sleep(parse_duration(injection.fault["at"]))
        await self._inject(injection)
        if "for" in injection.fault:
            await self._mend_later(injection)

    async def _mend_later(self, injection: _Injection) -> None:
        await self._target.clock.sleep(parse_duration(injection.fault["for"]))
        await self._mend(injection)

    async def _inject(self, injection: _Injection) -> None:
        wish = {name: value for name, value in injection.fault.items() if name not in _TIMING}
        bound = {"heldBy": self._target.hold} if self._target.hold else {}
        answer = await self._target.client.request("POST", paths.FAULTS, body={**wish, **bound})
        injection.id, injection.came = answer["id"], True
        self._timeline.note(f"fault {shorten(wish)}")

    async def _mend(self, injection: _Injection) -> None:
        answer = await self._target.client.request("POST", paths.FAULTS, body={"remove": injection.id})
        injection.id, injection.struck = "", answer["struck"] if answer["removed"] else None
        self._timeline.note(f"fault {injection.fault['type']} removed")
