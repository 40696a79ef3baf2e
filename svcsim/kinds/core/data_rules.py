"""Rules for the data of ConfigMaps and Secrets: keys, size, and what ``immutable`` means."""

from collections.abc import Iterator

from svcsim.meta.errors import FieldError, forbidden_field, invalid_value
from svcsim.meta.names import config_map_key
from svcsim.meta.types import Object
from svcsim.schema.types import Bool, Field

_IMMUTABLE = "field is immutable when `immutable` is set"


def immutable_field(number: int) -> Field:
    """The field by which the data are made immutable."""
    return Field(number, "immutable", Bool(), "If true, the data cannot be changed any more, and neither can this field")


def decoded_bytes(data: Object | None) -> int:
    """How many bytes base64 texts stand for."""
    return sum(len(text) // 4 * 3 - text[-2:].count("=") for text in (data or {}).values())


def key_rules(data: Object | None, path: str) -> Iterator[FieldError]:
    """Every key can be the name of a file."""
    for key in data or ():
        for finding in config_map_key(key):
            yield invalid_value(f"{path}[{key}]", key, finding)


def changes_of_immutable(new: Object, old: Object, *names: str) -> Iterator[FieldError]:
    """What is immutable stays so, and the fields of these names stay as they are."""
    if not old.get("immutable"):
        return
    if not new.get("immutable"):
        yield forbidden_field("immutable", _IMMUTABLE)
    for name in names:
        if (new.get(name) or {}) != (old.get(name) or {}):
            yield forbidden_field(name, _IMMUTABLE)
