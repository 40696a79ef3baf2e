"""Pods go where their volumes are, or are made where the pods go."""

import pytest

from svcsim.meta.simulated_disks import DRIVER, FAIL_ANNOTATION, FAILS
from svcsim.meta.types import Object
from tests.controllers.running import Running, running
from tests.controllers.volumes import Storage, at, claim, named, on, storage_class, user_of, volume

SELECTED_NODE = "volume.kubernetes.io/selected-node"
HELPLESS = "no new claims to deallocate, preemption: 0/3 nodes are available: 3 Preemption is not helpful for scheduling."


def said(pod: Object) -> str:
    """Why a pod can't be placed."""
    (found,) = [one for one in pod["status"]["conditions"] if one["type"] == "PodScheduled"]
    message: str = found.get("message") or ""
    return message


async def unplaced(s: Storage, name: str = "user") -> str:
    items = await s.r.until(lambda items: any(named(one) == name and one["status"].get("conditions") for one in items), s.r.pods)
    return said(next(one for one in items if named(one) == name))


async def node_of(s: Storage, name: str = "user") -> str:
    found: str = (await s.running(name))["spec"]["nodeName"]
    return found


async def chosen(s: Storage) -> str:
    """The node for which a volume is to be made for the only claim."""
    (found,) = await s.r.until(lambda items: SELECTED_NODE in str(items[0]["metadata"]), s.claims)
    node: str = found["metadata"]["annotations"][SELECTED_NODE]
    return node


def in_class(storage_class: str, name: str = "data", **spec: object) -> Object:
    return claim(name, storageClassName=storage_class, **spec)


@pytest.mark.virtual_time
async def test_a_volume_is_made_where_the_first_pod_goes():
    async with running() as r:
        s = Storage(r)
        await s.claims.create(claim())
        await r.clock.sleep(10)
        assert at(await s.claims.get("data")) == "Pending"
        await r.pods.create(user_of("data"))
        node = await node_of(s)
        bound = await s.bound()
        assert bound["metadata"]["annotations"][SELECTED_NODE] == node
        zone = (await s.nodes.get(node))["metadata"]["labels"]["topology.kubernetes.io/zone"]
        disk = await s.volumes.get(bound["spec"]["volumeName"])
        assert disk["spec"]["nodeAffinity"] == on(zone)
        reasons = await s.reasons("user")
        assert reasons[:2] == ["Scheduled", "SuccessfulAttachVolume"]
        assert "FailedScheduling" not in reasons


@pytest.mark.virtual_time
async def test_the_pod_waits_for_the_volume_before_it_is_bound():
    async with running() as r:
        s = Storage(r)
        await s.classes.create(storage_class("slow", volumeBindingMode="WaitForFirstConsumer", parameters={"svcsim.dev/seconds": "30"}))
        await s.claims.create(in_class("slow"))
        await r.pods.create(user_of("data"))
        await r.clock.sleep(29)
        assert "nodeName" not in (await r.pods.get("user"))["spec"]
        await s.running()


@pytest.mark.virtual_time
async def test_pods_of_many_claims_are_placed_with_all_of_them():
    async with running() as r:
        s = Storage(r)
        for name in ("a", "b", "c"):
            await s.claims.create(claim(name))
        pod = user_of("a")
        pod["spec"]["volumes"] += [{"name": name, "persistentVolumeClaim": {"claimName": name}} for name in ("b", "c")]
        await r.pods.create(pod)
        await s.running()
        zones = {str((await s.volumes.get(one["spec"]["volumeName"]))["spec"]["nodeAffinity"]) for one in (await s.claims.list()).items}
        assert len(zones) == 1


@pytest.mark.virtual_time
async def test_a_pod_goes_where_its_volume_is():
    async with running() as r:
        s = Storage(r)
        await s.volumes.create(volume(nodeAffinity=on("sim-1b"), storageClassName="fixed"))
        await s.claims.create(in_class("fixed"))
        await s.bound()
        for number in range(3):
            await r.pods.create(user_of("data", f"user-{number}"))
            assert await node_of(s, f"user-{number}") == "node-2"


@pytest.mark.virtual_time
async def test_a_volume_that_is_nowhere_near_keeps_the_pod_waiting():
    async with running() as r:
        s = Storage(r)
        await s.volumes.create(volume(nodeAffinity=on("moon"), storageClassName="fixed"))
        await s.claims.create(in_class("fixed"))
        await s.bound()
        await r.pods.create(user_of("data"))
        assert await unplaced(s) == f"0/3 nodes are available: 3 node(s) didn't match PersistentVolume's node affinity. {HELPLESS}"
        await s.nodes.patch("node-1", {"metadata": {"labels": {"topology.kubernetes.io/zone": "moon"}}})
        assert await node_of(s) == "node-1"


@pytest.mark.virtual_time
async def test_labels_of_a_volume_say_where_it_is():
    async with running() as r:
        s = Storage(r)
        await s.volumes.create(volume(meta={"labels": {"topology.kubernetes.io/zone": "moon"}}, storageClassName="fixed"))
        await s.claims.create(in_class("fixed"))
        await s.bound()
        await r.pods.create(user_of("data"))
        assert await unplaced(s) == f"0/3 nodes are available: 3 node(s) had no available volume zone. {HELPLESS}"


@pytest.mark.parametrize(
    ("label", "on_nodes"),
    [
        ({"failure-domain.beta.kubernetes.io/zone": "moon"}, {}),
        ({"failure-domain.beta.kubernetes.io/region": "moon"}, {}),
        ({"topology.kubernetes.io/region": "sim-1"}, {"topology.kubernetes.io/region": None}),
    ],
)
@pytest.mark.virtual_time
async def test_labels_of_old_are_held_against_those_of_today_and_one_that_a_node_lacks_beside_others(label: Object, on_nodes: Object):
    async with running() as r:
        s = Storage(r)
        await r.clock.sleep(5)
        for name in ("node-1", "node-2", "node-3"):
            await s.nodes.patch(name, {"metadata": {"labels": on_nodes}})
        await s.volumes.create(volume(meta={"labels": label}, storageClassName="fixed"))
        await s.claims.create(in_class("fixed"))
        await s.bound()
        await r.pods.create(user_of("data"))
        assert await unplaced(s) == f"0/3 nodes are available: 3 node(s) had no available volume zone. {HELPLESS}"
        nowhere = {f"{prefix}.kubernetes.io/{name}": None for prefix in ("topology", "failure-domain.beta") for name in ("zone", "region")}
        await s.nodes.patch("node-2", {"metadata": {"labels": nowhere}})
        assert await node_of(s) == "node-2", "it doesn't say where it is"


@pytest.mark.virtual_time
async def test_claims_that_should_be_bound_already_are_waited_for():
    async with running() as r:
        s = Storage(r)
        await s.claims.create(claim(storageClassName=""))
        await r.pods.create(user_of("data"))
        assert await unplaced(s) == f"0/3 nodes are available: pod has unbound immediate PersistentVolumeClaims. {HELPLESS}"
        await s.volumes.create(volume())
        await s.running()


@pytest.mark.virtual_time
async def test_a_claim_that_is_not_there_is_waited_for():
    async with running() as r:
        s = Storage(r)
        await r.pods.create(user_of("data"))
        assert await unplaced(s) == f'0/3 nodes are available: persistentvolumeclaim "data" not found. {HELPLESS}'
        await r.clock.sleep(10)
        await s.claims.create(claim())
        await s.running(within_s=15)


@pytest.mark.virtual_time
async def test_a_claim_that_goes_or_is_lost_is_no_use():
    async with running() as r:
        s = Storage(r)
        await s.volumes.create(volume())
        await s.claims.create(claim(storageClassName="", meta={"finalizers": ["example.com/mine"]}))
        await s.bound()
        await s.volumes.delete("disk")
        await s.volumes.patch("disk", {"metadata": {"finalizers": None}})
        await s.phase(s.claims, "data", "Lost")
        await r.pods.create(user_of("data"))
        what = 'persistentvolumeclaim "data" bound to non-existent persistentvolume "disk"'
        assert await unplaced(s) == f"0/3 nodes are available: {what}. {HELPLESS}"
        await s.volumes.create(volume())
        await s.running()
        await s.claims.delete("data")
        await r.pods.create(user_of("data", "second"))
        assert await unplaced(s, "second") == f'0/3 nodes are available: persistentvolumeclaim "data" is being deleted. {HELPLESS}'


@pytest.mark.virtual_time
async def test_volumes_of_a_class_without_provisioner_are_bound_where_the_pod_can_go():
    async with running() as r:
        s = Storage(r)
        await s.classes.create(storage_class("local", "kubernetes.io/no-provisioner", volumeBindingMode="WaitForFirstConsumer"))
        for zone in ("a", "b"):
            await s.volumes.create(
                volume(f"disk-{zone}", storageClassName="local", local={"path": "/mnt"}, nodeAffinity=on(f"sim-1{zone}"))
            )
        await s.claims.create(in_class("local"))
        await s.claims.create(claim("other", storageClassName="local"))
        await s.claims.create(claim("third", storageClassName="local"))
        await r.clock.sleep(5)
        assert [at(one) for one in (await s.claims.list()).items] == ["Pending"] * 3
        await r.pods.create(user_of("data", nodeSelector={"kubernetes.io/hostname": "node-2"}))
        assert await node_of(s) == "node-2"
        assert (await s.claims.get("data"))["spec"]["volumeName"] == "disk-b"
        await r.pods.create(user_of("other", "second"))
        assert await node_of(s, "second") == "node-1"
        await r.pods.create(user_of("third", "last"))
        what = "3 node(s) didn't find available persistent volumes to bind"
        assert await unplaced(s, "last") == f"0/3 nodes are available: {what}. {HELPLESS}"
        await s.volumes.create(volume("disk-c", storageClassName="local", local={"path": "/mnt"}, nodeAffinity=on("sim-1c")))
        assert await node_of(s, "last") == "node-3"


@pytest.mark.virtual_time
async def test_one_volume_is_promised_once():
    async with running() as r:
        s = Storage(r)
        await s.classes.create(storage_class("local", "kubernetes.io/no-provisioner", volumeBindingMode="WaitForFirstConsumer"))
        await s.volumes.create(volume(storageClassName="local"))
        await s.phase(s.volumes, "disk", "Available")
        for number in range(5):
            await s.claims.create(claim(f"data-{number}", storageClassName="local"))
        for number in range(5):
            await r.pods.create(user_of(f"data-{number}", f"user-{number}"))
        await r.clock.sleep(30)
        assert sorted(at(one) for one in (await r.pods.list()).items) == ["Pending"] * 4 + ["Running"]


@pytest.mark.virtual_time
async def test_pods_that_share_a_claim_go_to_one_place():
    async with running() as r:
        s = Storage(r)
        await s.claims.create(claim())
        for number in range(4):
            await r.pods.create(user_of("data", f"user-{number}"))
        nodes = [await node_of(s, f"user-{number}") for number in range(4)]
        assert len(set(nodes)) == 1


@pytest.mark.virtual_time
async def test_topologies_that_a_class_allows_count():
    async with running() as r:
        s = Storage(r)
        terms = [{"matchLabelExpressions": [{"key": "topology.kubernetes.io/zone", "values": ["sim-1c"]}]}]
        await s.classes.create(storage_class("c", volumeBindingMode="WaitForFirstConsumer", allowedTopologies=terms))
        await s.claims.create(in_class("c"))
        await r.pods.create(user_of("data"))
        assert await node_of(s) == "node-3"


def capacity(name: str, size: str | None, storage_class: str = "counted", **fields: object) -> Object:
    """Room on node-2, if not told otherwise."""
    topology = {"matchLabels": {"kubernetes.io/hostname": "node-2"}}
    room = {} if size is None else {"capacity": size}
    made = {"apiVersion": "storage.k8s.io/v1", "kind": "CSIStorageCapacity", "metadata": {"name": name, "namespace": "default"}}
    return {**made, "storageClassName": storage_class, "nodeTopology": topology, **room, **fields}


async def counting(r: Running) -> Storage:
    """Nodes that are ready, and a class of a driver that says how much room it has."""
    s = Storage(r)
    await s.drivers.patch(DRIVER, {"spec": {"storageCapacity": True}})
    await s.classes.create(storage_class("counted", volumeBindingMode="WaitForFirstConsumer"))
    await r.clock.sleep(5)
    return s


NO_ROOM = f"0/3 nodes are available: 3 node(s) did not have enough free storage. {HELPLESS}"


@pytest.mark.virtual_time
async def test_pods_go_where_there_is_room_for_their_volumes():
    async with running() as r:
        s = await counting(r)
        hand = {"matchExpressions": [{"key": "kubernetes.io/hostname", "operator": "NotIn", "values": ["node-2", "node-3"]}]}
        await s.capacities.create(capacity("large", "100Gi"))
        await s.capacities.create(capacity("small", "1Mi", nodeTopology=hand))
        for number in range(4):
            await s.claims.create(in_class("counted", name=f"data-{number}"))
            await r.pods.create(user_of(f"data-{number}", f"user-{number}"))
        assert [await node_of(s, f"user-{number}") for number in range(4)] == ["node-2"] * 4
        await r.pods.delete("user-0")
        await r.until_gone(r.pods, "user-0")
        await s.capacities.delete("large")
        await r.pods.create(user_of("data-0", "user-0"))
        assert await node_of(s, "user-0"), "its volume is there already"


@pytest.mark.virtual_time
async def test_a_pod_whose_volume_there_is_no_room_for_waits_until_there_is():
    async with running() as r:
        s = await counting(r)
        await s.claims.create(in_class("counted"))
        await r.pods.create(user_of("data"))
        assert await unplaced(s) == NO_ROOM
        assert SELECTED_NODE not in ((await s.claims.get("data"))["metadata"].get("annotations") or {})
        for number, short in enumerate(
            (
                capacity("", "100Gi", "other"),
                capacity("", "100Gi", nodeTopology=None),
                capacity("", None),
                capacity("", "100Gi", maximumVolumeSize="1Gi"),
            )
        ):
            await s.capacities.create({**short, "metadata": {**short["metadata"], "name": f"short-{number}"}})
        await r.clock.sleep(30)
        assert said(await r.pods.get("user")) == NO_ROOM
        await s.capacities.patch("short-3", {"maximumVolumeSize": "5Gi"})
        await r.until(lambda items: at(items[0]) == "Running", r.pods, within_s=40)
        assert await node_of(s) == "node-2"


@pytest.mark.virtual_time
async def test_room_counts_for_those_alone_that_are_to_be_given_a_volume_of_a_driver_that_tells_of_it():
    async with running() as r:
        s = await counting(r)
        await s.volumes.create(volume("free", storageClassName="counted", claimRef={"namespace": "default", "name": "given"}))
        await s.claims.create(in_class("counted", name="given"))
        await r.pods.create(user_of("given", "reader"))
        await s.running("reader")
        await s.claims.create(in_class("counted"))
        await r.pods.create(user_of("data"))
        assert await unplaced(s) == NO_ROOM
        await s.drivers.patch(DRIVER, {"spec": {"storageCapacity": False}})
        await s.running(within_s=40)
        await s.drivers.patch(DRIVER, {"spec": {"storageCapacity": True}})
        await s.claims.create(in_class("counted", name="more"))
        await r.pods.create(user_of("more", "other"))
        assert await unplaced(s, "other") == NO_ROOM
        await s.drivers.delete(DRIVER)
        await s.running("other", within_s=40)


@pytest.mark.virtual_time
async def test_what_one_pod_alone_may_use_is_not_given_to_two():
    async with running() as r:
        s = Storage(r)
        await r.clock.sleep(5)  # the nodes are ready
        await s.claims.create(claim(modes=("ReadWriteOncePod",)))
        await r.pods.create(user_of("data", "first"))
        await r.pods.create(user_of("data", "second"))
        await s.running("first")
        what = "3 node has pod using PersistentVolumeClaim with the same name and ReadWriteOncePod access mode"
        assert (await unplaced(s, "second")).startswith(f"0/3 nodes are available: {what}.")
        await r.pods.delete("first")
        await s.running("second")


@pytest.mark.virtual_time
async def test_a_node_takes_no_more_volumes_than_it_says():
    async with running(nodes=1) as r:
        s = Storage(r)
        await r.clock.sleep(5)  # the nodes are ready
        api = f"{r.dialect.group('storage')}/v1"
        drivers = [{"name": DRIVER, "nodeID": "node-1", "allocatable": {"count": 2}}]
        nodes = r.client.resource(api, "csinodes")
        await nodes.patch("node-1", {"spec": {"drivers": drivers}})
        for number in range(3):
            await s.claims.create(claim(f"data-{number}"))
            await r.pods.create(user_of(f"data-{number}", f"user-{number}"))
        await s.running("user-0")
        await s.running("user-1")
        assert (await unplaced(s, "user-2")).startswith("0/1 nodes are available: 1 node(s) exceed max volume count.")
        await r.pods.create(user_of("data-0", "shares"))
        await s.running("shares")
        await nodes.patch("node-1", {"spec": {"drivers": [{**drivers[0], "allocatable": {"count": 3}}]}})
        await s.running("user-2")


@pytest.mark.virtual_time
async def test_a_volume_that_is_not_made_for_long_sends_the_pod_back_after_ten_minutes():
    async with running() as r:
        s = Storage(r)
        await r.clock.sleep(5)  # the nodes are ready
        await s.classes.create(storage_class("slow", volumeBindingMode="WaitForFirstConsumer", parameters={"svcsim.dev/seconds": "900"}))
        await s.claims.create(in_class("slow"))
        await r.pods.create(user_of("data"))
        await r.clock.sleep(590)
        assert "FailedScheduling" not in await s.reasons("user")
        await r.clock.sleep(30)
        assert (await s.messages("user", "FailedScheduling"))[0] == (
            'running PreBind plugin "VolumeBinding": binding volumes: context deadline exceeded'
        )
        await s.running(within_s=400)


@pytest.mark.parametrize("by", ["claim", "class"])
@pytest.mark.virtual_time
async def test_a_pod_whose_volume_there_is_no_room_for_is_placed_anew(by: str):
    async with running() as r:
        s = Storage(r)
        await r.clock.sleep(5)  # the nodes are ready
        if by == "claim":
            await s.claims.create(claim(meta={"annotations": {FAIL_ANNOTATION: "provision: out of disks"}}))
        else:
            await s.classes.create(storage_class("full", volumeBindingMode="WaitForFirstConsumer", parameters={FAILS: "out of disks"}))
            await s.claims.create(in_class("full"))
        await r.pods.create(user_of("data"))
        first = await chosen(s)
        assert await unplaced(s) == 'running PreBind plugin "VolumeBinding": binding volumes: provisioning failed for PVC "data"'
        assert any("code = ResourceExhausted desc = out of disks" in text for text in await s.messages("data", "ProvisioningFailed"))
        await r.clock.sleep(0.5)
        assert SELECTED_NODE not in (await s.claims.get("data"))["metadata"]["annotations"]
        await s.nodes.patch(first, {"spec": {"unschedulable": True}})
        await r.clock.sleep(60)
        (event,) = [one for one in (await r.client.resource("v1", "events").list()).items if one["reason"] == "ProvisioningFailed"]
        assert 4 <= event["count"] <= 12, "the scheduler tries again each time after a longer while, up to ten seconds"
        if by == "claim":
            await s.claims.patch("data", {"metadata": {"annotations": {FAIL_ANNOTATION: None}}})
            assert await node_of(s) not in ("", first)


@pytest.mark.virtual_time
async def test_a_pod_that_goes_while_it_waits_for_its_volume_leaves_its_place():
    async with running(nodes=1) as r:
        s = Storage(r)
        await s.classes.create(storage_class("slow", volumeBindingMode="WaitForFirstConsumer", parameters={"svcsim.dev/seconds": "60"}))
        await s.claims.create(in_class("slow"))
        pod = user_of("data")
        pod["spec"]["containers"][0]["resources"] = {"requests": {"cpu": "7"}}
        await r.pods.create(pod)
        await r.clock.sleep(5)
        other = user_of("data", "other")
        other["spec"] |= {"volumes": [], "containers": [{"name": "main", "image": "nginx:1", "resources": {"requests": {"cpu": "7"}}}]}
        await r.pods.create(other)
        await r.clock.sleep(2)
        assert at(await r.pods.get("other")) == "Pending"
        await r.pods.delete("user", grace_period_s=0)
        await s.running("other", within_s=20)


@pytest.mark.virtual_time
async def test_a_node_that_goes_while_a_volume_is_made_for_it_is_chosen_anew():
    async with running() as r:
        s = Storage(r)
        await s.classes.create(storage_class("slow", volumeBindingMode="WaitForFirstConsumer", parameters={"svcsim.dev/seconds": "20"}))
        await s.claims.create(in_class("slow"))
        await r.pods.create(user_of("data"))
        node = await chosen(s)
        r.cluster.nodes.faults.add({"type": "node-down", "target": {"name": node}})
        await s.nodes.delete(node)
        assert await node_of(s) != node


@pytest.mark.virtual_time
async def test_many_pods_with_claims_all_run():
    async with running(nodes=6) as r:
        s = Storage(r)
        for number in range(40):
            await s.claims.create(claim(f"data-{number}"))
            await r.pods.create(user_of(f"data-{number}", f"user-{number}"))
        await r.until(lambda items: all(at(one) == "Running" for one in items), r.pods)
        places = {named(one): one["spec"]["nodeName"] for one in (await r.pods.list()).items}
        assert len(set(places.values())) == 6
        assert len((await s.attachments.list()).items) == 40
