"""Who owns what of a new object is told without comparing anything, and is what a comparison with nothing tells."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from svcsim.apply import ownership
from svcsim.apply.managers import UPDATE, Manager, Managers
from svcsim.apply.reset_fields import ALL_FIELDS, FieldFilter
from svcsim.apply.topology import DEDUCED, Node, topology
from svcsim.apply.typed_write import TypedWrite
from svcsim.meta.codec import encode
from svcsim.meta.types import Json, Object
from svcsim.schema.common import object_struct
from svcsim.schema.types import Struct
from tests.kinds.helpers import CATALOGUED
from tests.kinds.objects import structs

WHO = Manager("jane", UPDATE, "v1")
FILTERS = (
    ALL_FIELDS,
    FieldFilter.of(resets=("status",)),
    FieldFilter.of(resets=("metadata", "spec.containers")),
    FieldFilter.of(writes=("status",)),
)
ODD = st.sampled_from(
    (
        *("null", "{}", "[]", '""', "0", "false", '"x"', "1.0", "[{}]", "[null]", "[[1]]", '["a", "a"]', '{"": {}}', '{"a": {"b": null}}'),
        *('[{"name": "a"}, {"name": "a"}]', '[{"name": "a"}, {"port": 1}]', '{"spec": {"template": {}}}'),
    )
).map(json.loads)
SCHEMAS = {f"{kind.group.base}/{kind.group.version} {kind.name}": kind.schema for kind in CATALOGUED}


def compared(write: TypedWrite) -> Managers:
    """As the general way tells it."""
    steps = ownership.update(write, {}, WHO, "T1")
    with pytest.raises(StopIteration) as done:
        steps.send(None)
    managers: Managers = done.value.value
    return managers


def told_alike(node: Node, obj: Object) -> None:
    for written in FILTERS:
        write = TypedWrite(node, None, obj, written)
        first, general = (
            {manager: (owned.time, encode(owned.fields)) for manager, owned in managers.items()}
            for managers in (ownership.first_managers(write, WHO, "T1"), compared(write))
        )
        assert first == general, written


def places(value: Json) -> list[tuple[Json, str | int]]:
    """Where something stands in an object: in what, and under which name or number."""
    inside: list[tuple[str | int, Json]] = []
    if isinstance(value, dict):
        inside = list(value.items())
    elif isinstance(value, list):
        inside = list(enumerate(value))
    return [place for name, part in inside for place in ((value, name), *places(part))]


@pytest.mark.parametrize("schema", SCHEMAS.values(), ids=SCHEMAS)
@settings(max_examples=12)
@given(data=st.data())
def test_for_objects_of_each_kind(schema: Struct, data: st.DataObject) -> None:
    """Also for those in which something stands that the schema wouldn't let pass."""
    whole = object_struct(schema)
    obj: Object = {"apiVersion": "v1", "kind": "X", **data.draw(structs(whole))}
    obj["metadata"] = {**(obj.get("metadata") or {}), "name": "a"}
    told_alike(topology(whole), obj)
    for _ in range(2):
        holder, name = data.draw(st.sampled_from([place for place in places(obj) if place[0] is not obj or place[1] != "metadata"]))
        holder[name] = data.draw(ODD)
        told_alike(topology(whole), obj)


NAMES = st.sampled_from(("name", "spec", "f:a", ".", "é"))
JSON = st.recursive(ODD, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES, inner, max_size=3), max_leaves=8)
TOP = st.dictionaries(st.sampled_from(("spec", "status", "data", "kind")), JSON)
METADATA = st.dictionaries(st.sampled_from(("labels", "uid", "x")), JSON)


@given(TOP, METADATA)
def test_for_objects_without_a_schema(obj: Object, metadata: Object) -> None:
    told_alike(DEDUCED, {**obj, "metadata": metadata})
