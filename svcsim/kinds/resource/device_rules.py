"""What makes requests for devices right: one form of a request, counts that fit the mode, references to what is there."""

import json
from collections.abc import Iterator
from typing import Final

from svcsim.kinds.resource.names import driver_named, label_named, label_valued
from svcsim.kinds.shared.checks import one_of
from svcsim.meta.errors import FieldError, invalid_value, required, too_long, unsupported
from svcsim.meta.names import qualified_name
from svcsim.meta.types import Json, Object

EFFECTS: Final = ("NoExecute", "NoSchedule", "None")
_PARAMETERS_BYTES: Final = 10 * 1024
_NO_REQUEST: Final = "must be the name of a request in the claim or the name of a request and a subrequest separated by '/'"


def selector_rules(selector: Json, path: str) -> Iterator[FieldError]:
    """An expression about devices."""
    if selector.get("cel") is None:
        yield required(f"{path}.cel")
    elif text := selector["cel"].get("expression"):
        from svcsim.kinds.resource.device_expressions import device_expression_rules  # noqa: PLC0415 - loads the CEL library, which most clusters never need

        yield from device_expression_rules(text, f"{path}.cel.expression")


def configuration_rules(configuration: Json, path: str) -> Iterator[FieldError]:
    """Parameters of a driver."""
    opaque = configuration.get("opaque")
    if opaque is None:
        yield required(f"{path}.opaque")
        return
    yield from driver_named(opaque.get("driver") or "", f"{path}.opaque.driver")
    if opaque.get("parameters") is not None:
        yield from object_rules(opaque["parameters"], f"{path}.opaque.parameters")


def object_rules(value: Json, path: str) -> Iterator[FieldError]:
    """Any JSON object of a bounded size."""
    if len(json.dumps(value, separators=(",", ":"))) > _PARAMETERS_BYTES:
        yield too_long(path, _PARAMETERS_BYTES)
    elif not isinstance(value, dict):
        yield invalid_value(path, "<value omitted>", "must be a valid JSON object")


def request_rules(request: Json, path: str) -> Iterator[FieldError]:
    """Exactly this, or the first of these."""
    yield from label_named(request.get("name") or "", f"{path}.name")
    exactly, several = request.get("exactly") is not None, bool(request.get("firstAvailable"))
    if not exactly and not several:
        yield required(path, "exactly one of `exactly` or `firstAvailable` is required")
    elif exactly and several:
        yield invalid_value(path, None, "exactly one of `exactly` or `firstAvailable` is required, but multiple fields are set")


def count_rules(request: Json, path: str) -> Iterator[FieldError]:
    """A count where it is counted."""
    mode, count = request.get("allocationMode") or "", request.get("count") or 0
    if mode == "All":
        if count:
            yield invalid_value(f"{path}.count", count, "must not be specified when allocationMode is 'All'")
    elif mode != "ExactCount":
        yield unsupported(f"{path}.allocationMode", mode, ("All", "ExactCount"))
    elif count <= 0:
        yield invalid_value(f"{path}.count", count, "must be greater than zero")


def fill_count(request: Object) -> None:
    """One device, unless more or all are asked for."""
    if not request.get("allocationMode"):
        request["allocationMode"] = "ExactCount"
    if request["allocationMode"] == "ExactCount" and not request.get("count"):
        request["count"] = 1


def toleration_rules(toleration: Json, path: str) -> Iterator[FieldError]:
    key, operator, value, effect = [toleration.get(name) or "" for name in ("key", "operator", "value", "effect")]
    if key:
        yield from (invalid_value(f"{path}.key", key, finding) for finding in qualified_name(key))
    if operator == "Exists":
        if value:
            yield invalid_value(f"{path}.value", value, "must be empty for operator `Exists`")
    elif operator == "Equal":
        yield from label_valued(value, f"{path}.value")
    else:
        yield unsupported(f"{path}.operator", operator, ("Equal", "Exists"))
    if effect:
        yield from one_of(*EFFECTS)(effect, f"{path}.effect")


def constraint_rules(constraint: Json, path: str) -> Iterator[FieldError]:
    """It says which attribute it is about."""
    given = [name for name in ("matchAttribute", "distinctAttribute") if constraint.get(name) is not None]
    if len(given) != 1:
        yield required(path, 'exactly one of "matchAttribute" or "distinctAttribute" is required, but multiple fields are set')


def claim_rules(claim: Json, path: str) -> Iterator[FieldError]:
    """Constraints and configurations are about requests of the claim."""
    names = request_names(claim)
    for field in ("constraints", "config"):
        for index, item in enumerate(claim.get(field) or ()):
            for place, name in enumerate(item.get("requests") or ()):
                yield from reference_rules(name, f"{path}.{field}[{index}].requests[{place}]", names)


def request_names(claim: Object) -> list[str]:
    """Names of requests, and of alternatives in them, as ``request/alternative``."""
    requests = claim.get("requests") or ()
    found = [request.get("name") or "" for request in requests]
    return found + [f"{request.get('name')}/{other.get('name')}" for request in requests for other in request.get("firstAvailable") or ()]


def reference_rules(name: str, path: str, names: list[str]) -> Iterator[FieldError]:
    """The name of a request, or of an alternative in one."""
    segments = name.split("/")
    if len(segments) > 2:
        yield invalid_value(path, name, _NO_REQUEST)
        return
    for segment in segments:
        yield from label_named(segment, path)
    if name not in names:
        yield invalid_value(path, name, _NO_REQUEST)
