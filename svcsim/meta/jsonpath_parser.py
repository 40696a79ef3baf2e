"""From the text of a JSONPath template to its nodes.

A template is text with ``{expressions}`` in it, each a path of small node tuples; `svcsim.meta.jsonpath` walks them.
"""

import re
from typing import NamedTuple, TypeAlias

from svcsim.meta.types import Json


class JsonPathError(Exception):
    """A template that can't be read, or doesn't fit the object."""


class Text(NamedTuple):
    """What is printed as it stands, or compared with."""

    value: Json


class FieldAccess(NamedTuple):
    """A key of a map."""

    name: str


class Wildcard(NamedTuple):
    """All items or values."""


class Recursive(NamedTuple):
    """The value and everything below it."""


class Slice(NamedTuple):
    """Some items of a list; ``single`` tells that just one was asked for."""

    start: int | None
    end: int | None
    step: int | None
    single: bool


class Either(NamedTuple):
    """What any of several expressions finds."""

    branches: tuple["Path", ...]


class Filter(NamedTuple):
    """Items of a list for which a comparison holds; without an operator: for which ``left`` finds something."""

    left: "Path"
    operator: str
    right: "Path"


class Range(NamedTuple):
    """A part of the template that is printed for each result of an expression."""

    over: "Path"
    body: "Template"


Node: TypeAlias = Text | FieldAccess | Wildcard | Recursive | Slice | Either | Filter
Path: TypeAlias = tuple[Node, ...]
Template: TypeAlias = tuple[Path | Range, ...]

_FIELD = re.compile(r"(?:\\.|[^\s.,\[\]$@{}\\])*", re.DOTALL)
_NUMBER = re.compile(r"[-+]?[0-9.]+")
_WORD = re.compile(r"\w+")
_SLICE = re.compile(r"(-?\d*)(:-?\d*)?(:-?\d*)?\Z")
_KEY = re.compile(r"'([^']*)'\Z")
_COMPARISON = re.compile(r"([^!<>=]+)([!<>=]+)(.+)\Z", re.DOTALL)
_RELAXED = re.compile(r"\{\.?([^{}]+)\}\Z|\.?([^{}]+)\Z")


def parse(template: str) -> Template:
    """The template, ready to be used often. Raises `JsonPathError`."""
    return _Parser(template).template()


def relaxed(expression: str) -> str:
    """A bare path as users write it for columns and sorting, ``metadata.name`` or ``.metadata.name``, as an expression."""
    if not expression:
        return expression
    match = _RELAXED.match(expression)
    if not match:
        raise JsonPathError("unexpected path string, expected a 'name1.name2' or '.name1.name2' or '{name1.name2}' or '{.name1.name2}'")
    return "{." + (match[1] or match[2]) + "}"


class _Parser:
    """Reads a template from left to right."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._at = 0

    def template(self) -> Template:
        parts, ended = self._parts()
        if ended:
            raise JsonPathError("not in range, nothing to end")
        return parts

    def _parts(self) -> tuple[Template, bool]:
        """Parts up to ``{end}`` or the end of the text, and whether it was ``{end}``."""
        parts: list[Path | Range] = []
        while self._at < len(self._text):
            brace = self._text.find("{", self._at)
            if brace < 0:
                brace = len(self._text)
            if brace > self._at:
                parts.append((Text(self._text[self._at : brace]),))
            self._at = brace
            if brace == len(self._text):
                break
            self._at += 1
            word, path = self._action()
            if word == "end":
                return tuple(parts), True
            if word == "range":
                body, ended = self._parts()
                if not ended:
                    raise JsonPathError("unterminated range")
                parts.append(Range(path, body))
            else:
                parts.append(path)
        return tuple(parts), False

    def _action(self) -> tuple[str, Path]:
        """The inside of ``{…}``: the word it begins with, if any, and its path."""
        word = ""
        nodes: list[Node] = []
        while True:
            char = self._text[self._at : self._at + 1]
            if char in ("", "\n", "\r"):
                raise JsonPathError("unclosed action")
            if char == "}":
                self._at += 1
                return word, tuple(nodes)
            if char.isalnum() or char == "_":
                match = _NUMBER.match(self._text, self._at) or _WORD.match(self._text, self._at)
                assert match, "an alphanumeric character begins a word"
                name = match[0]
                if name in ("range", "end"):
                    word = name
                    self._at = match.end()
                    continue
            nodes += self._node(char)

    def path(self) -> Path:
        """The whole text as one path, as inside a filter."""
        nodes: list[Node] = []
        while self._at < len(self._text):
            nodes += self._node(self._text[self._at])
        return tuple(nodes)

    def _node(self, char: str) -> list[Node]:
        if char in " \t@$":
            self._at += 1
            return []
        if self._text.startswith("[?(", self._at):
            return [self._filter()]
        if char == "[":
            return self._brackets()
        if self._text.startswith("..", self._at):
            self._at += 1
            following = self._text[self._at + 1 : self._at + 2]
            if following == ".":
                raise JsonPathError("invalid multiple recursive descent")
            if following in ("[", "}", "", " "):
                self._at += 1
            return [Recursive()]
        if char == ".":
            self._at += 1
            return [self._field()]
        if char in "\"'":
            return [self._quoted(char)]
        return [self._literal(char)]

    def _field(self) -> Node:
        match = _FIELD.match(self._text, self._at)
        assert match, "a field may be empty"
        self._at = match.end()
        return Wildcard() if match[0] == "*" else FieldAccess(match[0].replace("\\", ""))

    def _literal(self, char: str) -> Node:
        match = _NUMBER.match(self._text, self._at)
        if match:
            self._at = match.end()
            try:
                return Text(int(match[0]))
            except ValueError:
                pass
            try:
                return Text(float(match[0]))
            except ValueError:
                raise JsonPathError(f"cannot parse number {match[0]}") from None
        match = _WORD.match(self._text, self._at)
        if not match:
            raise JsonPathError(f"unrecognized character in action: U+{ord(char):04X} '{char}'")
        self._at = match.end()
        if match[0] in ("true", "false"):
            return Text(match[0] == "true")
        raise JsonPathError(f"unrecognized identifier {match[0]}")

    def _quoted(self, mark: str) -> Text:
        end = self._at + 1
        while end < len(self._text) and self._text[end] != mark:
            end += 2 if self._text[end] == "\\" else 1
        if end >= len(self._text):
            raise JsonPathError("unterminated quoted string")
        text = self._text[self._at + 1 : end]
        self._at = end + 1
        return Text(re.sub(r"\\(.)", _unescape, text))

    def _brackets(self) -> list[Node]:
        end = self._text.find("]", self._at)
        if end < 0:
            raise JsonPathError("unterminated array")
        inside = self._text[self._at + 1 : end]
        self._at = end + 1
        branches = inside.split(",")
        if len(branches) > 1:
            return [Either(tuple(_Parser(f"[{branch.strip()}]").path() for branch in branches))]
        if inside == "*":
            return [Wildcard()]
        key = _KEY.match(inside)
        if key:
            return list(_Parser(f".{key[1]}").path())
        numbers = _SLICE.match(inside)
        if not numbers or not inside:
            raise JsonPathError(f"invalid array index {inside}")
        return [_slice_of(*numbers.groups())]

    def _filter(self) -> Filter:
        start = self._at + 3
        depth, at, mark = 1, start, ""
        while at < len(self._text) and depth:
            char = self._text[at]
            if mark:
                mark = "" if char == mark else mark
            elif char in "\"'":
                mark = char
            else:
                depth += (char == "(") - (char == ")")
            at += 1
        if depth or self._text[at : at + 1] != "]":
            raise JsonPathError("unterminated filter")
        inside = self._text[start : at - 1]
        self._at = at + 1
        comparison = _COMPARISON.match(inside)
        if not comparison:
            return Filter(_Parser(inside.strip()).path(), "", ())
        left, operator, right = comparison.groups()
        return Filter(_Parser(left.strip()).path(), operator, _Parser(right.strip()).path())


def _slice_of(first: str, second: str | None, third: str | None) -> Slice:
    start = int(first) if first not in ("", "-") else None
    if second is None:
        index = start or 0
        return Slice(index, index + 1, None, single=True)
    numbers = [int(part[1:]) if part and part[1:] not in ("", "-") else None for part in (second, third)]
    return Slice(start, numbers[0], numbers[1], single=False)


_ESCAPES = {"n": "\n", "t": "\t", "r": "\r"}


def _unescape(match: re.Match[str]) -> str:
    return _ESCAPES.get(match[1], match[1])
