"""What makes a CSINode right, and what of a driver on a node may change."""

from collections.abc import Iterator

from svcsim.kinds.shared.checks import IMMUTABLE
from svcsim.meta.codec import same_json
from svcsim.meta.errors import FieldError, duplicate, invalid_value, required
from svcsim.meta.names import qualified_name
from svcsim.meta.objects import get_path
from svcsim.meta.types import Json, Object
from svcsim.registry.kind import Context

_NODE_ID_CHARS = 192


def node_id(value: Json, path: str) -> Iterator[FieldError]:
    if len(value.encode()) > _NODE_ID_CHARS:
        yield invalid_value(path, value, f"must be {_NODE_ID_CHARS} characters or less")


def topology_keys(value: Json, path: str) -> Iterator[FieldError]:
    """Keys of labels, each once."""
    seen: set[str] = set()
    for index, key in enumerate(value.get("topologyKeys") or ()):
        where = f"{path}.topologyKeys[{index}]"
        if not key:
            yield required(where)
        if key in seen:
            yield duplicate(where, key)
        seen.add(key)
        yield from (invalid_value(where, key, finding) for finding in qualified_name(key))


def csi_node_changes(new: Object, old: Object, context: Context) -> Iterator[FieldError]:
    """Drivers come and go; of one that stays, only the room changes."""
    held = {driver.get("name"): driver for driver in get_path(old, "spec.drivers") or ()}
    for index, driver in enumerate(get_path(new, "spec.drivers") or ()):
        before = held.get(driver.get("name"))
        if before is not None and not same_json(_without_room(before), _without_room(driver)):
            yield invalid_value(f"spec.drivers[{index}]", driver, IMMUTABLE)


def _without_room(driver: Object) -> Object:
    return {name: value for name, value in driver.items() if name != "allocatable"}
