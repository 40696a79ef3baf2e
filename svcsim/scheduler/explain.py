"""Why a pod can't be placed, in the words people know from Kubernetes and look up on the web.

All nodes are accounted for: each reason with the number of nodes that gave it, sorted as text, and then whether taking other pods away
would help.
"""

from collections import Counter
from collections.abc import Sequence

from svcsim.scheduler.filters import Rejection
from svcsim.scheduler.pod import PodInfo

NO_NODES = "no nodes available to schedule pods"
_NO_VICTIMS = "No preemption victims found for incoming pod"
_NO_HELP = "Preemption is not helpful for scheduling"


def explain(pod: PodInfo, rejections: Sequence[Rejection]) -> str:
    """The message for a pod that every node turned away; one rejection a node."""
    if not rejections:
        return NO_NODES
    reasons = Counter(reason for rejection in rejections for reason in rejection.reasons)
    return f"{_account(reasons, len(rejections))} {_explain_preemption(pod, rejections)}"


def _explain_preemption(pod: PodInfo, rejections: Sequence[Rejection]) -> str:
    if not pod.needs.may_preempt:
        return "preemption: not eligible due to preemptionPolicy=Never."
    reasons = Counter(_NO_VICTIMS if rejection.preemption_may_help else _NO_HELP for rejection in rejections)
    return f"preemption: {_account(reasons, len(rejections))}"


def _account(reasons: Counter[str], nodes: int) -> str:
    counted = sorted(f"{count} {reason}" for reason, count in reasons.items())
    return f"0/{nodes} nodes are available: {', '.join(counted)}."
