"""How large a value is, and its parts: all that has to be known of it to tell what an expression about it costs.

A shape stands for every value that is no larger: the shape of a list's items is as large as the largest of them in every respect.
"""

from collections.abc import Iterable, Mapping
from functools import reduce
from typing import NamedTuple

_NODE, _CHAR = 4.0, 0.1
"""What looking at a value costs, and at one character of a text: about 50 ns are 1."""


class Shape(NamedTuple):
    """How large a value is at most."""

    weight: float = _NODE
    """What looking at all of it costs."""
    items: int = 0
    chars: int = 0
    """Of a text."""
    fields: "Mapping[str, Shape] | None" = None
    item: "Shape | None" = None
    """The largest item of a list, or value of a map."""
    key: "Shape | None" = None
    """The largest key of a map."""


SCALAR = Shape()
EMPTY_LIST = Shape()


def text(chars: int) -> Shape:
    """Of a text."""
    return Shape(_NODE + chars * _CHAR, chars=chars)


def list_of(items: int, item: Shape | None, weight: float) -> Shape:
    """Of a list of so many items, which have this weight together."""
    return Shape(_NODE + weight, items, item=item)


def anything_of(weight: float) -> Shape:
    """Of whatever may be found in a value of such a weight."""
    return Shape(weight, int(weight / _NODE), int(weight / _CHAR))


def part_of(whole: Shape, name: str | None = None) -> Shape:
    """Of a field, or of any item where its name isn't known."""
    found = whole.fields.get(name) if whole.fields is not None and name is not None else whole.item
    if found is not None:
        return found
    return SCALAR if whole.fields is not None else anything_of(whole.weight)


def larger(one: Shape, other: Shape) -> Shape:
    """Of a value that is one or the other."""
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
    """Of a value in hand."""
    if isinstance(value, str | bytes):
        return text(len(value))
    if isinstance(value, dict):
        below = {name: shape_of(item) for name, item in value.items()}
        keys = text(max((len(key) for key in value if isinstance(key, str)), default=0))
        return Shape(_NODE + _together(below.values()) + keys.weight * len(value), len(value), fields=below, item=_largest(below), key=keys)
    if isinstance(value, list):
        if all(isinstance(item, str) for item in value):
            longest = max(map(len, value), default=0)
            return list_of(len(value), text(longest), _NODE * len(value) + _CHAR * sum(map(len, value)))
        shapes: dict[int, Shape] = {}
        """Of each item that is another than those before it."""
        weight = 0.0
        for item in value:
            shape = shapes.get(id(item))
            if shape is None:
                shape = shapes[id(item)] = shape_of(item)
            weight += shape.weight
        return list_of(len(value), reduce(larger, shapes.values()), weight)
    return SCALAR


def _together(shapes: Iterable[Shape]) -> float:
    return sum(shape.weight for shape in shapes)


def _largest(shapes: Mapping[str, Shape]) -> Shape | None:
    return reduce(larger, shapes.values()) if shapes else None


def is_within(value: object, weight: float) -> bool:
    """Whether a value weighs no more; looks at no more of it than that takes."""
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
