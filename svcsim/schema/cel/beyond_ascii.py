"""Reads expressions with many letters beyond ASCII, for each of which the CEL library's lexer takes as long as for a hundred others.

It keeps ways through its tables for ASCII alone. Beyond that, letters mean something only within texts and bytes, so the library is given
one in the place of all of them that an expression doesn't have, and they are put back where they stood.
"""

import re
from bisect import bisect_left
from collections.abc import Callable
from typing import Final

from svcsim import limits
from svcsim.schema.cel.trees import Scalar, Text, Tree, mapped
from svcsim.schema.wire import LENGTH, fields, sized, tag

_BEYOND = re.compile(r"[^\x00-\x7f]")
_STAND_INS: Final = tuple(map(chr, (*range(1, 7), *range(14, 32))))
"""What texts may contain, and hardly any does."""
_QUOTES = ("'", '"', "r", "R", "b", "B")
_BYTES = 7
"""The number of that sort of constants."""


class _NotFoundError(Exception):
    """What stands in a constant can't be told."""


def has_many(text: str) -> bool:
    """Whether there are more such letters than the library is given as they are."""
    return not text.isascii() and len(_BEYOND.findall(text)) > limits.CEL_LETTERS_BEYOND_ASCII


def read(text: str, parse: Callable[[str], Tree]) -> Tree:
    """The tree of an expression, as the library parses it. Raises what that raises."""
    stand_in = next((one for one in _STAND_INS if not _has(text, one)), None) if has_many(text) else None
    if stand_in is None:
        return parse(text)
    try:
        return _Letters(text, stand_in).put_back(parse(_BEYOND.sub(stand_in, text)))
    except RuntimeError as error:  # what the library raises for whatever it can't parse
        raise RuntimeError(str(error).replace(stand_in, "\N{REPLACEMENT CHARACTER}")) from None
    except _NotFoundError:
        return parse(text)


def _has(text: str, letter: str) -> bool:
    """Whether a letter stands in a text, or may come of an escape in it."""
    code = ord(letter)
    escapes = rf"\\(?:x{code:02x}|u00{code:02x}|U000000{code:02x}|{code:03o})"
    return letter in text or ("\\" in text and re.search(escapes, text, re.IGNORECASE) is not None)


class _Letters:
    """The letters beyond ASCII of one expression."""

    def __init__(self, text: str, stand_in: str) -> None:
        self._text = text
        self._stand_in = stand_in
        self._places = [index for index, letter in enumerate(text) if letter > "\x7f"]

    def put_back(self, tree: Tree) -> Tree:
        if isinstance(tree, Text) and self._stand_in in tree.value:
            return tree._replace(value=self._filled(tree.value, tree.at))
        if isinstance(tree, Scalar) and tree.type == "bytes" and self._stand_in.encode() in tree.body:
            ((_number, _type, body),) = fields(tree.body)
            assert isinstance(body, bytes), "bytes are bytes"
            return tree._replace(body=sized(tag(_BYTES, LENGTH), self._filled_bytes(body, tree.at)))
        return mapped(tree, self.put_back)

    def _filled(self, value: str, at: int) -> str:
        parts = value.split(self._stand_in)
        letters = self._from(at, len(parts) - 1)
        return "".join([part + letter for part, letter in zip(parts, [*letters, ""], strict=True)])

    def _filled_bytes(self, value: bytes, at: int) -> bytes:
        parts = value.split(self._stand_in.encode())
        letters = self._from(at, len(parts) - 1)
        return b"".join([part + letter.encode() for part, letter in zip(parts, [*letters, ""], strict=True)])

    def _from(self, at: int, count: int) -> list[str]:
        """So many letters of a constant that begins here."""
        first = bisect_left(self._places, at)
        places = self._places[first : first + count]
        if not self._text.startswith(_QUOTES, at) or len(places) < count:
            raise _NotFoundError
        return [self._text[place] for place in places]
