"""Requests and limits of containers and pods."""

from collections.abc import Iterator

from svcsim.kinds.checks import NOT_NEGATIVE
from svcsim.kinds.references import RESOURCE_LIST
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
    limits, requests = resources.get("limits") or {}, resources.get("requests") or {}
    if not limits and not requests:
        return
    for part, amounts in (("limits", limits), ("requests", requests)):
        for name, amount in amounts.items():
            yield from _amount_rules(name, amount, f"{path}.{part}[{name}]")
    for name, amount in requests.items():
        yield from _request_rules(name, amount, limits.get(name), path)
    if any(name.startswith(_HUGE_PAGES) for name in (*limits, *requests)) and not _cpu_or_memory(limits, requests):
        yield forbidden_field(path, "HugePages require cpu or memory")


def _cpu_or_memory(limits: Object, requests: Object) -> bool:
    return any(name in amounts for name in ("cpu", "memory") for amounts in (limits, requests))


def _amount_rules(name: str, amount: str, path: str) -> Iterator[FieldError]:
    if name not in _STANDARD:
        yield from (invalid_value(path, name, finding) for finding in qualified_name(name))
        if "/" not in name and not name.startswith(_HUGE_PAGES):
            if name != _STORE:
                yield invalid_value(path, name, "must be a standard resource type or fully qualified")
            yield invalid_value(path, name, "must be a standard resource for containers")
    number = parse(amount).number
    if number < 0:
        yield invalid_value(path, amount, NOT_NEGATIVE)
    if "/" in name and number.denominator != 1:
        yield invalid_value(path, amount, "must be an integer")


def _request_rules(name: str, amount: str, limit: str | None, path: str) -> Iterator[FieldError]:
    if limit is None:
        if not _overcommits(name):
            yield required(f"{path}.limits", "Limit must be set for non overcommitable resources")
    elif limit == amount:
        return
    elif not _overcommits(name):
        if parse(limit) != parse(amount):
            yield invalid_value(f"{path}.requests", amount, f"must be equal to {name} limit of {limit}")
    elif parse(amount) > parse(limit):
        yield invalid_value(f"{path}.requests", amount, f"must be less than or equal to {name} limit of {limit}")


RESOURCE_CLAIM = Struct(
    "ResourceClaim",
    Field(1, "name", Str(), "One of the pod's resourceClaims", required=True),
    Field(2, "request", Str(), "One request of the claim; all of them if unset"),
    doc="A device claim that a container uses",
)
RESOURCE_REQUIREMENTS = Struct(
    "ResourceRequirements",
    Field(1, "limits", RESOURCE_LIST, "The most that may be used"),
    Field(2, "requests", RESOURCE_LIST, "What is set aside on the node; the limits if unset"),
    Field(3, "claims", List(RESOURCE_CLAIM, kind="map", keys=("name",)), "Device claims that are used"),
    rules=(resource_rules,),
    doc="What a container or a pod needs of a node",
)
