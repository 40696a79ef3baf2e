"""What makes the resources of a whole pod right: what its containers ask for together has room in them, and no container may use more."""

from collections.abc import Iterator

from svcsim.kinds.shared.pod_spec.claim_rules import no_claims
from svcsim.kinds.shared.pod_spec.resources import HUGE_PAGES, amounts_rules
from svcsim.meta.errors import FieldError, invalid_value, unsupported
from svcsim.meta.pod_amounts import containers_amounts
from svcsim.meta.quantity import parse
from svcsim.meta.types import Json, Object

_SUPPORTED = ("cpu", HUGE_PAGES, "memory")
_OF_CONTAINERS_ALONE = "ephemeral-storage"
"""A resource of nodes for which only containers ask."""


def pod_resource_rules(spec: Object, path: str) -> Iterator[FieldError]:
    resources, where = spec.get("resources"), f"{path}.resources"
    if resources is None:
        return
    yield from no_claims(resources, where)
    yield from amounts_rules(resources, where, _name_rules)
    for part in ("limits", "requests"):
        if _OF_CONTAINERS_ALONE in (resources.get(part) or ()):
            yield unsupported(f"{where}.{part}[{_OF_CONTAINERS_ALONE}]", _OF_CONTAINERS_ALONE, _SUPPORTED)
    yield from _requests_fit(spec, where)
    yield from _limits_fit(spec, where)


def _name_rules(name: str, path: str) -> Iterator[FieldError]:
    if not _is_supported(name):
        if "/" not in name:
            yield invalid_value(path, name, "must be a standard resource type or fully qualified")
        else:
            yield unsupported(path, name, _SUPPORTED)


def _is_supported(name: str) -> bool:
    return name in _SUPPORTED or name.startswith(HUGE_PAGES)


def _requests_fit(spec: Object, path: str) -> Iterator[FieldError]:
    granted = spec["resources"].get("requests") or {}
    for name, wanted in containers_amounts(spec, "requests").items():
        held = parse(granted.get(name, "0"))
        if wanted > held and _is_supported(name):
            yield invalid_value(
                f"{path}.requests[{name}]", str(held), f"must be greater than or equal to aggregate container requests of {wanted}"
            )


def _limits_fit(spec: Object, path: str) -> Iterator[FieldError]:
    held: Json = spec["resources"].get("limits") or {}
    for index, container in enumerate(spec.get("containers") or ()):
        for name, limit in ((container.get("resources") or {}).get("limits") or {}).items():
            if name in held and parse(limit) > parse(held[name]):
                where = f"{path}.containers[{index}][{name}].limits"
                yield invalid_value(where, limit, f"must be less than or equal to pod limits of {held[name]}")
