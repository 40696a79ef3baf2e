"""Pods that wait for what comes next, and of which the objects are at hand, or kept as JSON where too many wait: none can tell which."""

import pytest

from svcsim import limits
from svcsim.meta.types import Object
from tests.living import Living, condition, is_ready, living, name, pod

NAMES = [f"web-{number}" for number in range(4)]
FOREIGN: Object = {"type": "example.com/Warm", "status": "True"}


async def begun(cluster: Living) -> list[Object]:
    """Pods that others change while they are being started, once all of them run."""
    for pod_name in NAMES:
        await cluster.pods.create(pod(pod_name))
    await cluster.until(lambda pods: all(one["spec"].get("nodeName") and one["status"].get("startTime") for one in pods), 10)
    for pod_name in NAMES:
        assert not is_ready(await cluster.pods.get(pod_name))
        await cluster.pods.patch(pod_name, {"metadata": {"labels": {"seen": "yes"}}})
        await cluster.pods.patch(pod_name, {"status": {"conditions": [FOREIGN]}}, subresource="status")
    return await cluster.until(lambda pods: all(map(is_ready, pods)))


@pytest.mark.virtual_time
async def test_it_makes_no_difference_to_a_pod_whether_its_object_is_at_hand(monkeypatch: pytest.MonkeyPatch):
    found: list[list[Object]] = []
    for most in (limits.PODS_AT_HAND, 1, 0):
        monkeypatch.setattr(limits, "PODS_AT_HAND", most)
        async with living() as cluster:
            pods = await begun(cluster)
            found.append([{**one, "metadata": {**one["metadata"], "resourceVersion": ""}} for one in pods])
            for one in pods:
                assert condition(one, "example.com/Warm")["status"] == "True"
                reasons = await cluster.reasons(name(one))
                assert reasons == ["Scheduled", "Pulling", "Pulled", "Created", "Started"]
    assert found[0] == found[1] == found[2]
