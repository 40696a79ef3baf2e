"""What makes an autoscaler right: bounds in their order."""

from collections.abc import Iterator

from svcsim.meta.errors import FieldError, invalid_value
from svcsim.meta.types import Json


def replica_rules(spec: Json, path: str) -> Iterator[FieldError]:
    least, most = spec.get("minReplicas"), spec.get("maxReplicas") or 0
    if least is not None and least < 1 and not (least == 0 and _tells_of_none(spec)):
        yield invalid_value(f"{path}.minReplicas", least, "must be greater than or equal to 1")
    if most < 1:
        yield invalid_value(f"{path}.maxReplicas", most, "must be greater than 0")
    if least is not None and most < least:
        yield invalid_value(f"{path}.maxReplicas", most, "must be greater than or equal to `minReplicas`")


def _tells_of_none(spec: Json) -> bool:
    """Whether a metric is among those that says when pods are needed while there are none."""
    return any(metric.get("type") in ("Object", "External") for metric in spec.get("metrics") or ())
