"""What functions and operators are charged with, in the units in which Kubernetes bounds what expressions cost.

A unit is about what it takes to name a variable. What looks at a text costs a tenth for each of its characters; a list is as long as it
has items. The limits and the prices are public there, so that a rule that is let pass by one is let pass by the other.
"""

from collections.abc import Callable, Mapping
from math import ceil

from svcsim.schema.cel.conversions import CONVERSIONS
from svcsim.schema.cel.shapes import Shape
from svcsim.schema.cel.written_out import WRITTEN_OUT

_CHAR, _PATTERN_CHAR = 0.1, 0.25
NAME, LIST, MAP, MESSAGE = 1.0, 10.0, 30.0, 40.0
"""The cost of a variable or a field, and of making a list, a map, or an object of a named type."""
_Charge = Callable[[list[Shape], Shape], float]


def charge(function: str, given: list[Shape], made: Shape) -> float:
    """What a call costs."""
    of = _CHARGES.get(function)
    return 1.0 if of is None or not given else of(given, made)


def _size(shape: Shape) -> int:
    return shape.chars or shape.items or 1


def _nothing(_given: list[Shape], _made: Shape) -> float:
    return 0.0


def _last(given: list[Shape], _made: Shape) -> float:
    return ceil(_size(given[-1]) * _CHAR)


def _first(given: list[Shape], _made: Shape) -> float:
    return ceil(_size(given[0]) * _CHAR)


def _twice(given: list[Shape], _made: Shape) -> float:
    return ceil(2 * _size(given[0]) * _CHAR)


def _made_twice(_given: list[Shape], made: Shape) -> float:
    return ceil(2 * _size(made) * _CHAR)


def _smaller(given: list[Shape], _made: Shape) -> float:
    return ceil(min(_size(one) for one in given) * _CHAR)


def _member(given: list[Shape], _made: Shape) -> float:
    whole = given[-1]
    return 1.0 if whole.key is not None or whole.fields is not None else float(_size(whole))


def _sum(given: list[Shape], _made: Shape) -> float:
    return ceil(sum(one.chars for one in given) * _CHAR) if any(one.chars for one in given) else 1.0


def _matched(given: list[Shape], _made: Shape) -> float:
    return ceil((1 + given[0].chars) * _CHAR) * ceil(given[1].chars * _PATTERN_CHAR)


def _searched(given: list[Shape], _made: Shape) -> float:
    return ceil(_size(given[0]) * _CHAR) * ceil(_size(given[-1]) * _CHAR)


def _walked(given: list[Shape], _made: Shape) -> float:
    """All of a text or of a list once, with the texts in it."""
    whole = given[0]
    if whole.chars:
        return ceil(whole.chars * _CHAR)
    return whole.items * (1 + (ceil(whole.item.chars * _CHAR) if whole.item is not None else 0))


def _crossed(given: list[Shape], _made: Shape) -> float:
    return 1.0 + _size(given[0]) * _size(given[-1])


def _crossed_twice(given: list[Shape], made: Shape) -> float:
    return 2 * _crossed(given, made)


def _asked(_given: list[Shape], _made: Shape) -> float:
    """The cost of a check: another server may have to be called, so that no expression calls the authorizer more than twice."""
    return 350_000


_CHARGES: Mapping[str, _Charge] = {
    **dict.fromkeys(("_&&_", "_||_", "_?_:_"), _nothing),
    **dict.fromkeys((conversion.name for conversion in (*CONVERSIONS, *WRITTEN_OUT)), _nothing),
    **dict.fromkeys(("startsWith", "endsWith"), _last),
    **dict.fromkeys(("bytes", "format", "strings.quote", "url", "lowerAscii", "upperAscii", "substring", "@substring", "trim"), _first),
    **dict.fromkeys(("quantity", "isQuantity", "isIP", "isCIDR", "cidr", "ip"), _first),
    **dict.fromkeys(("replace", "split", "@split", "ip.isCanonical"), _twice),
    **dict.fromkeys(("_==_", "_!=_", "@same", "_<_", "_<=_", "_>_", "_>=_"), _smaller),
    **dict.fromkeys(("isSorted", "sum", "min", "max", "@indexOf", "@lastIndexOf"), _walked),
    **dict.fromkeys(("matches", "find", "findAll"), _matched),
    **dict.fromkeys(("sets.contains", "sets.intersects"), _crossed),
    "sets.equivalent": _crossed_twice,
    "contains": _searched,
    "check": _asked,
    "join": _made_twice,
    "@in": _member,
    "_+_": _sum,
}
