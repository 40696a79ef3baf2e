"""API servers behind this one: a real one, of a few lines, on this machine, bound to a service of a served cluster."""

import asyncio
import base64
import gzip
import hashlib
import json
import socket
import ssl
import threading
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler
from types import SimpleNamespace

import pytest
from aiohttp import web

from svcsim import limits
from tests.outbound.program import program
from tests.outbound.tls import Authority, listening
from tests.process import served
from tests.wire.raw import Wire

AUTHORITY = Authority()
FLAVOURS = {
    "kind": "APIResourceList",
    "apiVersion": "v1",
    "groupVersion": "flavours.example.com/v1",
    "resources": [
        {
            "name": "flavours",
            "singularName": "flavour",
            "namespaced": True,
            "kind": "Flavour",
            "verbs": ["get", "list", "watch", "create"],
            "shortNames": ["fl"],
        },
        {"name": "flavours/status", "singularName": "", "namespaced": True, "kind": "Flavour", "verbs": ["get"]},
    ],
}
TYPE = {"type": "object", "properties": {"metadata": {"$ref": "#/definitions/io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta"}}}
DESCRIPTION = {
    "swagger": "2.0",
    "paths": {
        "/apis/flavours.example.com/v1/flavours": {
            "get": {"responses": {"200": {"schema": {"$ref": "#/definitions/com.example.Flavour"}}}}
        },
        "/apis/other.example.com/v1/others": {},
    },
    "definitions": {
        "com.example.Flavour": TYPE,
        "com.example.Unused": {},
        "io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta": {"description": "another one"},
    },
}
DOCUMENTS = {
    "/apis/flavours.example.com/v1": FLAVOURS,
    "/openapi/v3/apis/flavours.example.com/v1": {"openapi": "3.0.0", "paths": {"/apis/flavours.example.com/v1/": {}}},
    "/openapi/v2": DESCRIPTION,
    "/openapi/v3": {"paths": {"apis/flavours.example.com/v1": {"serverRelativeURL": "/openapi/v3/apis/flavours.example.com/v1?hash=1"}}},
}
SWEET = {"kind": "Flavour", "apiVersion": "flavours.example.com/v1", "metadata": {"name": "sweet", "namespace": "default"}}


class Extension:
    """An API server of one resource type."""

    def __init__(self):
        self.asked = []

    async def handle(self, request):
        if request.path.endswith(("/count", "/curt")):
            return await (self.count(request) if request.path.endswith("/count") else self.refuse())
        self.asked.append((request, await request.read()))
        if request.path in DOCUMENTS:
            return web.json_response(DOCUMENTS[request.path], headers={"ETag": '"1"'})
        if request.path.endswith("/v1failing"):
            return web.Response(status=500)
        if request.path.endswith("/moved"):
            return web.Response(status=302, headers={"Location": "https://example.com/"})
        if request.path.endswith("/missing"):
            return web.json_response({"kind": "Status", "code": 404, "reason": "NotFound", "message": "no such flavour"}, status=404)
        if request.headers.get("Upgrade") == "websocket":
            return await self.echo(request)
        if "watch" in request.query:
            return await self.watch(request)
        if request.method == "POST":
            return web.json_response(json.loads(self.asked[-1][1]), status=201)
        if request.path.endswith("/flavours"):
            return web.json_response({"kind": "FlavourList", "apiVersion": SWEET["apiVersion"], "metadata": {}, "items": [SWEET]})
        return web.json_response(
            SWEET, headers={"Warning": '299 - "bitter"', "Connection": "keep-alive, X-Hop", "X-Hop": "1", "X-Own": "1"}
        )

    async def refuse(self):
        return web.Response(status=413, text="enough")

    async def count(self, request):
        self.asked.append((request, b""))
        digest, size = hashlib.sha256(), 0
        async for piece in request.content.iter_any():
            digest.update(piece)
            size += len(piece)
        return web.json_response({"bytes": size, "digest": digest.hexdigest()}, headers={"Date": "Thu, 01 Jan 1970 00:00:00 GMT"})

    async def watch(self, request):
        answer = web.StreamResponse(headers={"Content-Type": "application/json"})
        await answer.prepare(request)
        await answer.write(json.dumps({"type": "ADDED", "object": SWEET}).encode() + b"\n")
        await asyncio.Event().wait()

    async def echo(self, request):
        answer = web.WebSocketResponse()
        await answer.prepare(request)
        async for message in answer:
            await answer.send_str(f"{message.data}, {request.headers['X-Remote-User']}")
        return answer

    def last(self, path):
        return next(request for request, _ in reversed(self.asked) if request.path.endswith(path))


@contextmanager
def running(extension, directory, clients):
    """The extension in a thread with a loop of its own; gives its port."""
    loop, ready, over = asyncio.new_event_loop(), threading.Event(), asyncio.Event()
    found = SimpleNamespace(port=0)

    async def live():
        context = AUTHORITY.server_context(directory, "flavours.default.svc", clients=clients)
        async with listening(extension.handle, context) as found.port:
            ready.set()
            await over.wait()

    thread = threading.Thread(target=loop.run_until_complete, args=(live(),))
    thread.start()
    assert ready.wait(20)
    try:
        yield found.port
    finally:
        loop.call_soon_threadsafe(over.set)
        thread.join()
        loop.close()


@pytest.fixture(scope="module", params=["kubernetes", "svcapi"])
def wire(request, tmp_path_factory):
    with served(tmp_path_factory.mktemp("aggregation"), request.param, "--nodes", "0", "--ephemeral") as server:
        wire = Wire(server)
        yield wire
        wire.close()
        assert wire.complaints() == []


@pytest.fixture(scope="module")
def authentication(wire):
    """What servers behind this one trust it by."""
    return wire.get(f"/api/v1/namespaces/{wire.dialect.system_namespace}/configmaps/extension-apiserver-authentication")["data"]


@pytest.fixture(scope="module")
def extension(wire, authentication, tmp_path_factory):
    extension = Extension()
    with running(extension, tmp_path_factory.mktemp("extension"), authentication["requestheader-client-ca-file"].encode()) as port:
        metadata = {"name": "flavours", "annotations": {"svcsim.dev/bound-to": f"443=127.0.0.1:{port}"}}
        wire.create("/api/v1/namespaces/default/services", {"metadata": metadata, "spec": {"ports": [{"port": 443}]}})
        wire.create(api_services(wire), api_service("v1.flavours.example.com", {"namespace": "default", "name": "flavours"}))
        until_available(wire, "v1.flavours.example.com", "status", "True")
        yield extension


def api_services(wire):
    return f"/apis/{wire.dialect.group('apiregistration')}/v1/apiservices"


def api_service(name, service, **more):
    version, _, group = name.partition(".")
    spec = {"group": group, "version": version, "groupPriorityMinimum": 2000, "versionPriority": 15, "service": service}
    return {"metadata": {"name": name}, "spec": {**spec, "caBundle": base64.b64encode(AUTHORITY.pem).decode(), **more}}


def available(api_service):
    """Its condition, or one that says nothing yet."""
    conditions = api_service.get("status", {}).get("conditions", [])
    return next((one for one in conditions if one["type"] == "Available"), {"status": "none", "reason": ""})


def until_available(wire, name, part, said):
    """The condition, once it says so."""
    return available(wire.until(f"{api_services(wire)}/{name}", lambda found: available(found)[part] == said))


def test_every_version_the_server_has_is_local_and_available(wire):
    listed = {one["metadata"]["name"]: one for one in wire.get(api_services(wire))["items"]}
    served_here = [entry["groupVersion"] for group in wire.get("/apis")["groups"] for entry in group["versions"]]
    own = wire.dialect.group("apiregistration")
    names = ["v1.", *(f"{version}.{group}" for group, _, version in (one.partition("/") for one in served_here) if group != own)]
    assert sorted(name for name, one in listed.items() if "service" not in one["spec"]) == sorted(
        name for name in names if not name.endswith("example.com")
    )
    apps = listed["v1.apps"]
    assert (apps["spec"]["groupPriorityMinimum"], apps["spec"]["versionPriority"]) == (17800, 15)
    assert listed["v1."]["spec"]["groupPriorityMinimum"] == 18000
    assert apps["metadata"]["labels"] == {wire.dialect.key("automanaged", "kube-aggregator"): "onstart"}
    assert available(wire.get(f"{api_services(wire)}/v1.apps"))["reason"] == "Local"


def test_the_server_says_by_what_it_is_known(authentication):
    assert json.loads(authentication["requestheader-allowed-names"]) == ["front-proxy-client"]
    assert json.loads(authentication["requestheader-username-headers"]) == ["X-Remote-User"]
    assert json.loads(authentication["requestheader-group-headers"]) == ["X-Remote-Group"]
    assert json.loads(authentication["requestheader-extra-headers-prefix"]) == ["X-Remote-Extra-"]
    assert authentication["client-ca-file"].startswith("-----BEGIN CERTIFICATE-----")
    assert authentication["requestheader-client-ca-file"] != authentication["client-ca-file"]


FLAVOUR = "/apis/flavours.example.com/v1/namespaces/default/flavours/sweet"


def test_a_request_is_passed_on_with_who_asks(wire, extension):
    answer = wire.ask("GET", FLAVOUR, headers={"X-Remote-User": "mallory", "X-Remote-Group": "system:masters", "X-Remote-Extra-A": "b"})
    assert (answer.status, answer.json) == (200, SWEET)
    assert answer.headers["warning"] == '299 - "bitter"'
    assert "x-hop" not in answer.headers, "which is for the next hop alone"
    request = extension.last("/sweet")
    assert request.headers["X-Remote-User"] == wire.dialect.administrator
    assert request.headers.getall("X-Remote-Group") == ["system:masters", "system:authenticated"]
    assert "X-Remote-Extra-A" not in request.headers
    assert "Authorization" not in request.headers
    assert request.headers["Host"] == "flavours.default.svc:443"
    assert dict(request.transport.get_extra_info("peercert"))["subject"] == ((("commonName", "front-proxy-client"),),)


@pytest.mark.parametrize("path", ["//count", "//namespaces/default/flavours/sweet", "/%2fcount", "/a/../count", "/./count", "/count//"])
def test_a_path_that_others_may_take_for_another_is_not_passed_on(wire, extension, path):
    """What may be asked for was decided by the path as it stands; a server that takes it for another would answer that."""

    def passed_on():
        return [request.path for request, _ in extension.asked if "/v1/" in request.path]

    before = passed_on()
    for headers in ({}, {"Impersonate-User": "nobody"}):
        answer = wire.ask("GET", f"/apis/flavours.example.com/v1{path}", headers=headers)
        assert answer.status in (403, 404)
    assert passed_on() == before


def test_a_request_is_passed_on_with_the_way_it_came(wire, extension):
    wire.ask("GET", f"{FLAVOUR}?x=y", headers={"X-Forwarded-For": "9.9.9.9", "X-Forwarded-Host": "evil", "X-Forwarded-Proto": "gopher"})
    headers = extension.last("/sweet").headers
    assert headers.getall("X-Forwarded-For") == ["9.9.9.9, 127.0.0.1"]
    assert headers.getall("X-Forwarded-Host") == ["flavours.default.svc:443"]
    assert headers.getall("X-Forwarded-Proto") == ["https"]
    assert headers.getall("X-Forwarded-Uri") == [FLAVOUR]
    wire.ask("GET", FLAVOUR)
    assert extension.last("/sweet").headers.getall("X-Forwarded-For") == ["127.0.0.1"]


COUNT = "/apis/flavours.example.com/v1/count"
BODY = bytes(range(256)) * (3 * limits.BODY_BYTES // 256)


def posted(wire, path, body, **headers):
    """The answer to a body that may be long, and its headers as they came."""
    connection = wire.connect()
    connection.request("POST", path, body, {"Authorization": f"Bearer {wire.token}", **headers})
    answer = connection.getresponse()
    found = answer.status, answer.read(), answer.getheaders()
    connection.close()
    return found


@pytest.mark.parametrize("chunked", [True, False])
def test_a_body_may_be_as_long_as_the_other_server_likes(wire, extension, chunked):
    pieces = iter([BODY[: len(BODY) // 2], BODY[len(BODY) // 2 :]])
    status, body, headers = posted(wire, COUNT, pieces if chunked else BODY)
    assert (status, json.loads(body)) == (200, {"bytes": len(BODY), "digest": hashlib.sha256(BODY).hexdigest()})
    asked = extension.last("/count").headers
    assert (asked.get("Transfer-Encoding"), asked.get("Content-Length")) == (("chunked", None) if chunked else (None, str(len(BODY))))
    assert [value for name, value in headers if name == "Date"] == ["Thu, 01 Jan 1970 00:00:00 GMT"]


def test_a_packed_body_is_passed_on_as_it_is(wire, extension):
    packed = gzip.compress(b"{}")
    _, body, _ = posted(wire, COUNT, packed, **{"Content-Encoding": "gzip"})
    assert extension.last("/count").headers["Content-Encoding"] == "gzip"
    assert json.loads(body)["bytes"] in (2, len(packed)), "which of the two is the other server's business"


@pytest.mark.parametrize("path", ["flavours", "curt"])
def test_it_is_the_other_server_that_says_what_is_too_long(wire, extension, path):
    status, body, _ = posted(wire, f"/apis/flavours.example.com/v1/{path}", BODY)
    assert status == 413
    assert (b"enough" in body) == (path == "curt")
    assert wire.ask("GET", FLAVOUR).status == 200


def test_bodies_for_the_server_itself_keep_their_limit(wire, extension):
    status, body, _ = posted(wire, "/api/v1/namespaces/default/configmaps", BODY)
    assert (status, json.loads(body)["reason"]) == (413, "RequestEntityTooLarge")


def test_a_body_is_passed_on_and_an_error_comes_back(wire, extension):
    created = wire.ask("POST", FLAVOUR.removesuffix("/sweet"), SWEET, dryRun="All")
    assert (created.status, created.json, extension.last("/flavours").query["dryRun"]) == (201, SWEET, "All")
    missing = wire.ask("GET", FLAVOUR.replace("sweet", "missing"))
    assert (missing.status, missing.reason) == (404, "NotFound")


def test_a_watch_is_passed_on_as_it_goes(wire, extension):
    with wire.watch("/apis/flavours.example.com/v1/flavours") as events:
        seen = events.until(lambda event: event["type"] == "ADDED")
    assert seen[0]["object"] == SWEET


def read_frame(file):
    """The text of a short frame from a server."""
    first, size = file.read(2)
    assert first == 0x81
    return file.read(int.from_bytes(file.read(2), "big") if size == 126 else size).decode()


def frame(text):
    """A short text as a client sends it."""
    return bytes((0x81, 0x80 | len(text), 0, 0, 0, 0)) + text.encode()


def test_a_switch_of_protocols_is_passed_on_with_all_that_follows(wire, extension):
    context = ssl.create_default_context(cadata=wire.server.ca_pem)
    head = "\r\n".join(
        (
            f"GET {FLAVOUR}/echo HTTP/1.1",
            "Host: localhost",
            f"Authorization: Bearer {wire.server.token}",
            "Connection: Upgrade",
            "Upgrade: websocket",
            "Sec-WebSocket-Version: 13",
            "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
            "\r\n",
        )
    ).encode()
    with socket.create_connection(("127.0.0.1", wire.server.port)) as plain, context.wrap_socket(plain, server_hostname="localhost") as tls:
        tls.settimeout(30)
        tls.sendall(head + frame("early"))
        file = tls.makefile("rb")
        lines = [file.readline().strip()]
        while lines[-1]:
            lines.append(file.readline().strip())
        assert lines[0] == b"HTTP/1.1 101 Switching Protocols"
        assert b"Sec-Websocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=" in lines
        assert read_frame(file) == f"early, {wire.dialect.administrator}"
        for number in range(20):
            tls.sendall(frame(f"late {number}"))
            assert read_frame(file) == f"late {number}, {wire.dialect.administrator}"
        file.close()


RAW_PATH = "/apis/raw.example.com/v1"
EARLY = b"HTTP/1.1 103 Early Hints\r\nLink: <a>\r\n\r\n"


def said(body, length=None):
    return b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %s\r\n\r\n%s" % (length or b"%d" % len(body), body)


RAW = {
    RAW_PATH: said(json.dumps({"kind": "APIResourceList", "groupVersion": "raw.example.com/v1", "resources": []}).encode()),
    "/openapi/v2": b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n",
    "/openapi/v3": b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n",
    f"{RAW_PATH}/ok": said(b'{"good":1}'),
    f"{RAW_PATH}/long": said(b"{}") + said(b'{"evil":1}'),
    f"{RAW_PATH}/longer": said(b"{}") + b'{"evil":1}' * 20_000,
    f"{RAW_PATH}/negative": said(b"{}", b"-5"),
    f"{RAW_PATH}/plus": said(b"{}", b"+2"),
    f"{RAW_PATH}/storm": EARLY * 10_000 + said(b"{}"),
    f"{RAW_PATH}/none": b"HTTP/1.1 204 No Content\r\n\r\n",
    f"{RAW_PATH}/none-of-a-length": b"HTTP/1.1 204 No Content\r\nContent-Length: 0\r\nSet-Cookie: a=1\r\n\r\n",
    f"{RAW_PATH}/same": b'HTTP/1.1 304 Not Modified\r\nETag: "1"\r\n\r\n',
    f"{RAW_PATH}/same-of-a-length": b'HTTP/1.1 304 Not Modified\r\nETag: "1"\r\nContent-Length: 500000\r\n\r\n',
    f"{RAW_PATH}/untyped": b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n"
    b"Set-Cookie: a=1; Expires=Thu, 01 Jan 2037 00:00:00 GMT\r\nSet-Cookie: b=2\r\n\r\nhi",
}


class Raw(BaseHTTPRequestHandler):
    """Says what it is told to, byte for byte."""

    protocol_version = "HTTP/1.1"

    def do_GET(self):
        self.wfile.write(RAW[self.path])

    def do_HEAD(self):
        self.wfile.write(RAW[self.path].partition(b"\r\n\r\n")[0] + b"\r\n\r\n")

    def log_message(self, *_):
        """Nothing: a test has no use for it."""


@pytest.fixture(scope="module")
def raw(wire, tmp_path_factory):
    """A server behind the server that need not keep to HTTP."""
    with program(tmp_path_factory.mktemp("raw"), "raw.default.svc", Raw) as port:
        metadata = {"name": "raw", "annotations": {"svcsim.dev/bound-to": f"443=127.0.0.1:{port}"}}
        wire.create("/api/v1/namespaces/default/services", {"metadata": metadata, "spec": {"ports": [{"port": 443}]}})
        unsure = {"caBundle": None, "insecureSkipTLSVerify": True, "groupPriorityMinimum": 2001}
        wire.create(api_services(wire), api_service("v1.raw.example.com", {"namespace": "default", "name": "raw"}, **unsure))
        until_available(wire, "v1.raw.example.com", "status", "True")
        yield


@pytest.mark.parametrize("first", ["long", "longer"])
def test_what_comes_after_an_answer_answers_no_later_request(wire, raw, first):
    for _ in range(2):
        answer = wire.ask("GET", f"{RAW_PATH}/{first}")
        assert (answer.status, answer.body) == (200, b"{}")
        answer = wire.ask("GET", f"{RAW_PATH}/ok")
        assert (answer.status, answer.json) == (200, {"good": 1})


def on_one_connection(wire, *requests):
    """The answers as they came, one after the other: head and body."""
    with wire.tls.wrap_socket(socket.create_connection(("127.0.0.1", wire.server.port), 30), server_hostname="127.0.0.1") as tls:
        for number, (method, path, *more) in enumerate(requests, 1):
            last = ["Connection: close"] if number == len(requests) else []
            lines = [f"{method} {path} HTTP/1.1", "Host: x", f"Authorization: Bearer {wire.token}", *more, *last, "", ""]
            tls.sendall("\r\n".join(lines).encode())
            if not last:
                answer = b""
                while b"\r\n\r\n" not in answer:
                    answer += tls.recv(65536)
                yield answer
        rest = b""
        while piece := tls.recv(65536):
            rest += piece
        yield rest


@pytest.mark.parametrize("method", ["GET", "HEAD"])
@pytest.mark.parametrize(
    ("path", "status"), [("none", b"204"), ("none-of-a-length", b"204"), ("same", b"304"), ("same-of-a-length", b"304")]
)
def test_an_answer_that_has_no_body_ends_with_its_head(wire, raw, method, path, status):
    first, second = on_one_connection(wire, (method, f"{RAW_PATH}/{path}", "Accept-Encoding: gzip"), ("GET", f"{RAW_PATH}/ok"))
    head, _, body = first.partition(b"\r\n\r\n")
    names = {line.partition(b":")[0].lower() for line in head.split(b"\r\n")[1:]}
    assert (head.split()[1], body) == (status, b"")
    assert not names & {b"transfer-encoding", b"content-length", b"content-type", b"connection"}
    assert second.startswith(b"HTTP/1.1 200 OK\r\n"), second
    assert second.endswith(b'\r\n\r\n{"good":1}')


def test_a_head_has_no_body(wire, raw, extension):
    watch = f"{FLAVOUR.rpartition('/')[0]}?watch=1"
    first, second, third = on_one_connection(wire, ("HEAD", f"{RAW_PATH}/ok"), ("HEAD", watch), ("GET", f"{RAW_PATH}/ok"))
    for answer in (first, second):
        assert answer.startswith(b"HTTP/1.1 200 OK\r\n")
        assert answer.endswith(b"\r\n\r\n")
    assert b"\r\nContent-Length: 10\r\n" in first
    assert third.startswith(b"HTTP/1.1 200 OK\r\n"), third


def test_headers_come_back_as_they_are(wire, raw):
    (answer,) = on_one_connection(wire, ("GET", f"{RAW_PATH}/untyped"))
    head, _, body = answer.partition(b"\r\n\r\n")
    lines = head.split(b"\r\n")
    assert [line for line in lines if line.startswith(b"Set-Cookie")] == [
        b"Set-Cookie: a=1; Expires=Thu, 01 Jan 2037 00:00:00 GMT",
        b"Set-Cookie: b=2",
    ]
    assert not [line for line in lines if line.lower().startswith(b"content-type")]
    assert body == b"hi"


@pytest.mark.parametrize(
    ("path", "why"),
    [
        ("negative", b"malformed HTTP response: invalid character in Content-Length\n"),
        ("plus", b"malformed HTTP response: invalid character in Content-Length\n"),
        ("storm", b"too many 1xx informational responses\n"),
    ],
)
def test_an_answer_that_is_none_is_not_passed_on(wire, raw, path, why):
    answer = wire.ask("GET", f"{RAW_PATH}/{path}")
    assert (answer.status, answer.body.endswith(why)) == (503, True), answer.body


def test_a_redirect_is_not_followed(wire, extension):
    answer = wire.ask("GET", FLAVOUR.replace("sweet", "moved"))
    assert (answer.status, answer.body) == (502, b"the backend attempted to redirect this request, which is not permitted\n")


def test_discovery_lists_its_group_in_both_forms(wire, extension):
    listed = wire.until("/apis", lambda found: any(group["name"] == "flavours.example.com" for group in found["groups"]))
    of_metrics = wire.dialect.group("metrics")  # which has a lower priority still
    names = [group["name"] for group in listed["groups"] if group["name"] != of_metrics]
    assert names[0] == wire.dialect.group("apiregistration")
    assert names[-1] == "flavours.example.com"
    assert wire.get("/apis/flavours.example.com")["preferredVersion"]["groupVersion"] == "flavours.example.com/v1"
    assert wire.get("/apis/flavours.example.com/v1") == FLAVOURS
    media = f"application/json;g={wire.dialect.group('apidiscovery')};v=v2;as=APIGroupDiscoveryList"
    groups = wire.ask("GET", "/apis", headers={"Accept": media}).json["items"]
    (version,) = next(group for group in groups if group["metadata"]["name"] == "flavours.example.com")["versions"]
    kind = {"group": "flavours.example.com", "version": "v1", "kind": "Flavour"}
    assert version == {
        "version": "v1",
        "resources": [
            {
                "resource": "flavours",
                "responseKind": kind,
                "scope": "Namespaced",
                "singularResource": "flavour",
                "verbs": ["get", "list", "watch", "create"],
                "shortNames": ["fl"],
                "subresources": [{"subresource": "status", "responseKind": kind, "verbs": ["get"]}],
            }
        ],
        "freshness": "Current",
    }


@pytest.mark.parametrize(
    ("service", "more", "reason", "message"),
    [
        ({"namespace": "default", "name": "nobody"}, {}, "ServiceNotFound", 'service/nobody in "default" is not present'),
        (
            {"namespace": "default", "name": "unbound"},
            {},
            "MissingEndpoints",
            "to have a program on this machine answer: svcsim bind service/unbound LOCALPORT -n default",
        ),
        (
            {"namespace": "default", "name": "unbound", "port": 99},
            {},
            "ServicePortError",
            'service/unbound in "default" is not listening on port 99',
        ),
        (
            {"namespace": "default", "name": "flavours"},
            {"caBundle": base64.b64encode(Authority("other").pem).decode()},
            "FailedDiscoveryCheck",
            "certificate signed by unknown authority",
        ),
        (
            {"namespace": "default", "name": "flavours"},
            {"version": "v1failing"},
            "FailedDiscoveryCheck",
            "bad status from https://flavours.default.svc:443/apis/broken.example.com/v1failing: 500",
        ),
    ],
)
def test_one_that_can_not_be_reached_says_why_and_answers_503(wire, extension, service, more, reason, message):
    wire.ask("POST", "/api/v1/namespaces/default/services", {"metadata": {"name": "unbound"}, "spec": {"ports": [{"port": 443}]}})
    version = more.get("version", "v1")
    name = f"{version}.broken.example.com"
    wire.create(api_services(wire), api_service(name, service, **more))
    assert message in until_available(wire, name, "reason", reason)["message"]
    answer = wire.ask("GET", f"/apis/broken.example.com/{version}")
    assert (answer.status, answer.body) == (503, b"service unavailable\n")
    wire.delete(f"{api_services(wire)}/{name}")
    assert wire.ask("GET", f"/apis/broken.example.com/{version}").status == 404


def test_its_own_description_is_found_beside_the_others(wire, extension):
    url = wire.get("/openapi/v3")["paths"]["apis/flavours.example.com/v1"]["serverRelativeURL"]
    assert wire.get(url) == {"openapi": "3.0.0", "paths": {"/apis/flavours.example.com/v1/": {}}}


def test_one_that_has_no_description_is_not_listed(wire, raw):
    assert "apis/raw.example.com/v1" not in wire.get("/openapi/v3")["paths"]
    assert wire.ask("GET", f"{RAW_PATH}/ok").status == 200


def test_the_whole_description_has_its_paths_and_types(wire, extension):
    whole = wire.until("/openapi/v2", lambda found: "/apis/flavours.example.com/v1/flavours" in found["paths"])
    assert "/apis/other.example.com/v1/others" not in whole["paths"]
    assert "com.example.Unused" not in whole["definitions"]
    (name,) = [one["$ref"].rpartition("/")[2] for one in whole["definitions"]["com.example.Flavour"]["properties"].values()]
    assert whole["definitions"][name] == {"description": "another one"}
    assert "/api/v1/namespaces" in whole["paths"]


def test_calls_are_counted(wire, extension):
    page = wire.ask("GET", "/metrics").body.decode()
    assert 'svcsim_outbound_requests_total{remote="apiservice/v1.flavours.example.com",code="200"}' in page
