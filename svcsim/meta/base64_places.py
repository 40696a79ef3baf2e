"""Where in a text it stops being base64, as Go tells it: its decoder reads four letters at a time, and passes over line breaks."""

import re
from typing import Final

_NO_LETTER: Final = re.compile(rb"[^A-Za-z0-9+/\r\n]")
_BREAKS: Final = frozenset(b"\r\n")
_PADDING: Final = ord("=")


def first_wrong_byte(text: str) -> int:
    """Where the decoder stops in a text that isn't base64 with padding."""
    data = text.encode(errors="replace")
    found = _NO_LETTER.search(data)
    at = len(data) if found is None else found.start()
    read = (at - data.count(b"\n", 0, at) - data.count(b"\r", 0, at)) % 4
    if found is None:
        return at - read
    return _wrong_padding(data, at, read) if data[at] == _PADDING else at


def _wrong_padding(data: bytes, at: int, read: int) -> int:
    """The place of the first error, where padding begins after ``read`` of four letters."""
    if read < 2:
        return at
    after = _behind_breaks(data, at + 1)
    if read == 2:
        if after == len(data):
            return after
        if data[after] != _PADDING:
            return after - 1
        after = _behind_breaks(data, after + 1)
    return after


def _behind_breaks(data: bytes, at: int) -> int:
    while at < len(data) and data[at] in _BREAKS:
        at += 1
    return at
