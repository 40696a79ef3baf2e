"""What makes a DaemonSet right: its selector and its template fit, and updates make progress in one way."""

from collections.abc import Iterator

from svcsim.kinds.shared.amounts import amount, at_most_all, number_or_percentage
from svcsim.kinds.shared.workload import lasting, not_empty, selected
from svcsim.meta.errors import FieldError, invalid_value, required, unsupported
from svcsim.meta.label_selectors import validate_object
from svcsim.meta.types import Json, Object


def daemon_set_rules(spec: Json, path: str) -> Iterator[FieldError]:
    wanted, template = spec.get("selector"), spec.get("template") or {}
    findings = validate_object(wanted, f"{path}.selector") if wanted else []
    yield from findings
    if not findings:
        yield from selected(wanted, template, f"{path}.template")
    yield from not_empty(wanted, f"{path}.selector", "daemonset")
    yield from lasting(template, f"{path}.template", "DaemonSet")


def update_strategy_rules(strategy: Json, path: str) -> Iterator[FieldError]:
    kind, rolling = strategy.get("type"), strategy.get("rollingUpdate")
    if kind == "RollingUpdate":
        if rolling is None:
            yield required(f"{path}.rollingUpdate")
        else:
            yield from _rolling_update_rules(rolling, f"{path}.rollingUpdate")
    elif kind != "OnDelete":
        yield unsupported(path, {"Type": kind, "RollingUpdate": rolling}, ("RollingUpdate", "OnDelete"))


def _rolling_update_rules(rolling: Object, path: str) -> Iterator[FieldError]:
    unavailable, surge = rolling.get("maxUnavailable", 0), rolling.get("maxSurge", 0)
    for rule in (number_or_percentage, at_most_all):
        yield from rule(unavailable, f"{path}.maxUnavailable")
        yield from rule(surge, f"{path}.maxSurge")
    if amount(unavailable) and amount(surge):
        yield invalid_value(f"{path}.maxSurge", surge, "may not be set when maxUnavailable is non-zero")
    elif not amount(unavailable) and not amount(surge):
        yield required(f"{path}.maxUnavailable", "cannot be 0 when maxSurge is 0")
