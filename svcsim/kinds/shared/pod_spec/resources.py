"""Requests and limits of containers and pods."""

from collections.abc import Iterable, Iterator
from functools import lru_cache

from svcsim import limits
from svcsim.dialect import DIALECTS
from svcsim.kinds.shared.checks import NOT_NEGATIVE
from svcsim.kinds.shared.types import RESOURCE_LIST
from svcsim.meta.errors import FieldError, forbidden_field, invalid_value, required
from svcsim.meta.names import qualified_name
from svcsim.meta.quantity import parse
from svcsim.meta.types import Json, Object
from svcsim.schema.types import Field, List, Rule, Str, Struct

_STANDARD = ("cpu", "memory", "ephemeral-storage")
HUGE_PAGES = "hugepages-"
_STORE = "storage"


def _overcommits(name: str) -> bool:
    """Whether a limit may be more than the request: so for the node's own resources, not for devices."""
    return name in _STANDARD


def resource_rules(resources: Json, path: str) -> list[FieldError]:
    """What is wrong with a container's requests and limits: names, amounts, and how they fit each other."""
    return amounts_rules(resources, path, _container_name_rules)


def overhead_rules(overhead: Json, path: str) -> list[FieldError]:
    """Amounts as a container may have them."""
    return amounts_rules({"limits": overhead}, path, _container_name_rules)


def amounts_rules(resources: Json, path: str, name_rules: Rule) -> list[FieldError]:
    """What is wrong with requests and limits, where their names are as those rules say."""
    limited, requested = resources.get("limits") or {}, resources.get("requests") or {}
    findings: list[FieldError] = []
    if not limited and not requested:
        return findings
    for part, amounts in (("limits", limited), ("requests", requested)):
        for name, amount in amounts.items():
            if name not in _STANDARD:
                where = f"{path}.{part}[{name}]"
                findings += name_rules(name, where)
                findings += _amount_rules(name, amount, where)
            elif _is_negative(amount):
                findings.append(invalid_value(f"{path}.{part}[{name}]", amount, NOT_NEGATIVE))
    for name, amount in requested.items():
        limit = limited.get(name)
        if limit != amount:
            findings += _request_rules(name, amount, limit, path)
    if not _cpu_or_memory(limited, requested) and any(name.startswith(HUGE_PAGES) for name in (*limited, *requested)):
        findings.append(forbidden_field(path, "HugePages require cpu or memory"))
    return findings


def _cpu_or_memory(limited: Object, requested: Object) -> bool:
    return "cpu" in limited or "memory" in limited or "cpu" in requested or "memory" in requested


def _container_name_rules(name: str, path: str) -> Iterator[FieldError]:
    findings = qualified_name(name)
    yield from (invalid_value(path, name, finding) for finding in findings)
    if "/" not in name and not name.startswith(HUGE_PAGES):
        if name != _STORE and not findings:
            yield invalid_value(path, name, "must be a standard resource type or fully qualified")
        yield invalid_value(path, name, "must be a standard resource for containers")
    elif _is_foreign(name) and (name.startswith("requests.") or qualified_name(f"requests.{name}")):
        yield invalid_value(path, name, "doesn't follow extended resource name standard")


def _is_foreign(name: str) -> bool:
    """Whether it is a vendor's device, and none of the cluster's own resources."""
    return "/" in name and not any(f"{dialect.domain}/" in name for dialect in DIALECTS.values())


def _amount_rules(name: str, amount: str, path: str) -> Iterator[FieldError]:
    if _is_negative(amount):
        yield invalid_value(path, amount, NOT_NEGATIVE)
    if "/" in name and parse(amount).number.denominator != 1:
        yield invalid_value(path, amount, "must be an integer")
    if name.startswith(HUGE_PAGES) and not _whole_pages(name, amount):
        yield invalid_value(path, amount, f"{amount} is not positive integer multiple of {name}")


def _whole_pages(name: str, amount: str) -> bool:
    """Whether an amount is of so many pages; nothing is said of a size that can't be read."""
    try:
        page = parse(name.removeprefix(HUGE_PAGES)).number
    except ValueError:
        return False
    return page > 0 and (parse(amount).number / page).denominator == 1


# Pods come in crowds that ask for the same; comparing fractions is slow, and remembering the last few answers isn't.


def _is_negative(amount: str) -> bool:
    return amount[:1] == "-" and parse(amount).number < 0


@lru_cache(maxsize=limits.COMPARED_QUANTITIES)
def _exceeds(amount: str, limit: str) -> bool:
    return parse(amount) > parse(limit)


def _request_rules(name: str, amount: str, limit: str | None, path: str) -> Iterable[FieldError]:
    """What is wrong with a request that differs from its limit."""
    if _overcommits(name):
        if limit is not None and _exceeds(amount, limit):
            return (invalid_value(f"{path}.requests", amount, f"must be less than or equal to {name} limit of {limit}"),)
    elif limit is None:
        return (required(f"{path}.limits", "Limit must be set for non overcommitable resources"),)
    elif parse(limit) != parse(amount):
        return (invalid_value(f"{path}.requests", amount, f"must be equal to {name} limit of {limit}"),)
    return ()


RESOURCE_CLAIM = Struct(
    "ResourceClaim",
    Field(1, "name", Str(), "Name of an entry in resourceClaims of the pod", required=True),
    Field(2, "request", Str(), "Name of a request in the claim; all requests if unset"),
    doc="Device claim that a container uses",
)
RESOURCE_REQUIREMENTS = Struct(
    "ResourceRequirements",
    Field(1, "limits", RESOURCE_LIST, "Largest amounts that may be used"),
    Field(2, "requests", RESOURCE_LIST, "Amounts that the node must have free for this; the limits if unset"),
    Field(3, "claims", List(RESOURCE_CLAIM, list_type="map", keys=("name",), unique=False), "Device claims to use"),
    doc="Requested and maximum amounts of resources",
)
