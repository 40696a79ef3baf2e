"""Rows: what a server's table says, read once when it comes in.

Only what is shown, sorted, filtered or acted on is kept of a row; the object's metadata that came with it is let go.
"""

from typing import NamedTuple

from svcsim.meta.events import SECOND_NS, named_ns
from svcsim.meta.times import human_duration, parse_time
from svcsim.meta.types import Json, Object
from svcsim.tui.model.cells import Cell, Moment, Since, parse_age, parse_since, text_cell
from svcsim.tui.model.ink import Ink
from svcsim.tui.model.tones import Toner

_SINCE_CREATION = "Age"
_COUNTED = "Restarts"
"""A column that may say how long ago the last was."""
_TICKING = ("Last Seen", "First Seen", "Last Schedule")
"""Columns whose ages go on while nothing happens; others, such as a duration, stand still."""


class RowKey(NamedTuple):
    """Which object a row is of."""

    namespace: str
    name: str


class Row(NamedTuple):
    """One object in a table. ``haystack`` is what the text filter looks into."""

    key: RowKey
    uid: str
    cells: tuple[Cell, ...]
    ink: Ink
    haystack: str


class Column(NamedTuple):
    """A column as the server defines it."""

    name: str
    wide: bool
    """Shown only where everything is asked for."""
    is_name: bool


class RowReader:
    """Reads the rows of one table."""

    def __init__(self, definitions: list[Object]) -> None:
        self.columns = tuple(
            Column(text_cell(definition.get("name")), bool(definition.get("priority")), definition.get("format") == "name")
            for definition in definitions
        )
        self._toner = Toner([column.name for column in self.columns])

    def read(self, row: Object, now: float) -> Row:
        """A row, which came in at that moment of the cluster's time."""
        meta: Object = (row.get("object") or {}).get("metadata") or {}
        values: list[Json] = row.get("cells") or []
        texts = [text_cell(value) for value in values[: len(self.columns)]]
        texts += [""] * (len(self.columns) - len(texts))
        key = RowKey(meta.get("namespace") or "", meta.get("name") or "")
        cells = tuple(self._cell(column, text, meta, now) for column, text in zip(self.columns, texts, strict=True))
        stack = [f"{key.namespace}/{key.name}", *(cell for cell in cells if isinstance(cell, str))]
        return Row(key, meta.get("uid") or "", cells, self._toner.ink(texts), "\n".join(stack).lower())

    @staticmethod
    def _cell(column: Column, text: str, meta: Object, now: float) -> Cell:
        if column.name == _SINCE_CREATION and meta.get("creationTimestamp"):
            return Moment(parse_time(meta["creationTimestamp"]))
        if column.name in _TICKING and (age := parse_age(text)) is not None:
            return Moment(_moment(age, meta.get("name") or "", now))
        if column.name == _COUNTED and (since := parse_since(text)) is not None:
            return Since(since[0], now - since[1])
        return text


def _moment(age_s: float, name: str, now: float) -> float:
    """When that was which a table says was so long ago; what the name of an event tells is more exact, where it tells the same."""
    named = named_ns(name) / SECOND_NS
    told_s = parse_age(human_duration(max(now - named, 0.0))) if named else None
    return named if told_s is not None and abs(told_s - age_s) <= 1 else now - age_s


def key_of(row: Object) -> RowKey:
    """Which object a server's row is of."""
    meta: Object = (row.get("object") or {}).get("metadata") or {}
    return RowKey(meta.get("namespace") or "", meta.get("name") or "")
