"""The tokens of a template.

They are made as the parser asks for them, so that it sees a mistake only after all that stands before it.
"""

import re
from collections.abc import Iterator
from enum import Enum
from typing import NamedTuple

from svcsim.meta.go_values import quote


class Sort(Enum):
    """What a token is."""

    TEXT = "text"
    OPEN = "left delim"
    CLOSE = "right delim"
    SPACE = "space"
    FIELD = "field"
    VARIABLE = "variable"
    NAME = "identifier"
    KEYWORD = "keyword"
    NUMBER = "number"
    CHARACTER = "character"
    STRING = "string"
    RAW_STRING = "raw string"
    DOT = "dot"
    NIL = "nil"
    BOOL = "bool"
    PIPE = "|"
    ASSIGN = "="
    DECLARE = ":="
    LEFT_PAREN = "("
    RIGHT_PAREN = ")"
    OTHER = "char"
    ERROR = "error"
    END = "EOF"


class Token(NamedTuple):
    sort: Sort
    text: str
    position: int
    line: int

    def __str__(self) -> str:
        """As messages spell it."""
        if self.sort is Sort.END:
            return "EOF"
        if self.sort is Sort.ERROR:
            return self.text
        if self.sort in (Sort.KEYWORD, Sort.DOT, Sort.NIL):
            return f"<{self.text}>"
        return f"{quote(self.text[:10])}..." if len(self.text) > 10 else quote(self.text)


KEYWORDS = ("block", "break", "continue", "define", "else", "end", "if", "range", "template", "with")
_BLANKS = " \t\r\n"
_CLOSE = re.compile(r"[ \t\r\n]-\}\}|\}\}")
_SPACE = re.compile(r"[ \t\r\n]+?(?=[ \t\r\n]-\}\}|[^ \t\r\n]|\Z)")
_NUMBER = re.compile(
    r"[+-]?(?:0[xX][0-9a-fA-F_]*(?:\.[0-9a-fA-F_]*)?(?:[pP][+-]?[0-9_]+)?|0[bB][01_]*|0[oO][0-7_]*"
    r"|[0-9_]*(?:\.[0-9_]*)?(?:[eE][+-]?[0-9_]+)?)i?"
)
_WORD = re.compile(r"\w*")
_QUOTED = {
    '"': (re.compile(r'"(?:\\[^\n]|[^"\\\n])*"'), Sort.STRING, "unterminated quoted string"),
    "'": (re.compile(r"'(?:\\[^\n]|[^'\\\n])*'"), Sort.CHARACTER, "unterminated character constant"),
    "`": (re.compile(r"`[^`]*`"), Sort.RAW_STRING, "unterminated raw quoted string"),
}


class _MistakeError(Exception):
    """The text can't go on like this."""


def tokens(text: str) -> Iterator[Token]:
    """The tokens of a template; the last one is an END or an ERROR."""
    position, trim = 0, False
    while True:
        start = text.find("{{", position)
        piece = text[position : start if start >= 0 else len(text)]
        end = position + len(piece)
        kept = position + len(piece) - len(piece.lstrip(_BLANKS)) if trim else position
        trimmed_before = start >= 0 and text.startswith("{{-", start) and text[start + 3 : start + 4] in tuple(_BLANKS)
        shown = text[kept:end].rstrip(_BLANKS) if trimmed_before else text[kept:end]
        if shown:
            yield _token(Sort.TEXT, text, kept, shown)
        if start < 0:
            yield _token(Sort.END, text, len(text), "")
            return
        position, trim = start + (4 if trimmed_before else 2), False
        try:
            if text.startswith("/*", position):
                position, trim = _after_comment(text, position)
                continue
            yield _token(Sort.OPEN, text, start, "{{")
            for token in _action(text, position):
                position = token.position + len(token.text)
                yield token
        except _MistakeError as mistake:
            yield Token(Sort.ERROR, str(mistake), position, text.count("\n", 0, position) + 1)
            return
        trim = token.text != "}}"


def _token(sort: Sort, text: str, position: int, spelled: str) -> Token:
    return Token(sort, spelled, position, text.count("\n", 0, position) + 1)


def _after_comment(text: str, position: int) -> tuple[int, bool]:
    """Where the text goes on after a comment, and whether blanks are trimmed there."""
    end = text.find("*/", position + 2)
    if end < 0:
        raise _MistakeError("unclosed comment")
    close = _CLOSE.match(text, end + 2)
    if close is None:
        raise _MistakeError("comment ends before closing delimiter")
    return close.end(), close.group() != "}}"


def _action(text: str, position: int) -> Iterator[Token]:
    """The tokens of one action, with what closes it."""
    parens = 0
    while True:
        close = _CLOSE.match(text, position)
        if close:
            if parens:
                raise _MistakeError("unclosed left paren")
            yield _token(Sort.CLOSE, text, position, close.group())
            return
        token = _one(text, position)
        parens += {Sort.LEFT_PAREN: 1, Sort.RIGHT_PAREN: -1}.get(token.sort, 0)
        if parens < 0:
            raise _MistakeError("unexpected right paren")
        yield token
        position += len(token.text)


def _one(text: str, position: int) -> Token:
    char = text[position : position + 1]
    if not char:
        raise _MistakeError("unclosed action")
    if char in _BLANKS:
        return _match(_SPACE, Sort.SPACE, text, position)
    if char in _QUOTED:
        pattern, sort, otherwise = _QUOTED[char]
        if not pattern.match(text, position):
            raise _MistakeError(otherwise)
        return _match(pattern, sort, text, position)
    if char in "+-0123456789" or (char == "." and text[position + 1 : position + 2].isdigit()):
        return _number(text, position)
    if char in ".$":
        return _field_or_variable(text, position)
    if char == "_" or char.isalnum():
        return _word(text, position)
    if text.startswith(":=", position):
        return _token(Sort.DECLARE, text, position, ":=")
    if char == ":":
        raise _MistakeError("expected :=")
    simple = {"=": Sort.ASSIGN, "|": Sort.PIPE, "(": Sort.LEFT_PAREN, ")": Sort.RIGHT_PAREN}
    if char in simple or (char.isascii() and char.isprintable()):
        return _token(simple.get(char, Sort.OTHER), text, position, char)
    raise _MistakeError(f"unrecognized character in action: {_code_point(char)}")


def _match(pattern: re.Pattern[str], sort: Sort, text: str, position: int) -> Token:
    found = pattern.match(text, position)
    assert found is not None, "the first character said what follows"
    return _token(sort, text, position, found.group())


def _number(text: str, position: int) -> Token:
    token = _match(_NUMBER, Sort.NUMBER, text, position)
    after = text[position + len(token.text) : position + len(token.text) + 1]
    if after == "_" or after.isalnum():
        raise _MistakeError(f"bad number syntax: {quote(token.text + after)}")
    return token


def _field_or_variable(text: str, position: int) -> Token:
    found = _WORD.match(text, position + 1)
    assert found is not None, "the pattern matches nothing, too"
    spelled = text[position : found.end()]
    _check_end(text, found.end())
    if spelled == ".":
        return _token(Sort.DOT, text, position, spelled)
    return _token(Sort.FIELD if spelled[0] == "." else Sort.VARIABLE, text, position, spelled)


def _word(text: str, position: int) -> Token:
    token = _match(_WORD, Sort.NAME, text, position)
    _check_end(text, position + len(token.text))
    if token.text in ("true", "false"):
        return token._replace(sort=Sort.BOOL)
    if token.text == "nil":
        return token._replace(sort=Sort.NIL)
    return token._replace(sort=Sort.KEYWORD) if token.text in KEYWORDS else token


def _check_end(text: str, position: int) -> None:
    char = text[position : position + 1]
    if char and char not in " \t\r\n.,|:()" and not text.startswith("}}", position):
        raise _MistakeError(f"bad character {_code_point(char)}")


def _code_point(char: str) -> str:
    return f"U+{ord(char):04X}" + (f" '{char}'" if char.isprintable() else "")
