"""How large a value is, and its parts: all that has to be known of it to tell what an expression about it costs.

A shape stands for every value that is no larger: the shape of a list's items is as large as the largest of them in every respect.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import reduce

_NODE, _CHAR = 4.0, 0.1
"""What looking at a value costs, and at one character of a text: about 50 ns are 1."""


@dataclass(slots=True, eq=False)
class Shape:
    """How large a value is at most. Nobody changes one."""

    weight: float = _NODE
    """What looking at all of it costs."""
    items: int = 0
    chars: int = 0
    """The length of a text."""
    fields: "Mapping[str, Shape] | None" = None
    item: "Shape | None" = None
    """The largest item of a list, or value of a map."""
    key: "Shape | None" = None
    """The largest key of a map."""


SCALAR = Shape()


def text(chars: int) -> Shape:
    """The shape of a text."""
    return Shape(_NODE + chars * _CHAR, chars=chars)


def list_of(items: int, item: Shape | None, weight: float) -> Shape:
    """The shape of a list of so many items, which have this weight together."""
    return Shape(_NODE + weight, items, item=item)


def anything_of(weight: float) -> Shape:
    """The shape of any part of a value of such a weight."""
    return Shape(weight, int(weight / _NODE), int(weight / _CHAR))


def part_of(whole: Shape, name: str | None = None) -> Shape:
    """The shape of a field, or of any item if its name isn't known."""
    found = whole.fields.get(name) if whole.fields is not None and name is not None else whole.item
    if found is not None:
        return found
    return SCALAR if whole.fields is not None else anything_of(whole.weight)


def larger(one: Shape, other: Shape) -> Shape:
    """The shape of a value that is one or the other."""
    if one is other:
        return one
    return Shape(
        max(one.weight, other.weight),
        max(one.items, other.items),
        max(one.chars, other.chars),
        _larger_fields(one.fields, other.fields),
        _larger_part(one.item, other.item),
        _larger_part(one.key, other.key),
    )


def _larger_part(one: Shape | None, other: Shape | None) -> Shape | None:
    return one if other is None else other if one is None else larger(one, other)


def _larger_fields(one: Mapping[str, Shape] | None, other: Mapping[str, Shape] | None) -> Mapping[str, Shape] | None:
    if one is None or other is None:
        return other if one is None else one
    return {**one, **{name: larger(shape, one[name]) if name in one else shape for name, shape in other.items()}}


def shape_of(value: object) -> Shape:
    """The shape of an actual value."""
    if isinstance(value, str | bytes):
        return text(len(value))
    if isinstance(value, dict):
        return _OfMap(value)
    if isinstance(value, list):
        if all(isinstance(item, str) for item in value):
            longest = max(map(len, value), default=0)
            return list_of(len(value), text(longest), _NODE * len(value) + _CHAR * sum(map(len, value)))
        shapes: dict[int, Shape] = {}
        """The shapes of distinct items, by identity."""
        weight = 0.0
        for item in value:
            shape = shapes.get(id(item))
            if shape is None:
                shape = shapes[id(item)] = shape_of(item)
            weight += shape.weight
        return list_of(len(value), reduce(larger, shapes.values()), weight)
    return SCALAR


class _OfMap(Shape):
    """The shape of an actual map. Most expressions are about one field of an object: other fields are only measured when needed."""

    __slots__ = ("_fields",)

    def __init__(self, value: Mapping[str, object]) -> None:
        self.fields = self._fields = _Fields(value)
        self.items, self.chars = len(value), 0

    def __getattr__(self, name: str) -> object:
        """Called for what isn't known yet."""
        self.key = text(max(map(_chars, self._fields), default=0))
        below = [self._fields[name] for name in self._fields]
        self.item = reduce(larger, below) if below else None
        self.weight = _NODE + _together(below) + self.key.weight * self.items
        return object.__getattribute__(self, name)


class _Fields(Mapping[str, Shape]):
    """The shapes of a map's values, each found out when it is asked for."""

    def __init__(self, value: Mapping[str, object]) -> None:
        self._value = value
        self._known: dict[str, Shape] = {}

    def __getitem__(self, name: str) -> Shape:
        if name not in self._known:
            self._known[name] = shape_of(self._value[name])
        return self._known[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._value)

    def __len__(self) -> int:
        return len(self._value)


def _chars(key: object) -> int:
    return len(key) if isinstance(key, str) else 0


def _together(shapes: Iterable[Shape]) -> float:
    return sum(shape.weight for shape in shapes)


def is_within(value: object, weight: float) -> bool:
    """Whether a value weighs at most this; stops as soon as it weighs more."""
    return _left(value, weight) >= 0


def _left(value: object, weight: float) -> float:
    weight -= _NODE
    if isinstance(value, str | bytes):
        return weight - len(value) * _CHAR
    if isinstance(value, dict):
        for name, item in value.items():
            weight = _left(item, weight - _NODE - len(name) * _CHAR)
            if weight < 0:
                break
    elif isinstance(value, list):
        for item in value:
            weight = _left(item, weight)
            if weight < 0:
                break
    return weight
