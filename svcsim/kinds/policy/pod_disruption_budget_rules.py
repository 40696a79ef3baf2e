"""What makes a PodDisruptionBudget right: one bound or the other, as a number or a percentage; counts from 0."""

from collections.abc import Iterator

from svcsim.kinds.shared.amounts import at_most_all, number_or_percentage
from svcsim.kinds.shared.checks import not_negative
from svcsim.meta.errors import FieldError, invalid_value
from svcsim.meta.types import Json, Object
from svcsim.registry.kind import Context

_BOUNDS = ("minAvailable", "maxUnavailable")
_COUNTS = ("disruptionsAllowed", "currentHealthy", "desiredHealthy", "expectedPods")


def bounds_rules(spec: Json, path: str) -> Iterator[FieldError]:
    if all(spec.get(name) is not None for name in _BOUNDS):
        yield invalid_value(path, spec, "minAvailable and maxUnavailable cannot be both set")
    for name in _BOUNDS:
        if spec.get(name) is not None:
            yield from number_or_percentage(spec[name], f"{path}.{name}")
            yield from at_most_all(spec[name], f"{path}.{name}")


def status_rules(new: Object, old: Object, context: Context) -> Iterator[FieldError]:
    status = new.get("status") or {}
    for name in _COUNTS:
        yield from not_negative(status.get(name) or 0, f"status.{name}")
