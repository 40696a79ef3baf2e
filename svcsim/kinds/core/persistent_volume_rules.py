"""What makes a PersistentVolume right: one storage behind it, which stays; and what it begins with."""

from collections.abc import Iterator

from svcsim.kinds.core.persistent_volume_sources import SOURCES
from svcsim.kinds.shared.checks import IMMUTABLE
from svcsim.meta.errors import FieldError, forbidden_field, invalid_value, required
from svcsim.meta.types import Json, Object
from svcsim.registry.kind import Context


def initial_status(volume: Object, context: Context) -> Object:
    return {"phase": "Pending", "lastPhaseTransitionTime": context.timestamp}


def tell_phase_change(new: Object, old: Object, context: Context) -> None:
    """Since when a volume is in its phase: whoever writes another one may say so; otherwise it is from now on."""
    status, before = new["status"], old.get("status") or {}
    told, known = status.get("lastPhaseTransitionTime"), before.get("lastPhaseTransitionTime")
    if status["phase"] != before.get("phase"):
        status["lastPhaseTransitionTime"] = context.timestamp if told in (None, known) else told
    elif told is None and known is not None:
        status["lastPhaseTransitionTime"] = known


def persistent_volume_spec_rules(spec: Json, path: str) -> Iterator[FieldError]:
    if not spec.get("accessModes"):
        yield required(f"{path}.accessModes")
    if not spec.get("capacity"):
        yield required(f"{path}.capacity")
    elif list(spec["capacity"]) != ["storage"]:
        yield invalid_value(f"{path}.capacity", spec["capacity"], "only storage is expected")
    given = [field.name for field in SOURCES.fields if spec.get(field.name) is not None]
    if not given:
        yield required(path, "must specify a volume type")
    for name in given[1:]:
        yield forbidden_field(f"{path}.{name}", "may not specify more than 1 volume type")


def persistent_volume_changes(new: Object, old: Object, context: Context) -> Iterator[FieldError]:
    """The storage behind a volume stays the same."""
    spec, before = new.get("spec") or {}, old.get("spec") or {}
    if any(spec.get(field.name) != before.get(field.name) for field in SOURCES.fields):
        yield forbidden_field("spec.persistentvolumesource", "spec.persistentvolumesource is immutable after creation")
    if spec.get("volumeMode") != before.get("volumeMode"):
        yield invalid_value("spec.volumeMode", spec.get("volumeMode"), IMMUTABLE)
    if before.get("nodeAffinity") and spec.get("nodeAffinity") != before["nodeAffinity"]:
        yield invalid_value("spec.nodeAffinity", spec.get("nodeAffinity"), IMMUTABLE)
