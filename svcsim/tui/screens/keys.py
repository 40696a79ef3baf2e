"""All keys, as data: the screens bind them, the bottom line names the most useful, and the help tells all."""

from collections.abc import Iterable
from typing import NamedTuple

from textual.binding import Binding, BindingType


class Key(NamedTuple):
    """One key. ``bar`` is its name in the bottom line; empty for those that aren't named there."""

    keys: str
    action: str
    shown: str
    doc: str
    bar: str = ""


BROWSE = (
    Key("enter", "drill", "enter", "Open the object: its pods, or else its description", "open"),
    Key("d", "describe", "d", "Describe the object, with its events", "describe"),
    Key("y", "yaml", "y", "Show the object as YAML", "yaml"),
    Key("l", "logs", "l", "Follow the log of a pod", "logs"),
    Key("e", "events", "e", "Show the object's events", "events"),
    Key("colon", "command", ":", "Go to another type: deploy, po all, nodes …", "go to"),
    Key("slash", "filter", "/", "Filter: only rows with these words; !word excludes", "filter"),
    Key("question_mark", "help", "?", "Show this help", "help"),
    Key("n", "namespace", "n", "Choose a namespace", "namespace"),
    Key("ctrl+d,delete", "delete", "ctrl+d", "Delete the object, after a question", "delete"),
    Key("0", "all_namespaces", "0", "Show all namespaces"),
    Key("s", "sort", "s", "Sort by the next column", "sort"),
    Key("S", "reverse", "S", "Reverse the order"),
    Key("w", "wide", "w", "Show all columns, or only the usual ones"),
    Key("left", "sideways(-10)", "← →", "Scroll sideways"),
    Key("right", "sideways(10)", "", ""),
    Key("escape", "back", "esc", "Drop the filter, or go back"),
    Key("q", "leave", "q", "Go back; from the first table, quit", "back"),
)

PAGER = (
    Key("slash", "filter", "/", "Filter: only lines with these words; !word excludes", "filter"),
    Key("w", "wrap", "w", "Wrap long lines, or scroll sideways", "wrap"),
    Key("f", "follow", "f", "Keep the end in view", "follow"),
    Key("t", "more", "t", "Logs: show times; YAML: show managed fields", "more"),
    Key("c", "container", "c", "Logs: the pod's next container", "container"),
    Key("question_mark", "help", "?", "Show this help", "help"),
    Key("q,escape", "leave", "q esc", "Back to the table", "back"),
)

MOVES = (
    ("↑ ↓ j k", "One line up or down"),
    ("pgup pgdn", "One screen up or down"),
    ("home end g G", "To the first or the last line"),
    ("tab", "While typing: take the next suggestion"),
    ("ctrl+c", "Quit"),
)


def bindings(keys: Iterable[Key]) -> list[BindingType]:
    """Keys as Textual binds them."""
    return [Binding(key.keys, key.action, key.doc, show=False) for key in keys]


def bar(keys: Iterable[Key]) -> list[tuple[str, str]]:
    """What the bottom line says."""
    return [(key.shown, key.bar) for key in keys if key.bar]
