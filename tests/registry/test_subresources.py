"""Writes through subresources: each changes its own part and nothing else."""

import pytest

from svcsim.apply.fieldset import paths
from svcsim.cluster.cluster import Cluster
from svcsim.meta.errors import StatusError
from svcsim.meta.types import GroupVersion, Object
from svcsim.registry.options import Caller, Target, WriteOptions
from tests.living import pod
from tests.registry.asking import ADMIN, asking, shown

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


@pytest.mark.virtual_time
async def test_a_binding_puts_a_pod_on_a_node_once():
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


@pytest.mark.virtual_time
async def test_scale_shows_and_changes_the_number_of_replicas():
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


@pytest.mark.virtual_time
async def test_status_changes_nothing_but_status_and_the_object_nothing_of_it():
    async with asking() as asked:
        pods = pods_of(asked.cluster)
        await pods.create(pod("p", schedulerName="nobody"))
        obj = await pods.get("p")
        obj["status"]["message"] = "told"
        obj["spec"]["containers"][0]["image"] = "other"
        obj["metadata"]["labels"] = {"a": "b"}
        obj["metadata"]["ownerReferences"] = [{"apiVersion": "v1", "kind": "Pod", "name": "q", "uid": "u"}]
        told = await pods.update(obj, "status")
        assert told["status"]["message"] == "told"
        assert told["spec"]["containers"][0]["image"] == "nginx:1.29"
        assert told["metadata"]["labels"] == {"a": "b"}, "a pod's status writes labels and annotations"
        assert "ownerReferences" not in told["metadata"], "but not its owners"
        assert told["metadata"]["generation"] == 1
        told["status"]["message"] = "ignored"
        told["spec"]["containers"][0]["image"] = "other"
        changed = await pods.update(told)
        assert changed["status"]["message"] == "told"
        assert changed["spec"]["containers"][0]["image"] == "other"


@pytest.mark.virtual_time
async def test_each_way_in_is_an_owner_of_its_own():
    async with asking() as asked:
        pods = pods_of(asked.cluster)
        await pods.create(pod("p", schedulerName="nobody"))
        await pods.patch("p", {"status": {"message": "m"}}, subresource="status", field_manager="one")
        await pods.patch("p", {"metadata": {"labels": {"a": "b"}}}, field_manager="one")
        owners = [(e["manager"], e.get("subresource", "")) for e in (await pods.get("p"))["metadata"]["managedFields"]]
        assert sorted(owners) == [("one", ""), ("one", "status"), ("test", "")]


@pytest.mark.virtual_time
async def test_a_namespace_goes_once_its_own_finalizers_are_off():
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


@pytest.mark.virtual_time
async def test_an_eviction_deletes_the_pod_as_it_says():
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


@pytest.mark.virtual_time
async def test_an_eviction_is_of_the_pod_it_is_sent_to():
    async with asking() as asked:
        pods = pods_of(asked.cluster)
        await pods.create(pod("p", schedulerName="nobody"))
        other = {"apiVersion": "policy/v1", "kind": "Eviction", "metadata": {"name": "q"}}
        with pytest.raises(StatusError, match="name in URL does not match name in Eviction object"):
            await pods.create_subresource("p", "eviction", other)
        stale = {"apiVersion": "policy/v1", "kind": "Eviction", "deleteOptions": {"preconditions": {"uid": "other"}}}
        with pytest.raises(StatusError, match=r"UID in the precondition .* does not match"):
            await pods.create_subresource("p", "eviction", stale)


def owned(obj: Object, manager: str) -> list[str]:
    """What a manager owns, as paths."""
    entries = [e for e in obj["metadata"].get("managedFields") or () if e["manager"] == manager]
    return [".".join(element.removeprefix("f:") for element in path) for e in entries for path in paths(e["fieldsV1"])]


async def applied(cluster: Cluster, config: Object, plural: str, manager: str, subresource: str = "", *, force: bool = False) -> Object:
    """A configuration brought into the object of that name, in the namespace ``default`` if its kind is namespaced."""
    resource = cluster.registry.core.scheme.find(GroupVersion.parse(config["apiVersion"]), plural)
    assert resource is not None
    namespace = "default" if resource.kind.namespaced else ""
    target = Target(resource, namespace, config["metadata"]["name"], resource.windows[subresource] if subresource else None)
    record, _ = await cluster.registry.apply(target, config, Caller(ADMIN, manager), WriteOptions("PatchOptions", force=force))
    return shown(record)


KEPT = [
    # kind, what of the metadata its status writes, what it doesn't
    ("v1", "pods", ("labels", "annotations", "finalizers"), ("ownerReferences",)),
    ("apps/v1", "deployments", ("annotations", "finalizers", "ownerReferences"), ("labels",)),
    ("apps/v1", "replicasets", ("labels", "annotations", "finalizers", "ownerReferences"), ()),
    ("v1", "services", ("labels", "annotations", "finalizers", "ownerReferences"), ()),
    ("v1", "nodes", ("labels", "annotations", "finalizers", "ownerReferences"), ()),
    ("v1", "persistentvolumeclaims", ("labels", "annotations", "finalizers", "ownerReferences"), ()),
    ("autoscaling/v2", "horizontalpodautoscalers", ("labels", "annotations", "finalizers", "ownerReferences"), ()),
    ("autoscaling/v1", "horizontalpodautoscalers", ("labels", "annotations", "finalizers", "ownerReferences"), ()),
]
METADATA: Object = {
    "labels": {"l": "1"},
    "annotations": {"a": "1"},
    "finalizers": ["example.com/hold"],
    "ownerReferences": [{"apiVersion": "v1", "kind": "Pod", "name": "q", "uid": "u"}],
}
SPECS: dict[str, Object] = {
    "pods": {"containers": [{"name": "c", "image": "i"}], "schedulerName": "nobody"},
    "deployments": {**WEB["spec"], "paused": True, "replicas": 0},
    "replicasets": {**WEB["spec"], "replicas": 0},
    "services": {"ports": [{"port": 80}]},
    "nodes": {"podCIDR": "10.0.0.0/24"},
    "persistentvolumeclaims": {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}},
    "horizontalpodautoscalers": {"maxReplicas": 3, "scaleTargetRef": {"kind": "Deployment", "name": "x"}},
}


@pytest.mark.virtual_time
@pytest.mark.parametrize(("api_version", "plural", "written", "kept"), KEPT, ids=[f"{row[0]} {row[1]}" for row in KEPT])
@pytest.mark.parametrize("way", ["update", "patch", "apply"])
async def test_a_status_writes_of_the_metadata_what_its_kind_lets_it_and_nobody_owns_the_rest(
    api_version: str, plural: str, written: tuple[str, ...], kept: tuple[str, ...], way: str
):
    async with asking() as asked:
        things = asked.cluster.client("test").resource(api_version, plural, "" if plural == "nodes" else "default")
        made = await things.create({"metadata": {"name": "t"}, "spec": SPECS[plural]})
        change = {"metadata": METADATA, "spec": {"changed": "no"}, "status": {}}
        if way == "update":
            after = await things.update({**made, **change, "metadata": {**made["metadata"], **METADATA}}, "status")
        elif way == "patch":
            after = await things.patch("t", {"metadata": METADATA}, subresource="status", field_manager="one")
        else:
            config = {"apiVersion": api_version, "kind": made["kind"], "metadata": {"name": "t", **METADATA}, "spec": SPECS[plural]}
            after = await applied(asked.cluster, config, plural, "one", "status")
        metadata = dict(after["metadata"])
        if plural == "persistentvolumeclaims":  # every claim has one of the cluster's own
            metadata["finalizers"] = [name for name in metadata["finalizers"] if not name.endswith("/pvc-protection")]
        assert {name: metadata.get(name) for name in written} == {name: METADATA[name] for name in written}
        assert {name: metadata.get(name) for name in kept} == {name: made["metadata"].get(name) for name in kept}
        assert after["spec"] == made["spec"]
        if way != "update":
            tops = {".".join(path.split(".")[:2]) for path in owned(after, "one")}
            assert tops == {f"metadata.{name}" for name in written} | ({"metadata"} & tops)


@pytest.mark.virtual_time
async def test_through_the_object_nobody_comes_to_own_status():
    async with asking() as asked:
        config = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p"}, "status": {"message": "mine"}}
        config["spec"] = {"containers": [{"name": "c", "image": "i"}], "schedulerName": "nobody"}
        created = await applied(asked.cluster, config, "pods", "one")
        again = await applied(asked.cluster, config, "pods", "one")
        for obj in (created, again):
            assert "message" not in obj["status"]
            assert not any(path.startswith("status") for path in owned(obj, "one"))


@pytest.mark.virtual_time
async def test_what_is_applied_to_ephemeral_containers_or_resources_is_that_alone():
    async with asking() as asked:
        pods = pods_of(asked.cluster)
        resources = {"requests": {"cpu": "1"}}
        await pods.create(pod("p", schedulerName="nobody", containers=[{"name": "c", "image": "i", "resources": resources}]))
        config = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p", "labels": {"a": "b"}}}
        debug = {"containers": [{"name": "c", "image": "other"}], "ephemeralContainers": [{"name": "debug", "image": "busybox"}]}
        after = await applied(asked.cluster, {**config, "spec": debug}, "pods", "debugger", "ephemeralcontainers")
        assert [c["name"] for c in after["spec"]["ephemeralContainers"]] == ["debug"]
        assert after["spec"]["containers"][0]["image"] == "i"
        assert "labels" not in after["metadata"]
        assert all(path.startswith("spec.ephemeralContainers") for path in owned(after, "debugger"))
        larger = {"containers": [{"name": "c", "resources": {"requests": {"cpu": "2"}}}]}
        after = await applied(asked.cluster, {**config, "spec": larger}, "pods", "sizer", "resize", force=True)
        assert after["spec"]["containers"][0]["resources"] == {"requests": {"cpu": "2"}}
        assert owned(after, "sizer") == ['spec.containers.k:{"name":"c"}.resources.requests.cpu']


@pytest.mark.virtual_time
async def test_a_resize_writes_resources_alone_and_refuses_other_containers():
    async with asking() as asked:
        pods = pods_of(asked.cluster)
        containers = [{"name": name, "image": "i", "resources": {"requests": {"cpu": "1"}}} for name in ("a", "b")]
        made = await pods.create(pod("p", schedulerName="nobody", containers=containers))
        larger = [{"name": name, "image": "other", "resources": {"requests": {"cpu": "2"}}} for name in ("a", "b")]
        after = await pods.patch("p", {"spec": {"containers": larger, "hostname": "h"}}, subresource="resize", field_manager="one")
        assert [c["resources"] for c in after["spec"]["containers"]] == [{"requests": {"cpu": "2"}}] * 2
        assert [c["image"] for c in after["spec"]["containers"]] == ["i", "i"]
        assert "hostname" not in after["spec"]
        assert owned(after, "one") == [f'spec.containers.k:{{"name":"{name}"}}.resources.requests.cpu' for name in ("a", "b")]
        extra = [*made["spec"]["containers"], {"name": "c", "image": "i"}]
        for others in (larger[:1], larger[::-1], extra, [{**larger[0], "name": "z"}, larger[1]]):
            with pytest.raises(StatusError, match="only cpu and memory resources are mutable") as refused:
                await pods.patch("p", {"spec": {"containers": others}}, subresource="resize")
            assert refused.value.code == 422


@pytest.mark.virtual_time
@pytest.mark.parametrize(
    ("body", "code", "message"),
    [
        ({}, 422, "target.name: Required value"),
        ({"target": {"kind": "Pod", "name": "n"}}, 422, "target.kind: Unsupported value"),
        (
            {"metadata": {"name": "q"}, "target": {"name": "n"}},
            400,
            r"the name of the object \(q\) does not match the name on the URL \(p\)",
        ),
    ],
)
async def test_a_binding_that_says_too_little_or_something_else_is_refused(body: Object, code: int, message: str):
    async with asking() as asked:
        pods = pods_of(asked.cluster)
        await pods.create(pod("p", schedulerName="nobody"))
        with pytest.raises(StatusError, match=message) as refused:
            await pods.create_subresource("p", "binding", {"apiVersion": "v1", "kind": "Binding", **body})
        assert refused.value.code == code
