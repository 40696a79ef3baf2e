"""Preemption: on which node a pod could be placed if pods of lower priority were taken away there, and which of them.

As few and as unimportant pods as possible go, and those whose disruption budgets would be broken last. A node is judged by a copy of it:
all pods of lower priority are taken off, and as many as possible put back, the most important ones first.
"""

from collections.abc import Callable, Sequence
from typing import NamedTuple

from svcsim import limits
from svcsim.chance import Chance
from svcsim.scheduler.budgets import Budgets
from svcsim.scheduler.explain import MAKING_ROOM, NEVER, NO_HELP, NO_VICTIMS, account
from svcsim.scheduler.node import NodeInfo
from svcsim.scheduler.pod import PodInfo
from svcsim.scheduler.questions import Questions
from svcsim.scheduler.rules import Refusal
from svcsim.scheduler.turns import Steps

_NOT_STARTED = "~"
"""Later than every time."""


class Victims(NamedTuple):
    """Who goes from which node, the most important first; ``violating`` of them against their disruption budgets."""

    node: str
    pods: tuple[PodInfo, ...]
    violating: int


class Preemption(NamedTuple):
    """What came of it: whom to take away, or why nobody."""

    victims: Victims | None
    message: str = ""


def preempt(questions: Questions, refused: Sequence[tuple[NodeInfo, Refusal]], nominated: str, chance: Chance) -> Steps[Preemption]:
    """Find where to make room for a pod that was refused by all nodes. ``nominated`` is the node where room was made for it before."""
    cycle = questions.cycle
    pod, snapshot, turn = cycle.pod, cycle.snapshot, cycle.turn
    if not pod.needs.may_preempt:
        return Preemption(None, NEVER)
    here = snapshot.node(nominated)
    if here is not None and _is_making_room(here, pod) and _may_help(here, refused):
        return Preemption(None, MAKING_ROOM)
    helped = [node for node, refusal in refused if refusal.rejection.preemption_may_help]
    hopeless = len(snapshot.nodes) - len(helped)
    if not any(priority < pod.needs.priority for priority in snapshot.priorities):
        return Preemption(None, account(len(snapshot.nodes), [NO_HELP] * hopeless + [NO_VICTIMS] * len(helped)))
    reasons: list[str] = []
    found: list[Victims] = []
    enough = max(len(helped) // 10, limits.PREEMPTION_CANDIDATES)
    budgets = Budgets(cycle.known.budgets)
    start = chance.choice(range(len(helped))) if helped else 0
    for node in (*helped[start:], *helped[:start]):
        outcome = _victims_on(node, questions, budgets)
        if isinstance(outcome, Victims):
            found.append(outcome)
            if len(found) >= enough and any(not one.violating for one in found):
                break
        else:
            reasons += outcome
        if turn.is_over(limits.STEPS_A_NODE * (1 + len(node.pods))):
            yield
    if found:
        return Preemption(min(found, key=_cost))
    return Preemption(None, account(len(snapshot.nodes), [NO_HELP] * hopeless + reasons))


def _is_making_room(node: NodeInfo, pod: PodInfo) -> bool:
    return any(other.preempted and other.needs.priority < pod.needs.priority for other in node.pods.values())


def _may_help(node: NodeInfo, refused: Sequence[tuple[NodeInfo, Refusal]]) -> bool:
    return any(one is node and refusal.rejection.preemption_may_help for one, refusal in refused)


def _victims_on(node: NodeInfo, questions: Questions, budgets: Budgets) -> Victims | tuple[str, ...]:
    """Whom to take away from a node; or why that is no use."""
    pod = questions.cycle.pod
    lower = [other for other in node.pods.values() if other.needs.priority < pod.needs.priority]
    if not lower:
        return (NO_VICTIMS,)
    trial = node.imagine()
    for other in lower:
        trial.remove(other.key)
    refusal = questions.refusal(trial)
    if refusal is not None:
        return refusal.rejection.reasons
    lower.sort(key=importance)
    violating, others = budgets.split(lower)
    spared = _spared(trial, questions)
    broken = [other for other in violating if not spared(other)]
    gone = [other for other in others if not spared(other)]
    return Victims(node.name, tuple(sorted((*broken, *gone), key=importance)), len(broken))


def _spared(trial: NodeInfo, questions: Questions) -> Callable[[PodInfo], bool]:
    def spare(other: PodInfo) -> bool:
        """Put a pod back; if the new one doesn't fit then, it has to go after all."""
        trial.add(other)
        if questions.refusal(trial) is None:
            return True
        trial.remove(other.key)
        return False

    return spare


def importance(pod: PodInfo) -> tuple[int, str]:
    """In this order: the higher priority, and then who has been running for longer."""
    return -pod.needs.priority, pod.started or _NOT_STARTED


def _cost(victims: Victims) -> tuple[object, ...]:
    """The lower, the rather: broken budgets, the most important victim, all priorities together, how many, and how long those have run."""
    priorities = [pod.needs.priority for pod in victims.pods]
    highest = max(priorities, default=-(2**31))
    eldest = min((pod.started or _NOT_STARTED for pod in victims.pods if pod.needs.priority == highest), default=_NOT_STARTED)
    return (victims.violating, highest, sum(priority + 2**31 for priority in priorities), len(priorities), _Latest(eldest))


class _Latest(str):
    """Orders times so that the latest is the least."""

    __slots__ = ()

    def __lt__(self, other: str) -> bool:
        return str.__gt__(self, other)
