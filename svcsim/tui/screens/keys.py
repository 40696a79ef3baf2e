"""All keys, as data: the screens bind them, the bottom line names the most useful, and the help tells all."""

from collections.abc import Iterable
from typing import NamedTuple

from textual.binding import Binding, BindingType

from svcsim.tui.widgets.bars import BarKey


class KeyBinding(NamedTuple):
    """One key. ``bar`` is its name in the bottom line; empty for those that aren't named there."""

    keys: str
    action: str
    shown: str
    doc: str
    bar: str = ""


BROWSE = (
    KeyBinding("enter", "drill", "enter", "Open the object: its pods, or else its description", "open"),
    KeyBinding("d", "describe", "d", "Describe the object, with its events", "describe"),
    KeyBinding("y", "yaml", "y", "Show the object as YAML", "yaml"),
    KeyBinding("l", "logs", "l", "Follow the log of a pod", "logs"),
    KeyBinding("e", "events", "e", "Show the object's events", "events"),
    KeyBinding("colon", "command", ":", "Go to a type: deploy, po all, po shop app=web …", "go to"),
    KeyBinding("slash", "filter", "/", "Filter: only rows with these words; !word excludes", "filter"),
    KeyBinding("question_mark", "help", "?", "Show this help", "help"),
    KeyBinding("n", "namespace", "n", "Choose a namespace", "namespace"),
    KeyBinding("ctrl+d,delete", "delete", "ctrl+d", "Delete the object, after a question", "delete"),
    KeyBinding("0", "all_namespaces", "0", "Show all namespaces"),
    KeyBinding("s", "sort", "s", "Sort by the next column", "sort"),
    KeyBinding("S", "reverse", "S", "Reverse the order"),
    KeyBinding("w", "wide", "w", "Show all columns, or only the usual ones"),
    KeyBinding("escape", "back", "esc", "Drop the filter, or go back"),
    KeyBinding("q", "leave", "q", "Go back; from the first table, quit", "back"),
)

PAGER = (
    KeyBinding("slash", "filter", "/", "Filter: only lines with these words; !word excludes", "filter"),
    KeyBinding("w", "wrap", "w", "Wrap long lines, or scroll sideways", "wrap"),
    KeyBinding("f", "follow", "f", "Keep the end in view", "follow"),
    KeyBinding("t", "more", "t", "Logs: show times; YAML: show managed fields", "more"),
    KeyBinding("c", "container", "c", "Logs: the pod's next container", "container"),
    KeyBinding("question_mark", "help", "?", "Show this help", "help"),
    KeyBinding("q,escape", "leave", "q esc", "Back to the table", "back"),
)

MOVES = (
    ("↑ ↓ j k", "One line up or down"),
    ("pgup pgdn", "One screen up or down"),
    ("home end g G", "To the first or the last line"),
    ("← →", "Scroll sideways"),
    ("tab", "While typing: take the next suggestion"),
    ("ctrl+z", "Leave to the shell; fg comes back"),
    ("ctrl+c", "Quit"),
)


ASKING = ("command", "filter", "namespace")
"""What keys ask for by opening the prompt. They go before all others, so that what is typed right behind them is meant for the prompt."""


def bindings(keys: Iterable[KeyBinding]) -> list[BindingType]:
    """Keys as Textual binds them."""
    return [Binding(key.keys, key.action, key.doc, show=False, priority=key.action in ASKING) for key in keys]


def bar(keys: Iterable[KeyBinding]) -> list[BarKey]:
    """What the bottom line says."""
    return [BarKey(key.shown, key.bar, key.action) for key in keys if key.bar]
