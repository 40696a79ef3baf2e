"""Slices of many at a time: a few in each turn of the event loop, each in its turn."""

import asyncio

from svcsim.clock import turn
from svcsim.meta.slice_turns import SliceTurns


class Work:
    """What is done slice by slice, and who did when."""

    def __init__(self, a_turn: int) -> None:
        self.turns = SliceTurns(a_turn, 10)
        self.done: list[str] = []

    async def go_on(self, name: str, slices: int) -> None:
        for _ in range(slices):
            await self.turns.mine()
            self.done.append(name)

    async def each_turn(self, *tasks: asyncio.Task[None]) -> list[int]:
        """How many slices each turn of the event loop had, those without any left out."""
        found = []
        while not all(task.done() for task in tasks):
            before = len(self.done)
            await turn()
            found.append(len(self.done) - before)
        return [count for count in found if count]


async def test_a_few_go_on_in_one_turn_however_many_there_are():
    work = Work(2)
    tasks = [asyncio.create_task(work.go_on(name, 3)) for name in "abcdefg"]
    assert set(await work.each_turn(*tasks)) <= {1, 2}
    assert "".join(work.done) == "aaa" + "bcdefg" * 3, "the first found nobody; of the others nobody comes twice before all have once"


async def test_one_alone_waits_for_nobody():
    work = Work(1)
    task = asyncio.create_task(work.go_on("a", 3))
    assert await work.each_turn(task) == [1, 1, 1]
    await work.turns.mine()
    assert not work.turns._waiting


async def test_who_has_gone_keeps_nobody_waiting():
    work = Work(1)
    tasks = [asyncio.create_task(work.go_on(name, 2)) for name in "abcd"]
    await turn()
    for gone in tasks[1:3]:
        gone.cancel()
    await asyncio.wait(tasks)
    assert work.done == ["a", "a", "d", "d"]


async def test_who_does_something_else_meanwhile_keeps_nobody_waiting():
    work = Work(1)
    await work.turns.mine()  # and then reads nothing, for ever
    await work.go_on("a", 2)
    assert work.done == ["a", "a"]


async def test_of_short_slices_as_many_go_together_as_make_a_full_one():
    turns = SliceTurns(2, 10)
    done: list[int] = []

    async def go_on(records: int) -> None:
        await turns.mine()
        turns.used(records)
        done.append(records)

    for records, together in ((1, 20), (5, 4), (10, 2), (100, 2)):
        tasks = [asyncio.create_task(go_on(records)) for _ in range(together)]
        await turn()
        assert len(done) == together
        done.clear()
        await asyncio.wait(tasks)
        await turn()
