"""Every kind in JSON and in protobuf: the same object, whichever way it went, with every zero that means something."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from svcsim.meta.types import Json, Object
from svcsim.schema.common import object_struct
from svcsim.schema.compile import Compiled, compile_struct
from svcsim.schema.protobuf import decode_message, encode_message
from svcsim.schema.types import Bool, Field, Int, List, Map, Str, Struct
from tests.kinds.helpers import CATALOGUED
from tests.kinds.objects import flat, structs

SCHEMAS: dict[str, Struct] = {
    **{f"{kind.group.base or 'core'}/{kind.group.version}/{kind.name}": kind.schema for kind in CATALOGUED},
    **{sub.body.name: sub.body for kind in CATALOGUED for sub in kind.subresources if sub.body is not None},
}
"""All that is sent and answered: kinds, and bodies of subresources."""
FEW = settings(max_examples=15)


def through_protobuf(compiled: Compiled, obj: Object) -> Object:
    return compiled.decode(decode_message(encode_message(obj, compiled.schema), compiled.schema))[0]


def holds_for(compiled: Compiled, sent: Object) -> None:
    """Read once, an object stays as it is, however it is sent on."""
    read, unknown = compiled.decode(sent)
    assert unknown == []
    assert compiled.decode(read) == (read, []), "what was read reads as itself"
    assert through_protobuf(compiled, read) == read
    zeros = with_zeros(compiled.schema, read)
    assert compiled.decode(zeros)[0] == read, "zeros of fields that are never missing elsewhere say nothing"
    assert through_protobuf(compiled, zeros) == read
    compiled.default(read)
    assert through_protobuf(compiled, read) == read, "what is stored is what comes back"


def with_zeros(struct: Struct, value: Json) -> Json:
    """A struct as clients send it whose scalar fields are never missing, unless they are pointers."""
    whole = {field.name: _inside(field.type, value[field.name]) for field in flat(struct) if field.name in value}
    for field in flat(struct):
        if field.zero_is_absence and field.name not in value:
            whole.update(_zero(field))
    return whole


def _zero(field: Field) -> Object:
    zeros: dict[type, Json] = {Str: "", Int: 0, Bool: False}
    return {field.name: zeros[type(field.type)]} if type(field.type) in zeros else {}


def _inside(type_: object, value: Json) -> Json:
    if isinstance(type_, Struct):
        return with_zeros(type_, value)
    if isinstance(type_, List):
        return [_inside(type_.item, item) for item in value]
    if isinstance(type_, Map):
        return {key: _inside(type_.value, item) for key, item in value.items()}
    return value


@pytest.mark.parametrize("name", SCHEMAS)
@FEW
@given(st.data())
def test_an_object_is_the_same_in_json_and_in_protobuf(name: str, data: st.DataObject) -> None:
    schema = object_struct(SCHEMAS[name])
    holds_for(compile_struct(schema), data.draw(structs(schema)))
