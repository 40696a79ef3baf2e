"""What all scores together say of the nodes that a pod can go to."""

from collections.abc import Sequence
from operator import add
from typing import NamedTuple

from svcsim.scheduler.cycle import Cycle
from svcsim.scheduler.node import NodeInfo
from svcsim.scheduler.rules import Score, Scorer
from svcsim.scheduler.scores import SCORES
from svcsim.scheduler.template import Template
from svcsim.scheduler.turns import Steps


class Points(NamedTuple):
    """What one score gives each node, weighted."""

    score: Score
    values: list[int]


def totals(cycle: Cycle, nodes: Sequence[NodeInfo], positions: Sequence[int], template: Template | None) -> Steps[list[int]]:
    """The sum for each node."""
    sums = [0] * len(nodes)
    for points in (yield from all_points(cycle, nodes, positions, template)):
        sums = list(map(add, sums, points.values))
    return sums


def all_points(cycle: Cycle, nodes: Sequence[NodeInfo], positions: Sequence[int], template: Template | None) -> Steps[list[Points]]:
    """What each score that has something to say gives each node. What a template remembers of their positions is taken from there."""
    asked: list[tuple[Score, list[int] | Scorer]] = []
    for score in SCORES:
        if template is not None and score.of_node_alone:
            column = template.columns.get(score)
            if column is not None:
                asked.append((score, [column[at] for at in positions]))
        else:
            scorer = score.prepare(cycle.pod, cycle, nodes)
            if scorer is not None:
                asked.append((score, scorer))
    yield from cycle.count()
    steps = 1 + len(cycle.pod.terms.preferred) + len(cycle.pod.needs.preferred_node_terms) + len(cycle.pod.spreads)
    points: list[Points] = []
    for score, given in asked:
        if callable(given):
            raw = yield from cycle.turn.sliced(nodes, steps, given)
        else:
            raw = given
        values = raw if score.normalise is None else score.normalise(raw)
        points.append(Points(score, values if score.weight == 1 else [value * score.weight for value in values]))
    return points
