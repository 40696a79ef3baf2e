"""Pods with claims on devices in a cluster: which are given to them, where that places them, and what is said of those that wait."""

import asyncio
import subprocess
import sys
from typing import Final

import pytest

from svcsim.client.api import Client
from svcsim.meta.errors import StatusError
from svcsim.meta.types import Object
from svcsim.scheduler import writers
from svcsim.scheduler.devices.binding import DeviceBinding
from svcsim.scheduler.pod import PodInfo
from tests.devices import (
    API,
    DRIVER,
    Devices,
    claiming,
    device_claim,
    device_class,
    device_slice,
    device_template,
    given,
    request,
    selecting,
)
from tests.living import Living, condition, is_ready, living, name, pod

NO_HELP: Final = "preemption: 0/3 nodes are available: 3 Preemption is not helpful for scheduling."


async def placed(cluster: Living, *names: str, within_s: float = 30) -> dict[str, str]:
    """Wait until pods run; gives their nodes."""
    await cluster.until(lambda pods: all(any(name(one) == wanted and is_ready(one) for one in pods) for wanted in names), within_s)
    return {wanted: (await cluster.pods.get(wanted))["spec"]["nodeName"] for wanted in names}


async def said_of(cluster: Living, pod_name: str) -> str:
    """What the scheduler says of a pod."""
    found = condition(await cluster.pods.get(pod_name), "PodScheduled")
    assert found["status"] == "False"
    message: str = found["message"]
    return message


@pytest.mark.virtual_time
async def test_a_claim_is_given_a_device_and_its_pod_goes_where_that_is():
    async with living() as cluster:
        d = Devices(cluster)
        await d.offer("node-2")
        await d.claims.create(device_claim("mine"))
        user = await cluster.pods.create(claiming("user", "mine"))
        assert await placed(cluster, "user") == {"user": "node-2"}
        claim = await d.claims.get("mine")
        assert claim["status"] == {
            "allocation": {
                "devices": {"results": [{"request": "gpu", "driver": DRIVER, "pool": "node-2", "device": "gpu-0"}]},
                "nodeSelector": {
                    "nodeSelectorTerms": [{"matchFields": [{"key": "metadata.name", "operator": "In", "values": ["node-2"]}]}]
                },
            },
            "reservedFor": [{"resource": "pods", "name": "user", "uid": user["metadata"]["uid"]}],
        }
        assert claim["metadata"]["finalizers"] == ["resource.kubernetes.io/delete-protection"]


@pytest.mark.virtual_time
async def test_one_of_two_pods_has_the_last_device_and_the_other_has_it_afterwards():
    async with living() as cluster:
        d = Devices(cluster)
        await d.offer("node-1")
        await d.templates.create(device_template("gpus"))
        await asyncio.gather(*(cluster.pods.create(claiming(one, template="gpus")) for one in ("a", "b")))
        await cluster.sleep(20)
        (first,) = [name(one) for one in await cluster.pods.list_all() if is_ready(one)]
        second = {"a": "b", "b": "a"}[first]
        assert await said_of(cluster, second) == f"0/3 nodes are available: 3 cannot allocate all claims. still not schedulable, {NO_HELP}"
        assert await cluster.reasons(second) == ["FailedScheduling"]
        await cluster.pods.delete(first)
        await placed(cluster, second, within_s=60)
        (claim,) = await d.claims.list_all()
        assert given(claim) == ["node-1/gpu-0"]


@pytest.mark.virtual_time
async def test_a_pod_isnt_tried_before_its_claims_are_there():
    async with living() as cluster:
        d = Devices(cluster)
        await d.offer("node-1", count=3)
        await cluster.pods.create(claiming("named", "mine"))
        await cluster.pods.create(claiming("made", template="gpus"))
        await cluster.sleep(4)
        assert condition(await cluster.pods.get("named"), "PodScheduled") == {}
        await cluster.sleep(4)
        waits = 'waiting for dynamic resource controller to create the resourceclaim "gpu"'
        assert [await said_of(cluster, one) for one in ("named", "made")] == ['resourceclaim "mine" does not exist', waits]
        assert condition(await cluster.pods.get("made"), "PodScheduled")["reason"] == "NotReadyForScheduling"
        told = await cluster.cluster.client("test").get_json("/svcsim/v1/schedule", "namespace=default&pod=made")
        assert [one["reasons"] for one in told["nodes"]] == [[waits]] * 3
        assert (told["queue"]["state"], told["queue"]["refusedBy"]) == ("unschedulable", ["DynamicResources"])
        await d.claims.create(device_claim("mine"))
        await d.templates.create(device_template("gpus"))
        await placed(cluster, "named", "made", within_s=5)  # without having to wait out a back-off
        await cluster.pods.create(claiming("at-once", template="gpus"))
        await placed(cluster, "at-once", within_s=5)
        assert "FailedScheduling" not in await cluster.reasons("at-once")


@pytest.mark.virtual_time
async def test_what_is_wrong_with_claims_is_told():
    async with living() as cluster:
        d = Devices(cluster)
        await d.offer("node-1", attributes={"model": {"string": "a"}})
        await d.claims.create(device_claim("classless", request(device_class_name="none")))
        await d.claims.create(device_claim("mistaken", request(selectors=selecting(f'device.attributes["{DRIVER}"].size > 1'))))
        await d.claims.create(device_claim("unknown", request(selectors=selecting('device.attributes["other.example.com"].size > 1'))))
        await d.claims.create(device_claim("choosy", request(selectors=selecting(f'device.attributes["{DRIVER}"].model == "b"'))))
        await cluster.sleep(0.1)
        names = ("classless", "mistaken", "unknown", "choosy")
        for one in names:
            await cluster.pods.create(claiming(one, one))
        await cluster.sleep(10)
        said = [await said_of(cluster, one) for one in names]
        assert said[0] == f"0/3 nodes are available: request gpu: device class none does not exist. no new claims to deallocate, {NO_HELP}"
        for number, one in ((1, "mistaken"), (2, "unknown")):
            why = f"1 claim default/{one}: selector #0: CEL runtime error: no such key: size, 2 cannot allocate all claims"
            assert said[number] == f"0/3 nodes are available: {why}. still not schedulable, {NO_HELP}"
        assert said[3] == f"0/3 nodes are available: 3 cannot allocate all claims. still not schedulable, {NO_HELP}"
        await d.classes.create(device_class("none"))
        await placed(cluster, "classless")


@pytest.mark.virtual_time
async def test_selectors_choose_by_attributes_and_amounts():
    async with living() as cluster:
        d = Devices(cluster)
        await d.classes.create(device_class("gpu"))

        def card(name: str, model: str, memory: str, version: str) -> Object:
            attributes = {"model": {"string": model}, "driverVersion": {"version": version}, "other.com/ok": {"bool": True}}
            return {"name": name, "attributes": attributes, "capacity": {"memory": {"value": memory}}}

        cards = [card("small", "a", "8Gi", "1.0.0"), card("old", "b", "40Gi", "1.2.0"), card("new", "b", "40Gi", "2.1.0")]
        await d.slices.create(device_slice("node-3", cards))
        own = f'device.attributes["{DRIVER}"]'
        wanted = {
            "by-model": (f'{own}.model == "b"', "old"),
            "by-amount": (f'device.capacity["{DRIVER}"].memory.compareTo(quantity("16Gi")) < 0', "small"),
            "by-version": (f'{own}.driverVersion.isGreaterThan(semver("2.0.0")) && device.attributes["other.com"].ok', "new"),
        }
        for claim, (expression, _) in wanted.items():
            await d.claims.create(device_claim(claim, request(selectors=selecting(expression))))
            await cluster.pods.create(claiming(claim, claim))
        await placed(cluster, *wanted)
        assert {one: given(await d.claims.get(one)) for one in wanted} == {one: [f"node-3/{card}"] for one, (_, card) in wanted.items()}


@pytest.mark.virtual_time
async def test_of_two_nodes_the_one_with_the_better_alternative_is_chosen():
    async with living() as cluster:
        d = Devices(cluster)
        await d.classes.create(device_class("gpu"))
        for number, model in ((1, "c"), (2, "a"), (3, "b")):
            await d.slices.create(device_slice(f"node-{number}", [{"name": "card", "attributes": {"model": {"string": model}}}]))
        own = f'device.attributes["{DRIVER}"].model'
        better = [{"name": one, "deviceClassName": "gpu", "selectors": selecting(f'{own} == "{one}"')} for one in ("a", "b", "c")]
        for one in ("first", "second", "third"):
            await d.claims.create(device_claim(one, {"name": "card", "firstAvailable": better}))
            await cluster.pods.create(claiming(one, one))
            await placed(cluster, one)
        told = {one: (await d.claims.get(one))["status"]["allocation"]["devices"]["results"][0] for one in ("first", "second", "third")}
        assert {one: (result["request"], result["pool"]) for one, result in told.items()} == {
            "first": ("card/a", "node-2"),
            "second": ("card/b", "node-3"),
            "third": ("card/c", "node-1"),
        }


@pytest.mark.virtual_time
async def test_a_shared_claim_keeps_later_pods_near_its_devices():
    async with living() as cluster:
        d = Devices(cluster)
        await d.offer("node-1", "node-2")
        await d.claims.create(device_claim("shared"))
        first = (await cluster.pods.create(claiming("first", "shared")), await placed(cluster, "first"))[1]["first"]
        await cluster.pods.create(claiming("second", "shared"))
        assert await placed(cluster, "second") == {"second": first}
        assert [one["name"] for one in (await d.claims.get("shared"))["status"]["reservedFor"]] == ["first", "second"]
        await cluster.pods.create(claiming("third", "shared", nodeSelector={"kubernetes.io/hostname": "node-3"}))
        await cluster.sleep(10)
        why = "1 resourceclaim not available on the node, 2 node(s) didn't match Pod's node affinity/selector"
        assert await said_of(cluster, "third") == f"0/3 nodes are available: {why}. still not schedulable, {NO_HELP}"
        await cluster.pods.delete("first")
        await cluster.pods.delete("second")
        await cluster.sleep(60)
        assert (await d.claims.get("shared")).get("status") in (None, {})
        assert "0/3 nodes are available: 1 cannot allocate all claims" in await said_of(cluster, "third")


@pytest.mark.virtual_time
@pytest.mark.parametrize("what", ["slice", "taint", "generation"])
async def test_a_pod_that_waits_is_tried_again_once_there_are_devices(what: str):
    async with living() as cluster:
        d = Devices(cluster)
        await d.classes.create(device_class("gpu"))
        await d.claims.create(device_claim("mine"))
        device = {"name": "gpu-0", "taints": [{"key": "sick", "effect": "NoSchedule"}]} if what == "taint" else {"name": "gpu-0"}
        count = 2 if what == "generation" else 1
        if what != "slice":
            await d.slices.create(device_slice("node-1", [device], pool={"resourceSliceCount": count}))
        await cluster.pods.create(claiming("user", "mine"))
        await cluster.sleep(30)
        assert "cannot allocate all claims" in await said_of(cluster, "user")
        if what == "slice":
            await d.slices.create(device_slice("node-1", [device]))
        elif what == "taint":
            await d.slices.patch("gpus-node-1", {"spec": {"devices": [{"name": "gpu-0"}]}})
        else:
            await d.slices.patch("gpus-node-1", {"spec": {"pool": {"generation": 2, "resourceSliceCount": 1}}})
        await placed(cluster, "user", within_s=10)


@pytest.mark.virtual_time
async def test_a_claim_goes_with_its_pod_through_a_restart_of_the_scheduler_between_allocation_and_binding():
    async with living() as cluster:
        d = Devices(cluster)
        await d.offer("node-1", "node-2", "node-3")
        await d.claims.create(device_claim("mine"))
        user = await cluster.pods.create(claiming("user", "mine", schedulingGates=[{"name": "example.com/later"}]))
        # What a scheduler leaves that ended after it had written the allocation:
        claim = await d.claims.patch("mine", {"metadata": {"finalizers": ["resource.kubernetes.io/delete-protection"]}})
        await d.claims.patch(name(claim), {"status": allocated("node-2", user)}, subresource="status")
        await cluster.sleep(1)
        await cluster.pods.patch("user", {"spec": {"schedulingGates": None}})
        assert await placed(cluster, "user") == {"user": "node-2"}
        assert len((await d.claims.get("mine"))["status"]["reservedFor"]) == 1


@pytest.mark.virtual_time
async def test_devices_are_given_back_that_keep_their_only_user_from_every_node():
    async with living() as cluster:
        d = Devices(cluster)
        await d.offer("node-1", "node-2")
        await cluster.nodes.patch("node-2", {"spec": {"unschedulable": True}})
        await d.claims.create(device_claim("mine"))
        user = await cluster.pods.create(claiming("user", "mine", schedulingGates=[{"name": "example.com/later"}]))
        await d.claims.patch("mine", {"metadata": {"finalizers": ["resource.kubernetes.io/delete-protection"]}})
        await d.claims.patch("mine", {"status": allocated("node-2", user)}, subresource="status")
        await cluster.sleep(1)
        await cluster.pods.patch("user", {"spec": {"schedulingGates": None}})
        assert await placed(cluster, "user") == {"user": "node-1"}
        messages = [event["message"] for event in await cluster.events("user") if event["reason"] == "FailedScheduling"]
        why = "1 node(s) were unschedulable, 2 resourceclaim not available on the node"
        assert messages == [f"0/3 nodes are available: {why}. deallocation of ResourceClaim completed, {NO_HELP}"]
        assert given(await d.claims.get("mine")) == ["node-1/gpu-0"]


def allocated(node: str, user: Object) -> Object:
    selector = {"nodeSelectorTerms": [{"matchFields": [{"key": "metadata.name", "operator": "In", "values": [node]}]}]}
    results = [{"request": "gpu", "driver": DRIVER, "pool": node, "device": "gpu-0"}]
    return {
        "allocation": {"devices": {"results": results}, "nodeSelector": selector},
        "reservedFor": [{"resource": "pods", "name": name(user), "uid": user["metadata"]["uid"]}],
    }


@pytest.mark.virtual_time
async def test_a_claim_that_goes_while_its_pod_is_bound_sets_the_pod_back():
    async with living() as cluster:
        d = Devices(cluster)
        await d.offer("node-1")
        await d.claims.create(device_claim("mine"))
        await cluster.sleep(0.1)
        await cluster.pods.create(claiming("user", "mine"))
        await d.claims.delete("mine")
        await cluster.sleep(10)
        users = await cluster.pods.get("user")
        left = await d.claims.find("mine")
        assert bool(users["spec"].get("nodeName")) == (left is not None)
        await cluster.pods.delete("user")
        await cluster.sleep(60)
        assert await d.claims.find("mine") is None
        await d.claims.create(device_claim("mine"))
        await cluster.pods.create(claiming("next", "mine"))
        await placed(cluster, "next")


@pytest.mark.virtual_time
async def test_a_claim_can_be_used_by_256_pods_and_no_more():
    async with living() as cluster:
        d = Devices(cluster)
        await d.offer("node-1")
        await d.claims.create(device_claim("mine"))
        await cluster.sleep(0.1)
        await cluster.pods.create(claiming("first", "mine"))
        await placed(cluster, "first")
        users = (await d.claims.get("mine"))["status"]["reservedFor"]
        users += [{"apiGroup": "example.com", "resource": "jobs", "name": f"u{at}", "uid": f"u{at}"} for at in range(255)]
        await d.claims.patch("mine", {"status": {"reservedFor": users}}, subresource="status")
        await cluster.pods.create(claiming("late", "mine"))
        await cluster.sleep(3)
        assert 'running PreBind plugin "DynamicResources"' in await said_of(cluster, "late")
        assert "Too many: 257: must have at most 256 items" in await said_of(cluster, "late")


@pytest.mark.virtual_time
async def test_many_pods_and_devices_are_matched_one_to_one():
    async with living(nodes=10) as cluster:
        d = Devices(cluster)
        await d.offer(*(f"node-{number}" for number in range(1, 11)), count=2)
        await d.templates.create(device_template("gpus"))
        names = [f"p{number}" for number in range(25)]
        for one in names:
            await cluster.pods.create(claiming(one, template="gpus", cpu="10m"))
        await cluster.until(lambda pods: sum(map(is_ready, pods)) == 20, within_s=60)
        claims = [claim for claim in await d.claims.list_all() if given(claim)]
        assert len(claims) == len({device for claim in claims for device in given(claim)}) == 20
        for claim in claims:
            (user,) = claim["status"]["reservedFor"]
            assert (await cluster.pods.get(user["name"]))["spec"]["nodeName"] == given(claim)[0].split("/")[0]


@pytest.mark.virtual_time
async def test_pods_without_claims_dont_wait_for_devices():
    async with living(runtime_config=(f"{API}=false",)) as cluster:
        await cluster.run_pod(pod("web"))


@pytest.mark.virtual_time
async def test_a_claim_that_somebody_else_gives_devices_meanwhile_takes_its_pod_there(monkeypatch: pytest.MonkeyPatch):
    async with living() as cluster:
        d = Devices(cluster)
        await d.offer("node-1", "node-2")
        await d.claims.create(device_claim("mine"))
        await cluster.sleep(0.1)
        write, elsewhere = DeviceBinding.write, iter(("node-2",))

        async def overtaken(binding: DeviceBinding, info: PodInfo) -> None:
            for node in elsewhere:
                status = allocated(node, await cluster.pods.get("user"))
                await d.claims.patch("mine", {"status": {**status, "reservedFor": None}}, subresource="status")
            await write(binding, info)

        monkeypatch.setattr(DeviceBinding, "write", overtaken)
        await cluster.pods.create(claiming("user", "mine", nodeSelector={"kubernetes.io/hostname": "node-1"}))
        await cluster.sleep(0.5)
        said = condition(await cluster.pods.get("user"), "PodScheduled")
        assert said["reason"] == "SchedulerError"
        why = "claim default/mine got allocated elsewhere in the meantime"
        assert said["message"] == f'running PreBind plugin "DynamicResources": {why}'
        assert await placed(cluster, "user") == {"user": "node-1"}  # nobody used what it was given elsewhere
        assert given(await d.claims.get("mine")) == ["node-1/gpu-0"]


@pytest.mark.virtual_time
async def test_a_pod_that_couldnt_be_bound_uses_its_claims_no_longer_and_is_tried_again(monkeypatch: pytest.MonkeyPatch):
    async with living() as cluster:
        d = Devices(cluster)
        await d.offer("node-1", "node-2")
        await d.claims.create(device_claim("mine"))
        await cluster.sleep(0.1)
        failures, bind = iter((500,)), writers.bind
        between: list[Object] = []

        async def failing(client: Client, info: PodInfo, node: str) -> None:
            for code in failures:
                between.append(await d.claims.get("mine"))
                raise StatusError(code, "InternalError", "no")
            between.append(await d.claims.get("mine"))
            await bind(client, info, node)

        monkeypatch.setattr(writers, "bind", failing)
        await cluster.pods.create(claiming("user", "mine"))
        await cluster.sleep(0.5)
        freed = await d.claims.get("mine")
        assert (given(freed), freed["status"].get("reservedFor")) == (given(between[0]), None)
        assert len(between[0]["status"]["reservedFor"]) == 1
        assert await placed(cluster, "user") == {"user": given(freed)[0].split("/")[0]}
        assert [given(one) for one in between] == [given(freed)] * 2


@pytest.mark.virtual_time
async def test_a_pod_that_goes_between_allocation_and_binding_leaves_nothing_behind(monkeypatch: pytest.MonkeyPatch):
    async with living() as cluster:
        d = Devices(cluster)
        await d.offer("node-1")
        await d.claims.create(device_claim("mine"))
        await cluster.sleep(0.1)
        bind, going = writers.bind, iter(("user",))

        async def late(client: Client, info: PodInfo, node: str) -> None:
            for one in going:
                await cluster.pods.delete(one, grace_period_s=0)
            await bind(client, info, node)

        monkeypatch.setattr(writers, "bind", late)
        await cluster.pods.create(claiming("user", "mine"))
        await cluster.sleep(2)
        assert await cluster.pods.find("user") is None
        await d.claims.create(device_claim("other"))
        await cluster.pods.create(claiming("next", "other"))
        assert await placed(cluster, "next", within_s=20) == {"next": "node-1"}


@pytest.mark.virtual_time
async def test_a_device_that_is_promised_isnt_promised_again_before_that_is_written(monkeypatch: pytest.MonkeyPatch):
    async with living() as cluster:
        d = Devices(cluster)
        await d.offer("node-1")
        for one in ("a", "b"):
            await d.claims.create(device_claim(one))
        await d.claims.create(device_claim("shared"))
        await cluster.sleep(0.1)
        write = DeviceBinding.write

        async def slow(binding: DeviceBinding, info: PodInfo) -> None:
            await cluster.sleep(5)
            await write(binding, info)

        monkeypatch.setattr(DeviceBinding, "write", slow)
        await cluster.pods.create(claiming("first", "a"))
        await cluster.pods.create(claiming("second", "b"))
        await cluster.sleep(2)
        assert "3 cannot allocate all claims" in await said_of(cluster, "second")
        await placed(cluster, "first")
        await cluster.pods.delete("first")
        await cluster.pods.delete("second")
        await cluster.sleep(60)
        await cluster.pods.create(claiming("one", "shared"))
        await cluster.pods.create(claiming("other", "shared"))
        await cluster.sleep(2)
        why = "resource claim default/shared is in the process of being allocated"
        assert (await said_of(cluster, "other")).startswith(f"0/3 nodes are available: {why}. no new claims to deallocate, ")
        assert await placed(cluster, "one", "other", within_s=60) == {"one": "node-1", "other": "node-1"}


@pytest.mark.virtual_time
async def test_a_device_that_was_promised_in_vain_is_for_others_at_once(monkeypatch: pytest.MonkeyPatch):
    async with living() as cluster:
        d = Devices(cluster)
        await d.offer("node-1")
        for one in ("a", "b"):
            await d.claims.create(device_claim(one))
        await cluster.sleep(0.1)
        write = DeviceBinding.write

        async def failing(binding: DeviceBinding, info: PodInfo) -> None:
            if info.name == "first":
                await cluster.sleep(5)
                raise StatusError(500, "InternalError", "no")
            await write(binding, info)

        monkeypatch.setattr(DeviceBinding, "write", failing)
        await cluster.pods.create(claiming("first", "a"))
        await cluster.pods.create(claiming("second", "b"))
        await cluster.sleep(3)
        assert "3 cannot allocate all claims" in await said_of(cluster, "second")
        await placed(cluster, "second", within_s=20)
        assert given(await d.claims.get("a")) == []


@pytest.mark.virtual_time
async def test_a_pod_waits_for_volumes_and_devices_at_once():
    async with living() as cluster:
        d = Devices(cluster)
        await d.offer("node-2")
        await d.claims.create(device_claim("mine"))
        storage = cluster.client.resource("storage.k8s.io/v1", "storageclasses")
        await storage.create(
            {"metadata": {"name": "later"}, "provisioner": "disk.csi.svcsim.dev", "volumeBindingMode": "WaitForFirstConsumer"}
        )
        spec = {"accessModes": ["ReadWriteOnce"], "storageClassName": "later", "resources": {"requests": {"storage": "1Gi"}}}
        await cluster.client.resource("v1", "persistentvolumeclaims", "default").create({"metadata": {"name": "data"}, "spec": spec})
        await cluster.sleep(0.1)
        volumes = [{"name": "data", "persistentVolumeClaim": {"claimName": "data"}}]
        await cluster.pods.create(claiming("user", "mine", volumes=volumes))
        await cluster.sleep(1)
        assert given(await d.claims.get("mine")) == []  # it is written once the volume is there
        assert await placed(cluster, "user", within_s=60) == {"user": "node-2"}
        assert given(await d.claims.get("mine")) == ["node-2/gpu-0"]


def test_a_cluster_without_claims_never_loads_the_library_of_expressions():
    program = (
        "import sys; from svcsim.scheduler.scheduler import Scheduler; from svcsim.cluster.parts import CONTROLLERS;"
        "assert not [name for name in sys.modules if name.startswith('cel_expr_python')]"
    )
    subprocess.run([sys.executable, "-c", program], check=True)
