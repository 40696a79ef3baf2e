"""Which rows want to be looked at: the words for states, and what they mean, whatever kind they are said of."""

from collections.abc import Sequence

from svcsim.tui.model.ink import Ink

STATE_COLUMNS = ("Status", "Phase", "State", "Type")
"""Columns that say how an object is; the first of them that a table has counts."""
COUNT_COLUMNS = ("Ready", "Completions")
"""Columns that say ``1/3``."""

_INKS: dict[Ink, tuple[str, ...]] = {
    Ink.OK: ("Running", "Active", "Ready", "Bound", "Available", "True", "Approved", "Approved,Issued", "Established"),
    Ink.FAINT: ("Completed", "Succeeded", "Complete", "Released"),
    Ink.BUSY: ("Pending", "ContainerCreating", "PodInitializing", "Terminating", "SchedulingGated", "Warning", "Suspended", "Lost"),
    Ink.BAD: ("Failed", "Error", "Unknown", "NodeLost", "NotReady", "Evicted", "OOMKilled", "DeadlineExceeded", "Preempting", "False"),
}
_INK_BY_WORD = {word: ink for ink, words in _INKS.items() for word in words}
_BAD_PARTS = ("Err", "BackOff", "ExitCode", "Signal", "Invalid", "Cannot", "Fail", "Unexpected")


def state_ink(state: str) -> Ink:
    """What a word for a state means."""
    ink = _INK_BY_WORD.get(state)
    if ink is not None:
        return ink
    if any(part in state for part in _BAD_PARTS):
        return Ink.BAD
    return Ink.BUSY if state.startswith("Init:") or state.endswith("SchedulingDisabled") else Ink.PLAIN


def is_short(count: str) -> bool:
    """Whether ``1/3`` says that something is missing."""
    ready, slash, total = count.partition("/")
    return bool(slash) and ready.isdigit() and total.isdigit() and int(ready) < int(total)


class Toner:
    """Says of the rows of one table in which ink each is written."""

    def __init__(self, column_names: Sequence[str]) -> None:
        self._state = next((column_names.index(name) for name in STATE_COLUMNS if name in column_names), None)
        self._count = next((column_names.index(name) for name in COUNT_COLUMNS if name in column_names), None)

    def ink(self, texts: Sequence[str]) -> Ink:
        """The row's ink, by the texts of its cells."""
        ink = state_ink(texts[self._state]) if self._state is not None and self._state < len(texts) else Ink.PLAIN
        if ink in (Ink.OK, Ink.PLAIN) and self._count is not None and self._count < len(texts) and is_short(texts[self._count]):
            return Ink.BUSY
        return ink
