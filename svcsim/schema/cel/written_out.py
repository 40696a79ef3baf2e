"""Spans, moments, and doubles that are no numbers, as texts: as CEL's library of Go writes them down.

The CEL library at hand writes ``1.500s`` for a span of ``1.5s``, a moment's fraction like that, and ``inf`` for ``+Inf``. What surely
is a span or a moment is corrected once it is written, with all its nanoseconds; what may be a span, in an expression that makes any, is
written here. A variable that may be a moment is filled into a text if it is one, which the library does as Go but for years of less than
four digits. Expressions that make none of these are left as they are.
"""

import math
import re
from collections.abc import Collection, Mapping
from datetime import timedelta
from decimal import Decimal
from typing import Final

from cel_expr_python import cel

from svcsim.meta.times import parse_nanoseconds
from svcsim.schema.cel.conversions import TRUSTED
from svcsim.schema.cel.format_clauses import verbs
from svcsim.schema.cel.functions import Function
from svcsim.schema.cel.trees import Call, Loop, Name, Scalar, Selected, Text, Tree, Written, boolean, mapped, parts

_NANOSECONDS: Final = 10**9
_MICROSECOND: Final = timedelta(microseconds=1)
_SPANS: Final = ("duration", f"duration{TRUSTED}")
_MOMENTS: Final = ("timestamp", f"timestamp{TRUSTED}")
_MAKERS: Final = frozenset((*_SPANS, "double", "_/_"))
"""What an expression calls that has spans, or doubles that are no numbers."""
_NEITHER: Final = frozenset((*_MOMENTS, "string", "int", "uint", "bool", "size", "_%_", "@seconds", "@moment", "@spelled", "@formatted"))
"""Functions and operators that give neither."""
_MOMENT_TYPE: Final = Name("google.protobuf.Timestamp")
_FOUND: Final = "@found"
"""What a value is called that is looked at twice."""
_FOUR_DIGITS: Final = Call("timestamp", (Text("1000-01-01T00:00:00Z"),))
"""The first moment that the library fills in as it is."""
_ZEROS: Final = re.compile(r"(\.\d*?)0+Z", re.ASCII)
_SPELLED: Final[Mapping[bool, str]] = {True: "+Inf", False: "-Inf"}


def _seconds(nanoseconds: int) -> str:
    """As many digits as are needed to tell a double from all others, as Go does."""
    whole, rest = divmod(abs(nanoseconds), _NANOSECONDS)
    seconds = Decimal(repr(whole + rest / _NANOSECONDS)).normalize()
    return f"{'-' if nanoseconds < 0 else ''}{seconds:f}s"


def shortened(text: str) -> str:
    """A timestamp without trailing zeros in the fraction of its second."""
    return _ZEROS.sub(lambda found: f"{found[1].rstrip('.')}Z", text)


def _formatted(value: object) -> object:
    return _seconds(value // _MICROSECOND * 1000) if isinstance(value, timedelta) else value


def _spelled(value: object) -> object:
    if isinstance(value, float) and not math.isfinite(value):
        return "NaN" if math.isnan(value) else _SPELLED[value > 0]
    return _formatted(value)


_ANY, _TEXT = cel.Type.DYN, cel.Type.STRING
WRITTEN_OUT = (
    Function("@seconds", _TEXT, (_TEXT,), lambda text: _seconds(parse_nanoseconds(text)), member=False),
    Function("@moment", _TEXT, (_TEXT,), shortened, member=False),
    Function("@spelled", _ANY, (_ANY,), _spelled, member=False),
    Function("@formatted", _ANY, (_ANY,), _formatted, member=False),
)
"""What corrects the texts of a span and of a moment, and what stands around values that become texts, on their own or within one."""


def with_texts_as_in_go(tree: Tree) -> Tree:
    """An expression that writes down spans, moments and doubles as Go does."""
    return _changed(tree, makes_some=_makes(tree, _MAKERS), makes_moments=_makes(tree, _MOMENTS))


def _makes(tree: Tree, makers: Collection[str]) -> bool:
    return (isinstance(tree, Call) and tree.function in makers) or any(_makes(part, makers) for part in parts(tree))


def _changed(tree: Tree, *, makes_some: bool, makes_moments: bool) -> Tree:
    tree = mapped(tree, lambda one: _changed(one, makes_some=makes_some, makes_moments=makes_moments))
    match tree:
        case Call("string", (of,), False):
            if _is_span(of):
                return Call("@seconds", (tree,), at=tree.at)
            if _is_moment(of):
                return Call("@moment", (tree,), at=tree.at)
            return _written(tree, of, makes_some=makes_some, makes_moments=makes_moments)
        case Call("format", (Text(text) as form, Written(items) as values), True):
            known = verbs(text)
            if len(known) == len(items):
                filled = tuple(
                    [_filled(item, makes_some=makes_some) if verb == "s" else item for item, verb in zip(items, known, strict=True)]
                )
                return tree._replace(arguments=(form, values._replace(items=filled)))
    return tree


def _written(call: Call, of: Tree, *, makes_some: bool, makes_moments: bool) -> Tree:
    """The text of what may be anything."""
    made = call._replace(arguments=(_around(of, "@spelled"),)) if makes_some else call
    if not makes_moments or (made.arguments == (of,) and _is_neither(of)):
        return made
    if _is_path(of):
        return _as_moment(of, made)
    found = Name(_FOUND)  # what takes more to evaluate is evaluated once
    return _bound(of, _as_moment(found, _written(call._replace(arguments=(found,)), found, makes_some=makes_some, makes_moments=False)))


def _is_path(tree: Tree) -> bool:
    """Whether it is a variable, or what stands somewhere in one."""
    match tree:
        case Name():
            return True
        case Selected(of, _, asked=False) | Call("dyn", (of,)):
            return _is_path(of)
        case Call("_[_]", (of, Text() | Scalar() | Name())):
            return _is_path(of)
    return False


def _bound(value: Tree, to: Tree) -> Tree:
    """An expression about a value that has a name in it: what the macro ``cel.bind`` comes to."""
    return Loop("#unused", Written(()), _FOUND, value, boolean(False), Name(_FOUND), to, at=value.at)


def _as_moment(of: Tree, otherwise: Tree) -> Tree:
    """A value as it is written if it is a moment."""
    is_moment = Call("_&&_", (Call("_==_", (Call("type", (of,)), _MOMENT_TYPE)), Call("_>=_", (of, _FOUR_DIGITS))))
    return Call("_?_:_", (is_moment, Call("format", (Text("%s"), Written((of,))), member=True), otherwise), at=otherwise.at)


def _filled(item: Tree, *, makes_some: bool) -> Tree:
    if _is_span(item):
        return Call("@seconds", (Call("string", (item,)),))
    return _around(item, "@formatted") if makes_some else item


def _around(of: Tree, function: str) -> Tree:
    return of if _is_neither(of) else Call(function, (of,))


def _is_neither(tree: Tree) -> bool:
    return isinstance(tree, Text | Scalar | Written) or (isinstance(tree, Call) and tree.function in _NEITHER)


def _is_span(tree: Tree) -> bool:
    match tree:
        case Call(function, (_,), False):
            return function in _SPANS
        case Call("_+_" | "_-_", (one, other)):
            return (_is_span(one) and _is_span(other)) or (tree.function == "_-_" and _is_moment(one) and _is_moment(other))
    return False


def _is_moment(tree: Tree) -> bool:
    match tree:
        case Call(function, (_,), False):
            return function in _MOMENTS
        case Call("_+_", (one, other)):
            return (_is_moment(one) and _is_span(other)) or (_is_span(one) and _is_moment(other))
        case Call("_-_", (one, other)):
            return _is_moment(one) and _is_span(other)
    return False
