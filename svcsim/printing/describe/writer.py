"""What describers write with: indented lines with tabs, aligned when all is written, and the parts that every kind has."""

from collections.abc import Callable
from typing import NamedTuple

from svcsim.meta.objects import controller_of
from svcsim.meta.types import Json, Object
from svcsim.printing.describe.reader import Reader
from svcsim.printing.tabs import Sink, TabWriter, escape
from svcsim.printing.texts import NONE

ANNOTATION_CHARS = 140
"""Longer annotations are wrapped below their key, and cut."""


class Writer:
    """Collects lines. ``level`` indents by two spaces each; tabs separate columns, or stay tabs where nothing is to be ``aligned``."""

    def __init__(self, out: Sink, *, aligned: bool = True) -> None:
        self._tabs = TabWriter(out, min_width=0, padding=2, remember=False)
        self._sink: Sink = self._tabs if aligned else out

    def text(self, text: str, level: int = 0) -> None:
        """Write text that brings its own line ends."""
        self._sink.write("  " * level + escape(text))

    def line(self, text: str, level: int = 0) -> None:
        self.text(f"{text}\n", level)

    def field(self, name: str, value: Json, level: int = 0) -> None:
        """Write ``name:`` and its value."""
        self.line(f"{name}:\t{value}", level)

    def flush(self) -> None:
        """Align what has been written and begin a new alignment."""
        self._tabs.flush()


class DescribeContext(NamedTuple):
    """What a describer is given beside the object."""

    writer: Writer
    reader: Reader
    now: Callable[[], float]
    """The time from which ages are computed."""
    show_events: bool


Describer = Callable[[Object, DescribeContext], None]


def labels(writer: Writer, title: str, values: dict[str, str] | None, level: int = 0) -> None:
    pairs = sorted((values or {}).items())
    if not pairs:
        writer.field(title, NONE, level)
    for index, (key, value) in enumerate(pairs):
        writer.line((f"{title}:" if not index else "") + f"\t{key}={value}", level if not index else 0)


def annotations(writer: Writer, title: str, values: dict[str, str] | None, level: int = 0) -> None:
    """Annotations, one a line; what apply keeps there is left out."""
    pairs = sorted((key, value) for key, value in (values or {}).items() if not _last_applied(key))
    if not pairs:
        writer.field(title, NONE, level)
    for index, (key, text) in enumerate(pairs):
        head = "  " * level + f"{title}:" if not index else ""
        value = text.removesuffix("\n")
        if len(value.encode()) + len(key) + 2 <= ANNOTATION_CHARS and "\n" not in value:
            writer.line(f"{head}\t{key}: {value}")
            continue
        writer.line(f"{head}\t{key}:")
        for part in value.split("\n"):
            writer.line(f"\t  {_shortened(part)}")


def _last_applied(key: str) -> bool:
    return key.startswith("kubectl.") and key.endswith("/last-applied-configuration")


def _shortened(text: str) -> str:
    limit = ANNOTATION_CHARS - 2
    return f"{text[:limit]}..." if len(text) > limit else text


def controlled_by(obj: Object) -> str:
    """``ReplicaSet/web``, or nothing."""
    owner = controller_of(obj)
    return f"{owner['kind']}/{owner['name']}" if owner else ""


def conditions(writer: Writer, obj: Object) -> None:
    """Conditions with type, status and reason."""
    found = (obj.get("status") or {}).get("conditions") or []
    if not found:
        return
    writer.line("Conditions:\n  Type\tStatus\tReason")
    writer.line("----\t------\t------", 1)
    for item in found:
        writer.line(f"{item.get('type', '')} \t{item.get('status', '')}\t{item.get('reason', '')}", 1)
