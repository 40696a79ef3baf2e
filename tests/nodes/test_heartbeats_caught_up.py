"""How much is written of what nodes said while nobody looked, once somebody does."""

from itertools import pairwise

import pytest

from svcsim import limits
from svcsim.meta.times import parse_time
from tests.living import living, name

MOST = 30
RENEWED_EVERY_S = 10.0


@pytest.mark.virtual_time
@pytest.mark.parametrize(("nodes", "each"), [(3, MOST // 3), (40, 1)])
async def test_of_many_renewals_the_last_few_are_written(nodes: int, each: int, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(limits, "HEARTBEATS_CAUGHT_UP", MOST)
    async with living(nodes=nodes, history_s=None) as cluster:
        leases = cluster.client.resource("coordination.k8s.io/v1", "leases", "kube-node-lease")
        await cluster.sleep(60)
        begins = await leases.list()
        await cluster.sleep(7200)
        last = max(int(lease["metadata"]["resourceVersion"]) for lease in (await leases.list()).items)
        seen: dict[str, list[float]] = {}
        async with leases.watch(begins.revision, bookmarks=False) as events:
            async for event in events:
                lease = event.object
                seen.setdefault(name(lease), []).append(parse_time(lease["spec"]["renewTime"]))
                if int(lease["metadata"]["resourceVersion"]) == last:
                    break
        assert {len(renewals) for renewals in seen.values()} == {each}
        for renewals in seen.values():
            assert [later - one for one, later in pairwise(renewals)] == [RENEWED_EVERY_S] * (each - 1)
            assert cluster.cluster.clock.now() - renewals[-1] <= RENEWED_EVERY_S
