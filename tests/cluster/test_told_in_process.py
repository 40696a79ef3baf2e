"""What components are told of changes is what everybody is told, though nothing is decoded for them."""

import asyncio

import pytest

from svcsim.auth.authentication import MASTERS
from svcsim.auth.known_user import known_user
from svcsim.client.api import Client, WatchEvent
from svcsim.client.in_process import InProcessTransport
from svcsim.meta.http import ReadLine, Request
from svcsim.meta.types import Object
from tests.living import Living, living, pod

RESOURCES = [("v1", "pods"), ("v1", "events"), ("apps/v1", "deployments"), ("apps/v1", "replicasets"), ("v1", "nodes")]
DEPLOYMENT: Object = {
    "apiVersion": "apps/v1",
    "kind": "Deployment",
    "metadata": {"name": "web", "namespace": "default"},
    "spec": {
        "replicas": 3,
        "selector": {"matchLabels": {"app": "web"}},
        "template": {"metadata": {"labels": {"app": "web"}}, "spec": {"containers": [{"name": "main", "image": "nginx:1.29"}]}},
    },
}


def asking(cluster: Living, *, insider: bool) -> Client:
    user = known_user("system:somebody", (MASTERS,))
    transport = InProcessTransport(cluster.cluster.pipeline.handle, user, "somebody", component=True, insider=insider)
    return Client(transport, cluster.cluster.dialect)


async def follow(client: Client, api_version: str, plural: str, since: str, told: list[WatchEvent]) -> None:
    async with client.resource(api_version, plural).watch(since, bookmarks=False) as events:
        async for event in events:
            told.append(event)  # noqa: PERF401 - what has been told counts, also once this is cancelled


@pytest.mark.virtual_time
async def test_components_are_told_the_same_as_everybody():
    async with living() as cluster:
        since = (await cluster.pods.list()).revision
        told: dict[tuple[str, bool], list[WatchEvent]] = {}
        following = []
        for insider in (True, False):
            client = asking(cluster, insider=insider)
            for api_version, plural in RESOURCES:
                events = told.setdefault((plural, insider), [])
                following.append(asyncio.create_task(follow(client, api_version, plural, since, events)))
        deployments = cluster.client.resource("apps/v1", "deployments", "default")
        await deployments.create(DEPLOYMENT)
        await cluster.pods.create(pod("crashes", command=["false"]))
        await cluster.sleep(30)
        await deployments.patch("web", {"spec": {"template": {"metadata": {"annotations": {"again": "1"}}}}})
        await cluster.sleep(60)
        await deployments.delete("web")
        await cluster.pods.delete("crashes")
        await cluster.sleep(60)
        for task in following:
            task.cancel()
    for _, plural in RESOURCES:
        assert len(told[plural, True]) > 5 or plural in {"deployments", "nodes"}
        assert told[plural, True] == told[plural, False]


@pytest.mark.virtual_time
async def test_only_components_are_given_what_a_line_says():
    async with living(controllers=("-*",)) as cluster:  # of whom one would take it first
        maps = cluster.client.resource("v1", "configmaps", "default")
        since = (await maps.list()).revision
        given: dict[bool, list[bytes]] = {True: [], False: []}

        async def read(*, insider: bool) -> None:
            transport = asking(cluster, insider=insider).transport
            query = f"watch=1&resourceVersion={since}"
            async with transport.stream(Request("GET", "/api/v1/configmaps", query, {"accept": "application/json"})) as lines:
                async for line in lines:
                    given[insider].append(line)

        following = [asyncio.create_task(read(insider=insider)) for insider in (True, False)]
        await maps.create(
            {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "one", "namespace": "default"}, "data": {"a": "b"}}
        )
        await maps.patch("one", {"data": {"a": "c"}})
        await cluster.sleep(1)
        for task in following:
            task.cancel()
    assert given[True] == given[False]
    assert [type(line) for line in given[False]] == [bytes] * len(given[False])
    assert [type(line) for line in given[True]] == [ReadLine] * 2
