"""One decision: where a pod goes, or why it can't go anywhere, and whom to take away for it. It reads the snapshot and changes nothing."""

from collections.abc import Iterator, Sequence
from itertools import islice
from typing import NamedTuple

from svcsim.chance import Chance
from svcsim.meta.types import Object
from svcsim.scheduler.cycle import Cycle, Known, Tallies
from svcsim.scheduler.explain import MAKING_ROOM, NEVER, NO_NODES
from svcsim.scheduler.looks import KnownLooks
from svcsim.scheduler.node import NodeInfo
from svcsim.scheduler.pod import PodInfo
from svcsim.scheduler.preemption import Victims
from svcsim.scheduler.questions import Questions, refusal
from svcsim.scheduler.rules import Candidates, Filter, Refusal
from svcsim.scheduler.scoring import best
from svcsim.scheduler.snapshot import Snapshot
from svcsim.scheduler.template import Templates
from svcsim.scheduler.turns import Steps, Turn
from svcsim.scheduler.unplaced import unplaceable

NODES_ENOUGH = 100
"""In a large cluster the search ends when this many nodes, or a share of all, could take the pod: good is good enough."""


class Placement(NamedTuple):
    """What came of a try: a node's name, or a message, who turned the pod away, and whom to take away for it."""

    node: str = ""
    message: str = ""
    refused_by: tuple[Filter, ...] = ()
    victims: Victims | None = None
    waits: bool = False
    """Whether a place that is kept for it stays so."""
    give_back: Object | None = None
    """A claim whose devices are to be given back for it."""


class Search(NamedTuple):
    """What came of looking at nodes: those that fit; if there are none, who refused the pod where."""

    fitting: Candidates
    refused: list[tuple[NodeInfo, Refusal]]
    seen: int


class Placer:
    """Decides one pod after the other. Where it begins to look moves on, so that in a large cluster every node gets its turn."""

    def __init__(self, snapshot: Snapshot, known: Known, chance: Chance) -> None:
        self._snapshot = snapshot
        self._known = known
        self._chance = chance
        self._turn = Turn()
        self._templates = Templates()
        self._looks = KnownLooks()
        self._tallies = Tallies()
        self._start = 0

    def forget_counts(self) -> None:
        """What pods mean by others may have changed: a namespace has other labels."""
        self._tallies.clear()

    def place(self, pod: PodInfo) -> Steps[Placement]:
        """Find the best node for a pod. It gives way now and then where there is much to look at."""
        snapshot, pinned_to = self._snapshot, pod.needs.pinned_to
        if not snapshot.nodes:
            return Placement("", NO_NODES)
        questions = Questions(Cycle(pod, snapshot, self._known, self._tallies, self._turn))
        yield from questions.cycle.count()
        nominated = snapshot.node(snapshot.nomination(pod.key))
        if nominated is not None and questions.refusal(nominated) is None:
            return Placement(nominated.name)
        if pinned_to is None:
            search = yield from self._search(questions)
        else:
            search = _search_named(questions, pinned_to)
        candidates = search.fitting
        if not candidates:
            return (yield from self._refused(questions, search))
        self._start = (self._start + search.seen) % max(len(snapshot.nodes), 1)
        if len(candidates) == 1:
            return Placement(candidates.nodes[0].name)
        winners = yield from best(questions.cycle, candidates, self._looks)
        return Placement((winners[0] if len(winners) == 1 else self._chance.choice(winners)).name)

    def _search(self, questions: Questions) -> Steps[Search]:
        """Look at nodes until enough fit."""
        cycle, snapshot = questions.cycle, self._snapshot
        template = self._templates.of(cycle.pod.needs)
        yield from template.refresh(cycle)
        nodes, layout = snapshot.nodes, snapshot.layout
        nobody = Candidates((), (), layout)
        if not nodes:
            return Search(nobody, [], 0)  # they went meanwhile
        start, enough = self._start % len(nodes), nodes_enough(len(nodes))
        refused: dict[int, Refusal] = {}
        if not questions.shared and not snapshot.nominated:
            found = template.first(start, enough)
        else:
            found, refused = yield from self._ask(questions, nodes, template.in_order(start), enough)
        if found:
            seen = (found[-1] - start) % len(nodes) + 1 if len(found) == enough else len(nodes)
            return Search(Candidates(nodes, found, layout), [], seen)
        refusals = [refused.get(at, one) for at, one in enumerate(template.refusals)]
        turned_away = [(node, one) for node, one in zip(nodes, refusals, strict=False) if one is not None]
        return Search(nobody, turned_away, len(nodes))

    def _ask(
        self, questions: Questions, nodes: Sequence[NodeInfo], order: Iterator[int], enough: int
    ) -> Steps[tuple[list[int], dict[int, Refusal]]]:
        """Ask what has to be asked at each try of nodes that fit otherwise; gives those that fit, and the refusals of others."""
        cycle, nominated = questions.cycle, self._snapshot.nominated
        steps = questions.steps
        found: list[int] = []
        refused: dict[int, Refusal] = {}
        while len(found) < enough and (some := list(islice(order, cycle.turn.at_once(steps)))):
            for at in some:
                node = nodes[at]
                one = questions.refusal(node) if node.name in nominated else refusal(questions.shared, node)
                if one is not None:
                    refused[at] = one
                else:
                    found.append(at)
                    if len(found) == enough:
                        break
            if cycle.turn.is_over(len(some) * steps):
                yield
        return found, refused

    def _refused(self, questions: Questions, search: Search) -> Steps[Placement]:
        """Say why, and see whether taking others away would help."""
        if not self._snapshot.nodes:
            return Placement("", NO_NODES)
        nominated = self._snapshot.nomination(questions.cycle.pod.key)
        found = yield from unplaceable(questions, search.refused, nominated, self._chance)
        preemption, waits = found.preemption, found.preemption.message in (NEVER, MAKING_ROOM)
        return Placement("", found.message, found.refused_by, preemption.victims, waits, found.give_back)


def _search_named(questions: Questions, names: Sequence[str]) -> Search:
    """Look at the only nodes that a pod can go to."""
    nodes = [node for name in names if (node := questions.cycle.snapshot.node(name)) is not None]
    judged = [(node, questions.refusal(node)) for node in nodes]
    fitting = [node for node, refused in judged if refused is None]
    return Search(Candidates.of(fitting), [(node, refused) for node, refused in judged if refused is not None], 0)


def nodes_enough(count: int) -> int:
    """How many nodes that could take a pod are enough to choose from."""
    if count <= NODES_ENOUGH:
        return count
    percent = max(50 - count // 125, 5)
    return max(count * percent // 100, NODES_ENOUGH)
