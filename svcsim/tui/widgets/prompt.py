"""The prompt at the bottom: commands, filters and namespaces are typed here, with what they may become listed above."""

from collections.abc import Callable
from typing import ClassVar

from rich.text import Text
from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.message import Message
from textual.widget import Widget
from textual.widgets import Input, Static

Completer = Callable[[str], list[str]]
"""What a text that is being typed may become, best first."""


def _nothing(_text: str) -> list[str]:
    return []


class Candidates(Widget):
    """What the typed text may become; the one that a tab takes is marked."""

    DEFAULT_CSS = """
    Candidates { height: 1; background: $panel; color: $text-muted; }
    """

    def __init__(self) -> None:
        super().__init__()
        self._words: list[str] = []
        self._chosen = -1

    def set_words(self, words: list[str], chosen: int) -> None:
        """Show these; none is marked for -1."""
        self._words, self._chosen = words, chosen
        self.display = bool(words)
        self.refresh()

    def render(self) -> Text:
        """One line, beginning so that the marked word is in sight."""
        text = Text(" ", no_wrap=True, overflow="ellipsis")
        first = max(self._chosen - 3, 0)
        for index, word in enumerate(self._words[first:], first):
            text.append(f" {word} ", style="reverse" if index == self._chosen else "")
            text.append(" ")
        return text


class Prompt(Vertical):
    """One line to type in. Tells of `Changed`, `Submitted` and `Cancelled`."""

    DEFAULT_CSS = """
    Prompt { height: auto; display: none; }
    Prompt Horizontal { height: 1; background: $panel; }
    Prompt Static { width: auto; color: $accent; text-style: bold; padding: 0 0 0 1; }
    Prompt Input, Prompt Input:focus { height: 1; border: none; padding: 0; background: $panel; width: 1fr; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "cancel", show=False),
        Binding("tab,down", "complete(1)", show=False),
        Binding("shift+tab,up", "complete(-1)", show=False),
    ]

    class Changed(Message):
        """The text is being typed."""

        def __init__(self, purpose: str, text: str) -> None:
            super().__init__()
            self.purpose = purpose
            self.text = text

    class Submitted(Changed):
        """The text is done. ``only`` is what it may become, where that is one thing."""

        def __init__(self, purpose: str, text: str, only: str) -> None:
            super().__init__(purpose, text)
            self.only = only

    class Cancelled(Message):
        """It was left without an answer."""

        def __init__(self, purpose: str) -> None:
            super().__init__()
            self.purpose = purpose

    def __init__(self) -> None:
        super().__init__()
        self._purpose = ""
        self._completer: Completer = _nothing
        self._words: list[str] = []
        self._chosen = -1
        self._completed = ""

    def compose(self) -> ComposeResult:
        """The candidates above the line."""
        yield Candidates()
        with Horizontal():
            yield Static("")
            yield Input(compact=True, select_on_focus=False)

    def ask(self, purpose: str, label: str, text: str = "", completer: Completer = _nothing) -> None:
        """Begin to ask. ``purpose`` comes back with the answer."""
        self._purpose = purpose
        self._completer = completer
        self.query_one(Static).update(label)
        line = self.query_one(Input)
        with line.prevent(Input.Changed):
            line.value = text
        line.cursor_position = len(text)
        self._suggest(text)
        self.display = True
        self.screen.set_focus(line)  # now: the keys that are typed behind this one are meant for the line

    def close(self) -> None:
        self.display = False
        self._purpose = ""

    def action_complete(self, by: int) -> None:
        if not self._words:
            return
        self._chosen = (self._chosen + by) % len(self._words) if self._chosen >= 0 or by > 0 else len(self._words) - 1
        line = self.query_one(Input)
        with line.prevent(Input.Changed):
            line.value = self._completed = self._words[self._chosen]
        line.cursor_position = len(line.value)
        self.query_one(Candidates).set_words(self._words, self._chosen)

    def action_cancel(self) -> None:
        purpose = self._purpose
        self.close()
        self.post_message(self.Cancelled(purpose))

    @on(Input.Changed)
    def _typed(self, event: Input.Changed) -> None:
        event.stop()
        self._suggest(event.value)
        self.post_message(self.Changed(self._purpose, event.value))

    @on(Input.Submitted)
    def _entered(self, event: Input.Submitted) -> None:
        event.stop()
        purpose, only = self._purpose, self._words[0] if len(self._words) == 1 else ""
        self.close()
        self.post_message(self.Submitted(purpose, event.value, only))

    def _suggest(self, text: str) -> None:
        self._words = self._completer(text)
        self._chosen = -1
        self.query_one(Candidates).set_words(self._words, -1)
