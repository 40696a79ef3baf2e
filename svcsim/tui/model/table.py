"""The rows of a table: stored by object, filtered, and kept in order.

What passes the filter stands in one sorted list of (what it is sorted by, which object it is). A change finds its place there by
bisection, so that a hundred changes among ten thousand rows cost a hundred times fourteen comparisons; only a new filter, a new order or
a whole new collection goes through all rows.
"""

from bisect import bisect_left, insort
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from svcsim import limits
from svcsim.tui.model.cells import SortKey, sort_key, width_of
from svcsim.tui.model.filter import TextFilter
from svcsim.tui.model.rows import Column, Row, RowKey

_REBUILD_SHARE = 4
"""From one change in so many rows on, sorting anew is quicker than inserting one by one."""


class Sort(NamedTuple):
    """An order: by a column, or by namespace and name for None."""

    column: int | None = None
    descending: bool = False


class TableModel:
    """What one table shows. ``len`` is how many rows pass the filter."""

    def __init__(self, limit: int = limits.DASHBOARD_ROWS) -> None:
        self.columns: tuple[Column, ...] = ()
        self.widths: list[int] = []
        """Terminal columns each column's widest cell took so far. They only grow, so that nothing is ever measured again."""
        self.namespace_width = 0
        self.sort = Sort()
        self.filter_text = ""
        self.left_out = 0
        """Objects that are not kept because there are too many."""
        self._limit = limit
        self._filter = TextFilter()
        self._rows: dict[RowKey, Row] = {}
        self._places: dict[RowKey, SortKey] = {}
        self._order: list[tuple[SortKey, RowKey]] = []

    def __len__(self) -> int:
        return len(self._order)

    @property
    def total(self) -> int:
        """All rows, whether they pass the filter or not."""
        return len(self._rows)

    def row_at(self, index: int) -> Row:
        """The row at a place of the shown order."""
        return self._rows[self._order[-1 - index if self.sort.descending else index][1]]

    def key_at(self, index: int) -> RowKey:
        """Which object stands at a place of the shown order."""
        return self._order[-1 - index if self.sort.descending else index][1]

    def get(self, key: RowKey) -> Row | None:
        """A row by its object."""
        return self._rows.get(key)

    def index_of(self, key: RowKey) -> int | None:
        """At which place of the shown order an object stands; None if it isn't shown."""
        place = self._places.get(key)
        if place is None:
            return None
        index = bisect_left(self._order, (place, key))
        return len(self._order) - 1 - index if self.sort.descending else index

    def replace(self, columns: tuple[Column, ...], rows: Iterable[Row]) -> None:
        if columns != self.columns:
            self.columns = columns
            self.widths = [len(column.name) + 1 for column in columns]  # room for the mark of the order
            self.namespace_width = len("Namespace")
        self._rows = {}
        self.left_out = 0
        for row in rows:
            self._store(row)
        self._rebuild()

    def apply(self, changes: Mapping[RowKey, Row | None]) -> None:
        """Take in changes: an object's row as it is now, None for one that is gone."""
        if len(changes) * _REBUILD_SHARE > len(self._rows):
            for key, row in changes.items():
                self._change(key, row)
            self._rebuild()
            return
        for key, row in changes.items():
            place = self._places.pop(key, None)
            if place is not None:
                del self._order[bisect_left(self._order, (place, key))]
            self._change(key, row)
            if row is not None and key in self._rows and self._filter.matches(row.haystack):
                place = self._places[key] = self._place(row)
                insort(self._order, (place, key))

    def set_filter(self, text: str) -> None:
        """Show only rows that pass."""
        if text != self.filter_text:
            self.filter_text = text
            self._filter = TextFilter.parse(text)
            self._rebuild()

    def set_sort(self, sort: Sort) -> None:
        """Show the rows in another order."""
        anew = sort.column != self.sort.column
        self.sort = sort
        if anew:
            self._rebuild()

    def _change(self, key: RowKey, row: Row | None) -> None:
        if row is not None:
            self._store(row)
        elif self._rows.pop(key, None) is None and self.left_out:
            self.left_out -= 1

    def _store(self, row: Row) -> None:
        if row.key not in self._rows and len(self._rows) >= self._limit:
            self.left_out += 1
            return
        self._rows[row.key] = row
        self.widths = list(map(max, self.widths, map(width_of, row.cells)))
        self.namespace_width = max(self.namespace_width, len(row.key.namespace))

    def _place(self, row: Row) -> SortKey:
        column = self.sort.column
        return sort_key(row.cells[column]) if column is not None and column < len(row.cells) else ()

    def _rebuild(self) -> None:
        matches, place = self._filter.matches, self._place
        self._places = {key: place(row) for key, row in self._rows.items() if matches(row.haystack)}
        self._order = sorted((place, key) for key, place in self._places.items())
