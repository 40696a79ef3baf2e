"""Remembering by identity."""

from svcsim.schema.identity import cached_by_identity


def test_equal_things_are_different_things():
    made = cached_by_identity(10)(lambda thing: [thing])
    first, second = {"a": 1}, {"a": 1}
    assert made(first) is made(first)
    assert made(first) is not made(second)


def test_the_oldest_is_forgotten_first():
    calls = []
    made = cached_by_identity(2)(calls.append)
    one, two, three = [1], [2], [3]
    for thing in (one, two, three, two, one):
        made(thing)
    assert calls == [one, two, three, one]
