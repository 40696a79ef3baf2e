"""Which timers go off, and when."""

from svcsim.timers import Timer, Timers


def timers_of(*given: tuple[float, float]) -> Timers:
    timers = Timers()
    for due, slack in given:
        timers.add(Timer(due, slack, print, ()))
    return timers


def taken(timers: Timers, moment: float, *, all_due: bool = False) -> list[float]:
    return [timer.due for timer in timers.take_moment(moment, all_due=all_due)]


def test_by_their_time_alone_slack_counts_for_nothing() -> None:
    timers = timers_of((3, 0), (1, 10), (2, 0))
    due = []
    while (timer := timers.take_due(2)) is not None:
        due.append(timer.due)
    assert (due, timers.next_due()) == ([1, 2], 3)


def test_the_next_moment_is_when_the_first_cannot_wait_any_longer() -> None:
    timers = timers_of((1, 10), (4, 2), (20, 0))
    assert timers.next_moment() == 6
    assert taken(timers, 6) == [1, 4]
    assert timers.next_moment() == 20


def test_those_that_can_wait_let_the_others_go() -> None:
    timers = timers_of((1, 10), (2, 0), (2, 5), (2, 0))
    assert taken(timers, 2) == [2, 2]
    assert timers.next_moment() == 7
    assert taken(timers, 3, all_due=True) == [1, 2]


def test_one_that_is_set_later_comes_in_its_turn() -> None:
    timers = timers_of((5, 10), (9, 0))
    assert timers.next_moment() == 9
    timers.add(Timer(1, 2, print, ()))
    assert timers.next_moment() == 3
    assert taken(timers, 3) == [1]
    assert taken(timers, 9) == [9]
    timers.wait_no_more()
    assert timers.next_due() == 5


def test_a_cancelled_one_is_due_no_more() -> None:
    timers = Timers()
    timer = Timer(1, 0, print, ())
    timers.add(timer)
    timer.cancel()
    assert timers.next_moment() == float("inf")
