"""What makes a ResourceQuota right: resources a quota knows, and scopes that fit them and each other."""

from collections.abc import Iterator
from itertools import repeat

from svcsim.kinds.shared.checks import IMMUTABLE, not_negative_amount
from svcsim.kinds.shared.resource_names import is_quota_resource, is_whole, quota_resource_name
from svcsim.kinds.shared.words import QUOTA_SCOPE
from svcsim.meta.errors import FieldError, invalid_value, required
from svcsim.meta.first_use import MadeByName
from svcsim.meta.quantity import parse
from svcsim.meta.types import Object
from svcsim.registry.kind import Context

_COUNTED = ("pods",)
_COMPUTED = ("cpu", "memory", "limits.cpu", "limits.memory", "requests.cpu", "requests.memory")
_STORED = ("persistentvolumeclaims", "requests.storage")
_OF_PODS = (*_COUNTED, *_COMPUTED)
_RESOURCES = {
    "Terminating": _OF_PODS,
    "NotTerminating": _OF_PODS,
    "NotBestEffort": _OF_PODS,
    "PriorityClass": _OF_PODS,
    "CrossNamespacePodAffinity": _OF_PODS,
    "BestEffort": _COUNTED,
    "VolumeAttributesClass": _STORED,
}
"""The resources that can be restricted within a scope."""
_WITHOUT_VALUES = ("BestEffort", "NotBestEffort", "Terminating", "NotTerminating", "CrossNamespacePodAffinity")
_OPPOSITES = (("BestEffort", "NotBestEffort"), ("Terminating", "NotTerminating"))
_MUST_EXIST = (
    "must be 'Exist' when scope is any of ResourceQuotaScopeTerminating, ResourceQuotaScopeNotTerminating, "
    "ResourceQuotaScopeBestEffort, ResourceQuotaScopeNotBestEffort or ResourceQuotaScopeCrossNamespacePodAffinity"
)


def resource_quota_rules(obj: Object, context: Context) -> Iterator[FieldError]:
    """All that is wrong with the spec of a ResourceQuota."""
    spec = obj.get("spec") or {}
    hard = spec.get("hard") or {}
    yield from _amount_rules(hard, "spec.hard", context)
    yield from _scope_rules(spec.get("scopes") or [], hard)
    if spec.get("scopeSelector") is not None:
        yield from _selector_rules(spec, hard)


def status_rules(new: Object, old: Object, context: Context) -> Iterator[FieldError]:
    """What is wrong with a status."""
    status = new.get("status") or {}
    for name in ("hard", "used"):
        yield from _amount_rules(status.get(name) or {}, f"status.{name}", context)


def resource_quota_changes(new: Object, old: Object, context: Context) -> Iterator[FieldError]:
    """The scopes stay the same, in whatever order."""
    scopes, before = [list((obj.get("spec") or {}).get("scopes") or ()) for obj in (new, old)]
    if set(scopes) != set(before):
        yield invalid_value("spec.scopes", scopes, IMMUTABLE)


def _amount_rules(amounts: dict[str, str], path: str, context: Context) -> Iterator[FieldError]:
    for name, amount in amounts.items():
        where = f"{path}[{name}]"
        yield from quota_resource_name(name, where)
        yield from not_negative_amount(amount, where)
        if is_whole(name, context.dialect) and parse(amount).millis() % 1000:
            yield invalid_value(where, amount, "must be an integer")


def _scope_rules(scopes: list[str], hard: dict[str, str]) -> Iterator[FieldError]:
    path, unfit = "spec.scopes", _unfit(hard)
    for scope in scopes:
        if scope not in QUOTA_SCOPE.values:
            yield invalid_value(path, scopes, "unsupported scope")
        if count := unfit[scope]:
            yield from repeat(invalid_value(path, scopes, "unsupported scope applied to resource"), count)
    yield from _opposites(scopes, path, scopes)


def _selector_rules(spec: Object, hard: dict[str, str]) -> Iterator[FieldError]:
    path, selector, unfit = "spec.scopeSelector.matchExpressions", spec["scopeSelector"], _unfit(hard)
    requirements = selector.get("matchExpressions") or ()
    for requirement in requirements:
        scope = requirement.get("scopeName") or ""
        if scope not in QUOTA_SCOPE.values:
            yield invalid_value(f"{path}.scopeName", scope, "unsupported scope")
        if count := unfit[scope]:
            yield from repeat(invalid_value(path, selector, "unsupported scope applied to resource"), count)
        yield from _operator_rules(scope, requirement.get("operator") or "", requirement.get("values") or [], path)
    yield from _opposites([requirement.get("scopeName") or "" for requirement in requirements], path, spec.get("scopes") or [])


def _operator_rules(scope: str, operator: str, values: list[str], path: str) -> Iterator[FieldError]:
    if scope in _WITHOUT_VALUES and operator != "Exists":
        yield invalid_value(f"{path}.operator", operator, _MUST_EXIST)
    if operator in ("In", "NotIn"):
        if not values:
            yield required(f"{path}.values", "must be at least one value when `operator` is 'In' or 'NotIn' for scope selector")
    elif operator in ("Exists", "DoesNotExist"):
        if values:
            detail = "must be no value when `operator` is 'Exist' or 'DoesNotExist' for scope selector"
            yield invalid_value(f"{path}.values", values, detail)
    else:
        yield invalid_value(f"{path}.operator", operator, "not a valid selector operator")


def _unfit(hard: dict[str, str]) -> MadeByName[int]:
    """How many resources can't be restricted within a scope; looked at once for each scope, however often that is named."""
    names = frozenset(filter(is_quota_resource, hard))
    return MadeByName(lambda scope: len(names.difference(_RESOURCES.get(scope, names))))


def _opposites(scopes: list[str], path: str, shown: list[str]) -> Iterator[FieldError]:
    for one, other in _OPPOSITES:
        if one in scopes and other in scopes:
            yield invalid_value(path, shown, "conflicting scopes")
