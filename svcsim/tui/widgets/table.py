"""The table: draws the rows in sight and knows which one is chosen.

The chosen row is an object, not a place: it stays chosen, and on its line of the screen, while others come and go around it.
"""

from typing import ClassVar

from textual import events
from textual.binding import Binding, BindingType
from textual.geometry import Size
from textual.message import Message
from textual.strip import Strip

from svcsim.tui.model.cells import Cell, Moment, fit, shown
from svcsim.tui.model.ink import Ink, Span, Spans
from svcsim.tui.model.layout import GAP, NARROWEST, NARROWEST_NAME, fit_widths, total_width
from svcsim.tui.model.rows import Row, RowKey
from svcsim.tui.model.table import TableModel
from svcsim.tui.widgets.lines import LineView

_NAMESPACE = -1
"""Stands for the namespace among the columns that are shown."""
_LINE_OF_TITLES = 1


class TableView(LineView):
    """Draws a `TableModel`. After changing the model, call `model_changed`."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up,k", "move(-1)", show=False),
        Binding("down,j", "move(1)", show=False),
        Binding("pageup,ctrl+b", "page(-1)", show=False),
        Binding("pagedown,ctrl+f", "page(1)", show=False),
        Binding("home,g", "move(-1000000)", show=False),
        Binding("end,G", "move(1000000)", show=False),
        Binding("left", "sideways(-10)", show=False),
        Binding("right", "sideways(10)", show=False),
    ]

    class Opened(Message):
        """A row was double-clicked."""

    class TitleClicked(Message):
        """The title of a column was clicked."""

        def __init__(self, column: int) -> None:
            super().__init__()
            self.column = column

    def __init__(self) -> None:
        super().__init__()
        self.model = TableModel()
        self.wide = False
        self.show_namespace = False
        self.now = 0.0
        """The cluster's time that ages are shown for."""
        self.nothing = ""
        """What to say where there are no rows."""
        self.cursor_key: RowKey | None = None
        self._cursor = 0
        self._shown: list[int] = []
        self._widths: list[int] = []

    # --- the chosen row ---

    @property
    def cursor_row(self) -> Row | None:
        """The chosen row; None in an empty table."""
        return self.model.row_at(self._cursor) if self._cursor < len(self.model) else None

    def choose(self, index: int) -> None:
        """Choose the row at a place, or the nearest there is, and bring it into sight."""
        self._cursor = min(max(index, 0), max(len(self.model) - 1, 0))
        self.cursor_key = self.model.key_at(self._cursor) if len(self.model) else None
        self._bring_into_sight()
        self.refresh()

    def action_move(self, by: int) -> None:
        """Choose another row, so many further down."""
        self.choose(self._cursor + by)

    def action_page(self, by: int) -> None:
        """Choose another row, so many screens further down."""
        self.choose(self._cursor + by * self._rows_in_sight())

    def action_sideways(self, by: int) -> None:
        """Bring other columns into sight."""
        self.scroll_relative(x=by, animate=False)

    def on_click(self, event: events.Click) -> None:
        """Choose the row that was clicked; open it where it was clicked twice. A title's click is told."""
        if event.y < _LINE_OF_TITLES:
            self._click_title(self.scroll_offset.x + event.x)
            return
        index = self.scroll_offset.y + event.y - _LINE_OF_TITLES
        if index < len(self.model):
            self.choose(index)
            if event.chain > 1:
                self.post_message(self.Opened())

    def _click_title(self, x: int) -> None:
        end = 1
        for index, width in zip(self._shown, self._widths, strict=True):
            end += width + GAP
            if x < end:
                if index != _NAMESPACE:
                    self.post_message(self.TitleClicked(index))
                return

    def _rows_in_sight(self) -> int:
        return max(self.scrollable_content_region.height - _LINE_OF_TITLES, 1)

    def _bring_into_sight(self) -> None:
        top, height = self.scroll_offset.y, self._rows_in_sight()
        if self._cursor < top:
            self._scroll_rows_to(self._cursor)
        elif self._cursor >= top + height:
            self._scroll_rows_to(self._cursor - height + 1)

    def _scroll_rows_to(self, top: int) -> None:
        self.scroll_to(y=top, animate=False, immediate=True)

    # --- following the model ---

    def use(self, model: TableModel, *, show_namespace: bool, cursor: RowKey | None = None) -> None:
        """Draw another model from now on, from its top."""
        self.model = model
        self.show_namespace = show_namespace
        self._cursor = 0
        self.cursor_key = cursor
        self._scroll_rows_to(0)
        self.model_changed()

    def model_changed(self) -> None:
        """The model has changed: draw what is in sight anew, with the same object chosen on the same line."""
        before, was_at_top = self._cursor, self.scroll_offset.y == 0
        place = self.model.index_of(self.cursor_key) if self.cursor_key is not None else None
        self._measure()
        if place is not None:
            self._cursor = place
            if not was_at_top and place != before:
                self._scroll_rows_to(self.scroll_offset.y + place - before)
            self._bring_into_sight()
            self.refresh()
        elif len(self.model) or not self.cursor_key:
            self.choose(before)
        else:
            self._cursor = 0  # while nothing is there, what was chosen is remembered: it may come back
            self.refresh()

    def on_resize(self) -> None:
        """More or less room: the widths follow."""
        self._measure()
        self._bring_into_sight()

    def toggle_wide(self) -> bool:
        """Show all columns, or the usual ones."""
        self.wide = not self.wide
        self.model_changed()
        return self.wide

    def visible_columns(self) -> list[int]:
        """Indexes of the columns that are shown."""
        return [index for index, column in enumerate(self.model.columns) if self.wide or not column.wide]

    def _measure(self) -> None:
        self._shown = ([_NAMESPACE] if self.show_namespace else []) + self.visible_columns()
        natural = [self.model.namespace_width + 1 if index == _NAMESPACE else self.model.widths[index] for index in self._shown]
        floors = [NARROWEST_NAME if index != _NAMESPACE and self.model.columns[index].is_name else NARROWEST for index in self._shown]
        # Who asks for all columns wants to read them: nothing is cut, and what has no room is reached sideways.
        self._widths = natural if self.wide else fit_widths(natural, self.scrollable_content_region.width - 1, floors)
        size = Size(total_width(self._widths) + 1, len(self.model) + _LINE_OF_TITLES)
        if size != self.virtual_size:
            self.virtual_size = size

    # --- drawing ---

    def render_line(self, y: int) -> Strip:
        """One line: the titles, or a row."""
        if y < _LINE_OF_TITLES:
            return self.strip([Span(self._titles(), Ink.PLAIN)], self.header_style())
        index = self.scroll_offset.y + y - _LINE_OF_TITLES
        if index >= len(self.model):
            return self.strip([Span(f" {self.nothing}", Ink.FAINT)] if y == _LINE_OF_TITLES else [])
        return self.strip(self._spans(self.model.row_at(index)), self.cursor_style() if index == self._cursor else None)

    def _titles(self) -> str:
        sort, parts = self.model.sort, []
        mark = "↓" if sort.descending else "↑"
        for index, width in zip(self._shown, self._widths, strict=True):
            column = None if index == _NAMESPACE else self.model.columns[index]
            sorted_by = column is not None and (column.is_name if sort.column is None else index == sort.column)
            parts.append(fit((column.name.upper() if column else "NAMESPACE") + (mark if sorted_by else ""), width))
        return " " + (" " * GAP).join(parts)

    def _spans(self, row: Row) -> Spans:
        ink = Ink.PLAIN if row.ink is Ink.OK else row.ink
        spans = [Span(" ", ink)]
        for index, width in zip(self._shown, self._widths, strict=True):
            cell: Cell = row.key.namespace if index == _NAMESPACE else row.cells[index] if index < len(row.cells) else ""
            faint = ink is Ink.PLAIN and (index == _NAMESPACE or isinstance(cell, Moment))
            spans.append(Span(fit(shown(cell, self.now), width) + " " * GAP, Ink.FAINT if faint else ink))
        return spans
