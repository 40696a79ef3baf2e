"""What is wrong with text that should be JSON, and where, in the words of the field's tools.

The decoders say it each in their own way. This reader runs only over what one of them has refused; it decodes nothing.
"""

import re

from svcsim import limits

_SPACE = re.compile(rb"[ \t\r\n]*")
_PLAIN = re.compile(rb'[^"\\\x00-\x1f]*')
_DIGITS = re.compile(rb"[0-9]*")
_WORDS = {"t": "true", "f": "false", "n": "null"}
_CLOSING = {"{": "}", "[": "]"}
_LATIN_1 = 0x7F
"""From here on Go quotes bytes by what they are in Latin-1, where that can be printed."""


class JsonSyntaxError(ValueError):
    """The text is no JSON. ``offset`` counts bytes up to the wrong one, from 1; None where the text ends too early."""

    def __init__(self, words: str, offset: int | None) -> None:
        super().__init__(words)
        self.offset = offset


def end_of_value(body: bytes, start: int) -> int:
    """Where the value ends that begins at ``start``. Raises `JsonSyntaxError`."""
    reader = _Reader(body, start)
    reader.value()
    return reader.position


def wrong_with(body: bytes) -> str:
    """What is wrong with a text that should be one value and nothing else; empty where nothing is."""
    try:
        rest = body[end_of_value(body, 0) :].lstrip(b" \t\r\n")
    except JsonSyntaxError as error:
        return str(error) if error.offset is not None else "unexpected end of JSON input"
    return f"invalid character {_quoted(rest[0])} after top-level value" if rest else ""


class _Reader:
    """Goes through one value, without recursion."""

    def __init__(self, body: bytes, start: int) -> None:
        self.position = start
        self._body = body

    def value(self) -> None:
        around: list[str] = []
        """The brackets that stand open."""
        while True:
            char = self._next()
            if char in _CLOSING and len(around) >= limits.OBJECT_LEVELS:
                raise JsonSyntaxError(f"exceeded max depth: at most {limits.OBJECT_LEVELS} levels of nesting", self.position + 1)
            if char in _CLOSING and not self._closes_at_once(char):
                around.append(char)
                if char == "{":
                    self._key()
                continue
            if char not in _CLOSING:
                self._scalar(char)
            if not self._another(around):
                return

    def _closes_at_once(self, bracket: str) -> bool:
        self.position += 1
        closed = self._next() == _CLOSING[bracket]
        self.position += closed
        return closed

    def _another(self, around: list[str]) -> bool:
        """After a value: whether another one follows in what stands open. Brackets that close are taken."""
        while around:
            char = self._next()
            if char == ",":
                self.position += 1
                if around[-1] == "{":
                    self._key()
                return True
            if char != _CLOSING[around[-1]]:
                raise self._wrong("after object key:value pair" if around[-1] == "{" else "after array element")
            self.position += 1
            around.pop()
        return False

    def _key(self) -> None:
        if self._next() != '"':
            raise self._wrong("looking for beginning of object key string")
        self._string()
        if self._next() != ":":
            raise self._wrong("after object key")
        self.position += 1

    def _scalar(self, char: str) -> None:
        if char == '"':
            self._string()
        elif char in _WORDS:
            self._word(_WORDS[char])
        elif char == "-" or char.isdigit():
            self._number(char)
        else:
            raise self._wrong("looking for beginning of value")

    def _word(self, word: str) -> None:
        for expected in word:
            if self._here() != expected:
                raise self._wrong(f"in literal {word} (expecting {expected!r})")
            self.position += 1

    def _string(self) -> None:
        self.position += 1
        while True:
            self._over(_PLAIN)
            char = self._here()
            if char == '"':
                self.position += 1
                return
            if char != "\\":
                raise self._wrong("in string literal")
            self.position += 1
            self._escape()

    def _escape(self) -> None:
        char = self._here()
        if char not in '"\\/bfnrtu':
            raise self._wrong("in string escape code")
        self.position += 1
        for _ in range(4 if char == "u" else 0):
            if self._here() not in "0123456789abcdefABCDEF":
                raise self._wrong("in \\u hexadecimal character escape")
            self.position += 1

    def _number(self, char: str) -> None:
        if char == "-":
            self.position += 1
            char = self._digit("in numeric literal")
        self.position += 1
        if char != "0":
            self._over(_DIGITS)
        if self._body[self.position : self.position + 1] == b".":
            self.position += 1
            self._digit("after decimal point in numeric literal")
            self._over(_DIGITS)
        if self._body[self.position : self.position + 1] in (b"e", b"E"):
            self.position += 1
            self.position += self._here() in "+-"
            self._digit("in exponent of numeric literal")
            self._over(_DIGITS)

    def _digit(self, where: str) -> str:
        char = self._here()
        if char not in "0123456789":
            raise self._wrong(where)
        return char

    def _next(self) -> str:
        """The character after what space there is."""
        self._over(_SPACE)
        return self._here()

    def _here(self) -> str:
        if self.position >= len(self._body):
            raise JsonSyntaxError("unexpected EOF", None)
        return chr(self._body[self.position])

    def _over(self, pattern: re.Pattern[bytes]) -> None:
        found = pattern.match(self._body, self.position)
        self.position = found.end() if found else self.position

    def _wrong(self, where: str) -> JsonSyntaxError:
        return JsonSyntaxError(f"invalid character {_quoted(self._body[self.position])} {where}", self.position + 1)


def _quoted(byte: int) -> str:
    """A byte as Go quotes it where it is wrong."""
    char = chr(byte)
    if char == "'":
        return r"'\''"
    if char == '"':
        return "'\"'"
    escaped = {"\a": r"\a", "\b": r"\b", "\f": r"\f", "\n": r"\n", "\r": r"\r", "\t": r"\t", "\v": r"\v", "\\": r"\\"}.get(char)
    if escaped is None:
        escaped = char if char.isprintable() else f"\\u{byte:04x}" if byte > _LATIN_1 else f"\\x{byte:02x}"
    return f"'{escaped}'"
