"""Readiness probes go on until a container has ended, so that whoever waits for it to serve no more can see that."""

import pytest

from svcsim.meta.types import Json, Object
from svcsim.nodes.pods.pod_updates import take_in
from tests.living import Living, condition, living, pod
from tests.nodes.build import NOW, Life, pod_object, shell
from tests.nodes.test_streams import run

OFTEN = {"periodSeconds": 1, "failureThreshold": 1}
LOOKS = {"exec": {"command": ["cat", "/tmp/h"]}, **OFTEN}
MISSING = "Readiness probe failed: cat: can't open '/tmp/h': No such file or directory\n"


def hooked(seconds: int) -> Object:
    return {"preStop": {"exec": {"command": ["sleep", str(seconds)]}}}


def looking(script: str, hook_s: int = 25, **more: Json) -> Object:
    return {**shell(script), "readinessProbe": LOOKS, "lifecycle": hooked(hook_s), **more}


def complaints(life: Life) -> list[tuple[int, str]]:
    return [(int(at), message) for at, reason, message in life.told if reason == "Unhealthy"]


def ready(life: Life) -> bool:
    is_ready: bool = life.state()["ready"]
    assert (life.condition("Ready")["status"] == "True") is is_ready
    return is_ready


def deleted(given: Object, at: float, **spec: Json) -> Life:
    life = Life(pod_object(given, terminationGracePeriodSeconds=40, **spec)).until(at)
    life.run.terminate(NOW + at, 40)
    return life


def test_what_the_script_does_while_its_pod_ends_is_found():
    life = deleted(looking("touch /tmp/h; sleep 8; rm /tmp/h; sleep 1000"), 5)
    assert ready(life.until(7))
    assert not ready(life.until(12))
    assert len(complaints(life)) in {3, 4}
    life.until(100)
    assert (life.run.due, life.run.termination.done_at) == (None, None)
    assert 18 <= len(complaints(life)) <= 25, "it is probed until it has ended, and no longer"


def test_a_container_may_become_ready_while_its_pod_ends():
    life = deleted(looking("sleep 8; touch /tmp/h; sleep 1000"), 5)
    assert not ready(life.until(7))
    assert ready(life.until(12))
    assert not ready(life.until(60))


def test_an_annotation_has_the_readiness_probe_fail_while_the_pod_ends():
    life = deleted(looking("touch /tmp/h; sleep 1000"), 5)
    life.until(7)
    life.pod["metadata"]["annotations"]["svcsim.dev/failing-probes"] = "readiness"
    take_in(life.run, life.pod, NOW + 7)
    assert not ready(life.until(10))
    life.pod["metadata"]["annotations"].clear()
    take_in(life.run, life.pod, NOW + 10)
    assert ready(life.until(13))
    assert life.until(60).run.due is None


@pytest.mark.parametrize("kind", ["liveness", "startup"])
def test_the_other_probes_do_not_go_on(kind: str):
    probe = {"exec": {"command": ["cat", "/tmp/h"]}, **OFTEN}
    given = {**shell("touch /tmp/h; sleep 8; rm /tmp/h; sleep 1000"), f"{kind}Probe": probe, "lifecycle": hooked(25)}
    assert complaints(deleted(given, 5).until(100)) == []


def test_a_container_that_never_started_is_not_probed_for_readiness():
    given = looking("sleep 1000", startupProbe={**LOOKS, "failureThreshold": 100})
    life = deleted(given, 5)
    before = complaints(life)
    assert complaints(life.until(100)) == before


def test_a_container_that_is_ended_by_its_liveness_probe_is_still_probed_for_readiness():
    given = looking("touch /tmp/h; sleep 8; rm /tmp/h; sleep 1000", livenessProbe={"exec": {"command": ["false"]}, **OFTEN})
    life = Life(pod_object(given, terminationGracePeriodSeconds=40)).until(5)
    assert ready(life)
    assert not ready(life.until(12))
    assert [message for _, message in complaints(life)][1:3] == [MISSING] * 2
    assert not life.state()["lastState"]


def test_a_pod_past_its_deadline_is_still_probed():
    given = looking("touch /tmp/h; sleep 8; rm /tmp/h; sleep 1000")
    life = Life(pod_object(given, terminationGracePeriodSeconds=40, activeDeadlineSeconds=5)).until(7)
    assert life.state()["ready"]
    assert not life.until(12).state()["ready"]


async def serving(cluster: Living) -> Object:
    slices = await cluster.client.resource("discovery.k8s.io/v1", "endpointslices", "default").list_all()
    found: Object = next(one for one in slices if one["metadata"]["labels"].get("kubernetes.io/service-name") == "web")
    told: Object = found["endpoints"][0]["conditions"]
    return told


@pytest.mark.virtual_time
async def test_an_endpoint_that_ends_serves_as_long_as_its_probe_succeeds():
    async with living(nodes=1) as cluster:
        made = pod("web", image="busybox:1", command=["sh", "-c", "touch /tmp/h; sleep 1000"], terminationGracePeriodSeconds=40)
        made["metadata"]["labels"] = {"app": "web"}
        made["spec"]["containers"][0] |= {"readinessProbe": LOOKS, "lifecycle": hooked(15)}
        service = {"apiVersion": "v1", "kind": "Service", "metadata": {"name": "web"}}
        service["spec"] = {"selector": {"app": "web"}, "ports": [{"port": 80}]}
        await cluster.client.resource("v1", "services", "default").create(service)
        await cluster.run_pod(made)
        await cluster.pods.delete("web")
        await cluster.sleep(3)
        assert await serving(cluster) == {"ready": False, "serving": True, "terminating": True}
        assert (await run(cluster, "web", "rm", "/tmp/h")).code == 0
        await cluster.sleep(3)
        assert await serving(cluster) == {"ready": False, "serving": False, "terminating": True}
        found = await cluster.pods.get("web")
        assert (condition(found, "Ready")["reason"], condition(found, "ContainersReady")["status"]) == ("ContainersNotReady", "False")
        assert "running" in found["status"]["containerStatuses"][0]["state"]
        assert found["status"]["observedGeneration"] == found["metadata"]["generation"] == 2
        told = [event["message"] for event in await cluster.events("web") if event["reason"] == "Unhealthy"]
        assert told == [MISSING]
        await cluster.sleep(20)
        assert await cluster.pods.list_all() == []
