"""How fast a HorizontalPodAutoscaler scales up and down: policies, which of them counts, and how long to look back."""

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
"""Without a window of its own, scaling down looks back as far as the controller is told to."""


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
    Field(1, "type", Str(), "What value counts: Pods or Percent", required=True, default="", rules=(one_of("Percent", "Pods"),)),
    Field(2, "value", Int(), "How much may change within the period", required=True, rules=(_above_zero,)),
    Field(3, "periodSeconds", Int(), "The period in seconds", required=True, rules=(_period,)),
    doc="How much may change in how long",
)
_RULES = Struct(
    "HPAScalingRules",
    Field(3, "stabilizationWindowSeconds", Int(), "How many seconds of past recommendations are considered", rules=(_window,)),
    Field(1, "selectPolicy", Str(), "Which policy counts: Max, Min, or Disabled for no change", rules=(one_of("Disabled", "Max", "Min"),)),
    Field(2, "policies", List(_POLICY, kind="atomic"), "What may change in how long", presence=True),
    Field(4, "tolerance", Quantity(), "How far a metric may be off before anything changes", rules=(not_negative_amount,)),
    rules=(_some_policy,),
    doc="How fast to scale in one direction",
)
BEHAVIOR = Struct(
    "HorizontalPodAutoscalerBehavior",
    Field(1, "scaleUp", _RULES, "How fast to scale up"),
    Field(2, "scaleDown", _RULES, "How fast to scale down"),
    fill=_fill,
    doc="How fast to scale",
)
