"""get, list and watch through the whole pipeline."""

import json

import pytest

from svcsim import limits
from svcsim.meta.http import Response
from svcsim.meta.types import Object
from tests.server.conftest import Server, whole

MAPS = "/api/v1/namespaces/default/configmaps"


def table_of(server: Server) -> str:
    return f"application/json;as=Table;v=v1;g={server.dialect.group('meta')}"


async def next_event(response: Response) -> Object:
    assert response.stream is not None
    return json.loads(await anext(response.stream))


async def test_get_gives_the_object_with_kind_and_version(server: Server) -> None:
    await server.create(MAPS, "one", data={"a": "b"})
    seen = await server.get(f"{MAPS}/one")
    assert (seen["kind"], seen["apiVersion"], seen["data"]) == ("ConfigMap", "v1", {"a": "b"})


async def test_a_missing_object_is_404(server: Server) -> None:
    response = await server.ask("GET", f"{MAPS}/one")
    assert response.status == 404
    assert json.loads(response.body) == {
        "kind": "Status",
        "apiVersion": "v1",
        "metadata": {},
        "status": "Failure",
        "message": 'configmaps "one" not found',
        "reason": "NotFound",
        "details": {"name": "one", "kind": "configmaps"},
        "code": 404,
    }


async def test_a_list_has_its_kind_and_items_without_theirs(server: Server) -> None:
    for name in ("a", "b"):
        await server.create(MAPS, name)
    seen = await server.get(MAPS)
    assert (seen["kind"], seen["apiVersion"]) == ("ConfigMapList", "v1")
    assert [item["metadata"]["name"] for item in seen["items"]] == ["a", "b"]
    assert not any("kind" in item or "apiVersion" in item for item in seen["items"])
    assert seen["metadata"] == {"resourceVersion": "3"}


async def test_an_empty_list_has_no_items(server: Server) -> None:
    assert (await server.get("/apis/apps/v1/deployments"))["items"] == []


async def test_pages_show_one_snapshot(server: Server) -> None:
    for name in ("a", "b", "c"):
        await server.create(MAPS, name)
    first = await server.get(f"{MAPS}?limit=2")
    await server.create(MAPS, "d")
    assert first["metadata"]["remainingItemCount"] == 1
    second = await server.get(f"{MAPS}?limit=2&continue={first['metadata']['continue']}")
    assert [item["metadata"]["name"] for item in second["items"]] == ["c"]
    assert second["metadata"] == {"resourceVersion": first["metadata"]["resourceVersion"]}


async def test_a_page_of_a_past_state_tells_what_was_left_then(server: Server) -> None:
    for name in ("a", "b", "c", "d"):
        revision = (await server.create(MAPS, name))["metadata"]["resourceVersion"]
    await server.create(MAPS, "e")
    await server.ask("DELETE", f"{MAPS}/b")
    first = await server.get(f"{MAPS}?limit=1&resourceVersion={revision}&resourceVersionMatch=Exact")
    assert first["metadata"]["remainingItemCount"] == 3
    second = await server.get(f"{MAPS}?limit=1&continue={first['metadata']['continue']}")
    assert second["metadata"]["remainingItemCount"] == 2
    chosen = await server.get(f"{MAPS}?limit=1&resourceVersion={revision}&labelSelector=!x")
    assert "remainingItemCount" not in chosen["metadata"]


async def test_a_long_list_comes_in_pieces_of_the_length_it_tells(server: Server) -> None:
    for number in range(12):
        await server.create(MAPS, f"n{number:02}", data={"x": "x" * (limits.WHOLE_BODY_BYTES // 11)})
    response = await server.ask("GET", MAPS)
    assert response.stream is not None
    pieces = [piece async for piece in response.stream]
    assert len(pieces) > 1
    assert sum(map(len, pieces)) == int(response.headers["Content-Length"])
    assert [item["metadata"]["name"] for item in json.loads(b"".join(pieces))["items"]] == [f"n{n:02}" for n in range(12)]


async def test_a_list_asked_for_again_shows_what_changed_since(server: Server) -> None:
    await server.create(MAPS, "a", data={"x": "x" * limits.PAGE_CACHE_SMALLEST_BYTES})
    first = await server.ask("GET", MAPS)
    assert await server.ask("GET", MAPS) is first, "while nothing changes, it is the same answer"
    await server.create("/api/v1/namespaces", "other")
    assert await server.ask("GET", MAPS) is first, "other resources may change: as of then the list is still just this"
    await server.create(MAPS, "b")
    again = await server.get(MAPS)
    assert (len(again["items"]), again["metadata"]["resourceVersion"]) == (2, "4")


async def test_an_answer_kept_for_who_asks_again_grows_old(server: Server) -> None:
    await server.create(MAPS, "a", data={"x": "x" * limits.PAGE_CACHE_SMALLEST_BYTES})
    first = await server.ask("GET", MAPS)
    await server.clock.sleep(limits.PAGE_CACHE_S + 1)
    assert await server.ask("GET", MAPS) is not first


async def test_kept_answers_are_few(server: Server) -> None:
    await server.create(MAPS, "a", data={"x": "x" * (limits.CONFIG_DATA_BYTES - 1000)})
    for number in range(50):
        await server.ask("GET", f"{MAPS}?limit={number}")
    assert server.pipeline._services.pages._bytes <= limits.PAGE_CACHE_BYTES


async def test_selectors_narrow_a_list(server: Server) -> None:
    await server.create(MAPS, "a", labels={"app": "x"})
    await server.create(MAPS, "b", labels={"app": "y"})
    await server.create("/api/v1/namespaces/default/pods", "p", spec={"nodeName": "n1"})
    assert [item["metadata"]["name"] for item in (await server.get(f"{MAPS}?labelSelector=app%3Dy"))["items"]] == ["b"]
    assert [item["metadata"]["name"] for item in (await server.get(f"{MAPS}?fieldSelector=metadata.name%3Da"))["items"]] == ["a"]
    assert len((await server.get("/api/v1/pods?fieldSelector=spec.nodeName=n1"))["items"]) == 1
    assert (await server.get("/api/v1/pods?fieldSelector=spec.nodeName=n2"))["items"] == []


NAMED = "fieldSelector=metadata.name%3Db"
"""A selector with one possible answer in a namespace."""


@pytest.mark.parametrize(
    ("query", "found"),
    [
        (NAMED, ["b"]),
        (f"{NAMED}&limit=1", ["b"]),
        (f"{NAMED}&resourceVersion=0", ["b"]),
        (f"{NAMED}&labelSelector=app%3Dx", []),
        (f"{NAMED}&labelSelector=app%3Dy", ["b"]),
        (f"{NAMED},metadata.namespace%3Ddefault", ["b"]),
        (f"{NAMED},metadata.namespace%3Dother", []),
        (f"{NAMED},metadata.name%3Da", []),
        (f"{NAMED},metadata.name!%3Db", []),
        ("fieldSelector=metadata.namespace%3Ddefault", ["a", "b"]),
        ("fieldSelector=metadata.name%3D", []),
        (f"{NAMED}%00", []),
        (f"{NAMED}{'b' * 600}", []),
    ],
)
async def test_a_list_by_name_shows_what_any_list_would(server: Server, query: str, found: list[str]) -> None:
    for namespace in ("defaul", "default1", "other"):
        await server.create("/api/v1/namespaces", namespace)
        await server.create(f"/api/v1/namespaces/{namespace}/configmaps", "b", labels={"app": "z"})
    await server.create(MAPS, "a", labels={"app": "x"})
    await server.create(MAPS, "b", labels={"app": "y"})
    await server.create(MAPS, "b.b")

    async def listed(query: str) -> list[str]:
        return [item["metadata"]["name"] for item in (await server.get(f"{MAPS}?{query}"))["items"] if item["metadata"]["name"] != "b.b"]

    assert await listed(query) == found
    then = server.core.store.revision
    assert (await server.ask("DELETE", f"{MAPS}?{query}")).status == 200
    if query.count("limit") == 0 and "resourceVersion" not in query:
        assert await listed(f"{query}&resourceVersion={then}&resourceVersionMatch=Exact") == found
    assert await listed(query) == []
    assert len((await server.get("/api/v1/configmaps?labelSelector=app%3Dz"))["items"]) == 3, "others are left alone"
    assert len(await listed("")) == 2 - len(found)


async def test_names_are_selected_in_all_namespaces_and_without_any(server: Server) -> None:
    await server.create("/api/v1/namespaces", "other")
    for namespace in ("default", "other"):
        for name in ("a", "b"):
            await server.create(f"/api/v1/namespaces/{namespace}/configmaps", name)
    everywhere = await server.get(f"/api/v1/configmaps?{NAMED}")
    assert [item["metadata"]["namespace"] for item in everywhere["items"]] == ["default", "other"]
    first = await server.get(f"/api/v1/configmaps?{NAMED}&limit=1")
    assert [item["metadata"]["namespace"] for item in first["items"]] == ["default"]
    rest = await server.get(f"/api/v1/configmaps?{NAMED}&limit=1&continue={first['metadata']['continue']}")
    assert [item["metadata"]["namespace"] for item in rest["items"]] == ["other"]
    namespaces = await server.get("/api/v1/namespaces?fieldSelector=metadata.name%3Dother")
    assert [item["metadata"]["name"] for item in namespaces["items"]] == ["other"]
    assert (await server.get("/api/v1/namespaces?fieldSelector=metadata.namespace%3Dother"))["items"] == []


@pytest.mark.parametrize(
    ("query", "code", "message"),
    [
        ("limit=many", 400, 'strconv.ParseInt: parsing "many": invalid syntax'),
        ("limit=99999999999999999999", 400, 'strconv.ParseInt: parsing "99999999999999999999": value out of range'),
        ("timeoutSeconds=x", 400, 'strconv.ParseInt: parsing "x": invalid syntax'),
        ("labelSelector=a+in+(", 400, "unable to parse requirement: found '', expected: ',' or ')'"),
        ("fieldSelector=spec.nope=x", 400, '"spec.nope" is not a known field selector: only "metadata.name", "metadata.namespace"'),
        ("continue=nonsense", 400, "continue key is not valid"),
        (
            "resourceVersion=x",
            400,
            'invalid resource version: resourceVersion: Invalid value: "x": strconv.ParseUint: parsing "x": invalid syntax',
        ),
        ("resourceVersion=99999999999999999999", 400, 'parsing "99999999999999999999": value out of range'),
        ("resourceVersionMatch=Exact", 422, "resourceVersionMatch is forbidden unless resourceVersion is provided"),
        ("sendInitialEvents=true", 422, "sendInitialEvents is forbidden for list"),
    ],
)
async def test_bad_options_of_a_list_are_told(server: Server, query: str, code: int, message: str) -> None:
    response = await server.ask("GET", f"{MAPS}?{query}")
    assert response.status == code
    assert message in json.loads(response.body)["message"]


@pytest.mark.parametrize("query", ["resourceVersionMatch=Exact", "sendInitialEvents=true", "watch=1&sendInitialEvents=true"])
async def test_options_that_do_not_go_together_are_of_the_dialects_list_options(server: Server, query: str) -> None:
    response = await server.ask("GET", f"{MAPS}?{query}")
    assert json.loads(response.body)["message"].startswith(f'ListOptions.{server.dialect.group("meta")} "" is invalid: ')


async def test_yaml_on_demand(server: Server) -> None:
    await server.create(MAPS, "one", data={"a": "b"})
    response = await server.ask("GET", f"{MAPS}/one", accept="application/yaml")
    assert response.content_type == "application/yaml"
    assert response.body.startswith(b"apiVersion: v1\ndata:\n  a: b\nkind: ConfigMap\n")


@pytest.mark.parametrize(
    ("query", "agent", "indented"),
    [
        ("", "svcsim", False),
        ("?pretty=1", "svcsim", True),
        ("", "curl/8.1", True),
        ("?pretty=false", "curl/8.1", False),
        ("", "Mozilla/5.0 x", True),
    ],
)
async def test_json_is_indented_for_people(server: Server, query: str, agent: str, indented: bool) -> None:
    response = await server.ask("GET", f"/api/v1/namespaces/default{query}", user_agent=agent)
    assert (b'\n  "kind"' in response.body) is indented
    listed = await server.ask("GET", f"/api/v1/namespaces{query}", user_agent=agent)
    assert (b'\n  "kind"' in listed.body) is indented


async def test_metadata_alone(server: Server) -> None:
    await server.create(MAPS, "one", data={"a": "b"})
    meta = server.dialect.group("meta")
    one = await server.get(f"{MAPS}/one", accept=f"application/json;as=PartialObjectMetadata;v=v1;g={meta}")
    assert (one["kind"], one["apiVersion"], one["metadata"]["name"]) == ("PartialObjectMetadata", f"{meta}/v1", "one")
    assert "data" not in one
    listed = await server.get(MAPS, accept=f"application/json;as=PartialObjectMetadataList;v=v1;g={meta}")
    assert listed["kind"] == "PartialObjectMetadataList"
    assert [set(item) for item in listed["items"]] == [{"kind", "apiVersion", "metadata"}]


@pytest.mark.parametrize(("path", "as_"), [(MAPS, "PartialObjectMetadata"), (f"{MAPS}/one", "PartialObjectMetadataList")])
async def test_a_form_that_does_not_fit_is_406(server: Server, path: str, as_: str) -> None:
    await server.create(MAPS, "one")
    response = await server.ask("GET", path, accept=f"application/json;as={as_};v=v1;g={server.dialect.group('meta')}")
    assert response.status == 406


async def test_a_watch_begins_with_what_there_is(server: Server) -> None:
    await server.create(MAPS, "one")
    response = await server.ask("GET", f"{MAPS}?watch=1")
    seen = await next_event(response)
    assert (seen["type"], seen["object"]["kind"], seen["object"]["metadata"]["name"]) == ("ADDED", "ConfigMap", "one")
    await response.stream.aclose()


async def test_a_watch_tells_every_change_once(server: Server) -> None:
    one = await server.create(MAPS, "one")
    response = await server.ask("GET", f"{MAPS}?watch=1&resourceVersion={one['metadata']['resourceVersion']}")
    await server.ask("PATCH", f"{MAPS}/one", {"data": {"a": "1"}}, content_type="application/merge-patch+json")
    await server.ask("DELETE", f"{MAPS}/one")
    await server.create(MAPS, "last")
    seen: list[tuple[str, str]] = []
    async for piece in response.stream:
        seen += [(event["type"], event["object"]["metadata"]["name"]) for event in map(json.loads, piece.splitlines())]
        if ("ADDED", "last") in seen:
            break
    assert seen == [("MODIFIED", "one"), ("DELETED", "one"), ("ADDED", "last")]
    await response.stream.aclose()


async def test_one_object_is_watched_by_its_path(server: Server) -> None:
    for name in ("one", "two"):
        await server.create(MAPS, name)
    response = await server.ask("GET", f"{MAPS}/two?watch=1&timeoutSeconds=1")
    lines = b"".join([piece async for piece in response.stream]).splitlines()
    assert [json.loads(line)["object"]["metadata"]["name"] for line in lines] == ["two"]


async def test_open_watches_are_counted(server: Server) -> None:
    await server.create(MAPS, "one")
    response = await server.ask("GET", f"{MAPS}?watch=1")
    await next_event(response)
    assert server.pipeline.metrics.watchers["configmaps"] == 1
    await response.stream.aclose()
    assert server.pipeline.metrics.watchers["configmaps"] == 0


async def test_a_watch_as_table_names_its_columns_once(server: Server) -> None:
    for name in ("one", "two"):
        await server.create(MAPS, name, data={"a": "b"})
    response = await server.ask("GET", f"{MAPS}?watch=1&timeoutSeconds=1", accept=table_of(server))
    tables = [json.loads(line)["object"] for line in b"".join([piece async for piece in response.stream]).splitlines()]
    assert [table["kind"] for table in tables] == ["Table", "Table"]
    assert [len(table["columnDefinitions"]) for table in tables] == [3, 0]
    assert [table["rows"][0]["cells"] for table in tables] == [["one", 1, "w"], ["two", 1, "w"]]


async def test_a_watch_of_metadata(server: Server) -> None:
    await server.create(MAPS, "one", data={"a": "b"})
    accept = f"application/json;as=PartialObjectMetadata;v=v1;g={server.dialect.group('meta')}"
    response = await server.ask("GET", f"{MAPS}?watch=1", accept=accept)
    seen = await next_event(response)
    assert (seen["object"]["kind"], "data" in seen["object"]) == ("PartialObjectMetadata", False)
    await response.stream.aclose()


async def test_a_revision_from_the_future_is_504(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "TOO_LARGE_REVISION_WAIT_S", 0.0)
    response = await server.ask("GET", f"{MAPS}?resourceVersion=1000")
    assert response.status == 504
    assert "Timeout: Too large resource version: 1000, current: 1" in json.loads(response.body)["message"]
    assert response.headers["Retry-After"] == "1"


async def test_a_table_has_the_kinds_columns(server: Server) -> None:
    await server.create(MAPS, "one", data={"a": "b"})
    seen = await server.get(MAPS, accept=table_of(server))
    assert (seen["kind"], seen["apiVersion"]) == ("Table", f"{server.dialect.group('meta')}/v1")
    assert seen["metadata"] == {"resourceVersion": "2"}
    assert [(c["name"], c["type"], c["format"], c["priority"]) for c in seen["columnDefinitions"]] == [
        ("Name", "string", "name", 0),
        ("Data", "integer", "", 0),
        ("Wide", "string", "", 1),
    ]
    (row,) = seen["rows"]
    assert row["cells"] == ["one", 1, "w"]
    assert (row["object"]["kind"], "data" in row["object"]) == ("PartialObjectMetadata", False)


async def test_a_kind_may_leave_the_name_out_of_its_table(server: Server) -> None:
    await server.create("/api/v1/namespaces/default/pods", "p", spec={"nodeName": "n1"})
    seen = await server.get("/api/v1/pods", accept=table_of(server))
    assert [column["name"] for column in seen["columnDefinitions"]] == ["Node"]
    assert [row["cells"] for row in seen["rows"]] == [["n1"]]


@pytest.mark.parametrize(("include", "kind"), [("None", None), ("Metadata", "PartialObjectMetadata"), ("Object", "ConfigMap")])
async def test_rows_carry_what_is_asked_for(server: Server, include: str, kind: str | None) -> None:
    await server.create(MAPS, "one")
    (row,) = (await server.get(f"{MAPS}?includeObject={include}", accept=table_of(server)))["rows"]
    assert (row["object"] or {}).get("kind") == kind


async def test_a_bad_include_object_is_400(server: Server) -> None:
    for query in ("", "&watch=1"):
        assert (await server.ask("GET", f"{MAPS}?includeObject=All{query}", accept=table_of(server))).status == 400


async def test_a_kind_without_columns_has_the_default_table(server: Server) -> None:
    seen = await server.get("/api/v1/namespaces/default", accept=table_of(server))
    assert [(c["name"], c["type"]) for c in seen["columnDefinitions"]] == [("Name", "string"), ("Created At", "date")]
    (row,) = seen["rows"]
    assert row["cells"] == ["default", row["object"]["metadata"]["creationTimestamp"]]


async def test_a_table_of_pages_can_be_continued(server: Server) -> None:
    for name in ("a", "b"):
        await server.create(MAPS, name)
    seen = await server.get(f"{MAPS}?limit=1", accept=table_of(server))
    assert seen["metadata"]["remainingItemCount"] == 1
    assert seen["metadata"]["continue"]


async def test_a_connected_subresource_is_its_handlers(server: Server) -> None:
    response = await server.ask("GET", "/api/v1/namespaces/default/pods/p/log")
    assert (response.status, response.body) == (200, b"log of p")
    assert (await server.ask("POST", "/api/v1/namespaces/default/pods/p/log")).status == 405


async def test_what_nobody_stands_behind_says_so(server: Server) -> None:
    server.pipeline._services.connect.clear()
    answer = await server.ask("GET", "/api/v1/namespaces/default/pods/p/log")
    assert answer.status == 405
    assert (await whole(answer))["message"].startswith("pods/log is not supported by this server")
