"""Workers are started as there is work for them, and work in the order in which keys come."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from contextvars import ContextVar

import pytest

from svcsim import limits
from svcsim.client.queue import WorkQueue
from svcsim.client.workers import Workers
from svcsim.clock import Clock, turn
from tests.virtual import START_S

pytestmark = pytest.mark.virtual_time
ASKED_BY = ContextVar("asked_by", default="nobody")


class Working:
    """Works on each key until told to go on, and notes what it began with, and as whose."""

    def __init__(self) -> None:
        self.queue: WorkQueue[str] = WorkQueue(Clock(START_S))
        self.began: list[str] = []
        self.asked_by: list[str] = []
        self.go_on = asyncio.Event()

    async def work(self, key: str) -> None:
        self.began.append(key)
        self.asked_by.append(ASKED_BY.get())
        await self.go_on.wait()
        self.queue.done(key)

    async def rest(self) -> None:
        await self.queue._clock.sleep(0.001)


@asynccontextmanager
async def at_work(working: Working, most: int, work: Callable[[str], Awaitable[None]] | None = None) -> AsyncIterator[None]:
    async with Workers(working.queue, work or working.work, most, "worker").at_work():
        yield
        for task in workers():
            task.cancel()


def workers() -> list[asyncio.Task]:
    return [task for task in asyncio.all_tasks() if task.get_name().startswith("worker ")]


async def test_there_are_as_many_workers_as_there_was_work_for_at_a_time():
    working = Working()
    working.go_on.set()
    async with at_work(working, 5):
        assert workers() == []
        for key in "abc":
            working.queue.add(key)
            await working.rest()
        assert len(workers()) == 1
        for key in "def":
            working.queue.add(key)
        await working.rest()
        assert len(workers()) == 3
    assert working.began == list("abcdef")


async def test_there_are_never_more_than_there_may_be_and_keys_wait_in_the_order_they_came():
    working = Working()
    for key in "abc":
        working.queue.add(key)
    async with at_work(working, 2):
        await working.rest()
        assert (len(workers()), working.began) == (2, ["a", "b"])
        working.queue.add("d")
        await working.rest()
        assert (len(workers()), working.began) == (2, ["a", "b"])
        working.go_on.set()
        await working.rest()
        assert (len(workers()), working.began) == (2, ["a", "b", "c", "d"])


async def test_keys_are_begun_with_in_the_turn_in_which_workers_that_wait_would():
    working, turns = Working(), []

    async def work(key: str) -> None:
        turns.append(key)
        await working.go_on.wait()

    async with at_work(working, 5, work):
        for key in ("a", "b"):
            working.queue.add(key)
            asyncio.get_running_loop().call_soon(turns.append, f"after {key}")
        await working.rest()
    assert turns == ["a", "after a", "b", "after b"]


async def test_a_worker_has_nothing_of_whoever_adds_a_key():
    working = Working()
    async with at_work(working, 1):
        ASKED_BY.set("somebody")
        working.queue.add("a")
        await working.rest()
    assert working.asked_by == ["nobody"]


async def test_no_worker_is_started_once_the_work_is_over():
    working = Working()
    async with at_work(working, 1):
        pass
    working.queue.add("a")
    await working.rest()
    assert (workers(), working.began, len(working.queue)) == ([], [], 1)


async def test_others_have_their_turn_while_there_is_nothing_to_be_done_for_many_keys():
    working, turns = Working(), 0

    async def nothing(key: str) -> None:
        working.began.append(key)
        working.queue.done(key)

    async with at_work(working, 1, nothing):
        for number in range(10 * limits.KEYS_A_TURN):
            working.queue.add(str(number))
        while len(working.began) < 10 * limits.KEYS_A_TURN:
            await turn()
            turns += 1
    assert turns >= 10
