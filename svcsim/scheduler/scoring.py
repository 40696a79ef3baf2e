"""What all scores together say of the nodes that a pod can go to."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from svcsim import limits
from svcsim.scheduler.cycle import Cycle
from svcsim.scheduler.looks import KnownLooks, Looked
from svcsim.scheduler.node import NodeInfo
from svcsim.scheduler.rules import Candidates, Kinds, Look, Score, Scorer
from svcsim.scheduler.scores import SCORES
from svcsim.scheduler.turns import Steps


class Points(NamedTuple):
    """What one score gives each node, weighted."""

    score: Score
    values: list[int]


class _Asked(NamedTuple):
    """A score that has something to say about a pod."""

    score: Score
    scorer: Scorer

    def points(self, kinds: Kinds[Look]) -> Steps[list[int]]:
        """What it gives for each look, weighted."""
        raw = yield from self.scorer.worth(kinds)
        values = raw if self.score.normalise is None else self.score.normalise(raw)
        return values if self.score.weight == 1 else [value * self.score.weight for value in values]


def best(cycle: Cycle, candidates: Candidates, known: KnownLooks) -> Steps[list[NodeInfo]]:
    """Those of several nodes that all scores together give most."""
    asked = yield from _asked(cycle)
    lasting = [one for one in asked if one.scorer.lasting is not None]
    passing = [one for one in asked if one.scorer.lasting is None]
    seen = yield from _seen(cycle, candidates.nodes if passing else (), passing)
    scorers = [one.scorer for one in lasting]
    looks = yield from known.refreshed(cycle, scorers, _steps(cycle))
    numbers, of_number = looks.of(candidates, scorers), looks.of_number
    if passing:
        numbers, of_number = _put_together(numbers, of_number, seen)
    there = list(set(numbers))
    points: list[list[int]] = []
    for one, column in zip((*lasting, *passing), zip(*[of_number[number] for number in there], strict=True), strict=True):
        points.append((yield from one.points(Kinds(column, len(numbers), lambda at: numbers.count(there[at])))))
    sums = [sum(values) for values in zip(*points, strict=True)]
    highest = max(sums)
    winning = {number for number, total in zip(there, sums, strict=True) if total == highest}
    return candidates.picked(map(winning.__contains__, numbers))


def all_points(cycle: Cycle, nodes: Sequence[NodeInfo]) -> Steps[list[Points]]:
    """What each score that has something to say gives each node."""
    asked = yield from _asked(cycle)
    seen = yield from _seen(cycle, nodes, asked)
    points: list[Points] = []
    for one, looks in zip(asked, seen, strict=True):
        points.append(Points(one.score, (yield from one.points(Kinds(looks, len(nodes), lambda _: 1)))))
    return points


def _asked(cycle: Cycle) -> Steps[list[_Asked]]:
    asked = [_Asked(score, scorer) for score in SCORES if (scorer := score.prepare(cycle.pod, cycle)) is not None]
    yield from cycle.count()
    return asked


def _seen(cycle: Cycle, nodes: Sequence[NodeInfo], asked: Sequence[_Asked]) -> Steps[list[list[Look]]]:
    """How nodes look now to each of some scores."""
    seen: list[list[Look]] = [[] for _ in asked]
    steps = _steps(cycle)
    at_once = cycle.turn.at_once(steps)
    for start in range(0, len(nodes) if asked else 0, at_once):
        some = nodes[start : start + at_once]
        for one, looks in zip(asked, seen, strict=True):
            looks.extend(map(one.scorer.look, some))
        if cycle.turn.is_over(len(some) * steps):
            yield
    return seen


def _steps(cycle: Cycle) -> int:
    """How much it is to look at one node."""
    pod = cycle.pod
    return limits.STEPS_A_NODE + len(pod.terms.preferred) + len(pod.needs.preferred_node_terms) + len(pod.spreads)


def _put_together(numbers: Iterable[int], of_number: Sequence[Looked], seen: Sequence[Sequence[Look]]) -> tuple[list[int], list[Looked]]:
    """Numbers for how nodes look in all, and what they stand for, where some looks have numbers and others not."""
    each = list(zip(numbers, *seen, strict=True))
    there = list(dict.fromkeys(each))
    numbered = {one: number for number, one in enumerate(there)}
    return [numbered[one] for one in each], [(*of_number[number], *looks) for number, *looks in there]
