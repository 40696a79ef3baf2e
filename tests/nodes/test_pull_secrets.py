"""Secrets with which images are to be pulled, and that aren't there."""

import pytest

from tests.living import is_ready, living, pod

TOLD = "Unable to retrieve some image pull secrets (regcred, other); attempting to pull the image may not succeed."
WANTED = [{"name": "regcred"}, {"name": ""}, {"name": "there"}, {"name": "other"}]
SECRET = {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "there", "namespace": "default"}}


@pytest.mark.virtual_time
async def test_secrets_that_are_missing_are_told_before_images_are_pulled():
    async with living(nodes=1) as cluster:
        await cluster.client.resource("v1", "secrets", "default").create(SECRET)
        await cluster.pods.create(pod("web", imagePullSecrets=WANTED))
        await cluster.until(lambda pods: is_ready(pods[0]), within_s=30)
        events = sorted(await cluster.events("web"), key=lambda event: int(event["metadata"]["resourceVersion"]))
        told = [(event["type"], event["reason"]) for event in events]
        assert told[:3] == [("Normal", "Scheduled"), ("Warning", "FailedToRetrieveImagePullSecret"), ("Normal", "Pulling")]
        assert events[1]["message"] == TOLD
        assert "fieldPath" not in events[1]["involvedObject"], "it is about the pod"


@pytest.mark.virtual_time
async def test_they_are_told_again_at_each_try_as_long_as_they_are_missing():
    async with living(nodes=1) as cluster:
        await cluster.pods.create(pod("web", image="nginx:404", imagePullSecrets=[{"name": "there"}]))
        await cluster.sleep(60)
        assert await _count(cluster) == 3
        await cluster.client.resource("v1", "secrets", "default").create(SECRET)
        await cluster.sleep(600)
        assert await _count(cluster) == 3


@pytest.mark.virtual_time
async def test_nothing_is_told_of_secrets_that_are_there():
    async with living(nodes=1) as cluster:
        await cluster.client.resource("v1", "secrets", "default").create(SECRET)
        await cluster.pods.create(pod("web", imagePullSecrets=[{"name": "there"}]))
        await cluster.until(lambda pods: is_ready(pods[0]), within_s=30)
        assert await _count(cluster) == 0


async def _count(cluster) -> int:
    return sum(one["count"] for one in await cluster.events("web") if one["reason"] == "FailedToRetrieveImagePullSecret")
