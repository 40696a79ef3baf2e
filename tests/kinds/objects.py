"""Random objects of every kind that is declared: of the right types, with no regard for rules."""

import base64
import string

from hypothesis import strategies as st

from svcsim.meta.types import Json, Object
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
    Time,
    Type,
)

FIELDS = 5
"""So many fields of a struct are filled at the most: enough for every pair of them to meet."""
LEVELS = 7
"""Structs so deep in an object hold nothing any more."""

_WORDS = st.text(string.ascii_letters + "äß-", max_size=4)
_INT32 = st.integers(-(2**31), 2**31 - 1)
_JSON = st.recursive(
    st.booleans() | st.integers(-100, 100) | _WORDS,
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(_WORDS, inner, max_size=2),
    max_leaves=4,
)
_SCALARS: dict[type[Type], st.SearchStrategy[Json]] = {
    Str: _WORDS,
    Bool: st.booleans(),
    Float: st.floats(allow_nan=False, allow_infinity=False),
    Bytes: st.binary(max_size=4).map(lambda raw: base64.b64encode(raw).decode()),
    Quantity: st.sampled_from(("0", "100m", "1.5Gi", "1000", 0, 3)),
    IntOrString: _INT32 | _WORDS,
    Raw: _JSON,
}


@st.composite
def values(draw: st.DrawFn, type_: Type, level: int = 0) -> Json:
    """A value of a type; zeros are as likely as anything."""
    match type_:
        case Ref(target=target):
            return draw(values(target(), level))
        case Struct():
            return draw(structs(type_, level + 1))
        case List(item=item):
            return draw(st.lists(values(item, level), max_size=2))
        case Map(value=item):
            return draw(st.dictionaries(_WORDS, values(item, level), max_size=2))
        case Alternatives(message=message, unwrap=unwrap):
            field = draw(st.sampled_from(message.fields))
            return unwrap({field.name: draw(_filled(field, level + 1))})
        case Int(bits=bits):
            return draw(st.just(0) | st.integers(-(2 ** (bits - 1)), 2 ** (bits - 1) - 1))
        case Time(micro=micro):
            return draw(
                st.sampled_from(("2024-02-29T12:00:00.000001Z",) if micro else ("2024-02-29T12:00:00Z", "2024-01-01T00:00:00+01:00"))
            )
    return draw(_SCALARS[type(type_)])


@st.composite
def structs(draw: st.DrawFn, struct: Struct, level: int = 0) -> Object:
    """A struct with some of its fields, in any order, some of them null. Kind and version, which messages leave out, are none of them."""
    fields = [field for field in flat(struct) if field.number and level < LEVELS]
    if not fields:
        return {}
    chosen = draw(st.lists(st.sampled_from(fields), max_size=FIELDS, unique_by=lambda field: field.name))
    return {field.name: draw(st.none() | _filled(field, level) if draw(st.booleans()) else _filled(field, level)) for field in chosen}


def _filled(field: Field, level: int) -> st.SearchStrategy[Json]:
    """A field's value. A list that is told from none when it is empty is not empty: as in Go, protobuf doesn't tell that."""
    found = values(field.type, level)
    return found.filter(bool) if isinstance(field.type, List | Map) and not field.zero_is_absence else found


def flat(struct: Struct) -> list[Field]:
    """The fields as they stand in JSON."""
    found: list[Field] = []
    for field in struct.fields:
        found += flat(field.type) if field.inline and isinstance(field.type, Struct) else [field]
    return found
