"""The pager: one text that stays true while it is read: YAML, a description, a log."""

from collections.abc import Callable
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.screen import Screen

from svcsim.tui.backend import Backend
from svcsim.tui.feeds.table_feed import Connection
from svcsim.tui.feeds.texts import TextFeed
from svcsim.tui.screens.frames import Frames
from svcsim.tui.screens.keys import ASKING, PAGER, bar, bindings
from svcsim.tui.screens.questions import Help
from svcsim.tui.widgets.bars import KeyBar, TitleBar, TopBar, clock_text
from svcsim.tui.widgets.prompt import Prompt
from svcsim.tui.widgets.text import TextView


class Pager(Screen[None]):
    """Shows the texts of one or several feeds, one at a time."""

    BINDINGS: ClassVar[list[BindingType]] = bindings(PAGER)

    def __init__(self, backend: Backend, feeds: list[TextFeed], connection: Callable[[], Connection]) -> None:
        super().__init__()
        self._backend = backend
        self._feeds = feeds
        self._feed = feeds[0]
        self._connection = connection
        self._filter = ""
        self._frames = Frames(self, self._draw)
        self._top = TopBar(backend.cluster)
        self._title_bar = TitleBar()
        self._text = TextView()
        self._prompt = Prompt()

    def compose(self) -> ComposeResult:
        yield from (self._top, self._title_bar, self._text, self._prompt)
        yield KeyBar(bar(key for key in PAGER if key.action != "container" or len(self._feeds) > 1))

    def on_mount(self) -> None:
        self._follow(self._feed)
        self.set_interval(1.0, self._frames.want)
        self._text.focus()

    def _follow(self, feed: TextFeed) -> None:
        self._feed = feed
        feed.on_change = self._frames.want
        self._text.following = feed.tail
        self.run_worker(feed.run(), group="feed", exclusive=True)
        self._draw()

    def follow_again(self) -> None:
        """The cluster answers again, and may be another one by now."""
        self._feed.read_again()
        self.run_worker(self._feed.run(), group="feed", exclusive=True)

    def on_screen_resume(self) -> None:
        """In sight again: show what has changed meanwhile."""
        self._frames.want()

    def _draw(self) -> None:
        self._text.show(self._feed.lines(), self._feed.spans)
        self._update_bars()

    def _update_bars(self) -> None:
        view, feed = self._text, self._feed
        self._top.set_status(self._connection(), clock_text(self._backend.time.now(), self._backend.time.speed))
        details = [
            f"/{self._filter} ({view.matches} lines)" if self._filter else "",
            feed.problem,
            "following" if view.following and not feed.problem else "",
        ]
        self._title_bar.set_title(feed.title, " · ".join(detail for detail in details if detail))

    # --- keys ---

    def check_action(self, action: str, _parameters: tuple[object, ...]) -> bool | None:
        """While something is typed, the keys that begin to ask are letters like others."""
        return action not in ASKING or not self._prompt.display

    def action_filter(self) -> None:
        self._prompt.ask("filter", "/", self._filter)

    @on(Prompt.Changed)
    @on(Prompt.Submitted)
    def _filtered(self, event: Prompt.Changed) -> None:
        self._set_filter(event.text)
        if isinstance(event, Prompt.Submitted):
            self._text.focus()

    @on(Prompt.Cancelled)
    def _unfiltered(self) -> None:
        self._set_filter("")
        self._text.focus()

    def _set_filter(self, text: str) -> None:
        self._filter = text
        self._text.set_filter(text)
        self._update_bars()

    def action_wrap(self) -> None:
        """Break long lines, or not."""
        wrapped = self._text.toggle_wrap()
        self.notify("long lines are wrapped" if wrapped else "long lines are scrolled sideways", timeout=2)

    def action_follow(self) -> None:
        """Keep the end in sight, or not."""
        view = self._text
        view.following = not view.following
        self._draw()

    def action_more(self) -> None:
        """Show what is usually left out, or not."""
        done = self._feed.toggle()
        if done:
            self.notify(done, timeout=2)
            self._draw()

    def action_container(self) -> None:
        if len(self._feeds) > 1:
            self._follow(self._feeds[(self._feeds.index(self._feed) + 1) % len(self._feeds)])

    def action_help(self) -> None:
        self.app.push_screen(Help(PAGER))

    def action_leave(self) -> None:
        """Back to the table; a filter is dropped first."""
        if self._filter:
            self._set_filter("")
        else:
            self.dismiss(None)
