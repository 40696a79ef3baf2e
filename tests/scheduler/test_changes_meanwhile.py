"""What becomes of a pod, a node or a volume while the scheduler is still at work on them."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from svcsim import limits
from svcsim.meta.pods import node_of
from svcsim.meta.types import Object
from tests.living import Living, condition, is_ready, living, name, pod
from tests.scheduler.test_races import bind

LOUD = {"metadata": {"labels": {"loud": ""}}}
NODES = 12


def quiet(number: int) -> Object:
    """A pod that wants nobody that is loud on its node."""
    term = {"topologyKey": "kubernetes.io/hostname", "labelSelector": {"matchExpressions": [{"key": "loud", "operator": "Exists"}]}}
    apart = {"podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [term]}}
    return pod(f"quiet-{number}", affinity=apart, nodeName=f"node-{number}")


def asks_much(pod_name: str, cpu: str = "100m") -> Object:
    """A pod for which there is much to be looked at on each node."""
    key = "kubernetes.io/hostname"
    terms = [{"topologyKey": key, "labelSelector": {"matchLabels": {"app": f"app-{number}"}}} for number in range(4)]
    preferred = [{"weight": 1, "podAffinityTerm": term} for term in terms]
    spread = {"maxSkew": 100, "topologyKey": key, "whenUnsatisfiable": "DoNotSchedule", "labelSelector": {"matchLabels": {"app": "any"}}}
    affinity = {"podAffinity": {"preferredDuringSchedulingIgnoredDuringExecution": preferred}}
    return pod(pod_name, cpu=cpu, affinity=affinity, topologySpreadConstraints=[spread])


async def let_others(cluster: Living, turns: int) -> None:
    for _ in range(turns):
        await cluster.cluster.clock.turn()


@asynccontextmanager
async def slowly_decided() -> AsyncIterator[Living]:
    """A cluster in which only the last node takes loud pods, and looking for a node takes long enough for something to come between."""
    async with living(nodes=NODES) as cluster:
        for number in range(1, NODES):
            await cluster.pods.create(quiet(number))
        await cluster.pods.create(pod("busy", cpu="6", nodeName=f"node-{NODES}"))  # so that any other one is the better place
        await cluster.until(lambda pods: all(map(is_ready, pods)))
        yield cluster


@pytest.fixture(autouse=True)
def _one_look_a_turn(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "DECIDING_STEPS_A_TURN", 1)


@pytest.mark.virtual_time
@pytest.mark.parametrize("turns", [10, 20, 30])
async def test_a_pod_that_changes_while_a_node_is_looked_for_is_not_bound_by_what_it_was(turns: int):
    async with slowly_decided() as cluster:
        await cluster.pods.create(asks_much("changes"))
        await let_others(cluster, turns)
        changed = await cluster.pods.patch("changes", LOUD)
        assert not node_of(changed), "a node is still being looked for"
        pods = await cluster.until(lambda pods: all(map(is_ready, pods)))
        assert [node_of(one) for one in pods if name(one) == "changes"] == [f"node-{NODES}"]


@pytest.mark.virtual_time
@pytest.mark.parametrize("turns", [10, 20, 30])
async def test_a_pod_that_another_binds_while_a_node_is_looked_for_counts_where_it_is(turns: int):
    async with slowly_decided() as cluster:
        await cluster.pods.create(asks_much("bound", cpu="5"))
        await let_others(cluster, turns)
        assert await bind(cluster, "bound", "node-1") == 201, "a node is still being looked for"
        await cluster.pods.create(pod("too-much", cpu="5", nodeSelector={"kubernetes.io/hostname": "node-1"}))
        await cluster.sleep(20)
        assert condition(await cluster.pods.get("too-much"), "PodScheduled").get("reason") == "Unschedulable"
        assert node_of(await cluster.pods.get("bound")) == "node-1"


@pytest.mark.virtual_time
@pytest.mark.parametrize("turns", [20, 30, 40, 50])
async def test_no_pod_is_bound_to_a_node_that_goes_while_it_is_looked_for(turns: int):
    async with slowly_decided() as cluster:
        wish = asks_much("late")
        there = {"matchExpressions": [{"key": "kubernetes.io/hostname", "operator": "In", "values": ["node-5"]}]}
        wish["spec"]["affinity"]["nodeAffinity"] = {
            "preferredDuringSchedulingIgnoredDuringExecution": [{"weight": 100, "preference": there}]
        }
        await cluster.pods.create(wish)
        await let_others(cluster, turns)
        assert not node_of(await cluster.pods.get("late")), "a node is still being looked for"
        await cluster.nodes.delete("node-5")
        pods = await cluster.until(lambda pods: any(name(one) == "late" and node_of(one) for one in pods))
        assert "node-5" not in [node_of(one) for one in pods if name(one) == "late"]
