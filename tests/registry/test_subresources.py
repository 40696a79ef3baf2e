"""Writes through sub-resources: each changes its own part and nothing else."""

import pytest

from svcsim.cluster.cluster import Cluster
from svcsim.meta.errors import StatusError
from svcsim.meta.types import Object
from tests.living import pod
from tests.registry.asking import asking
from tests.virtual import run_virtual

WEB: Object = {
    "apiVersion": "apps/v1",
    "kind": "Deployment",
    "metadata": {"name": "web"},
    "spec": {
        "replicas": 1,
        "selector": {"matchLabels": {"a": "b"}},
        "template": {"metadata": {"labels": {"a": "b"}}, "spec": {"containers": [{"name": "c", "image": "i"}]}},
    },
}


def pods_of(cluster: Cluster):
    return cluster.client("test").resource("v1", "pods", "default")


def test_a_binding_puts_a_pod_on_a_node_once():
    async def main():
        async with asking() as asked:
            pods = pods_of(asked.cluster)
            await pods.create(pod("p", schedulerName="nobody"))
            binding = {"apiVersion": "v1", "kind": "Binding", "metadata": {"name": "p"}, "target": {"kind": "Node", "name": "n1"}}
            told = await pods.create_subresource("p", "binding", binding)
            assert (told["kind"], told["status"]) == ("Status", "Success")
            bound = await pods.get("p")
            assert bound["spec"]["nodeName"] == "n1"
            assert [(c["type"], c["status"]) for c in bound["status"]["conditions"]] == [("PodScheduled", "True")]
            assert bound["metadata"]["generation"] == 1, "where a pod is put is no new generation"
            with pytest.raises(StatusError, match='pod p is already assigned to node "n1"') as refused:
                await pods.create_subresource("p", "binding", binding)
            assert refused.value.code == 409

    run_virtual(main())


def test_scale_shows_and_changes_the_number_of_replicas():
    async def main():
        async with asking() as asked:
            deployments = asked.cluster.client("test").resource("apps/v1", "deployments", "default")
            created = await deployments.create(WEB)
            scale = await deployments.get("web", "scale")
            assert (scale["kind"], scale["apiVersion"], scale["spec"]) == ("Scale", "autoscaling/v1", {"replicas": 1})
            assert scale["status"]["selector"] == "a=b"
            scale["spec"]["replicas"] = 3
            assert (await deployments.update(scale, "scale"))["spec"] == {"replicas": 3}
            patched = await deployments.patch("web", {"spec": {"replicas": 4}}, subresource="scale")
            assert patched["kind"] == "Scale"
            now = await deployments.get("web")
            assert now["spec"] == {**created["spec"], "replicas": 4}
            assert now["metadata"]["generation"] == 3
            with pytest.raises(StatusError, match=r"spec\.replicas"):
                await deployments.patch("web", {"spec": {"replicas": -1}}, subresource="scale")
            stale = {**scale, "metadata": {**scale["metadata"], "resourceVersion": created["metadata"]["resourceVersion"]}}
            with pytest.raises(StatusError, match="the object has been modified"):
                await deployments.update(stale, "scale")

    run_virtual(main())


def test_status_changes_nothing_but_status_and_the_object_nothing_of_it():
    async def main():
        async with asking() as asked:
            pods = pods_of(asked.cluster)
            await pods.create(pod("p", schedulerName="nobody"))
            obj = await pods.get("p")
            obj["status"]["message"] = "told"
            obj["spec"]["containers"][0]["image"] = "other"
            obj["metadata"]["labels"] = {"a": "b"}
            told = await pods.update(obj, "status")
            assert told["status"]["message"] == "told"
            assert told["spec"]["containers"][0]["image"] == "nginx:1.29"
            assert "labels" not in told["metadata"]
            assert told["metadata"]["generation"] == 1
            told["status"]["message"] = "ignored"
            told["spec"]["containers"][0]["image"] = "other"
            changed = await pods.update(told)
            assert changed["status"]["message"] == "told"
            assert changed["spec"]["containers"][0]["image"] == "other"

    run_virtual(main())


def test_each_way_in_is_an_owner_of_its_own():
    async def main():
        async with asking() as asked:
            pods = pods_of(asked.cluster)
            await pods.create(pod("p", schedulerName="nobody"))
            await pods.patch("p", {"status": {"message": "m"}}, subresource="status", field_manager="one")
            await pods.patch("p", {"metadata": {"labels": {"a": "b"}}}, field_manager="one")
            owners = [(e["manager"], e.get("subresource", "")) for e in (await pods.get("p"))["metadata"]["managedFields"]]
            assert sorted(owners) == [("one", ""), ("one", "status"), ("test", "")]

    run_virtual(main())


def test_a_namespace_goes_once_its_own_finalizers_are_off():
    async def main():
        async with asking() as asked:
            namespaces = asked.cluster.client("test").resource("v1", "namespaces")
            created = await namespaces.create({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "n"}})
            assert created["spec"]["finalizers"] == [asked.cluster.dialect.namespace_finalizer]
            created["spec"]["finalizers"] = []
            finalized = await namespaces.update(created, "finalize")
            assert not finalized["spec"].get("finalizers")
            await namespaces.delete("n")
            with pytest.raises(StatusError, match="not found"):
                await namespaces.get("n")

    run_virtual(main())


def test_an_eviction_deletes_the_pod_as_it_says():
    async def main():
        async with asking() as asked:
            pods = pods_of(asked.cluster)
            await pods.create(pod("p", nodeName="elsewhere", terminationGracePeriodSeconds=40))
            eviction = {"apiVersion": "policy/v1", "kind": "Eviction", "metadata": {"name": "p"}}
            dry = {**eviction, "deleteOptions": {"dryRun": ["All"]}}
            assert (await pods.create_subresource("p", "eviction", dry))["status"] == "Success"
            assert "deletionTimestamp" not in (await pods.get("p"))["metadata"]
            await pods.create_subresource("p", "eviction", eviction)
            assert (await pods.get("p"))["metadata"]["deletionGracePeriodSeconds"] == 40
            await pods.create_subresource("p", "eviction", {**eviction, "deleteOptions": {"gracePeriodSeconds": 0}})
            with pytest.raises(StatusError, match="not found"):
                await pods.create_subresource("p", "eviction", eviction)

    run_virtual(main())


def test_an_eviction_is_of_the_pod_it_is_sent_to():
    async def main():
        async with asking() as asked:
            pods = pods_of(asked.cluster)
            await pods.create(pod("p", schedulerName="nobody"))
            other = {"apiVersion": "policy/v1", "kind": "Eviction", "metadata": {"name": "q"}}
            with pytest.raises(StatusError, match="name in URL does not match name in Eviction object"):
                await pods.create_subresource("p", "eviction", other)
            stale = {"apiVersion": "policy/v1", "kind": "Eviction", "deleteOptions": {"preconditions": {"uid": "other"}}}
            with pytest.raises(StatusError, match="Precondition failed"):
                await pods.create_subresource("p", "eviction", stale)

    run_virtual(main())
