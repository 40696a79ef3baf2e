"""How single values are read: checked, and brought into the form they are stored in.

Each reader takes a JSON value and gives the value to store. What it can't read it refuses in the words API clients know; where those
words name the field, it raises `WrongTypeError`, and whoever called it adds the way there.
"""

import binascii
import re
from collections.abc import Callable

from svcsim.meta import quantity
from svcsim.meta.base64_places import first_wrong_byte
from svcsim.meta.errors import StatusError, bad_request
from svcsim.meta.quoting import quoted
from svcsim.meta.times import format_micro_time, format_time, parse_given_time
from svcsim.meta.types import Json
from svcsim.schema.numbers import kept_number
from svcsim.schema.types import (
    Alternatives,
    Bool,
    Bytes,
    Float,
    Int,
    IntOrString,
    List,
    Map,
    Quantity,
    Raw,
    Ref,
    Struct,
    Structural,
    Time,
    Type,
)

Read = Callable[[Json], Json]

_CANONICAL_TIME = re.compile(r"\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|1\d|2[0-8])T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\dZ", re.ASCII)
_CANONICAL_MICRO_TIME = re.compile(rf"(?!0000){_CANONICAL_TIME.pattern.removesuffix('Z')}\.\d{{6}}Z", re.ASCII)
_LAYOUT = "2006-01-02T15:04:05Z07:00"
_MICRO_LAYOUT = "2006-01-02T15:04:05.000000Z07:00"
_ZONE = ("Z07:00", r"Z|[+-]\d\d:\d\d")
_ELEMENTS = (
    ("2006", r"\d{4}"),
    ("-", "-"),
    ("01", r"\d\d"),
    ("-", "-"),
    ("02", r"\d\d"),
    ("T", "T"),
    ("15", r"\d\d"),
    (":", ":"),
    ("04", r"\d\d"),
    (":", ":"),
    ("05", r"\d\d"),
)
_TIME_ELEMENTS = (*_ELEMENTS, ("", r"(?:\.\d+)?"), _ZONE)
_MICRO_ELEMENTS = (*_ELEMENTS, (".000000", r"\.\d{6}"), _ZONE)


_HELD: dict[type, str] = {str: "string", dict: "map", list: "slice", bool: "bool", float: "float64"}
"""What Go holds values in of which nothing is known."""
_RESTORED = {"map[": "map from", "[]": "slice from", "v1.": "struct from:"}
"""By the beginning of a type's name, what values that aren't simple are made into."""


class WrongTypeError(Exception):
    """A value of the wrong type, on its way up to where its path is known."""

    def __init__(self, value: Json, wanted: str, *, tell_number: bool = False) -> None:
        super().__init__()
        self.held = "int64" if type(value) is int else _HELD.get(type(value), "")
        self.got = f"number {value}" if tell_number else kind_of(value)
        self.wanted = wanted
        self.struct = ""
        self.names: list[str] = []
        """Field names from the value outwards."""

    def within(self, struct: str, name: str) -> None:
        """Note one more step of the way: a field of a struct."""
        self.struct = self.struct or struct
        self.names.append(name)

    def refusal(self, frame: str = "", of_package: Callable[[str], str] = str) -> "UnreadableError":
        """The error for the client, which ``frame`` introduces. ``of_package`` spells the type that was wanted as its package does."""
        where = f"Go struct field {self.struct}.{'.'.join(reversed(self.names))} of" if self.names else "Go value of"
        what = f"json: cannot unmarshal {self.got} into {where} type {of_package(self.wanted)}"
        return UnreadableError(frame + what, self._unconverted())

    def _unconverted(self) -> str:
        """The words of Go's conversion of untyped objects, which tries numbers as numbers, and as characters of a string."""
        held, wanted = self.held, self.wanted
        restored = next((words for start, words in _RESTORED.items() if wanted.startswith(start)), "")
        if restored:
            return f"cannot restore {restored} {held}"
        convertible = held in {"int64", "float64"} and (wanted.startswith("int") or (held, wanted) == ("int64", "string"))
        return f"cannot convert {held} to {wanted}" if convertible else f"unrecognized type: {wanted}"


class UnreadableError(StatusError):
    """400: an object in which a value has the wrong type. Of an object that a strategic merge patch made, clients expect other words."""

    def __init__(self, message: str, unconverted: str) -> None:
        super().__init__(400, "BadRequest", message)
        self.unconverted = unconverted


def kind_of(value: Json) -> str:
    """What JSON calls a value's type."""
    match value:
        case bool():
            return "bool"
        case str():
            return "string"
        case dict():
            return "object"
        case list():
            return "array"
        case None:
            return "null"
    return "number"


def type_name(field_type: Type) -> str:
    """What error messages call a type."""
    match field_type:
        case Int(bits=bits):
            return f"int{bits}"
        case Float():
            return "float64"
        case Bool():
            return "bool"
        case Bytes():
            return "[]uint8"
        case Map(value=value):
            return f"map[string]{type_name(value)}"
        case List(item=item):
            return f"[]{type_name(item)}"
        case Struct(name=name):
            return f"v1.{name}"
        case Alternatives(message=message):
            return type_name(message)
        case Ref(target=target):
            return type_name(target())
    return {Time: "v1.Time", Quantity: "resource.Quantity", IntOrString: "intstr.IntOrString"}.get(type(field_type), "string")


def nothing(field_type: Type) -> Callable[[], Json]:
    """What makes the value that stands for a null in a list or a map, where it can't be left out."""
    match field_type:
        case Struct() | Ref() | Map():
            return dict
        case List():
            return list
        case Int() | Float() | IntOrString():
            return int
        case Bool():
            return bool
        case Quantity():
            return "0".__str__
        case Time() | Raw() | Structural() | Alternatives():
            return _null
    return str


def _null() -> Json:
    return None


def read_str(value: Json) -> Json:
    if type(value) is not str:
        raise WrongTypeError(value, "string")
    return value


def read_bool(value: Json) -> Json:
    if type(value) is not bool:
        raise WrongTypeError(value, "bool")
    return value


def read_float(value: Json) -> Json:
    if type(value) is not float and type(value) is not int:
        raise WrongTypeError(value, "float64")
    return kept_number(float(value))


def read_raw(value: Json) -> Json:
    """Anything, not looked into and not copied."""
    return value


def read_int(bits: int) -> Read:
    """A whole number that fits."""
    low, high, wanted = -(1 << bits - 1), (1 << bits - 1) - 1, f"int{bits}"

    def read(value: Json) -> Json:
        if type(value) is int and low <= value <= high:
            return value
        raise WrongTypeError(value, wanted, tell_number=type(value) in {int, float})

    return read


def read_int_or_string(value: Json) -> Json:
    """A string or a 32-bit number; the message doesn't name the field, as that of other clients doesn't."""
    if type(value) is str or (type(value) is int and -(1 << 31) <= value < 1 << 31):
        return value
    got = f"number {value}" if type(value) in {int, float} else kind_of(value)
    raise bad_request(f"json: cannot unmarshal {got} into Go value of type int32")


def read_quantity(value: Json) -> Json:
    """An amount, in canonical form."""
    try:
        return quantity.canonical(value) if type(value) is str else str(quantity.of(value))
    except ValueError as error:
        raise bad_request(str(error)) from error


def read_thousandths(value: Json) -> Json:
    """A quantity in canonical form, rounded up to whole thousandths."""
    try:
        return quantity.canonical_in_thousandths(value) if type(value) is str else str(quantity.of(value).in_thousandths())
    except ValueError as error:
        raise bad_request(str(error)) from error


def read_bytes(value: Json) -> Json:
    """Standard base64 with padding; line breaks are let go."""
    if type(value) is not str:
        raise WrongTypeError(value, "[]uint8")
    if _is_base64(value):
        return value
    unbroken = value.replace("\n", "").replace("\r", "")
    if not _is_base64(unbroken):
        raise bad_request(f"illegal base64 data at input byte {first_wrong_byte(value)}")
    return unbroken


def _is_base64(text: str) -> bool:
    try:
        binascii.a2b_base64(text, strict_mode=True)
    except (binascii.Error, ValueError):
        return False
    return True


def read_time(value: Json) -> Json:
    """A moment, brought to UTC and whole seconds."""
    if type(value) is str and _CANONICAL_TIME.fullmatch(value):
        return value
    return format_time(_moment(value, _LAYOUT, _TIME_ELEMENTS))


def read_micro_time(value: Json) -> Json:
    """A moment with six decimals, brought to UTC."""
    if type(value) is str and _CANONICAL_MICRO_TIME.fullmatch(value):
        return value
    return format_micro_time(_moment(value, _MICRO_LAYOUT, _MICRO_ELEMENTS))


def _moment(value: Json, layout: str, elements: tuple[tuple[str, str], ...]) -> float:
    if type(value) is not str:
        raise bad_request(f"json: cannot unmarshal {kind_of(value)} into Go value of type string")
    position = 0
    for element, pattern in elements:
        found = re.compile(pattern, re.ASCII).match(value, position)
        if not found:
            raise bad_request(f'parsing time {quoted(value)} as "{layout}": cannot parse {quoted(value[position:])} as "{element}"')
        position = found.end()
    if position != len(value):
        raise bad_request(f"parsing time {quoted(value)}: extra text: {quoted(value[position:])}")
    try:
        return parse_given_time(value)
    except ValueError as error:
        raise bad_request(f"parsing time {quoted(value)}: {_out_of_range(value)} out of range") from error


def _out_of_range(value: str) -> str:
    """Which part of a well-formed moment doesn't exist."""
    parts = (("month", 5, 1, 12), ("hour", 11, 0, 23), ("minute", 14, 0, 59), ("second", 17, 0, 59))
    return next((name for name, start, low, high in parts if not low <= int(value[start : start + 2]) <= high), "day")
