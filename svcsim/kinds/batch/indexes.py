"""Indexes of a job as text: ``1,3-5``, in order, each once."""

import re
from collections.abc import Iterator

from svcsim.meta.quoting import quoted

_NUMBER = re.compile(r"[+-]?[0-9]{1,18}\Z")


class IndexesError(Exception):
    """Why a text doesn't spell indexes."""


def parse_indexes(text: str, completions: int) -> list[range]:
    """The intervals that a text spells, of indexes below ``completions``. Raises `IndexesError`."""
    found: list[range] = []
    for part in text.split(",") if text else ():
        interval = _interval(part, completions)
        if found and found[-1][-1] >= interval[0]:
            raise IndexesError(f"non-increasing order, previous: {found[-1][-1]}, current: {interval[0]}")
        found.append(interval)
    return found


def count_of(intervals: list[range]) -> int:
    return sum(map(len, intervals))


def first_in_both(some: str, others: str, completions: int) -> int | None:
    """The lowest index that is in both texts; what can't be read is in none."""
    left, right = list(_readable(some, completions)), list(_readable(others, completions))
    here = there = 0
    while here < len(left) and there < len(right):
        one, other = left[here], right[there]
        if one[0] <= other[-1] and other[0] <= one[-1]:
            return max(one[0], other[0])
        if one[0] <= other[0]:
            here += 1
        else:
            there += 1
    return None


def _readable(text: str, completions: int) -> Iterator[range]:
    for part in text.split(",") if text else ():
        try:
            yield _interval(part, completions)
        except IndexesError:
            continue


def _interval(part: str, completions: int) -> range:
    limits = part.split("-")
    if len(limits) > 2:
        rule = "an index interval can have at most two parts separated by '-'"
        raise IndexesError(f"the fragment {quoted(part)} violates the requirement that {rule}")
    first, last = _index(limits[0], completions), _index(limits[-1], completions)
    if len(limits) == 2 and first >= last:
        raise IndexesError(f"non-increasing order, previous: {first}, current: {last}")
    return range(first, last + 1)


def _index(text: str, completions: int) -> int:
    if not _NUMBER.match(text):
        raise IndexesError(f"cannot convert string to integer for index: {quoted(text)}")
    if int(text) >= completions:
        raise IndexesError(f"too large index: {quoted(text)}")
    return int(text)
