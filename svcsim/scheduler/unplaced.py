"""What is said of a pod that no node can take, and what preemption could do for it."""

from collections.abc import Sequence
from itertools import chain
from typing import NamedTuple

from svcsim.chance import Chance
from svcsim.scheduler.explain import NEVER, NO_HELP, NOT_NAMED, account, conflict, of_the_pod, with_preemption
from svcsim.scheduler.filters import FILTERS
from svcsim.scheduler.node import NodeInfo
from svcsim.scheduler.node_rules import NODE_AFFINITY_FILTER
from svcsim.scheduler.preemption import Preemption, preempt
from svcsim.scheduler.questions import Questions
from svcsim.scheduler.rules import Filter, Refusal
from svcsim.scheduler.turns import Steps
from svcsim.scheduler.volumes.filters import VOLUME_BINDING


class Unplaceable(NamedTuple):
    """The whole message, who refused the pod, and what came of preemption."""

    message: str
    refused_by: tuple[Filter, ...]
    preemption: Preemption


def unplaceable(questions: Questions, refused: Sequence[tuple[NodeInfo, Refusal]], nominated: str, chance: Chance) -> Steps[Unplaceable]:
    """Account for all nodes: those that refused the pod, and those it can't go to because its affinity names others."""
    pinned_to, count = questions.cycle.pod.needs.pinned_to, len(questions.cycle.snapshot.nodes)
    rules = dict.fromkeys(one.filter for _, one in refused)
    left_out: list[str] = []
    if pinned_to is not None:
        rules[NODE_AFFINITY_FILTER] = None
        left_out = [NOT_NAMED] * (count - len(refused))
    reasons = chain(chain.from_iterable(one.rejection.reasons for _, one in refused), left_out)
    why = conflict(count) if pinned_to == () else account(count, reasons)
    trouble = questions.cycle.storage_trouble
    if trouble:
        preemption = Preemption(None, account(count, [NO_HELP] * count) if questions.cycle.pod.needs.may_preempt else NEVER)
        return Unplaceable(with_preemption(of_the_pod(count, trouble), preemption.message), (VOLUME_BINDING,), preemption)
    preemption = yield from preempt(questions, refused, nominated, chance)
    return Unplaceable(with_preemption(why, preemption.message), tuple(one for one in FILTERS if one in rules), preemption)
