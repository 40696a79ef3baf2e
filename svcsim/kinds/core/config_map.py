"""ConfigMap: configuration for pods."""

from collections.abc import Iterator

from svcsim.kinds.core.data_rules import changes_of_immutable, decoded_bytes, immutable_field, key_rules
from svcsim.kinds.groups import CORE_V1
from svcsim.kinds.shared.columns import AGE, length_at
from svcsim.limits import CONFIG_DATA_BYTES
from svcsim.meta.errors import FieldError, invalid_value, too_long
from svcsim.meta.types import Object
from svcsim.registry.kind import Column, Context, Kind, Strategy
from svcsim.schema.types import Bytes, Field, Map, Str, Struct


def _rules(obj: Object, context: Context) -> Iterator[FieldError]:
    data, binary = obj.get("data") or {}, obj.get("binaryData") or {}
    for path, here, there, other in (("data", data, binary, "binaryData"), ("binaryData", binary, data, "data")):
        yield from key_rules(here, path)
        for key in here:
            if key in there:
                yield invalid_value(f"{path}[{key}]", key, f"duplicate of key present in {other}")
    size = sum(len(text.encode()) for text in data.values()) + decoded_bytes(binary)
    if size > CONFIG_DATA_BYTES:
        yield too_long("[]", CONFIG_DATA_BYTES)


def _changes(new: Object, old: Object, context: Context) -> Iterator[FieldError]:
    yield from changes_of_immutable(new, old, "data", "binaryData")


CONFIG_MAP = Kind(
    CORE_V1,
    "configmaps",
    Struct(
        "ConfigMap",
        Field(2, "data", Map(Str()), "Configuration as text, by key"),
        Field(3, "binaryData", Map(Bytes()), "Configuration as bytes, by key; a key must not be in data as well"),
        immutable_field(4),
        doc="Configuration for pods, which read it from files or environment variables",
    ),
    short=("cm",),
    columns=(Column("Data", length_at("data", "binaryData"), "integer", doc="Number of keys"), AGE),
    strategy=Strategy(rules=(_rules,), update_rules=(_changes,)),
)
