"""Brace expansion of bash: ``{1..5}``, ``{a,b}``, ``pre{x,{y,z}}``."""

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple, TypeAlias

from svcsim import limits
from svcsim.nodes.shell.syntax import Word, WordPart

_NUMBERS = re.compile(r"(-?\d{1,18})\.\.(-?\d{1,18})(?:\.\.(-?\d{1,18}))?")
_LETTERS = re.compile(r"([A-Za-z])\.\.([A-Za-z])(?:\.\.(-?\d{1,18}))?")
_LONGEST_RANGE = 64
_Item: TypeAlias = "str | WordPart"
"""A character that may belong to a brace expression, or a part that can't."""
_Items: TypeAlias = "list[_Item]"


class TooManyError(Exception):
    """A brace expression expands to too many words."""


class _Braces(NamedTuple):
    """The positions of a closing brace and of the commas before it."""

    end: int
    commas: tuple[int, ...]


def without_braces(word: Word) -> list[Word]:
    """The words that a word expands to; a very long one isn't expanded. Raises `TooManyError`."""
    if not any(part.kind == "text" and not part.quoted and "{" in part.text for part in word):
        return [word]
    items: _Items = []
    for part in word:
        items += part.text if part.kind == "text" and not part.quoted else [part]
    if len(items) > limits.SHELL_TRIMMED_CHARS:
        return [word]
    return [tuple(_joined(found)) for found in _expanded(items, 0)]


def _expanded(items: _Items, depth: int) -> list[_Items]:
    pairs, found, at = _pairs(items) if depth < limits.SHELL_LEVELS else {}, list[_Items]([[]]), 0
    while at < len(items):
        pair = pairs.get(at)
        alternatives = None if pair is None else _alternatives(items, at, pair, depth)
        if pair is None or alternatives is None:
            found = [[*one, items[at]] for one in found] if len(found) > 1 else [_with(found[0], items[at])]
            at += 1
            continue
        size = sum(map(len, found)) * len(alternatives) + sum(map(len, alternatives)) * len(found)
        if len(found) * len(alternatives) > limits.SHELL_WORDS or size > limits.SHELL_TEXT_CHARS:
            raise TooManyError
        found = [[*one, *other] for one in found for other in alternatives]
        at = pair.end + 1
    return found


def _with(items: _Items, item: _Item) -> _Items:
    items.append(item)
    return items


def _pairs(items: _Items) -> dict[int, _Braces]:
    """The pairs of braces, by the positions of the opening ones."""
    pairs: dict[int, _Braces] = {}
    open_ones: list[tuple[int, list[int]]] = []
    for at, item in enumerate(items):
        if item == "{":
            open_ones.append((at, []))
        elif item == "," and open_ones:
            open_ones[-1][1].append(at)
        elif item == "}" and open_ones:
            start, commas = open_ones.pop()
            pairs[start] = _Braces(at, tuple(commas))
    return pairs


def _alternatives(items: _Items, start: int, pair: _Braces, depth: int) -> list[_Items] | None:
    """The alternatives of a brace expression, or None if the braces are literal."""
    if pair.commas:
        bounds = (start, *pair.commas, pair.end)
        found: list[_Items] = []
        for before, behind in pairwise(bounds):
            found += _expanded(items[before + 1 : behind], depth + 1)
        return found
    if pair.end - start > _LONGEST_RANGE:
        return None
    within = items[start + 1 : pair.end]
    text = "".join(item for item in within if isinstance(item, str))
    return None if len(text) < len(within) else _ranged(text)


def _ranged(text: str) -> list[_Items] | None:
    numbers, letters = _NUMBERS.fullmatch(text), _LETTERS.fullmatch(text)
    if numbers is not None:
        width = max(len(end) if end.lstrip("-").startswith("0") and len(end) > 1 else 0 for end in numbers.groups()[:2])
        return [list(f"{number:0{width}d}") for number in _steps(int(numbers[1]), int(numbers[2]), numbers[3])]
    if letters is not None:
        return [[chr(code)] for code in _steps(ord(letters[1]), ord(letters[2]), letters[3])]
    return None


def _steps(first: int, last: int, step: str | None) -> Sequence[int]:
    size = abs(int(step or 1)) or 1
    if abs(last - first) // size >= limits.SHELL_WORDS:
        raise TooManyError
    return range(first, last + 1, size) if last >= first else range(first, last - 1, -size)


def _joined(items: _Items) -> Iterator[WordPart]:
    text: list[str] = []
    for item in items:
        if isinstance(item, str):
            text.append(item)
            continue
        if text:
            yield WordPart("text", "".join(text), False)
            text.clear()
        yield item
    if text:
        yield WordPart("text", "".join(text), False)
