"""What pods are told of themselves."""

import pytest

from svcsim.meta.types import Object
from svcsim.nodes.containers.sources import Keys, Sources
from tests.living import living, phase, pod


async def nothing(_plural: str, _name: str) -> Keys:
    return {}


def sources(pod: Object) -> Sources:
    return Sources(pod, nothing, {"cpu": "8", "memory": "16Gi"})


def amount(given: dict[str, str], resource: str, divisor: str) -> str:
    container = {"name": "main", "resources": {"limits": given, "requests": given}}
    return sources({"spec": {"containers": [container]}}).amount(container, {"resource": resource, "divisor": divisor})


def test_thousandths_of_a_cpu_are_counted_exactly():
    counted = [amount({"cpu": f"{count}m"}, part, "1m") for count in range(1, 2001) for part in ("limits.cpu", "requests.cpu")]
    assert counted == [str(count) for count in range(1, 2001) for _ in range(2)]


@pytest.mark.parametrize(
    ("given", "resource", "divisor", "told"),
    [
        ({"cpu": "0.2"}, "limits.cpu", "1m", "200"),
        ({"cpu": "1001m"}, "limits.cpu", "1", "2"),
        ({"cpu": "50m"}, "limits.cpu", "0", "1"),
        ({}, "limits.cpu", "1m", "8000"),
        ({}, "requests.cpu", "1m", "0"),
        ({"memory": "64Mi"}, "limits.memory", "1Mi", "64"),
        ({"memory": "64Mi"}, "limits.memory", "1M", "68"),
        ({"memory": str(2**60 + 1)}, "limits.memory", "1", str(2**60 + 1)),
        ({"memory": str(2**60 + 1)}, "limits.memory", "1Ki", str(2**50 + 1)),
    ],
)
def test_amounts_are_rounded_up_to_whole_units(given, resource, divisor, told):
    assert amount(given, resource, divisor) == told


@pytest.mark.parametrize(
    ("value", "told"),
    [
        ("a\tb", r'k="a\tb"'),
        ("a\rb", r'k="a\rb"'),
        ("a\x07b", r'k="a\ab"'),
        ("a\x7fb", r'k="a\x7fb"'),
        ("a\u200bb", r'k="a\u200bb"'),
        ("a\u00a0b", r'k="a\u00a0b"'),
        ('a"\\\nb', r'k="a\"\\\nb"'),
        ("grün", 'k="grün"'),
    ],
)
def test_annotations_are_told_in_quotes_together_and_as_they_are_alone(value: str, told: str):
    found = sources({"metadata": {"annotations": {"k": value}}, "spec": {"containers": []}})
    assert (found.field("metadata.annotations"), found.field("metadata.annotations['k']")) == (told, value)


ASKED = {"resourceFieldRef": {"containerName": "zz", "resource": "limits.cpu"}}
DOWNWARD = {"items": [{"path": "cpu", **ASKED}]}


@pytest.mark.virtual_time
async def test_an_amount_of_a_container_that_is_not_there_keeps_its_container_from_starting():
    async with living(nodes=1) as cluster:
        wanted = pod("web")
        wanted["spec"]["containers"][0]["env"] = [{"name": "A", "valueFrom": ASKED}]
        wanted["spec"]["containers"].append({"name": "beside", "image": "nginx:1"})
        await cluster.pods.create(wanted)
        await cluster.sleep(10)
        found = await cluster.pods.get("web")
        states = {one["name"]: one["state"] for one in found["status"]["containerStatuses"]}
        assert states["main"] == {"waiting": {"reason": "CreateContainerConfigError", "message": "container zz not found"}}
        assert "running" in states["beside"]


@pytest.mark.virtual_time
@pytest.mark.parametrize("volume", [{"downwardAPI": DOWNWARD}, {"projected": {"sources": [{"downwardAPI": DOWNWARD}]}}])
async def test_a_volume_can_not_tell_of_a_container_that_is_not_there(volume: Object):
    async with living(nodes=1) as cluster:
        await cluster.pods.create(pod("web", volumes=[{"name": "v", **volume}]))
        await cluster.sleep(10)
        assert phase(await cluster.pods.get("web")) == "Pending"
        told = {event["message"] for event in await cluster.events("web") if event["reason"] == "FailedMount"}
        assert told == {'MountVolume.SetUp failed for volume "v" : container zz not found'}


@pytest.mark.virtual_time
async def test_an_amount_of_an_init_container_is_told():
    async with living(nodes=1) as cluster:
        wanted = pod("web", initContainers=[{"name": "zz", "image": "busybox:1", "resources": {"limits": {"cpu": "300m"}}}])
        wanted["spec"]["containers"][0]["env"] = [{"name": "A", "valueFrom": ASKED}]
        await cluster.run_pod(wanted)
