"""How a DaemonSet's pods get to a new template, and back."""

import pytest

from svcsim.client.revisions import HASH_LABEL
from svcsim.meta.objects import is_terminating, labels_of, name_of
from svcsim.meta.pods import is_ready, node_of
from svcsim.meta.types import Json, Object
from tests.controllers.daemons import Daemons, daemon_set, ready_nodes, surge, with_image
from tests.controllers.running import running


def images(pods: list[Object]) -> list[str]:
    return sorted(pod["spec"]["containers"][0]["image"] for pod in pods)


def at_most_unavailable(count: Json) -> Object:
    return {"updateStrategy": {"type": "RollingUpdate", "rollingUpdate": {"maxUnavailable": count}}}


@pytest.mark.virtual_time
@pytest.mark.parametrize(("strategy", "fewest"), [({}, 4), (at_most_unavailable(3), 2), (at_most_unavailable("50%"), 2)])
async def test_a_rolling_update_leaves_as_many_nodes_without_a_pod_as_it_may(strategy: Object, fewest: int):
    async with running(nodes=5) as r:
        d = Daemons(r)
        await d.sets.create(daemon_set(**strategy))
        await d.done(nodes=5)
        await d.sets.patch("agent", with_image("agent:2"))
        states = await d.observed(240)
        await d.done(nodes=5)
        assert min(map(ready_nodes, states)) == fewest
        assert max(len(pods) for pods in states) == 5, "the new one comes when the old one is gone"
        assert images(await d.pods()) == ["agent:2"] * 5
        assert list(await d.revisions()) == [1, 2]


@pytest.mark.virtual_time
@pytest.mark.parametrize(("most", "doubled"), [(1, 1), ("40%", 2)])
async def test_with_surge_every_node_has_a_ready_pod_all_the_time(most: Json, doubled: int):
    async with running(nodes=4) as r:
        d = Daemons(r)
        await d.sets.create(daemon_set(**surge(most)))
        await d.done(nodes=4)
        await d.sets.patch("agent", with_image("agent:2"))
        states = await d.observed(240)
        await d.done(nodes=4)
        assert min(map(ready_nodes, states)) == 4
        living = [[pod for pod in pods if not is_terminating(pod)] for pods in states]
        assert max(map(len, living)) == 4 + doubled
        assert images(await d.pods()) == ["agent:2"] * 4


@pytest.mark.virtual_time
async def test_an_update_goes_on_when_the_new_pod_has_been_ready_long_enough():
    async with running() as r:
        d = Daemons(r)
        await d.sets.create(daemon_set(minReadySeconds=60))
        await d.done()
        since = r.clock.now()
        await d.sets.patch("agent", with_image("agent:2"))
        await d.done(within_s=600)
        assert 180 <= r.clock.now() - since <= 300


@pytest.mark.virtual_time
async def test_an_update_that_does_not_work_stops_where_it_may_and_what_follows_replaces_what_serves_nobody():
    async with running() as r:
        d = Daemons(r)
        await d.sets.create(daemon_set())
        await d.done()
        broken = with_image("agent:2")
        broken["spec"]["template"]["spec"]["nodeSelector"] = None
        broken["spec"]["template"]["spec"]["containers"][0]["resources"] = {"requests": {"cpu": "1000"}}
        await d.sets.patch("agent", broken)
        await r.clock.sleep(600)
        assert images(await d.pods()) == ["agent:1", "agent:1", "agent:2"]
        item = await d.sets.get("agent")
        assert (item["status"]["updatedNumberScheduled"], item["status"]["numberUnavailable"]) == (1, 1)
        await d.sets.patch("agent", with_image("agent:3"))
        await d.done()
        assert images(await d.pods()) == ["agent:3"] * 3


@pytest.mark.virtual_time
async def test_on_delete_nothing_is_replaced_before_somebody_deletes_it():
    async with running() as r:
        d = Daemons(r)
        await d.sets.create(daemon_set(updateStrategy={"type": "OnDelete"}))
        await d.done()
        await d.sets.patch("agent", with_image("agent:2"))
        await r.clock.sleep(300)
        assert images(await d.pods()) == ["agent:1"] * 3
        item = await d.sets.get("agent")
        assert (item["status"].get("updatedNumberScheduled", 0), item["status"]["observedGeneration"]) == (0, 2)
        victim = (await d.pods())[0]
        await r.pods.delete(name_of(victim))
        await r.until(lambda items: items[0]["status"].get("updatedNumberScheduled") == 1, d.sets)
        assert images(await d.pods()) == ["agent:1", "agent:1", "agent:2"]


@pytest.mark.virtual_time
async def test_what_was_before_comes_back_as_the_newest_revision():
    async with running() as r:
        d = Daemons(r)
        await d.sets.create(daemon_set())
        await d.done()
        first = (await d.revisions())[1]
        await d.sets.patch("agent", with_image("agent:2"))
        await d.done()
        second = (await d.revisions())[2]
        (target,) = [item for item in await d.kept.list_all() if item["revision"] == 1]
        await d.sets.patch("agent", target["data"], "strategic")
        await d.done()
        assert images(await d.pods()) == ["agent:1"] * 3
        assert await d.revisions() == {2: second, 3: first}
        assert {labels_of(pod)[HASH_LABEL] for pod in await d.pods()} == {first}


@pytest.mark.virtual_time
async def test_as_many_old_revisions_are_kept_as_are_asked_for_and_those_that_pods_are_of():
    async with running() as r:
        d = Daemons(r)
        await d.sets.create(daemon_set(revisionHistoryLimit=2))
        await d.done()
        for number in range(2, 6):
            await d.sets.patch("agent", with_image(f"agent:{number}"))
            await d.done()
        await r.clock.sleep(30)
        assert list(await d.revisions()) == [3, 4, 5]
        await d.sets.patch("agent", {"spec": {"updateStrategy": {"type": "OnDelete", "rollingUpdate": None}, "revisionHistoryLimit": 0}})
        await r.until(lambda items: len(items) == 1, d.kept)
        await d.sets.patch("agent", with_image("agent:6"))
        await r.clock.sleep(60)
        assert list(await d.revisions()) == [5, 6], "pods are of the fifth still"
        for pod in await d.pods():
            await r.pods.delete(name_of(pod))
        await d.done()
        await r.clock.sleep(30)
        assert list(await d.revisions()) == [6]


@pytest.mark.virtual_time
async def test_a_revisions_name_that_is_taken_is_counted_and_another_one_found():
    async with running() as r:
        d = Daemons(r)
        await d.sets.create(daemon_set())
        await d.done()
        await d.sets.patch("agent", with_image("agent:2"))
        await d.done()
        (wish,) = [item for item in await d.kept.list_all() if item["revision"] == 2]
        await d.sets.patch("agent", with_image("agent:1"))
        await d.done()
        await d.sets.patch("agent", {"spec": {"revisionHistoryLimit": 0}})
        await r.until(lambda items: len(items) == 1, d.kept)
        metadata = {"name": name_of(wish), "labels": {"of": "another"}}
        await d.kept.create({"apiVersion": "apps/v1", "kind": "ControllerRevision", "metadata": metadata, "data": {}, "revision": 1})
        await d.sets.patch("agent", with_image("agent:2"))
        item = await d.done()
        assert item["status"]["collisionCount"] == 1
        assert name_of(wish) not in [name_of(kept) for kept in await d.kept.list_all(label_selector="app=agent")]


@pytest.mark.virtual_time
async def test_of_two_revisions_of_one_template_one_remains_and_pods_are_of_that():
    async with running() as r:
        d = Daemons(r)
        await d.sets.create(daemon_set())
        await d.done()
        before = sorted(map(name_of, await d.pods()))
        (kept,) = await d.kept.list_all()
        metadata = {**kept["metadata"], "name": "agent-double", "labels": {"app": "agent", HASH_LABEL: "double"}}
        for field in ("uid", "resourceVersion", "creationTimestamp", "managedFields"):
            metadata.pop(field, None)
        await d.kept.create({**kept, "metadata": metadata, "revision": 4})
        await r.until(lambda items: len(items) == 1, d.kept)
        assert await d.revisions() == {4: "double"}
        await r.clock.sleep(30)
        pods = await d.pods()
        assert sorted(map(name_of, pods)) == before, "nothing is replaced for it"
        assert {labels_of(pod)[HASH_LABEL] for pod in pods} == {"double"}


@pytest.mark.virtual_time
async def test_with_surge_a_node_that_takes_no_second_pod_gives_up_its_old_one():
    async with running() as r:
        d = Daemons(r)
        await d.sets.create(daemon_set(**surge(1)))
        await d.done()
        await d.nodes.patch("node-1", {"spec": {"taints": [{"key": "mine", "effect": "NoSchedule"}]}})
        await d.sets.patch("agent", with_image("agent:2"))
        await d.until_on("node-2", "node-3", within_s=300)
        await d.done(nodes=2)
        assert images(await d.pods()) == ["agent:2"] * 2
        assert all(is_ready(pod) and node_of(pod) != "node-1" for pod in await d.pods())
