"""The shared types are those of the public API."""

import pytest

from svcsim.meta.objects import METADATA_ORDER
from svcsim.schema import common
from svcsim.schema.scalars import type_name
from svcsim.schema.types import Field, List, Raw, Str, Struct
from tests.schema.from_facts import Facts

SHARED_TYPES = common.SHARED
LEFT_OUT = {("ListMeta", "shardInfo")}


@pytest.mark.parametrize("declared", SHARED_TYPES, ids=lambda struct: struct.name)
def test_fields_numbers_types_and_merging_are_those_of_the_public_api(declared):
    known = Facts().struct(f"meta.v1.{declared.name}")

    def facts(struct):
        return {field.name: describe(field) for field in struct.fields if field.number and (struct.name, field.name) not in LEFT_OUT}

    def describe(field: Field):
        kind = field.type
        merging = (kind.list_type, kind.keys, kind.merge_key) if isinstance(kind, List) else ()
        return field.number, type_name(kind), isinstance(kind, Raw), field.required, field.patch, merging

    assert facts(declared) == facts(known)
    assert declared.atomic == known.atomic


def test_every_field_is_explained():
    assert [(struct.name, field.name) for struct in SHARED_TYPES for field in struct.fields if not field.doc] == []


def test_metadata_stands_in_its_canonical_order():
    assert [field.name for field in common.OBJECT_META.fields] == [*METADATA_ORDER, "selfLink"]


def test_objects_begin_with_what_all_objects_have():
    schema = common.object_struct(Struct("T", Field(2, "spec", Str()), doc="A thing"))
    assert [(field.number, field.name) for field in schema.fields] == [(0, "kind"), (0, "apiVersion"), (1, "metadata"), (2, "spec")]
    assert (schema.name, schema.doc) == ("T", "A thing")
