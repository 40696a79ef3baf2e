r"""Backslash escapes: ``\n``, ``\x41``."""

import re

_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "\\": "\\", "a": "\a", "b": "\b", "f": "\f", "v": "\v", "0": "\0", "e": "\x1b", '"': '"'}
_ESCAPE = re.compile(r"\\(0[0-7]{1,3}|[0-7]{3}|x[0-9A-Fa-f]{1,2}|.)", re.DOTALL)
_APOSTROPHE = "'"


def unescaped(text: str, *, quoted: bool = False) -> str:
    """A text with its escapes replaced. ``quoted``: it stands in ``$'…'``, in which an apostrophe is escaped, too."""

    def one(found: re.Match[str]) -> str:
        said = found[1]
        if said[0] == "x" and len(said) > 1:
            return _byte(int(said[1:], 16))
        if said[0] in "01234567" and said.isdigit() and len(said) > 1:
            return _byte(int(said, 8) & 0xFF)
        return said if quoted and said == _APOSTROPHE else _ESCAPES.get(said, found[0])

    return _ESCAPE.sub(one, text)


def _byte(number: int) -> str:
    """A byte as a character of a text."""
    return bytes((number,)).decode("ascii", "surrogateescape")
