"""Objects as protobuf messages, by the numbers their fields are declared with.

What is written is what the generated code of other implementations writes: fields by number, maps by key, nothing packed. Fields that
are missing aren't written. Such code writes zeros for fields that have no way of being missing; reading drops what that stands for:
moments that aren't set, and zeros of fields in which a zero is absence (`Field.zero_is_absence`), as reading JSON does.

On the wire an object stands in an envelope that says what it is.
"""

from collections.abc import Callable
from typing import NamedTuple, TypeAlias

from svcsim.meta.errors import bad_request
from svcsim.meta.types import Json, Object
from svcsim.schema.derived import derived
from svcsim.schema.protobuf_values import Form, data_of, scalar_form, text_of
from svcsim.schema.scalars import nothing
from svcsim.schema.types import Alternatives, Field, IntOrString, List, Map, Quantity, Raw, Ref, Str, Struct, Type
from svcsim.schema.wire import FIXED64, LENGTH, Payload, fields, read_varint, sized, tag, varint

PREFIX = b"k8s\x00"
"""What every protobuf body begins with, in all dialects."""


class Envelope(NamedTuple):
    """What an object is, and its message."""

    api_version: str
    kind: str
    raw: bytes


def encode_message(value: Object, schema: Struct) -> bytes:
    """An object as a message; ``value`` is as `Compiled.decode` leaves it."""
    return _message_writer(schema)(value)


def decode_message(data: bytes, schema: Struct) -> Object:
    """The object in a message, for `Compiled.decode` to read; `StatusError` 400 for what is none."""
    try:
        return _message_reader(schema)(data, {})
    except RecursionError:
        raise bad_request("error decoding protobuf: exceeded max depth") from None


def encode_envelope(api_version: str, kind: str, raw: bytes) -> bytes:
    """A whole body: the prefix, and the envelope around a message."""
    type_meta = sized(tag(1, LENGTH), api_version.encode()) + sized(tag(2, LENGTH), kind.encode())
    # The last two fields, encoding and type of the content, are empty; other implementations write them all the same.
    return b"".join(
        (PREFIX, sized(tag(1, LENGTH), type_meta), sized(tag(2, LENGTH), raw), sized(tag(3, LENGTH), b""), sized(tag(4, LENGTH), b""))
    )


def decode_envelope(data: bytes) -> Envelope:
    """A body taken apart; `StatusError` 400 if it has not the prefix."""
    if not data.startswith(PREFIX):
        raise bad_request(f"provided data does not appear to be a protobuf message, expected prefix [{' '.join(map(str, PREFIX))}]")
    texts = {1: "", 2: ""}
    raw = b""
    for number, _, payload in fields(data[len(PREFIX) :]):
        if number == 1:
            texts.update((inner, text_of(text)) for inner, _, text in fields(data_of(payload)))
        elif number == 2:
            raw = data_of(payload)
    return Envelope(texts[1], texts[2], raw)


def _form(field_type: Type) -> Form:
    """The form of single values; a list within a list or a map stands in a message of its own."""
    match field_type:
        case Struct():
            return Form(LENGTH, _message_writer(field_type), lambda payload: _message_reader(field_type)(data_of(payload), {}))
        case Ref(target=target):
            return Form(
                LENGTH, lambda value: encode_message(value, target()), lambda payload: _message_reader(target())(data_of(payload), {})
            )
        case List() | Map():
            wrapper, blank = Struct("", Field(1, "items", field_type)), nothing(field_type)
            return Form(
                LENGTH,
                lambda value: encode_message({"items": value}, wrapper),
                lambda payload: _message_reader(wrapper)(data_of(payload), {}).get("items") or blank(),
            )
        case Alternatives(message=message, wrap=wrap, unwrap=unwrap):
            return Form(
                LENGTH,
                lambda value: encode_message(wrap(value), message),
                lambda payload: unwrap(_message_reader(message)(data_of(payload), {})),
            )
    return scalar_form(field_type)


_WriteField: TypeAlias = Callable[[Json], bytes]


@derived
def _message_writer(schema: Struct) -> Callable[[Json], bytes]:
    numbered = sorted((field for field in schema.fields if field.number), key=lambda field: field.number)
    writers = [(None if field.inline else field.name, _field_writer(field)) for field in numbered]

    def write(value: Json) -> bytes:
        parts: list[bytes] = []
        for name, write_field in writers:
            item = value if name is None else value.get(name)
            if item is not None:
                parts.append(write_field(item))
        return b"".join(parts)

    return write


def _field_writer(field: Field) -> _WriteField:
    match field.type:
        case List(item=item):
            write_item = _value_writer(field.number, item)
            return lambda value: b"".join([write_item(one) for one in value])
        case Map(value=item):
            return _map_writer(field.number, item)
    write_value = _value_writer(field.number, field.type)
    if not field.inline:
        return write_value
    empty = sized(tag(field.number, LENGTH), b"")

    def write_inlined(value: Json) -> bytes:
        written = write_value(value)
        return b"" if written == empty else written

    return write_inlined


def _value_writer(number: int, field_type: Type) -> _WriteField:
    form = _form(field_type)
    write, head = form.write, tag(number, form.wire_type)
    if form.wire_type != LENGTH:
        return lambda value: head + write(value)

    def write_sized(value: Json) -> bytes:
        body = write(value)
        return head + varint(len(body)) + body

    return write_sized


def _map_writer(number: int, item: Type) -> _WriteField:
    head, write_key, write_item = tag(number, LENGTH), _value_writer(1, Str()), _value_writer(2, item)

    def write(value: Object) -> bytes:
        return b"".join([sized(head, write_key(key) + write_item(value[key])) for key in sorted(value)])

    return write


_Take: TypeAlias = Callable[[Object, int, Payload], None]
"""Puts one field of a message, by its wire type and payload, where it belongs in the object."""
_ReadMessage: TypeAlias = Callable[[bytes, Object], Object]
"""Reads a message into an object, which it gives back: that of an inlined field is its parent's."""
_MESSAGES = (Struct, Ref, IntOrString, Quantity, Raw)
"""Types whose values are messages of fields. One that comes in several parts is what its parts say one after the other; a moment, which is
a message too, is what its last part says, as other implementations read it."""


@derived
def _message_reader(schema: Struct) -> _ReadMessage:
    numbered = [field for field in schema.fields if field.number]
    takers = {field.number: _taker(field) for field in numbered if not isinstance(field.type, _MESSAGES)}
    message_takers = {field.number: _taker(field) for field in numbered if isinstance(field.type, _MESSAGES)}
    droppable = tuple(field.name for field in schema.fields if not field.inline and field.zero_is_absence)

    def read(data: bytes, value: Object) -> Object:
        messages: dict[int, list[bytes]] = {}
        for number, wire_type, payload in fields(data):
            take = takers.get(number)
            if take is not None:
                take(value, wire_type, payload)
            elif number in messages:
                messages[number].append(data_of(payload))
            elif number in message_takers:
                messages[number] = [data_of(payload)]
        for number, parts in messages.items():
            message_takers[number](value, LENGTH, parts[0] if len(parts) == 1 else b"".join(parts))
        for name in droppable:
            if name in value and not value[name]:
                del value[name]
        return value

    return read


def _taker(field: Field) -> _Take:
    name = field.name
    match field.type:
        case List(item=item):
            return _list_taker(name, _form(item))
        case Map(value=item):
            return _map_taker(name, item)
        case Struct():
            return _message_taker(field, _message_reader(field.type))
        case Ref(target=target):
            return _message_taker(field, _referred_reader(target))
    read = _form(field.type).read

    def take(value: Object, _wire_type: int, payload: Payload) -> None:
        found = read(payload)
        if found is not None:
            value[name] = found

    return take


def _referred_reader(target: Callable[[], Struct]) -> _ReadMessage:
    def read(data: bytes, value: Object) -> Object:
        return _message_reader(target())(data, value)

    return read


def _message_taker(field: Field, read: _ReadMessage) -> _Take:
    name = field.name

    def take(value: Object, _wire_type: int, payload: Payload) -> None:
        value[name] = read(data_of(payload), {})

    def take_inlined(value: Object, _wire_type: int, payload: Payload) -> None:
        read(data_of(payload), value)

    return take_inlined if field.inline else take


def _list_taker(name: str, form: Form) -> _Take:
    def take(value: Object, wire_type: int, payload: Payload) -> None:
        items = value.setdefault(name, [])
        if wire_type == LENGTH and form.wire_type != LENGTH:
            items.extend(form.read(part) for part in _unpacked(data_of(payload), form.wire_type))
        else:
            items.append(form.read(payload))

    return take


def _unpacked(data: bytes, wire_type: int) -> list[Payload]:
    """The numbers of a packed list, which other writers may send."""
    if wire_type == FIXED64:
        return [data[start : start + 8] for start in range(0, len(data), 8)]
    position, numbers = 0, list[Payload]()
    while position < len(data):
        number, position = read_varint(data, position)
        numbers.append(number)
    return numbers


def _map_taker(name: str, item: Type) -> _Take:
    read, blank = _form(item).read, nothing(item)

    def take(value: Object, _wire_type: int, payload: Payload) -> None:
        parts = {number: part for number, _, part in fields(data_of(payload))}
        value.setdefault(name, {})[text_of(parts.get(1, b""))] = read(parts[2]) if 2 in parts else blank()

    return take
