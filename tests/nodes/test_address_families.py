"""Nodes, and pods in their networks, have an address of each IP family of the cluster, those of the first family first."""

from ipaddress import ip_address, ip_network

import pytest

from svcsim.cluster.node_ranges_spec import NodeRangesSpec
from svcsim.cluster.settings import from_json
from svcsim.cluster.spec import ClusterSpec, settled
from svcsim.meta.networks import Network
from svcsim.meta.nodes import internal_address
from svcsim.meta.types import Object
from tests.controllers.running import Running, running

V4, V6 = ip_network("10.9.0.0/16"), ip_network("fd00:9::/48")
V4_SERVICES, V6_SERVICES = ip_network("10.96.0.0/16"), ip_network("fd00:10:96::/112")


def pod(**spec: object) -> Object:
    return {"metadata": {"name": "web"}, "spec": {"containers": [{"name": "main", "image": "nginx:1.29"}], **spec}}


async def addresses(run: Running, of: Object) -> tuple[list[str], list[str]]:
    """Of the node that a new pod is on, and of the pod."""
    await run.pods.create(of)
    found = (await run.until(lambda pods: bool((pods[0].get("status") or {}).get("podIP")), run.pods))[0]
    node = await run.client.resource("v1", "nodes").get(found["spec"]["nodeName"])
    told = [one["address"] for one in node["status"]["addresses"] if one["type"] == "InternalIP"]
    status = found["status"]
    assert [one["ip"] for one in status["hostIPs"]] == told
    assert (status["hostIP"], status["podIP"]) == (internal_address(node), status["podIPs"][0]["ip"])
    return told, [one["ip"] for one in status["podIPs"]]


@pytest.mark.virtual_time
@pytest.mark.parametrize(
    ("networks", "versions"),
    [((V4,), [4]), ((V6,), [6]), ((V4, V6), [4, 6]), ((V6, V4), [6, 4])],
)
async def test_a_node_has_one_of_each_family_of_the_cluster(networks: tuple[Network, ...], versions: list[int]):
    async with running(nodes=1, node_ranges=NodeRangesSpec(cluster_cidr=networks)) as run:
        of_node, of_pod = await addresses(run, pod())
    assert [6 if ":" in one else 4 for one in of_node] == versions
    assert [6 if ":" in one else 4 for one in of_pod] == versions
    assert not set(of_node) & set(of_pod)


@pytest.mark.virtual_time
@pytest.mark.parametrize(
    ("services", "versions"), [((V4_SERVICES, V6_SERVICES), [4, 6]), ((V6_SERVICES, V4_SERVICES), [6, 4]), ((V6_SERVICES,), [6])]
)
async def test_the_families_are_those_of_services_where_nobody_says_others(services: tuple[Network, ...], versions: list[int]):
    async with running(nodes=1, service_cluster_ip_range=services) as run:
        of_node, of_pod = await addresses(run, pod())
        node = await run.client.resource("v1", "nodes").get("node-1")
    assert [ip_address(one).version for one in of_node] == versions
    assert [ip_address(one).version for one in of_pod] == versions
    assert all(ip_address(one) in ip_network(of) for one, of in zip(of_pod, node["spec"]["podCIDRs"], strict=True))


def test_a_cluster_that_was_made_with_one_family_stays_so():
    kept = {"serviceClusterIPRange": f"{V4_SERVICES},{V6_SERVICES}", "nodeRanges": {"clusterCIDR": "10.224.0.0/11"}}
    assert settled(from_json(ClusterSpec, kept)).node_ranges.cluster_cidr == (ip_network("10.224.0.0/11"),)


@pytest.mark.virtual_time
async def test_a_pod_in_its_nodes_network_has_those_of_the_node():
    async with running(nodes=1, node_ranges=NodeRangesSpec(cluster_cidr=(V6, V4))) as run:
        of_node, of_pod = await addresses(run, pod(hostNetwork=True))
    assert of_pod == of_node
    assert len(of_node) == 2
