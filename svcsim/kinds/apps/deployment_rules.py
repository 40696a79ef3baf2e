"""What makes a Deployment's strategy right: amounts of pods or percentages, which let a rolling update make progress."""

from collections.abc import Iterator

from svcsim.kinds.shared.amounts import amount, at_most_all, number_or_percentage
from svcsim.meta.errors import FieldError, forbidden_field, invalid_value, required, unsupported
from svcsim.meta.types import Json, Object

_STRATEGIES = ("Recreate", "RollingUpdate")


def strategy_rules(strategy: Json, path: str) -> Iterator[FieldError]:
    """All that is wrong with a strategy."""
    if strategy.get("type") == "Recreate":
        if strategy.get("rollingUpdate") is not None:
            yield forbidden_field(f"{path}.rollingUpdate", "may not be specified when strategy `type` is 'Recreate'")
    elif strategy.get("type") == "RollingUpdate":
        if strategy.get("rollingUpdate") is None:
            yield required(f"{path}.rollingUpdate", "this should be defaulted and never be nil")
        else:
            yield from _rolling_update_rules(strategy["rollingUpdate"], f"{path}.rollingUpdate")
    else:
        whole = {"Type": strategy.get("type"), "RollingUpdate": strategy.get("rollingUpdate")}
        yield unsupported(path, whole, _STRATEGIES)


def _rolling_update_rules(rolling: Object, path: str) -> Iterator[FieldError]:
    for name in ("maxUnavailable", "maxSurge"):
        yield from number_or_percentage(rolling.get(name, 0), f"{path}.{name}")
    unavailable = rolling.get("maxUnavailable", 0)
    if amount(unavailable) == amount(rolling.get("maxSurge", 0)) == 0:
        yield invalid_value(f"{path}.maxUnavailable", unavailable, "may not be 0 when `maxSurge` is 0")
    yield from at_most_all(unavailable, f"{path}.maxUnavailable")


def deadline_rules(spec: Json, path: str) -> Iterator[FieldError]:
    """A deployment that is just becoming available is not late."""
    deadline, ready = spec.get("progressDeadlineSeconds"), spec.get("minReadySeconds") or 0
    if deadline is not None and deadline <= ready:
        yield invalid_value(f"{path}.progressDeadlineSeconds", deadline, "must be greater than minReadySeconds")
