"""A cluster whose clock is stepped: nothing in it is late, however slow the disk is."""

import asyncio
from pathlib import Path

import pytest

from svcsim.cluster.cluster import Cluster, open_cluster
from svcsim.cluster.keepers import start_time
from svcsim.cluster.spec import ClusterSpec
from svcsim.meta.errors import StatusError
from svcsim.meta.http import Request
from svcsim.meta.times import parse_time
from svcsim.meta.types import Object
from svcsim.wall import stopwatch, wall_time
from tests.living import is_ready
from tests.virtual import START_S

CLOCK = "/svcsim/v1/clock"


def slow_disk(_point: str) -> None:
    """Take a few milliseconds for every commit."""
    until = stopwatch() + 0.006
    while stopwatch() < until:
        pass


def paused(tmp_path: Path) -> ClusterSpec:
    return ClusterSpec(dialect="kubernetes", nodes=3, clock_speed=0.0, seed=1, start_s=START_S, data_dir=tmp_path / "c")


async def reasons(cluster: Cluster) -> dict[str, None]:
    return dict.fromkeys([event["reason"] for event in await cluster.client("test").resource("v1", "events").list_all()])


async def test_a_long_step_on_a_slow_disk_makes_no_node_late(tmp_path: Path) -> None:
    async with open_cluster(paused(tmp_path), slow_disk) as cluster:
        await cluster.clock.step(240)
        assert cluster.clock.now() == START_S + 240
        assert "NodeNotReady" not in await reasons(cluster)
        client = cluster.client("test")
        assert [is_ready(node) for node in await client.resource("v1", "nodes").list_all()] == [True] * 3
        leases = await client.resource("coordination.k8s.io/v1", "leases").list_all()
        assert [START_S + 240 - parse_time(lease["spec"]["renewTime"]) <= 10 for lease in leases] == [True] * 3


async def test_a_step_asked_for_over_the_plain_path_holds_no_component_back(tmp_path: Path) -> None:
    """The request is under way for as long as the step; were it to go first as others do, every renewal would wait half a second."""
    async with open_cluster(paused(tmp_path)) as cluster:
        handler = cluster._precedence.first(cluster.pipeline.handle)
        request = Request("PUT", CLOCK, body=b'{"step": 60}', user=cluster.client("test").transport._user)
        response = await handler(request)
        assert response.stream is not None
        assert not cluster._precedence.under_way
        assert b"".join([piece async for piece in response.stream]).endswith(b'"arrived":true}\n')


@pytest.mark.parametrize("wish", [{"speed": None}, {"step": None}, {"speed": "x2"}, {"step": -1}])
@pytest.mark.virtual_time
async def test_a_wish_that_is_no_number_is_refused(wish: Object) -> None:
    async with open_cluster(ClusterSpec(nodes=0, clock_speed=0.0, start_s=START_S)) as cluster:
        with pytest.raises(StatusError, match=r"the clock's speed must be 0|a step must be a number of seconds"):
            await cluster.client("test").request("PUT", CLOCK, body=wish)


async def test_who_steps_and_leaves_ends_the_step(tmp_path: Path) -> None:
    async with open_cluster(paused(tmp_path)) as cluster:
        client = cluster.client("test")
        under_way = asyncio.Event()
        cluster.clock.call_later(100, under_way.set)
        leaving = asyncio.create_task(client.request("PUT", CLOCK, body={"step": 3.6e7}))
        await under_way.wait()
        leaving.cancel()
        await asyncio.wait((leaving,))
        assert cluster.clock.target is None
        stood = cluster.clock.now()
        assert stood < START_S + 3.6e7
        await client.request("PUT", CLOCK, body={"step": 10})
        assert cluster.clock.now() == stood + 10


@pytest.mark.parametrize(("speed", "nodes", "seconds"), [(1000.0, 30, 300), (100.0, 60, 120)])
async def test_a_cluster_sped_up_beyond_what_the_machine_can_do_makes_no_node_late(
    tmp_path: Path, speed: float, nodes: int, seconds: float
) -> None:
    spec = ClusterSpec(dialect="kubernetes", nodes=nodes, clock_speed=speed, seed=1, start_s=START_S, data_dir=tmp_path / "c")
    async with open_cluster(spec, slow_disk) as cluster:
        all_nodes = cluster.client("test").resource("v1", "nodes")
        while [is_ready(node) for node in await all_nodes.list_all()] != [True] * nodes:  # how long that takes, the machine decides
            await cluster.clock.sleep(1)
        await cluster.clock.sleep(seconds)
        assert cluster.clock.reached_speed < speed
        assert "NodeNotReady" not in await reasons(cluster)
        assert [is_ready(node) for node in await all_nodes.list_all()] == [True] * nodes


async def test_a_cluster_sped_up_and_slowed_down_again_and_stepped_makes_no_node_late(tmp_path: Path) -> None:
    async with open_cluster(paused(tmp_path), slow_disk) as cluster:
        for speed, seconds in ((1000, 120), (0, 300), (100, 60), (0, 90), (1, 0.2)):
            cluster.clock.set_speed(speed)
            await (cluster.clock.sleep(seconds) if speed else cluster.clock.step(seconds))
        assert "NodeNotReady" not in await reasons(cluster)


async def test_a_machine_that_slept_finds_its_nodes_alive(tmp_path: Path) -> None:
    spec = ClusterSpec(dialect="kubernetes", nodes=2, seed=1, data_dir=tmp_path / "c")
    async with open_cluster(spec) as cluster:
        nodes = cluster.client("test").resource("v1", "nodes")
        leases = cluster.client("test").resource("coordination.k8s.io/v1", "leases")
        while len(await leases.list_all()) < 2 or not all(is_ready(node) for node in await nodes.list_all()):
            await cluster.clock.sleep(0.05)
        cluster.clock._machine = lambda: wall_time() + 8 * 3600
        before = cluster.clock.now()
        cluster.clock.catch_up()
        woke = cluster.clock.now()
        assert woke - before > 8 * 3600 - 1
        cluster.clock.set_speed(20)
        while any(parse_time(lease["spec"]["renewTime"]) < woke for lease in await leases.list_all()):
            await cluster.clock.sleep(0.05)
        await cluster.clock.sleep(6)  # as long as a round of who watches over the nodes, and a little more
        assert [is_ready(node) for node in await nodes.list_all()] == [True, True]
        assert "NodeNotReady" not in await reasons(cluster)


async def test_a_machine_that_is_set_back_leaves_the_clusters_time_as_it_goes(tmp_path: Path) -> None:
    async with open_cluster(ClusterSpec(dialect="kubernetes", nodes=2, seed=1, data_dir=tmp_path / "c")) as cluster:
        nodes = cluster.client("test").resource("v1", "nodes")
        while len(await nodes.list_all()) < 2 or not all(is_ready(node) for node in await nodes.list_all()):
            await cluster.clock.sleep(0.05)
        before = cluster.clock.now()
        cluster.clock._machine = lambda: wall_time() - 3600
        cluster.clock.catch_up()
        await cluster.clock.sleep(6)
        state = await cluster.client("test").get_json(CLOCK)
        assert 6 <= cluster.clock.now() - before < 1800
        assert 3500 < state["aheadSeconds"] < 3700, "which clock show and status tell of"
        assert "NodeNotReady" not in await reasons(cluster)
        cluster.clock._machine = wall_time
        cluster.clock.catch_up()
        assert abs(cluster.clock.ahead_s) < 1, "and where the machine is right again nothing is to be caught up with"


async def test_a_step_while_a_workload_rolls_out_loses_nothing_and_makes_nothing_late(tmp_path: Path) -> None:
    async with open_cluster(paused(tmp_path), slow_disk) as cluster:
        client = cluster.client("test")
        deployments = client.resource("apps/v1", "deployments", "default")
        await cluster.clock.step(60)
        template = {"metadata": {"labels": {"app": "web"}}, "spec": {"containers": [{"name": "c", "image": "nginx:1"}]}}
        spec = {"replicas": 12, "progressDeadlineSeconds": 120, "selector": {"matchLabels": {"app": "web"}}, "template": template}
        await deployments.create({"metadata": {"name": "web"}, "spec": spec})
        stepping = asyncio.create_task(cluster.clock.step(600))
        refused = asyncio.create_task(client.request("PUT", CLOCK, body={"step": 5}))
        await asyncio.wait((refused,))
        assert "stepped already" in str(refused.exception())
        image = {"spec": {"template": {"spec": {"containers": [{"name": "c", "image": "nginx:2"}]}}}}
        await deployments.patch("web", image)
        assert await stepping
        status = (await deployments.get("web"))["status"]
        assert [status[name] for name in ("replicas", "updatedReplicas", "availableReplicas")] == [12] * 3
        seen = await reasons(cluster)
        assert not {"NodeNotReady", "TaintManagerEviction"} & set(seen)
        assert cluster.failures == []


@pytest.mark.parametrize("wish", [{"step": 86_400.5}, {"advance": 86_400.5}, {"until": {"time": "2026-01-02T00:00:00.500000Z"}}], ids=str)
async def test_a_step_that_was_answered_is_kept_however_the_process_ends(tmp_path: Path, wish: Object) -> None:
    async with open_cluster(paused(tmp_path)) as cluster:
        await cluster.client("test").request("PUT", CLOCK, body=wish)
        assert cluster.clock.now() == START_S + 86_400.5
        assert start_time(cluster.store, None, 1.0) >= START_S + 86_400.5
        assert start_time(cluster.store, None, 0.0) == START_S + 86_400.5


@pytest.mark.virtual_time
async def test_no_stored_time_lies_behind_where_the_clock_would_begin_again() -> None:
    async with open_cluster(ClusterSpec(dialect="kubernetes", nodes=0, seed=1, start_s=START_S + 1e9)) as cluster:
        maps = cluster.client("test").resource("v1", "configmaps", "default")
        for seconds in (0.25, 3.0, 7.0, 0.5):
            await cluster.clock.sleep(seconds)
            await maps.create({"metadata": {"generateName": "c-"}})
            assert start_time(cluster.store, None, 1.0) == cluster.clock.now()
