"""A cache of stored objects that are shown in another form than they are stored in.

An object at one revision, shown in one form (`Resource.form`), is always the same bytes. So no entry is ever wrong, only no longer needed.
Collections are read from end to end, again and again: if they are larger than the cache, evicting the oldest entry first would mean that
nothing is ever found. So entries that are used now and then stay, and new ones only replace entries that aren't used.
"""

from dataclasses import dataclass

from svcsim import limits

_ENTRY_BYTES = 250
"""What it takes to keep that an object is shown as it is stored."""
_ASKED_FOR = 16
"""An entry that isn't used within this many times as many look-ups as there are entries counts as unused."""


@dataclass(slots=True)
class _Entry:
    body: bytes
    asked: int
    """Which question was the last for it."""

    @property
    def size_bytes(self) -> int:
        return len(self.body) + _ENTRY_BYTES


class KeptForms:
    """The bytes by form and revision; none where an object is shown as it is stored."""

    def __init__(self) -> None:
        self._entries: dict[tuple[str, int], _Entry] = {}
        self._bytes = 0
        self._questions = 0

    def find(self, form: str, revision: int) -> bytes | None:
        """What is shown of the object of a revision: empty for what is stored; None if that isn't known."""
        self._questions += 1
        entry = self._entries.get((form, revision))
        if entry is None:
            return None
        entry.asked = self._questions
        return entry.body

    def keep(self, form: str, revision: int, body: bytes) -> None:
        """Remember it, if there is room."""
        place, entry = (form, revision), _Entry(body, self._questions)
        if place not in self._entries and self._make_room(entry.size_bytes):
            self._entries[place] = entry
            self._bytes += entry.size_bytes

    def _make_room(self, size_bytes: int) -> bool:
        """Whether there is any: the next in turn goes unless it is asked for."""
        while self._bytes + size_bytes > limits.KEPT_FORMS_BYTES:
            if not self._entries:
                return False
            place = next(iter(self._entries))
            oldest = self._entries.pop(place)
            if self._questions - oldest.asked <= _ASKED_FOR * (len(self._entries) + 1):
                self._entries[place] = oldest
                return False
            self._bytes -= oldest.size_bytes
        return True
