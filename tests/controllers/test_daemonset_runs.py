"""DaemonSets in a running cluster: a pod on each node that should have one, whatever happens to nodes and pods."""

import pytest

from svcsim.client.revisions import HASH_LABEL
from svcsim.meta.objects import labels_of, name_of
from svcsim.meta.pods import node_of
from tests.controllers.daemons import Daemons, daemon_set, with_image
from tests.controllers.running import running, template

NODES = ("node-1", "node-2", "node-3")


@pytest.mark.virtual_time
@pytest.mark.parametrize("dialect", ["kubernetes", "svcapi"])
async def test_every_node_has_its_pod_which_is_pinned_to_it_and_bound_by_the_scheduler(dialect: str):
    async with running(dialect=dialect) as r:
        d = Daemons(r)
        await d.sets.create(daemon_set())
        item = await d.done()
        assert item["status"] == {
            "currentNumberScheduled": 3, "numberMisscheduled": 0, "desiredNumberScheduled": 3, "numberReady": 3,
            "observedGeneration": 1, "updatedNumberScheduled": 3, "numberAvailable": 3,
        }  # fmt: skip
        ((number, short),) = (await d.revisions()).items()
        assert number == 1
        pods = await d.pods()
        assert sorted(map(node_of, pods)) == list(NODES)
        for pod in pods:
            assert pod["metadata"]["generateName"] == "agent-"
            assert labels_of(pod) == {"app": "agent", HASH_LABEL: short, "pod-template-generation": "1"}
            (owner,) = pod["metadata"]["ownerReferences"]
            assert (owner["kind"], owner["uid"], owner["controller"]) == ("DaemonSet", item["metadata"]["uid"], True)
            assert pod["spec"]["affinity"] == {
                "nodeAffinity": {
                    "requiredDuringSchedulingIgnoredDuringExecution": {
                        "nodeSelectorTerms": [{"matchFields": [{"key": "metadata.name", "operator": "In", "values": [node_of(pod)]}]}]
                    }
                }
            }
            tolerated = [(one["key"].rpartition("/")[2], one["operator"], one["effect"]) for one in pod["spec"]["tolerations"]]
            assert tolerated == [
                ("not-ready", "Exists", "NoExecute"), ("unreachable", "Exists", "NoExecute"), ("disk-pressure", "Exists", "NoSchedule"),
                ("memory-pressure", "Exists", "NoSchedule"), ("pid-pressure", "Exists", "NoSchedule"),
                ("unschedulable", "Exists", "NoSchedule"),
            ]  # fmt: skip
            assert "Scheduled" in [reason for reason, _ in await r.events_of(name_of(pod))]
        created = [message for reason, message in await r.events_of("agent") if reason == "SuccessfulCreate"]
        assert sorted(created) == sorted(f"Created pod: {name_of(pod)}" for pod in pods)
        events = await r.client.resource("v1", "events", "default").list_all(field_selector="involvedObject.name=agent")
        assert {event["source"]["component"] for event in events} == {"daemonset-controller"}


@pytest.mark.virtual_time
async def test_the_longest_name_is_good_for_pods_and_updates():
    long = "d" * 253
    async with running(nodes=1) as r:
        d = Daemons(r)
        made = daemon_set()
        await d.sets.create({**made, "metadata": {"name": long}})
        await d.done(long, 1)
        await d.sets.patch(long, with_image("agent:2"))
        await d.done(long, 1)
        (pod,) = await d.pods()
        assert pod["metadata"]["generateName"] == f"{long}-"
        assert [name_of(one).rpartition("-")[0] for one in await d.kept.list_all()] == ["d" * 223] * 2
        assert labels_of(pod)[HASH_LABEL] == (await d.revisions())[2]


@pytest.mark.virtual_time
async def test_a_pod_that_is_deleted_is_made_again_once_it_is_gone():
    async with running() as r:
        d = Daemons(r)
        await d.sets.create(daemon_set())
        await d.done()
        victim = next(pod for pod in await d.pods() if node_of(pod) == "node-2")
        await r.pods.delete(name_of(victim))
        for pods in await d.observed(60):
            assert len([pod for pod in pods if (pod["spec"].get("nodeName") or "node-2") == "node-2"]) <= 1
        await d.done()
        assert name_of(victim) not in map(name_of, await d.pods())


@pytest.mark.virtual_time
async def test_nodes_are_chosen_by_their_labels_and_pods_follow_them():
    async with running() as r:
        d = Daemons(r)
        await d.sets.create(daemon_set(pod={"nodeSelector": {"disk": "fast"}}))
        item = await d.done(nodes=0)
        assert item["status"]["desiredNumberScheduled"] == 0
        await d.nodes.patch("node-1", {"metadata": {"labels": {"disk": "fast"}}})
        await d.nodes.patch("node-3", {"metadata": {"labels": {"disk": "fast"}}})
        await d.done(nodes=2)
        assert await d.places() == ["node-1", "node-3"]
        await d.nodes.patch("node-1", {"metadata": {"labels": {"disk": "slow"}}})
        await d.until_on("node-3")
        await d.done(nodes=1)
        await r.until(lambda items: items[0]["status"]["numberMisscheduled"] == 0, d.sets)
        assert "SuccessfulDelete" in [reason for reason, _ in await r.events_of("agent")]


@pytest.mark.virtual_time
async def test_a_cordoned_node_keeps_its_daemon_and_gets_one():
    async with running() as r:
        d = Daemons(r)
        await r.clock.sleep(1)
        await d.nodes.patch("node-1", {"spec": {"unschedulable": True}})
        await r.clock.sleep(5)
        await d.sets.create(daemon_set())
        await d.done()
        await d.nodes.patch("node-2", {"spec": {"unschedulable": True}})
        await r.clock.sleep(60)
        assert await d.places() == list(NODES)


@pytest.mark.virtual_time
async def test_a_taint_keeps_new_pods_away_and_one_that_drives_out_takes_those_that_are_there():
    async with running() as r:
        d = Daemons(r)
        await d.sets.create(daemon_set())
        await d.done()
        await d.nodes.patch("node-1", {"spec": {"taints": [{"key": "mine", "effect": "NoSchedule"}]}})
        await r.until(lambda items: items[0]["status"]["numberMisscheduled"] == 1, d.sets)
        await d.done(nodes=2)
        assert await d.places() == list(NODES), "what is there stays"
        victim = next(pod for pod in await d.pods() if node_of(pod) == "node-1")
        await r.pods.delete(name_of(victim))
        await d.until_on("node-2", "node-3")
        await d.nodes.patch("node-2", {"spec": {"taints": [{"key": "mine", "effect": "NoExecute"}]}})
        await d.until_on("node-3")
        await d.nodes.patch("node-1", {"spec": {"taints": None}})
        await d.nodes.patch("node-2", {"spec": {"taints": None}})
        await d.done()


@pytest.mark.virtual_time
async def test_a_node_that_comes_gets_a_pod_and_one_that_goes_takes_its_pod_along():
    async with running() as r:
        d = Daemons(r)
        await d.sets.create(daemon_set())
        await d.done()
        await d.nodes.delete("node-3")
        await r.until(lambda items: items[0]["status"]["desiredNumberScheduled"] == 2, d.sets)
        node = {"apiVersion": "v1", "kind": "Node", "metadata": {"name": "late"}}
        await d.nodes.create({**node, "status": {"allocatable": {"cpu": "4", "memory": "8Gi", "pods": "10"}}})
        await r.until(lambda pods: any(node_of(pod) == "late" for pod in pods), r.pods)
        await r.until(lambda items: items[0]["status"]["currentNumberScheduled"] == 3, d.sets)
        await r.until(lambda pods: "node-3" not in map(node_of, pods), r.pods)


@pytest.mark.virtual_time
async def test_a_pod_that_finds_no_room_waits_for_its_own_node_and_goes_with_it():
    async with running() as r:
        d = Daemons(r)
        wish = daemon_set()
        wish["spec"]["template"]["spec"]["containers"][0]["resources"] = {"requests": {"cpu": "1000"}}
        await d.sets.create(wish)
        pods = await r.until(lambda pods: len(pods) == 3, r.pods)
        await r.clock.sleep(30)
        assert not any(map(node_of, pods))
        item = (await d.sets.list_all())[0]
        assert (item["status"]["currentNumberScheduled"], item["status"]["numberUnavailable"]) == (3, 3)
        assert len(await r.pods.list_all()) == 3, "one for each node, though none is on any"
        node = {"apiVersion": "v1", "kind": "Node", "metadata": {"name": "late"}}
        await d.nodes.create({**node, "status": {"allocatable": {"cpu": "4", "memory": "8Gi", "pods": "10"}}})
        await r.until(lambda pods: len(pods) == 4, r.pods)
        await d.nodes.delete("late")
        await r.until(lambda pods: len(pods) == 3, r.pods)


@pytest.mark.virtual_time
async def test_a_failed_pod_is_replaced_later_and_later_and_events_tell_of_it():
    async with running(nodes=1) as r:
        d = Daemons(r)
        await d.sets.create(daemon_set())
        await d.done(nodes=1)
        made: list[float] = []
        for _ in range(4):
            (pod,) = await r.until(lambda pods: len(pods) == 1 and pods[0]["status"]["phase"] == "Running", r.pods)
            await r.pods.patch(name_of(pod), {"status": {"phase": "Failed"}}, subresource="status")
            since = r.clock.now()
            await r.until_gone(r.pods, name_of(pod))
            made.append(r.clock.now() - since)
        assert made == sorted(made)
        assert made[3] > 2
        assert made[0] < 1
        told = [message for reason, message in await r.events_of("agent") if reason == "FailedDaemonPod"]
        assert len(told) == 4
        assert told[-1] == f"Found failed daemon pod default/{name_of(pod)} on node node-1, will try to kill it"
        await d.done(nodes=1)


@pytest.mark.virtual_time
async def test_it_adopts_what_fits_and_lets_go_what_no_longer_does():
    async with running() as r:
        d = Daemons(r)
        orphan = {"apiVersion": "v1", "kind": "Pod", **template("agent", nodeName="node-2")}
        orphan["metadata"] = {**orphan["metadata"], "name": "orphan"}
        await r.pods.create(orphan)
        made = await d.sets.create(daemon_set(updateStrategy={"type": "OnDelete"}))
        await r.until(lambda items: items[0]["status"].get("numberReady") == 3, d.sets)
        assert (await r.pods.get("orphan"))["metadata"]["ownerReferences"][0]["uid"] == made["metadata"]["uid"]
        assert await d.places() == list(NODES)
        await r.pods.patch("orphan", {"metadata": {"labels": {"app": "other"}}})
        await r.until(lambda pods: len(pods) == 4, r.pods)
        assert "ownerReferences" not in (await r.pods.get("orphan"))["metadata"]
        await d.done()


@pytest.mark.virtual_time
async def test_what_is_left_behind_is_taken_over_with_its_revision_by_the_next_one():
    async with running() as r:
        d = Daemons(r)
        await d.sets.create(daemon_set())
        await d.done()
        before = sorted(map(name_of, await d.pods()))
        kept = await d.revisions()
        await d.sets.delete("agent", propagation="Orphan")
        await r.until_gone(d.sets, "agent")
        await r.clock.sleep(10)
        assert sorted(map(name_of, await d.pods())) == before
        await d.sets.create(daemon_set())
        await d.done()
        assert sorted(map(name_of, await d.pods())) == before
        assert await d.revisions() == kept
        await d.sets.delete("agent", propagation="Background")
        await r.until(lambda pods: pods == [], r.pods)
        await r.until(lambda items: items == [], d.kept)


@pytest.mark.virtual_time
async def test_a_quiet_daemon_set_writes_nothing():
    async with running() as r:
        d = Daemons(r)
        await d.sets.create(daemon_set(minReadySeconds=10))
        await d.done()
        await r.clock.sleep(30)
        before = (await d.sets.get("agent"))["metadata"]["resourceVersion"]
        await r.clock.sleep(3600)
        assert (await d.sets.get("agent"))["metadata"]["resourceVersion"] == before
