"""Own time is what a piece of work keeps the loop, and the work notices nothing of being timed."""

import asyncio

import pytest

from svcsim.client.own_time import Timed
from svcsim.clock import turn
from svcsim.wall import stopwatch


def keep_the_loop(seconds: float) -> None:
    until = stopwatch() + seconds
    while stopwatch() < until:
        pass


async def test_what_passes_while_it_waits_is_not_its_own():
    waits = asyncio.get_running_loop().create_future()

    async def others() -> None:
        keep_the_loop(0.05)
        waits.set_result("came")

    async def work() -> str:
        keep_the_loop(0.01)
        return await waits

    timed = Timed(work())
    asyncio.create_task(others())  # noqa: RUF006 - it is over before the work is
    started = stopwatch()
    assert await timed == "came"
    assert 0.01 <= timed.took_s <= stopwatch() - started - 0.05


async def test_errors_pass_both_ways():
    async def failing() -> None:
        raise ValueError("no")

    with pytest.raises(ValueError, match="no"):
        await Timed(failing())

    async def survivor() -> str:
        try:
            await asyncio.get_running_loop().create_future()
        except asyncio.CancelledError:
            await turn()
            return "tidied up"
        return "never"

    task = asyncio.create_task(_awaited(Timed(survivor())))
    await turn()
    task.cancel()
    assert await task == "tidied up"


async def _awaited(timed: Timed[str]) -> str:
    return await timed


async def test_work_that_is_given_up_is_closed():
    closed = []

    async def work() -> None:
        try:
            await asyncio.get_running_loop().create_future()
        finally:
            closed.append(True)

    steps = Timed(work()).__await__()
    next(steps)
    steps.close()
    assert closed == [True]
