"""What the Node authorizer keeps of pods: names by node, and what they refer to for the nodes that have asked."""

import asyncio

import pytest

from svcsim import limits
from svcsim.auth.attributes import Attributes
from svcsim.auth.authorization import Verdict
from svcsim.auth.node_authorizer.authorizer import NodeAuthorizer
from svcsim.auth.premise import ALWAYS
from svcsim.client.api import Client
from svcsim.cluster.cluster import Cluster, open_cluster
from svcsim.cluster.default_roles.objects import rules_of_nodes
from svcsim.cluster.spec import ClusterSpec
from svcsim.meta.types import Object, User
from tests.virtual import START_S

pytestmark = pytest.mark.virtual_time


def spec() -> ClusterSpec:
    return ClusterSpec(dialect="kubernetes", seed=1, nodes=0, start_s=START_S)


def authorizer(cluster: Cluster) -> NodeAuthorizer:
    return NodeAuthorizer(cluster.store, cluster.dialect, rules_of_nodes(cluster.dialect))


async def may_read(asked: NodeAuthorizer, node: str, secret: str) -> bool:
    attributes = Attributes(User(f"system:node:{node}", ("system:nodes",)), "get", "", "v1", "secrets", "", "default", secret)
    return (await asked.authorize(attributes)).verdict is Verdict.ALLOW


def pod(name: str, node: str, secret: str) -> Object:
    container = {"name": "main", "image": "nginx"}
    volumes = [{"name": "v", "secret": {"secretName": secret}}]
    return {"metadata": {"name": name}, "spec": {"nodeName": node, "containers": [container], "volumes": volumes}}


async def create(client: Client, *pods: Object) -> None:
    collection = client.resource("v1", "pods", "default")
    await asyncio.gather(*(collection.create({"apiVersion": "v1", "kind": "Pod", **each}) for each in pods))


async def test_pods_from_before_it_asked_count_and_those_that_come_later():
    async with open_cluster(spec()) as cluster:
        client = cluster.client("test")
        early, late = authorizer(cluster), authorizer(cluster)
        assert not await may_read(early, "a", "s1")
        await create(client, pod("p1", "a", "s1"), pod("p2", "a", "s1"), pod("p3", "b", "s3"))
        for asked in (early, late):
            assert await may_read(asked, "a", "s1")
            assert not await may_read(asked, "b", "s1")
            assert not await may_read(asked, "a", "s3")
        pods = client.resource("v1", "pods", "default")
        await pods.delete("p1", grace_period_s=0)
        assert await may_read(early, "a", "s1"), "the other still needs it"
        await pods.delete("p2", grace_period_s=0)
        await create(client, pod("p2", "b", "s2"))
        for asked in (early, late):
            assert not await may_read(asked, "a", "s1")
            assert await may_read(asked, "b", "s2")
            assert not await may_read(asked, "a", "s2"), "it is another pod of that name, on another node"


async def test_pods_that_come_while_it_reads_count(monkeypatch: pytest.MonkeyPatch):
    """Reading gives others their turns, and what they write meanwhile is newer than what is read."""
    monkeypatch.setattr(limits, "PODS_OF_A_NODE_A_TURN", 1)
    async with open_cluster(spec()) as cluster:
        client = cluster.client("test")
        await create(client, *(pod(f"p{number}", "a", f"s{number}") for number in range(20)))
        asked = authorizer(cluster)
        pods = client.resource("v1", "pods", "default")
        first, *_ = await asyncio.gather(
            may_read(asked, "a", "s3"), create(client, pod("new", "a", "fresh")), pods.delete("p19", grace_period_s=0)
        )
        assert first
        assert [await may_read(asked, "a", secret) for secret in ("fresh", "s18", "s19")] == [True, True, False]


async def test_whoever_is_dropped_is_read_again(monkeypatch: pytest.MonkeyPatch):
    """What is kept is bounded, and a node that asks after others have asked gets the same answer."""
    monkeypatch.setattr(limits, "NODES_WHOSE_NEEDS_ARE_KNOWN", 1)
    async with open_cluster(spec()) as cluster:
        await create(cluster.client("test"), *(pod(f"p{node}", node, f"s{node}") for node in "abc"))
        asked = authorizer(cluster)
        for _ in range(2):
            for node in "abc":
                assert await may_read(asked, node, f"s{node}")
                assert not await may_read(asked, node, "sx")


async def test_a_mirror_pod_gives_a_node_nothing_but_itself():
    """Nodes create those themselves: nothing they write there may open anything for them."""
    async with open_cluster(spec()) as cluster:
        client = cluster.client("test")
        await client.resource("v1", "nodes").create({"apiVersion": "v1", "kind": "Node", "metadata": {"name": "a"}})
        mirror = pod("m", "a", "s1")
        mirror["spec"].pop("volumes")
        mirror["spec"]["automountServiceAccountToken"] = False
        mirror["metadata"]["annotations"] = {cluster.dialect.key("config.mirror"): "x"}
        await create(client, mirror)
        asked = authorizer(cluster)
        user = User("system:node:a", ("system:nodes",))
        account = Attributes(user, "create", "", "v1", "serviceaccounts", "token", "default", "default")
        assert (await asked.authorize(account)).verdict is Verdict.NO_OPINION
        itself = Attributes(user, "get", "", "v1", "pods", "", "default", "m")
        assert (await asked.authorize(itself)).verdict is Verdict.ALLOW


async def test_what_all_nodes_may_is_decided_for_good_and_what_depends_on_pods_is_not():
    async with open_cluster(spec()) as cluster:
        user, asked = User("system:node:node-1", ("system:nodes",)), authorizer(cluster)
        await create(cluster.client("test"), pod("one", "node-1", "password"))
        reports = await asked.authorize(Attributes(user, "create", "", "v1", "events", "", "default"))
        beats = await asked.authorize(Attributes(user, "patch", "", "v1", "nodes", "status", "", "node-1"))
        reads = await asked.authorize(Attributes(user, "get", "", "v1", "secrets", "", "default", "password"))
        assert (beats.verdict, beats.premise) == (Verdict.ALLOW, ALWAYS)
        assert (reports.verdict, reports.premise) == (Verdict.ALLOW, ALWAYS)
        assert (reads.verdict, reads.premise) == (Verdict.ALLOW, None)
