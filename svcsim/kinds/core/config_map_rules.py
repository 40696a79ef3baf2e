"""What makes a ConfigMap right: keys, size, and no key twice."""

from collections.abc import Iterator

from svcsim.kinds.core.data_rules import changes_of_immutable, decoded_bytes, key_rules
from svcsim.limits import CONFIG_DATA_BYTES
from svcsim.meta.errors import FieldError, invalid_value, too_long
from svcsim.meta.types import Object
from svcsim.registry.kind import Context


def config_map_rules(obj: Object, context: Context) -> Iterator[FieldError]:
    data, binary = obj.get("data") or {}, obj.get("binaryData") or {}
    yield from key_rules(data, "data")
    yield from _twice(data, binary, "data", "binaryData")
    yield from key_rules(binary, "binaryData")
    yield from _twice(binary, data, "binaryData", "data")
    if sum(map(len, data.values())) + sum(map(len, binary.values())) > CONFIG_DATA_BYTES // 4:  # few come near, so few are measured exactly
        size = sum(len(text.encode()) for text in data.values()) + decoded_bytes(binary)
        if size > CONFIG_DATA_BYTES:
            yield too_long("[]", CONFIG_DATA_BYTES)


def _twice(here: Object, there: Object, path: str, other: str) -> Iterator[FieldError]:
    if here and there:
        for key in here:
            if key in there:
                yield invalid_value(f"{path}[{key}]", key, f"duplicate of key present in {other}")


def config_map_changes(new: Object, old: Object, context: Context) -> Iterator[FieldError]:
    yield from changes_of_immutable(new, old, "data", "binaryData")
