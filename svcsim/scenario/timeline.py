"""What happened, moment by moment: what the scenario did, and what the journal says came of it.

Kept while a scenario runs and shown when it fails. Lines are put into words only then.
"""

from collections import deque
from collections.abc import Callable
from typing import NamedTuple

from svcsim import limits
from svcsim.meta import merge_patch
from svcsim.meta.types import Json, Key, Object
from svcsim.printing.harmless import one_line
from svcsim.scenario.body import Body
from svcsim.scenario.journal import Entry
from svcsim.scenario.matching import shorten
from svcsim.scenario.model import SETUP
from svcsim.scenario.secret_values import told

_CHANGES_SHOWN = 4
_NOISE = ("managedFields", "resourceVersion", "generation", "creationTimestamp", "uid")


class Write(NamedTuple):
    """What is kept of a journal's entry."""

    type: str
    key: Key
    body: Body
    before: Body | None

    def __str__(self) -> str:
        """In a line: ``~ pods default/web-1  status.phase: "Running"``."""
        sign = {"ADDED": "+", "DELETED": "-"}.get(self.type, "~")
        if self.type == "ADDED" and self.body.kind == "Event":
            event = self.body.decode()
            about = event.get("involvedObject") or {}
            subject = f"{about.get('kind', '')}/{about.get('name', '')}"
            return f"! {event.get('reason', '')} {subject}: {event.get('message', '')}"
        changed = changes(self.before.decode(), self.body.decode()) if self.type == "MODIFIED" and self.before is not None else []
        return f"{sign} {self.key}" + (f"  {', '.join(changed)}" if changed else "")


class TimelineEntry(NamedTuple):
    """One line: of which step, and a write or a sentence."""

    at_s: float
    step: str
    what: Write | str

    @property
    def length(self) -> int:
        """Of what it tells, as text, in bytes."""
        return len(self.what) if isinstance(self.what, str) else self.what.body.length

    def text(self, start_s: float) -> str:
        """The line, with its time counted from the scenario's beginning."""
        return f"{self.at_s - start_s:+10.3f}s  {one_line(str(self.what))}"


class Timeline:
    """The last `limits.TIMELINE_MOMENTS` moments of a run, or fewer where their objects come to more than `limits.TIMELINE_BYTES`."""

    def __init__(self, now: Callable[[], float]) -> None:
        self.step = SETUP
        self._now = now
        self._moments: deque[TimelineEntry] = deque()
        self._bytes = 0

    def note(self, text: str) -> None:
        self._add(TimelineEntry(self._now(), self.step, text))

    def write(self, entry: Entry) -> None:
        """The cluster committed something. Heartbeats are left out: they would crowd out everything else."""
        if entry.type == "MODIFIED" and entry.body.kind == "Lease":
            return
        self._add(TimelineEntry(entry.at_s, self.step, Write(entry.type, entry.key, entry.body, entry.before)))

    def of(self, step: str) -> list[TimelineEntry]:
        """The moments of a step."""
        return [moment for moment in self._moments if moment.step == step]

    def last(self, count: int) -> list[TimelineEntry]:
        return list(self._moments)[-count:]

    def _add(self, moment: TimelineEntry) -> None:
        self._moments.append(moment)
        self._bytes += moment.length
        while len(self._moments) > limits.TIMELINE_MOMENTS or self._bytes > limits.TIMELINE_BYTES:
            self._bytes -= self._moments.popleft().length


def changes(before: Object, after: Object) -> list[str]:
    """The fields that changed, the first few of them."""
    found: list[str] = []
    _collect(merge_patch.diff(before, after), "", found, after.get("kind") or "")
    return found[:_CHANGES_SHOWN] + (["…"] if len(found) > _CHANGES_SHOWN else [])


def _collect(patch: Json, path: str, found: list[str], kind: str) -> None:
    if isinstance(patch, dict) and patch:
        for name, value in patch.items():
            if name not in _NOISE:
                _collect(value, f"{path}.{name}" if path else name, found, kind)
    elif isinstance(patch, list):
        found.append(f"{path}: [{len(patch)}]")
    else:
        found.append(f"{path}: {shorten(told(kind, path, patch)) if patch is not None else 'gone'}")
