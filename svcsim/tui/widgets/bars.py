"""The bars around what is looked at: which cluster this is and how it goes, what is shown, and which keys there are."""

from bisect import bisect_right
from collections.abc import Sequence
from typing import NamedTuple

from rich.text import Text
from textual import events
from textual.widget import Widget

from svcsim.clock import format_time
from svcsim.meta.times import human_duration
from svcsim.tui.feeds.table_feed import Connection
from svcsim.tui.model.cells import fit, width_of


def connection_text(connection: Connection) -> str:
    """The connection in words; the sign in front tells it without colours."""
    if connection.state == "connected":
        quiet = f" · {human_duration(connection.quiet_s)}" if connection.quiet_s >= 1 else ""
        return f"● connected · rev {connection.revision}{quiet}"
    if connection.state == "connecting" and not connection.problem:
        return "◌ connecting"
    retry = f" in {human_duration(connection.retry_s)}" if connection.retry_s >= 1 else ""
    return f"○ reconnecting{retry}"


def clock_text(now: float, speed: float) -> str:
    """The cluster's time of day, and its pace where that isn't the usual one."""
    pace = "" if speed == 1 else " paused" if speed == 0 else f" x{speed:g}"
    return f"{format_time(now)[11:19]}{pace}"


class TopBar(Widget):
    """The cluster's name, the connection to it, and its clock."""

    DEFAULT_CSS = """
    TopBar { height: 1; background: $panel; color: $foreground; }
    TopBar.-trouble { background: $error-darken-2; color: $text; text-style: bold; }
    """

    def __init__(self, cluster: str) -> None:
        super().__init__()
        self._cluster = cluster
        self._right = ""

    def set_status(self, connection: Connection, clock: str) -> None:
        """Show how it goes; nothing is drawn where that is as before."""
        right = f"{connection_text(connection)}   {clock} "
        if right != self._right:
            self._right = right
            self.set_class(connection.state == "reconnecting", "-trouble")
            self.refresh()

    def render(self) -> Text:
        """The bar's one line: the connection and the clock have the right of way."""
        width = self.size.width
        left = f" svcsim · {self._cluster}"
        room = max(width - width_of(self._right), 0)
        return Text(fit(left, room) + self._right, no_wrap=True)


class TitleBar(Widget):
    """What is shown: the type, where, how many, and what it is narrowed down to."""

    DEFAULT_CSS = """
    TitleBar { height: 1; background: $background; color: $primary-lighten-2; text-style: bold; }
    """

    def __init__(self) -> None:
        super().__init__()
        self._title = ""
        self._detail = ""

    def set_title(self, title: str, detail: str = "") -> None:
        """Show a title and, fainter, what more there is to say of it."""
        if (title, detail) != (self._title, self._detail):
            self._title, self._detail = title, detail
            self.refresh()

    def render(self) -> Text:
        text = Text(no_wrap=True, overflow="ellipsis")
        text.append(f" {self._title}")
        text.append(f"  {self._detail}", style="not bold dim")
        return text


class BarKey(NamedTuple):
    """A key as the bottom line names it, and the action of the screen that it stands for."""

    shown: str
    doc: str
    action: str


class KeyBar(Widget):
    """Which keys do what; as many as there is room for. Clicking one is pressing it."""

    DEFAULT_CSS = """
    KeyBar { height: 1; background: $panel; color: $text-muted; }
    """

    def __init__(self, keys: Sequence[BarKey]) -> None:
        super().__init__()
        self._keys = keys
        self._ends: list[int] = []
        """Where each key that is shown ends."""

    def render(self) -> Text:
        text, ends = Text(" ", no_wrap=True), []
        for key in self._keys:
            if text.cell_len + len(key.shown) + len(key.doc) + 3 > self.size.width:
                break
            text.append(key.shown, style="bold")
            text.append(f" {key.doc}  ")
            ends.append(text.cell_len)
        self._ends = ends
        return text

    async def on_click(self, event: events.Click) -> None:
        """Do what the key does that was clicked."""
        index = bisect_right(self._ends, event.x)
        if index < len(self._ends):
            await self.app.run_action(self._keys[index].action, self.screen)
