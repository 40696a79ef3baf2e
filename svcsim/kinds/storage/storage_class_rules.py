"""What makes a StorageClass right, what of it may change, and what it warns of."""

from collections.abc import Iterator

from svcsim.kinds.shared.checks import IMMUTABLE, label_key, one_of
from svcsim.kinds.shared.deprecated import LABELS_OF_NODES
from svcsim.kinds.shared.words import BINDING_MODE
from svcsim.meta.codec import same_json
from svcsim.meta.errors import FieldError, duplicate, forbidden_field, invalid_value
from svcsim.meta.types import Json, Object
from svcsim.registry.kind import Context

binding_modes = one_of(*BINDING_MODE.values)
_reclaim_policies = one_of("Delete", "Retain")


def reclaim_policies(value: Json, path: str) -> Iterator[FieldError]:
    """What volumes that are made can be reclaimed by: nobody empties them."""
    if value:
        yield from _reclaim_policies(value, path)


def label_values(value: Json, path: str) -> Iterator[FieldError]:
    if value.get("key"):
        yield from label_key(value["key"], f"{path}.key")
    seen: set[str] = set()
    for index, text in enumerate(value.get("values") or ()):
        if text in seen:
            yield duplicate(f"{path}.values[{index}]", text)
        seen.add(text)


def topology_term(value: Json, path: str) -> Iterator[FieldError]:
    """A label is asked for once."""
    seen: set[str] = set()
    for index, requirement in enumerate(value.get("matchLabelExpressions") or ()):
        key = requirement.get("key") or ""
        if key in seen:
            yield duplicate(f"{path}.matchLabelExpressions[{index}].key", key)
        seen.add(key)


def allowed_topologies(value: Json, path: str) -> Iterator[FieldError]:
    """Every term says something of its own, whatever the order."""
    seen: list[dict[str, frozenset[str]]] = []
    for index, term in enumerate(value):
        meant = {item.get("key") or "": frozenset(item.get("values") or ()) for item in term.get("matchLabelExpressions") or ()}
        yield from (duplicate(f"{path}[{index}].matchLabelExpressions", "") for known in seen if known == meant)
        seen.append(meant)


def storage_class_changes(new: Object, old: Object, context: Context) -> Iterator[FieldError]:
    """How volumes are made stays as it is: those that are there already were made so."""
    for name in ("parameters", "provisioner", "reclaimPolicy"):
        if not same_json(new.get(name), old.get(name)):
            yield forbidden_field(name, f"updates to {name} are forbidden.")
    if new.get("volumeBindingMode") != old.get("volumeBindingMode"):
        yield invalid_value("volumeBindingMode", new.get("volumeBindingMode"), IMMUTABLE)


def storage_class_warnings(storage_class: Object) -> Iterator[str]:
    for index, term in enumerate(storage_class.get("allowedTopologies") or ()):
        for position, requirement in enumerate(term.get("matchLabelExpressions") or ()):
            key = requirement.get("key") or ""
            if instead := LABELS_OF_NODES.get(key):
                yield f"allowedTopologies[{index}].matchLabelExpressions[{position}].key: {key} is {instead}"
