"""The values that the rules of one place are asked about."""

from functools import cached_property

from cel_expr_python import cel

from svcsim import limits
from svcsim.schema.cel.costs import SMALL_WEIGHT, Costs
from svcsim.schema.cel.shapes import Shape, is_within, shape_of

_LITTLE = limits.CEL_CALL_COST / 20
"""What an expression may cost about any small value so that nobody has to know more of the value."""


class Given:
    """Values by the names that expressions have for them, put into the CEL library's form once for many expressions.

    The library keeps whatever an expression makes for as long as the form, which is therefore made anew from time to time.
    """

    def __init__(self, environment: cel.Env, values: dict[str, object]) -> None:
        self._environment = environment
        self._values = values
        self._form = environment.Activation(values)
        self._left: float = limits.CEL_CALL_COST

    def cost(self, costs: Costs) -> float:
        """What an expression costs about these values, at most."""
        if costs.of_small <= _LITTLE and self._are_small:
            return costs.least
        return costs.of(self._shapes)

    def ask(self, expression: cel.Expression, cost: float) -> cel.Value:
        """What an expression comes to. Raises what the library raises."""
        self._left -= max(cost, _LITTLE if self._are_small else 0.0)
        if self._left < 0:
            self._form = self._environment.Activation(self._values)
            self._left = limits.CEL_CALL_COST
        return expression.eval(activation=self._form)

    @cached_property
    def _are_small(self) -> bool:
        return all(is_within(value, SMALL_WEIGHT / len(self._values)) for value in self._values.values())

    @cached_property
    def _shapes(self) -> dict[str, Shape]:
        return {name: shape_of(value) for name, value in self._values.items()}
