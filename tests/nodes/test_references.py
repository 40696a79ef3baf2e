"""Pods that need a ConfigMap or a Secret wait for it, and say so."""

import pytest

from svcsim.nodes.volumes.references import Reference, environment_references, problem, volume_references
from tests.living import is_ready, living, phase, pod

VOLUMES = [
    {"name": "a", "configMap": {"name": "cm", "items": [{"key": "k", "path": "p"}]}},
    {"name": "b", "secret": {"secretName": "s"}},
    {"name": "c", "configMap": {"name": "perhaps", "optional": True}},
    {"name": "d", "projected": {"sources": [{"configMap": {"name": "root-ca"}}, {"secret": {"name": "t"}}]}},
    {"name": "e", "emptyDir": {}},
]
ENVIRONMENT = {
    "name": "main",
    "envFrom": [{"configMapRef": {"name": "cm"}}, {"secretRef": {"name": "perhaps", "optional": True}}],
    "env": [{"name": "X", "value": "1"}, {"name": "Y", "valueFrom": {"secretKeyRef": {"name": "s", "key": "k"}}}],
}


def test_all_that_is_not_optional_is_asked_for():
    assert volume_references({"volumes": VOLUMES}, "root-ca") == [
        Reference("configmaps", "cm", ("k",), volume="a"),
        Reference("secrets", "s", (), volume="b"),
        Reference("secrets", "t", (), volume="d"),
    ]
    assert environment_references({"containers": [ENVIRONMENT]}) == [
        Reference("configmaps", "cm", container="main"),
        Reference("secrets", "s", ("k",), container="main"),
    ]


@pytest.mark.parametrize(
    ("reference", "obj", "said"),
    [
        (Reference("configmaps", "cm", volume="a"), None, 'configmap "cm" not found'),
        (Reference("configmaps", "cm", ("k",), volume="a"), {"data": {}}, "references non-existent config key: k"),
        (Reference("secrets", "s", ("k",), container="main"), {"data": {}}, "couldn't find key k in Secret default/s"),
        (Reference("configmaps", "cm", ("k",), container="main"), {"binaryData": {"k": ""}}, ""),
    ],
)
def test_what_is_wrong_is_said_in_known_words(reference, obj, said):
    assert problem(reference, "default", obj) == said


def config_map(**data):
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "cm", "namespace": "default"}, "data": data}


@pytest.mark.virtual_time
async def test_a_volume_that_is_missing_holds_the_pod_up_until_it_is_there():
    async with living() as cluster:
        await cluster.pods.create(pod("web", volumes=[{"name": "cfg", "configMap": {"name": "cm"}}]))
        await cluster.sleep(20)
        waiting = await cluster.pods.get("web")
        assert waiting["status"]["containerStatuses"][0]["state"]["waiting"]["reason"] == "ContainerCreating"
        event = next(event for event in await cluster.events("web") if event["reason"] == "FailedMount")
        assert event["message"] == 'MountVolume.SetUp failed for volume "cfg" : configmap "cm" not found'
        assert event["count"] > 2
        await cluster.client.resource("v1", "configmaps", "default").create(config_map())
        await cluster.until(lambda pods: is_ready(pods[0]), within_s=40)


@pytest.mark.virtual_time
async def test_all_that_is_missing_of_a_projected_volume_is_told_at_once():
    amount = {"path": "p", "resourceFieldRef": {"containerName": "nobody", "resource": "limits.cpu"}}
    sources = [{"secret": {"name": "s1"}}, {"configMap": {"name": "c1"}}, {"secret": {"name": "s1"}}, {"downwardAPI": {"items": [amount]}}]
    async with living() as cluster:
        await cluster.pods.create(pod("web", volumes=[{"name": "v", "projected": {"sources": sources}}]))
        await cluster.sleep(5)
        (told,) = {event["message"] for event in await cluster.events("web") if event["reason"] == "FailedMount"}
        wrong = '[secret "s1" not found, configmap "c1" not found, container nobody not found]'
        assert told == f'MountVolume.SetUp failed for volume "v" : {wrong}'


@pytest.mark.virtual_time
async def test_an_environment_that_is_missing_holds_its_container_up():
    async with living() as cluster:
        wanted = pod("web")
        wanted["spec"]["containers"][0]["env"] = [{"name": "X", "valueFrom": {"configMapKeyRef": {"name": "cm", "key": "x"}}}]
        await cluster.pods.create(wanted)
        await cluster.sleep(10)
        waiting = await cluster.pods.get("web")
        assert phase(waiting) == "Pending"
        told = {"reason": "CreateContainerConfigError", "message": 'configmap "cm" not found'}
        assert waiting["status"]["containerStatuses"][0]["state"] == {"waiting": told}
        await cluster.client.resource("v1", "configmaps", "default").create(config_map(x="1"))
        await cluster.until(lambda pods: is_ready(pods[0]), within_s=30)


@pytest.mark.virtual_time
async def test_a_pod_that_waits_for_a_volume_can_be_deleted():
    async with living() as cluster:
        await cluster.pods.create(pod("web", volumes=[{"name": "cfg", "secret": {"secretName": "never"}}]))
        await cluster.sleep(5)
        await cluster.pods.delete("web")
        await cluster.until(lambda pods: pods == [], within_s=5)


@pytest.mark.virtual_time
@pytest.mark.parametrize(
    ("wanted", "why"),
    [
        ("$(TITLE)/$(NAME)", "error SubPath `/web` must not be an absolute path"),
        ("$(UP)/x", "unable to provision SubPath `../x`: must not contain '..'"),
        ("$(NAME)/$(NOBODY)", 'missing value for "NOBODY"'),
    ],
)
async def test_a_container_is_made_once_the_part_of_a_volume_that_it_wants_can_be(wanted: str, why: str):
    async with living(nodes=1) as cluster:
        made = pod("web")
        main = made["spec"]["containers"][0]
        title = {"fieldRef": {"fieldPath": "metadata.annotations['title']"}}
        env = [{"name": "TITLE", "valueFrom": title}, {"name": "NAME", "value": "web"}, {"name": "UP", "value": ".."}]
        main.update(env=env, volumeMounts=[{"name": "v", "mountPath": "/v", "subPathExpr": wanted}])
        made["spec"]["volumes"] = [{"name": "v", "emptyDir": {}}]
        await cluster.pods.create(made)
        await cluster.sleep(20)
        (status,) = (await cluster.pods.get("web"))["status"]["containerStatuses"]
        assert status["state"] == {"waiting": {"reason": "CreateContainerConfigError", "message": why}}
        if "TITLE" in wanted:
            await cluster.pods.patch("web", {"metadata": {"annotations": {"title": "lord"}}})
            await cluster.until(lambda pods: is_ready(pods[0]), 60)
