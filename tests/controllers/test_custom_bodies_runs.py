"""What the body of a request about a custom resource has to say of itself, and in which forms it may come."""

from typing import Any

import pytest

from svcsim.meta.errors import StatusError
from svcsim.meta.types import Json, Object
from tests.controllers.running import Running
from tests.controllers.test_custom_resources_runs import cluster, defined, definition, in_both_dialects, refusal, widget, widgets

PATH = "/apis/acme.io/v1/namespaces/default/widgets"
SERVED_TWICE: tuple[Object, Object] = ({}, {"name": "v2", "storage": False})


def body(**changed: Json) -> Object:
    """A widget with other values at its top; None leaves them out."""
    return {name: value for name, value in {**widget(), **changed}.items() if value is not None}


MISSING_KIND = 'Widget in version "v1" cannot be handled as a Widget: Object \'Kind\' is missing in \'{"apiVersion":"acme.io/v1"'
WRONG_VERSION = "the API version in the data ({}) does not match the expected API version (acme.io/v1)"
BODIES: list[tuple[Object, str]] = [
    (body(kind=None), f"400 {MISSING_KIND}"),
    (body(kind=""), "400 Widget in version \"v1\" cannot be handled as a Widget: Object 'Kind' is missing in '{"),
    (body(apiVersion=None), f"400 {WRONG_VERSION.format('')}"),
    (body(apiVersion="acme.io/v2"), f"400 {WRONG_VERSION.format('acme.io/v2')}"),
    (body(apiVersion="acme.io/v9"), f"400 {WRONG_VERSION.format('acme.io/v9')}"),
    (body(apiVersion="v1", kind="Pod"), f"400 {WRONG_VERSION.format('v1')}"),
    (body(kind="Gadget"), 'kind: Invalid value: "Gadget": must be Widget'),
]


async def asked(r: Running, method: str, path: str, sent: Object) -> Any:
    return await r.client.request(method, path, "", sent)


@pytest.mark.virtual_time
@in_both_dialects
async def test_a_custom_resource_says_itself_what_it_is(dialect: str):
    async with cluster(dialect) as r:
        await defined(r, definition(r, *SERVED_TWICE))
        for sent, told in BODIES:
            (found,) = await refusal(asked(r, "POST", PATH, sent))
            assert found.startswith(told), (sent, found)
        made = await widgets(r).create(widget())
        for sent, told in BODIES:
            replaced = {**sent, "metadata": made["metadata"]}
            (found,) = await refusal(asked(r, "PUT", f"{PATH}/one", replaced))
            assert found.startswith(told), (sent, found)
        (found,) = await refusal(widgets(r).patch("one", {"kind": None}))
        assert found.startswith("patch: Invalid value: ")
        assert "Object 'Kind' is missing in '{" in found
        assert await refusal(widgets(r).patch("one", {"kind": "Gadget"})) == ['kind: Invalid value: "Gadget": must be Widget']
        scale = await widgets(r).patch("one", {"spec": {"replicas": 2}}, subresource="scale")
        del scale["kind"], scale["apiVersion"]
        assert (await asked(r, "PUT", f"{PATH}/one/scale", {**scale, "spec": {"replicas": 3}}))["kind"] == "Scale"
        path = "/api/v1/namespaces/default/configmaps"
        assert (await asked(r, "POST", path, {"metadata": {"name": "named-by-its-path"}}))["kind"] == "ConfigMap"


@pytest.mark.virtual_time
@in_both_dialects
async def test_an_update_names_the_revision_it_is_built_on(dialect: str):
    async with cluster(dialect) as r:
        await defined(r, definition(r))
        await widgets(r).create(widget())
        with pytest.raises(StatusError) as refused:
            await asked(r, "PUT", f"{PATH}/one", widget())
        rest = "metadata.resourceVersion: Invalid value: 0x0: must be specified for an update"
        assert refused.value.message == f'widgets.acme.io "one" is invalid: {rest}'
        assert (refused.value.details or {})["kind"] == "widgets"


@pytest.mark.virtual_time
@in_both_dialects
async def test_nothing_of_a_custom_resource_is_merged_strategically(dialect: str):
    async with cluster(dialect) as r:
        await defined(r, definition(r))
        await widgets(r).create(widget())
        forms = "application/json-patch+json, application/merge-patch+json, application/apply-patch+yaml"
        for subresource in ("", "status", "scale"):
            (found,) = await refusal(widgets(r).patch("one", {"spec": {"replicas": 4}}, "strategic", subresource=subresource))
            assert found == f"415 the body of the request was in an unknown format - accepted media types include: {forms}"
        paths = (await r.client.get_json("/openapi/v3/apis/acme.io/v1"))["paths"]
        for subresource in ("", "/status", "/scale"):
            item = paths[f"/apis/acme.io/v1/namespaces/{{namespace}}/widgets/{{name}}{subresource}"]
            assert ", ".join(item["patch"]["requestBody"]["content"]) == forms
            assert list(item["put"]["requestBody"]["content"]) == ["application/json", "application/yaml"]
