"""Protobuf on the wire, for every kind the server serves: what is sent and answered so is what JSON would have been."""

import json
import shutil
import struct
from collections.abc import Iterator
from contextlib import ExitStack, closing
from http.client import HTTPResponse
from pathlib import Path

import pytest

from svcsim.dialect import KUBERNETES
from svcsim.meta.types import Object
from svcsim.registry.kind import Kind
from svcsim.schema.common import LIST_META, OBJECT_META, STATUS, list_struct, object_struct
from svcsim.schema.protobuf import decode_envelope, decode_message, encode_envelope, encode_message
from svcsim.schema.types import Field, List, Struct
from svcsim.schema.wire import fields
from tests.kinds.helpers import KINDS
from tests.wire.raw import Answer, Wire, with_query
from tests.wire.test_kubectl import Kubectl
from tests.wire.test_verbs import STORED, Served
from tests.yardsticks import yardstick

EVERY_KIND = pytest.mark.parametrize("kind", STORED, ids=lambda kind: f"{kind.name}.{kind.group.base}.{kind.group.version}")
PARTIAL = Struct("PartialObjectMetadata", Field(1, "metadata", OBJECT_META))
PARTIAL_LIST = Struct("PartialObjectMetadataList", Field(1, "metadata", LIST_META), Field(2, "items", List(PARTIAL)))


def decoded(answer: Answer, schema: Struct) -> Object:
    """What an answer holds, with its kind and version."""
    assert answer.body.startswith(b"k8s\0"), answer.body
    envelope = decode_envelope(answer.body)
    return {"kind": envelope.kind, "apiVersion": envelope.api_version, **decode_message(envelope.raw, schema)}


def ask(wire: Wire, method: str, path: str, body: bytes | None = None, **query: object) -> Answer:
    media = wire.dialect.protobuf_media_type
    answer = wire.ask(method, path, body, content_type=media, headers={"Accept": media}, **query)
    assert answer.headers["content-type"] == media
    return answer


def message(obj: Object, schema: Struct) -> bytes:
    return encode_envelope(obj["apiVersion"], obj["kind"], encode_message(obj, schema))


def without_empty(value: object) -> object:
    """Protobuf can't tell an empty list or map from a missing one."""
    if isinstance(value, dict):
        return {key: kept for key, item in value.items() if (kept := without_empty(item)) not in ([], {}, None)}
    return [without_empty(item) for item in value] if isinstance(value, list) else value


@EVERY_KIND
def test_objects_are_created_read_listed_and_replaced(wire: Wire, ns: str, kind: Kind) -> None:
    served = Served(wire, kind, ns)
    schema = object_struct(kind.schema)
    name = served.fresh()
    created = ask(wire, "POST", served.path, message(served.obj(name=name), schema))
    assert created.status == 201, created.body
    path = f"{served.path}/{name}"

    def same(answer: Answer, shape: Struct, asked: str, **query: object) -> None:
        """Unless others, who write to it, were faster."""
        before = wire.get(asked, **query)
        seen = decoded(answer, shape)
        if wire.get(asked, **query) == before and seen["metadata"] == before["metadata"]:
            assert without_empty(seen) == without_empty(before)

    same(ask(wire, "GET", path), schema, path)
    same(ask(wire, "GET", served.path), list_struct(kind.schema, kind.list_name), served.path)
    if "update" in kind.verbs:
        while True:
            current = wire.get(path)
            current["metadata"]["labels"] = {"replaced": "yes"}
            replaced = ask(wire, "PUT", path, message(current, schema))
            if replaced.status != 409:
                break
        assert replaced.status == 200, decoded(replaced, STATUS)
        assert wire.get(path)["metadata"]["labels"]["replaced"] == "yes"
    gone = ask(wire, "DELETE", path, message({"apiVersion": "v1", "kind": "DeleteOptions"}, Struct("DeleteOptions")))
    assert gone.status in (200, 202)


@EVERY_KIND
def test_an_object_with_all_its_fields_is_read_as_its_json_is(kubernetes_server: Wire, ns_of_kubernetes: str, kind: Kind) -> None:
    """Known objects are nonsense to validation; what is said about them tells that both forms were understood alike."""
    wire = kubernetes_server
    stem = f"{kind.group.name(KUBERNETES) or 'core'}.{kind.group.version}.{kind.name}"
    whole = json.loads(yardstick(f"vectors/roundtrip/{stem}.json").read_text())
    served = Served(wire, kind, "namespaceValue")
    assert wire.ask("POST", "/api/v1/namespaces", {"metadata": {"name": "namespaceValue"}}).status == 422
    as_json = wire.ask("POST", served.path, whole, dryRun="All")
    as_protobuf = wire.ask(
        "POST",
        served.path,
        yardstick(f"vectors/roundtrip/{stem}.pb").read_bytes(),
        content_type=wire.dialect.protobuf_media_type,
        dryRun="All",
    )
    assert as_protobuf.status == as_json.status
    assert as_protobuf.json == as_json.json


@pytest.fixture
def ns_of_kubernetes(kubernetes_server: Wire) -> str:
    return kubernetes_server.namespace()


def test_metadata_alone(wire: Wire, ns: str, maps: str) -> None:
    created = wire.create(maps, {"metadata": {"name": "a", "labels": {"x": "y"}}, "data": {"a": "b"}})
    wanted = f"{wire.dialect.protobuf_media_type};g={wire.dialect.group('meta')};v=v1"
    one = wire.ask("GET", f"{maps}/a", headers={"Accept": f"{wanted};as=PartialObjectMetadata"})
    assert without_empty(decoded(one, PARTIAL)) == without_empty(
        {"kind": "PartialObjectMetadata", "apiVersion": f"{wire.dialect.group('meta')}/v1", "metadata": created["metadata"]}
    )
    listed = decoded(wire.ask("GET", maps, headers={"Accept": f"{wanted};as=PartialObjectMetadataList"}), PARTIAL_LIST)
    assert listed["kind"] == "PartialObjectMetadataList"
    assert [item["metadata"]["name"] for item in listed["items"] if item["metadata"]["name"] == "a"] == ["a"]


def test_a_table_has_no_such_form(wire: Wire, maps: str) -> None:
    table = f"{wire.dialect.protobuf_media_type};as=Table;v=v1;g={wire.dialect.group('meta')}"
    assert wire.ask("GET", maps, headers={"Accept": table}).status == 406
    assert wire.ask("GET", maps, headers={"Accept": f"{table},application/json"}).json["kind"] == "ConfigMapList"


@pytest.mark.parametrize(("accept", "protobuf"), [("{};q=0.5,application/json", False), ("application/json;q=0.5,{}", True)])
def test_the_better_liked_form_is_answered(wire: Wire, maps: str, accept: str, protobuf: bool) -> None:
    for path, status in ((maps, 200), (f"{maps}/none", 404)):
        answer = wire.ask("GET", path, headers={"Accept": accept.format(wire.dialect.protobuf_media_type)})
        assert (answer.status, answer.body.startswith(b"k8s\0")) == (status, protobuf)


def test_discovery_has_it_too(wire: Wire) -> None:
    for path, kind in (("/api", "APIVersions"), ("/apis", "APIGroupList"), ("/apis/apps", "APIGroup"), ("/api/v1", "APIResourceList")):
        assert decode_envelope(ask(wire, "GET", path).body)[:2] == ("v1", kind)


def frames(response: HTTPResponse) -> Iterator[tuple[str, Object]]:
    """The events of a watch of config maps."""
    while head := response.read(4):
        event = {number: payload for number, _, payload in fields(response.read(struct.unpack(">I", head)[0]))}
        (raw,) = [payload for number, _, payload in fields(event[2]) if number == 1]
        envelope = decode_envelope(raw)
        schema = STATUS if envelope.kind == "Status" else object_struct(next(k.schema for k in KINDS if k.name == envelope.kind))
        yield event[1].decode(), decode_message(envelope.raw, schema)


def test_a_watch_is_frames(wire: Wire, maps: str) -> None:
    first = wire.create(maps, {"metadata": {"name": "a"}})
    media = wire.dialect.protobuf_media_type
    query = {"watch": "true", "resourceVersion": first["metadata"]["resourceVersion"], "fieldSelector": "metadata.name=a"}
    headers = {"Authorization": f"Bearer {wire.token}", "Accept": f"{media};stream=watch"}
    with ExitStack() as stack:
        watches = []
        for _ in range(2):
            connection = stack.enter_context(closing(wire.connect()))
            connection.request("GET", with_query(maps, query), headers=headers)
            watches.append(stack.enter_context(closing(connection.getresponse())))
        wire.patch(f"{maps}/a", {"data": {"x": "1"}})
        wire.delete(f"{maps}/a")
        for response in watches:
            assert response.getheader("content-type") == f"{media};stream=watch"
            events = frames(response)
            assert next(events)[1]["data"] == {"x": "1"}
            assert next(events)[0] == "DELETED"


@pytest.mark.parametrize("body", [b"", b"{}", b"k8s", b"k8s\x01\x0a\x00", b"\0k8s", b"k8s\0\xff\xff\xff"])
def test_a_body_with_a_wrong_prefix_or_none_is_refused(wire: Wire, maps: str, body: bytes) -> None:
    for method, path in (("POST", maps), ("PUT", f"{maps}/a")):
        answer = wire.ask(method, path, body, headers={"Content-Type": wire.dialect.protobuf_media_type, "Content-Length": str(len(body))})
        assert (answer.status, answer.reason) == (400, "BadRequest")


@pytest.mark.skipif(shutil.which("kubectl") is None, reason="no kubectl on the PATH")
@pytest.mark.parametrize(
    "words",
    [
        "create namespace {name}",
        "create configmap {name} --from-literal=a=b",
        "create secret generic {name} --from-literal=a=b",
        "create serviceaccount {name}",
        "create deployment {name} --image=nginx --replicas=0",
        "create service clusterip {name} --tcp=80:80",
        "create service nodeport {name} --tcp=80:80",
        "create service externalname {name} --external-name=example.com",
        "autoscale deployment web --name={name} --max=3",
    ],
)
def test_kubectls_typed_commands_speak_it(kubernetes_server: Wire, tmp_path: Path, words: str) -> None:
    namespace = kubernetes_server.namespace()
    kubectl = Kubectl(kubernetes_server, tmp_path, namespace)
    if words.startswith("autoscale"):
        kubectl.run("create", "deployment", "web", "--image=nginx", "--replicas=0")
    process = kubectl.start("-v=8", *words.format(name=kubernetes_server.fresh()).split())
    _, told = process.communicate(timeout=60)
    assert process.returncode == 0, told
    writing = told[told.index(" POST ") :]
    assert writing.count("Content-Type: application/vnd.kubernetes.protobuf") == 2, "that of the request, and that of the answer"
    assert "201 Created" in writing


def test_a_message_that_comes_in_parts_is_merged_of_them(wire: Wire, ns: str, maps: str) -> None:
    parts = ({"metadata": {"name": "a", "labels": {"x": "1"}}}, {"metadata": {"labels": {"l": "z"}, "generateName": "b"}})
    schema = object_struct(next(kind.schema for kind in KINDS if kind.name == "ConfigMap"))
    raw = b"".join(encode_message(part, schema) for part in parts)
    made = ask(wire, "POST", maps, encode_envelope("v1", "ConfigMap", raw))
    assert made.status == 201
    metadata = decoded(made, schema)["metadata"]
    assert (metadata["name"], metadata["generateName"], metadata["labels"]) == ("a", "b", {"x": "1", "l": "z"})
    assert wire.get(f"{maps}/a")["metadata"]["namespace"] == ns


def test_an_empty_string_that_is_not_the_same_as_none_is_kept(wire: Wire, ns: str) -> None:
    claims, leases = (
        f"/api/v1/namespaces/{ns}/persistentvolumeclaims",
        f"/apis/{wire.dialect.group('coordination')}/v1/namespaces/{ns}/leases",
    )
    claim = {
        "apiVersion": "v1",
        "kind": "PersistentVolumeClaim",
        "metadata": {"name": "a"},
        "spec": {"accessModes": ["ReadWriteOnce"], "storageClassName": "", "resources": {"requests": {"storage": "1Gi"}}},
    }
    lease = {
        "apiVersion": f"{wire.dialect.group('coordination')}/v1",
        "kind": "Lease",
        "metadata": {"name": "a"},
        "spec": {"holderIdentity": ""},
    }
    for path, obj in ((claims, claim), (leases, lease)):
        schema = object_struct(next(kind.schema for kind in KINDS if kind.name == obj["kind"]))
        assert ask(wire, "POST", path, message(obj, schema)).status == 201
        stored = wire.get(f"{path}/a")
        for field in ("storageClassName", "holderIdentity"):
            assert stored["spec"].get(field) == obj["spec"].get(field)
        again = _put_back(wire, f"{path}/a")
        while again.status == 409:  # a controller has come between
            again = _put_back(wire, f"{path}/a")
        assert again.status == 200, again.body


def _put_back(wire: Wire, path: str) -> Answer:
    """Write what is there."""
    read = wire.ask("GET", path, headers={"Accept": wire.dialect.protobuf_media_type})
    return ask(wire, "PUT", path, read.body)


def test_an_empty_string_that_says_nothing_is_dropped_in_json_as_in_protobuf(wire: Wire, ns: str) -> None:
    path = f"/api/v1/namespaces/{ns}/pods"
    containers = [{"name": "c", "image": "i", "env": [{"name": "A", "value": ""}]}]
    pod = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "a"}, "spec": {"schedulerName": "nobody", "containers": containers}}
    assert wire.create(path, pod)["spec"]["containers"][0]["env"] == [{"name": "A"}]
    pod["metadata"]["name"] = "b"
    schema = object_struct(next(kind.schema for kind in KINDS if kind.name == "Pod"))
    assert ask(wire, "POST", path, message(pod, schema)).status == 201
    assert wire.get(f"{path}/b")["spec"]["containers"][0]["env"] == [{"name": "A"}]
