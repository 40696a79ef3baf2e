"""What draws itself line by line: a scrollable area in which only the lines in sight are ever made.

Text is written in inks; how an ink looks follows from the theme, and where colours aren't wanted from weight alone.
"""

from itertools import groupby
from operator import itemgetter
from typing import ClassVar

from rich.segment import Segment
from rich.style import Style
from textual.scroll_view import ScrollView
from textual.strip import Strip

from svcsim.tui.model.ink import Ink, Spans

_COLOURLESS = {
    Ink.PLAIN: Style(),
    Ink.FAINT: Style(dim=True),
    Ink.STRONG: Style(bold=True),
    Ink.KEY: Style(),
    Ink.OK: Style(),
    Ink.BUSY: Style(italic=True),
    Ink.BAD: Style(bold=True),
}


class LineView(ScrollView, can_focus=True):
    """A scrollable area of inked lines."""

    ALLOW_SELECT = False
    COMPONENT_CLASSES: ClassVar[set[str]] = {*(f"ink--{ink}" for ink in Ink), "line--header", "line--cursor"}
    DEFAULT_CSS = """
    LineView {
        height: 1fr;
        background: $background;
        scrollbar-size-vertical: 1;
        scrollbar-size-horizontal: 0;
        scrollbar-background: $background;
        scrollbar-background-hover: $background;
        scrollbar-color: $panel-lighten-1;
        .ink--plain { color: $foreground; }
        .ink--faint { color: $text-muted; }
        .ink--strong { color: $accent; text-style: bold; }
        .ink--key { color: $primary-lighten-2; }
        .ink--ok { color: $success; }
        .ink--busy { color: $warning; }
        .ink--bad { color: $error; text-style: bold; }
        .line--header { color: $text-muted; text-style: bold; }
        .line--cursor { background: $primary-darken-1; color: $text; text-style: bold; }
    }
    """

    def ink(self, ink: Ink) -> Style:
        return _COLOURLESS[ink] if self.app.no_color else self.get_component_rich_style(f"ink--{ink}")

    def cursor_style(self) -> Style:
        """How the chosen line looks."""
        return Style(reverse=True) if self.app.no_color else self.get_component_rich_style("line--cursor")

    def header_style(self) -> Style:
        """How the line of titles looks."""
        return Style(bold=True) if self.app.no_color else self.get_component_rich_style("line--header")

    def strip(self, spans: Spans, over: Style | None = None) -> Strip:
        """Spans as a line as wide as the area; ``over`` is laid over all of it, and fills it."""
        if over is not None:
            segments = [Segment("".join(text for text, _ in spans), over)]
        else:
            runs = groupby(spans, key=itemgetter(1))
            segments = [Segment("".join(text for text, _ in run), self.ink(ink)) for ink, run in runs]
        left, width = self.scroll_offset.x, self.scrollable_content_region.width
        return Strip(segments).crop_extend(left, left + width, over if over is not None else self.ink(Ink.PLAIN))
