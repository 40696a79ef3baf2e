"""A few things at a time: in their order, each as soon as there is room, and none after a failure."""

import asyncio

import pytest

from svcsim.clock import turn
from svcsim.meta.side_by_side import side_by_side


async def test_a_few_are_worked_on_at_a_time_and_told_in_their_order():
    under_way: list[int] = []
    most = 0

    async def work(item: int) -> int:
        nonlocal most
        under_way.append(item)
        most = max(most, len(under_way))
        for _ in range(10 - item):
            await turn()
        under_way.remove(item)
        return -item

    assert await side_by_side(range(10), work, 3) == [-item for item in range(10)]
    assert most == 3
    assert await side_by_side([], work, 3) == []


async def test_one_that_takes_long_keeps_none_behind_it_waiting():
    over = asyncio.Event()

    async def work(item: int) -> int:
        if item == 0:
            await over.wait()
        elif item == 9:
            over.set()
        return item

    assert await side_by_side(range(10), work, 2) == list(range(10))


async def test_after_a_failure_nothing_more_is_begun():
    begun: list[int] = []
    ended: list[int] = []

    async def work(item: int) -> None:
        begun.append(item)
        await turn()
        if item == 1:
            raise ValueError(item)
        await turn()
        ended.append(item)

    with pytest.raises(ValueError, match="1"):
        await side_by_side(range(10), work, 3)
    assert (begun, ended) == ([0, 1, 2], [0, 2])
