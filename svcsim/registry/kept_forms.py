"""What came of looking at stored objects that are shown in another form than they are stored in, for whoever reads them next.

An object under one revision, shown in one form (`Resource.form`), is always the same bytes. So nothing here is ever wrong, only no longer
asked for: what wasn't asked for in a while is forgotten first.
"""

from svcsim import limits

_ENTRY_BYTES = 200
"""What it takes to keep that an object is shown as it is stored."""


class KeptForms:
    """The bytes by form and revision; none where an object is shown as it is stored."""

    def __init__(self) -> None:
        self._newer: dict[tuple[str, int], bytes] = {}
        self._older: dict[tuple[str, int], bytes] = {}
        """What is found here is moved over there, until there is no more room; then the rest is dropped."""
        self._bytes = 0
        """Of the newer ones."""

    def find(self, form: str, revision: int) -> bytes | None:
        """What is shown of the object of a revision: empty for what is stored; None if nobody has looked yet."""
        place = form, revision
        body = self._newer.get(place)
        if body is None and (body := self._older.pop(place, None)) is not None:
            self._put(place, body)
        return body

    def keep(self, form: str, revision: int, body: bytes) -> None:
        """Remember it."""
        self._put((form, revision), body)

    def _put(self, place: tuple[str, int], body: bytes) -> None:
        if place in self._newer:
            return
        size = len(body) + _ENTRY_BYTES
        if self._bytes + size > limits.KEPT_FORMS_BYTES // 2:
            self._older, self._newer, self._bytes = self._newer, {}, 0
        self._newer[place] = body
        self._bytes += size
