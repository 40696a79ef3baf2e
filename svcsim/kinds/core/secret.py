"""ConfigMap and Secret: data that pods take in as files and variables."""

import base64
import binascii
import json
from collections.abc import Iterator

from svcsim.dialect import Dialect
from svcsim.kinds.groups import CORE_V1
from svcsim.kinds.shared.columns import AGE
from svcsim.limits import CONFIG_DATA_BYTES
from svcsim.meta.errors import FieldError, forbidden_field, invalid_value, required, too_long
from svcsim.meta.names import config_map_key
from svcsim.meta.objects import annotations_of
from svcsim.meta.types import Json, Object
from svcsim.registry.kind import Column, Context, Kind, Selectable, Strategy
from svcsim.schema.types import Bool, Bytes, Field, Map, Str, Struct

_FROZEN = "field is immutable when `immutable` is set"
_IMMUTABLE_DOC = "Once true, the data can't change any more, nor this field"


def _bytes_held(data: Object | None) -> int:
    """How many bytes base64 texts stand for."""
    return sum(len(text) // 4 * 3 - text[-2:].count("=") for text in (data or {}).values())


def _changes_of_frozen(new: Object, old: Object, *names: str) -> Iterator[FieldError]:
    if not old.get("immutable"):
        return
    if not new.get("immutable"):
        yield forbidden_field("immutable", _FROZEN)
    for name in names:
        if (new.get(name) or {}) != (old.get(name) or {}):
            yield forbidden_field(name, _FROZEN)


def _keys(data: Object | None, path: str) -> Iterator[FieldError]:
    for key in data or ():
        yield from (invalid_value(f"{path}[{key}]", key, finding) for finding in config_map_key(key))


# ConfigMap


def _config_map_rules(obj: Object, context: Context) -> Iterator[FieldError]:  # noqa: ARG001 - a rule's signature
    data, binary = obj.get("data") or {}, obj.get("binaryData") or {}
    for path, here, there, other in (("data", data, binary, "binaryData"), ("binaryData", binary, data, "data")):
        yield from _keys(here, path)
        for key in here:
            if key in there:
                yield invalid_value(f"{path}[{key}]", key, f"duplicate of key present in {other}")
    size = sum(len(text.encode()) for text in data.values()) + _bytes_held(binary)
    if size > CONFIG_DATA_BYTES:
        yield too_long("[]", CONFIG_DATA_BYTES)


def _config_map_changes(new: Object, old: Object, context: Context) -> Iterator[FieldError]:  # noqa: ARG001 - a rule's signature
    yield from _changes_of_frozen(new, old, "data", "binaryData")


def _config_map_size(obj: Object, context: Context) -> Json:  # noqa: ARG001 - a cell's signature
    return len(obj.get("data") or ()) + len(obj.get("binaryData") or ())


CONFIG_MAP = Kind(
    "ConfigMap",
    CORE_V1,
    "configmaps",
    Struct(
        "ConfigMap",
        Field(2, "data", Map(Str()), "Configuration as text"),
        Field(3, "binaryData", Map(Bytes()), "Configuration that need not be text; no key of data may stand here too"),
        Field(4, "immutable", Bool(), _IMMUTABLE_DOC),
        doc="Configuration that pods take in as files or variables",
    ),
    short=("cm",),
    singular="configmap",
    columns=(Column("Data", _config_map_size, "integer", doc="Number of keys"), AGE),
    strategy=Strategy(rules=(_config_map_rules,), update_rules=(_config_map_changes,)),
    doc="Configuration that pods take in as files or variables",
)

# Secret


def _fill_secret(obj: Object, context: Context) -> None:  # noqa: ARG001 - a hook's signature
    """What was written as text becomes data."""
    texts = obj.pop("stringData", None)
    if texts:
        encoded = {key: base64.b64encode(text.encode()).decode() for key, text in texts.items()}
        obj["data"] = {**(obj.get("data") or {}), **encoded}


def _must_be_json(data: Object, key: str) -> Iterator[FieldError]:
    path = f"data[{key}]"
    if key not in data:
        yield required(path)
        return
    try:
        content = json.loads(base64.b64decode(data[key]))
    except (ValueError, binascii.Error) as error:
        yield invalid_value(path, "<secret contents redacted>", str(error))
        return
    if not isinstance(content, dict):
        yield invalid_value(path, "<secret contents redacted>", "must be a JSON object")


def _must_have(data: Object, *keys: str) -> Iterator[FieldError]:
    yield from (required(f"data[{key}]") for key in keys if key not in data)


def _type_rules(obj: Object, dialect: Dialect) -> Iterator[FieldError]:
    """What a type of secrets must hold."""
    data = obj.get("data") or {}
    kind = obj.get("type")
    if kind == dialect.key("service-account-token"):
        annotation = dialect.key("service-account.name")
        if not annotations_of(obj).get(annotation):
            yield required(f"metadata.annotations[{annotation}]")
    elif kind == dialect.key("dockercfg"):
        yield from _must_be_json(data, ".dockercfg")
    elif kind == dialect.key("dockerconfigjson"):
        yield from _must_be_json(data, ".dockerconfigjson")
    elif kind == dialect.key("basic-auth"):
        if "username" not in data and "password" not in data:
            yield from _must_have(data, "username", "password")
    elif kind == dialect.key("ssh-auth"):
        if not data.get("ssh-privatekey"):
            yield required("data[ssh-privatekey]")
    elif kind == dialect.key("tls"):
        yield from _must_have(data, "tls.crt", "tls.key")


def _secret_rules(obj: Object, context: Context) -> Iterator[FieldError]:
    data = obj.get("data") or {}
    yield from _keys(data, "data")
    if _bytes_held(data) > CONFIG_DATA_BYTES:
        yield too_long("data", CONFIG_DATA_BYTES)
    yield from _type_rules(obj, context.dialect)


def _secret_changes(new: Object, old: Object, context: Context) -> Iterator[FieldError]:  # noqa: ARG001 - a rule's signature
    if new.get("type") != old.get("type"):
        yield invalid_value("type", new.get("type"), "field is immutable")
    yield from _changes_of_frozen(new, old, "data")


def _secret_type(obj: Object, context: Context) -> Json:  # noqa: ARG001 - a cell's signature
    return obj.get("type") or ""


def _secret_size(obj: Object, context: Context) -> Json:  # noqa: ARG001 - a cell's signature
    return len(obj.get("data") or ())


SECRET = Kind(
    "Secret",
    CORE_V1,
    "secrets",
    Struct(
        "Secret",
        Field(2, "data", Map(Bytes()), "The secret data"),
        Field(3, "type", Str(), "What kind of secret this is, for programs that use it", default="Opaque"),
        Field(4, "stringData", Map(Str()), "Data given as text; it goes into data and is never read back"),
        Field(5, "immutable", Bool(), _IMMUTABLE_DOC),
        doc="Secret data that pods take in as files or variables",
    ),
    singular="secret",
    columns=(
        Column("Type", _secret_type, doc="What kind of secret this is"),
        Column("Data", _secret_size, "integer", doc="Number of keys"),
        AGE,
    ),
    selectable=(Selectable("type"),),
    strategy=Strategy(fill=_fill_secret, rules=(_secret_rules,), update_rules=(_secret_changes,)),
    doc="Secret data that pods take in as files or variables",
)
