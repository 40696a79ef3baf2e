"""What came of looking at stored objects that are shown in another form than they are stored in, for whoever reads them next.

An object under one revision, shown in one form (`Resource.form`), is always the same bytes. So nothing here is ever wrong, only no longer
asked for. Collections are read from end to end, again and again: where they are larger than what is kept, to forget the oldest first would
be to find nothing ever again. So what is asked for now and then stays, and what is new is kept where something else isn't asked for.
"""

from dataclasses import dataclass

from svcsim import limits

_ENTRY_BYTES = 250
"""What it takes to keep that an object is shown as it is stored."""
_ASKED_FOR = 16
"""What isn't among so many times as many questions as there are answers isn't asked for any more."""


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
