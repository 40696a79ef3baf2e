"""What makes a ConfigMap right: keys, size, and no key twice."""

from collections.abc import Iterator

from svcsim.kinds.core.data_rules import changes_of_immutable, decoded_bytes, key_rules
from svcsim.limits import CONFIG_DATA_BYTES
from svcsim.meta.errors import FieldError, invalid_value, too_long
from svcsim.meta.types import Object
from svcsim.registry.kind import Context


def config_map_rules(obj: Object, context: Context) -> Iterator[FieldError]:
    data, binary = obj.get("data") or {}, obj.get("binaryData") or {}
    for path, here, there, other in (("data", data, binary, "binaryData"), ("binaryData", binary, data, "data")):
        yield from key_rules(here, path)
        for key in here:
            if key in there:
                yield invalid_value(f"{path}[{key}]", key, f"duplicate of key present in {other}")
    size = sum(len(text.encode()) for text in data.values()) + decoded_bytes(binary)
    if size > CONFIG_DATA_BYTES:
        yield too_long("[]", CONFIG_DATA_BYTES)


def config_map_changes(new: Object, old: Object, context: Context) -> Iterator[FieldError]:
    yield from changes_of_immutable(new, old, "data", "binaryData")
