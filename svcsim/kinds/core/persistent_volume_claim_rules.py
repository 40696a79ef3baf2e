"""What may change of a PersistentVolumeClaim, what its status may say, and what a new one warns of."""

from collections.abc import Iterator

from svcsim.dialect import DIALECTS
from svcsim.kinds.shared.checks import IMMUTABLE, one_of
from svcsim.kinds.shared.volume_claim import PERSISTENT_VOLUME_CLAIM_SPEC
from svcsim.kinds.shared.volume_claim_rules import claim_warnings
from svcsim.kinds.shared.words import RESIZE_STATUS
from svcsim.meta.codec import same_json
from svcsim.meta.errors import FieldError, forbidden_field, invalid_value, unsupported
from svcsim.meta.names import qualified_name
from svcsim.meta.objects import annotations_of, get_path
from svcsim.meta.quantity import ZERO, parse
from svcsim.meta.types import Json, Object
from svcsim.registry.kind import Context
from svcsim.schema.go_diff import go_diff

_FIXED = "spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims"
_OWN = tuple(dialect.domain for dialect in DIALECTS.values())
_resize_status = one_of(*RESIZE_STATUS.values)


def persistent_volume_claim_changes(new: Object, old: Object, context: Context) -> Iterator[FieldError]:
    """A bound claim may ask for another size and another attributes class; what was left open may be said once."""
    spec, before = new.get("spec") or {}, old.get("spec") or {}
    allowed = dict(before)
    if not before.get("volumeName"):
        _take(allowed, spec, "volumeName")
    if not _class_from_annotation(new, old, context):
        yield from _annotation_changes(new, old, context)
    if _class_may_be_named(new, old, context):
        _take(allowed, spec, "storageClassName")
    if get_path(new, "status.phase") == "Bound":
        _take_size(allowed, spec)
        if spec.get("volumeAttributesClassName") is not None:
            _take(allowed, spec, "volumeAttributesClassName")
    if not same_json(spec, allowed):
        yield forbidden_field("spec", f"{_FIXED}\n{go_diff(PERSISTENT_VOLUME_CLAIM_SPEC, allowed, spec)}")
    yield from _shrinking(spec, old)
    if spec.get("volumeMode") != before.get("volumeMode"):
        yield invalid_value("spec.volumeMode", spec.get("volumeMode"), IMMUTABLE)
    yield from _attributes_class_changes(spec.get("volumeAttributesClassName"), before.get("volumeAttributesClassName"))


def _take(target: Object, source: Object, name: str) -> None:
    target.pop(name, None)
    if name in source:
        target[name] = source[name]


def _take_size(allowed: Object, spec: Object) -> None:
    """The requested size of a spec, in what is otherwise as it was."""
    requests = (spec.get("resources") or {}).get("requests")
    held = allowed.get("resources") or {}
    if requests and "storage" in requests:
        allowed["resources"] = {**held, "requests": {**(held.get("requests") or {}), "storage": requests["storage"]}}


def _annotated_class(claim: Object, context: Context) -> tuple[str, str | None]:
    """The annotation that named the class before there was a field, and what it says."""
    key = context.dialect.key("storage-class", "volume.beta")
    return key, annotations_of(claim).get(key)


def _class_from_annotation(new: Object, old: Object, context: Context) -> bool:
    """Whether the class moves from the annotation to the field."""
    (_, held), (_, wanted) = _annotated_class(old, context), _annotated_class(new, context)
    moved = get_path(old, "spec.storageClassName") is None and get_path(new, "spec.storageClassName") == held
    return held is not None and moved and wanted in (None, held)


def _class_may_be_named(new: Object, old: Object, context: Context) -> bool:
    """Whether the class was left open until now."""
    _, held = _annotated_class(old, context)
    wanted = get_path(new, "spec.storageClassName")
    return get_path(old, "spec.storageClassName") is None and wanted is not None and held in (None, wanted)


def _annotation_changes(new: Object, old: Object, context: Context) -> Iterator[FieldError]:
    (key, held), (_, wanted) = _annotated_class(old, context), _annotated_class(new, context)
    if (held or "") != (wanted or ""):
        yield invalid_value(f"metadata.annotations.{key}", wanted or "", IMMUTABLE)


def _shrinking(spec: Object, old: Object) -> Iterator[FieldError]:
    """After an expansion that failed, less may be asked for, as long as it is more than there is."""
    path = "resources.requests.storage"
    wanted, held, real = (get_path(spec, path), get_path(old, f"spec.{path}"), get_path(old, "status.capacity.storage"))
    if wanted is None or held is None or not parse(wanted) < parse(held):
        return
    if parse(wanted) <= parse(real or "0"):
        yield forbidden_field(f"spec.{path}", "field can not be less than status.capacity")


def _attributes_class_changes(wanted: str | None, held: str | None) -> Iterator[FieldError]:
    path = "spec.volumeAttributesClassName"
    if held is None or wanted == held:
        return
    if wanted is None:
        yield forbidden_field(path, "update from non-nil value to nil is forbidden")
    elif not wanted:
        yield forbidden_field(path, "update from non-nil value to an empty string is forbidden")


def amounts(value: Json, path: str) -> Iterator[FieldError]:
    """Sizes in a status."""
    for name, amount in value.items():
        if parse(amount) < ZERO:
            yield invalid_value(f"{path}[{name}]", amount, "must be a valid resource quantity")


def storage_alone(value: Json, path: str) -> Iterator[FieldError]:
    """By resource: the storage, and what others have defined."""
    for name in value:
        findings = qualified_name(name)
        yield from (invalid_value(path, name, finding) for finding in findings)
        if not findings and name != "storage" and ("/" not in name or any(f"{domain}/" in name for domain in _OWN)):
            yield unsupported(path, name, ("storage",))


def resize_statuses(value: Json, path: str) -> Iterator[FieldError]:
    for name, status in value.items():
        yield from _resize_status(status, f"{path}[{name}]")


def persistent_volume_claim_warnings(claim: Object) -> Iterator[str]:
    yield from claim_warnings(claim.get("spec") or {}, "spec")
