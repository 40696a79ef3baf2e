"""A value of another JSON type is a change, whatever Python thinks of it: 0 and false, 1 and true."""

import pytest

from svcsim.kinds.shared.checks import unchanged
from svcsim.meta.errors import FieldError
from svcsim.meta.types import Json, Object
from svcsim.registry.kind import Context, Group, Kind, Strategy
from svcsim.schema.types import Field, Raw, Struct
from tests.server.conftest import Server, whole

WIDGETS = "/apis/acme.io/v1/namespaces/default/widgets"
WIDGET = f"{WIDGETS}/w"
PAIRS = [(0, False), (True, 1), ([0], [False]), ({"a": [1]}, {"a": [True]})]


def _fixed(new: Object, old: Object, context: Context) -> list[FieldError]:
    return list(unchanged(new, old, "fixed"))


def _never_red(value: Json, path: str) -> list[FieldError]:
    return [FieldError("FieldValueInvalid", path, "never true")] if value == [True] and value[0] is True else []


SPEC = Struct("WidgetSpec", Field(1, "free", Raw(granular=True)), Field(2, "fixed", Raw()), Field(3, "checked", Raw(), rules=(_never_red,)))
KIND = Kind(
    Group("acme.io", "v1"), "widgets", Struct("Widget", Field(2, "spec", SPEC)), generation=True, strategy=Strategy(update_rules=(_fixed,))
)


async def made(server: Server, **spec: Json) -> Object:
    server.scheme.serve((KIND,))
    return await server.create(WIDGETS, "w", spec=spec)


async def written(server: Server, way: str, obj: Object, spec: Object) -> tuple[int, Object]:
    """A change of the spec by one of the verbs."""
    if way == "update":
        response = await server.ask("PUT", WIDGET, {**obj, "spec": spec})
    elif way == "apply":
        config = {"apiVersion": "acme.io/v1", "kind": "Widget", "metadata": {"name": "w"}, "spec": spec}
        response = await server.ask("PATCH", f"{WIDGET}?fieldManager=ann&force=true", config, content_type="application/apply-patch+yaml")
    else:
        response = await server.ask("PATCH", WIDGET, {"spec": spec}, content_type="application/merge-patch+json")
    return response.status, await whole(response)


@pytest.mark.parametrize("way", ["update", "apply", "merge patch"])
@pytest.mark.parametrize(("before", "after"), PAIRS)
async def test_it_is_stored_under_a_new_revision_and_a_new_generation(server: Server, way: str, before: Json, after: Json):
    first = await made(server, free={"x": before})
    status, second = await written(server, way, first, {"free": {"x": after}})
    assert status == 200
    assert repr(second["spec"]["free"]["x"]) == repr(after)
    assert repr((await server.get(WIDGET))["spec"]["free"]["x"]) == repr(after)
    assert second["metadata"]["resourceVersion"] != first["metadata"]["resourceVersion"]
    assert second["metadata"]["generation"] == first["metadata"]["generation"] + 1


@pytest.mark.parametrize("way", ["update", "merge patch"])
async def test_the_same_in_another_order_or_another_spelling_of_a_number_is_no_write(server: Server, way: str):
    first = await made(server, free={"x": 1, "y": [True, 2]})
    status, second = await written(server, way, first, {"free": {"y": [True, 2.0], "x": 1.0}})
    assert (status, second) == (200, first)


@pytest.mark.parametrize("way", ["update", "apply", "merge patch"])
@pytest.mark.parametrize(("before", "after"), PAIRS)
async def test_an_immutable_field_does_not_change_by_it(server: Server, way: str, before: Json, after: Json):
    first = await made(server, fixed=before)
    status, refused = await written(server, way, first, {"fixed": after})
    assert (status, refused["reason"]) == (422, "Invalid")
    assert [cause["field"] for cause in refused["details"]["causes"]] == ["spec.fixed"]


async def test_a_field_that_becomes_wrong_by_it_is_refused(server: Server):
    first = await made(server, checked=[1])
    status, refused = await written(server, "update", first, {"checked": [True]})
    assert (status, refused["reason"]) == (422, "Invalid")


@pytest.mark.parametrize(("before", "after"), PAIRS)
async def test_a_json_patch_tests_for_it(server: Server, before: Json, after: Json):
    await made(server, free={"x": before})
    for value, status in ((after, 422), (before, 200)):
        patch = [{"op": "test", "path": "/spec/free/x", "value": value}]
        assert (await server.ask("PATCH", WIDGET, patch, content_type="application/json-patch+json")).status == status
