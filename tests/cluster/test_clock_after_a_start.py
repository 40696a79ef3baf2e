"""Where a cluster's clock goes on that is started again: it depends on how it went, and on what its machine says by then."""

from pathlib import Path

import pytest

from svcsim.cluster import keepers
from svcsim.cluster.cluster import open_cluster
from svcsim.cluster.spec import ClusterSpec
from svcsim.meta.times import parse_time
from svcsim.wall import wall_time

HOUR_S = 3600.0


@pytest.mark.parametrize(
    ("speed", "stood_behind_s", "goes_on"),
    [
        (0.0, 8 * HOUR_S, "where it stood"),
        (100.0, 8 * HOUR_S, "where it stood"),
        (1.0, 8 * HOUR_S, "as far behind"),
        (1.0, 5.0, "now"),
        (1.0, -8 * HOUR_S, "where it stood"),
        (0.0, -8 * HOUR_S, "where it stood"),
    ],
)
async def test_a_clock_goes_on_by_how_it_went(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, speed: float, stood_behind_s: float, goes_on: str
) -> None:
    machine_s = wall_time()
    monkeypatch.setattr(keepers, "wall_time", lambda: machine_s)
    starts_at = ClusterSpec(nodes=0, seed=1, start_s=machine_s - stood_behind_s, clock_speed=0.0, data_dir=tmp_path / "c")
    async with open_cluster(starts_at) as cluster:
        stood_s = cluster.clock.now()
        await cluster.client("test").resource("v1", "configmaps", "default").create({"metadata": {"name": "c"}})
        assert keepers.start_time(cluster.store, 7.0, speed) == 7.0
        machine_s += HOUR_S
        expected = {"where it stood": stood_s, "as far behind": stood_s + HOUR_S, "now": machine_s}[goes_on]
        assert keepers.start_time(cluster.store, None, speed) == pytest.approx(expected, abs=0.001)


async def test_a_paused_clock_stands_where_it_stood_after_a_new_start(tmp_path: Path) -> None:
    spec = ClusterSpec(nodes=0, seed=1, clock_speed=0.0, data_dir=tmp_path / "c")
    async with open_cluster(spec) as cluster:
        await cluster.client("test").request("PUT", "/svcsim/v1/clock", body={"step": 30})
        stood_s = cluster.clock.now()
    async with open_cluster(spec) as cluster:
        assert cluster.clock.now() == stood_s


async def test_a_paced_clock_goes_on_where_it_was_told_to_be(tmp_path: Path) -> None:
    async with open_cluster(ClusterSpec(nodes=0, seed=1, clock_speed=100.0, start_s=HOUR_S, data_dir=tmp_path / "c")) as cluster:
        client = cluster.client("test")
        for _ in range(3):
            told = await client.get_json("/svcsim/v1/clock")
            # What is told is rounded to a millionth of a second.
            assert round(keepers.start_time(cluster.store, None, 100.0), 6) >= parse_time(told["now"])
