"""What makes a Deployment's strategy right: amounts of pods or percentages, which let a rolling update make progress."""

from collections.abc import Iterator

from svcsim.kinds.shared.checks import not_negative
from svcsim.meta.errors import FieldError, forbidden_field, invalid_value, required, unsupported
from svcsim.meta.types import Json, Object

_STRATEGIES = ("Recreate", "RollingUpdate")
_PERCENTAGE_CHARS = 11
_BAD_PERCENT = (
    "a valid percent string must be a numeric string followed by an ending '%' "
    "(e.g. '1%',  or '93%', regex used for validation is '[0-9]+%')"
)


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
        yield from _number_or_percentage(rolling.get(name, 0), f"{path}.{name}")
    unavailable, surge = rolling.get("maxUnavailable", 0), rolling.get("maxSurge", 0)
    if _is_zero(unavailable) and _is_zero(surge):
        yield invalid_value(f"{path}.maxUnavailable", unavailable, "may not be 0 when `maxSurge` is 0")
    if isinstance(unavailable, str) and _is_percentage(unavailable) and int(unavailable[:-1]) > 100:
        yield invalid_value(f"{path}.maxUnavailable", unavailable, "must not be greater than 100%")


def _number_or_percentage(value: Json, path: str) -> Iterator[FieldError]:
    if isinstance(value, int):
        yield from not_negative(value, path)
    elif not _is_percentage(value):
        yield invalid_value(path, value, _BAD_PERCENT)


def _is_percentage(value: str) -> bool:
    """Whether it is one, and of no more digits than a number here may have."""
    return value[-1:] == "%" and value.isascii() and value[:-1].isdecimal() and len(value) <= _PERCENTAGE_CHARS


def _is_zero(value: Json) -> bool:
    return value == 0 if isinstance(value, int) else isinstance(value, str) and value.rstrip("%").strip("0") == ""


def deadline_rules(spec: Json, path: str) -> Iterator[FieldError]:
    """A deployment that is just becoming available is not late."""
    deadline, ready = spec.get("progressDeadlineSeconds"), spec.get("minReadySeconds") or 0
    if deadline is not None and deadline <= ready:
        yield invalid_value(f"{path}.progressDeadlineSeconds", deadline, "must be greater than minReadySeconds")
