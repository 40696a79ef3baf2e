"""Nodes are given networks for their pods, each once."""

from ipaddress import ip_network

import pytest

from svcsim.client.paths import NODES
from svcsim.cluster.node_ranges import node_ranges
from svcsim.cluster.node_ranges_spec import NodeRangesSpec
from svcsim.meta.configuration_error import ConfigurationError
from svcsim.meta.objects import condition, condition_is
from svcsim.meta.types import Json, Object
from tests.living import Living, living, name, pod
from tests.virtual import START_S, run_virtual


def ranges(cluster_cidr: str, **more: Json) -> NodeRangesSpec:
    return NodeRangesSpec(cluster_cidr=tuple(ip_network(text) for text in cluster_cidr.split(",")), **more)


def node(node_name: str, **spec: Json) -> Object:
    return {"apiVersion": "v1", "kind": "Node", "metadata": {"name": node_name}, "spec": spec}


def is_ready_node(one: Object) -> bool:
    return condition_is(one, "Ready")


async def networks(cluster: Living) -> dict[str, list[str] | None]:
    return {name(one): one["spec"].get("podCIDRs") for one in await cluster.nodes.list_all()}


@pytest.mark.virtual_time
async def test_every_node_gets_one_whoever_made_it() -> None:
    async with living(nodes=2, node_ranges=ranges("10.9.0.0/16", mask_size=26)) as cluster:
        await cluster.nodes.create(node("theirs"))
        await cluster.nodes.create(node("chosen", podCIDR="10.9.0.192/26"))
        await cluster.nodes.create(node("elsewhere", podCIDR="172.16.0.0/24"))
        await cluster.nodes.create(node("last"))
        await cluster.sleep(1)
        assert await networks(cluster) == {
            "node-1": ["10.9.0.0/26"],
            "node-2": ["10.9.0.64/26"],
            "theirs": ["10.9.0.128/26"],
            "chosen": ["10.9.0.192/26"],
            "elsewhere": ["172.16.0.0/24"],
            "last": ["10.9.1.0/26"],
        }
        running = await cluster.run_pod(pod("web", nodeName="node-2"))
        assert running["status"]["podIP"] == "10.9.0.66"


@pytest.mark.virtual_time
async def test_two_families() -> None:
    async with living(nodes=2, node_ranges=ranges("10.9.0.0/16,fd00:9::/48")) as cluster:
        assert await networks(cluster) == {"node-1": ["10.9.0.0/24", "fd00:9::/64"], "node-2": ["10.9.1.0/24", "fd00:9:0:1::/64"]}
        running = await cluster.run_pod(pod("web", nodeName="node-2"))
        assert [one["ip"] for one in running["status"]["podIPs"]] == ["10.9.1.2", "fd00:9:0:1::2"]


@pytest.mark.virtual_time
async def test_where_nothing_is_left_a_node_is_not_ready_and_comes_again_when_another_goes() -> None:
    async with living(nodes=2, node_ranges=ranges("10.9.0.0/23")) as cluster:
        await cluster.client.request("POST", NODES, body={"add": {"names": ["node-3"]}})
        await cluster.sleep(6)
        assert [is_ready_node(one) for one in await cluster.nodes.list_all()] == [True, True, False], "and has never been ready"
        keeps_away = [{"key": "node.kubernetes.io/not-ready", "effect": "NoSchedule"}]
        assert [one for one in (await cluster.nodes.get("node-3"))["spec"]["taints"] if one["effect"] == "NoSchedule"] == keeps_away
        await cluster.sleep(39)
        without = next(name(one) for one in await cluster.nodes.list_all() if not one["spec"].get("podCIDRs"))
        told = [event for event in await cluster.events(without) if event["reason"] == "CIDRNotAvailable"]
        assert told[0]["message"] == f"Node {without} status is now: CIDRNotAvailable"
        ready = condition(await cluster.nodes.get(without), "Ready") or {}
        assert (ready["status"], ready["reason"]) == ("False", "KubeletNotReady")
        await cluster.pods.create(pod("waits", nodeName=without, tolerations=[{"operator": "Exists"}]))
        await cluster.sleep(30)
        waiting = await cluster.pods.get("waits")
        assert (waiting["status"]["phase"], waiting["status"].get("podIP")) == ("Pending", None)
        gone = next(one for one in ("node-1", "node-2", "node-3") if one != without)
        freed = (await cluster.nodes.get(gone))["spec"]["podCIDR"]
        await cluster.client.request("POST", NODES, body={"remove": [gone]})
        await cluster.sleep(15)
        found = await cluster.nodes.get(without)
        assert (found["spec"]["podCIDR"], condition_is(found, "Ready")) == (freed, True)
        assert (await cluster.pods.get("waits"))["status"]["phase"] == "Running"


def test_no_network_is_given_away_twice_across_restarts(tmp_path) -> None:
    async def first() -> None:
        async with living(data_dir=tmp_path, durability="process", nodes=3, node_ranges=ranges("10.9.0.0/21")) as cluster:
            await cluster.nodes.create(node("theirs"))
            await cluster.nodes.delete("node-2")
            await cluster.sleep(1)
            before.update(await networks(cluster))

    async def again() -> None:
        options = {"data_dir": tmp_path, "durability": "process", "start_s": START_S + 60, "node_ranges": ranges("10.9.0.0/21")}
        async with living(nodes=4, **options) as cluster:
            await cluster.nodes.create(node("more"))
            await cluster.sleep(1)
            after = await networks(cluster)
            assert {one: after[one] for one in before} == before
            given = [network for found in after.values() for network in found or ()]
            assert len(given) == len(dict.fromkeys(given)) == 6

    before: dict[str, list[str] | None] = {}
    run_virtual(first())
    run_virtual(again())


@pytest.mark.parametrize("spec", [{"node_ranges": NodeRangesSpec(allocate=False)}, {"controllers": ("*", "-nodeipam")}])
@pytest.mark.virtual_time
async def test_without_it_nodes_have_none_until_others_give_them_some(spec: dict[str, Json]) -> None:
    async with living(nodes=1, **spec) as cluster:
        assert await networks(cluster) == {"node-1": None}
        first = await cluster.run_pod(pod("first"))
        assert first["status"]["podIP"] == "10.224.0.2"
        await cluster.nodes.patch("node-1", {"spec": {"podCIDR": "10.50.0.0/24", "podCIDRs": ["10.50.0.0/24"]}})
        await cluster.sleep(1)
        assert (await cluster.run_pod(pod("second")))["status"]["podIP"] == "10.50.0.2"
        assert (await cluster.pods.get("first"))["status"]["podIP"] == "10.224.0.2"


@pytest.mark.parametrize(
    ("spec", "told"),
    [
        (ranges("10.0.0.0/8", mask_size=25), "more than 65536 networks"),
        (ranges("10.0.0.0/24", mask_size=16), "there is no network for a node"),
        (ranges("10.0.0.0/16", mask_size=64), "there is no network for a node"),
        (ranges("10.0.0.0/16,fd00::/48", mask_size=24), "--node-cidr-mask-size is for clusters of one IP family"),
        (ranges("10.9.0.0/23"), "10.9.0.0/23 has 2 networks of 24 bits, too few for 3 nodes"),
        (ranges("10.9.0.0/16,fd00:9::/63"), "fd00:9::/63 has 2 networks of 64 bits, too few for 3 nodes"),
        (ranges("10.96.0.0/14"), "10.96.0.0/14 overlaps 10.96.0.0/12, where services get their addresses"),
        (ranges("10.100.0.0/16"), "10.100.0.0/16 overlaps 10.96.0.0/12"),
    ],
)
def test_what_does_not_go_together_is_refused(spec: NodeRangesSpec, told: str) -> None:
    with pytest.raises(ConfigurationError, match=told):
        node_ranges(spec, 3, (ip_network("fd00:1::/108"), ip_network("10.96.0.0/12")))
