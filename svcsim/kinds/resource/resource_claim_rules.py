"""What makes the status of a ResourceClaim right, and what of a claim or its template may not change."""

from collections.abc import Iterator

from svcsim.kinds.resource.device_rules import reference_rules, request_names
from svcsim.kinds.shared.checks import IMMUTABLE
from svcsim.meta.codec import same_json
from svcsim.meta.errors import FieldError, forbidden_field, invalid_value
from svcsim.meta.types import Object
from svcsim.registry.kind import Context


def spec_unchanged(new: Object, old: Object, context: Context) -> Iterator[FieldError]:
    """All of the spec stays."""
    if not same_json(new.get("spec"), old.get("spec")):
        yield invalid_value("spec", new.get("spec"), IMMUTABLE)


def status_rules(new: Object, old: Object, context: Context) -> Iterator[FieldError]:
    """What is given stays as it is, and is given before it is used or told of."""
    status, before = new.get("status") or {}, old.get("status") or {}
    given = status.get("allocation")
    yield from _reserved_rules(new, status, before)
    yield from _device_rules(status)
    if given is not None and before.get("allocation") is not None:
        if not same_json(given, before["allocation"]):
            yield invalid_value("status.allocation", given, IMMUTABLE)
    elif given is not None:
        yield from _result_rules(new, given.get("devices") or {})


def _reserved_rules(new: Object, status: Object, before: Object) -> Iterator[FieldError]:
    reserved, path = status.get("reservedFor") or [], "status.reservedFor"
    if not reserved:
        return
    if status.get("allocation") is None:
        yield forbidden_field(path, "may not be specified when `allocated` is not set")
    elif new["metadata"].get("deletionTimestamp") and any(one not in (before.get("reservedFor") or ()) for one in reserved):
        yield forbidden_field(path, "new entries may not be added while `deallocationRequested` or `deletionTimestamp` are set")


def _device_rules(status: Object) -> Iterator[FieldError]:
    """Drivers tell of devices that are given."""
    results = ((status.get("allocation") or {}).get("devices") or {}).get("results") or ()
    given = [_identity(result) for result in results]
    for index, device in enumerate(status.get("devices") or ()):
        if _identity(device) not in given:
            yield invalid_value(f"status.devices[{index}]", _identity(device), "must be an allocated device in the claim")


def _identity(device: Object) -> str:
    return "/".join(device[name] for name in ("driver", "pool", "device", "shareID") if device.get(name))


def _result_rules(new: Object, devices: Object) -> Iterator[FieldError]:
    """Results and settings are about requests of the claim."""
    names, path = request_names((new.get("spec") or {}).get("devices") or {}), "status.allocation.devices"
    for index, result in enumerate(devices.get("results") or ()):
        yield from reference_rules(result.get("request") or "", f"{path}.results[{index}].request", names)
    for index, config in enumerate(devices.get("config") or ()):
        for place, name in enumerate(config.get("requests") or ()):
            yield from reference_rules(name, f"{path}.config[{index}].requests[{place}]", names)
