"""Reading what a client sent: a new tree with the declared fields, in declared order, of the declared types.

A type is compiled into a closure once. The closures know nothing of where they are; what they find wrong gets its path on the way back
up, so that reading a good object never builds one.
"""

from collections.abc import Callable
from typing import TypeAlias

from svcsim.limits import SCHEMA_SELF_NESTING, UNKNOWN_FIELDS
from svcsim.meta.errors import StatusError, bad_request
from svcsim.meta.types import Json, Object
from svcsim.schema.common import OBJECT_META
from svcsim.schema.derived import derived
from svcsim.schema.numbers import as_kept
from svcsim.schema.scalars import (
    Read,
    WrongTypeError,
    nothing,
    read_bool,
    read_bytes,
    read_float,
    read_int,
    read_int_or_string,
    read_micro_time,
    read_quantity,
    read_raw,
    read_str,
    read_thousandths,
    read_time,
    type_name,
)
from svcsim.schema.structural_reading import pruner
from svcsim.schema.types import (
    Alternatives,
    Bool,
    Bytes,
    Field,
    Float,
    Int,
    IntOrString,
    List,
    Map,
    Quantity,
    Raw,
    Ref,
    Str,
    Struct,
    Structural,
    Time,
    Type,
)


class Reading(list[str]):
    """Paths of fields that nobody declared, relative to where the reading stands: ``.name`` or ``[0].name``."""

    as_written = False
    """Whether nulls and zeros that are never stored are read, too."""
    spelled_out = False
    """Whether any of those were met."""
    self_nesting = 0
    """How deep inside types that contain themselves the reading is."""

    def note(self, name: str) -> None:
        """A field that isn't declared."""
        if len(self) < UNKNOWN_FIELDS:
            self.append(f".{name}")

    def move(self, since: int, step: str) -> None:
        """Paths noted from ``since`` on were found behind one more step."""
        for index in range(since, len(self)):
            self[index] = step + self[index]

    def metadata(self, value: Json) -> Json:
        """The metadata of an object within another one; as they are where they can't be read."""
        before = len(self)
        try:
            return _struct_decoder(OBJECT_META)(value, self)
        except (WrongTypeError, StatusError):
            del self[before:]
            return value


Decode: TypeAlias = Callable[[Json, Reading], Json]

_PLAIN: dict[type[Type], type] = {Str: str, Bool: bool}
"""Types whose values are kept as they are, told by their Python type alone."""


def flat_fields(struct: Struct) -> tuple[Field, ...]:
    """The fields as they stand in JSON: those of inlined structs in their parent's place."""
    flat: list[Field] = []
    for field in struct.fields:
        if field.inline and isinstance(field.type, Struct):
            flat.extend(flat_fields(field.type))
        else:
            flat.append(field)
    return tuple(flat)


def decoder(field_type: Type) -> Decode:
    """The closure that reads values of a type."""
    match field_type:
        case Struct():
            return _struct_decoder(field_type)
        case Ref(target=target):
            return _ref_decoder(target)
        case List():
            return _list_decoder(field_type)
        case Map():
            return _map_decoder(field_type)
        case Structural():
            return pruner(field_type)
        case Alternatives():
            return _alternatives_decoder(field_type)
    read = _reader(field_type)
    if read is None:
        raise TypeError(f"{type(field_type).__name__} can't be read")
    return lambda value, _reading: read(value)


def _reader(field_type: Type) -> Read | None:
    """What reads values of a type in which nothing is declared; None for others."""
    match field_type:
        case Str():
            return read_str
        case Int(bits=bits):
            return read_int(bits)
        case Float():
            return read_float
        case Bool():
            return read_bool
        case Bytes():
            return read_bytes
        case Time(micro=micro):
            return read_micro_time if micro else read_time
        case Quantity(thousandths=thousandths):
            return read_thousandths if thousandths else read_quantity
        case IntOrString():
            return read_int_or_string
        case Raw(json=json):
            return as_kept if json else read_raw
    return None


@derived
def _struct_decoder(struct: Struct) -> Decode:
    fields = flat_fields(struct)
    positions = {field.name: index for index, field in enumerate(fields)}
    table = {
        field.name: (positions[field.name], _PLAIN.get(type(field.type)), field.zero_is_absence, _reader(field.type), decoder(field.type))
        for field in fields
    }
    name, go_type = struct.name, type_name(struct)
    nullable = {field.name for field in fields if isinstance(field.type, Structural) and field.type.nullable}
    leave, place = (_keep, lambda key: positions.get(key, len(positions))) if struct.open else (_note, positions.__getitem__)

    def decode(value: Json, reading: Reading) -> Json:
        if type(value) is not dict:
            raise WrongTypeError(value, go_type)
        read: Object = {}
        last, in_order, noted, key = -1, True, len(reading), ""
        try:
            for key, item in value.items():
                try:
                    position, plain, zero_is_absence, read_item, decode_item = table[key]
                except KeyError:
                    in_order = leave(read, key, item, reading) and in_order
                    noted = len(reading)
                    continue
                if position < last:
                    in_order = False
                last = position
                if type(item) is plain or item is None:
                    pass
                elif read_item is not None:
                    item = read_item(item)  # noqa: PLW2901 - from here on what was read is meant
                else:
                    item = decode_item(item, reading)  # noqa: PLW2901
                    if reading and len(reading) != noted:
                        reading.move(noted, f".{key}")
                        noted = len(reading)
                if item or not (item is None or zero_is_absence) or key in nullable:
                    read[key] = item
                elif reading.as_written:
                    read[key], reading.spelled_out = item, True
        except WrongTypeError as error:
            error.within(name, key)
            raise
        return read if in_order else {key: read[key] for key in sorted(read, key=place)}

    return decode


def _keep(read: Object, key: str, item: Json, _reading: Reading) -> bool:
    """What is done with a field nobody declared, where such are kept. It may stand anywhere: those that are declared come first."""
    read[key] = as_kept(item)
    return False


def _note(_read: Object, key: str, _item: Json, reading: Reading) -> bool:
    """What is done with it elsewhere."""
    reading.note(key)
    return True


def _list_decoder(field_type: List) -> Decode:
    decode_item, go_type, blank, plain = (
        decoder(field_type.item),
        type_name(field_type),
        nothing(field_type.item),
        _PLAIN.get(type(field_type.item)),
    )

    def decode(value: Json, reading: Reading) -> Json:
        if type(value) is not list:
            raise WrongTypeError(value, go_type)
        read: list[Json] = []
        noted = len(reading)
        for item in value:
            if type(item) is plain:
                read.append(item)
                continue
            if item is None:
                read.append(blank())
                continue
            read.append(decode_item(item, reading))
            if reading and len(reading) != noted:
                reading.move(noted, f"[{len(read) - 1}]")
                noted = len(reading)
        return read

    return decode


def _map_decoder(field_type: Map) -> Decode:
    decode_item, go_type, blank, plain = (
        decoder(field_type.value),
        type_name(field_type),
        nothing(field_type.value),
        _PLAIN.get(type(field_type.value)),
    )

    def decode(value: Json, reading: Reading) -> Json:
        if type(value) is not dict:
            raise WrongTypeError(value, go_type)
        read: Object = {}
        noted = len(reading)
        for key, item in value.items():
            if type(item) is plain:
                read[key] = item
                continue
            if item is None:
                read[key] = blank()
                continue
            read[key] = decode_item(item, reading)
            if reading and len(reading) != noted:
                reading.move(noted, f".{key}")
                noted = len(reading)
        return read

    return decode


def _alternatives_decoder(field_type: Alternatives) -> Decode:
    read_message, wrap, unwrap = _struct_decoder(field_type.message), field_type.wrap, field_type.unwrap
    return lambda value, reading: unwrap(read_message(wrap(value), reading))


def _ref_decoder(target: Callable[[], Struct]) -> Decode:
    def decode(value: Json, reading: Reading) -> Json:
        reading.self_nesting += 1
        if reading.self_nesting > SCHEMA_SELF_NESTING:
            raise bad_request(f"exceeded max depth: {target().name} may be nested {SCHEMA_SELF_NESTING} levels deep")
        read = _struct_decoder(target())(value, reading)
        reading.self_nesting -= 1
        return read

    return decode
