"""Random objects of every kind that is declared: of the right types, with no regard for rules."""

import base64
import string
from functools import cache

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


def values(type_: Type, level: int = 0, fewest: int = 0) -> st.SearchStrategy[Json]:
    """A value of a type, a list or map with no fewer entries; zeros are as likely as anything."""
    match type_:
        case Ref(target=target):
            return structs(target(), level + 1)
        case Struct():
            return structs(type_, level + 1)
        case List(item=item):
            return st.lists(values(item, level), min_size=fewest, max_size=2)
        case Map(value=item):
            return st.dictionaries(_WORDS, values(item, level), min_size=fewest, max_size=2)
        case Alternatives(message=message, unwrap=unwrap):
            each = [st.fixed_dictionaries({field.name: _filled(field, level + 1)}) for field in message.fields]
            return st.sampled_from(each).flatmap(lambda message: message).map(unwrap)
        case Int(bits=bits):
            return st.just(0) | st.integers(-(2 ** (bits - 1)), 2 ** (bits - 1) - 1)
        case Time(micro=micro):
            return st.sampled_from(("2024-02-29T12:00:00.000001Z",) if micro else ("2024-02-29T12:00:00Z", "2024-01-01T00:00:00+01:00"))
    return _SCALARS[type(type_)]


def structs(struct: Struct, level: int = 0) -> st.SearchStrategy[Object]:
    """A struct with some of its fields, in any order, some of them null. Kind and version, which messages leave out, are none of them.

    What a struct's objects are drawn from is kept with it: to make that anew for each of them takes longer than to draw them.
    """
    found: st.SearchStrategy[Object] | None = struct.derived.get((structs, level))
    if found is None:
        found = struct.derived[structs, level] = _structs(struct, level)
    return found


def _structs(struct: Struct, level: int) -> st.SearchStrategy[Object]:
    fields = {field.name: field for field in flat(struct) if field.number and level < LEVELS}
    if not fields:
        return st.builds(dict)
    chosen = st.lists(st.sampled_from(list(fields)), max_size=FIELDS, unique=True)

    @cache
    def of(name: str) -> tuple[st.SearchStrategy[Json], st.SearchStrategy[Json]]:
        filled = _filled(fields[name], level)
        return filled, st.none() | filled

    @st.composite
    def some(draw: st.DrawFn) -> Object:
        return {name: draw(of(name)[draw(st.booleans())]) for name in draw(chosen)}

    return some()


def _filled(field: Field, level: int) -> st.SearchStrategy[Json]:
    """A field's value. A list that is told from none when it is empty is not empty: as in Go, protobuf doesn't tell that."""
    return values(field.type, level, 1 if isinstance(field.type, List | Map) and not field.zero_is_absence else 0)


def flat(struct: Struct) -> list[Field]:
    """The fields as they stand in JSON."""
    found: list[Field] = []
    for field in struct.fields:
        found += flat(field.type) if field.inline and isinstance(field.type, Struct) else [field]
    return found
