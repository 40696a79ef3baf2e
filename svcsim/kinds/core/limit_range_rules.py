"""What makes a LimitRange right: one item a type, of resources the type has, with amounts in their order."""

from collections.abc import Iterator
from fractions import Fraction

from svcsim.dialect import Dialect
from svcsim.kinds.shared.resource_names import container_resource_name, is_overcommitted, resource_name
from svcsim.meta.errors import FieldError, duplicate, forbidden_field, invalid_value, required
from svcsim.meta.names import qualified_name
from svcsim.meta.quantity import parse
from svcsim.meta.types import Object
from svcsim.registry.kind import Context

_POD, _CONTAINER, _CLAIM = "Pod", "Container", "PersistentVolumeClaim"
_AMOUNTS = ("max", "min", "default", "defaultRequest", "maxLimitRequestRatio")
_DEFAULTS = ("default", "defaultRequest")
_ORDER = (
    ("min", "max", "min", "min value {} is greater than max value {}"),
    ("min", "defaultRequest", "defaultRequest", "min value {} is greater than default request value {}"),
    ("defaultRequest", "max", "defaultRequest", "default request value {} is greater than max value {}"),
    ("defaultRequest", "default", "defaultRequest", "default request value {} is greater than default limit value {}"),
    ("min", "default", "default", "min value {} is greater than default value {}"),
    ("default", "max", "default", "default value {} is greater than max value {}"),
)
"""What may not be more than what, which of the fields is named where it is, and what is said."""
_REPORTED = {("min", "default"): "min", ("default", "max"): "max"}
"""Whose amount is shown, where it isn't that of the field that is named."""


def limit_range_rules(obj: Object, context: Context) -> Iterator[FieldError]:
    """All that is wrong with a LimitRange."""
    seen: dict[str, None] = {}
    for index, item in enumerate((obj.get("spec") or {}).get("limits") or ()):
        path, kind = f"spec.limits[{index}]", item.get("type") or ""
        yield from _type_name(kind, f"{path}.type")
        if kind in seen:
            yield duplicate(f"{path}.type", kind)
        seen[kind] = None
        yield from _item_rules(item, kind, path, context.dialect)


def _type_name(kind: str, path: str) -> Iterator[FieldError]:
    if findings := qualified_name(kind):
        yield from (invalid_value(path, kind, finding) for finding in findings)
    elif "/" not in kind and kind not in (_POD, _CONTAINER, _CLAIM):
        yield invalid_value(path, kind, "must be a standard limit type or fully qualified")


def _item_rules(item: Object, kind: str, path: str, dialect: Dialect) -> Iterator[FieldError]:
    for field in _AMOUNTS:
        if kind == _POD and field in _DEFAULTS:
            if item.get(field):
                yield forbidden_field(f"{path}.{field}", "may not be specified when `type` is 'Pod'")
            continue
        for name in item.get(field) or {}:
            yield from _resource(name, kind, f"{path}.{field}[{name}]", dialect)
    if kind == _CLAIM and not any("storage" in (item.get(field) or {}) for field in ("min", "max")):
        yield required(f"{path}.limits", "either minimum or maximum storage value is required, but neither was provided")
    for name in dict.fromkeys(name for field in _AMOUNTS for name in item.get(field) or {}):
        amounts = {field: item[field][name] for field in _AMOUNTS if name in (item.get(field) or {})}
        yield from _amount_rules(amounts, name, path, dialect)


def _resource(name: str, kind: str, path: str, dialect: Dialect) -> Iterator[FieldError]:
    if kind in (_POD, _CONTAINER):
        yield from container_resource_name(name, path, dialect)
    else:
        yield from resource_name(name, path)


def _amount_rules(amounts: dict[str, str], name: str, path: str, dialect: Dialect) -> Iterator[FieldError]:
    """``amounts`` are those of one resource, by field."""
    for less, more, field, text in _ORDER:
        if less in amounts and more in amounts and parse(amounts[less]) > parse(amounts[more]):
            shown = amounts[_REPORTED.get((less, more), field)]
            yield invalid_value(f"{path}.{field}[{name}]", shown, text.format(amounts[less], amounts[more]))
    if "maxLimitRequestRatio" in amounts:
        yield from _ratio_rules(amounts, f"{path}.maxLimitRequestRatio[{name}]")
    limit, request = amounts.get("default"), amounts.get("defaultRequest")
    if limit is not None and request is not None and not is_overcommitted(name, dialect) and parse(limit) != parse(request):
        detail = f"default value {limit} must equal to defaultRequest value {request} in {name}"
        yield invalid_value(f"{path}.defaultRequest[{name}]", request, detail)


def _ratio_rules(amounts: dict[str, str], path: str) -> Iterator[FieldError]:
    text = amounts["maxLimitRequestRatio"]
    ratio = parse(text).number
    if ratio < 1:
        yield invalid_value(path, text, f"ratio {text} is less than 1")
    if "min" in amounts and "max" in amounts:
        least, most = parse(amounts["min"]).number, parse(amounts["max"]).number
        if least and ratio > Fraction(most, least):
            yield invalid_value(path, text, f"ratio {text} is greater than max/min = {float(most / least):f}")
