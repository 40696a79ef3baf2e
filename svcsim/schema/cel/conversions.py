"""Conversions of texts to values of other types, as CEL's library of Go makes them, which has Go's own parsers read them.

The CEL library at hand takes more: blanks around a number, a sign where there is none, a month of one digit. It knows a span of ``1µs`` no
better than ``bool("T")``. So a text is read here first, and what the library converts is the same in a form that it takes as well. It is
asked as before about what isn't a text: whether something is one is mostly known when it is evaluated and no earlier.
"""

import math
import re
from collections.abc import Callable, Mapping
from datetime import UTC, datetime, timedelta
from typing import Final

from cel_expr_python import cel

from svcsim.meta.go_integers import read_decimal, read_unsigned
from svcsim.meta.times import parse_nanoseconds
from svcsim.schema.cel.functions import Function
from svcsim.schema.cel.trees import Call, Scalar, Text, Tree, Written

_DIGITS, _HEX_DIGITS = r"[0-9](?:_?[0-9])*", r"_?[0-9a-fA-F](?:_?[0-9a-fA-F])*"
_DECIMAL = re.compile(rf"[+-]?(?:{_DIGITS}(?:\.(?:{_DIGITS})?)?|\.{_DIGITS})(?:[eE][+-]?{_DIGITS})?", re.ASCII)
_HEX = re.compile(rf"[+-]?0[xX](?:{_HEX_DIGITS}(?:\.(?:{_HEX_DIGITS})?)?|\.{_HEX_DIGITS})[pP][+-]?{_DIGITS}", re.ASCII)
_SPECIAL = re.compile(r"[+-]?inf(?:inity)?|nan", re.ASCII | re.IGNORECASE)
_MOMENT = re.compile(
    r"(\d{4})-(\d\d)-(\d\d)T(\d{1,2}):(\d\d):(\d\d)(?:[.,](\d+))?(?:Z|([+-])(\d\d):(\d\d))",
    re.ASCII,
)
_MOST_HOURS, _MOST_MINUTES = 24, 60
"""Limits of a time zone's offset: Go accepts 24 hours and 60 minutes, which some people write."""
_NANO_DIGITS: Final = 9
_LEAP_YEAR: Final = 4
"""A year that has all days that year 0 has, which is none of those that moments are in."""
_TRUTHS: Final[Mapping[str, str]] = {
    **dict.fromkeys(("1", "t", "T", "true", "TRUE", "True"), "true"),
    **dict.fromkeys(("0", "f", "F", "false", "FALSE", "False"), "false"),
}


def _double(text: str) -> str:
    digits = text.replace("_", "")
    if _HEX.fullmatch(text):
        number = float.fromhex(digits)
    elif _DECIMAL.fullmatch(text):
        number = float(digits)
    elif _SPECIAL.fullmatch(text):
        return repr(float(text))
    else:
        raise ValueError(f"{text} is no number")
    if math.isinf(number):
        raise ValueError(f"{text} is out of range")
    return repr(number)


def _moment(text: str) -> str:
    found = _MOMENT.fullmatch(text)
    if found is None:
        raise ValueError(f"{text} is no moment")
    fraction, sign, hours, minutes = found.groups()[6:]
    offset = timedelta(hours=int(hours or 0), minutes=int(minutes or 0))
    if sign and (int(hours) > _MOST_HOURS or int(minutes) > _MOST_MINUTES):
        raise ValueError(f"{text} has no time zone")
    year, month, day, hour, minute, second = map(int, found.groups()[:6])
    moment = datetime(year or _LEAP_YEAR, month, day, hour, minute, second, tzinfo=UTC)
    try:
        in_utc = moment.replace(year=year) + offset if sign == "-" else moment.replace(year=year) - offset
    except (ValueError, OverflowError):
        raise OverflowError("timestamp overflow") from None
    digits = (fraction or "")[:_NANO_DIGITS]
    return f"{in_utc.replace(tzinfo=None).isoformat()}{'.' if digits else ''}{digits}Z"


READ: Final[Mapping[str, Callable[[str], str]]] = {
    "int": lambda text: str(read_decimal(text, 64)),
    "uint": lambda text: str(read_unsigned(text, 64)),
    "double": _double,
    "bool": lambda text: _TRUTHS[text],
    "timestamp": _moment,
    "duration": lambda text: f"{parse_nanoseconds(text)}ns",
}
"""What the library takes in the place of a text that Go takes, by the function that converts it. They raise ValueError or LookupError."""
_NAMES: Final[Mapping[str, str]] = {"timestamp": "google.protobuf.Timestamp", "duration": "google.protobuf.Duration"}
_NO_TEXT: Final = frozenset(
    (
        *READ,
        *(f"_{sign}_" for sign in ("*", "-", "/", "%", "==", "!=", "<", "<=", ">", ">=", "&&", "||")),
        *("!_", "-_", "size", "asInteger", "asApproximateFloat", "prefixLength", "family", "compareTo", "@indexOf", "@lastIndexOf"),
    )
)
"""Functions and operators that give no texts, whatever they are about."""


def _reading(name: str) -> Callable[[object], object]:
    def read(value: object) -> object:
        if not isinstance(value, str):
            return value
        try:
            return READ[name](value)
        except (ValueError, LookupError):
            raise ValueError(f"type conversion error from 'string' to '{_NAMES.get(name, name)}'") from None

    return read


CONVERSIONS = tuple(Function(f"@{name}", cel.Type.DYN, (cel.Type.DYN,), _reading(name), member=False) for name in READ)
"""What stands around the arguments of conversions."""
TRUSTED: Final = "_of_schema"
"""What the names of conversions end with that are made of texts in canonical form."""


def read_first(call: Call) -> Tree:
    """A conversion of what has been read as Go reads it, if it is a text."""
    if call.member or len(call.arguments) != 1:
        return call
    (of,) = call.arguments
    if isinstance(of, Text):
        try:
            return call._replace(arguments=(of._replace(value=READ[call.function](of.value)),))
        except (ValueError, LookupError, OverflowError):
            pass  # it fails when it is evaluated
    elif isinstance(of, Scalar | Written) or (isinstance(of, Call) and of.function in (*_NO_TEXT, f"@{call.function}")):
        return call
    return call._replace(arguments=(Call(f"@{call.function}", (of,), at=call.at),))


def trusted(call: Call) -> Tree:
    """A conversion as the library makes it."""
    return call._replace(function=call.function.removesuffix(TRUSTED))
