"""What makes a Secret right: keys, size, and what its type demands of it."""

import base64
import binascii
import json
from collections.abc import Iterator

from svcsim.auth.key_pairs import check_key_pair
from svcsim.dialect import Dialect
from svcsim.kinds.core.data_rules import changes_of_immutable, decoded_bytes, key_rules
from svcsim.kinds.shared.checks import IMMUTABLE
from svcsim.limits import CONFIG_DATA_BYTES
from svcsim.meta.errors import FieldError, invalid_value, required, too_long
from svcsim.meta.objects import annotations_of
from svcsim.meta.types import Object
from svcsim.registry.kind import Context


def secret_rules(obj: Object, context: Context) -> Iterator[FieldError]:
    """All that is wrong with a secret."""
    data = obj.get("data") or {}
    yield from key_rules(data, "data")
    if decoded_bytes(data) > CONFIG_DATA_BYTES:
        yield too_long("data", CONFIG_DATA_BYTES)
    yield from _type_rules(obj, context.dialect)


def secret_changes(new: Object, old: Object, context: Context) -> Iterator[FieldError]:
    """The type stays, and what is immutable."""
    if new.get("type") != old.get("type"):
        yield invalid_value("type", new.get("type"), IMMUTABLE)
    yield from changes_of_immutable(new, old, "data")


def secret_warnings(secret: Object) -> Iterator[str]:
    """A certificate and a key that no server could use."""
    if (secret.get("type") or "").endswith("/tls"):
        certificate, key = (base64.b64decode((secret.get("data") or {}).get(name) or "") for name in ("tls.crt", "tls.key"))
        try:
            check_key_pair(certificate, key)
        except ValueError as error:
            yield str(error)


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
    """The keys that a type of secrets must have."""
    data = obj.get("data") or {}
    secret_type = obj.get("type")
    if secret_type == dialect.key("service-account-token"):
        annotation = dialect.key("service-account.name")
        if not annotations_of(obj).get(annotation):
            yield required(f"metadata.annotations[{annotation}]")
    elif secret_type == dialect.key("dockercfg"):
        yield from _must_be_json(data, ".dockercfg")
    elif secret_type == dialect.key("dockerconfigjson"):
        yield from _must_be_json(data, ".dockerconfigjson")
    elif secret_type == dialect.key("basic-auth"):
        if "username" not in data and "password" not in data:
            yield from _must_have(data, "username", "password")
    elif secret_type == dialect.key("ssh-auth"):
        if not data.get("ssh-privatekey"):
            yield required("data[ssh-privatekey]")
    elif secret_type == dialect.key("tls"):
        yield from _must_have(data, "tls.crt", "tls.key")
