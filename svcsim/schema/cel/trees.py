"""Parsed expressions as trees, read from the form in which the CEL library serializes them, and written in it again.

What an expression costs is told from its tree, its types are checked there, and what the library can't parse is put in its place.
"""

from collections.abc import Callable, Iterator, Mapping
from typing import NamedTuple, cast

from svcsim.schema.wire import LENGTH, VARINT, Payload, fields, sized, tag, varint


class Text(NamedTuple):
    """A text, or a pattern, as it is written."""

    value: str
    at: int = 0


class Scalar(NamedTuple):
    """A number, a truth or whatever else has no parts, in the form of the library."""

    type: str = "null_type"
    body: bytes = b""
    at: int = 0


class Name(NamedTuple):
    """A variable."""

    name: str
    at: int = 0


class Selected(NamedTuple):
    """A field of what an expression gives; or the question whether it is there."""

    of: "Tree"
    name: str
    asked: bool
    at: int = 0


class Call(NamedTuple):
    """A function or an operator; what it is called on comes first."""

    function: str
    arguments: "tuple[Tree, ...]"
    member: bool = False
    at: int = 0


class Written(NamedTuple):
    """A list as it is written."""

    items: "tuple[Tree, ...]"
    optional: frozenset[int] = frozenset()
    """Which items are left out where they are optional values without one."""
    at: int = 0


class Entry(NamedTuple):
    """An entry of a map literal."""

    key: "Tree"
    value: "Tree"
    optional: bool = False


class Entries(NamedTuple):
    """A map as it is written, or an object of a type with a name."""

    entries: tuple[Entry, ...]
    message: str = ""
    at: int = 0


class Loop(NamedTuple):
    """What all macros come to: steps that make one value of another, one for each item of a range."""

    item: str
    range: "Tree"
    name: str
    start: "Tree"
    condition: "Tree"
    step: "Tree"
    result: "Tree"
    second: str = ""
    """The name of the value, where ``item`` is that of the index, or of the key."""
    at: int = 0


Tree = Text | Scalar | Name | Selected | Call | Written | Entries | Loop
_Parts = dict[int, list[Payload]]
_TYPES = {1: "null_type", 2: "bool", 3: "int", 4: "uint", 5: "double", 7: "bytes", 8: "duration", 9: "timestamp"}
_TEXT_CONSTANT = 6
_FORM = b"type.googleapis.com/cel.expr.ParsedExpr"


def boolean(value: bool) -> Scalar:
    """A truth."""
    return Scalar("bool", tag(2, VARINT) + varint(value))


def integer(value: int) -> Scalar:
    """A number."""
    return Scalar("int", tag(3, VARINT) + varint(value))


def mapped(tree: Tree, change: "Callable[[Tree], Tree]") -> Tree:
    """A tree with each of its direct parts changed."""
    if isinstance(tree, Call):
        return Call(tree.function, tuple([change(one) for one in tree.arguments]), tree.member, tree.at)
    if isinstance(tree, Selected):
        return Selected(change(tree.of), tree.name, tree.asked, tree.at)
    if isinstance(tree, Loop):
        over, start, condition, step, result = map(change, (tree.range, tree.start, tree.condition, tree.step, tree.result))
        return Loop(tree.item, over, tree.name, start, condition, step, result, tree.second, tree.at)
    if isinstance(tree, Written):
        return Written(tuple([change(one) for one in tree.items]), tree.optional, tree.at)
    if isinstance(tree, Entries):
        entries = [Entry(change(one.key), change(one.value), one.optional) for one in tree.entries]
        return Entries(tuple(entries), tree.message, tree.at)
    return tree


def parts(tree: Tree) -> "tuple[Tree, ...]":
    """The direct parts of a tree."""
    match tree:
        case Call():
            return tree.arguments
        case Selected():
            return (tree.of,)
        case Loop():
            return tree.range, tree.start, tree.condition, tree.step, tree.result
        case Written():
            return tree.items
        case Entries():
            return tuple([part for entry in tree.entries for part in (entry.key, entry.value)])
    return ()


def names(tree: Tree) -> "Iterator[str]":
    """The names of all variables in a tree, including those of its loops."""
    if isinstance(tree, Name):
        yield tree.name
    for part in parts(tree):
        yield from names(part)


def replaced(tree: Tree, others: "Mapping[str, Tree]") -> Tree:
    """A tree with others in the place of variables; names of the tree's own loops are none of these."""
    if isinstance(tree, Name):
        return others.get(tree.name, tree)
    if isinstance(tree, Loop):
        left = {name: other for name, other in others.items() if name not in (tree.item, tree.second, tree.name)}
        over, start = replaced(tree.range, others), replaced(tree.start, others)
        condition, step, result = (replaced(one, left) for one in (tree.condition, tree.step, tree.result))
        return tree._replace(range=over, start=start, condition=condition, step=step, result=result)
    return mapped(tree, lambda one: replaced(one, others))


def tree(serialized: bytes) -> Tree:
    """The tree of a serialized expression that has been parsed: a message with its type beside it."""
    parsed = _parts(_one(_parts(serialized), 2))
    return _Reader(_places(_one(parsed, 3))).tree(_one(parsed, 2))


def serialized(tree: Tree) -> bytes:
    """A tree in the form that the library reads."""
    return _field(1, _FORM) + _field(2, _field(2, _Writer().expression(tree)))


def _places(source: bytes) -> Mapping[int, int]:
    """Where in the text each part stands."""
    found = {}
    for entry in _parts(source).get(4, ()):
        pair = {number: value for number, _type, value in fields(cast(bytes, entry))}
        found[cast(int, pair.get(1, 0))] = cast(int, pair.get(2, 0))
    return found


class _Reader:
    """Reads all parts of one expression."""

    def __init__(self, places: Mapping[int, int]) -> None:
        self._places = places
        self._readers: dict[int, Callable[[bytes, int], Tree]] = {
            3: _constant,
            4: lambda body, at: Name(_text(_parts(body), 1), at),
            5: self._selected,
            6: self._call,
            7: self._items,
            8: self._entries,
            9: self._loop,
        }

    def tree(self, message: bytes) -> Tree:
        at = 0
        for number, _type, body in fields(message):
            if number == 2:
                at = self._places.get(cast(int, body), 0)
            elif number in self._readers:
                return self._readers[number](cast(bytes, body), at)
        return Scalar(at=at)

    def _trees(self, parts: _Parts, number: int) -> tuple[Tree, ...]:
        return tuple([self.tree(cast(bytes, one)) for one in parts.get(number, ())])

    def _selected(self, body: bytes, at: int) -> Tree:
        parts = _parts(body)
        return Selected(self.tree(_one(parts, 1)), _text(parts, 2), 3 in parts, at)

    def _call(self, body: bytes, at: int) -> Tree:
        parts = _parts(body)
        target = self._trees(parts, 1)
        return Call(_text(parts, 2), (*target, *self._trees(parts, 3)), bool(target), at)

    def _items(self, body: bytes, at: int) -> Tree:
        parts = _parts(body)
        optional: list[int] = []
        for value in parts.get(2, ()):
            optional += [value] if isinstance(value, int) else list(value)
        return Written(self._trees(parts, 1), frozenset(optional), at)

    def _entries(self, body: bytes, at: int) -> Tree:
        parts = _parts(body)
        return Entries(tuple([self._entry(cast(bytes, one)) for one in parts.get(2, ())]), _text(parts, 1), at)

    def _entry(self, body: bytes) -> Entry:
        parts = _parts(body)
        key = _one(parts, 3)
        return Entry(self.tree(key) if key else Text(_text(parts, 2)), self.tree(_one(parts, 4)), 5 in parts)

    def _loop(self, body: bytes, at: int) -> Tree:
        parts = _parts(body)
        over, start, condition, step, result = (self.tree(_one(parts, number)) for number in (2, 4, 5, 6, 7))
        return Loop(_text(parts, 1), over, _text(parts, 3), start, condition, step, result, _text(parts, 8), at)


def _constant(body: bytes, at: int) -> Tree:
    for number, _type, value in fields(body):
        if number == _TEXT_CONSTANT:
            return Text(cast(bytes, value).decode("utf-8", "replace"), at)
        return Scalar(_TYPES.get(number, "dyn"), body, at)
    return Scalar(body=body, at=at)


class _Writer:
    """Writes all parts of one expression, each with a number of its own."""

    def __init__(self) -> None:
        self._last = 0

    def expression(self, tree: Tree) -> bytes:
        self._last += 1
        head = tag(2, VARINT) + varint(self._last)
        match tree:
            case Text(value):
                return head + _field(3, _field(_TEXT_CONSTANT, value.encode()))
            case Scalar(_type, body):
                return head + _field(3, body)
            case Name(name):
                return head + _field(4, _field(1, name.encode()))
            case Selected(of, name, asked):
                return head + _field(5, self._part(1, of) + _field(2, name.encode()) + _flagged(3, asked))
            case Call(function, arguments, member):
                return head + _field(6, self._call(function, arguments, member))
            case Written(items, optional):
                chosen = b"".join(tag(2, VARINT) + varint(index) for index in sorted(optional))
                return head + _field(7, b"".join(self._part(1, one) for one in items) + chosen)
            case Entries(entries, message):
                return head + _field(8, _field(1, message.encode()) + b"".join(self._entry(one, message) for one in entries))
            case Loop():
                return head + _field(9, self._loop(tree))

    def _part(self, number: int, tree: Tree) -> bytes:
        return _field(number, self.expression(tree))

    def _call(self, function: str, arguments: tuple[Tree, ...], member: bool) -> bytes:
        target = self._part(1, arguments[0]) if member else b""
        return target + _field(2, function.encode()) + b"".join(self._part(3, one) for one in arguments[member:])

    def _entry(self, entry: Entry, message: str) -> bytes:
        self._last += 1
        key = _field(2, entry.key.value.encode()) if message and isinstance(entry.key, Text) else self._part(3, entry.key)
        return _field(2, tag(1, VARINT) + varint(self._last) + key + self._part(4, entry.value) + _flagged(5, entry.optional))

    def _loop(self, loop: Loop) -> bytes:
        names = _field(1, loop.item.encode()) + _field(3, loop.name.encode()) + (_field(8, loop.second.encode()) if loop.second else b"")
        parts = ((2, loop.range), (4, loop.start), (5, loop.condition), (6, loop.step), (7, loop.result))
        return names + b"".join(self._part(number, one) for number, one in parts)


def _field(number: int, body: bytes) -> bytes:
    return sized(tag(number, LENGTH), body)


def _flagged(number: int, value: bool) -> bytes:
    return tag(number, VARINT) + b"\x01" if value else b""


def _parts(message: bytes) -> _Parts:
    """All fields of a message by their numbers."""
    found: _Parts = {}
    for number, _type, value in fields(message):
        found.setdefault(number, []).append(value)
    return found


def _one(parts: _Parts, wanted: int) -> bytes:
    return cast(bytes, parts[wanted][-1]) if wanted in parts else b""


def _text(parts: _Parts, wanted: int) -> str:
    return _one(parts, wanted).decode("utf-8", "replace")
