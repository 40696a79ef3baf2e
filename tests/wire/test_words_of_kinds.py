"""What kinds tell of their objects beside the objects themselves: warnings, causes, first states."""

import pytest

from svcsim.meta.types import Object
from tests.wire.raw import MERGE, Wire


def pod_spec(**fields: object) -> Object:
    return {"containers": [{"name": "a", "image": "b", **fields}]}


ENV = [{"name": "A", "value": "1"}, {"name": "A", "value": "2"}]
PORTS = [{"containerPort": 80, "name": "a"}, {"containerPort": 80, "name": "b"}]


@pytest.mark.parametrize("plural", ["pods", "deployments", "replicasets"])
def test_definitions_that_hide_others_are_warned_of(wire: Wire, ns: str, plural: str):
    spec, root, where = pod_spec(env=ENV, ports=PORTS), "/api/v1", "spec"
    if plural != "pods":
        template = {"metadata": {"labels": {"a": "b"}}, "spec": spec}
        spec, root, where = (
            {"replicas": 0, "selector": {"matchLabels": {"a": "b"}}, "template": template},
            "/apis/apps/v1",
            "spec.template.spec",
        )
    answer = wire.ask("POST", f"{root}/namespaces/{ns}/{plural}", {"metadata": {"name": "a"}, "spec": spec})
    assert answer.status == 201
    container = f"{where}.containers[0]"
    hidden = f'{container}.env[1]: hides previous definition of \\"A\\", which may be dropped when using apply'
    repeated = f"{container}.ports[1]: duplicate port definition with {container}.ports[0]"
    assert answer.headers["warning"] == f'299 - "{hidden}", 299 - "{repeated}"'


@pytest.mark.parametrize("query", ["", "?dryRun=All"])
def test_an_update_of_a_template_is_warned_of_again_and_no_other_is(wire: Wire, ns: str, query: str):
    template = {"metadata": {"labels": {"a": "b"}}, "spec": pod_spec(env=ENV)}
    spec = {"replicas": 0, "selector": {"matchLabels": {"a": "b"}}, "template": template}
    path = f"/apis/apps/v1/namespaces/{ns}/deployments"
    wire.create(path, {"metadata": {"name": "a"}, "spec": spec})
    hidden = 'spec.template.spec.containers[0].env[1]: hides previous definition of \\"A\\", which may be dropped when using apply'
    changed = wire.ask("PATCH", f"{path}/a{query}", {"spec": {"minReadySeconds": 1}}, content_type=MERGE)
    assert (changed.status, changed.headers.get("warning")) == (200, f'299 - "{hidden}"')
    labelled = wire.ask("PATCH", f"{path}/a{query}", {"metadata": {"labels": {"a": "b"}}}, content_type=MERGE)
    assert (labelled.status, labelled.headers.get("warning")) == (200, None)
    reported = wire.ask("PATCH", f"{path}/a/status{query}", {"status": {"observedGeneration": 1}}, content_type=MERGE)
    assert (reported.status, reported.headers.get("warning")) == (200, None)


def test_a_service_is_warned_of_whenever_it_is_written(wire: Wire, ns: str):
    path = f"/api/v1/namespaces/{ns}/services"
    spec = {"clusterIP": "None", "ports": [{"port": 80}], "loadBalancerIP": "1.2.3.4"}
    told = '299 - "spec.loadBalancerIP is ignored for headless services"'
    made = wire.ask("POST", path, {"metadata": {"name": "a"}, "spec": spec})
    assert (made.status, made.headers.get("warning")) == (201, told)
    changed = wire.ask("PUT", f"{path}/a", {**made.json, "metadata": {**made.json["metadata"], "labels": {"a": "b"}}})
    assert (changed.status, changed.headers.get("warning")) == (200, told)
    reported = wire.ask("PATCH", f"{path}/a/status", {"status": {"conditions": []}}, content_type=MERGE)
    assert (reported.status, reported.headers.get("warning")) == (200, None)
    mended = wire.ask("PATCH", f"{path}/a", {"spec": {"loadBalancerIP": None}}, content_type=MERGE)
    assert (mended.status, mended.headers.get("warning")) == (200, None)


def test_a_variable_that_makes_use_of_its_older_value_is_meant_so(wire: Wire, ns: str):
    env = [{"name": "A", "value": "1"}, {"name": "A", "value": "$(A)2"}]
    answer = wire.ask("POST", f"/api/v1/namespaces/{ns}/pods", {"metadata": {"name": "a"}, "spec": pod_spec(env=env)})
    assert (answer.status, answer.headers.get("warning")) == (201, None)


def test_a_deployment_without_a_selector_selects_nothing(wire: Wire, ns: str):
    spec = {"template": {"metadata": {"labels": {"a": "b"}}, "spec": pod_spec()}}
    answer = wire.ask("POST", f"/apis/apps/v1/namespaces/{ns}/deployments", {"metadata": {"name": "a"}, "spec": spec})
    assert [(cause["field"], cause["message"]) for cause in answer.json["details"]["causes"]] == [
        ("spec.selector", "Required value"),
        ("spec.template.metadata.labels", 'Invalid value: {"a":"b"}: `selector` does not match template `labels`'),
    ]


def test_a_volume_tells_since_when_it_is_in_its_phase(wire: Wire):
    spec = {"capacity": {"storage": "1Gi"}, "accessModes": ["ReadWriteOnce"], "hostPath": {"path": "/x"}}
    made = wire.create("/api/v1/persistentvolumes", {"metadata": {"name": wire.fresh("pv")}, "spec": spec})
    since = made["metadata"]["creationTimestamp"]
    assert made["status"] == {"phase": "Pending", "lastPhaseTransitionTime": since}
    path = f"/api/v1/persistentvolumes/{made['metadata']['name']}/status"
    long_ago = "2020-01-01T00:00:00Z"

    def written(**status: str | None) -> Object:
        found: Object = wire.patch(path, {"status": status})["status"]
        return found

    assert written(phase="Available", lastPhaseTransitionTime=long_ago) == {"phase": "Available", "lastPhaseTransitionTime": long_ago}
    assert written(lastPhaseTransitionTime=None) == {"phase": "Available", "lastPhaseTransitionTime": long_ago}
    assert written(message="fine")["lastPhaseTransitionTime"] == long_ago
    assert written(phase="Bound")["lastPhaseTransitionTime"] >= since
    assert written(phase="Bound", reason="again")["lastPhaseTransitionTime"] >= since


@pytest.mark.parametrize("address", ["::ffff:127.0.0.1", "::ffff:169.254.0.1", "::ffff:0.0.0.0"])
def test_an_address_mapped_into_ipv6_is_the_address_it_stands_for(wire: Wire, ns: str, address: str):
    subsets = [{"addresses": [{"ip": address}], "ports": [{"port": 80}]}]
    answer = wire.ask("POST", f"/api/v1/namespaces/{ns}/endpoints", {"metadata": {"name": "a"}, "subsets": subsets})
    assert (answer.status, answer.json["details"]["causes"][0]["field"]) == (422, "subsets[0].addresses[0].ip")


def test_a_status_is_written_with_its_labels_and_annotations(wire: Wire, ns: str):
    wire.create(f"/api/v1/namespaces/{ns}/services", {"metadata": {"name": "a"}, "spec": {"ports": [{"port": 80}]}})
    for path in (f"/api/v1/namespaces/{ns}", f"/api/v1/namespaces/{ns}/services/a"):
        obj = wire.get(path)
        obj["metadata"]["labels"] = {**obj["metadata"].get("labels", {}), "x": "y"}
        obj["metadata"]["annotations"] = {"a": "b"}
        assert wire.ask("PUT", f"{path}/status", obj).status == 200
        seen = wire.get(path)["metadata"]
        assert (seen["labels"]["x"], seen["annotations"]) == ("y", {"a": "b"})


def test_the_server_goes_by_its_name(wire: Wire):
    managers = {entry["manager"] for entry in wire.get("/api/v1/namespaces/default")["metadata"]["managedFields"]}
    assert managers == {wire.dialect.api_server}
    assert wire.dialect.api_server == {"kubernetes": "kube-apiserver", "svcapi": "apiserver"}[wire.dialect.name]


@pytest.mark.parametrize("path", ["namespaces/{ns}/configmaps", "namespaces/{ns}/configmaps/a", "configmaps"])
def test_the_older_way_of_asking_for_a_watch(wire: Wire, ns: str, path: str):
    made = wire.create(f"/api/v1/namespaces/{ns}/configmaps", {"metadata": {"name": "a"}})
    with wire.watch(
        f"/api/v1/watch/{path.format(ns=ns)}", watch=None, resourceVersion=str(int(made["metadata"]["resourceVersion"]) - 1)
    ) as events:
        added = events.until(lambda event: event["object"]["metadata"].get("namespace") == ns)[-1]
    assert (added["type"], added["object"]["metadata"]["name"]) == ("ADDED", "a")
    assert wire.ask("DELETE", f"/api/v1/watch/namespaces/{ns}/configmaps/a").status == 404


@pytest.mark.parametrize("name", ["metrics", "behavior", "current-metrics", "conditions"])
@pytest.mark.parametrize("text", ["garbage", "", "7", "[7]"])
def test_what_an_annotation_of_a_first_autoscaler_carries_is_let_go_if_it_can_not_be_read(wire: Wire, ns: str, name: str, text: str):
    path = f"/apis/autoscaling/v1/namespaces/{ns}/horizontalpodautoscalers"
    annotations = {wire.dialect.key(name, "autoscaling.alpha"): text, "mine": "kept"}
    spec = {"maxReplicas": 3, "scaleTargetRef": {"kind": "Deployment", "name": "d"}}
    wire.create(path, {"metadata": {"name": "a"}, "spec": spec})
    patched = wire.patch(f"{path}/a", {"metadata": {"annotations": annotations}})
    made = wire.create(path, {"metadata": {"name": "b", "annotations": annotations}, "spec": spec})
    wire.delete(f"{path}/a")
    assert [found["metadata"]["annotations"] for found in (patched, made)] == [{"mine": "kept"}] * 2
