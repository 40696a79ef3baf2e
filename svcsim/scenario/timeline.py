"""What happened, moment by moment: what the scenario did, and what the journal says came of it.

Kept while a scenario runs and shown when it fails. Lines are put into words only then.
"""

from collections import deque
from collections.abc import Callable
from typing import NamedTuple

from svcsim import limits
from svcsim.meta import merge_patch
from svcsim.meta.types import Json, Object
from svcsim.scenario.journal import Entry
from svcsim.scenario.matching import shorten
from svcsim.scenario.secret_values import told

_CHANGES_SHOWN = 4
_NOISE = ("managedFields", "resourceVersion", "generation", "creationTimestamp", "uid")


class TimelineEntry(NamedTuple):
    """One line: of which step, and a write or a sentence."""

    at_s: float
    step: str
    what: Entry | str

    def text(self, start_s: float) -> str:
        """The line, with its time counted from the scenario's beginning."""
        what = self.what if isinstance(self.what, str) else describe_entry(self.what)
        return f"{self.at_s - start_s:+10.3f}s  {what}"


class Timeline:
    """The last `limits.TIMELINE_MOMENTS` moments of a run."""

    def __init__(self, now: Callable[[], float]) -> None:
        self.step = "setup"
        self._now = now
        self._moments: deque[TimelineEntry] = deque(maxlen=limits.TIMELINE_MOMENTS)

    def note(self, text: str) -> None:
        self._moments.append(TimelineEntry(self._now(), self.step, text))

    def write(self, entry: Entry) -> None:
        """The cluster committed something. Heartbeats are left out: they would crowd out everything else."""
        if entry.type == "MODIFIED" and entry.object.get("kind") == "Lease":
            return
        self._moments.append(TimelineEntry(entry.at_s, self.step, entry))

    def of(self, step: str) -> list[TimelineEntry]:
        """The moments of a step."""
        return [moment for moment in self._moments if moment.step == step]

    def last(self, count: int) -> list[TimelineEntry]:
        return list(self._moments)[-count:]


def describe_entry(entry: Entry) -> str:
    """A write in a line: ``~ pods default/web-1  status.phase: "Running"``."""
    sign = {"ADDED": "+", "DELETED": "-"}.get(entry.type, "~")
    if entry.type == "ADDED" and entry.object.get("kind") == "Event":
        about = entry.object.get("involvedObject") or {}
        subject = f"{about.get('kind', '')}/{about.get('name', '')}"
        return f"! {entry.object.get('reason', '')} {subject}: {entry.object.get('message', '')}"
    changed = changes(entry.before, entry.object) if entry.type == "MODIFIED" and entry.before is not None else []
    return f"{sign} {entry.key}" + (f"  {', '.join(changed)}" if changed else "")


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
