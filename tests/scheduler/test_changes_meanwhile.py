"""What becomes of a pod, a node or a volume while the scheduler is still at work on them."""

import pytest

from svcsim import limits
from svcsim.meta.pods import node_of
from svcsim.meta.types import Object
from tests.living import Living, is_ready, living, name, pod

LOUD = {"metadata": {"labels": {"loud": ""}}}
NODES = 12


def quiet(number: int) -> Object:
    """A pod that wants nobody that is loud on its node."""
    term = {"topologyKey": "kubernetes.io/hostname", "labelSelector": {"matchExpressions": [{"key": "loud", "operator": "Exists"}]}}
    apart = {"podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [term]}}
    return pod(f"quiet-{number}", affinity=apart, nodeName=f"node-{number}")


def asks_much(pod_name: str) -> Object:
    """A pod for which there is much to be looked at on each node."""
    key = "kubernetes.io/hostname"
    terms = [{"topologyKey": key, "labelSelector": {"matchLabels": {"app": f"app-{number}"}}} for number in range(4)]
    preferred = [{"weight": 1, "podAffinityTerm": term} for term in terms]
    spread = {"maxSkew": 100, "topologyKey": key, "whenUnsatisfiable": "DoNotSchedule", "labelSelector": {"matchLabels": {"app": "any"}}}
    affinity = {"podAffinity": {"preferredDuringSchedulingIgnoredDuringExecution": preferred}}
    return pod(pod_name, affinity=affinity, topologySpreadConstraints=[spread])


async def let_others(cluster: Living, turns: int) -> None:
    for _ in range(turns):
        await cluster.cluster.clock.turn()


@pytest.mark.virtual_time
@pytest.mark.parametrize("turns", [10, 20, 30])
async def test_a_pod_that_changes_while_a_node_is_looked_for_is_not_bound_by_what_it_was(turns: int, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(limits, "DECIDING_STEPS_A_TURN", 1)
    async with living(nodes=NODES) as cluster:
        for number in range(1, NODES):
            await cluster.pods.create(quiet(number))
        await cluster.pods.create(pod("busy", cpu="6", nodeName=f"node-{NODES}"))  # so that any other one is the better place
        await cluster.until(lambda pods: all(map(is_ready, pods)))
        await cluster.pods.create(asks_much("changes"))
        await let_others(cluster, turns)
        changed = await cluster.pods.patch("changes", LOUD)
        assert not node_of(changed), "a node is still being looked for"
        pods = await cluster.until(lambda pods: all(map(is_ready, pods)))
        assert [node_of(one) for one in pods if name(one) == "changes"] == [f"node-{NODES}"]
