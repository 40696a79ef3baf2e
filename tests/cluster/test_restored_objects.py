"""What a cluster can't be without is there again whenever somebody has deleted it."""

from dataclasses import replace

import pytest

from svcsim.cluster.cluster import Cluster, open_cluster
from svcsim.cluster.spec import ClusterSpec
from svcsim.meta.errors import StatusError
from svcsim.meta.objects import uid_of
from svcsim.meta.pods import condition
from svcsim.meta.types import Object
from tests.virtual import START_S, run_virtual

WITH_NODES = replace(ClusterSpec(dialect="kubernetes", seed=1, start_s=START_S), nodes=2)


async def of_service(cluster: Cluster) -> list[Object]:
    """The Service by which pods find the API server, and what leads on from it."""
    client = cluster.client("test")
    ways = (("v1", "services"), ("v1", "endpoints"), ("discovery.k8s.io/v1", "endpointslices"))
    return [await client.resource(api_version, plural, "default").get("kubernetes") for api_version, plural in ways]


def test_the_service_of_the_api_server_comes_back_with_its_address():
    async def scenario():
        async with open_cluster(WITH_NODES) as cluster:
            client = cluster.client("test")
            await cluster.clock.sleep(10)
            before = await of_service(cluster)
            for one, plural in zip(before, ("services", "endpoints", "endpointslices"), strict=True):
                await client.resource(one["apiVersion"], plural, "default").delete("kubernetes")
            await cluster.clock.sleep(5)
            after = await of_service(cluster)
            assert not {uid_of(one) for one in before} & {uid_of(one) for one in after}
            assert [one["spec"]["clusterIP"] for one in (before[0], after[0])] == ["10.96.0.1"] * 2
            assert after[1]["subsets"] == before[1]["subsets"]
            assert after[2]["endpoints"] == before[2]["endpoints"]

    run_virtual(scenario())


def test_nodes_stay_ready_though_the_namespace_of_their_leases_is_deleted():
    async def scenario():
        async with open_cluster(WITH_NODES) as cluster:
            client = cluster.client("test")
            await cluster.clock.sleep(30)
            namespaces = client.resource("v1", "namespaces")
            before = await namespaces.get("kube-node-lease")
            await namespaces.delete("kube-node-lease")
            for _ in range(30):
                await cluster.clock.sleep(10)
                for node in await client.resource("v1", "nodes").list_all():
                    ready = condition(node, "Ready")
                    assert ready is not None
                    assert ready["status"] == "True"
            assert uid_of(await namespaces.get("kube-node-lease")) != uid_of(before)
            leases = await client.resource("coordination.k8s.io/v1", "leases", "kube-node-lease").list_all()
            assert {lease["metadata"]["name"] for lease in leases} == {"node-1", "node-2"}

    run_virtual(scenario())


def test_shares_of_the_server_come_back_and_other_deletions_are_meant():
    async def scenario():
        async with open_cluster(WITH_NODES) as cluster:
            client = cluster.client("test")
            await cluster.clock.sleep(10)
            schemas = client.resource("flowcontrol.apiserver.k8s.io/v1", "flowschemas")
            classes = client.resource("storage.k8s.io/v1", "storageclasses")
            await schemas.delete("service-accounts")
            for one in await classes.list_all():
                await classes.delete(one["metadata"]["name"])
            await client.resource("v1", "services", "kube-system").create(
                {"apiVersion": "v1", "kind": "Service", "metadata": {"name": "kubernetes"}, "spec": {"ports": [{"port": 80}]}}
            )
            await client.resource("v1", "services", "kube-system").delete("kubernetes")
            await cluster.clock.sleep(120)
            assert (await schemas.get("service-accounts"))["status"]["conditions"]
            assert not await classes.list_all()
            with pytest.raises(StatusError, match="not found"):
                await client.resource("v1", "services", "kube-system").get("kubernetes")

    run_virtual(scenario())
