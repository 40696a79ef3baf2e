"""Why pods aren't scheduled: the scheduler's verdict in plain words, and the claims that pods wait for."""

import pytest

from svcsim.meta.types import Object
from svcsim.printing.why.scheduling import in_words
from tests.printing.why.explaining import READY_NODE, condition, explained

MIXED = (
    "0/5 nodes are available: 2 Insufficient memory, 3 node(s) had untolerated taint {dedicated: db}. "
    "preemption: 0/5 nodes are available: 3 Preemption is not helpful for scheduling, 2 No preemption victims found for incoming pod."
)


TAINTED = "3 of 5 nodes have a taint that it doesn't tolerate {dedicated: db}"


MIXED_WORDS = (
    f"No node takes it: 2 of 5 nodes have too little memory left for what it requests, {TAINTED}.",
    "There are no pods of lower priority that could make room.",
)


TOO_LITTLE_CPU = "No node takes it: all 3 nodes have too little cpu left for what it requests."


NEVER = "It may take no other pods away (preemptionPolicy Never)."


CLAIMS: dict[str, Object] = {"waits": {}, "leaving": {"deletionTimestamp": "2026-01-01T00:59:00Z"}}


@pytest.mark.parametrize(
    ("message", "words"),
    [
        (MIXED, MIXED_WORDS),
        ("0/1 nodes are available: 1 Too many pods.", ("No node takes it: the only node has as many pods as may be there.",)),
        ("0/2 nodes are available: 2 node(s) were on fire.", ('No node takes it: all 2 nodes have "node(s) were on fire" against it.',)),
        ("no nodes available to schedule pods", ("The scheduler says: no nodes available to schedule pods.",)),
        ('persistentvolumeclaim "x" not found', ('The scheduler says: persistentvolumeclaim "x" not found.',)),
        ("0/3 nodes are available: 3 Insufficient cpu. preemption: not eligible due to preemptionPolicy=Never.", (TOO_LITTLE_CPU, NEVER)),
    ],
)
def test_the_schedulers_verdict_is_said_in_plain_words(message: str, words: tuple[str, ...]) -> None:
    assert in_words(message) == words


def test_a_pod_that_waits_for_its_claims_leads_to_them() -> None:
    claim = {"metadata": {"name": "data"}, "status": {"phase": "Pending"}}
    spec = {"containers": [], "volumes": [{"name": "d", "persistentVolumeClaim": {"claimName": "data"}}]}
    message = "0/1 nodes are available: pod has unbound immediate PersistentVolumeClaims."
    status = {"phase": "Pending", "conditions": [condition("PodScheduled", "False", "Unschedulable", message)]}
    verdict = explained("", "Pod", {"spec": spec, "status": status}, **{"claim data": [claim]})
    assert verdict.below == (claim,)
    assert verdict.because == ("None of 1 node takes it: pod has unbound immediate PersistentVolumeClaims.",)
    missing = explained("", "Pod", {"spec": spec, "status": status}, **{"claim data": []})
    assert missing.because[0] == "There is no PersistentVolumeClaim data, which it uses."
    del status["conditions"]
    chosen = {**claim, "metadata": {"name": "data", "annotations": {"volume.kubernetes.io/selected-node": "node-2"}}}
    placed = explained("", "Pod", {"spec": spec, "status": status}, **{"claim data": [chosen]})
    assert placed.because == ("It is being placed on node-2, and waits there for PersistentVolumeClaim data to be bound.",)
    assert placed.below == (chosen,)
    assert "No scheduler has looked" in explained("", "Pod", {"spec": spec, "status": status}, **{"claim data": [claim]}).because[0]


def test_claims_that_wait_for_a_pod_are_not_why_it_has_no_place() -> None:
    claims = {name: [{"metadata": {"name": name, **more}, "status": {"phase": "Pending"}}] for name, more in CLAIMS.items()}
    volumes = [{"name": name, "persistentVolumeClaim": {"claimName": name}} for name in CLAIMS]
    conditions = [condition("PodScheduled", "False", "Unschedulable", "0/3 nodes are available: 3 Insufficient cpu.")]
    whole = {"spec": {"containers": [], "volumes": volumes}, "status": {"phase": "Pending", "conditions": conditions}}
    verdict = explained("", "Pod", whole, **{f"claim {name}": found for name, found in claims.items()})
    assert verdict.below == tuple(claims["leaving"])


def test_a_pod_that_a_taint_of_nodes_that_are_not_ready_keeps_away_leads_to_them_though_they_are_ready() -> None:
    message = "0/2 nodes are available: 2 node(s) had untolerated taint {node.kubernetes.io/not-ready: }."
    whole = {"spec": {}, "status": {"conditions": [condition("PodScheduled", "False", "Unschedulable", message)]}}
    tainted = {**READY_NODE, "spec": {"taints": [{"key": "node.kubernetes.io/not-ready", "effect": "NoSchedule"}]}}
    assert explained("", "Pod", whole, nodes=[READY_NODE, tainted]).below == (tainted,)
