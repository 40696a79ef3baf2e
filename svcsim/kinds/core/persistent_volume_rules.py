"""What makes a PersistentVolume right beside its properties, what of it may change, what it begins with, and what it warns of."""

from collections.abc import Iterator

from svcsim.kinds.shared.checks import IMMUTABLE
from svcsim.kinds.shared.deprecated import LABELS_OF_NODES, VOLUME_SOURCES, class_annotations, mount_option_annotations
from svcsim.kinds.shared.persistent_volume_sources import SOURCES
from svcsim.kinds.shared.pod_spec.volume_rules import ISCSI_SESSION_CHARS, ISCSI_SESSION_TOO_LONG
from svcsim.meta.codec import same_json
from svcsim.meta.errors import FieldError, forbidden_field, invalid_value, required, unsupported
from svcsim.meta.objects import annotations_of, get_path, name_of
from svcsim.meta.quantity import parse
from svcsim.meta.types import Json, Object
from svcsim.registry.kind import Context
from svcsim.schema.go_diff import go_diff


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


def persistent_volume_rules(volume: Object, context: Context) -> Iterator[FieldError]:
    """A volume of its own has a size, a volume on a node the node, and a name that an initiator can be told by."""
    spec = volume.get("spec") or {}
    yield from _capacity(spec.get("capacity") or {})
    if spec.get("local") is not None and not get_path(spec, "nodeAffinity.required"):
        yield required("spec.nodeAffinity", "Local volume requires node affinity")
    iscsi = spec.get("iscsi") or {}
    portal = iscsi.get("targetPortal") or ""
    if iscsi.get("initiatorName") is not None and len(f"{name_of(volume)}:{portal}".encode()) > ISCSI_SESSION_CHARS:
        yield invalid_value("spec.iscsi.targetPortal", portal, ISCSI_SESSION_TOO_LONG)


def _capacity(capacity: Object) -> Iterator[FieldError]:
    path = "spec.capacity"
    if not capacity:
        yield required(path)
    if list(capacity) != ["storage"]:
        yield unsupported(path, capacity, ("storage",))
    for name, amount in capacity.items():
        if parse(amount).number <= 0:
            yield invalid_value(f"{path}[{name}]", amount, "must be greater than zero")


def persistent_volume_changes(new: Object, old: Object, context: Context) -> Iterator[FieldError]:
    """The storage behind a volume stays the same."""
    spec, before = new.get("spec") or {}, old.get("spec") or {}
    held, wanted = _source(before), _source(spec)
    if not same_json(_with_late_secret(held, wanted), wanted):
        yield forbidden_field(
            "spec.persistentvolumesource", f"spec.persistentvolumesource is immutable after creation\n{go_diff(SOURCES, held, wanted)}"
        )
    if spec.get("volumeMode") != before.get("volumeMode"):
        yield invalid_value("spec.volumeMode", spec.get("volumeMode"), IMMUTABLE)
    if before.get("nodeAffinity") and not same_json(spec.get("nodeAffinity"), before["nodeAffinity"]):
        yield invalid_value("spec.nodeAffinity", spec.get("nodeAffinity"), IMMUTABLE)
    if before.get("volumeAttributesClassName") is not None and spec.get("volumeAttributesClassName") is None:
        yield forbidden_field("spec.volumeAttributesClassName", "update from non-nil value to nil is forbidden")


def _source(spec: Object) -> Object:
    return {field.name: spec[field.name] for field in SOURCES.fields if spec.get(field.name) is not None}


def _with_late_secret(held: Object, wanted: Object) -> Object:
    """The source as it was, with the secret for expansion, which may come later."""
    name = "controllerExpandSecretRef"
    late: Json = (wanted.get("csi") or {}).get(name)
    if late is None or "csi" not in held or held["csi"].get(name) is not None:
        return held
    return {**held, "csi": {**held["csi"], name: late}}


def persistent_volume_warnings(volume: Object) -> Iterator[str]:
    spec = volume.get("spec") or {}
    yield from (
        f'metadata.annotations[{key}]: deprecated since v1.8; use "storageClassName" attribute instead'
        for key in class_annotations()
        if key in annotations_of(volume)
    )
    yield from (
        f'metadata.annotations[{key}]: deprecated since v1.31; use "mountOptions" attribute instead'
        for key in mount_option_annotations()
        if key in annotations_of(volume)
    )
    if spec.get("persistentVolumeReclaimPolicy") == "Recycle":
        yield (
            "spec.persistentVolumeReclaimPolicy: The Recycle reclaim policy is deprecated. "
            "Instead, the recommended approach is to use dynamic provisioning."
        )
    for index, term in enumerate(get_path(spec, "nodeAffinity.required.nodeSelectorTerms") or ()):
        for position, rule in enumerate(term.get("matchExpressions") or ()):
            if instead := LABELS_OF_NODES.get(rule.get("key") or ""):
                where = f"spec.nodeAffinity.required.nodeSelectorTerms[{index}].matchExpressions[{position}].key"
                yield f"{where}: {rule['key']} is {instead}"
    yield from (f"spec.{name}: {since}" for name, since in VOLUME_SOURCES.items() if spec.get(name) is not None)
