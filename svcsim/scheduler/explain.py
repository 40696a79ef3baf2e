"""Why a pod can't be placed, in the words people know from Kubernetes and look up on the web.

All nodes are accounted for: each reason with the number of nodes that gave it, sorted as text, and then whether taking other pods away
would help.
"""

from collections import Counter
from collections.abc import Iterable

NO_NODES = "no nodes available to schedule pods"
NOT_NAMED = "node(s) didn't satisfy plugin(s) [NodeAffinity]"
"""The reason for nodes that aren't evaluated, because the pod's node affinity names others."""
CONFLICT = "pod affinity terms conflict"
NEVER = "not eligible due to preemptionPolicy=Never."
MAKING_ROOM = "not eligible due to a terminating pod on the nominated node."
STILL_NOT = "still not schedulable"
"""What is said of a pod with claims on devices, none of which keeps it from a node and could be given back."""
GIVING_BACK = "deallocation of ResourceClaim completed"
NOTHING_TO_GIVE_BACK = "no new claims to deallocate"
"""What is said of every other pod."""
NO_VICTIMS = "No preemption victims found for incoming pod"
NO_HELP = "Preemption is not helpful for scheduling"


def account(nodes: int, reasons: Iterable[str]) -> str:
    """How many of all nodes gave each reason, where none can take the pod."""
    counted = sorted(f"{count} {reason}" for reason, count in Counter(reasons).items())
    return f"0/{nodes} nodes are available: {', '.join(counted)}."


def conflict(nodes: int) -> str:
    """The account where the pod's own terms rule each other out."""
    return of_the_pod(nodes, CONFLICT)


def of_the_pod(nodes: int, why: str) -> str:
    """The account where the reason lies with the pod, and no node has to be asked."""
    return f"0/{nodes} nodes are available: {why}."


def with_preemption(why: str, preemption: str, devices: str = "") -> str:
    """The whole message; nothing is said of preemption where it is under way. ``devices`` says whether giving some back could help."""
    told = [devices] if devices else []
    told += [f"preemption: {preemption}"] if preemption else []
    return f"{why} {', '.join(told)}" if told else why
