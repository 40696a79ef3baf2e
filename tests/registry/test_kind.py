"""What follows from a kind's schema and from its having a status."""

import dataclasses

import pytest

from svcsim.dialect import SVCAPI
from svcsim.meta.types import GroupVersion
from svcsim.registry.kind import STATUS, Group, Kind, Selectable, Status, Subresource
from svcsim.registry.resource import Resource
from svcsim.schema.types import Field, Int, Str, Struct

GROUP = Group("acme", "v1")
STATE = Struct("WidgetStatus", Field(1, "phase", Str(), default="New"), Field(2, "count", Int(), required=True), Field(3, "reason", Str()))
WIDGET = Struct("Widget", Field(3, "status", STATE, default={}), doc="A widget")
SCALE = Subresource("scale")


def resource(kind: Kind) -> Resource:
    return Resource(kind, GroupVersion("acme", "v1"), SVCAPI)


def test_name_and_description_are_those_of_the_schema():
    kind = Kind(GROUP, "widgets", WIDGET)
    assert (kind.name, kind.schema.doc) == ("Widget", "A widget")


def test_a_status_brings_its_subresource_and_counts_generations():
    kind = Kind(GROUP, "widgets", WIDGET, status=Status(), subresources=(SCALE,))
    assert kind.subresources == (SCALE, STATUS)
    assert kind.generation is True


def test_without_a_status_there_is_neither():
    kind = Kind(GROUP, "widgets", WIDGET, subresources=(SCALE,))
    assert kind.subresources == (SCALE,)
    assert kind.generation is False


@pytest.mark.parametrize("status", [None, Status()])
@pytest.mark.parametrize("generation", [False, True])
def test_whether_generations_are_counted_can_be_said(status, generation):
    assert Kind(GROUP, "widgets", WIDGET, status=status, generation=generation).generation is generation


def test_the_subresource_of_the_status_comes_with_the_status_alone():
    with pytest.raises(ValueError, match="Widget: the status subresource comes with status="):
        Kind(GROUP, "widgets", WIDGET, subresources=(STATUS,))


def test_a_copy_of_a_kind_has_its_subresources_once():
    kind = Kind(GROUP, "widgets", WIDGET, status=Status())
    other = Subresource("status", update_rules=())
    assert dataclasses.replace(kind, short=("wd",)).subresources == (STATUS,)
    assert dataclasses.replace(kind, status=Status(subresource=other)).subresources == (other,)


def test_a_status_starts_with_the_defaults_of_its_schema():
    assert resource(Kind(GROUP, "widgets", WIDGET, status=Status())).initial_status == {"phase": "New", "count": 0}
    assert resource(Kind(GROUP, "widgets", Struct("Widget", Field(3, "status", STATE)), status=Status())).initial_status is None
    assert resource(Kind(GROUP, "widgets", Struct("Widget"), status=Status())).initial_status is None


@pytest.mark.parametrize(
    ("field", "obj", "expected"),
    [
        (Selectable("spec.a.b"), {"spec": {"a": {"b": "x"}}}, "x"),
        (Selectable("spec.a.b"), {"spec": {"a": "x"}}, None),
        (Selectable("spec.a"), {"spec": "x"}, None),
        (Selectable("spec.a"), {}, None),
        (Selectable("type"), {"type": "x"}, "x"),
        (Selectable("a", at=("spec.a", "a")), {"spec": {"a": ""}, "a": "x"}, "x"),
        (Selectable("a", at=("spec.a", "a")), {"spec": {"a": False}, "a": "x"}, False),
    ],
)
def test_a_selectable_field_is_the_value_at_its_path(field, obj, expected):
    assert field.reader()(obj) is expected
