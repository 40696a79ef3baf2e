"""What of a CSIStorageCapacity may change: only how much room there is."""

from collections.abc import Iterator

from svcsim.kinds.shared.checks import IMMUTABLE
from svcsim.kinds.shared.deprecated import selector_warnings
from svcsim.meta.codec import same_json
from svcsim.meta.errors import FieldError, invalid_value
from svcsim.meta.types import Object
from svcsim.registry.kind import Context


def csi_storage_capacity_changes(new: Object, old: Object, context: Context) -> Iterator[FieldError]:
    for name in ("nodeTopology", "storageClassName"):
        if not same_json(new.get(name), old.get(name)):
            yield invalid_value(name, new.get(name), IMMUTABLE)


def csi_storage_capacity_warnings(capacity: Object) -> Iterator[str]:
    yield from selector_warnings(capacity.get("nodeTopology") or {}, "nodeTopology")
