"""The garbage collector in a running cluster."""

import pytest

from svcsim.meta.objects import copy_json
from svcsim.meta.types import Object
from tests.controllers.running import config_map, running


@pytest.mark.virtual_time
async def test_dependents_go_after_their_owner():
    async with running() as r:
        owner = await r.config_maps.create(config_map("owner"))
        child = await r.config_maps.create(config_map("child", owner))
        await r.config_maps.create(config_map("grandchild", child))
        await r.config_maps.create(config_map("stranger"))
        await r.config_maps.delete("owner")
        await r.until_gone(r.config_maps, "grandchild")
        assert not await r.exists(r.config_maps, "child")
        assert await r.exists(r.config_maps, "stranger")


@pytest.mark.virtual_time
async def test_one_owner_that_stays_is_enough_and_the_other_is_forgotten():
    async with running() as r:
        one, two = await r.config_maps.create(config_map("one")), await r.config_maps.create(config_map("two"))
        await r.config_maps.create(config_map("child", one, two))
        await r.config_maps.delete("one")
        await r.until(
            lambda items: [len(item["metadata"]["ownerReferences"]) for item in items if item["metadata"]["name"] == "child"] == [1],
            r.config_maps,
        )
        child = await r.config_maps.get("child")
        assert child["metadata"]["ownerReferences"][0]["name"] == "two"


@pytest.mark.virtual_time
async def test_in_the_foreground_the_owner_waits_for_those_that_block_it():
    async with running() as r:
        owner = await r.config_maps.create(config_map("owner"))
        await r.config_maps.create(config_map("held", owner, finalizers=["example.com/hold"]))
        await r.config_maps.create(config_map("free", owner))
        await r.config_maps.delete("owner", propagation="Foreground")
        await r.until_gone(r.config_maps, "free")
        await r.clock.sleep(60)
        waiting = await r.config_maps.get("owner")
        assert waiting["metadata"]["finalizers"] == ["foregroundDeletion"]
        assert (await r.config_maps.get("held"))["metadata"]["deletionTimestamp"]
        await r.config_maps.patch("held", {"metadata": {"finalizers": None}})
        await r.until_gone(r.config_maps, "owner")


@pytest.mark.virtual_time
async def test_orphaning_frees_dependents_before_the_owner_goes():
    async with running() as r:
        owner = await r.config_maps.create(config_map("owner"))
        await r.config_maps.create(config_map("child", owner))
        await r.config_maps.delete("owner", propagation="Orphan")
        await r.until_gone(r.config_maps, "owner")
        await r.clock.sleep(60)
        assert "ownerReferences" not in (await r.config_maps.get("child"))["metadata"]


@pytest.mark.virtual_time
async def test_a_dependent_of_an_owner_that_never_was_is_collected():
    async with running() as r:
        ghost = copy_json(config_map("ghost"))
        ghost["metadata"]["uid"] = "00000000-0000-0000-0000-000000000000"
        await r.config_maps.create(config_map("child", ghost))
        await r.until_gone(r.config_maps, "child")


@pytest.mark.virtual_time
async def test_an_owner_in_another_namespace_is_no_owner_and_an_event_says_so():
    async with running() as r:
        system = r.client.resource("v1", "configmaps", r.dialect.system_namespace)
        owner = await system.create(config_map("owner", namespace=r.dialect.system_namespace))
        await r.clock.sleep(10)
        await r.config_maps.create(config_map("child", owner))
        await r.until_gone(r.config_maps, "child")
        await r.clock.sleep(10)
        ((reason, message),) = await r.events_of("child")
        assert reason == "OwnerRefInvalidNamespace"
        where = f"namespace: default, name: owner, uid: {owner['metadata']['uid']}"
        assert message == f'ownerRef [v1/ConfigMap, {where}] does not exist in namespace "default"'
        assert await r.exists(system, "owner")


@pytest.mark.virtual_time
async def test_an_owner_missing_in_one_namespace_still_owns_in_its_own():
    async with running() as r:
        system = r.client.resource("v1", "configmaps", r.dialect.system_namespace)
        owner = await system.create(config_map("owner", namespace=r.dialect.system_namespace))
        await r.config_maps.create(config_map("stray", owner))
        await system.create(config_map("child", owner, namespace=r.dialect.system_namespace))
        await r.until_gone(r.config_maps, "stray")
        await r.clock.sleep(60)
        assert await r.exists(system, "child")


@pytest.mark.virtual_time
async def test_what_is_in_no_namespace_is_not_collected_for_an_owner_in_one():
    async with running() as r:
        namespaces = r.client.resource("v1", "namespaces")
        owner = await r.config_maps.create(config_map("owner"))
        reference = config_map("x", owner)["metadata"]["ownerReferences"]
        await namespaces.create({"metadata": {"name": "child", "ownerReferences": reference}})
        await r.config_maps.delete("owner")
        await r.clock.sleep(60)
        assert "deletionTimestamp" not in (await namespaces.get("child"))["metadata"]
        events = await r.client.resource("v1", "events", "default").list(field_selector="reason=OwnerRefInvalidNamespace")
        where = f"namespace: , name: owner, uid: {owner['metadata']['uid']}"
        assert [event["message"] for event in events.items] == [f'ownerRef [v1/ConfigMap, {where}] does not exist in namespace ""']


@pytest.mark.virtual_time
async def test_an_owner_of_the_same_name_but_another_uid_is_no_owner():
    async with running() as r:
        owner = await r.config_maps.create(config_map("owner"))
        await r.config_maps.delete("owner")
        await r.config_maps.create(config_map("owner"))
        await r.config_maps.create(config_map("child", owner))
        await r.until_gone(r.config_maps, "child")


def naming(owner: Object, called: str, **otherwise: object) -> Object:
    """A config map whose reference has the UID of an owner, and says otherwise what that is."""
    made = config_map(called, owner)
    made["metadata"]["ownerReferences"][0] |= otherwise
    return made


@pytest.mark.virtual_time
@pytest.mark.parametrize("otherwise", [{"name": "nope"}, {"kind": "Secret"}, {"kind": "Node", "name": "node-1"}])
async def test_a_reference_of_the_right_uid_that_names_another_object_has_no_owner(otherwise):
    async with running() as r:
        owner = await r.config_maps.create(config_map("owner"))
        await r.config_maps.create(config_map("child", owner))
        await r.config_maps.create(naming(owner, "wrong", **otherwise))
        await r.until_gone(r.config_maps, "wrong")
        await r.clock.sleep(60)
        assert await r.exists(r.config_maps, "child")
        await r.config_maps.create(config_map("late", owner))
        await r.clock.sleep(60)
        assert await r.exists(r.config_maps, "late")


@pytest.mark.virtual_time
async def test_a_reference_to_a_kind_that_is_not_served_never_costs_its_object():
    async with running() as r:
        owner = await r.config_maps.create(config_map("owner"))
        await r.config_maps.create(naming(owner, "kept", apiVersion="nope.example/v1", kind="Nope"))
        await r.clock.sleep(60)
        await r.config_maps.delete("owner")
        await r.clock.sleep(600)
        assert await r.exists(r.config_maps, "kept")


@pytest.mark.virtual_time
async def test_what_a_wrong_reference_says_of_an_owner_that_is_not_followed_is_no_matter_to_right_ones():
    async with running() as r:
        events = r.client.resource("events.k8s.io/v1", "events", "default")
        body = {"metadata": {"name": "told", "namespace": "default"}, "eventTime": "2026-01-01T00:00:00.000000Z", "type": "Normal"}
        body |= {"reason": "R", "action": "A", "reportingController": "example.com/c", "reportingInstance": "c-1"}
        event = {"apiVersion": "events.k8s.io/v1", "kind": "Event", **await events.create(body)}
        system = r.client.resource("v1", "configmaps", r.dialect.system_namespace)
        await r.config_maps.create(config_map("child", event))
        await r.config_maps.create(naming(event, "wrong", apiVersion="v1", kind="ConfigMap"))
        await r.config_maps.create(naming(event, "wrong-too", apiVersion="v1", kind="Node", name="nope"))
        elsewhere = naming(event, "elsewhere", apiVersion="v1", kind="Node", name="nope")
        elsewhere["metadata"]["namespace"] = r.dialect.system_namespace
        await system.create(elsewhere)
        for collection, name in ((r.config_maps, "wrong"), (r.config_maps, "wrong-too"), (system, "elsewhere")):
            await r.until_gone(collection, name)
        await r.config_maps.create(config_map("late", event))
        await r.clock.sleep(60)
        assert await r.exists(r.config_maps, "child")
        assert await r.exists(r.config_maps, "late")
        await events.delete("told")
        await r.config_maps.create(config_map("later", event))
        await r.until_gone(r.config_maps, "later")


@pytest.mark.virtual_time
async def test_many_dependents_of_one_owner_all_go():
    async with running(nodes=0) as r:
        owner = await r.config_maps.create(config_map("owner"))
        for number in range(1_500):
            await r.config_maps.create(config_map(f"child-{number}", owner))
        await r.config_maps.delete("owner")
        await r.until(lambda items: not items, r.client.resource("v1", "configmaps", "default"), 600)


@pytest.mark.virtual_time
@pytest.mark.parametrize("size", [1, 2, 3, 5])
async def test_objects_that_own_each_other_in_a_circle_can_be_deleted_in_the_foreground(size):
    async with running() as r:
        names = [f"member-{number}" for number in range(size)]
        members = [await r.config_maps.create(config_map(name)) for name in names]
        for index, name in enumerate(names):
            references = config_map(name, members[index - 1])["metadata"]["ownerReferences"]
            await r.config_maps.patch(name, {"metadata": {"ownerReferences": references}})
        await r.clock.sleep(1)
        await r.config_maps.delete(names[0], propagation="Foreground")
        await r.until(lambda items: not any(item["metadata"]["name"] in names for item in items), r.config_maps)


@pytest.mark.virtual_time
async def test_three_pods_in_a_circle_can_be_deleted_in_the_foreground():
    async with running() as r:
        container = {"name": "main", "image": "nginx"}
        pods = [await r.pods.create({"metadata": {"name": name}, "spec": {"containers": [container]}}) for name in ("a", "b", "c")]
        for pod, owner in zip(pods, (pods[2], pods[0], pods[1]), strict=True):
            metadata = owner["metadata"]
            reference = {"apiVersion": "v1", "kind": "Pod", "name": metadata["name"], "uid": metadata["uid"]}
            references = [{**reference, "controller": True, "blockOwnerDeletion": True}]
            await r.pods.patch(pod["metadata"]["name"], {"metadata": {"ownerReferences": references}})
        await r.pods.delete("a", propagation="Foreground")
        await r.until(lambda items: items == [], r.pods)
