"""ComponentStatuses over the wire: worked out whenever somebody asks, so they can be read and nothing else."""

from pathlib import Path

import pytest

from svcsim.meta.types import Json
from tests.wire.raw import APPLY, MERGE, Wire
from tests.wire.test_kubectl import KUBECTL, Kubectl

PATH = "/api/v1/componentstatuses"
JSON = "application/json"
NAMES = ["controller-manager", "etcd-0", "scheduler"]
DEPRECATED = '299 - "v1 ComponentStatus is deprecated in v1.19+"'


def test_all_components_are_listed_and_well(wire: Wire):
    answer = wire.ask("GET", PATH)
    assert (answer.status, answer.headers["warning"]) == (200, DEPRECATED)
    healthy = [{"type": "Healthy", "status": "True", "message": "ok"}]
    items = [{"metadata": {"name": name}, "conditions": healthy} for name in NAMES]
    assert answer.json == {"kind": "ComponentStatusList", "apiVersion": "v1", "metadata": {}, "items": items}


def test_one_is_got_by_its_name(wire: Wire):
    answer = wire.ask("GET", f"{PATH}/scheduler")
    assert (answer.status, answer.headers["warning"]) == (200, DEPRECATED)
    assert (answer.json["kind"], answer.json["metadata"]) == ("ComponentStatus", {"name": "scheduler"})
    missing = wire.ask("GET", f"{PATH}/kubelet")
    assert (missing.status, missing.message) == (404, 'componentstatuses "kubelet" not found')


def test_they_are_selected_as_others_are(wire: Wire):
    def selected(**query: str) -> list[str]:
        return [item["metadata"]["name"] for item in wire.ask("GET", PATH, **query).json["items"]]

    assert selected(fieldSelector="metadata.name!=etcd-0") == ["controller-manager", "scheduler"]
    assert selected(labelSelector="app=web") == []
    assert selected(labelSelector="!app", limit="1", resourceVersion="1", resourceVersionMatch="Exact") == NAMES
    refused = wire.ask("GET", PATH, fieldSelector="spec.x=1")
    assert (refused.status, refused.reason) == (400, "BadRequest")


@pytest.mark.parametrize(
    ("method", "path", "body", "content_type", "query"),
    [
        ("POST", PATH, {"metadata": {"name": "mine"}}, JSON, {}),
        ("PUT", f"{PATH}/scheduler", {"metadata": {"name": "scheduler"}}, JSON, {}),
        ("PATCH", f"{PATH}/scheduler", {"conditions": []}, MERGE, {}),
        ("PATCH", f"{PATH}/scheduler", {"conditions": []}, APPLY, {"fieldManager": "me"}),
        ("DELETE", f"{PATH}/scheduler", None, JSON, {}),
        ("DELETE", PATH, None, JSON, {}),
        ("GET", PATH, None, JSON, {"watch": "true"}),
        ("GET", f"{PATH}/scheduler", None, JSON, {"watch": "true"}),
    ],
)
def test_they_can_be_read_and_nothing_else(wire: Wire, method: str, path: str, body: Json, content_type: str, query: dict[str, str]):
    answer = wire.ask(method, path, body, content_type=content_type, **query)
    assert (answer.status, answer.reason) == (405, "MethodNotAllowed")
    assert answer.headers["allow"] == "GET, HEAD"


def test_discovery_and_the_description_know_them(wire: Wire):
    expected = {
        "singularName": "componentstatus",
        "namespaced": False,
        "kind": "ComponentStatus",
        "verbs": ["get", "list"],
        "shortNames": ["cs"],
    }
    [plain] = [one for one in wire.ask("GET", "/api/v1").json["resources"] if one["name"] == "componentstatuses"]
    assert plain == {"name": "componentstatuses", **expected}
    aggregated = f"application/json;g={wire.dialect.group('apidiscovery')};v=v2;as=APIGroupDiscoveryList"
    document = wire.ask("GET", "/api", headers={"Accept": aggregated}).json
    [found] = [one for one in document["items"][0]["versions"][0]["resources"] if one["resource"] == "componentstatuses"]
    assert (found["verbs"], found["scope"], found["shortNames"]) == (["get", "list"], "Cluster", ["cs"])
    paths = wire.ask("GET", "/openapi/v2").json["paths"]
    verbs = {path: [verb for verb in paths[path] if verb != "parameters"] for path in paths if "componentstatus" in path}
    assert verbs == {PATH: ["get"], f"{PATH}/{{name}}": ["get"]}


def test_their_table_is_as_kubectl_shows_it(wire: Wire):
    accept = f"application/json;as=Table;v=v1;g={wire.dialect.group('meta')}"
    table = wire.ask("GET", PATH, headers={"Accept": accept}).json
    assert [column["name"] for column in table["columnDefinitions"]] == ["Name", "Status", "Message", "Error"]
    assert [row["cells"] for row in table["rows"]] == [[name, "Healthy", "ok", ""] for name in NAMES]


def test_they_have_a_protobuf_form(wire: Wire):
    body = wire.ask("GET", f"{PATH}/etcd-0", headers={"Accept": wire.dialect.protobuf_media_type}).body
    assert b"ComponentStatus" in body
    assert b"Healthy" in body
    assert b"ComponentStatusList" in wire.ask("GET", PATH, headers={"Accept": wire.dialect.protobuf_media_type}).body


@pytest.mark.skipif(KUBECTL is None, reason="no kubectl on the PATH")
def test_kubectl_can_live_with_them(kubernetes_server: Wire, tmp_path: Path):
    kubectl = Kubectl(kubernetes_server, tmp_path, "default")
    lines = [line.split() for line in kubectl.run("get", "cs").splitlines()]
    assert lines == [["NAME", "STATUS", "MESSAGE", "ERROR"], *([name, "Healthy", "ok"] for name in NAMES)]
    assert "Type:     Healthy" in kubectl.run("describe", "cs", "etcd-0")
    assert "ComponentCondition" in kubectl.run("explain", "componentstatus")
