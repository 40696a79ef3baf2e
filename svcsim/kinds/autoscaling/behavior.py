"""How fast a HorizontalPodAutoscaler scales up and down: policies, how to choose among them, and how long to look back."""

from collections.abc import Iterator

from svcsim.kinds.shared.checks import not_negative_amount, one_of
from svcsim.meta.errors import FieldError, invalid_value, required
from svcsim.meta.objects import copy_json
from svcsim.meta.types import Json, Object
from svcsim.schema.types import Field, Int, List, Quantity, Str, Struct

_MAX_WINDOW_S = 3600
_MAX_PERIOD_S = 1800
_UP: Object = {
    "stabilizationWindowSeconds": 0,
    "selectPolicy": "Max",
    "policies": [{"type": "Pods", "value": 4, "periodSeconds": 15}, {"type": "Percent", "value": 100, "periodSeconds": 15}],
}
_DOWN: Object = {"selectPolicy": "Max", "policies": [{"type": "Percent", "value": 100, "periodSeconds": 15}]}
"""Without a window of its own, scaling down looks back as far as the controller's default says."""


def _window(value: Json, path: str) -> Iterator[FieldError]:
    if value < 0:
        yield invalid_value(path, value, "must be greater than or equal to zero")
    if value > _MAX_WINDOW_S:
        yield invalid_value(path, value, f"must be less than or equal to {_MAX_WINDOW_S}")


def _above_zero(value: Json, path: str) -> Iterator[FieldError]:
    if value <= 0:
        yield invalid_value(path, value, "must be greater than zero")


def _period(value: Json, path: str) -> Iterator[FieldError]:
    yield from _above_zero(value, path)
    if value > _MAX_PERIOD_S:
        yield invalid_value(path, value, f"must be less than or equal to {_MAX_PERIOD_S}")


def _some_policy(rules: Json, path: str) -> Iterator[FieldError]:
    if not rules.get("policies"):
        yield required(f"{path}.policies", "must specify at least one Policy")


def _fill(behavior: Object) -> None:
    for name, default in (("scaleUp", _UP), ("scaleDown", _DOWN)):
        behavior[name] = {**copy_json(default), **behavior.get(name, {})}


_POLICY = Struct(
    "HPAScalingPolicy",
    Field(1, "type", Str(), "Unit of the value: Pods or Percent", required=True, default="", rules=(one_of("Percent", "Pods"),)),
    Field(2, "value", Int(), "The largest change allowed within the period", required=True, rules=(_above_zero,)),
    Field(3, "periodSeconds", Int(), "Length of the period in seconds", required=True, rules=(_period,)),
    doc="Limits a change to an amount within a period",
)
_RULES = Struct(
    "HPAScalingRules",
    Field(
        3,
        "stabilizationWindowSeconds",
        Int(),
        "Seconds for which past recommendations are taken into account, so that the size does not flap",
        rules=(_window,),
    ),
    Field(
        1,
        "selectPolicy",
        Str(),
        "Which policy applies if several are given: Max, Min, or Disabled for no scaling in this direction",
        rules=(one_of("Disabled", "Max", "Min"),),
        presence=True,
    ),
    Field(2, "policies", List(_POLICY, list_type="atomic"), "Policies that limit the change", presence=True),
    Field(
        4,
        "tolerance",
        Quantity(),
        "How far a metric may be from its target before the size changes, as a ratio",
        rules=(not_negative_amount,),
    ),
    rules=(_some_policy,),
    doc="Scaling behavior in one direction",
)
BEHAVIOR = Struct(
    "HorizontalPodAutoscalerBehavior",
    Field(1, "scaleUp", _RULES, "Scaling behavior for scaling up"),
    Field(2, "scaleDown", _RULES, "Scaling behavior for scaling down"),
    fill=_fill,
    doc="Scaling behavior in both directions",
)
