"""Room for critical pods: a node that lacks it ends other pods, as few and as unimportant ones as will do. Pure.

As kubelets choose them: of the pods that ask for nothing none may do, so that those with guarantees are looked at first, for what all the
others together wouldn't free; and of each class those that come nearest to what is lacking.
"""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from svcsim.meta.priorities import SYSTEM_CRITICAL
from svcsim.meta.types import Object
from svcsim.nodes.machines.room import WholeAmounts

PREEMPTING = "Preempting"
PREEMPTED = "Preempted in order to admit critical pod"
DISRUPTED = "Pod was preempted by Kubelet to accommodate a critical pod."
_CLASSES = ("Guaranteed", "Burstable", "BestEffort")


class Preemptable(NamedTuple):
    """A pod that may have to go."""

    uid: str
    quality: str
    amounts: WholeAmounts
    """What it asks for, itself among it (``pods``)."""


def priority(pod: Object) -> int:
    found: int = pod["spec"].get("priority") or 0
    return found


def is_critical(pod: Object) -> bool:
    """Whether a node makes room for it."""
    return priority(pod) >= SYSTEM_CRITICAL


def gives_way(other: Object, pod: Object) -> bool:
    """Whether a pod may be ended for a critical one."""
    return not is_critical(other) or priority(other) < priority(pod)


def without(lacking: WholeAmounts, pods: Iterable[Preemptable]) -> WholeAmounts:
    """What is lacking still when these pods are gone."""
    left = dict(lacking)
    for pod in pods:
        for name in left:
            left[name] -= pod.amounts.get(name, 0)
    return {name: amount for name, amount in left.items() if amount > 0}


def to_be_ended(lacking: WholeAmounts, pods: Sequence[Preemptable]) -> list[Preemptable] | None:
    """The pods that make room enough; None if all of them together don't."""
    if without(lacking, pods):
        return None
    chosen: list[Preemptable] = []
    by_quality = {quality: [pod for pod in pods if pod.quality == quality] for quality in _CLASSES}
    for index, quality in enumerate(_CLASSES):
        lesser = [pod for other in _CLASSES[index + 1 :] for pod in by_quality[other]]
        chosen += _nearest(without(lacking, [*chosen, *lesser]), by_quality[quality])
    return chosen


def _nearest(lacking: WholeAmounts, pods: Sequence[Preemptable]) -> list[Preemptable]:
    chosen: list[Preemptable] = []
    others = list(pods)
    while lacking:
        best = min(others, key=lambda pod: (_distance(pod, lacking), *_size(pod)))
        others.remove(best)
        chosen.append(best)
        lacking = without(lacking, [best])
    return chosen


def _distance(pod: Preemptable, lacking: WholeAmounts) -> float:
    return sum(max(1 - pod.amounts.get(name, 0) / amount, 0.0) ** 2 for name, amount in lacking.items())


def _size(pod: Preemptable) -> tuple[int, int]:
    return pod.amounts.get("memory", 0), pod.amounts.get("cpu", 0)


def not_enough(lacking: WholeAmounts) -> tuple[str, str]:
    """The reason and message of a critical pod that no ended pods make room for."""
    told = "".join(f"(res: {name}, q: {amount}), " for name, amount in sorted(lacking.items()))
    why = f"error finding a set of pods to preempt: no set of running pods found to reclaim resources: [{told}]"
    return "UnexpectedAdmissionError", f"Unexpected error while attempting to recover from admission failure: preemption: {why}"
