"""Binding pods the older way, at a path of its own, as schedulers written with client libraries do."""

import kubernetes.client
import kubernetes.config
import pytest

from svcsim.meta.types import Object
from tests.wire.raw import Wire

pytestmark = pytest.mark.usefixtures("left_to_the_collector")

POD: Object = {"spec": {"schedulerName": "nobody", "containers": [{"name": "c", "image": "i"}]}}


@pytest.fixture
def bindings(ns: str) -> str:
    return f"/api/v1/namespaces/{ns}/bindings"


def binding(name: str, **more: object) -> Object:
    return {"apiVersion": "v1", "kind": "Binding", "metadata": {"name": name, **more}, "target": {"kind": "Node", "name": "far"}}


def test_a_binding_binds_the_pod_it_is_named_after(wire: Wire, ns: str, bindings: str) -> None:
    pods = f"/api/v1/namespaces/{ns}/pods"
    wire.create(pods, {"metadata": {"name": "a"}, **POD})
    assert wire.ask("POST", f"{bindings}?dryRun=All", binding("a")).status == 201
    assert "nodeName" not in wire.get(f"{pods}/a")["spec"]
    answer = wire.ask("POST", bindings, binding("a", annotations={"by": "me"}))
    assert (answer.status, answer.json) == (
        201,
        {"kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Success", "code": 201},
    )
    pod = wire.get(f"{pods}/a")
    assert (pod["spec"]["nodeName"], pod["metadata"]["annotations"]) == ("far", {"by": "me"})
    again = wire.ask("POST", bindings, binding("a"))
    assert (again.status, again.message) == (
        409,
        'Operation cannot be fulfilled on pods/binding "a": pod a is already assigned to node "far"',
    )


def test_what_binds_nothing_is_refused(wire: Wire, ns: str, bindings: str) -> None:
    assert wire.ask("POST", bindings, binding("none")).status == 404
    assert (wire.ask("POST", bindings, binding("")).status, wire.ask("POST", bindings, binding("a", namespace="other")).status) == (
        400,
        400,
    )
    wire.create(f"/api/v1/namespaces/{ns}/pods", {"metadata": {"name": "a"}, **POD})
    answer = wire.ask("POST", bindings, {**binding("a"), "target": {"kind": "Host"}})
    assert (answer.status, [cause["field"] for cause in answer.json["details"]["causes"]]) == (422, ["target.kind", "target.name"])
    for method, path in (("GET", bindings), ("GET", f"{bindings}/a"), ("DELETE", f"{bindings}/a"), ("PUT", f"{bindings}/a")):
        assert wire.ask(method, path).status == 405, (method, path)


def test_discovery_and_openapi_know_it(wire: Wire) -> None:
    (found,) = [resource for resource in wire.get("/api/v1")["resources"] if resource["name"] == "bindings"]
    assert found == {"name": "bindings", "singularName": "binding", "namespaced": True, "kind": "Binding", "verbs": ["create"]}
    item = wire.get("/openapi/v2")["paths"]["/api/v1/namespaces/{namespace}/bindings"]
    assert set(item) == {"post", "parameters"}
    assert item["post"]["operationId"] == "createCoreV1NamespacedBinding"


def test_the_python_client_binds(kubernetes_server: Wire) -> None:
    ns = kubernetes_server.namespace()
    kubernetes_server.create(f"/api/v1/namespaces/{ns}/pods", {"metadata": {"name": "b"}, **POD})
    target = kubernetes.client.V1ObjectReference(kind="Node", name="far", api_version="v1")
    body = kubernetes.client.V1Binding(metadata=kubernetes.client.V1ObjectMeta(name="b"), target=target)
    with kubernetes.config.new_client_from_config(str(kubernetes_server.server.kubeconfig)) as api:
        answer = kubernetes.client.CoreV1Api(api).create_namespaced_binding(ns, body, _preload_content=False)
    assert answer.status == 201
