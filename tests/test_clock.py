"""A cluster's time, real and virtual."""

import asyncio
from collections.abc import Coroutine
from typing import TypeVar

import pytest

from svcsim.clock import Clock, ClockError, format_micro_time, format_time
from svcsim.virtual_loop import VirtualLoop, WallTimeoutError
from svcsim.wall import stopwatch
from tests.virtual import START_S

T = TypeVar("T")


@pytest.mark.virtual_time
async def test_a_day_of_virtual_time_passes_at_once() -> None:
    clock = Clock(START_S)
    began = stopwatch()
    await clock.sleep(86_400)
    assert stopwatch() - began < clock.now() - START_S
    assert (clock.now(), clock.timestamp()) == (START_S + 86_400, "2026-01-02T00:00:00Z")


@pytest.mark.virtual_time
async def test_timers_go_off_in_the_order_of_their_time_and_ties_in_the_order_they_were_set() -> None:
    clock, heard = Clock(START_S), []
    for seconds, name in ((2, "late"), (1, "first"), (1, "second"), (0.5, "early")):
        clock.call_later(seconds, heard.append, name)
    await clock.sleep(3)
    assert heard == ["early", "first", "second", "late"]


@pytest.mark.virtual_time
async def test_a_cancelled_timer_never_goes_off() -> None:
    clock, heard = Clock(START_S), []
    timer = clock.call_later(1, heard.append, "x")
    timer.cancel()
    timer.cancel()
    await clock.sleep(2)
    assert heard == []


@pytest.mark.virtual_time
async def test_a_cancelled_sleep_leaves_no_timer_behind() -> None:
    clock = Clock(START_S)
    sleeper = asyncio.create_task(clock.sleep(1000))
    await clock.turn()
    sleeper.cancel()
    await asyncio.gather(sleeper, return_exceptions=True)
    await clock.sleep(1)
    assert clock.now() == START_S + 1


@pytest.mark.virtual_time
async def test_a_time_out_is_in_cluster_time() -> None:
    clock = Clock(START_S)
    with pytest.raises(TimeoutError):
        async with clock.timeout(5):
            await clock.sleep(10)
    async with clock.timeout(5):
        await clock.sleep(1)
    assert clock.now() == START_S + 6


def test_a_paused_clock_stands_still_until_it_is_stepped() -> None:
    async def main() -> list[tuple[float, str]]:
        clock, heard = Clock(0.0, speed=0), []

        async def tick(every: float, name: str) -> None:
            while True:
                await clock.sleep(every)
                heard.append((clock.now(), name))

        tasks = [asyncio.create_task(tick(10, "ten")), asyncio.create_task(tick(25, "twenty-five"))]
        await clock.turn()
        await clock.step(5)
        assert heard == []
        await clock.step(25)
        assert clock.now() == 30
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        return heard

    with asyncio.Runner() as runner:
        assert runner.run(main()) == [(10.0, "ten"), (20.0, "ten"), (25.0, "twenty-five"), (30.0, "ten")]


@pytest.mark.virtual_time
async def test_a_clock_runs_at_the_pace_it_is_told_and_never_jumps_when_told_another() -> None:
    loop = asyncio.get_running_loop()
    assert isinstance(loop, VirtualLoop)
    clock = Clock(0.0, speed=10)
    clock.now()
    await clock.sleep(100)
    seen = [loop.time(), clock.now()]
    clock.set_speed(0.5)
    await clock.sleep(5)
    assert [*seen, loop.time(), clock.now()] == [10.0, 100.0, 20.0, 105.0]


@pytest.mark.virtual_time
async def test_a_timer_that_was_set_before_follows_a_change_of_pace() -> None:
    clock = Clock(0.0, speed=1)
    waiting = asyncio.create_task(clock.sleep(100))
    await clock.turn()
    clock.set_speed(100)
    await waiting
    assert asyncio.get_running_loop().time() == 1.0


def test_a_run_that_never_comes_to_rest_is_told() -> None:
    async def main() -> None:
        clock = Clock(START_S)
        while True:
            await clock.sleep(1)

    with pytest.raises(WallTimeoutError), asyncio.Runner(loop_factory=lambda: VirtualLoop(wall_s=0.05)) as runner:
        runner.run(main())


def test_a_run_that_waits_for_what_never_comes_is_told() -> None:
    with pytest.raises(WallTimeoutError), asyncio.Runner(loop_factory=lambda: VirtualLoop(wall_s=0.05)) as runner:
        runner.run(asyncio.Event().wait())


def test_times_are_written_as_the_api_has_them() -> None:
    assert format_time(START_S + 0.9) == "2026-01-01T00:00:00Z"
    assert format_micro_time(START_S + 0.25) == "2026-01-01T00:00:00.250000Z"


def run(main: Coroutine[None, None, T]) -> T:
    """Run on an event loop as a served cluster has it."""
    with asyncio.Runner() as runner:
        return runner.run(main)


def test_a_step_goes_on_only_when_what_was_due_is_done_however_many_turns_that_takes() -> None:
    async def main() -> list[float]:
        clock, ended = Clock(0.0, speed=0), []

        async def long_work() -> None:
            await clock.sleep(10)
            for _ in range(500):
                await clock.turn()
            ended.append(clock.now())

        clock.call_later(10.001, lambda: None)
        task = asyncio.create_task(long_work())
        await clock.turn()
        assert await clock.step(20)
        await task
        return ended

    assert run(main()) == [10.0]


def test_a_step_goes_on_only_when_what_is_under_way_elsewhere_has_come_back() -> None:
    async def main() -> list[float]:
        clock, ended = Clock(0.0, speed=0), []
        loop = asyncio.get_running_loop()

        def back() -> None:
            ended.append(clock.now())
            clock.work.end()

        def ask() -> None:
            clock.work.begin()
            loop.run_in_executor(None, loop.call_soon_threadsafe, back)

        for moment in (1, 1.5, 2):
            clock.call_later(moment, ask)
        await clock.step(20)
        return ended

    assert run(main()) == [1.0, 1.5, 2.0]


def test_a_clock_that_runs_or_is_being_stepped_is_not_stepped() -> None:
    async def main() -> None:
        with pytest.raises(ClockError, match="can be stepped: svcsim clock pause"):
            await Clock(0.0).step(1)
        clock = Clock(0.0, speed=0)
        with pytest.raises(ClockError, match="beyond the year 9999"):
            await clock.step(1e18)
        clock.work.begin()
        first = asyncio.create_task(clock.step(3600))
        await clock.turn()
        assert clock.target == 3600
        with pytest.raises(ClockError, match="stepped already, to 1970-01-01T01:00:00Z; to end that: svcsim clock pause"):
            await clock.step(1)
        clock.work.end()
        assert await first
        assert (clock.now(), clock.target) == (3600, None)

    run(main())


@pytest.mark.parametrize("by", ["cancelling it", "setting the speed"])
def test_a_step_that_is_ended_leaves_the_clock_at_a_moment_whose_work_is_done(by: str) -> None:
    async def main() -> None:
        clock, heard = Clock(0.0, speed=0), []

        def fifth() -> None:
            if by == "cancelling it":
                step.cancel()
            else:
                clock.set_speed(0)

        async def listen() -> None:
            for _ in range(10):
                await clock.sleep(10)
                heard.append(clock.now())

        clock.call_later(50, fifth)
        listener = asyncio.create_task(listen())
        await clock.turn()
        step = asyncio.create_task(clock.step(1e9))
        (ended,) = await asyncio.gather(step, return_exceptions=True)
        assert isinstance(ended, asyncio.CancelledError) if by == "cancelling it" else ended is False
        assert (clock.now(), clock.target, heard) == (50, None, [10, 20, 30, 40, 50])
        assert await clock.step(10), "and it can be stepped again from there"
        assert heard[-1] == 60
        listener.cancel()

    run(main())


def test_timers_with_slack_go_off_together_on_a_stepped_clock_and_at_their_time_on_a_running_one() -> None:
    async def stepped() -> list[tuple[float, str]]:
        clock, heard = Clock(0.0, speed=0), []
        for due, slack, timer in ((1, 5, "a"), (3, 5, "b"), (4, 0, "sharp"), (5.5, 5, "c"), (9, 5, "later")):
            clock.call_later(due, lambda name=timer: heard.append((clock.now(), name)), slack_s=slack)
        await clock.step(10)
        return heard

    assert run(stepped()) == [(4, "sharp"), (6, "a"), (6, "b"), (6, "c"), (10, "later")], "and nothing is overdue where the step ends"


@pytest.mark.parametrize("speed", [1000.0, 100.0])
def test_a_clock_that_is_sped_up_passes_no_moment_before_the_work_of_earlier_ones_is_done(speed: float) -> None:
    async def main() -> list[float]:
        clock, renewed, silent = Clock(0.0, speed=speed), [0.0], []
        loop = asyncio.get_running_loop()

        def commit() -> None:
            until = stopwatch() + 60 / speed
            while stopwatch() < until:
                pass
            loop.call_soon_threadsafe(committed)

        def committed() -> None:
            renewed.append(clock.now())
            clock.work.end()
            clock.call_later(10, renew, slack_s=20)

        def renew() -> None:
            clock.work.begin()
            loop.run_in_executor(None, commit)

        async def watch() -> None:
            while len(renewed) < 4:
                await clock.sleep(5)
                silent.append(clock.now() - renewed[-1])

        clock.call_later(10, renew, slack_s=20)
        await watch()
        return silent

    silent = run(main())
    assert len(silent) >= 6
    assert max(silent) <= 40


def test_time_that_is_held_by_work_goes_as_fast_as_the_machines() -> None:
    async def main() -> float:
        clock, heard = Clock(0.0, speed=1000), asyncio.Event()
        clock.work.begin()
        clock.call_later(0.05, heard.set)
        clock.call_later(7200, lambda: None)
        await heard.wait()
        heard.clear()
        clock.call_later(0.05, heard.set)
        began, at_work_from = stopwatch(), clock.now()
        await heard.wait()
        assert 0.05 <= clock.now() - at_work_from <= stopwatch() - began
        clock.work.end()
        clock.call_later(1800, heard.set)
        heard.clear()
        await heard.wait()
        return clock.now()

    assert 1800 < run(main()) < 3600


def test_a_change_of_speed_leaves_nothing_waiting_that_is_due() -> None:
    async def main() -> list[str]:
        clock, heard, sharp = Clock(0.0, speed=1000), [], asyncio.Event()
        clock.call_later(1, heard.append, "has slack", slack_s=100_000)
        clock.call_later(2, sharp.set)
        await sharp.wait()
        assert heard == []
        clock.set_speed(1)
        await clock.sleep(0.001)
        return heard

    assert run(main()) == ["has slack"]


def test_a_step_that_is_ended_by_speeding_up_ends() -> None:
    async def main() -> None:
        clock, reached = Clock(0.0, speed=0), asyncio.Event()
        clock.work.begin()
        step = asyncio.create_task(clock.step(3600))
        await clock.turn()
        clock.set_speed(1000)
        clock.call_later(0.5, reached.set)
        clock.work.end()
        assert not await step
        await reached.wait()

    run(main())


@pytest.mark.virtual_time
async def test_slack_is_for_steps_alone() -> None:
    clock = Clock(START_S)
    await clock.sleep(1, slack_s=10)
    assert clock.now() == START_S + 1


def test_a_clock_at_the_machines_pace_follows_a_machine_that_slept_and_never_goes_back() -> None:
    async def main() -> None:
        machine = [1000.0]
        clock = Clock(1500.0, machine=lambda: machine[0])
        heard: list[str] = []
        clock.call_later(3600, heard.append, "due while it slept")
        machine[0] += 8 * 3600
        clock.catch_up()
        assert round(clock.now()) == 1500 + 8 * 3600, "what it was ahead it still is"
        rang = asyncio.get_running_loop().create_future()
        clock.call_later(0, rang.set_result, None)
        await rang
        assert heard == ["due while it slept"]
        machine[0] -= 86_400
        clock.catch_up()
        assert round(clock.now()) == 1500 + 8 * 3600
        assert round(clock.ahead_s) == 500 + 86_400
        clock.set_speed(0)
        machine[0] += 7 * 86_400
        clock.catch_up()
        assert round(clock.now()) == 1500 + 8 * 3600, "one that stands still has nothing to follow"

    run(main())
