"""ConfigMap: configuration for pods."""

from svcsim.kinds.core.config_map_rules import config_map_changes, config_map_rules
from svcsim.kinds.core.data_rules import immutable_field
from svcsim.kinds.groups import CORE_V1
from svcsim.kinds.shared.columns import AGE, length_at
from svcsim.registry.kind import Column, Kind, Strategy
from svcsim.schema.types import Bytes, Field, Map, Str, Struct

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
    columns=(Column("Data", length_at("data", "binaryData"), doc="Number of keys"), AGE),
    strategy=Strategy(rules=(config_map_rules,), update_rules=(config_map_changes,)),
)
