"""Queries in the language of ``jq``: what they find in a JSON value.

The part of the language that selects and compares is understood: paths, iteration, pipes, ``select``, comparisons, arithmetic, ``//``,
``if``, lists and the functions of `jq_functions`. Definitions, variables, ``reduce`` and assignments are not, and are refused by name when
a query is read.
"""

import re
from functools import lru_cache
from typing import NamedTuple

import orjson

from svcsim import limits
from svcsim.meta.jq_filters import (
    SPECIAL,
    Filter,
    Fuel,
    alternative,
    applied,
    called,
    chosen,
    constant,
    each,
    field,
    indexed,
    itself,
    nothing,
    piped,
    recursive,
    sliced,
    tried,
)
from svcsim.meta.jq_functions import FUNCTIONS, JqError
from svcsim.meta.quoting import quoted
from svcsim.meta.types import Json

_TOKEN = re.compile(
    r"""\s*(?:\#[^\n]*\s*)*(?:
    (?P<field>\.[A-Za-z_][A-Za-z0-9_]*) | (?P<quoted>"(?:[^"\\]|\\.)*") | (?P<number>\d+(?:\.\d*)?(?:[eE][+-]?\d+)?|\.\d+)
    | (?P<op>\?//|//=?|\|=|\|\||==|!=|<=|>=|\.\.|[-+*/%]=|[.\[\](){},;:|<>+*/%?=@$-]) | (?P<word>[A-Za-z_][A-Za-z0-9_]*)
    )""",
    re.VERBOSE | re.ASCII,
)
_NOT_UNDERSTOOD = (
    "def",
    "reduce",
    "foreach",
    "try",
    "label",
    "import",
    "include",
    "as",
    "$",
    "@",
    "{",
    "|=",
    "=",
    "+=",
    "-=",
    "*=",
    "/=",
    "//=",
    "?//",
)


class Query(NamedTuple):
    """A query that has been read."""

    text: str
    run: Filter

    def results(self, value: Json) -> list[Json] | None:
        """What it finds; None where it breaks off, as where nothing is iterated over."""
        try:
            return list(self.run(value, Fuel()))
        except JqError:
            return None


@lru_cache(maxsize=limits.JQ_QUERIES)
def parse(text: str) -> Query:
    """The query that a text is. Raises `JqError`."""
    parser = _Parser(text)
    run = parser.pipe()
    parser.end()
    return Query(text, run)


class _Token(NamedTuple):
    sort: str
    text: str


class _Parser:
    """By recursive descent, from a text to filters made of filters."""

    def __init__(self, text: str) -> None:
        if len(text) > limits.JQ_QUERY_CHARS:
            raise JqError(f"longer than {limits.JQ_QUERY_CHARS} characters")
        self._tokens: list[_Token] = []
        at, rest = 0, text.rstrip()
        while at < len(rest):
            match = _TOKEN.match(rest, at)
            if match is None or match.lastgroup is None:
                raise JqError(f"unexpected {quoted(rest[at:].strip()[:10])}")
            self._tokens.append(_Token(match.lastgroup, match[match.lastgroup]))
            at = match.end()
        self._at = 0
        self._levels = 0

    # --- tokens ---

    def _peek(self) -> str:
        return self._tokens[self._at].text if self._at < len(self._tokens) else ""

    def _sort(self) -> str:
        return self._tokens[self._at].sort if self._at < len(self._tokens) else "end"

    def _take(self, *texts: str) -> str:
        """The next token if it is one of these; empty if it isn't."""
        found = self._peek()
        if self._sort() not in {"op", "word"} or found not in texts:
            return ""
        self._at += 1
        return found

    def _expect(self, text: str) -> None:
        if not self._take(text):
            raise self._unexpected(f", where {quoted(text)} should be")

    def _unexpected(self, more: str = "") -> JqError:
        found = self._peek()
        if found in _NOT_UNDERSTOOD:
            return JqError(f"{quoted(found)} is not understood here")
        return JqError(f"unexpected {quoted(found)}{more}" if found else f"unexpected end{more}")

    def end(self) -> None:
        if self._sort() != "end":
            raise self._unexpected()

    # --- from the loosest to the tightest ---

    def pipe(self) -> Filter:
        self._levels += 1
        if self._levels > limits.JQ_LEVELS:
            raise JqError(f"more than {limits.JQ_LEVELS} levels")
        left = self._comma()
        if self._take("|"):
            left = piped(left, self.pipe())
        self._levels -= 1
        return left

    def _comma(self) -> Filter:
        parts = [self._alternative()]
        while self._take(","):
            parts.append(self._alternative())
        return parts[0] if len(parts) == 1 else lambda value, fuel: (found for part in parts for found in part(value, fuel))

    def _alternative(self) -> Filter:
        left = self._binary(0)
        return alternative(left, self._alternative()) if self._take("//") else left

    def _binary(self, level: int) -> Filter:
        if level == len(_BINARY):
            return self._postfix()
        left = self._binary(level + 1)
        while operator := self._take(*_BINARY[level]):
            left = applied(operator, left, self._binary(level + 1))
        return left

    def _postfix(self) -> Filter:
        term = self._term()
        while True:
            if self._sort() == "field":
                term = piped(term, field(self._tokens[self._at].text[1:]))
                self._at += 1
            elif self._peek() == "." and self._at + 1 < len(self._tokens) and self._tokens[self._at + 1].text[:1] in ("[", '"'):
                self._at += 1
                if self._sort() == "quoted":
                    term = piped(term, field(self._string()))
            elif self._take("["):
                term = self._bracket(term)
            elif self._take("?"):
                term = tried(term)
            else:
                return term

    def _bracket(self, of: Filter) -> Filter:
        """What stands in brackets behind a term: an index, a slice, or nothing, which is all there is."""
        if self._take("]"):
            return piped(of, each)
        start: Filter = nothing if self._peek() == ":" else self.pipe()
        if not self._take(":"):
            self._expect("]")
            return indexed(of, start)
        end: Filter = nothing if self._peek() == "]" else self.pipe()
        self._expect("]")
        return sliced(of, start, end)

    def _term(self) -> Filter:
        sort, text = self._sort(), self._peek()
        if sort == "field":
            self._at += 1
            return field(text[1:])
        if sort == "quoted":
            return constant(self._string())
        if sort == "number":
            self._at += 1
            number = float(text)
            return constant(int(number) if number.is_integer() and "e" not in text.lower() else number)
        if self._take("."):
            return field(self._string()) if self._sort() == "quoted" else itself
        if self._take(".."):
            return recursive
        if self._take("-"):
            return applied("-", constant(0), self._postfix())
        if self._take("("):
            inner = self.pipe()
            self._expect(")")
            return inner
        if self._take("["):
            return self._collected()
        if sort == "word" and text not in _NOT_UNDERSTOOD:
            self._at += 1
            return self._word(text)
        raise self._unexpected()

    def _collected(self) -> Filter:
        if self._take("]"):
            return lambda _value, _fuel: iter(([],))
        inner = self.pipe()
        self._expect("]")
        return lambda value, fuel: iter((list(inner(value, fuel)),))

    def _word(self, name: str) -> Filter:
        if name in _CONSTANTS:
            return constant(_CONSTANTS[name])
        if name == "if":
            return self._condition()
        given: list[Filter] = []
        if self._take("("):
            given.append(self.pipe())
            while self._take(";"):
                given.append(self.pipe())
            self._expect(")")
        special = SPECIAL.get((name, len(given)))
        if special is not None:
            return special(*given)
        known = FUNCTIONS.get((name, len(given)))
        if known is None:
            raise JqError(f"function not defined: {name}/{len(given)}")
        return called(known, given)

    def _condition(self) -> Filter:
        condition = self.pipe()
        self._expect("then")
        then = self.pipe()
        otherwise: Filter = itself
        if self._take("elif"):
            return chosen(condition, then, self._condition())
        if self._take("else"):
            otherwise = self.pipe()
        self._expect("end")
        return chosen(condition, then, otherwise)

    def _string(self) -> str:
        text = self._peek()
        self._at += 1
        if "\\(" in text:
            raise JqError("values within texts are not understood")
        try:
            found: str = orjson.loads(text)
        except orjson.JSONDecodeError:
            raise JqError(f"invalid text {text}") from None
        return found


_BINARY = (("or",), ("and",), ("==", "!=", "<", "<=", ">", ">="), ("+", "-"), ("*", "/", "%"))
"""Operators, the loosest first."""
_CONSTANTS: dict[str, Json] = {"true": True, "false": False, "null": None}
