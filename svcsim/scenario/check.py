"""The check of a whole scenario file before anything of it runs.

All mistakes are reported at once, each with its place and with what was meant. First the shape of the file
(`svcsim.scenario.shape_check`), and where that is right what a shape can't say (`svcsim.scenario.meaning`).
"""

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from svcsim.cluster.parts import PLUGIN_NAMES
from svcsim.meta.types import Json, Object
from svcsim.scenario.expressions import Expressions
from svcsim.scenario.format import SCENARIO
from svcsim.scenario.load import Mistake, Node, Position, as_node
from svcsim.scenario.meaning import Meaning, unknown_kinds, unknown_plugins
from svcsim.scenario.shape_check import ShapeCheck
from svcsim.scenario.shapes import Shape

DEFINES_KINDS = "CustomResourceDefinition"
"""The kind whose objects make others: a scenario that has them may name any kind."""


class Findings(NamedTuple):
    """Everything that is wrong with a scenario, in the order it stands in the file, and what else there is to know of it."""

    mistakes: list[Mistake]
    manifests: tuple[str, ...]
    """The files it reads."""
    defines_kinds: bool
    """Whether it makes kinds of its own."""


def check(file: str, root: Node, variables: Object, expressions: Expressions, kinds: Sequence[str] = ()) -> Findings:
    """What there is to say of a scenario. ``variables`` are those of one run of it.

    ``kinds`` are those the cluster has; empty where that isn't known before the run.
    """
    checked = ShapeCheck(file, variables, expressions)
    checked.shape(root, SCENARIO)
    if kinds and DEFINES_KINDS not in checked.made:
        unknown_kinds(checked, kinds)
    unknown_plugins(checked, PLUGIN_NAMES)
    if not checked.mistakes:
        Meaning(checked, expressions, Path(file).parent).check(root)
    unique = dict.fromkeys(checked.mistakes)
    return Findings(sorted(unique, key=lambda mistake: mistake.position), tuple(checked.manifests), DEFINES_KINDS in checked.made)


def check_filled(file: str, value: Json, shape: Shape, expressions: Expressions) -> list[str]:
    """What is wrong with a value into which something was put while the scenario runs."""
    checked = ShapeCheck(file, {}, expressions, filled=True)
    checked.shape(as_node(value, Position(1, 1)), shape)
    return [mistake.message for mistake in checked.mistakes]
