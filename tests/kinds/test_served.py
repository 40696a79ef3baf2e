"""Kinds in a whole cluster: what hooks and the machinery make of them together."""

from collections.abc import AsyncIterator

import pytest

from svcsim.client.api import Client
from svcsim.cluster.cluster import open_cluster
from svcsim.cluster.spec import ClusterSpec
from svcsim.meta.errors import StatusError
from svcsim.meta.types import Object
from tests.virtual import START_S

CONTAINER = {"name": "a", "image": "a:1"}
POD = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p"}, "spec": {"containers": [CONTAINER]}}
DEPLOYMENT = {
    "apiVersion": "apps/v1",
    "kind": "Deployment",
    "metadata": {"name": "d"},
    "spec": {
        "replicas": 0,
        "selector": {"matchLabels": {"app": "a"}},
        "template": {"metadata": {"labels": {"app": "a"}}, "spec": {"containers": [CONTAINER]}},
    },
}


@pytest.fixture
async def client() -> AsyncIterator[Client]:
    async with open_cluster(ClusterSpec(dialect="kubernetes", nodes=0, seed=1, start_s=START_S, durability="none")) as cluster:
        yield cluster.client("test")


@pytest.mark.virtual_time
async def test_a_binding_is_no_new_generation_and_a_second_one_is_a_conflict(client: Client):
    pods = client.resource("v1", "pods", "default")
    await pods.create({**POD, "spec": {**POD["spec"], "schedulerName": "none"}})
    binding = {"apiVersion": "v1", "kind": "Binding", "metadata": {"name": "p"}, "target": {"kind": "Node", "name": "n1"}}
    await pods.create_subresource("p", "binding", binding)
    bound = await pods.get("p")
    assert (bound["spec"]["nodeName"], bound["metadata"]["generation"]) == ("n1", 1)
    with pytest.raises(StatusError) as caught:
        await pods.create_subresource("p", "binding", binding)
    assert (caught.value.code, caught.value.reason) == (409, "Conflict")
    assert "already assigned to node" in caught.value.message


@pytest.mark.virtual_time
async def test_what_a_status_leaves_out_is_zero(client: Client):
    pods = client.resource("v1", "pods", "default")
    pod = await pods.create({**POD, "spec": {**POD["spec"], "schedulerName": "none"}})
    pod["status"]["containerStatuses"] = [{"name": "a"}]
    written = await pods.update(pod, "status")
    expected = {"name": "a", "ready": False, "restartCount": 0, "image": "", "imageID": ""}
    assert written["status"]["containerStatuses"] == [expected]


@pytest.mark.virtual_time
async def test_an_ephemeral_container_is_completed_and_comes_through_its_subresource_alone(client: Client):
    pods = client.resource("v1", "pods", "default")
    pod = await pods.create({**POD, "spec": {**POD["spec"], "schedulerName": "none"}})
    pod["spec"]["ephemeralContainers"] = [{"name": "e", "image": "e:1"}]
    with pytest.raises(StatusError) as caught:
        await pods.update(pod)
    assert "pod updates may not change fields other than" in caught.value.message
    written = await pods.update(pod, "ephemeralcontainers")
    assert written["spec"]["ephemeralContainers"][0]["imagePullPolicy"] == "IfNotPresent"
    assert written["metadata"]["generation"] == 2


@pytest.mark.virtual_time
async def test_a_scale_changes_the_size_and_nonsense_is_refused(client: Client):
    deployments = client.resource("apps/v1", "deployments", "default")
    await deployments.create(DEPLOYMENT)
    scale = await deployments.get("d", "scale")
    assert (scale["kind"], scale["spec"], scale["status"]) == ("Scale", {}, {"replicas": 0, "selector": "app=a"})
    await deployments.update({**scale, "spec": {"replicas": 3}}, "scale")
    assert (await deployments.get("d"))["spec"]["replicas"] == 3
    with pytest.raises(StatusError) as caught:
        await deployments.update({**scale, "metadata": {"name": "d", "namespace": "default"}, "spec": "three"}, "scale")
    assert caught.value.code == 400


@pytest.mark.virtual_time
async def test_a_namespace_goes_when_it_is_empty(client: Client):
    namespaces = client.resource("v1", "namespaces")
    created = await namespaces.create({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "room"}})
    assert created["metadata"]["labels"] == {"kubernetes.io/metadata.name": "room"}
    going = await namespaces.delete("room")
    assert going["status"]["phase"] == "Terminating"
    going["spec"]["finalizers"] = []
    await namespaces.update(going, "finalize")
    with pytest.raises(StatusError) as caught:
        await namespaces.get("room")
    assert caught.value.code == 404


CLAIM = {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}}
SCALED = {"scaleTargetRef": {"kind": "Deployment", "name": "d"}, "maxReplicas": 2}
SENT_STATUS = {"replicas": 7, "phase": "Bound", "currentReplicas": 7, "desiredReplicas": 7, "observedGeneration": 7}


@pytest.mark.virtual_time
@pytest.mark.parametrize(
    ("api_version", "plural", "body", "status"),
    [
        ("apps/v1", "deployments", DEPLOYMENT, {}),
        ("apps/v1", "replicasets", {**DEPLOYMENT, "kind": "ReplicaSet"}, {"replicas": 0}),
        ("v1", "services", {"kind": "Service", "spec": {"ports": [{"port": 80}]}}, {"loadBalancer": {}}),
        ("v1", "persistentvolumeclaims", {"kind": "PersistentVolumeClaim", "spec": CLAIM}, {"phase": "Pending"}),
        (
            "autoscaling/v2",
            "horizontalpodautoscalers",
            {"kind": "HorizontalPodAutoscaler", "spec": SCALED},
            {"desiredReplicas": 0, "currentMetrics": None},
        ),
        (
            "autoscaling/v1",
            "horizontalpodautoscalers",
            {"kind": "HorizontalPodAutoscaler", "spec": SCALED},
            {"currentReplicas": 0, "desiredReplicas": 0},
        ),
        ("v1", "pods", {**POD, "spec": {**POD["spec"], "schedulerName": "none"}}, {"phase": "Pending", "qosClass": "BestEffort"}),
    ],
)
async def test_a_new_object_has_its_kinds_first_status_whatever_was_sent(client: Client, api_version, plural, body, status):
    sent = {**body, "apiVersion": api_version, "metadata": {"name": "d"}, "status": SENT_STATUS}
    created = await client.resource(api_version, plural, "default").create(sent)
    assert created["status"] == status


AUTOSCALER = {
    "apiVersion": "autoscaling/v2",
    "kind": "HorizontalPodAutoscaler",
    "metadata": {"name": "h"},
    "spec": {"maxReplicas": 3, "scaleTargetRef": {"kind": "Deployment", "name": "d"}},
}


@pytest.mark.virtual_time
@pytest.mark.parametrize(
    ("patch", "told"),
    [
        ({"spec": []}, "field HorizontalPodAutoscaler.spec of type {}.HorizontalPodAutoscalerSpec"),
        ({"spec": {"scaleTargetRef": 1}}, "field HorizontalPodAutoscalerSpec.spec.scaleTargetRef of type {}.CrossVersionObjectReference"),
        ({"metadata": []}, "field HorizontalPodAutoscaler.metadata of type v1.ObjectMeta"),
    ],
)
async def test_types_are_told_of_with_the_version_that_has_them(client: Client, patch: Object, told: str):
    await client.resource("autoscaling/v2", "horizontalpodautoscalers", "default").create(AUTOSCALER)
    for version in ("v1", "v2"):
        with pytest.raises(StatusError) as caught:
            await client.resource(f"autoscaling/{version}", "horizontalpodautoscalers", "default").patch("h", patch)
        assert caught.value.message.endswith(told.format(version))


@pytest.mark.virtual_time
async def test_lists_that_are_always_there_are_null_where_nothing_is_in_them(client: Client):
    autoscalers = client.resource("autoscaling/v2", "horizontalpodautoscalers", "default")
    made = await autoscalers.create(AUTOSCALER)
    assert made["status"] == {"desiredReplicas": 0, "currentMetrics": None}
    told = await autoscalers.patch("h", {"status": {"desiredReplicas": 2, "currentMetrics": []}}, subresource="status")
    assert told["status"] == {"desiredReplicas": 2, "currentMetrics": None}
    older = client.resource("autoscaling/v1", "horizontalpodautoscalers", "default")
    assert (await older.get("h"))["status"] == {"currentReplicas": 0, "desiredReplicas": 2}
    unchanged = await older.patch("h", {"spec": {"maxReplicas": 3}})
    assert unchanged["metadata"]["resourceVersion"] == told["metadata"]["resourceVersion"]
    nodes = client.resource("storage.k8s.io/v1", "csinodes")
    for name, spec in (("a", {}), ("b", {"drivers": []}), ("c", {"drivers": None})):
        node = {"apiVersion": "storage.k8s.io/v1", "kind": "CSINode", "metadata": {"name": name}, "spec": spec}
        assert (await nodes.create(node))["spec"] == {"drivers": None}
        driver = {"name": "d.example.com", "nodeID": "1", "topologyKeys": None}
        assert (await nodes.patch(name, {"spec": {"drivers": [driver]}}))["spec"]["drivers"][0]["nodeID"] == "1"
        assert (await nodes.patch(name, {"spec": {"drivers": []}}))["spec"] == {"drivers": None}
