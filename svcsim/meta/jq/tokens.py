r"""The tokens of a query. A text in it is a row of them, as there may be values within it: ``"a\(.b)c"``."""

import re
from typing import NamedTuple

import orjson

from svcsim.meta.jq.errors import JqError
from svcsim.meta.quoting import quoted

_BLANK = re.compile(r"(?:\s|\#[^\n]*)*", re.ASCII)
_TOKEN = re.compile(
    r"""
    (?P<field>\.[A-Za-z_][A-Za-z0-9_]*) | (?P<number>\d+(?:\.\d*)?(?:[eE][+-]?\d+)?|\.\d+(?:[eE][+-]?\d+)?) | (?P<text>")
    | (?P<variable>\$[A-Za-z_][A-Za-z0-9_]*) | (?P<format>@[A-Za-z0-9_]+)
    | (?P<op>\?//=?|//=?|\|=|==|!=|<=|>=|\.\.|[-+*/%]=|[.\[\](){},;:|<>+*/%?=-]) | (?P<word>[A-Za-z_][A-Za-z0-9_]*)
    """,
    re.VERBOSE | re.ASCII,
)
_PIECE = re.compile(r'(?:[^"\\]|\\[^(])*')
_ESCAPED_CONTROL = str.maketrans({chr(code): f"\\u{code:04x}" for code in range(32)})


class JqToken(NamedTuple):
    """``sort`` is one of the groups above, or of a text: ``text`` where it begins, ``piece``, ``inner`` and ``outer`` around a value."""

    sort: str
    text: str


def tokens_of(query: str) -> list[JqToken]:
    """Raises `JqError`."""
    found: list[JqToken] = []
    open_texts: list[int] = []  # of each text with a value being read within it, how many parentheses are open in that value
    at = _skipped(query, 0)
    while at < len(query):
        match = _TOKEN.match(query, at)
        if match is None or match.lastgroup is None:
            raise JqError(f"unexpected {quoted(query[at:].strip()[:10])}")
        sort, text, at = match.lastgroup, match[0], match.end()
        if open_texts and text in "()":
            open_texts[-1] += 1 if text == "(" else -1
        if open_texts and open_texts[-1] < 0:
            open_texts.pop()
            found.append(JqToken("outer", ")"))
            at = _read_piece(query, at, found, open_texts)
        else:
            found.append(JqToken(sort, text))
            at = _read_piece(query, at, found, open_texts) if sort == "text" else at
        at = _skipped(query, at)
    if open_texts:
        raise JqError("unexpected end in a text")
    return found


def _skipped(query: str, at: int) -> int:
    blank = _BLANK.match(query, at)
    return blank.end() if blank else at


def _read_piece(query: str, at: int, found: list[JqToken], open_texts: list[int]) -> int:
    """Read on in a text to its end, or to a value within it; gives where that is."""
    match = _PIECE.match(query, at)
    end = match.end() if match else at
    if end >= len(query):
        raise JqError("unexpected end in a text")
    try:
        piece: str = orjson.loads(f'"{query[at:end].translate(_ESCAPED_CONTROL)}"')
    except orjson.JSONDecodeError:
        raise JqError(f'invalid text "{query[at:end]}"') from None
    found.append(JqToken("piece", piece))
    if query[end] == '"':
        found.append(JqToken("end of text", '"'))
        return end + 1
    open_texts.append(0)
    found.append(JqToken("inner", "("))
    return end + 2
