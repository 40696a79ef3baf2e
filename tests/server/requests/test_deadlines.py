"""An end to waiting: for each who waits at the same age, and for nobody else."""

import asyncio

import pytest

from svcsim.clock import Clock
from svcsim.server.requests.deadlines import Deadlines
from tests.virtual import START_S

pytestmark = pytest.mark.virtual_time


async def pause(seconds: float) -> None:
    await Clock(START_S).sleep(seconds)


async def after(seconds: float) -> str:
    await pause(seconds)
    return "done"


async def outcome(deadlines: Deadlines, begins_s: float, lasts_s: float) -> tuple[str, float]:
    """What came of it, and how long it took."""
    await pause(begins_s)
    began_s = asyncio.get_running_loop().time()
    try:
        told = await deadlines.within(after(lasts_s))
    except TimeoutError:
        told = "too long"
    return told, asyncio.get_running_loop().time() - began_s


async def test_everybody_is_given_the_same_time() -> None:
    deadlines = Deadlines(10.0)
    waits = [(0.0, 5.0), (1.0, 20.0), (2.0, 9.5), (2.0, 20.0), (7.0, 20.0), (30.0, 20.0), (30.0, 1.0)]
    found = await asyncio.gather(*(outcome(deadlines, *one) for one in waits))
    assert [(told, round(seconds, 3)) for told, seconds in found] == [
        ("done", 5.0) if lasts == 5.0 else ("done", lasts) if lasts < 10 else ("too long", 10.0) for _, lasts in waits
    ]


async def test_one_who_waits_within_his_own_waiting_has_both_ends() -> None:
    outer, inner = Deadlines(10.0), Deadlines(3.0)

    async def nested() -> str:
        try:
            return await inner.within(after(20.0))
        except TimeoutError:
            return await outer.within(after(20.0))

    began_s = asyncio.get_running_loop().time()
    with pytest.raises(TimeoutError):
        await outer.within(nested())
    assert asyncio.get_running_loop().time() - began_s == pytest.approx(10.0)
    assert await outer.within(after(1.0)) == "done", "nothing of it is left on the task"


async def test_who_is_cancelled_by_somebody_else_is_cancelled() -> None:
    deadlines = Deadlines(10.0)
    task = asyncio.create_task(outcome(deadlines, 0.0, 20.0))
    await pause(5.0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    both = asyncio.create_task(outcome(deadlines, 0.0, 20.0))
    asyncio.get_running_loop().call_later(10.0, both.cancel)
    with pytest.raises(asyncio.CancelledError):
        await both


async def test_other_failures_pass_and_nothing_stays_behind() -> None:
    deadlines = Deadlines(10.0)

    async def fails() -> None:
        await pause(1.0)
        raise LookupError("gone")

    with pytest.raises(LookupError, match="gone"):
        await deadlines.within(fails())
    assert deadlines._timer is None
    await pause(60.0)
