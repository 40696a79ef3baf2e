"""The metrics APIs over the wire: what pods and nodes use, to whom it is told, and how it is shown."""

import pytest

from svcsim.meta.types import Json, Object
from tests.wire.granting import allowed
from tests.wire.raw import Wire

TABLE = "application/json;as=Table;v=v1;g={}"


def pods_path(wire: Wire, namespace: str = "") -> str:
    where = f"/namespaces/{namespace}" if namespace else ""
    return f"/apis/{wire.dialect.group('metrics')}/v1beta1{where}/pods"


def nodes_path(wire: Wire) -> str:
    return f"/apis/{wire.dialect.group('metrics')}/v1beta1/nodes"


def using(name: str, cpu: str = "250m", memory: str = "64Mi", *, labels: Object | None = None, **annotations: str) -> Object:
    said = {"svcsim.dev/cpu": cpu, "svcsim.dev/memory": memory, **annotations}
    metadata = {"name": name, "annotations": said, **({"labels": labels} if labels else {})}
    return {"metadata": metadata, "spec": {"containers": [{"name": "main", "image": "nginx:1"}]}}


def run(wire: Wire, ns: str, *pods: Object) -> None:
    for pod in pods:
        wire.create(f"/api/v1/namespaces/{ns}/pods", pod)
    with wire.hurried():
        for pod in pods:
            path = f"/api/v1/namespaces/{ns}/pods/{pod['metadata']['name']}"
            wire.until(
                path, lambda one: any(part["type"] == "Ready" and part["status"] == "True" for part in one["status"].get("conditions", ()))
            )


def usage_of(item: Object) -> list[Object]:
    return [container["usage"] for container in item["containers"]]


def test_pods_tell_what_they_use(wire: Wire, ns: str):
    run(wire, ns, using("a", labels={"app": "web"}), using("b", cpu="1", memory="1Gi"))
    answer = wire.get(pods_path(wire, ns))
    assert (answer["kind"], answer["apiVersion"], answer["metadata"]) == (
        "PodMetricsList",
        f"{wire.dialect.group('metrics')}/v1beta1",
        {},
    )
    first, second = answer["items"]
    assert {key: first["metadata"].get(key) for key in ("name", "namespace", "labels")} == {
        "name": "a",
        "namespace": ns,
        "labels": {"app": "web"},
    }
    assert first["containers"] == [{"name": "main", "usage": {"cpu": "250m", "memory": "64Mi"}}]
    assert usage_of(second) == [{"cpu": "1", "memory": "1Gi"}]
    assert first["window"] == "15s"
    assert first["timestamp"] == first["metadata"]["creationTimestamp"]
    one = wire.get(f"{pods_path(wire, ns)}/b")
    assert (one["kind"], one["metadata"]["name"], usage_of(one)) == ("PodMetrics", "b", usage_of(second))
    assert {"a", "b"} <= {item["metadata"]["name"] for item in wire.get(pods_path(wire))["items"]}


def test_pods_are_selected_as_others_are(wire: Wire, ns: str):
    run(wire, ns, using("a", labels={"app": "web"}), using("b", labels={"app": "db"}), using("c"))

    def selected(**query: Json) -> list[str]:
        return [item["metadata"]["name"] for item in wire.get(pods_path(wire, ns), **query)["items"]]

    assert selected(labelSelector="app") == ["a", "b"]
    assert selected(labelSelector="app notin (web)") == ["b", "c"]
    assert selected(fieldSelector="metadata.name=c") == ["c"]
    assert selected(fieldSelector=f"metadata.namespace={ns}") == ["a", "b", "c"]
    assert selected(fieldSelector="metadata.namespace=other") == []
    refused = wire.ask("GET", pods_path(wire, ns), fieldSelector="spec.nodeName=x")
    assert refused.status == 400


def test_nothing_is_told_of_pods_that_do_not_run_or_have_no_values(wire: Wire, ns: str):
    waiting = {**using("waiting"), "spec": {"containers": [{"name": "main", "image": "nginx:1"}], "nodeSelector": {"no": "such"}}}
    run(wire, ns, using("silent", cpu="none"), using("told"))
    wire.create(f"/api/v1/namespaces/{ns}/pods", waiting)
    assert [item["metadata"]["name"] for item in wire.get(pods_path(wire, ns))["items"]] == ["told"]
    for name in ("silent", "waiting", "none"):
        answer = wire.ask("GET", f"{pods_path(wire, ns)}/{name}")
        group = wire.dialect.group("metrics")
        assert (answer.status, answer.message) == (404, f'pods.{group} "{name}" not found')


def test_nodes_tell_what_they_use(wire: Wire):
    items = wire.get(nodes_path(wire))["items"]
    assert [item["metadata"]["name"] for item in items] == ["node-1", "node-2"]
    assert all(set(item["usage"]) == {"cpu", "memory"} and item["metadata"]["labels"] for item in items)
    assert wire.get(f"{nodes_path(wire)}/node-2")["kind"] == "NodeMetrics"
    hostname = f"{wire.dialect.key('hostname')}=node-2"
    assert [item["metadata"]["name"] for item in wire.get(nodes_path(wire), labelSelector=hostname)["items"]] == ["node-2"]
    assert wire.ask("GET", f"{nodes_path(wire)}/none").status == 404


def test_a_table_shows_what_is_used(wire: Wire, ns: str):
    run(wire, ns, using("a", cpu="100m"))
    accept = {"Accept": TABLE.format(wire.dialect.group("meta"))}
    table = wire.ask("GET", pods_path(wire, ns), headers=accept).json
    assert [column["name"] for column in table["columnDefinitions"]] == ["Name", "cpu", "memory", "Window"]
    assert [row["cells"] for row in table["rows"]] == [["a", "100m", "64Mi", "15s"]]
    nodes = wire.ask("GET", nodes_path(wire), headers=accept).json
    assert [column["name"] for column in nodes["columnDefinitions"]] == ["Name", "cpu", "memory", "Window"]


@pytest.mark.parametrize("method", ["POST", "PUT", "PATCH", "DELETE"])
def test_they_can_be_read_and_no_more(wire: Wire, ns: str, method: str):
    body = {"metadata": {"name": "a"}}
    content = "application/merge-patch+json" if method == "PATCH" else "application/json"
    for path in (pods_path(wire, ns), f"{pods_path(wire, ns)}/a", nodes_path(wire), f"{nodes_path(wire)}/node-1"):
        answer = wire.ask(method, path, body, content_type=content)
        assert (answer.status, answer.headers["allow"]) == (405, "GET, HEAD"), path


def test_discovery_names_them_and_their_version_is_registered(wire: Wire):
    group = wire.dialect.group("metrics")
    found = {item["name"]: item for item in wire.get(f"/apis/{group}/v1beta1")["resources"]}
    assert {name: (item["kind"], item["namespaced"], item["verbs"]) for name, item in found.items()} == {
        "nodes": ("NodeMetrics", False, ["get", "list"]),
        "pods": ("PodMetrics", True, ["get", "list"]),
    }
    api_service = wire.get(f"/apis/{wire.dialect.group('apiregistration')}/v1/apiservices/v1beta1.{group}")
    assert (api_service["spec"]["groupPriorityMinimum"], api_service["spec"]["versionPriority"]) == (100, 100)
    assert group in [item["name"] for item in wire.get("/apis")["groups"]]


def test_who_may_view_may_read_them_and_others_may_not(wire: Wire, ns: str):
    nobody = {"Impersonate-User": wire.fresh("nobody")}
    for path, what in ((pods_path(wire, ns), "pods"), (nodes_path(wire), "nodes")):
        refused = wire.ask("GET", path, headers=nobody)
        assert refused.status == 403
        assert f'cannot list resource "{what}" in API group "{wire.dialect.group("metrics")}"' in refused.message
    rbac = wire.dialect.group("rbac.authorization")
    viewer, view = wire.fresh("viewer"), {"apiGroup": rbac, "kind": "ClusterRole", "name": "view"}
    subject = {"kind": "User", "name": viewer, "apiGroup": rbac}
    binding = {"metadata": {"name": viewer}, "roleRef": view, "subjects": [subject]}
    wire.create(f"/apis/{rbac}/v1/namespaces/{ns}/rolebindings", binding)
    assert wire.ask("GET", pods_path(wire, ns), headers={"Impersonate-User": viewer}).status == 200
    reader = allowed(wire, {"apiGroups": [wire.dialect.group("metrics")], "resources": ["nodes"], "verbs": ["get"]})
    assert wire.ask("GET", f"{nodes_path(wire)}/node-1", headers=reader).status == 200
    assert wire.ask("GET", nodes_path(wire), headers=reader).status == 403


# --- custom and external metrics ---


def custom(wire: Wire, *steps: str) -> str:
    return "/".join((f"/apis/{wire.dialect.group('custom.metrics')}/v1beta2", *steps))


def external(wire: Wire, *steps: str) -> str:
    return "/".join((f"/apis/{wire.dialect.group('external.metrics')}/v1beta1", *steps))


def test_custom_metrics_of_pods_and_objects(wire: Wire, ns: str):
    hits = {"metrics.svcsim.dev/hits": "shop=a = 1500m; 7"}
    run(wire, ns, using("a", labels={"app": "web"}, **hits), using("b"))
    answer = wire.get(custom(wire, "namespaces", ns, "pods", "*", "hits"), labelSelector="app=web", metricLabelSelector="shop=a")
    assert (answer["kind"], answer["apiVersion"]) == ("MetricValueList", f"{wire.dialect.group('custom.metrics')}/v1beta2")
    (item,) = answer["items"]
    assert item["describedObject"] == {"kind": "Pod", "namespace": ns, "name": "a", "apiVersion": "v1"}
    assert (item["metric"], item["value"]) == ({"name": "hits", "selector": {"matchLabels": {"shop": "a"}}}, "1500m")
    (item,) = wire.get(custom(wire, "namespaces", ns, "pods", "a", "hits"))["items"]
    assert item["value"] == "1500m", "the first series"
    wire.patch(f"/api/v1/namespaces/{ns}", {"metadata": {"annotations": {"metrics.svcsim.dev/depth": "3"}}})
    (item,) = wire.get(custom(wire, "namespaces", ns, "metrics", "depth"))["items"]
    assert (item["describedObject"]["kind"], item["value"]) == ("Namespace", "3")
    wire.patch("/api/v1/nodes/node-1", {"metadata": {"annotations": {"metrics.svcsim.dev/heat": "40"}}})
    (item,) = wire.get(custom(wire, "nodes", "node-1", "heat"))["items"]
    assert item["value"] == "40"


def test_any_object_may_be_described_whatever_is_in_it(wire: Wire, ns: str):
    plural, group = f"shelves{wire.fresh('')}".replace("-", ""), "shop.example"
    anything = {"type": "object", "x-kubernetes-preserve-unknown-fields": True}
    if wire.dialect.name == "svcapi":
        anything = {"type": "object", f"{wire.dialect.extension_prefix}preserve-unknown-fields": True}
    versions = [{"name": "v1", "served": True, "storage": True, "schema": {"openAPIV3Schema": anything}}]
    spec = {"group": group, "names": {"plural": plural, "kind": plural.title()}, "scope": "Namespaced", "versions": versions}
    definitions = f"/apis/{wire.dialect.group('apiextensions')}/v1/customresourcedefinitions"
    wire.create(definitions, {"metadata": {"name": f"{plural}.{group}"}, "spec": spec})
    served = f"{definitions}/{plural}.{group}"
    wire.until(served, lambda one: any(part["type"] == "Established" for part in one.get("status", {}).get("conditions", ())))
    metadata = {"name": "one", "annotations": {"metrics.svcsim.dev/books": "12 to 24 over 1s"}}
    shelf = {"apiVersion": f"{group}/v1", "kind": plural.title(), "metadata": metadata, "status": "full", "spec": ["x"]}
    wire.create(f"/apis/{group}/v1/namespaces/{ns}/{plural}", shelf)
    (item,) = wire.get(custom(wire, "namespaces", ns, f"{plural}.{group}", "one", "books"))["items"]
    assert item["describedObject"]["apiVersion"] == f"{group}/v1"
    wire.delete(served)


def test_external_metrics_stand_on_namespaces(wire: Wire, ns: str):
    wire.patch(f"/api/v1/namespaces/{ns}", {"metadata": {"annotations": {"metrics.svcsim.dev/queue": "shop=a = 3; shop=b = 4"}}})
    answer = wire.get(external(wire, "namespaces", ns, "queue"))
    assert answer["kind"] == "ExternalMetricValueList"
    assert [(item["metricName"], item["metricLabels"], item["value"]) for item in answer["items"]] == [
        ("queue", {"shop": "a"}, "3"),
        ("queue", {"shop": "b"}, "4"),
    ]
    (item,) = wire.get(external(wire, "namespaces", ns, "queue"), labelSelector="shop=b")["items"]
    assert item["value"] == "4"
    assert wire.get(external(wire, "namespaces", ns, "none"))["items"] == []


@pytest.mark.parametrize(
    "steps",
    [
        ("namespaces",),
        ("namespaces", "default"),
        ("namespaces", "default", "pods"),
        ("namespaces", "default", "pods", "none"),
        ("namespaces", "default", "pods", "none", "hits"),
        ("namespaces", "default", "pods", "*", "hits"),
        ("namespaces", "default", "pods", "*", "hits", "more"),
        ("namespaces", "default", "services", "*", "hits"),
        ("namespaces", "default", "nodes", "node-1", "hits"),
        ("namespaces", "default", "shelves.shop.example", "one", "hits"),
        ("pods", "one", "hits"),
        ("x",),
        ("%2f%2f", "%00", "\x7f"),
        ("namespaces", "default", "services", "a%2Fproxy%2Fx", "hits"),
        ("namespaces", "default%2Fservices", "metrics", "hits"),
    ],
)
def test_what_is_not_there_is_not_found(wire: Wire, steps: tuple[str, ...]):
    path = custom(wire, *steps).replace("\x7f", "%7f")
    assert wire.ask("GET", path).status == 404
    assert wire.ask("GET", external(wire, "namespaces", "none", "hits")).status == 404
    assert wire.ask("GET", external(wire, "namespaces", "default", "hits", "more")).status == 404


def test_other_metrics_are_for_who_may_read_them_and_can_be_read_alone(wire: Wire, ns: str):
    nobody = {"Impersonate-User": wire.fresh("nobody")}
    hits = custom(wire, "namespaces", ns, "pods", "*", "hits")
    assert wire.ask("GET", hits, headers=nobody).status == 403
    assert wire.ask("GET", external(wire, "namespaces", ns, "queue"), headers=nobody).status == 403
    group = wire.dialect.group("external.metrics")
    reader = allowed(wire, {"apiGroups": [group], "resources": ["queue"], "verbs": ["list", "get"]}, namespace=ns)
    assert wire.ask("GET", external(wire, "namespaces", ns, "queue"), headers=reader).status == 200
    assert wire.ask("DELETE", hits).status == 405
    assert wire.ask("GET", hits, labelSelector="a in").status == 400
    assert wire.ask("GET", hits, metricLabelSelector="a in").status == 400
