"""What all scores together say of the nodes that a pod can go to.

Of hundreds of nodes most are alike to every score. So what scores say of nodes is only set side by side, node by node; it is weighed once
for those that are alike.
"""

from collections.abc import Iterable, Sequence
from itertools import compress
from typing import NamedTuple, TypeAlias

from svcsim.scheduler.cycle import Cycle
from svcsim.scheduler.node import NodeInfo
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


_Said: TypeAlias = tuple[Score, Sequence[int]]
"""What a score says of each node, before it is weighed."""


def best(cycle: Cycle, candidates: Candidates, template: Template | None) -> Steps[list[NodeInfo]]:
    """Those of several nodes that all scores together give most.

    What a template remembers of their positions is taken from there.
    """
    weighed: list[Sequence[int]] = []
    said: list[_Said] = []
    if template is not None:
        weighed = [candidates.of_each(template.points)]
        said = [(score, candidates.of_each(column)) for score, column in template.columns.items()]
    said += yield from _asked(cycle, candidates, SCORES if template is None else _OF_OTHERS)
    looks = list(zip(*weighed, *(raw for _, raw in said), strict=True))
    kinds = list(set(looks))
    columns = list(zip(*kinds, strict=True))
    rest = [_weighted(score, column) for (score, _), column in zip(said, columns[len(weighed) :], strict=True)]
    sums = [sum(values) for values in zip(*columns[: len(weighed)], *rest, strict=True)]
    highest = max(sums)
    winning = {kind for kind, total in zip(kinds, sums, strict=True) if total == highest}
    return list(compress(candidates.nodes, map(winning.__contains__, looks)))


def all_points(cycle: Cycle, candidates: Candidates) -> Steps[list[Points]]:
    """What each score that has something to say gives each node."""
    said = yield from _asked(cycle, candidates, SCORES)
    return [Points(score, _weighted(score, raw)) for score, raw in said]


def _asked(cycle: Cycle, candidates: Candidates, scores: Iterable[Score]) -> Steps[list[_Said]]:
    prepared = [(score, scorer) for score in scores if (scorer := score.prepare(cycle.pod, cycle, candidates)) is not None]
    yield from cycle.count()
    steps = 1 + len(cycle.pod.terms.preferred) + len(cycle.pod.needs.preferred_node_terms) + len(cycle.pod.spreads)
    said: list[_Said] = []
    for score, scorer in prepared:
        raw: list[int] = []
        for part in candidates.parts(cycle.turn.at_once(steps)):
            raw += scorer(part)
            if cycle.turn.is_over(len(part.nodes) * steps):
                yield
        said.append((score, raw))
    return said


def _weighted(score: Score, raw: Sequence[int]) -> list[int]:
    values = list(raw) if score.normalise is None else score.normalise(raw)
    return values if score.weight == 1 else [value * score.weight for value in values]
