"""What is said of a pod that no node can take, and what preemption could do for it."""

from collections.abc import Sequence
from itertools import chain
from typing import NamedTuple

from svcsim.chance import Chance
from svcsim.meta.types import Object
from svcsim.scheduler.devices.filters import DYNAMIC_RESOURCES
from svcsim.scheduler.explain import (
    GIVING_BACK,
    NEVER,
    NO_HELP,
    NOT_NAMED,
    NOTHING_TO_GIVE_BACK,
    STILL_NOT,
    account,
    conflict,
    of_the_pod,
    with_preemption,
)
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
    give_back: Object | None = None
    """A claim whose devices keep the pod from nodes, and that nobody else uses."""


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
    cycle = questions.cycle
    trouble = cycle.storage_trouble or cycle.devices_trouble
    if trouble:
        preemption = Preemption(None, account(count, [NO_HELP] * count) if cycle.pod.needs.may_preempt else NEVER)
        message = with_preemption(of_the_pod(count, trouble), preemption.message, NOTHING_TO_GIVE_BACK)
        return Unplaceable(message, (VOLUME_BINDING if cycle.storage_trouble else DYNAMIC_RESOURCES,), preemption)
    refusing = tuple(one for one in FILTERS if one in rules)
    give_back = cycle.devices.releasable([node for node, one in refused if one.filter is DYNAMIC_RESOURCES]) if cycle.devices else None
    preemption = yield from preempt(questions, refused, nominated, chance)
    devices = GIVING_BACK if give_back is not None else STILL_NOT if cycle.devices else NOTHING_TO_GIVE_BACK
    message = with_preemption(why, preemption.message, devices if preemption.message else "")
    return Unplaceable(message, refusing, preemption, give_back)
