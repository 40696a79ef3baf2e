"""What makes a ResourceSlice valid: one way to select nodes, attributes of one value, and everything within its limits."""

import re
from collections.abc import Iterator
from typing import Final

from svcsim.kinds.shared.checks import IMMUTABLE
from svcsim.meta.errors import FieldError, field_not_found, forbidden_field, invalid_value, required, too_long, too_many
from svcsim.meta.names import dns_subdomain
from svcsim.meta.types import Json, Object
from svcsim.registry.kind import Context

_DEVICES: Final = 128
_ADVANCED_DEVICES: Final = 64
_PROPERTIES: Final = 32
_VALUE_CHARS: Final = 64
_WAYS: Final = ("nodeName", "nodeSelector", "allNodes", "perDeviceNodeSelection")
_ONE_WAY: Final = "exactly one of `nodeName`, `nodeSelector`, `allNodes`, `perDeviceNodeSelection` is required"
_DEVICE_WAYS: Final = ("nodeName", "nodeSelector", "allNodes")
_ONE_DEVICE_WAY: Final = (
    "exactly one of `nodeName`, `nodeSelector`, or `allNodes` is required when `perDeviceNodeSelection` is set to true "
    "in the ResourceSlice spec"
)
_NO_DEVICE_WAY: Final = (
    "`nodeName`, `nodeSelector` and `allNodes` can only be set if `perDeviceNodeSelection` is set to true in the ResourceSlice spec"
)
_NUMBER: Final = r"(0|[1-9]\d*)"
_PRE: Final = r"(0|[1-9]\d*|\d*[a-zA-Z-][0-9a-zA-Z-]*)"
_BUILD: Final = "[0-9a-zA-Z-]+"
_version_matches: Final = re.compile(rf"{_NUMBER}\.{_NUMBER}\.{_NUMBER}(-{_PRE}(\.{_PRE})*)?(\+{_BUILD}(\.{_BUILD})*)?", re.ASCII).fullmatch
_ONE_VALUE: Final = "exactly one value must be specified"


def generation_rules(value: Json, path: str) -> Iterator[FieldError]:
    if value < 0:
        yield invalid_value(path, value, "must be greater than or equal to zero")


def slice_count_rules(value: Json, path: str) -> Iterator[FieldError]:
    if value <= 0:
        yield invalid_value(path, value, "must be greater than zero")


def node_named(value: Json, path: str) -> Iterator[FieldError]:
    if not value:
        yield invalid_value(path, value, "must be either unset or set to a non-empty string")
    else:
        yield from (invalid_value(path, value, finding) for finding in dns_subdomain(value))


def counter_set_of(consumption: Json) -> str:
    """The set that something is taken of."""
    return consumption.get("counterSet") or ""


def slice_rules(spec: Json, path: str) -> Iterator[FieldError]:
    """What the parts of a spec are to each other."""
    yield from _way_rules(spec, path)
    devices = spec.get("devices") or []
    if spec.get("sharedCounters") is not None and spec.get("devices") is not None:
        yield invalid_value(path, "", "only one of `sharedCounters` or `devices` is allowed")
    limit = _ADVANCED_DEVICES if any(map(_is_advanced, devices)) else _DEVICES
    if len(devices) > limit:
        yield too_many(f"{path}.devices", len(devices), limit)
    for index, device in enumerate(devices):
        yield from _device_way_rules(device, f"{path}.devices[{index}]", each=bool(spec.get("perDeviceNodeSelection")))


def _is_advanced(device: Object) -> bool:
    lists = ("bools", "ints", "strings", "versions")
    listed = any(name in attribute for attribute in (device.get("attributes") or {}).values() for name in lists)
    return bool(device.get("taints") or device.get("consumesCounters") or listed)


def _way_rules(spec: Object, path: str) -> Iterator[FieldError]:
    for name in ("allNodes", "perDeviceNodeSelection"):
        if spec.get(name) is False:
            yield invalid_value(f"{path}.{name}", False, "must be either unset or set to true")
    terms = (spec.get("nodeSelector") or {}).get("nodeSelectorTerms") or []
    if spec.get("nodeSelector") is not None and len(terms) != 1:
        yield invalid_value(f"{path}.nodeSelector.nodeSelectorTerms", terms, "must have exactly one node selector term")
    ways = [f"`{name}`" for name in _WAYS if spec.get(name)]
    if not ways:
        yield required(path, _ONE_WAY)
    elif len(ways) > 1:
        yield invalid_value(path, f"{{{', '.join(ways)}}}", f"{_ONE_WAY}, but multiple fields are set")


def _device_way_rules(device: Object, path: str, *, each: bool) -> Iterator[FieldError]:
    """``each``: whether every device is to say which nodes can use it."""
    if not each:
        if any(device.get(name) is not None for name in _DEVICE_WAYS):
            yield invalid_value(path, None, _NO_DEVICE_WAY)
        return
    name = device.get("nodeName")
    if name == "":
        yield invalid_value(f"{path}.nodeName", name, "must not be empty")
    elif name is not None:
        yield from node_named(name, f"{path}.nodeName")
    if device.get("allNodes") is False:
        yield invalid_value(f"{path}.allNodes", False, "must be either unset or set to true")
    ways = [f"`{way}`" for way in _DEVICE_WAYS if device.get(way)]
    if not ways:
        yield required(path, _ONE_DEVICE_WAY)
    elif len(ways) > 1:
        yield invalid_value(path, f"{{{', '.join(ways)}}}", _ONE_DEVICE_WAY)


def device_rules(device: Json, path: str) -> Iterator[FieldError]:
    """What the parts of a device are to each other."""
    attributes, capacity = device.get("attributes") or {}, device.get("capacity") or {}
    if (count := len(attributes) + len(capacity)) > _PROPERTIES:
        yield invalid_value(path, count, f"the total number of attributes and capacities must not exceed {_PROPERTIES}")
    if not device.get("allowMultipleAllocations"):
        for name, one in capacity.items():
            if one.get("requestPolicy") is not None:
                yield forbidden_field(f"{path}.capacity[{name}].requestPolicy", "allowMultipleAllocations must be true")
    for name, mapping in (device.get("nodeAllocatableResourceMappings") or {}).items():
        key = mapping.get("capacityKey")
        if key is not None and key not in capacity:
            yield field_not_found(f"{path}.nodeAllocatableResourceMappings[{name}].capacityKey", key)


def attribute_rules(attribute: Json, path: str) -> Iterator[FieldError]:
    """One value, neither too long nor an odd version."""
    if len(attribute) != 1:
        yield invalid_value(path, attribute or "", _ONE_VALUE)
    for name, value in attribute.items():
        where = f"{path}.{name}"
        if name.endswith("s") and not value:
            yield invalid_value(where, value, "must not be empty if specified")
        places = [(where, value)] if not name.endswith("s") else [(f"{where}[{index}]", one) for index, one in enumerate(value)]
        for place, one in places:
            if name.startswith("version") and not _version_matches(one):
                yield invalid_value(place, one, "must be a string compatible with semver.org spec 2.0.0")
            if isinstance(one, str) and len(one) > _VALUE_CHARS:
                yield too_long(place, _VALUE_CHARS)


def slice_changes(new: Object, old: Object, context: Context) -> Iterator[FieldError]:
    """Whose slice it is stays so."""
    spec, before = new.get("spec") or {}, old.get("spec") or {}
    pool, was = (spec.get("pool") or {}).get("name"), (before.get("pool") or {}).get("name")
    if pool != was:
        yield invalid_value("spec.pool.name", pool, IMMUTABLE)
    for name in ("driver", "nodeName"):
        if spec.get(name) != before.get(name):
            yield invalid_value(f"spec.{name}", spec.get(name), IMMUTABLE)
