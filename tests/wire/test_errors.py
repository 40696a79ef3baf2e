"""Whatever a client sends, it is answered with a Status that says what is wrong, and the server goes on."""

import json
from urllib.parse import quote

import pytest

from tests.wire.raw import APPLY, JSON_PATCH, MERGE, STRATEGIC, Answer, Wire

JSON_TYPE, YAML_TYPE = "application/json", "application/yaml"


def is_status(answer: Answer, code: int, reason: str) -> bool:
    """Whether the answer is that Status, and no traceback."""
    body = answer.json
    assert b"Traceback" not in answer.body
    assert (answer.status, body["kind"], body["apiVersion"], body["status"]) == (code, "Status", "v1", "Failure"), answer
    assert (body["code"], body.get("reason", "")) == (code, reason), body
    assert body["message"]
    return True


ALIAS_BOMB = b"a: &a [x,x,x,x,x,x,x,x,x]\n" + b"".join(
    b"%c: &%c [%s]\n" % (ord("b") + i, ord("b") + i, b",".join([b"*%c" % (ord("a") + i)] * 9)) for i in range(9)
)


@pytest.mark.parametrize(
    ("media", "body"),
    [
        (JSON_TYPE, b"{"),
        (JSON_TYPE, b'{"metadata": {"name": "a"}} trailing'),
        (JSON_TYPE, b"\xff\xfe"),
        (JSON_TYPE, b'{"metadata": {"name": "\\ud800"}}'),
        (JSON_TYPE, b"[]"),
        (JSON_TYPE, b'"text"'),
        (JSON_TYPE, b'{"kind": 7}'),
        (JSON_TYPE, b'{"metadata": 7}'),
        (JSON_TYPE, b'{"metadata": []}'),
        (JSON_TYPE, b'{"metadata": {"name": 7}}'),
        (JSON_TYPE, b'{"metadata": {"name": "a", "labels": {"a": 1}}}'),
        (JSON_TYPE, b'{"metadata": {"name": "a", "labels": ["a"]}}'),
        (JSON_TYPE, b'{"metadata": {"name": "a"}, "data": "text"}'),
        (JSON_TYPE, b'{"metadata": {"name": "a"}, "data": {"a": {}}}'),
        (JSON_TYPE, b'{"metadata": {"name": "a"}, "immutable": "yes"}'),
        (JSON_TYPE, b'{"metadata": {"name": "a"}, "binaryData": {"a": "no base64!"}}'),
        (JSON_TYPE, b'{"metadata": {"name": "a", "resourceVersion": "7"}}'),
        (JSON_TYPE, b'{"metadata": {"name": "a", "namespace": "elsewhere"}}'),
        (JSON_TYPE, b'{"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "a"}}'),
        (JSON_TYPE, b'{"apiVersion": "v7", "kind": "ConfigMap", "metadata": {"name": "a"}}'),
        (JSON_TYPE, b'{"apiVersion": "v1", "kind": "Unheard", "metadata": {"name": "a"}}'),
        (JSON_TYPE, b"[" * 100_000 + b"]" * 100_000),
        (JSON_TYPE, b'{"metadata": ' * 100_000 + b"1" + b"}" * 100_000),
        (JSON_TYPE, b'{"metadata": {"name": "a"}, "data": ' + b'{"a": ' * 50_000 + b"1" + b"}" * 50_001),
        (YAML_TYPE, b"a: [\n"),
        (YAML_TYPE, b"a: b: c\n"),
        (YAML_TYPE, b"\x00"),
        (YAML_TYPE, b"metadata: *nothing\n"),
        (YAML_TYPE, b"metadata: !!python/object/apply:os.getcwd []\n"),
        (YAML_TYPE, b"[" * 100_000),
        (YAML_TYPE, ALIAS_BOMB),
        (YAML_TYPE, b"a: &a [" + b"x," * 1_000 + b"]\nb: [" + b"*a," * 100_000 + b"]"),
    ],
    ids=lambda value: value[:40].decode("latin-1") if isinstance(value, bytes) else value,
)
def test_bodies_that_are_no_config_map_are_refused(wire: Wire, maps: str, media: str, body: bytes):
    assert is_status(wire.ask("POST", maps, body, content_type=media), 400, "BadRequest")
    assert wire.get(maps, labelSelector="!none", fieldSelector="metadata.name=a")["items"] == []


@pytest.mark.parametrize("media", [JSON_TYPE, YAML_TYPE])
def test_an_empty_body_is_refused(wire: Wire, maps: str, media: str):
    answer = wire.ask("POST", maps, b"", content_type=media)
    assert is_status(answer, 400, "BadRequest")


@pytest.mark.parametrize(
    "name", ["A", "a_b", "-a", "a-", "a..b", "a/b", "a b", "ü", ".", "..", "a" * 254, "%", "a\nb"], ids=lambda name: ascii(name[:10])
)
def test_names_that_are_no_dns_names_are_refused(wire: Wire, maps: str, name: str):
    answer = wire.ask("POST", maps, {"metadata": {"name": name}})
    assert is_status(answer, 422, "Invalid")
    assert answer.json["details"]["causes"][0]["field"] == "metadata.name"


def test_an_object_needs_a_name(wire: Wire, maps: str):
    answer = wire.ask("POST", maps, {})
    assert is_status(answer, 422, "Invalid")
    assert "name or generateName is required" in answer.message


def test_all_that_is_wrong_is_told_at_once(wire: Wire, ns: str):
    pod = {"metadata": {"name": "A_"}, "spec": {"containers": [{"name": "Main"}], "restartPolicy": "Sometimes"}}
    answer = wire.ask("POST", f"/api/v1/namespaces/{ns}/pods", pod)
    assert is_status(answer, 422, "Invalid")
    fields = [cause["field"] for cause in answer.json["details"]["causes"]]
    assert fields == ["metadata.name", *sorted(fields[1:], key=fields[1:].index)]
    assert {"metadata.name", "spec.restartPolicy", "spec.containers[0].image", "spec.containers[0].name"} <= set(fields)


@pytest.mark.parametrize("chunked", [False, True])
def test_a_body_over_three_mebibytes_is_refused(wire: Wire, maps: str, chunked: bool):
    body = b'{"metadata": {"name": "big"}, "data": {"a": "' + b"x" * (3 * 1024 * 1024) + b'"}}'
    connection = wire.connect()
    headers = {"Authorization": f"Bearer {wire.token}", "Content-Type": JSON_TYPE}
    connection.request("POST", maps, iter([body]) if chunked else body, headers, encode_chunked=chunked)
    response = connection.getresponse()
    answer = Answer(response.status, {}, response.read())
    connection.close()
    assert is_status(answer, 413, "RequestEntityTooLarge")


def test_a_config_map_over_one_mebibyte_is_refused(wire: Wire, maps: str):
    answer = wire.ask("POST", maps, {"metadata": {"name": "big"}, "data": {"a": "x" * (1024 * 1024 + 1)}})
    assert is_status(answer, 422, "Invalid")


def test_annotations_over_their_limit_are_refused(wire: Wire, maps: str):
    answer = wire.ask("POST", maps, {"metadata": {"name": "big", "annotations": {"a": "x" * (256 * 1024 + 1)}}})
    assert is_status(answer, 422, "Invalid")
    assert answer.json["details"]["causes"][0]["field"] == "metadata.annotations"


@pytest.mark.parametrize(
    ("method", "path", "status", "reason"),
    [
        ("GET", "/api/v2/pods", 404, "NotFound"),
        ("GET", "/apis/apps/v1/unheards", 404, "NotFound"),
        ("GET", "/api/v1/namespaces/default/pods/a/unheard", 404, "NotFound"),
        ("GET", "/api/v1/namespaces/default/nodes", 404, "NotFound"),
        ("GET", "/api/v1/namespaces/default/configmaps/none", 404, "NotFound"),
        ("PUT", "/api/v1/namespaces/default/configmaps", 405, "MethodNotAllowed"),
        ("PATCH", "/api/v1/namespaces/default/configmaps", 405, "MethodNotAllowed"),
        ("POST", "/api/v1/namespaces/default/configmaps/a", 405, "MethodNotAllowed"),
        ("POST", "/api/v1/configmaps", 405, "MethodNotAllowed"),
        ("TRACE", "/api/v1/namespaces/default/configmaps", 405, "MethodNotAllowed"),
        ("DELETE", "/api/v1/namespaces", 405, "MethodNotAllowed"),
        ("DELETE", "/api/v1/namespaces/default/pods/a/log", 405, "MethodNotAllowed"),
        ("POST", "/version", 405, "MethodNotAllowed"),
    ],
)
def test_paths_and_methods_that_are_not_there(wire: Wire, method: str, path: str, status: int, reason: str):
    body = {"metadata": {"name": "a"}} if method in ("PUT", "POST") else None
    assert is_status(wire.ask(method, path, body), status, reason)


def test_a_path_that_is_not_there_at_all(wire: Wire):
    answer = wire.ask("GET", "/nowhere")
    assert (answer.status, answer.body) == (404, b"404 page not found\n")


def test_what_is_not_found_is_named(wire: Wire):
    assert wire.ask("GET", "/api/v1/namespaces/default/configmaps/none").message == 'configmaps "none" not found'
    assert wire.ask("GET", "/apis/apps/v1/namespaces/default/deployments/none").message == 'deployments.apps "none" not found'
    assert wire.ask("GET", "/apis/apps/v1/unheards").message == "the server could not find the requested resource"


@pytest.mark.parametrize("media", ["text/plain", "application/xml", "application/json-seq", MERGE])
def test_bodies_of_unknown_media_types_are_refused(wire: Wire, maps: str, media: str):
    assert is_status(wire.ask("POST", maps, b"{}", content_type=media), 415, "UnsupportedMediaType")


def test_patches_of_unknown_media_types_are_refused(wire: Wire, maps: str):
    wire.create(maps, {"metadata": {"name": "a"}})
    assert is_status(wire.ask("PATCH", f"{maps}/a", {}, content_type=JSON_TYPE), 415, "UnsupportedMediaType")


@pytest.mark.parametrize("accept", ["text/html", "image/png", "application/xml;q=1"])
def test_answers_in_unknown_media_types_are_refused(wire: Wire, maps: str, accept: str):
    assert is_status(wire.ask("GET", maps, headers={"Accept": accept}), 406, "NotAcceptable")


def test_what_is_never_stored_is_no_table(wire: Wire):
    path = f"/apis/{wire.dialect.group('authorization')}/v1/selfsubjectaccessreviews"
    table = f"application/json;as=Table;v=v1;g={wire.dialect.group('meta')}"
    review = {"spec": {"nonResourceAttributes": {"path": "/", "verb": "get"}}}
    assert is_status(wire.ask("POST", path, review, headers={"Accept": table}), 406, "NotAcceptable")
    assert wire.ask("POST", path, review, headers={"Accept": f"{table},{JSON_TYPE}"}).json["kind"] == "SelfSubjectAccessReview"


@pytest.mark.parametrize(
    ("option", "value", "status"),
    [
        ("labelSelector", "a in (", 400),
        ("labelSelector", "a in b", 400),
        ("labelSelector", "=b", 400),
        ("labelSelector", "a b", 400),
        ("labelSelector", "a==" + "x" * 64, 400),
        ("labelSelector", "a/b/c=d", 400),
        ("fieldSelector", "metadata.name", 400),
        ("fieldSelector", "data.a=1", 400),
        ("fieldSelector", "spec.nodeName=a", 400),
        ("continue", "garbage", 400),
        ("continue", "!!!", 400),
        ("limit", "many", 400),
        ("resourceVersion", "newest", 400),
        ("resourceVersion", "-1", 400),
        ("resourceVersion", "9" * 40, 400),
        ("resourceVersionMatch", "Exact", 422),
        ("timeoutSeconds", "soon", 400),
        ("sendInitialEvents", "true", 422),
    ],
)
def test_bad_options_of_a_list(wire: Wire, maps: str, option: str, value: str, status: int):
    answer = wire.ask("GET", maps, **{option: value})
    assert is_status(answer, status, {400: "BadRequest", 422: "Invalid"}[status])


@pytest.mark.parametrize(
    ("media", "patch", "status", "reason"),
    [
        (MERGE, b"{", 400, "BadRequest"),
        (MERGE, b"[]", 400, "BadRequest"),
        (MERGE, b'{"data": 7}', 422, "Invalid"),
        (MERGE, b'{"metadata": {"name": "b"}}', 400, "BadRequest"),
        (MERGE, b'{"metadata": {"uid": "b"}}', 409, "Conflict"),
        (MERGE, b'{"metadata": {"resourceVersion": "1"}}', 409, "Conflict"),
        (JSON_PATCH, b"{}", 400, "BadRequest"),
        (JSON_PATCH, b'[{"op": "unheard", "path": "/a"}]', 422, "Invalid"),
        (JSON_PATCH, b'[{"op": "remove", "path": "/none/a"}]', 422, "Invalid"),
        (JSON_PATCH, b'[{"op": "test", "path": "/data/a", "value": "other"}]', 422, "Invalid"),
        (JSON_PATCH, json.dumps([{"op": "test", "path": "/data/a", "value": "1"}] * 10_001).encode(), 413, "RequestEntityTooLarge"),
        (STRATEGIC, b"[]", 400, "BadRequest"),
        (STRATEGIC, b'{"data": 7}', 422, "Invalid"),
        (STRATEGIC, b'{"$patch": "unheard"}', 422, "Invalid"),
        (APPLY, b"{", 400, "BadRequest"),
        (APPLY, b"a: [", 400, "BadRequest"),
    ],
    ids=lambda value: value[:50].decode() if isinstance(value, bytes) else None,
)
def test_bad_patches(wire: Wire, maps: str, media: str, patch: bytes, status: int, reason: str):
    created = wire.create(maps, {"metadata": {"name": "a"}, "data": {"a": "1"}})
    options = {"fieldManager": "tester"} if media == APPLY else {}
    assert is_status(wire.ask("PATCH", f"{maps}/a", patch, content_type=media, **options), status, reason)
    assert wire.get(f"{maps}/a") == created


def test_an_update_from_a_stale_copy_is_a_conflict(wire: Wire, maps: str):
    stale = wire.create(maps, {"metadata": {"name": "a"}})
    wire.patch(f"{maps}/a", {"data": {"a": "1"}})
    answer = wire.ask("PUT", f"{maps}/a", stale)
    assert is_status(answer, 409, "Conflict")
    assert answer.message == (
        'Operation cannot be fulfilled on configmaps "a": '
        "the object has been modified; please apply your changes to the latest version and try again"
    )


def test_an_update_names_what_its_path_names(wire: Wire, maps: str):
    obj = wire.create(maps, {"metadata": {"name": "a"}})
    answer = wire.ask("PUT", f"{maps}/b", obj)
    assert is_status(answer, 400, "BadRequest")
    assert answer.message == "the name of the object (a) does not match the name on the URL (b)"


@pytest.mark.parametrize("validation", ["", "Warn", "Ignore", "Strict"])
def test_unknown_and_duplicate_fields_are_told_as_wished(wire: Wire, maps: str, validation: str):
    body = b'{"metadata": {"name": "a", "nmae": 1}, "dta": {}, "data": {"a": "1", "a": "2"}}'
    answer = wire.ask("POST", maps, body, fieldValidation=validation or None)
    paths = ['unknown field "metadata.nmae"', 'unknown field "dta"', 'duplicate field "data.a"']
    if validation == "Strict":
        assert is_status(answer, 400, "BadRequest")
        assert all(path in answer.message for path in paths)
        return
    assert answer.status == 201
    assert answer.json["data"] == {"a": "2"}
    told = answer.headers.get("warning", "")
    assert [path.replace('"', '\\"') in told for path in paths] == [validation != "Ignore"] * 3


def test_unknown_and_duplicate_fields_are_told_in_the_order_in_which_they_stand(wire: Wire, maps: str):
    wire.create(maps, {"metadata": {"name": "a"}})
    body = b'{"metadata": {"name": "a", "zz": {"c": 1, "c": 2}, "name": "a"}, "bb": 1, "data": {"a": "1", "a": "2", "a": "3"}, "aa": 2}'
    told = [
        'unknown field "metadata.zz"',
        'duplicate field "metadata.name"',
        'unknown field "bb"',
        'duplicate field "data.a"',
        'unknown field "aa"',
    ]
    for method, path in (("POST", maps), ("PUT", f"{maps}/a")):
        answer = wire.ask(method, path, body, fieldValidation="Strict")
        assert is_status(answer, 400, "BadRequest")
        assert answer.message.endswith(f"strict decoding error: {', '.join(told)}")
    patched = wire.ask("PATCH", f"{maps}/a", b'{"aa": 1, "data": {"a": "1", "a": "2"}}', content_type=MERGE, fieldValidation="Strict")
    assert patched.message.endswith('strict decoding error: duplicate field "data.a", unknown field "aa"'), "a patch is looked over first"


def test_a_bad_field_validation_is_refused(wire: Wire, maps: str):
    assert is_status(wire.ask("POST", maps, {"metadata": {"name": "a"}}, fieldValidation="Maybe"), 422, "Invalid")


def test_a_bad_dry_run_is_refused(wire: Wire, maps: str):
    assert is_status(wire.ask("POST", maps, {"metadata": {"name": "a"}}, dryRun="Some"), 422, "Invalid")


def test_a_request_that_is_no_http_is_told_so(wire: Wire):
    connection = wire.connect()
    connection.connect()
    connection.sock.sendall(b"how do you do?\r\n\r\n")
    told = connection.sock.recv(65536)
    connection.close()
    assert told.startswith(b"HTTP/1.1 400 ")
    assert b'"kind":"Status"' in told


RAW = "a\x1b[31m\x07\x0bb"
SPELLED = "a\\x1b[31m\\a\\vb"


@pytest.mark.parametrize(
    "sent",
    [
        ("POST", "/api/v1/namespaces/default/configmaps", {"metadata": {"name": RAW}}),
        ("POST", "/api/v1/namespaces/default/configmaps", {"metadata": {"name": "x", "labels": {"a": RAW}}}),
        ("POST", "/api/v1/namespaces/default/configmaps?fieldValidation=Strict", {"metadata": {"name": "x", RAW: ""}}),
        ("POST", "/api/v1/namespaces/default/services", {"metadata": {"name": "x"}, "spec": {"type": RAW}}),
        ("GET", f"/api/v1/namespaces/default/configmaps/{quote(RAW)}", None),
        ("GET", f"/api/v1/namespaces/default/configmaps?labelSelector=a%3D{quote(RAW)}", None),
        ("GET", f"/api/v1/namespaces/default/configmaps?limit={quote(RAW)}", None),
        ("GET", f"/api/v1/namespaces/default/configmaps?resourceVersion={quote(RAW)}", None),
    ],
    ids=["name", "label", "field", "word", "path", "label selector", "number", "revision"],
)
def test_text_of_others_can_do_nothing_to_a_terminal(wire: Wire, sent: tuple[str, str, object]):
    method, path, body = sent
    answer = wire.ask(method, path, body)
    assert answer.status in (400, 404, 422), answer
    told = answer.json
    messages = [told["message"], *(cause["message"] for cause in told.get("details", {}).get("causes", ()))]
    assert any(SPELLED in message for message in messages), messages
    assert all(message.isprintable() for message in messages), messages
