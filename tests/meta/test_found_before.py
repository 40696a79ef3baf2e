"""What has been found out about a value is known of all that are spelled alike, as long as there is room for it."""

import pytest

from svcsim import limits
from svcsim.meta.found_before import FoundBefore
from svcsim.meta.types import Json


class Counting:
    """Finds how many items a list has, and notes what it was asked about."""

    def __init__(self) -> None:
        self.asked: list[Json] = []

    def __call__(self, value: list[Json]) -> int:
        self.asked.append(value)
        return len(value)


def test_values_that_are_spelled_alike_are_looked_at_once() -> None:
    counting = Counting()
    count = FoundBefore(counting)
    assert [count([{"a": 1}]), count([{"a": 1}]), count([{"a": 1}, 2])] == [1, 1, 2]
    assert counting.asked == [[{"a": 1}], [{"a": 1}, 2]]


def test_values_that_python_takes_for_the_same_are_not() -> None:
    counting = Counting()
    count = FoundBefore(counting)
    for value in ([1], [1.0], [True], ["1"]):
        count(value)
    assert len(counting.asked) == 4


def test_that_nothing_was_found_is_known_too() -> None:
    counting = Counting()
    count = FoundBefore(counting)
    assert [count([]), count([])] == [0, 0]
    assert counting.asked == [[]]


def test_the_oldest_makes_room(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "FOUND_BEFORE_BYTES", 100)
    counting = Counting()
    count = FoundBefore(counting)
    one, other, third = ["a" * 40], ["b" * 40], ["c" * 40]
    for value in (one, other, third, third, other, one):
        count(value)
    assert counting.asked == [one, other, third, one]


def test_what_is_longer_than_the_room_is_not_kept_and_takes_nobody_s_place(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "FOUND_BEFORE_BYTES", 100)
    counting = Counting()
    count = FoundBefore(counting)
    short, long = ["a"], ["b" * 100]
    for value in (short, long, long, short):
        count(value)
    assert counting.asked == [short, long, long]
