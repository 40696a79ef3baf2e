"""What all scores together say of the nodes that a pod can go to."""

from collections.abc import Iterable, Sequence
from operator import add, itemgetter
from typing import NamedTuple

from svcsim.scheduler.cycle import Cycle
from svcsim.scheduler.rules import Candidates, Score
from svcsim.scheduler.scores import SCORES
from svcsim.scheduler.template import Template
from svcsim.scheduler.turns import Steps

_OF_OTHERS = tuple(score for score in SCORES if not score.of_node_alone)
"""The scores that a template doesn't cache."""


class Points(NamedTuple):
    """What one score gives each node, weighted."""

    score: Score
    values: list[int]


def totals(cycle: Cycle, candidates: Candidates, template: Template | None) -> Steps[list[int]]:
    """The sum for each of several nodes, to compare them by: what says the same of all may be left out.

    What a template remembers of their positions is taken from there.
    """
    if template is None:
        return _sums([points.values for points in (yield from all_points(cycle, candidates))])
    pick = itemgetter(*candidates.positions)
    remembered = [list(pick(template.points))]
    for score, column in template.columns.items():
        raw = list(pick(column))
        if len(set(raw)) > 1:
            remembered.append(_weighted(score, raw))
    asked = yield from _asked(cycle, candidates, _OF_OTHERS)
    return _sums([*remembered, *(points.values for points in asked)])


def all_points(cycle: Cycle, candidates: Candidates) -> Steps[list[Points]]:
    """What each score that has something to say gives each node."""
    return (yield from _asked(cycle, candidates, SCORES))


def _asked(cycle: Cycle, candidates: Candidates, scores: Iterable[Score]) -> Steps[list[Points]]:
    prepared = [(score, scorer) for score in scores if (scorer := score.prepare(cycle.pod, cycle, candidates)) is not None]
    yield from cycle.count()
    steps = 1 + len(cycle.pod.terms.preferred) + len(cycle.pod.needs.preferred_node_terms) + len(cycle.pod.spreads)
    points: list[Points] = []
    for score, scorer in prepared:
        raw: list[int] = []
        for part in candidates.parts(cycle.turn.at_once(steps)):
            raw += scorer(part)
            if cycle.turn.is_over(len(part.nodes) * steps):
                yield
        points.append(Points(score, _weighted(score, raw)))
    return points


def _weighted(score: Score, raw: list[int]) -> list[int]:
    values = raw if score.normalise is None else score.normalise(raw)
    return values if score.weight == 1 else [value * score.weight for value in values]


def _sums(columns: Sequence[list[int]]) -> list[int]:
    sums = columns[0]
    for column in columns[1:]:
        sums = list(map(add, sums, column))
    return sums
