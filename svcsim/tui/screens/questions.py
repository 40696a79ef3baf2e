"""Screens that lie over the others: a question before something is done, and the help."""

from collections.abc import Iterable
from typing import ClassVar

from rich.text import Text
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical, VerticalScroll
from textual.screen import ModalScreen
from textual.widgets import Static

from svcsim.tui.screens.keys import MOVES, KeyBinding


class Question(ModalScreen[bool]):
    """Asks whether something is really meant. Only ``y`` says yes: no key that one may still be holding does, enter above all."""

    DEFAULT_CSS = """
    Question { align: center middle; }
    Question Vertical { width: auto; max-width: 90%; height: auto; padding: 1 3; background: $panel; border: round $error; }
    Question Static { width: auto; max-width: 100%; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("y", "answer(True)", show=False),
        Binding("n,enter,escape,q", "answer(False)", show=False),
    ]

    def __init__(self, question: str, yes: str) -> None:
        super().__init__()
        self._question = question
        self._yes = yes

    def compose(self) -> ComposeResult:
        """The question, and the keys that answer it."""
        keys = Text.assemble(("y", "bold"), f" {self._yes}    ", ("n", "bold"), " or ", ("enter", "bold"), " cancel")
        with Vertical():
            yield Static(Text(self._question, style="bold"))
            yield Static(" ")
            yield Static(keys)

    def action_answer(self, yes: bool) -> None:
        self.dismiss(yes)


class Help(ModalScreen[None]):
    """All keys and what they do."""

    DEFAULT_CSS = """
    Help { align: center middle; }
    Help VerticalScroll { width: 90%; max-width: 90; height: auto; max-height: 90%; }
    Help VerticalScroll { padding: 1 2; background: $panel; border: round $primary; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape,q,question_mark,enter", "leave", show=False)]

    def __init__(self, keys: Iterable[KeyBinding]) -> None:
        super().__init__()
        self._keys = [(key.shown, key.doc) for key in keys if key.doc]

    def compose(self) -> ComposeResult:
        text = Text("Keys\n\n", style="bold")
        for shown, doc in (*self._keys, *MOVES):
            text.append(f"{shown:<14}", style="bold")
            text.append(f"{doc}\n", style="not bold")
        text.rstrip()
        with VerticalScroll():
            yield Static(text)

    def action_leave(self) -> None:
        self.dismiss(None)
