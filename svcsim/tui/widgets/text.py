"""The text: lines of YAML, of a description or of a log, of which only those in sight are inked and drawn."""

from collections.abc import Callable
from typing import ClassVar

from rich.cells import cell_len, chop_cells
from textual.binding import Binding, BindingType
from textual.geometry import Size
from textual.strip import Strip

from svcsim.tui.model.filter import TextFilter
from svcsim.tui.model.ink import Ink, Span, Spans
from svcsim.tui.model.texts import plain_spans
from svcsim.tui.widgets.lines import LineView

_MARGIN = Span(" ", Ink.PLAIN)


class TextView(LineView):
    """Draws lines. While ``following``, the end stays in sight."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up,k", "scroll_up", show=False),
        Binding("down,j", "scroll_down", show=False),
        Binding("pageup,ctrl+b", "page_up", show=False),
        Binding("pagedown,ctrl+f,space", "page_down", show=False),
        Binding("left", "scroll_left", show=False),
        Binding("right", "scroll_right", show=False),
        Binding("home,g", "scroll_home", show=False),
        Binding("end,G", "scroll_end", show=False),
    ]

    def __init__(self) -> None:
        super().__init__()
        self.following = False
        self.wrapped = False
        self.matches = 0
        """Lines that pass the filter."""
        self._ink_line: Callable[[str], Spans] = plain_spans
        self._all: list[str] = []
        self._lines: list[str] = []
        self._filter = TextFilter()

    def show(self, lines: list[str], spans: Callable[[str], Spans]) -> None:
        """Draw these lines from now on."""
        self._ink_line = spans
        self._all = lines
        self._arrange()

    def set_filter(self, text: str) -> None:
        """Show only lines that pass."""
        self._filter = TextFilter.parse(text)
        self._arrange()

    def toggle_wrap(self) -> bool:
        """Break long lines, or let them be scrolled sideways."""
        self.wrapped = not self.wrapped
        self._arrange()
        return self.wrapped

    def on_resize(self) -> None:
        """More or less room: wrapped lines break elsewhere."""
        self._arrange()

    def action_scroll_up(self) -> None:
        """Reading back: the end need not stay in sight."""
        self.following = False
        super().action_scroll_up()

    def action_page_up(self) -> None:
        """Reading back: the end need not stay in sight."""
        self.following = False
        super().action_page_up()

    def action_scroll_home(self) -> None:
        """Reading from the start: the end need not stay in sight."""
        self.following = False
        self.scroll_to(x=0, y=0, animate=False, immediate=True)

    def action_scroll_end(self) -> None:
        self.scroll_to(y=self.max_scroll_y, animate=False, immediate=True)

    def _arrange(self) -> None:
        lines = [line for line in self._all if self._filter.matches(line.lower())] if self._filter != TextFilter() else self._all
        self.matches = len(lines)
        width = self.scrollable_content_region.width - cell_len(_MARGIN.text)
        if self.wrapped and width > 0:
            lines = [piece for line in lines for piece in (chop_cells(line, width) if cell_len(line) > width else (line,))]
        self._lines = lines
        self.virtual_size = Size(0 if self.wrapped else max((len(line) for line in lines), default=0) + 1, len(lines))
        if self.following:
            self.call_after_refresh(self.action_scroll_end)
        self.refresh()

    def render_line(self, y: int) -> Strip:
        index = self.scroll_offset.y + y
        return self.strip([_MARGIN, *self._ink_line(self._lines[index])] if index < len(self._lines) else [])
