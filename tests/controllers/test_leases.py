"""Leases whose holders are gone."""

import pytest

from svcsim.clock import format_micro_time
from svcsim.meta.types import Object
from tests.living import Living, living, name
from tests.virtual import START_S


def lease(lease_name: str, labels: dict[str, str] | None = None, **spec: object) -> Object:
    metadata = {"name": lease_name, "labels": labels or {}}
    return {"apiVersion": "coordination.k8s.io/v1", "kind": "Lease", "metadata": metadata, "spec": {"holderIdentity": "x", **spec}}


IDENTITY = {"apiserver.kubernetes.io/identity": "kube-apiserver"}


async def left(cluster: Living, namespace: str) -> list[str]:
    return [name(one) for one in await cluster.client.resource("coordination.k8s.io/v1", "leases", namespace).list_all()]


@pytest.mark.virtual_time
async def test_those_of_api_servers_go_when_they_have_expired() -> None:
    async with living(nodes=0) as cluster:
        leases = cluster.client.resource("coordination.k8s.io/v1", "leases", "kube-system")
        fresh = {"renewTime": format_micro_time(START_S), "leaseDurationSeconds": 3600}
        await leases.create(lease("apiserver-dead", IDENTITY, **fresh))
        await leases.create(lease("apiserver-alive", IDENTITY, **fresh))
        await leases.create(lease("apiserver-broken", IDENTITY, renewTime=format_micro_time(START_S)))
        await leases.create(lease("kube-scheduler", **fresh))
        await leases.create(lease("apiserver-other", {"apiserver.kubernetes.io/identity": "my-aggregated-server"}, **fresh))
        await cluster.client.resource("coordination.k8s.io/v1", "leases", "default").create(lease("elsewhere", IDENTITY, **fresh))
        await cluster.sleep(1)
        assert await left(cluster, "kube-system") == ["apiserver-alive", "apiserver-dead", "apiserver-other", "kube-scheduler"]
        await cluster.sleep(3000)
        await leases.patch("apiserver-alive", {"spec": {"renewTime": format_micro_time(START_S + 3000)}})
        await cluster.sleep(700)
        assert await left(cluster, "kube-system") == ["apiserver-alive", "apiserver-other", "kube-scheduler"]
        await cluster.sleep(3000)
        assert await left(cluster, "kube-system") == ["apiserver-other", "kube-scheduler"]
        assert await left(cluster, "default") == ["elsewhere"]


@pytest.mark.virtual_time
async def test_those_of_nodes_go_with_their_nodes() -> None:
    async with living(nodes=2) as cluster:
        await cluster.nodes.create({"apiVersion": "v1", "kind": "Node", "metadata": {"name": "theirs"}})
        owner = {"apiVersion": "v1", "kind": "Node", "name": "theirs", "uid": (await cluster.nodes.get("theirs"))["metadata"]["uid"]}
        owned = lease("theirs")
        owned["metadata"]["ownerReferences"] = [owner]
        await cluster.client.resource("coordination.k8s.io/v1", "leases", "kube-node-lease").create(owned)
        assert await left(cluster, "kube-node-lease") == ["node-1", "node-2", "theirs"]
        await cluster.nodes.delete("theirs")
        await cluster.sleep(5)
        assert await left(cluster, "kube-node-lease") == ["node-1", "node-2"]
