"""Checks the types of an expression before it is evaluated: that what it names is there, and that what it calls takes what it is given.

The CEL library checks types, too, but knows no fields of objects, and compares no numbers of two types. So a tree is walked here, and the
library is asked of each call alone (`svcsim.schema.cel.overloads`). What may be anything takes part in everything.
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from svcsim.schema.cel.format_clauses import FormatError, Value, check_format
from svcsim.schema.cel.literals import wrong_literal
from svcsim.schema.cel.overloads import OverloadError, Overloads
from svcsim.schema.cel.trees import Call, Entries, Loop, Name, Scalar, Selected, Text, Tree, Written
from svcsim.schema.cel.value_types import BOOL, DYN, INT, TEXT, ValueType, are_different, list_type, optional_type

Scope = Mapping[str, ValueType]
_LIST, _MAP = ValueType("list"), ValueType("map")
_WELL_KNOWN = "google.protobuf."
"""How the names of messages begin that the language has."""
_UNDECLARED = "undeclared reference to '{}' (in container '')"


class Mistake(NamedTuple):
    """What is wrong with an expression, and where in its text."""

    at: int
    told: str


class Checked(NamedTuple):
    """What an expression comes to, and all that is wrong with it."""

    type: ValueType
    mistakes: list[Mistake]
    written: list[ValueType]
    """What the fields are of the objects that it constructs."""


def checked(tree: Tree, scope: Scope, overloads: Overloads, constructed: Mapping[int, ValueType]) -> Checked:
    """An expression of these variables, whose macros have been expanded. Maps that begin at these places are objects of these types."""
    walk = _Walk(overloads, constructed)
    found = walk.type_of(tree, scope)
    return Checked(found, sorted(walk.mistakes or dict.fromkeys(walk.wrong_texts)), walk.written)


class _Walk:
    """Once through a tree."""

    def __init__(self, overloads: Overloads, constructed: Mapping[int, ValueType]) -> None:
        self.mistakes: list[Mistake] = []
        self.wrong_texts: list[Mistake] = []
        """Texts that mean nothing to the functions they are given to, which matters once all types fit."""
        self.written: list[ValueType] = []
        self._items: dict[int, list[Value]] = {}
        """What is in the lists and the maps that are written down, by which tree each is."""
        self._overloads = overloads
        self._constructed = constructed
        self._mixed = False
        """Whether lists and maps may have items of several types, as what texts are made of may."""

    def type_of(self, tree: Tree, scope: Scope) -> ValueType:
        match tree:
            case Text():
                return TEXT
            case Scalar(kind):
                return ValueType(kind)
            case Name(name, at):
                return scope[name] if name in scope else self._named(name, at)
            case Selected():
                return self._selected(tree, scope)
            case Call():
                return self._call(tree, scope)
            case Written():
                return self._written(tree, scope)
            case Entries():
                return self._entries(tree, scope)
            case Loop():
                return self._loop(tree, scope)

    def _wrong(self, at: int, told: str) -> ValueType:
        """What is wrong is wrong once: its type takes part in everything."""
        mistake = Mistake(at, told)
        if mistake not in self.mistakes:
            self.mistakes.append(mistake)
        return DYN

    def _named(self, name: str, at: int) -> ValueType:
        """A type, which is a value as well."""
        return self._overloads.type_of_name(name) or self._wrong(at, _UNDECLARED.format(name))

    def _selected(self, tree: Selected, scope: Scope) -> ValueType:
        of = self.type_of(tree.of, scope)
        found = self._field(of, tree.name, tree.at)
        return BOOL if tree.asked else found

    def _field(self, of: ValueType, name: str, at: int) -> ValueType:
        match of.name:
            case "optional_type":
                return optional_type(self._field(of.first, name, at))
            case "map":
                return of.last
            case "dyn":
                return DYN
        if of.fields is None:
            return self._wrong(at, f"type '{of}' does not support field selection")
        return of.fields.type_of(name) or self._wrong(at, f"undefined field '{name}'")

    def _call(self, tree: Call, scope: Scope) -> ValueType:
        if tree.function == "_?._" and isinstance(field := tree.arguments[1], Text):
            found = self._field(self.type_of(tree.arguments[0], scope), field.value, tree.at)
            return found if found.name == "optional_type" else optional_type(found)
        given = self._arguments(tree, scope)
        if tree.function == "@not_strictly_false":
            return BOOL
        if tree.function in ("@inserted", "@merged"):
            return self._larger_map(tree, given)
        self._check_texts(tree)
        try:
            return self._overloads.result(tree.function, given, member=tree.member)
        except OverloadError as error:
            return self._wrong(tree.at, str(error))

    def _check_texts(self, tree: Call) -> None:
        wrong = wrong_literal(tree)
        if wrong is not None:
            self.wrong_texts.append(Mistake(wrong.at, f"invalid {tree.function} argument"))
        match tree:
            case Call("format", (Text(text), Written() as values), True):
                try:
                    check_format(text, self._items[id(values)])
                except FormatError as error:
                    self.wrong_texts.append(Mistake(tree.at if error.at is None else error.at, str(error)))

    def _arguments(self, tree: Call, scope: Scope) -> list[ValueType]:
        before, self._mixed = self._mixed, self._mixed or tree.function == "format"
        given = [self.type_of(one, scope) for one in tree.arguments]
        self._mixed = before
        return given

    def _larger_map(self, tree: Call, given: list[ValueType]) -> ValueType:
        if tree.function == "@inserted":
            return ValueType("map", (given[1], given[2]))
        if given[1].name not in ("map", "dyn"):
            return self._wrong(tree.at, f"found no matching overload for 'cel.@mapInsert' applied to '({given[0]}, {given[1]})'")
        return given[1] if given[1].of else ValueType("map", (DYN, DYN))

    def _written(self, tree: Written, scope: Scope) -> ValueType:
        kinds = [self.type_of(one, scope) for one in tree.items]
        self._items[id(tree)] = self._values(tree.items, kinds)
        if not kinds:
            return _LIST
        return list_type(self._one_of([kind.first if index in tree.optional else kind for index, kind in enumerate(kinds)], tree.items))

    def _entries(self, tree: Entries, scope: Scope) -> ValueType:
        values = [self.type_of(entry.value, scope) for entry in tree.entries]
        if tree.message:
            return DYN if tree.message.startswith(_WELL_KNOWN) else self._wrong(tree.at, _UNDECLARED.format(tree.message))
        made = self._constructed.get(tree.at)
        if made is not None:
            self.written += [kind for entry in tree.entries for kind in self._kinds(entry.value, scope)]
            return self._object(made, tree, values)
        keys = [self.type_of(entry.key, scope) for entry in tree.entries]
        self._items[id(tree)] = [
            *self._values([entry.key for entry in tree.entries], keys),
            *self._values([entry.value for entry in tree.entries], values),
        ]
        if not keys:
            return _MAP
        values = [kind.first if entry.optional else kind for entry, kind in zip(tree.entries, values, strict=True)]
        of_keys = self._one_of(keys, [entry.key for entry in tree.entries])
        return ValueType("map", (of_keys, self._one_of(values, [entry.value for entry in tree.entries])))

    def _object(self, made: ValueType, tree: Entries, values: list[ValueType]) -> ValueType:
        for entry, value in zip(tree.entries, values, strict=True):
            assert isinstance(entry.key, Text)
            wanted, given = self._field(made, entry.key.value, entry.key.at), value.first if entry.optional else value
            if are_different(wanted, given):
                told = f"expected type of field '{entry.key.value}' is '{_told(wanted)}' but provided type is '{_told(given)}'"
                self._wrong(entry.key.at, told)
        return made

    def _kinds(self, tree: Tree, scope: Scope) -> list[ValueType]:
        """What a value may be of, and what is in it, whatever it is said to be."""
        match tree:
            case Call("dyn", (one,)):
                return self._kinds(one, scope)
            case Call("_?_:_", (_, one, other)):
                return [*self._kinds(one, scope), *self._kinds(other, scope)]
            case Written(items):
                return [kind for item in items for kind in self._kinds(item, scope)]
            case Entries(entries) if tree.at not in self._constructed:
                return [kind for entry in entries for kind in self._kinds(entry.value, scope)]
        return [self.type_of(tree, scope)]

    def _values(self, trees: Sequence[Tree], kinds: Sequence[ValueType]) -> list[Value]:
        return [Value(tree.at, kind, self._items.get(id(tree), ())) for tree, kind in zip(trees, kinds, strict=True)]

    def _one_of(self, kinds: list[ValueType], items: Sequence[Tree]) -> ValueType:
        """The type of all items of a list, which may be of one alone."""
        first = kinds[0]
        if not self._mixed:
            other = next((index for index, kind in enumerate(kinds) if are_different(first, kind)), None)
            if other is not None:
                return self._wrong(items[other].at, f"expected type '{_told(first)}' but found '{_told(kinds[other])}'")
        return first if all(kind == first for kind in kinds) else DYN

    def _loop(self, tree: Loop, scope: Scope) -> ValueType:
        over = self.type_of(tree.range, scope)
        start = self.type_of(tree.start, scope)
        variables = self._variables(over, tree)
        step = self.type_of(tree.step, {**scope, **variables, tree.name: start})
        kept = start if start not in (_LIST, _MAP) else step
        self.type_of(tree.condition, {**scope, **variables, tree.name: kept})
        return self.type_of(tree.result, {**scope, tree.name: kept})

    def _variables(self, over: ValueType, tree: Loop) -> dict[str, ValueType]:
        match over.name:
            case "list":
                first, second = (INT, over.first) if tree.second else (over.first, DYN)
            case "map":
                first, second = over.first, over.last
            case "dyn":
                first = second = DYN
            case _:
                told = f"expression of type '{over}' cannot be range of a comprehension (must be list, map, or dynamic)"
                first = second = self._wrong(tree.range.at, told)
        return {tree.item: first, tree.second: second} if tree.second else {tree.item: first}


def _told(kind: ValueType) -> str:
    """A type, as it is called in what is told of mistakes."""
    return str(kind).replace("null_type", "null")
