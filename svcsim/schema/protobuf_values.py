"""Single values as protobuf: which wire type each type has, and what stands in its payload."""

import base64
import struct
from collections.abc import Callable
from typing import NamedTuple

from svcsim.meta.codec import decode_json, encode
from svcsim.meta.errors import bad_request
from svcsim.meta.times import can_be_written, format_micro_time, format_time, parse_time
from svcsim.meta.types import Json
from svcsim.schema.types import Bool, Bytes, Float, Int, IntOrString, Quantity, Raw, Str, Time, Type
from svcsim.schema.wire import FIXED64, LENGTH, VARINT, Payload, fields, signed, sized, tag, varint
from svcsim.wall import LATEST_S


class Form(NamedTuple):
    """How the values of a type stand on the wire."""

    wire_type: int
    write: Callable[[Json], bytes]
    """The payload, without tag and length."""
    read: Callable[[Payload], Json]


def data_of(payload: Payload) -> bytes:
    """The payload of a field that must hold bytes."""
    if isinstance(payload, int):
        raise bad_request("error decoding protobuf: wrong wireType")
    return payload


def number_of(payload: Payload) -> int:
    """The payload of a field that must hold a number."""
    if not isinstance(payload, int):
        raise bad_request("error decoding protobuf: wrong wireType")
    return payload


def text_of(payload: Payload) -> str:
    """The payload of a field that must hold text; what is no UTF-8 is replaced."""
    return data_of(payload).decode(errors="replace")


def scalar_form(field_type: Type) -> Form:
    """The form of a type without fields or items."""
    match field_type:
        case Int(bits=bits):
            return Form(VARINT, varint, lambda payload: signed(number_of(payload), bits))
        case Time(micro=micro):
            return Form(LENGTH, _write_time, _read_micro_time if micro else _read_time)
    return _SCALARS[type(field_type)]


def _write_time(value: Json) -> bytes:
    if value is None:  # in a list or a map: not set
        return b""
    seconds, micros = divmod(round(_seconds_of(value) * 10**6), 10**6)
    return tag(1, VARINT) + varint(seconds) + tag(2, VARINT) + varint(micros * 1000)


def _seconds_of(moment: str) -> float:
    """One that can't be read lies beyond the year 9999, as those of before did that were counted from now on and not held to it."""
    try:
        return parse_time(moment)
    except ValueError:
        return LATEST_S


def _read_time(payload: Payload) -> Json:
    seconds = _seconds_and_nanos(payload)
    return None if seconds is None else _formatted(format_time, seconds[0])


def _read_micro_time(payload: Payload) -> Json:
    seconds = _seconds_and_nanos(payload)
    return None if seconds is None else _formatted(format_micro_time, seconds[0] + seconds[1] // 1000 / 10**6)


def _seconds_and_nanos(payload: Payload) -> tuple[int, int] | None:
    """What a moment's message holds; None for an empty one, which is a moment that isn't set."""
    parts = {1: 0, 2: 0, **{number: number_of(part) for number, _, part in fields(data_of(payload))}}
    return (signed(parts[1], 64), signed(parts[2], 32)) if payload else None


def _formatted(spell: Callable[[float], str], seconds: float) -> str:
    if not can_be_written(seconds):
        raise bad_request("error decoding protobuf: a moment beyond the year 9999")
    return spell(seconds)


def _write_quantity(value: Json) -> bytes:
    return sized(tag(1, LENGTH), value.encode())


def _read_quantity(payload: Payload) -> Json:
    return text_of(_last_part(payload)) or "0"


def _last_part(payload: Payload) -> Payload:
    """What the only field of a message holds: what is said last counts."""
    last: Payload = b""
    for number, _, part in fields(data_of(payload)):
        if number == 1:
            last = part
    return last


def _write_int_or_string(value: Json) -> bytes:
    number, text = (0, value) if isinstance(value, str) else (value, "")
    kind = tag(1, VARINT) + varint(int(isinstance(value, str)))
    return kind + tag(2, VARINT) + varint(number) + sized(tag(3, LENGTH), text.encode())


def _read_int_or_string(payload: Payload) -> Json:
    parts: dict[int, Payload] = {1: 0, 2: 0, 3: b"", **{number: part for number, _, part in fields(data_of(payload))}}
    return text_of(parts[3]) if parts[1] else signed(number_of(parts[2]), 32)


def _write_raw(value: Json) -> bytes:
    return sized(tag(1, LENGTH), encode(value))


def _read_raw(payload: Payload) -> Json:
    raw = data_of(_last_part(payload))
    return decode_json(raw) if raw else None


def _write_float(value: Json) -> bytes:
    return struct.pack("<d", value)


def _read_float(payload: Payload) -> Json:
    raw = data_of(payload)
    if len(raw) != 8:
        raise bad_request("error decoding protobuf: wrong wireType")
    return struct.unpack("<d", raw)[0]


_SCALARS: dict[type[Type], Form] = {
    Str: Form(LENGTH, str.encode, text_of),
    Bool: Form(VARINT, lambda value: varint(int(value)), lambda payload: bool(number_of(payload))),
    Float: Form(FIXED64, _write_float, _read_float),
    Bytes: Form(LENGTH, base64.b64decode, lambda payload: base64.b64encode(data_of(payload)).decode()),
    Quantity: Form(LENGTH, _write_quantity, _read_quantity),
    IntOrString: Form(LENGTH, _write_int_or_string, _read_int_or_string),
    Raw: Form(LENGTH, _write_raw, _read_raw),
}
