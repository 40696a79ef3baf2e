"""How fast a cluster's time goes: pure arithmetic of the event loop's seconds and the cluster's."""

import pytest

from svcsim.pace import Pace


def test_time_goes_as_asked_and_says_when_it_gets_where() -> None:
    pace = Pace(1000, 5, 10)
    assert (pace.at(5), pace.at(6), pace.when(1010), pace.reached(6)) == (1000, 1010, 6, 10)


def test_held_time_goes_on_as_fast_as_the_machines_alone() -> None:
    pace = Pace(1000, 5, 100, held=True)
    pace.bound_s = 1010
    assert [pace.at(5.05), pace.at(5.1)] == [1005, 1010]
    pace.hold(1010, 5.1)
    assert [pace.at(5.1), pace.at(6.1), pace.when_by_machine(1012)] == pytest.approx([1010, 1011, 7.1])
    pace.let_go(6.1)
    pace.bound_s = 2000
    assert pace.at(6.2) == pytest.approx(1021.5), "but for five milliseconds what was lost is lost"


def test_a_timer_that_was_a_little_late_costs_nothing() -> None:
    pace = Pace(0, 0, 100, held=True)
    pace.bound_s = 10
    pace.hold(10, 0.102)
    pace.let_go(0.102)
    pace.bound_s = 1000
    assert pace.at(0.2) == pytest.approx(20)


def test_held_time_never_goes_back() -> None:
    pace = Pace(0, 0, 1000, held=True)
    seen = [0.0]
    for turn in range(1, 200):
        loop_s = turn * 0.013
        seen.append(pace.at(loop_s))
        if turn % 3 == 0:
            pace.hold(pace.at(loop_s), loop_s)
            seen.append(pace.at(loop_s))
        if turn % 3 == 2:
            pace.let_go(loop_s)
            pace.bound_s = seen[-1] + turn
            seen.append(pace.at(loop_s))
    assert seen == sorted(seen)
    assert seen[-1] > 1000


def test_the_speed_that_is_reached_is_that_of_late() -> None:
    pace = Pace(0, 0, 100, held=True)
    moment = 0
    for second in range(1, 31):
        moment += 80 if second <= 15 else 20
        pace.bound_s = moment
        pace.hold(moment, second)
        pace.let_go(second)
    assert pace.reached(30) == pytest.approx(20)
