"""Secret: confidential data for pods, of a type that says what it must hold. Its rules stand in `secret_rules`."""

from svcsim.kinds.core.data_rules import immutable_field
from svcsim.kinds.core.secret_defaults import encode_string_data
from svcsim.kinds.core.secret_rules import holds_key_pair, secret_changes, secret_rules, secret_warnings
from svcsim.kinds.groups import CORE_V1
from svcsim.kinds.shared.columns import AGE, length_at, text_at
from svcsim.kinds.shared.update_warnings import of_every_update
from svcsim.registry.kind import Column, Kind, Selectable, Strategy
from svcsim.schema.types import Bytes, Field, Map, Str, Struct

SECRET = Kind(
    CORE_V1,
    "secrets",
    Struct(
        "Secret",
        Field(2, "data", Map(Bytes()), "Confidential data, by key"),
        Field(3, "type", Str(), "Type of the secret, which says what keys it must have", default="Opaque"),
        Field(4, "stringData", Map(Str()), "Data given as text; it is stored in data, and never returned"),
        immutable_field(5),
        doc="Confidential data for pods, such as passwords, tokens and keys",
    ),
    confidential=True,
    columns=(
        Column("Type", text_at("type"), doc="Type of the secret"),
        Column("Data", length_at("data"), doc="Number of keys"),
        AGE,
    ),
    selectable=(Selectable("type"),),
    slow=holds_key_pair,
    strategy=Strategy(
        fill=encode_string_data,
        rules=(secret_rules,),
        warnings=(secret_warnings,),
        update_warnings=(of_every_update(secret_warnings),),
        update_rules=(secret_changes,),
    ),
)
