"""Remembering what follows from a schema."""

import gc
import weakref

from svcsim.schema.common import list_struct, object_struct
from svcsim.schema.compile import compile_struct
from svcsim.schema.derived import derived
from svcsim.schema.structural import as_struct, parse
from svcsim.schema.types import Struct


class Result:
    """Something that follows."""


def test_equal_schemas_are_different_schemas():
    made = derived(lambda _struct: Result())
    first, second = Struct("A"), Struct("A")
    assert made(first) is made(first)
    assert made(first) is not made(second)


def test_each_function_has_its_own_results():
    schema = parse({"type": "object"}, "x-kubernetes-")
    assert derived(lambda _node: 1)(schema) == 1
    assert derived(lambda _node: 2)(schema) == 2


def test_what_follows_goes_with_the_schema():
    kept = derived(lambda _struct: Result())
    schema = as_struct(
        "A", parse({"type": "object", "properties": {"spec": {"type": "object", "properties": {"a": {"type": "string"}}}}}, "x-")
    )
    gc.collect()
    gc.disable()
    try:
        whole = object_struct(schema)
        compiled = compile_struct(whole)
        read, _ = compiled.decode({"spec": {"a": "b"}})
        compiled.default(read)
        assert compiled.validate(read) == []
        results = [weakref.ref(kept(one)) for one in (schema, whole, list_struct(schema, "AList"), schema.fields[0].type)]
        assert all(result() is not None for result in results)
        del schema, whole, compiled, read
        assert [result() for result in results] == [None] * 4
    finally:
        gc.enable()
