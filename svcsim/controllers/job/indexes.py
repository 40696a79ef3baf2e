"""Completion indexes: read from a status, ``1,3-5``, and written there."""

from collections.abc import Iterable
from typing import TypeAlias

Indexes: TypeAlias = dict[int, None]
"""Indexes, each once. Not necessarily in order."""


def read_indexes(text: str, below: int) -> Indexes:
    """The indexes that a text spells, those of a job that has shrunk since left out."""
    found: Indexes = {}
    for part in text.split(",") if text else ():
        first, _, last = part.partition("-")
        if first.isdecimal() and (last or first).isdecimal():
            found.update(dict.fromkeys(range(int(first), min(int(last or first) + 1, below))))
    return found


def indexes_text(indexes: Iterable[int]) -> str:
    """Indexes as a text: three or more in a row as an interval."""
    parts: list[str] = []
    row: list[int] = []
    for index in sorted(indexes):
        if row and index != row[-1] + 1:
            parts.append(_row_text(row))
            row = []
        row.append(index)
    if row:
        parts.append(_row_text(row))
    return ",".join(parts)


def _row_text(row: list[int]) -> str:
    return f"{row[0]}-{row[-1]}" if len(row) > 2 else ",".join(map(str, row))
