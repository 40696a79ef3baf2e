"""Cells of a table: texts, and moments that are shown as ages.

A server's table says ages as texts (``5m30s``), which are old as soon as they arrive. What ticks is therefore kept as the moment it is
measured from, shown anew whenever it is drawn, and sorted by what it means.
"""

import re
from typing import NamedTuple, TypeAlias

from rich.cells import cell_len, set_cell_size

from svcsim.meta.times import human_duration
from svcsim.meta.types import Json
from svcsim.tui.model.ink import printable

MOMENT_WIDTH = 6
"""The longest an age gets: ``23h59m``."""

_AGE = re.compile(r"(?:(\d{1,6})y)?(?:(\d{1,6})d)?(?:(\d{1,6})h)?(?:(\d{1,6})m)?(?:(\d{1,6})s)?", re.ASCII)
_SINCE = re.compile(r"(\S+) \((\w+) ago\)", re.ASCII)
_UNITS_S = (365 * 86_400, 86_400, 3_600, 60, 1)
_PIECES = re.compile(r"\d{1,18}|\D+", re.ASCII)


class Moment(NamedTuple):
    """A point in the cluster's time, in seconds since the epoch."""

    at: float


class Since(NamedTuple):
    """A text and how long ago that was: ``7 (69s ago)``."""

    text: str
    at: float


Cell: TypeAlias = str | Moment | Since
SortKey: TypeAlias = tuple[tuple[int, float, str], ...]


def text_cell(value: Json) -> str:
    """A cell of the server's as one line of text."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    return printable(value if isinstance(value, str) else str(value))


def parse_age(text: str) -> float | None:
    """Seconds of an age as tables spell it; None for anything else."""
    match = _AGE.fullmatch(text)
    if match is None or not text:
        return None
    return float(sum(int(number) * unit for number, unit in zip(match.groups(), _UNITS_S, strict=True) if number))


def parse_since(text: str) -> tuple[str, float] | None:
    """A text and the seconds since then, of ``7 (69s ago)``; None for anything else."""
    match = _SINCE.fullmatch(text)
    age = parse_age(match[2]) if match else None
    return (match[1], age) if match and age is not None else None


def shown(cell: Cell, now: float) -> str:
    """A cell as text, at a moment of the cluster's time."""
    if isinstance(cell, str):
        return cell
    age = human_duration(max(now - cell.at, 0.0))
    return age if isinstance(cell, Moment) else f"{cell.text} ({age} ago)"


def sort_key(cell: Cell) -> SortKey:
    """What a cell is ordered by: ages by time, texts as people count, ``web-2`` before ``web-10``."""
    if isinstance(cell, Moment):
        return ((0, -cell.at, ""),)
    if isinstance(cell, Since):
        return sort_key(cell.text)
    return tuple(
        (0, float(piece), "") if piece[0].isdigit() and piece.isascii() else (1, 0.0, piece) for piece in _PIECES.findall(cell.lower())
    )


def width_of(cell: Cell) -> int:
    """Columns of the terminal that a cell takes."""
    if isinstance(cell, Moment):
        return MOMENT_WIDTH
    if isinstance(cell, Since):
        return width_of(cell.text) + len(" ( ago)") + MOMENT_WIDTH
    return len(cell) if cell.isascii() else cell_len(cell)


def fit(text: str, width: int) -> str:
    """The text in exactly so many columns of the terminal; an ellipsis stands for what is cut off."""
    if text.isascii():
        length = len(text)
        if length <= width:
            return text + " " * (width - length)
        return text[: width - 1] + "…" if width > 0 else ""
    if cell_len(text) <= width:
        return set_cell_size(text, width)
    return set_cell_size(text, width - 1) + "…" if width > 0 else ""
