"""The values that the rules of one place are asked about."""

from functools import cached_property

from cel_expr_python import cel

from svcsim import limits
from svcsim.schema.cel.costs import SMALL_WEIGHT, Cost, Costs
from svcsim.schema.cel.crossings import EvaluationError, NotPlainError
from svcsim.schema.cel.evaluation import NOT_TAKEN, Evaluation
from svcsim.schema.cel.pieces import Pieces
from svcsim.schema.cel.presence import gave_up
from svcsim.schema.cel.programs import Program
from svcsim.schema.cel.shapes import Shape, is_within, shape_of

_LITTLE = limits.CEL_STEP_COST / 20
"""What an expression may cost about any small value so that nobody has to know more of the value."""


class Sizes:
    """How large values are, each found out once for all that ask."""

    def __init__(self) -> None:
        self._known: dict[int, tuple[object, Shape]] = {}
        """By identity; the value is kept beside, so that no other takes its place."""

    def of(self, value: object) -> Shape:
        """The shape of a value that nobody changes meanwhile."""
        if not isinstance(value, dict | list):
            return shape_of(value)
        known = self._known.get(id(value))
        if known is None:
            known = self._known[id(value)] = value, shape_of(value)
        return known[1]


class Given:
    """Values by the names that expressions have for them, put into the CEL library's form once for many expressions.

    The library keeps whatever an expression makes for as long as the form, which is therefore made anew from time to time.
    """

    def __init__(self, environment: cel.Env, values: dict[str, object], sizes: Sizes | None = None) -> None:
        """``sizes`` are shared with others that have some of the values, too."""
        self._environment = environment
        self._values = values
        self._sizes = sizes or Sizes()
        self._form = environment.Activation(values)
        self._left: float = limits.CEL_STEP_COST
        self._is_abandoned = False

    def abandon(self) -> None:
        """Nobody waits for what is asked any longer: it ends as soon as it can, as if it cost too much."""
        self._is_abandoned = True

    def cost(self, costs: Costs) -> Cost:
        """What an expression costs about these values, at most."""
        if costs.of_small.time <= _LITTLE and self._are_small:
            return costs.least
        return costs.of(self._shapes)

    def ask(self, program: Program, cost: Cost) -> object:
        """What an expression comes to. Raises `EvaluationError` and, where it costs too much, `CallCostError`."""
        try:
            return self._asked(program, cost)
        except EvaluationError as error:
            if not gave_up(str(error)):
                raise
        return self._asked(program.tolerant(self._values), cost)

    def _asked(self, program: Program, cost: Cost) -> object:
        fits = cost.fits and cost.units <= limits.CEL_CALL_COST
        if not fits:
            form = self._environment.Activation(self._values)
            evaluation = Evaluation(Pieces(self._environment, program.tree), form, self._abandoned)
            return evaluation.of(program.tree, self._values)
        self._use_form(max(cost.time, _LITTLE if self._are_small else 0.0))
        if program.compiled is None:
            return Evaluation(program.pieces, self._form, self._abandoned, fits=True).of(program.tree, self._values)
        try:
            return program.pieces.read(program.compiled.eval(activation=self._form))
        except NotPlainError:
            raise
        except (EvaluationError, RuntimeError, ValueError, TypeError) as error:
            if NOT_TAKEN not in str(error):
                raise EvaluationError(str(error)) from None
        return Evaluation(program.pieces, self._form, self._abandoned, fits=True).of(program.tree, self._values)

    def _abandoned(self) -> bool:
        return self._is_abandoned

    def _use_form(self, cost: float) -> None:
        self._left -= cost
        if self._left < 0:
            self._form = self._environment.Activation(self._values)
            self._left = limits.CEL_STEP_COST

    @cached_property
    def _are_small(self) -> bool:
        return all(is_within(value, SMALL_WEIGHT / len(self._values)) for value in self._values.values())

    @cached_property
    def _shapes(self) -> dict[str, Shape]:
        return {name: self._sizes.of(value) for name, value in self._values.items()}
