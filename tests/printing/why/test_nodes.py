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
