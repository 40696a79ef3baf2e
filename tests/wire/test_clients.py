"""Python clients that people use, unmodified, against the kubernetes dialect: the dynamic client, kr8s and lightkube."""

import asyncio
from collections.abc import Iterator

import kr8s
import lightkube
import pytest
from kr8s.asyncio import api as kr8s_api
from kr8s.asyncio.objects import ConfigMap as Kr8sConfigMap
from kr8s.asyncio.objects import Deployment as Kr8sDeployment
from kubernetes import client as kubernetes_client
from kubernetes import config as kubernetes_config
from kubernetes import watch as kubernetes_watch
from kubernetes.client.rest import ApiException
from kubernetes.dynamic import DynamicClient
from kubernetes.dynamic.exceptions import ConflictError, NotFoundError
from lightkube.core.exceptions import ApiError
from lightkube.models.meta_v1 import ObjectMeta
from lightkube.resources.apps_v1 import Deployment
from lightkube.resources.core_v1 import ConfigMap, Pod
from lightkube.types import CascadeType, PatchType

from svcsim.meta.types import Object
from tests.wire.raw import Wire

pytestmark = pytest.mark.usefixtures("left_to_the_collector")


def config_map(name: str, **data: str) -> Object:
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name, "labels": {"mine": "yes"}}, "data": data}


def deployment(name: str) -> Object:
    template = {"metadata": {"labels": {"app": name}}, "spec": {"containers": [{"name": "c", "image": "nginx"}]}}
    spec = {"replicas": 1, "selector": {"matchLabels": {"app": name}}, "template": template}
    return {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": name}, "spec": spec}


@pytest.fixture
def space(kubernetes_server: Wire) -> str:
    return kubernetes_server.namespace()


# --- the official client, typed and dynamic ---


@pytest.fixture
def api(kubernetes_server: Wire) -> Iterator[kubernetes_client.ApiClient]:
    with kubernetes_config.new_client_from_config(str(kubernetes_server.server.kubeconfig)) as made:
        yield made


def test_the_dynamic_client(api: kubernetes_client.ApiClient, space: str):
    maps = DynamicClient(api).resources.get(api_version="v1", kind="ConfigMap")
    created = maps.create(body=config_map("a", k="1"), namespace=space)
    assert maps.get(name="a", namespace=space).data.k == "1"
    assert [item.metadata.name for item in maps.get(namespace=space, label_selector="mine=yes").items] == ["a"]

    stale = created.to_dict()
    patched = maps.patch(name="a", namespace=space, body={"data": {"k": "2"}}, content_type="application/merge-patch+json")
    assert patched.data.k == "2"
    with pytest.raises(ConflictError):
        maps.replace(body=stale, namespace=space)
    replaced = maps.replace(body={**patched.to_dict(), "data": {"k": "3"}}, namespace=space)
    assert replaced.data.k == "3"

    applied = maps.server_side_apply(body=config_map("b", k="1"), name="b", namespace=space, field_manager="tour")
    assert applied.metadata.managedFields[0].manager == "tour"
    with pytest.raises(ConflictError):
        maps.server_side_apply(body=config_map("b", k="2"), name="b", namespace=space, field_manager="other")
    forced = maps.server_side_apply(body=config_map("b", k="2"), name="b", namespace=space, field_manager="other", force_conflicts=True)
    assert forced.data.k == "2"

    maps.delete(name="a", namespace=space)
    with pytest.raises(NotFoundError):
        maps.get(name="a", namespace=space)
    seen = []
    for event in maps.watch(namespace=space, resource_version=created.metadata.resourceVersion, label_selector="mine=yes", timeout=30):
        seen.append((event["type"], event["object"].metadata.name))
        if event["type"] == "DELETED":
            break
    assert seen == [("MODIFIED", "a"), ("MODIFIED", "a"), ("ADDED", "b"), ("MODIFIED", "b"), ("DELETED", "a")]


def scaled(apps: kubernetes_client.AppsV1Api, name: str, space: str, replicas: int) -> kubernetes_client.V1Scale:
    """Scale as the API asks of whoever replaces: read again and try again after a conflict, as controllers write the object, too."""
    for _ in range(5):
        scale = apps.read_namespaced_deployment_scale(name, space)
        scale.spec.replicas = replicas
        try:
            return apps.replace_namespaced_deployment_scale(name, space, scale)
        except ApiException as conflict:
            if conflict.status != 409:
                raise
    pytest.fail("somebody wrote every time")


def test_the_typed_client(api: kubernetes_client.ApiClient, space: str):
    apps, core = kubernetes_client.AppsV1Api(api), kubernetes_client.CoreV1Api(api)
    apps.create_namespaced_deployment(space, deployment("web"))
    for event in kubernetes_watch.Watch().stream(core.list_namespaced_pod, space, timeout_seconds=30):
        if event["object"].status.phase == "Running":
            break
    else:
        pytest.fail("no pod ran")
    assert core.read_namespaced_pod_log(event["object"].metadata.name, space)
    stale = apps.read_namespaced_deployment_scale("web", space)
    assert scaled(apps, "web", space, 0).spec.replicas is None  # as with a Kubernetes server: a number of 0 is left out
    with pytest.raises(ApiException, match="the object has been modified"):
        apps.replace_namespaced_deployment_scale("web", space, stale)
    assert len(core.list_node().items) >= 2
    with pytest.raises(ApiException, match="Conflict"):
        apps.create_namespaced_deployment(space, deployment("web"))
    apps.delete_namespaced_deployment("web", space, propagation_policy="Foreground")


# --- kr8s ---


async def test_kr8s(kubernetes_server: Wire, space: str):
    api = await kr8s_api(kubeconfig=str(kubernetes_server.server.kubeconfig), namespace=space)
    obj = await Kr8sConfigMap({**config_map("a", k="1"), "metadata": {"name": "a", "namespace": space}}, api=api)
    await obj.create()
    assert await obj.exists()
    with pytest.raises(kr8s.ServerError, match="already exists"):
        await obj.create()
    await obj.patch({"data": {"k": "2"}})
    assert obj.data == {"k": "2"}
    await obj.label({"tour": "yes"})
    assert [found.name async for found in api.get("configmaps", namespace=space, label_selector={"tour": "yes"})] == ["a"]

    web = await Kr8sDeployment({**deployment("web"), "metadata": {"name": "web", "namespace": space}}, api=api)
    await web.create()
    await asyncio.wait_for(web.wait("condition=Available"), 30)
    await web.scale(2)
    pods = [pod async for pod in api.get("pods", namespace=space, label_selector="app=web")]
    assert pods
    await web.delete()

    async def changes() -> list[tuple[str, str]]:
        seen = []
        async for kind, found in api.watch("configmaps", namespace=space, label_selector={"tour": "yes"}):
            seen.append((kind, found.name))
            if kind == "ADDED":
                await found.delete()
            if kind == "DELETED":
                return seen
        return seen

    assert await asyncio.wait_for(changes(), 30) == [("ADDED", "a"), ("DELETED", "a")]
    assert not await obj.exists()


# --- lightkube ---


def test_lightkube(kubernetes_server: Wire, space: str):
    config = lightkube.KubeConfig.from_file(str(kubernetes_server.server.kubeconfig))
    client = lightkube.Client(config=config, namespace=space, field_manager="tour")
    created = client.create(ConfigMap(metadata=ObjectMeta(name="a", labels={"mine": "yes"}), data={"k": "1"}))
    assert client.get(ConfigMap, "a").data == {"k": "1"}
    with pytest.raises(ApiError, match="already exists"):
        client.create(ConfigMap(metadata=ObjectMeta(name="a")))
    assert client.patch(ConfigMap, "a", {"data": {"k": "2"}}, patch_type=PatchType.MERGE).data == {"k": "2"}
    assert client.patch(ConfigMap, "a", {"metadata": {"labels": {"s": "t"}}}).metadata.labels == {"mine": "yes", "s": "t"}
    with pytest.raises(ApiError, match="the object has been modified"):
        client.replace(created)
    applied = client.apply(ConfigMap.from_dict(config_map("b", k="1")))
    assert applied.metadata.managedFields[0].manager == "tour"
    with pytest.raises(ApiError, match='conflict with "tour"'):
        client.apply(ConfigMap.from_dict(config_map("b", k="2")), field_manager="other")
    assert client.apply(ConfigMap.from_dict(config_map("b", k="2")), field_manager="other", force=True).data == {"k": "2"}
    assert [item.metadata.name for item in client.list(ConfigMap, labels={"mine": "yes"}, chunk_size=1)] == ["a", "b"]

    client.create(Deployment.from_dict(deployment("web")))
    client.wait(Deployment, "web", for_conditions=["Available"])
    assert [pod.status.phase for pod in client.list(Pod, labels={"app": "web"})] == ["Running"]
    client.delete(Deployment, "web", cascade=CascadeType.FOREGROUND)

    client.delete(ConfigMap, "a")
    seen = []
    for kind, found in client.watch(ConfigMap, labels={"mine": "yes"}, resource_version=created.metadata.resourceVersion):
        seen.append((kind, found.metadata.name))
        if kind == "DELETED":
            break
    assert seen == [("MODIFIED", "a"), ("MODIFIED", "a"), ("ADDED", "b"), ("MODIFIED", "b"), ("DELETED", "a")]
