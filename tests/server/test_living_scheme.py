"""Kinds that come and go while a server answers: everything that follows from the scheme follows at once."""

import asyncio
import json

import pytest

from svcsim import limits
from svcsim.clock import turn
from svcsim.dialect import KUBERNETES
from svcsim.meta.types import Json, Object
from svcsim.registry.kind import Column, Context, Conversion, Group, Kind, Status
from svcsim.registry.scheme import Scheme
from svcsim.schema.types import Field, Int, Str, Struct
from svcsim.server.discovery.paths import DiscoveryPaths
from tests.server.conftest import Server
from tests.server.discovery.test_discovery import aggregated_type
from tests.server.openapi.test_openapi import references, resolve

WIDGETS = "/apis/acme.io/v1/namespaces/default/widgets"


def _size(obj: Object, context: Context) -> Json:
    return obj.get("spec", {}).get("size", 0)


def _schema(*more: Field) -> Struct:
    spec = Struct("WidgetSpec", Field(1, "size", Int(), "How large it is", default=1), *more)
    return Struct("Widget", Field(2, "spec", spec, "What is wanted"), doc="Something to turn.")


def widget(group: str = "acme.io", version: str = "v1", *more: Field, conversion: Conversion | None = None) -> Kind:
    return Kind(
        Group(group, version),
        "widgets",
        _schema(*more),
        short=("wi",),
        columns=(Column("Size", _size, "integer"),),
        status=Status(),
        conversion=conversion,
    )


WIDGET = widget()
LATE = (WIDGET, widget("events.acme.io"), widget("apps.acme.io"))
GROUPS = ["acme.io", "apps.acme.io", "events.acme.io"]


async def groups(server: Server) -> list[str]:
    return [group["name"] for group in (await server.get("/apis"))["groups"]]


async def watch(server: Server, path: str = WIDGETS, since: str = "", **headers: str) -> asyncio.Task[list[bytes]]:
    """All that a watch shows until it ends."""
    response = await server.ask("GET", f"{path}?watch=true&resourceVersion={since}", **headers)
    assert response.status == 200, response.body

    async def read() -> list[bytes]:
        return [piece async for piece in response.stream]

    task = asyncio.create_task(read())
    for _ in range(5):
        await turn()
    return task


async def hashes(server: Server) -> dict[str, str]:
    paths = (await server.get("/openapi/v3"))["paths"]
    return {path: entry["serverRelativeURL"].partition("hash=")[2] for path, entry in paths.items()}


async def test_a_change_leaves_the_documents_of_other_groups_as_they_are():
    scheme = Scheme(KUBERNETES, LATE)
    paths = DiscoveryPaths(scheme, None)
    other, changed, group, root = (paths.find(path) for path in ("/apis/apps.acme.io/v1", "/apis/acme.io/v1", "/apis/acme.io", "/apis"))
    scheme.replace((WIDGET,), (widget(),))
    assert paths.find("/apis/apps.acme.io/v1") is other
    for path, before in (("/apis/acme.io/v1", changed), ("/apis/acme.io", group), ("/apis", root)):
        assert paths.find(path) is paths.find(f"{path}/") is not before
    scheme.replace(LATE[1:], ())
    assert paths.find("/apis/apps.acme.io/v1") is paths.find("/apis/apps.acme.io") is None


async def test_discovery_in_all_its_forms(server: Server):
    before, paths = await groups(server), (await server.get("/"))["paths"]
    forms = ("application/json", aggregated_type(server, "v2"), aggregated_type(server, "v2beta1"), server.dialect.protobuf_media_type)
    first = {accept: (await server.ask("GET", "/apis", accept=accept)).body for accept in forms}

    server.scheme.serve(LATE)
    assert await groups(server) == [*before, *GROUPS]
    assert (await server.get("/apis/acme.io"))["preferredVersion"] == {"groupVersion": "acme.io/v1", "version": "v1"}
    listed = (await server.get("/apis/events.acme.io/v1"))["resources"]
    assert [(entry["name"], entry["kind"]) for entry in listed] == [("widgets", "Widget"), ("widgets/status", "Widget")]
    assert set((await server.get("/"))["paths"]) - set(paths) == {f"/apis/{group}{rest}" for group in GROUPS for rest in ("", "/v1")}
    for accept in forms:
        answer = await server.ask("GET", "/apis", accept=accept)
        assert answer.body != first[accept]
        assert b"events.acme.io" in answer.body

    server.scheme.replace(LATE, ())
    assert (await server.get("/"))["paths"] == paths
    assert {accept: (await server.ask("GET", "/apis", accept=accept)).body for accept in forms} == first
    assert (await server.ask("GET", "/apis/acme.io")).status == 404
    assert (await server.ask("GET", "/apis/acme.io/v1")).status == 404


async def test_who_has_an_old_document_is_sent_the_new_one(server: Server):
    accept = aggregated_type(server, "v2")
    etag = (await server.ask("GET", "/apis", accept=accept)).headers["ETag"]
    server.scheme.serve(LATE)
    assert (await server.ask("GET", "/apis", accept=accept, if_none_match=etag)).status == 200
    server.scheme.replace(LATE, ())
    assert (await server.ask("GET", "/apis", accept=accept, if_none_match=etag)).status == 304


async def test_objects_are_served_while_their_type_is_and_kept_when_it_is_not(server: Server):
    assert (await server.ask("GET", WIDGETS)).status == 404
    server.scheme.serve(LATE)
    made = await server.create(WIDGETS, "a", spec={"size": 3})
    table = await server.get(WIDGETS, accept=f"application/json;as=Table;v=v1;g={server.dialect.group('meta')}")
    assert ([column["name"] for column in table["columnDefinitions"]], table["rows"][0]["cells"]) == (["Name", "Size"], ["a", 3])

    server.scheme.replace(LATE, ())
    for path in (WIDGETS, f"{WIDGETS}/a", f"{WIDGETS}/a/status"):
        answer = await server.ask("GET", path)
        assert (answer.status, answer.body) == (404, b"404 page not found\n"), "nothing is left of its group"
    assert (await server.ask("POST", WIDGETS, {"metadata": {"name": "b"}})).status == 404

    server.scheme.serve((WIDGET,))
    assert await server.get(f"{WIDGETS}/a") == made


@pytest.mark.parametrize("accept", ["application/json", "application/yaml", "PROTOBUF", "TABLE"])
async def test_watches_of_a_type_end_with_it_and_others_go_on(server: Server, accept: str):
    meta = server.dialect.group("meta")
    accept = {"PROTOBUF": server.dialect.protobuf_media_type, "TABLE": f"application/json;as=Table;v=v1;g={meta}"}.get(accept, accept)
    server.scheme.serve(LATE)
    await server.create(WIDGETS, "a")
    ending, lasting = await watch(server, accept=accept), await watch(server, "/api/v1/namespaces/default/pods")
    server.scheme.replace((WIDGET,), ())
    seen = await asyncio.wait_for(ending, 5)
    assert len(seen) == 1
    assert (await server.ask("GET", f"{WIDGETS}?watch=true")).status == 404
    assert not lasting.done()
    lasting.cancel()


async def test_a_watch_whose_type_went_while_it_was_opened_ends_at_once(server: Server):
    server.scheme.serve((WIDGET,))
    ahead = server.core.store.revision + 1
    opening = asyncio.create_task(server.ask("GET", f"{WIDGETS}?watch=true&resourceVersion={ahead}"))
    for _ in range(5):
        await turn()
    server.scheme.replace((WIDGET,), ())
    await server.create("/api/v1/namespaces/default/configmaps", "a")
    response = await opening
    assert [piece async for piece in response.stream] == []


async def test_a_schema_is_replaced_and_requests_see_the_new_one(server: Server):
    server.scheme.serve((WIDGET,))
    await server.create(WIDGETS, "a", spec={"size": 2, "colour": "red"})
    assert (await server.get(f"{WIDGETS}/a"))["spec"] == {"size": 2}
    ending = await watch(server)

    server.scheme.replace((WIDGET,), (widget("acme.io", "v1", Field(2, "colour", Str())),))
    assert len(await asyncio.wait_for(ending, 5)) == 1, "its reader comes back and is shown the new form"
    await server.create(WIDGETS, "b", spec={"colour": "red"})
    assert (await server.get(f"{WIDGETS}/b"))["spec"] == {"size": 1, "colour": "red"}
    assert [item["metadata"]["name"] for item in (await server.get(WIDGETS))["items"]] == ["a", "b"]


async def test_versions_and_their_conversion_come_and_go(server: Server):
    def to_stored(obj: Object, context: Context) -> Object:
        return {**obj, "spec": {"size": obj.get("spec", {}).get("height", 1)}}

    def upwards(factor: int) -> Kind:
        def from_stored(obj: Object, context: Context) -> Object:
            return {**obj, "spec": {"height": obj["spec"]["size"] * factor}}

        schema = Struct("Widget", Field(2, "spec", Struct("WidgetSpec", Field(1, "height", Int()))))
        return Kind(Group("acme.io", "v2"), "widgets", schema, conversion=Conversion(WIDGET, to_stored, from_stored))

    newer, v2 = upwards(1), WIDGETS.replace("v1", "v2")
    server.scheme.serve((WIDGET,))
    # Enough of it that a list is kept for the next who asks.
    labels = {f"label-{number}": "x" * 60 for number in range(limits.PAGE_CACHE_SMALLEST_BYTES // 60)}
    since = str(server.core.store.revision)
    await server.create(WIDGETS, "a", spec={"size": 3}, labels=labels)
    server.scheme.serve((newer,))
    assert (await server.get("/apis/acme.io"))["preferredVersion"]["version"] == "v2"
    assert (await server.get(v2))["items"][0]["spec"] == {"height": 3}
    staying, ending = await watch(server), await watch(server, v2, since)

    server.scheme.replace((newer,), (upwards(10),))
    assert (await server.get(v2))["items"][0]["spec"] == {"height": 30}
    (line,) = await asyncio.wait_for(ending, 5)
    assert json.loads(line)["object"]["spec"] == {"height": 3}
    assert not staying.done()
    again = await watch(server, v2, since)
    server.scheme.replace([resource.kind for resource in server.scheme.resources if resource.api_version == "acme.io/v2"], ())
    (line,) = await asyncio.wait_for(again, 5)
    assert json.loads(line)["object"]["spec"] == {"height": 30}
    assert (await server.ask("GET", v2)).status == 404
    assert (await server.get("/apis/acme.io"))["preferredVersion"]["version"] == "v1"
    staying.cancel()


async def test_openapi_describes_what_is_served_and_only_what_changed_anew(server: Server):
    first, whole = await hashes(server), (await server.ask("GET", "/openapi/v2")).headers["ETag"]
    kept = await server.ask("GET", "/openapi/v3/api/v1")
    server.scheme.serve(LATE)
    more = await hashes(server)
    assert set(more) == {*first, *(path for group in GROUPS for path in (f"apis/{group}", f"apis/{group}/v1"))}
    assert {path: more[path] for path in first} == first
    assert (await server.ask("GET", "/openapi/v3/api/v1")).body is kept.body, "it wasn't built again"
    for path in ("/openapi/v2", *(f"/openapi/v3/apis/{group}/v1" for group in GROUPS)):
        document = await server.get(path)
        assert all(resolve(document, reference) for reference in references(document))
        assert f"{WIDGETS.replace('default', '{namespace}')}" in document["paths"] or "v3" in path
    assert (await server.ask("GET", "/openapi/v2", if_none_match=whole)).status == 200

    server.scheme.replace((WIDGET,), (widget("acme.io", "v1", Field(2, "colour", Str())),))
    changed = await hashes(server)
    assert [path for path in changed if changed[path] != more[path]] == ["apis/acme.io/v1"]
    stale = await server.ask("GET", f"/openapi/v3/apis/acme.io/v1?hash={more['apis/acme.io/v1']}")
    assert (stale.status, stale.headers["Location"]) == (301, f"/openapi/v3/apis/acme.io/v1?hash={changed['apis/acme.io/v1']}")

    server.scheme.replace([resource.kind for resource in server.scheme.resources if resource.group_version.group in GROUPS], ())
    assert await hashes(server) == first
    assert (await server.ask("GET", "/openapi/v3/apis/acme.io/v1")).status == 404
    assert (await server.ask("GET", "/openapi/v2", if_none_match=whole)).status == 304


async def test_a_custom_groups_types_are_named_by_its_domain(server: Server):
    server.scheme.serve(LATE)
    schemas = (await server.get("/openapi/v2"))["definitions"]
    widgets = [name for name in schemas if name.endswith(".Widget")]
    assert widgets == ["io.acme.apps.v1.Widget", "io.acme.events.v1.Widget", "io.acme.v1.Widget"]
    assert "io.acme.v1.WidgetSpec" in schemas
    suffix = ".".join(reversed(server.dialect.group_suffix.split(".")))
    assert f"{suffix}.api.apps.v1.Deployment" in schemas
    assert f"{suffix}.api.coordination.v1.Lease" in schemas
    document = await server.get("/openapi/v3/apis/apps.acme.io/v1")
    operation = document["paths"]["/apis/apps.acme.io/v1/namespaces/{namespace}/widgets/{name}"]["get"]
    assert (operation["operationId"], operation["tags"]) == ("readAppsAcmeIoV1NamespacedWidget", ["appsAcmeIo_v1"])


async def test_what_changes_while_a_document_is_being_built_is_in_the_next(server: Server):
    server.scheme.serve((WIDGET,))
    building = asyncio.create_task(server.ask("GET", "/openapi/v2"))
    await turn()
    server.scheme.replace((WIDGET,), ())
    assert b"io.acme.v1.Widget" in (await building).body
    assert b"io.acme.v1.Widget" not in (await server.ask("GET", "/openapi/v2")).body
