"""The resource claim controller: claims made from templates, and devices that are free again once their users are done."""

import pytest

from svcsim.controllers.resource_claims.claim_plan import DeviceClaimPlan, plan_claim
from svcsim.controllers.resource_claims.forms import name_base
from svcsim.meta.errors import StatusError
from svcsim.meta.types import Object
from tests.devices import Devices, claiming, device_claim, device_template, given, request
from tests.living import Living, condition, is_ready, living, name, phase

PROTECTION = "resource.kubernetes.io/delete-protection"


async def running(cluster: Living, *names: str) -> None:
    await cluster.until(lambda pods: all(any(name(one) == wanted and is_ready(one) for one in pods) for wanted in names), 60)


@pytest.mark.virtual_time
async def test_a_claim_is_made_from_its_template_and_goes_with_its_pod():
    async with living() as cluster:
        d = Devices(cluster)
        await d.offer("node-1")
        template = device_template("gpus", request(count=1))
        template["spec"]["metadata"] = {"labels": {"kind": "gpu"}, "annotations": {"note": "x"}}
        await d.templates.create(template)
        pod = await cluster.pods.create(claiming("user", template="gpus"))
        await running(cluster, "user")
        (claim,) = await d.claims.list_all()
        metadata = claim["metadata"]
        assert metadata["generateName"] == "user-gpu-"
        assert metadata["labels"] == {"kind": "gpu"}
        assert metadata["annotations"] == {"note": "x", "resource.kubernetes.io/pod-claim-name": "gpu"}
        (owner,) = metadata["ownerReferences"]
        assert owner == {
            "apiVersion": "v1",
            "kind": "Pod",
            "name": "user",
            "uid": pod["metadata"]["uid"],
            "controller": True,
            "blockOwnerDeletion": True,
        }
        assert claim["spec"] == {"devices": {"requests": [request(allocationMode="ExactCount", count=1)]}}
        statuses = (await cluster.pods.get("user"))["status"]["resourceClaimStatuses"]
        assert statuses == [{"name": "gpu", "resourceClaimName": name(claim)}]
        await cluster.pods.delete("user")
        await cluster.sleep(40)
        assert await d.claims.list_all() == []


def test_long_names_are_cut_so_that_both_are_seen():
    assert name_base("web", "gpu") == "web-gpu-"
    base = name_base("p" * 60, "c" * 60)
    assert (len(base) <= 57, base.startswith("ppp"), base.endswith("ccc")) == (True, True, True)


@pytest.mark.virtual_time
async def test_a_template_that_isnt_there_is_told_of_and_waited_for():
    async with living() as cluster:
        d = Devices(cluster)
        await d.offer("node-1")
        await cluster.pods.create(claiming("user", template="gpus"))
        await cluster.sleep(600)
        events = [one for one in await cluster.events("user") if one["reason"] == "FailedResourceClaimCreation"]
        assert {one["message"] for one in events} == {
            'PodResourceClaim gpu: resource claim template "gpus": resourceclaimtemplate.resource.k8s.io "gpus" not found'
        }
        assert events[0]["source"]["component"] == "resource_claim"
        await d.templates.create(device_template("gpus"))
        await cluster.sleep(5)
        assert is_ready(await cluster.pods.get("user"))


@pytest.mark.virtual_time
async def test_a_claim_that_isnt_let_in_is_told_of():
    async with living() as cluster:
        d = Devices(cluster)
        await d.offer("node-1")
        await d.templates.create(device_template("gpus"))
        quota = {"apiVersion": "v1", "kind": "ResourceQuota", "metadata": {"name": "none"}}
        quotas = cluster.client.resource("v1", "resourcequotas", "default")
        await quotas.create({**quota, "spec": {"hard": {"count/resourceclaims.resource.k8s.io": "0"}}})
        await cluster.sleep(1)
        await cluster.pods.create(claiming("user", template="gpus"))
        await cluster.sleep(3)
        events = [one["message"] for one in await cluster.events("user") if one["reason"] == "FailedResourceClaimCreation"]
        assert events
        assert events[0].startswith('PodResourceClaim gpu: create ResourceClaim user-gpu-: resourceclaims.resource.k8s.io "user-gpu-')
        await quotas.delete("none")
        await cluster.sleep(30)
        assert is_ready(await cluster.pods.get("user"))


@pytest.mark.virtual_time
async def test_devices_are_free_once_their_only_pod_has_run_to_its_end():
    async with living() as cluster:
        d = Devices(cluster)
        await d.offer("node-1")
        await d.templates.create(device_template("gpus"))
        await d.claims.create(device_claim("kept"))
        await cluster.pods.create(claiming("made", template="gpus", command=["sleep", "5"], restartPolicy="Never"))
        await cluster.until(lambda pods: phase(pods[0]) == "Running")
        (claim,) = [one for one in await d.claims.list_all() if name(one) != "kept"]
        assert given(claim)
        await cluster.until(lambda pods: phase(pods[0]) == "Succeeded")
        await cluster.sleep(1)
        assert [name(one) for one in await d.claims.list_all()] == ["kept"]  # though its pod is still there
        await cluster.pods.create(claiming("named", "kept", command=["sleep", "5"], restartPolicy="Never"))
        await cluster.until(lambda pods: any(name(one) == "named" and phase(one) == "Succeeded" for one in pods))
        await cluster.sleep(1)
        kept = await d.claims.get("kept")
        assert (kept.get("status") or {}, kept["metadata"].get("finalizers")) == ({}, None)


@pytest.mark.virtual_time
async def test_a_deleted_claim_stays_for_as_long_as_a_pod_uses_it():
    async with living() as cluster:
        d = Devices(cluster)
        await d.offer("node-1")
        await d.claims.create(device_claim("mine"))
        await cluster.pods.create(claiming("user", "mine"))
        await running(cluster, "user")
        await d.claims.delete("mine")
        await cluster.pods.create(claiming("late", "mine"))
        await cluster.sleep(30)
        assert given(await d.claims.get("mine"))
        said = condition(await cluster.pods.get("late"), "PodScheduled")
        assert (said["reason"], said["message"]) == ("NotReadyForScheduling", 'resourceclaim "mine" is being deleted')
        await cluster.pods.delete("user")
        await cluster.sleep(40)
        assert await d.claims.find("mine") is None
        assert is_ready(await cluster.pods.get("late")) is False


@pytest.mark.virtual_time
async def test_a_claim_of_a_pod_is_made_once_whatever_the_cache_knows():
    async with living() as cluster:
        d = Devices(cluster)
        await d.offer("node-1", count=8)
        await d.templates.create(device_template("gpus"))
        for number in range(8):
            one = await cluster.pods.create(claiming(f"p{number}", template="gpus"))
            for turn in range(3):  # it comes up again and again while its claim is being made
                await cluster.pods.patch(name(one), {"metadata": {"labels": {"turn": str(turn)}}})
        await cluster.sleep(30)
        assert len(await d.claims.list_all()) == 8
        assert all(map(is_ready, await cluster.pods.list_all()))


@pytest.mark.virtual_time
async def test_without_its_controller_no_claim_is_made():
    async with living(controllers=("*", "-resource-claim-controller")) as cluster:
        d = Devices(cluster)
        await d.offer("node-1")
        await d.templates.create(device_template("gpus"))
        await cluster.pods.create(claiming("user", template="gpus"))
        await cluster.sleep(10)
        assert await d.claims.list_all() == []
        assert condition(await cluster.pods.get("user"), "PodScheduled")["reason"] == "NotReadyForScheduling"


@pytest.mark.virtual_time
async def test_a_claim_that_was_made_before_its_pod_could_be_told_is_found_again():
    async with living() as cluster:
        d = Devices(cluster)
        await d.templates.create(device_template("gpus"))
        await cluster.pods.create(claiming("user", template="gpus"))
        await cluster.sleep(2)
        before = (await cluster.pods.get("user"))["status"]["resourceClaimStatuses"]
        await cluster.pods.patch("user", {"status": {"resourceClaimStatuses": None}}, subresource="status")
        await cluster.sleep(2)
        assert (await cluster.pods.get("user"))["status"]["resourceClaimStatuses"] == before
        assert len(await d.claims.list_all()) == 1


@pytest.mark.virtual_time
async def test_a_claim_that_is_deleted_before_its_pod_was_placed_is_made_anew():
    async with living() as cluster:
        d = Devices(cluster)
        await d.templates.create(device_template("gpus"))
        await cluster.pods.create(claiming("user", template="gpus"))
        await cluster.sleep(5)
        (first,) = await d.claims.list_all()
        await d.claims.delete(name(first))
        await cluster.sleep(5)
        (second,) = await d.claims.list_all()
        assert name(second) != name(first)
        statuses = (await cluster.pods.get("user"))["status"]["resourceClaimStatuses"]
        assert statuses == [{"name": "gpu", "resourceClaimName": name(second)}]
        await d.offer("node-1")
        await running(cluster, "user")


@pytest.mark.virtual_time
async def test_a_pod_that_was_given_its_node_by_somebody_else_uses_claims_that_have_devices():
    async with living() as cluster:
        d = Devices(cluster)
        await d.offer("node-1")
        await d.claims.create(device_claim("mine"))
        await cluster.pods.create(claiming("first", "mine"))
        await cluster.pods.create(claiming("bare", "none", nodeName="node-1"))
        await running(cluster, "first")
        await cluster.pods.create(claiming("second", "mine", nodeName="node-1"))
        await running(cluster, "second")
        assert [one["name"] for one in (await d.claims.get("mine"))["status"]["reservedFor"]] == ["first", "second"]
        refused = [one["message"] for one in await cluster.events("bare") if one["reason"] == "FailedPrepareDynamicResources"]
        assert refused[0] == (
            'Failed to prepare dynamic resources: prepare dynamic resources: get ResourceClaim none: resourceclaims "none" not found'
        )
        assert phase(await cluster.pods.get("bare")) == "Pending"


@pytest.mark.virtual_time
async def test_a_claim_made_by_hand_for_a_pod_that_is_another_s_is_refused():
    async with living() as cluster:
        d = Devices(cluster)
        await d.offer("node-1")
        await d.templates.create(device_template("gpus"))
        await d.claims.create(device_claim("odd"))
        await cluster.pods.create(claiming("user", template="gpus", schedulingGates=[{"name": "example.com/later"}]))
        await cluster.sleep(2)
        told = {"status": {"resourceClaimStatuses": [{"name": "gpu", "resourceClaimName": "odd"}]}}
        await cluster.pods.patch("user", told, subresource="status")
        await cluster.sleep(2)
        (statuses,) = (await cluster.pods.get("user"))["status"]["resourceClaimStatuses"]
        assert statuses["resourceClaimName"].startswith("user-gpu-")  # the controller's own is put back
        await cluster.pods.patch("user", {"spec": {"schedulingGates": None}})
        await running(cluster, "user")


@pytest.mark.virtual_time
async def test_a_status_that_says_that_no_claim_is_needed_counts():
    async with living() as cluster:
        await cluster.pods.create(claiming("user", template="none", schedulingGates=[{"name": "example.com/later"}]))
        await cluster.pods.patch("user", {"status": {"resourceClaimStatuses": [{"name": "gpu"}]}}, subresource="status")
        await cluster.pods.patch("user", {"spec": {"schedulingGates": None}})
        await running(cluster, "user")


@pytest.mark.virtual_time
async def test_all_goes_with_a_namespace():
    async with living() as cluster:
        d = Devices(cluster)
        await d.offer("node-1")
        namespaces = cluster.client.resource("v1", "namespaces")
        await namespaces.create({"metadata": {"name": "lab"}})
        await cluster.sleep(1)
        for collection, obj in ((d.templates, device_template("gpus")), (cluster.pods, claiming("user", template="gpus"))):
            await collection.within("lab").create({**obj, "metadata": {"name": name(obj), "namespace": "lab"}})
        await cluster.sleep(10)
        assert is_ready(await cluster.pods.within("lab").get("user"))
        await namespaces.delete("lab")
        await cluster.sleep(90)
        with pytest.raises(StatusError, match="not found"):
            await namespaces.get("lab")


POD_USER = {"resource": "pods", "name": "user", "uid": "u"}


@pytest.mark.parametrize(
    ("claim", "over", "owner_is_over", "expected"),
    [
        (({}, [PROTECTION], False), False, False, DeviceClaimPlan([])),
        (({"allocation": {}}, [PROTECTION], False), False, False, DeviceClaimPlan([])),
        (({"allocation": {}, "reservedFor": [POD_USER]}, [PROTECTION], False), False, True, DeviceClaimPlan([POD_USER])),
        (
            ({"allocation": {}, "reservedFor": [POD_USER]}, [PROTECTION], False),
            True,
            False,
            DeviceClaimPlan([], drops_users=True, deallocates=True, unprotects=True),
        ),
        (({"allocation": {}, "reservedFor": [POD_USER]}, [], False), True, False, DeviceClaimPlan([], drops_users=True)),
        (({"allocation": {}}, [PROTECTION], True), False, False, DeviceClaimPlan([], deallocates=True, unprotects=True)),
        (({}, [PROTECTION], True), False, True, DeviceClaimPlan([], unprotects=True)),
        (({}, [], False), False, True, DeviceClaimPlan([], deletes=True)),
    ],
)
def test_what_becomes_of_a_claim(claim: tuple[Object, list[str], bool], over: bool, owner_is_over: bool, expected: DeviceClaimPlan):
    status, finalizers, going = claim
    metadata: Object = {"name": "c", "finalizers": finalizers, **({"deletionTimestamp": "2026-01-01T00:00:00Z"} if going else {})}
    obj = {"metadata": metadata, "spec": {}, "status": status}
    assert plan_claim(obj, lambda _: over, owner_is_over=owner_is_over, protection=PROTECTION) == expected
