"""Requests and limits of containers and pods."""

from collections.abc import Iterator
from functools import lru_cache

from svcsim import limits
from svcsim.kinds.shared.checks import NOT_NEGATIVE
from svcsim.kinds.shared.types import RESOURCE_LIST
from svcsim.meta.errors import FieldError, forbidden_field, invalid_value, required
from svcsim.meta.names import qualified_name
from svcsim.meta.quantity import parse
from svcsim.meta.types import Json, Object
from svcsim.schema.types import Field, List, Str, Struct

_STANDARD = ("cpu", "memory", "ephemeral-storage")
_HUGE_PAGES = "hugepages-"
_STORE = "storage"


def _overcommits(name: str) -> bool:
    """Whether a limit may be more than the request: so for the node's own resources, not for devices."""
    return name in _STANDARD


def resource_rules(resources: Json, path: str) -> Iterator[FieldError]:
    """What is wrong with requests and limits: names, amounts, and how they fit each other."""
    limited, requested = resources.get("limits") or {}, resources.get("requests") or {}
    if not limited and not requested:
        return
    for part, amounts in (("limits", limited), ("requests", requested)):
        for name, amount in amounts.items():
            yield from _amount_rules(name, amount, f"{path}.{part}[{name}]")
    for name, amount in requested.items():
        yield from _request_rules(name, amount, limited.get(name), path)
    if any(name.startswith(_HUGE_PAGES) for name in (*limited, *requested)) and not _cpu_or_memory(limited, requested):
        yield forbidden_field(path, "HugePages require cpu or memory")


def _cpu_or_memory(limited: Object, requested: Object) -> bool:
    return any(name in amounts for name in ("cpu", "memory") for amounts in (limited, requested))


def _amount_rules(name: str, amount: str, path: str) -> Iterator[FieldError]:
    if name not in _STANDARD:
        yield from (invalid_value(path, name, finding) for finding in qualified_name(name))
        if "/" not in name and not name.startswith(_HUGE_PAGES):
            if name != _STORE:
                yield invalid_value(path, name, "must be a standard resource type or fully qualified")
            yield invalid_value(path, name, "must be a standard resource for containers")
    if _is_negative(amount):
        yield invalid_value(path, amount, NOT_NEGATIVE)
    if "/" in name and parse(amount).number.denominator != 1:
        yield invalid_value(path, amount, "must be an integer")


# Pods come in crowds that ask for the same; comparing fractions is slow, and remembering the last few answers isn't.


@lru_cache(maxsize=limits.COMPARED_QUANTITIES)
def _is_negative(amount: str) -> bool:
    return parse(amount).number < 0


@lru_cache(maxsize=limits.COMPARED_QUANTITIES)
def _exceeds(amount: str, limit: str) -> bool:
    return parse(amount) > parse(limit)


def _request_rules(name: str, amount: str, limit: str | None, path: str) -> Iterator[FieldError]:
    if limit is None:
        if not _overcommits(name):
            yield required(f"{path}.limits", "Limit must be set for non overcommitable resources")
    elif limit == amount:
        return
    elif not _overcommits(name):
        if parse(limit) != parse(amount):
            yield invalid_value(f"{path}.requests", amount, f"must be equal to {name} limit of {limit}")
    elif _exceeds(amount, limit):
        yield invalid_value(f"{path}.requests", amount, f"must be less than or equal to {name} limit of {limit}")


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
    Field(3, "claims", List(RESOURCE_CLAIM, list_type="map", keys=("name",)), "Device claims to use"),
    rules=(resource_rules,),
    doc="Requested and maximum amounts of resources",
)
