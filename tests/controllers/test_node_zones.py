"""How fast pods are driven away from nodes that have failed, and where they are left alone."""

import pytest

from svcsim.client.paths import NODES
from svcsim.controllers.node_lifecycle.controller import GRACE_S
from svcsim.controllers.node_lifecycle.zones import ZoneCounts, Zones, rate_of, state_of
from svcsim.meta.objects import condition_is
from svcsim.meta.times import parse_time
from tests.living import Living, living, name, pod
from tests.virtual import run_virtual

FAR = {"metadata": {"labels": {"topology.kubernetes.io/zone": "far"}}}
SEEN_S = GRACE_S + 25.0
"""Until a silent node has been declared so: renewals are ten seconds apart, looks five."""


async def wish(cluster: Living, **wanted: object) -> None:
    await cluster.client.request("POST", NODES, body=dict(wanted))


async def driven(cluster: Living) -> dict[str, float]:
    """Nodes from which pods are driven away, and since when."""
    found = {}
    for node in await cluster.nodes.list_all():
        for taint in node["spec"].get("taints") or ():
            if taint["effect"] == "NoExecute":
                found[name(node)] = parse_time(taint["timeAdded"])
    return found


async def unreachable(cluster: Living) -> int:
    """How many nodes keep new pods away because nobody hears them."""
    taints = [node["spec"].get("taints") or () for node in await cluster.nodes.list_all()]
    return sum(any(taint["effect"] == "NoSchedule" for taint in some) for some in taints)


def test_zones_are_disrupted_by_many_and_by_large_shares():
    assert state_of(0, 1) == "FullDisruption"
    assert state_of(1, 2) == "Normal"
    assert state_of(4, 3) == "Normal"
    assert state_of(2, 3) == "PartialDisruption"
    assert state_of(0, 0) == "Normal"
    assert (rate_of("PartialDisruption", 50), rate_of("PartialDisruption", 51)) == (0.0, 0.01)
    assert (rate_of("FullDisruption", 3), rate_of("Normal", 3)) == (0.1, 0.1)


def test_nodes_of_a_zone_go_one_after_the_other():
    zones = Zones()
    for node in ("a1", "a2", "a3"):
        zones.wait(node, "a")
    zones.wait("b1", "b")
    assert list(zones.due(100.0)) == ["a1", "b1"]
    assert zones.next_at() == 110.0
    assert list(zones.due(105.0)) == []
    zones.leave("a2")
    assert list(zones.due(110.0)) == ["a3"]
    assert zones.next_at() is None


def test_a_node_that_stands_in_another_zone_by_now_is_to_wait_there():
    zones = Zones()
    zones.wait("n", "a")
    assert zones.waits("n", "a")
    assert not zones.waits("n", "b")
    zones.wait("n", "b")
    zones.take_in({"b": (1, 1)}, 0.0)
    assert list(zones.due(100.0)) == ["n"]


def test_nodes_are_counted_where_they_stand_now():
    counts = ZoneCounts()
    assert [counts.put("one", "a", ready=False), counts.put("one", "a", ready=False), counts.put("two", "a", ready=True)] == [
        True,
        False,
        True,
    ]
    assert counts.by_zone == {"a": (1, 1)}
    assert [counts.put("one", "a", ready=True), counts.put("two", "b", ready=True)] == [True, True]
    assert counts.by_zone == {"a": (1, 0), "b": (1, 0)}
    counts.drop("one")
    counts.drop("one")
    assert counts.by_zone == {"b": (1, 0)}


def test_where_all_zones_fail_nobody_goes():
    zones = Zones()
    assert zones.take_in({"a": (1, 0), "b": (0, 2)}, 0.0) == ""
    zones.wait("b1", "b")
    assert list(zones.due(0.0)) == ["b1"]
    zones.wait("b2", "b")
    assert zones.take_in({"a": (0, 1), "b": (0, 2)}, 1.0) == "entered"
    assert (zones.next_at(), list(zones.due(100.0))) == (None, [])
    assert zones.take_in({"a": (0, 1), "b": (0, 2)}, 50.0) == ""
    assert zones.take_in({"a": (1, 0), "b": (0, 2)}, 100.0) == "left"
    assert zones.next_at() == 110.0


@pytest.mark.virtual_time
async def test_nodes_of_a_zone_are_emptied_ten_seconds_apart() -> None:
    async with living(nodes=1) as cluster:
        await wish(cluster, add={"count": 7, "prefix": "far", "template": FAR})
        await cluster.sleep(20)
        await wish(cluster, fail=["far-1", "far-2", "far-3"])
        await cluster.sleep(SEEN_S + 20)
        since = sorted((await driven(cluster)).values())
        assert (len(since), since[1] - since[0], since[2] - since[1]) == (3, 10.0, 10.0)


@pytest.mark.virtual_time
async def test_where_much_of_a_small_zone_fails_pods_stay() -> None:
    async with living(nodes=1) as cluster:
        await wish(cluster, add={"count": 5, "prefix": "far", "template": FAR})
        await cluster.run_pod(pod("web", nodeName="far-1"))
        await wish(cluster, fail=["far-1", "far-2", "far-3", "far-4"])
        await cluster.sleep(SEEN_S + 600)
        assert await driven(cluster) == {}
        assert await unreachable(cluster) == 4
        assert len(await cluster.pods.list_all()) == 1
        await wish(cluster, recover=["far-3", "far-4"])
        await cluster.sleep(15 + 20)
        assert list(await driven(cluster)) == ["far-1", "far-2"]


@pytest.mark.virtual_time
async def test_where_all_nodes_fail_pods_stay_and_all_get_another_chance() -> None:
    async with living(nodes=3) as cluster:
        await wish(cluster, fail=["node-1"])
        await cluster.sleep(SEEN_S)
        assert list(await driven(cluster)) == ["node-1"]
        await wish(cluster, fail=["node-2", "node-3"])
        await cluster.sleep(SEEN_S)
        assert await driven(cluster) == {}, "all are disrupted: what had begun ends"
        assert await unreachable(cluster) == 3
        await cluster.sleep(600)
        assert await driven(cluster) == {}
        await wish(cluster, recover=["node-3"])
        await cluster.sleep(30)
        assert condition_is(await cluster.nodes.get("node-3"), "Ready")
        assert list(await driven(cluster)) == ["node-1", "node-2"]


@pytest.mark.virtual_time
async def test_a_node_that_goes_is_told_of() -> None:
    async with living(nodes=2) as cluster:
        await cluster.sleep(6)
        uid = (await cluster.nodes.get("node-2"))["metadata"]["uid"]
        await cluster.nodes.delete("node-2")
        await cluster.sleep(6)
        event = next(event for event in await cluster.events("node-2") if event["reason"] == "RemovingNode")
        assert event["message"] == "Node node-2 event: Removing Node node-2 from Controller"
        assert event["involvedObject"]["uid"] == uid


def test_what_was_begun_goes_on_after_a_restart(tmp_path) -> None:
    """A node that has failed is down when the server starts again, its pods are still to go, and what waits in line waits on."""

    async def first() -> None:
        async with living(data_dir=tmp_path, durability="process", nodes=1) as cluster:
            await wish(cluster, add={"count": 7, "prefix": "far", "template": FAR})
            await cluster.run_pod(pod("web", nodeName="far-1"))
            await wish(cluster, fail=["far-1", "far-2", "far-3"])
            await cluster.sleep(GRACE_S)
            while not await driven(cluster):
                await cluster.sleep(1)
            assert list(await driven(cluster)) == ["far-1"]
            stopped.append(cluster.cluster.clock.now())

    async def again() -> None:
        async with living(data_dir=tmp_path, durability="process", start_s=stopped[0], nodes=1) as cluster:
            assert len(await cluster.pods.list_all()) == 1
            await cluster.sleep(60)
            assert list(await driven(cluster)) == ["far-1", "far-2", "far-3"]
            await cluster.sleep(300)
            (left,) = await cluster.pods.list_all()
            assert "deletionTimestamp" in left["metadata"], "it goes when its node can say that it has ended"
            await wish(cluster, recover=["far-1"])
            await cluster.until(lambda pods: pods == [], within_s=60)

    stopped: list[float] = []
    run_virtual(first())
    run_virtual(again())


@pytest.mark.virtual_time
async def test_others_may_take_taints_off_and_put_them_on() -> None:
    async with living(nodes=2) as cluster:
        theirs = {"key": "dedicated", "value": "db", "effect": "NoExecute"}
        await wish(cluster, fail=["node-2"])
        await cluster.sleep(SEEN_S)
        await cluster.nodes.patch("node-2", {"spec": {"taints": [theirs]}})
        await cluster.sleep(30)
        taints = [(taint["key"], taint["effect"]) for taint in (await cluster.nodes.get("node-2"))["spec"]["taints"]]
        unreachable_key = "node.kubernetes.io/unreachable"
        assert taints == [("dedicated", "NoExecute"), (unreachable_key, "NoSchedule"), (unreachable_key, "NoExecute")]
        await wish(cluster, recover=["node-2"])
        await cluster.sleep(20)
        assert [taint["key"] for taint in (await cluster.nodes.get("node-2"))["spec"]["taints"]] == ["dedicated"]
