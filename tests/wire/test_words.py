"""The words and the form of answers, as clients of Kubernetes know them."""

import pytest

from tests.wire.raw import MERGE, Wire

NOWHERE = "the server could not find the requested resource"
NO_METHOD = "the server does not allow this method on the requested resource"


def compact(body: bytes) -> bool:
    """Whether it is one line, with its end."""
    return body.endswith(b"}\n") and b"\n" not in body[:-1]


def indented(body: bytes) -> bool:
    return body.startswith(b"{\n  ") and body.endswith(b"}")


ANSWERS = {
    "object": "/api/v1/namespaces/default",
    "list": "/api/v1/namespaces",
    "page": "/api/v1/namespaces?limit=1",
    "empty list": "/api/v1/namespaces?labelSelector=a=b",
    "missing": "/api/v1/namespaces/nope",
    "no path": "/api/v1/nothing",
    "resources": "/api/v1",
    "group": "/apis/apps",
    "groups": "/apis",
    "v3": "/openapi/v3",
}


@pytest.mark.parametrize("path", ANSWERS.values(), ids=ANSWERS)
def test_json_is_one_line_with_an_end_or_indented_without(wire: Wire, path: str):
    assert compact(wire.ask("GET", path).body)
    assert indented(wire.ask("GET", path, pretty="true").body)
    assert indented(wire.ask("GET", path, headers={"User-Agent": "curl/8"}).body)


@pytest.mark.parametrize("path", ["/version", "/"])
def test_what_only_people_read_is_always_indented(wire: Wire, path: str):
    assert indented(wire.ask("GET", path).body)


def test_a_written_object_ends_its_line(wire: Wire, maps: str):
    assert compact(wire.ask("POST", maps, {"metadata": {"name": "a"}}).body)
    assert compact(wire.ask("PATCH", f"{maps}/a", {"data": {"a": "b"}}, content_type=MERGE).body)
    assert compact(wire.ask("DELETE", f"{maps}/a").body)


@pytest.mark.parametrize(
    ("method", "path", "code", "message", "allow"),
    [
        ("GET", "/api/v1/nothing", 404, NOWHERE, None),
        ("GET", "/api/v2/pods", 404, NOWHERE, None),
        ("GET", "/api/v1/namespaces//pods", 404, NOWHERE, None),
        ("POST", "/api/v1/pods", 405, NO_METHOD, "GET, HEAD"),
        ("POST", "/api/v1/nodes/n", 405, NO_METHOD, "GET, HEAD, PUT, PATCH, DELETE"),
        ("PUT", "/api/v1/nodes", 405, NO_METHOD, "GET, HEAD, POST, DELETE"),
        ("DELETE", "/version", 405, NO_METHOD, "GET, HEAD"),
        ("POST", "/svcsim/v1/status", 405, NO_METHOD, "GET"),
        ("PATCH", "/api/v1/namespaces/default", 415, "415: Unsupported Media Type", None),
    ],
)
def test_refusals_that_are_about_no_object(wire: Wire, method: str, path: str, code: int, message: str, allow: str | None):
    answer = wire.ask(method, path, b"{}" if method in ("POST", "PUT", "PATCH") else None)
    assert (answer.status, answer.message, answer.json["details"]) == (code, message, {})
    assert answer.headers.get("allow") == allow


@pytest.mark.parametrize("path", ["/apis/none.example.com/v1/namespaces/x/bars", "/apis//v1/pods", "/nothing"])
def test_a_path_of_no_group_is_refused_in_plain_text(wire: Wire, path: str):
    answer = wire.ask("GET", path)
    assert (answer.status, answer.body, answer.headers["content-type"]) == (404, b"404 page not found\n", "text/plain; charset=utf-8")


def test_an_unacceptable_answer_is_told_with_what_there_is(wire: Wire):
    known = f"application/json, application/yaml, {wire.dialect.protobuf_media_type}"
    answer = wire.ask("GET", "/api/v1/nodes", headers={"Accept": "text/html"})
    assert (answer.status, answer.message) == (406, f"406: Not Acceptable\n\nAvailable representations: {known}")


def test_preconditions_of_a_delete(wire: Wire, maps: str):
    made = wire.create(maps, {"metadata": {"name": "a"}})["metadata"]
    refused = 'Operation cannot be fulfilled on configmaps "a": '
    assert wire.ask("DELETE", f"{maps}/a", {"preconditions": {"uid": "u"}}).message == (
        f"{refused}the UID in the precondition (u) does not match the UID in record ({made['uid']}). "
        "The object might have been deleted and then recreated"
    )
    assert wire.ask("DELETE", f"{maps}/a", {"preconditions": {"resourceVersion": "1"}}).message == (
        f"{refused}the ResourceVersion in the precondition (1) does not match the ResourceVersion in record ({made['resourceVersion']}). "
        "The object might have been modified"
    )
    assert 'dryRun: Unsupported value: ["x"]: supported values: "All"' in wire.ask("DELETE", f"{maps}/a", dryRun="x").message


def test_a_field_that_is_not_selected_by(wire: Wire, maps: str):
    only_names = '"foo" is not a known field selector: only "metadata.name", "metadata.namespace"'
    assert wire.ask("GET", maps, fieldSelector="foo=b").message == only_names
    assert wire.ask("GET", "/api/v1/pods", fieldSelector="foo=b").message == "field label not supported: foo"


def test_a_body_that_says_half_of_what_it_is(wire: Wire, maps: str):
    assert wire.create(maps, {"apiVersion": "v1", "metadata": {"name": "a"}})["kind"] == "ConfigMap"
    assert wire.create(maps, {"kind": "ConfigMap", "metadata": {"name": "b"}})["apiVersion"] == "v1"
    other = wire.ask("POST", maps, {"apiVersion": "v9", "metadata": {"name": "c"}})
    assert 'ConfigMap in version "v9" cannot be handled as a ConfigMap: no kind "ConfigMap" is registered for version "v9"' in other.message


def test_a_body_of_null_is_an_object_without_a_name(wire: Wire, maps: str):
    answer = wire.ask("POST", maps, b"null")
    assert (answer.status, answer.reason) == (422, "Invalid")
    assert "name or generateName is required" in answer.message


@pytest.mark.parametrize("type_meta", [b"", b"\x0a\x0b\x12\x09ConfigMap"])
def test_a_protobuf_body_need_not_say_what_it_is(wire: Wire, maps: str, type_meta: bytes):
    body = b"k8s\x00" + type_meta + b"\x12\x05\x0a\x03\x0a\x01a"
    answer = wire.ask("POST", maps, body, content_type=wire.dialect.protobuf_media_type)
    assert (answer.status, answer.json["metadata"]["name"]) == (201, "a")


def test_a_part_of_a_collection_is_deleted_and_the_rest_can_be_asked_for(wire: Wire, maps: str):
    for name in ("a", "b", "c"):
        wire.create(maps, {"metadata": {"name": name, "labels": {"x": "y"}}})
    deleted = wire.delete(maps, limit=2, labelSelector="x=y")
    assert [item["metadata"]["name"] for item in deleted["items"]] == ["a", "b"]
    rest = wire.get(maps, labelSelector="x=y", **{"continue": deleted["metadata"]["continue"]})
    assert [item["metadata"]["name"] for item in rest["items"]] == ["c"]


def test_a_deletion_that_waits_is_accepted_only_for_the_old_option(wire: Wire, maps: str):
    for name, query, code in (("a", {"propagationPolicy": "Foreground"}, 200), ("b", {"orphanDependents": "false"}, 202)):
        wire.create(maps, {"metadata": {"name": name, "finalizers": ["example.com/wait"]}})
        assert wire.ask("DELETE", f"{maps}/{name}", **query).status == code


def test_bookmarks_tell_a_revision_and_nothing_else(wire: Wire, maps: str):
    with wire.watch(maps, sendInitialEvents="true", resourceVersionMatch="NotOlderThan", allowWatchBookmarks="true") as events:
        bookmark = events.until(lambda event: event["type"] == "BOOKMARK")[-1]["object"]
    assert set(bookmark["metadata"]) == {"resourceVersion", "annotations"}


@pytest.mark.parametrize("since", ["\u00b2", "-1", "x"])
def test_a_journal_from_no_revision_is_refused(wire: Wire, since: str):
    assert wire.ask("GET", "/svcsim/v1/journal", since=since).status == 400


@pytest.mark.parametrize("body", [b"no gzip", b"\x1f\x8b\x08"])
def test_a_body_that_only_claims_to_be_packed_is_answered(wire: Wire, maps: str, body: bytes):
    assert wire.ask("POST", maps, body, headers={"Content-Encoding": "gzip"}).status == 400
