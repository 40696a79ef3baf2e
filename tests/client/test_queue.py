"""A work queue gives each key once, to one worker at a time, in order of arrival."""

import pytest

from svcsim.client.queue import WorkQueue
from svcsim.clock import Clock
from tests.virtual import START_S


@pytest.mark.virtual_time
async def test_a_key_added_often_comes_once_and_in_order_of_arrival():
    queue: WorkQueue[str] = WorkQueue(Clock(START_S))
    for key in ("b", "a", "b", "c", "a"):
        queue.add(key)
    assert [await queue.get() for _ in range(3)] == ["b", "a", "c"]
    assert len(queue) == 0


@pytest.mark.virtual_time
async def test_a_key_added_while_in_work_comes_again_when_that_is_done():
    queue: WorkQueue[str] = WorkQueue(Clock(START_S))
    queue.add("a")
    await queue.get()
    queue.add("a")
    queue.add("a")
    assert len(queue) == 0
    queue.done("a")
    assert len(queue) == 1
    await queue.get()
    queue.done("a")
    assert len(queue) == 0


@pytest.mark.virtual_time
async def test_a_delayed_key_comes_at_the_earliest_of_its_moments():
    clock = Clock(START_S)
    queue: WorkQueue[str] = WorkQueue(clock)
    queue.add_after("a", 60)
    queue.add_after("a", 10)
    queue.add_after("a", 30)
    await queue.get()
    assert clock.now() - START_S == 10
    queue.done("a")
    await clock.sleep(100)
    assert len(queue) == 0


@pytest.mark.virtual_time
async def test_failures_wait_twice_as_long_each_time_until_forgotten():
    clock = Clock(START_S)
    queue: WorkQueue[str] = WorkQueue(clock, first_s=1, longest_s=5)
    waited = []
    for attempt in range(5):
        before = clock.now()
        if attempt == 4:
            queue.forget("a")
        queue.retry("a")
        await queue.get()
        queue.done("a")
        waited.append(round(clock.now() - before))
    assert waited == [1, 2, 4, 5, 1]
