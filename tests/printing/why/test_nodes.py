"""Why nodes are as they are: made to fail, or with taints."""

import pytest

from svcsim.meta.types import Object
from svcsim.printing.why.known import KNOWN
from tests.printing.why.explaining import NOW, READY_NODE, condition, explained


@pytest.mark.parametrize(
    ("failed", "status", "state", "because", "then"),
    [
        ({}, "True", "has failed, and nobody has noticed yet", "somebody has it recover: svcsim nodes recover node-1.", ()),
        ({}, "Unknown", "isn't ready", "somebody has it recover: svcsim nodes recover node-1.", ()),
        (
            {"until": "2026-01-01T01:01:00Z"},
            "Unknown",
            "isn't ready",
            "To have it recover at once: svcsim nodes recover node-1.",
            (("it recovers by itself", NOW + 60),),
        ),
        ({"fault": True}, "Unknown", "isn't ready", "A fault of a scenario has it down, until that ends.", ()),
    ],
)
def test_a_node_that_was_made_to_fail_tells_so_and_how_it_recovers(
    failed: Object, status: str, state: str, because: str, then: tuple[tuple[str, float], ...]
) -> None:
    node = {"metadata": {"name": "node-1", "uid": "n1"}, "status": {"conditions": [condition("Ready", status)]}}
    verdict = explained("", "Node", node, **{KNOWN: [{"failed": failed}]})
    assert (verdict.state, verdict.fine, verdict.then) == (state, False, then)
    assert verdict.because[0].endswith(because)


@pytest.mark.parametrize(
    ("taint", "told"),
    [
        ({"key": "a", "value": "b", "effect": "NoSchedule"}, "Its taint a=b:NoSchedule keeps away new pods that don't tolerate it."),
        (
            {"key": "a", "effect": "NoExecute"},
            "Its taint a:NoExecute drives away the pods that don't tolerate it, and keeps such away.",
        ),
    ],
)
def test_a_node_that_is_ready_tells_of_its_taints(taint: Object, told: str) -> None:
    node = {**READY_NODE, "spec": {"taints": [taint, {"key": "node.kubernetes.io/unschedulable", "effect": "NoSchedule"}]}}
    verdict = explained("", "Node", node)
    assert (verdict.state, verdict.because) == ("is ready", (told,))


def test_a_node_that_is_ready_and_still_tainted_as_if_it_were_not_says_so() -> None:
    taints = [{"key": "node.kubernetes.io/not-ready", "effect": effect} for effect in ("NoSchedule", "NoExecute")]
    verdict = explained("", "Node", {**READY_NODE, "spec": {"taints": taints}})
    who = "no controller for Nodes runs, or it hasn't come to it."
    told = f"Its taint node.kubernetes.io/not-ready is still there although it is ready: {who}"
    assert (verdict.fine, verdict.because) == (False, (told,))


def of_zone(name: str, zone: str, ready: str, *, drives_away: bool = False) -> Object:
    """A node of a zone, pods being evicted from it or not."""
    taints = [{"key": "node.kubernetes.io/unreachable", "effect": "NoExecute"}] if drives_away else []
    metadata = {"name": name, "uid": name, "labels": {"topology.kubernetes.io/zone": zone} if zone else {}}
    return {"metadata": metadata, "spec": {"taints": taints}, "status": {"conditions": [condition("Ready", ready)]}}


@pytest.mark.parametrize(
    ("zone", "ready", "silent", "elsewhere", "told"),
    [
        (
            "a",
            0,
            3,
            0,
            "No pods are evicted from it: no node of the cluster is ready, and where all fall silent it may be the network that failed.",
        ),
        (
            "a",
            2,
            4,
            1,
            "of its zone aren't ready, and where 55% or more of a zone of no more than 50 nodes fail, pods stay where they are.",
        ),
        (
            "",
            10,
            41,
            0,
            "one node of a zone after the other, one each 100s. Its turn hasn't come yet, nor has that of 40 others.",
        ),
        (
            "a",
            5,
            1,
            0,
            "Where nodes fail, pods are evicted from one node of a zone after the other, one each 10s. Its turn hasn't come yet.",
        ),
    ],
)
def test_a_node_that_is_not_ready_tells_why_its_pods_stay(zone: str, ready: int, silent: int, elsewhere: int, told: str) -> None:
    fine = [of_zone(f"r{n}", zone, "True") for n in range(ready)] + [of_zone(f"e{n}", "b", "True") for n in range(elsewhere)]
    failed = [of_zone(f"s{n}", zone, "Unknown") for n in range(silent)]
    verdict = explained("", "Node", failed[0], nodes=[*fine, *failed])
    assert verdict.because[1].endswith(told)
    assert len(explained("", "Node", failed[0]).because) == 1, "what may not be read isn't known"


def test_a_node_whose_pods_are_evicted_says_so_however_its_zone_fares() -> None:
    node = of_zone("s0", "a", "Unknown", drives_away=True)
    told = "Pods that don't tolerate that, or have for as long as they do, are evicted."
    assert told in explained("", "Node", node, nodes=[node]).because
    node["spec"]["taints"] = [{"key": "mine", "effect": "NoExecute"}]
    assert told not in explained("", "Node", node, nodes=[node]).because


def test_a_node_that_is_not_ready_since_a_moment_ahead_does_not_say_for_how_long() -> None:
    states = []
    for since in ("2026-01-01T00:59:00Z", "2026-01-01T07:00:00Z"):
        node = {"metadata": {"name": "it"}, "status": {"conditions": [condition("Ready", "Unknown", lastTransitionTime=since)]}}
        states.append(explained("", "Node", node).state)
    assert states == ["isn't ready for 60s", "isn't ready"]
