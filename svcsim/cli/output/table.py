"""Printing the Tables a server sends: the human-readable form of ``get``.

The server says the columns and the cells; what is added here is what the user asked for: namespace, kind, labels, the event's type.
"""

from typing import NamedTuple

from svcsim.meta.objects import labels_of, namespace_of, pairs_text
from svcsim.meta.types import Json, Object
from svcsim.printing.tabs import TabWriter, escape
from svcsim.printing.values import plain

Columns = list[Object]


class TableOptions(NamedTuple):
    """What the user asked for."""

    wide: bool = False
    no_headers: bool = False
    with_namespace: bool = False
    show_labels: bool = False
    label_columns: tuple[str, ...] = ()
    kind: str = ""
    """Printed before each name, as in ``pod/web``, where several types are shown."""


class TablePrinter:
    """Prints tables of one type, one below the other under one header."""

    def __init__(self, options: TableOptions) -> None:
        self._options = options
        self._columns: Columns = []
        self._header_done = False

    def print(self, table: Object, tabs: TabWriter, event: str = "") -> None:
        """Add a table's rows to ``tabs``, with a header if there was none for these columns yet."""
        columns: Columns = table.get("columnDefinitions") or self._columns
        rows: list[Object] = table.get("rows") or []
        if columns != self._columns:
            self._columns = columns
            self._header_done = False
        shown = [i for i, column in enumerate(columns) if self._options.wide or not column.get("priority")]
        if rows and not self._header_done:
            self._header_done = True
            if not self._options.no_headers:
                tabs.line(self._header(columns, shown, event))
        name_index = next(
            (i for i, column in enumerate(columns) if column.get("format") == "name" and column.get("type") == "string"), None
        )
        for row in rows:
            tabs.line(self._row(row, shown, name_index, event))

    def _header(self, columns: Columns, shown: list[int], event: str) -> list[str]:
        options = self._options
        before = [*(["EVENT"] if event else []), *(["NAMESPACE"] if options.with_namespace else [])]
        labels = [key.rpartition("/")[2].upper() for key in options.label_columns]
        return before + [_cell(columns[i]["name"].upper()) for i in shown] + labels + (["LABELS"] if options.show_labels else [])

    def _row(self, row: Object, shown: list[int], name_index: int | None, event: str) -> list[str]:
        options = self._options
        obj: Object = row.get("object") or {}
        values: list[Json] = row.get("cells") or []
        cells = [event] if event else []
        if options.with_namespace:
            cells.append(escape(namespace_of(obj)))
        for index in shown:
            if index >= len(values):
                continue  # a server that sends too few cells is no reason to fail
            text = _cell(values[index])
            cells.append(f"{options.kind}/{text}" if options.kind and index == name_index else text)
        labels = labels_of(obj)
        cells += [escape(labels.get(key, "")) for key in options.label_columns]
        if options.show_labels:
            cells.append(escape(format_labels(labels)))
        return cells


def _cell(value: Json) -> str:
    if value is None:
        return ""
    if not isinstance(value, str):
        return escape(plain(value))
    end = next((i for i, char in enumerate(value) if char in "\f\n\r"), None) if not value.isprintable() else None
    return escape(value) if end is None else escape(value[:end]) + "..."


def format_labels(labels: dict[str, str]) -> str:
    """``a=1,b=2``, or ``<none>``."""
    return pairs_text(labels) or "<none>"
