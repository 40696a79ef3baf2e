"""The time of a cluster that is up, as a run goes by it: who runs that cluster may pause its clock, step it or let it go on meanwhile."""

import asyncio
from collections.abc import Callable

from svcsim import limits
from svcsim.client import paths
from svcsim.client.api import Client
from svcsim.clock import Clock, loop_sleep
from svcsim.meta.errors import StatusError
from svcsim.meta.times import parse_time
from svcsim.meta.types import Object


class ClusterClock:
    """Keeps a clock of the run's own where the cluster's is."""

    def __init__(self, client: Client, state: Object, on_standing: Callable[[], None]) -> None:
        """``state`` is what the cluster has just said of its time; ``on_standing`` is called once, when it stands and nobody steps it."""
        self._client = client
        self._on_standing = on_standing
        self._pace: float = state["speed"]
        self.clock = Clock(parse_time(state["now"]), _reached(state))
        self.clock.set_speed(_reached(state))  # it runs from now on
        self._one_at_a_time = asyncio.Lock()

    @property
    def stands(self) -> bool:
        """The cluster's clock is paused."""
        return self.clock.speed == 0

    async def step(self, seconds: float) -> None:
        """Move the cluster's clock on, which stands, and ours with it."""
        await self._client.request("PUT", paths.CLOCK, body={"step": seconds})
        await self._go_along()

    async def follow(self) -> None:
        """Until it is cancelled, follow changes that others make to the cluster's clock."""
        stood_at: float | None = None
        try:
            while True:
                await loop_sleep(limits.FOLLOWED_CLOCK_EVERY_S)
                stands, before = await self._go_along(), stood_at
                stood_at = self.clock.now() if stands else None
                if stood_at is not None and stood_at == before:
                    self._on_standing()
                    self._on_standing = _nothing
        except (ConnectionError, StatusError):
            pass  # whoever follows the journal finds that too

    async def _go_along(self) -> bool:
        """Go where the cluster's clock is by now, at its pace; True where it stands, and nobody steps it."""
        async with self._one_at_a_time:
            state = await self._client.get_json(paths.CLOCK)
            changed, self._pace = state["speed"] != self._pace, state["speed"]
            if changed:
                self.clock.set_speed(0)
            if self.stands and (ahead_s := parse_time(state["now"]) - self.clock.now()) > 0:
                await self.clock.step(ahead_s)
            if changed:
                self.clock.set_speed(_reached(state))
            return self.stands and "steppingTo" not in state


def _reached(state: Object) -> float:
    """How fast time goes, which may be less than was asked for."""
    return float(state.get("reachedSpeed") or state["speed"])


def _nothing() -> None:
    """What is said once is said."""
