"""Names in the world of devices: drivers, pools, attributes; and how long lists of them may be."""

import re
from collections.abc import Callable, Iterator
from typing import Final

from svcsim.meta.errors import FieldError, duplicate, invalid_value, required, too_long, too_many
from svcsim.meta.names import dns_label, dns_subdomain, label_value, qualified_name
from svcsim.meta.types import Json, Object
from svcsim.schema.types import Rule

_DRIVER_CHARS: Final = 63
_POOL_CHARS: Final = 253
_ID_CHARS: Final = 32
_IDENTIFIER: Final = "[A-Za-z_][A-Za-z0-9_]*"
_identifier_matches: Final = re.compile(_IDENTIFIER, re.ASCII).fullmatch
_BAD_IDENTIFIER: Final = (
    "a valid C identifier must start with alphabetic character or '_', followed by a string of alphanumeric characters or '_' "
    f"(e.g. 'my_name',  or 'MY_NAME',  or 'MyName', regex used for validation is '{_IDENTIFIER}')"
)
_UUID: Final = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.ASCII)


def label_named(value: Json, path: str) -> Iterator[FieldError]:
    """A DNS label: a device, a request, a counter."""
    yield from (invalid_value(path, value, finding) for finding in dns_label(value))


def class_named(value: Json, path: str) -> Iterator[FieldError]:
    """A DNS subdomain that must be there: a class of devices."""
    if not value:
        yield required(path)
    else:
        yield from (invalid_value(path, value, finding) for finding in dns_subdomain(value))


def driver_named(value: Json, path: str) -> Iterator[FieldError]:
    if not value:
        yield required(path)
        return
    if len(value) > _DRIVER_CHARS:
        yield too_long(path, _DRIVER_CHARS)
    yield from (invalid_value(path, value, finding) for finding in dns_subdomain(value.lower()))


def pool_named(value: Json, path: str) -> Iterator[FieldError]:
    """DNS subdomains with slashes between them."""
    if not value:
        yield required(path)
        return
    if len(value) > _POOL_CHARS:
        yield too_long(path, _POOL_CHARS)
    for part in value.split("/"):
        yield from (invalid_value(path, part, finding) for finding in dns_subdomain(part))


def attribute_named(value: Json, path: str) -> Iterator[FieldError]:
    """A C identifier, with a domain and a slash before it or without."""
    domain, slash, name = value.rpartition("/")
    if "/" in domain:
        yield invalid_value(path, value, "must not contain more than one slash")
        return
    if slash and not domain:
        yield invalid_value(path, "", "the domain must not be empty")
    elif slash:
        yield from driver_named(domain, path)
    if slash and not name:
        yield invalid_value(path, "", "the name must not be empty")
    else:
        yield from _identifier(name, path)


def domain_attribute_named(value: Json, path: str) -> Iterator[FieldError]:
    """The rules of an attribute's name with a domain."""
    yield from attribute_named(value, path)
    if "/" not in value:
        yield invalid_value(path, value, "a fully qualified name must be a domain and a name separated by a slash")


def _identifier(name: str, path: str) -> Iterator[FieldError]:
    if len(name) > _ID_CHARS:
        yield too_long(path, _ID_CHARS)
    if not _identifier_matches(name):
        yield invalid_value(path, name, _BAD_IDENTIFIER)


def share_id(value: Json, path: str) -> Iterator[FieldError]:
    if not _UUID.fullmatch(value):
        yield invalid_value(
            path,
            value,
            "uid must be in RFC 4122 normalized form, `xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx` with lowercase hexadecimal characters",
        )


def label_valued(value: Json, path: str) -> Iterator[FieldError]:
    yield from (invalid_value(path, value, finding) for finding in label_value(value))


def at_most(limit: int) -> Rule:
    """A list or a map of so many items."""

    def check(value: Json, path: str) -> Iterator[FieldError]:
        if len(value) > limit:
            yield too_many(path, len(value), limit)

    return check


def bytes_at_most(limit: int) -> Rule:
    """A text of so many bytes."""

    def check(value: Json, path: str) -> Iterator[FieldError]:
        if len(value.encode()) > limit:
            yield too_long(path, limit)

    return check


def each_once(key: Callable[[Json], str]) -> Rule:
    """A list in which each key stands once."""

    def check(value: Json, path: str) -> Iterator[FieldError]:
        seen: dict[str, None] = {}
        for index, item in enumerate(value):
            if key(item) in seen:
                yield duplicate(f"{path}[{index}]", key(item))
            seen[key(item)] = None

    return check


def name_of(item: Json) -> str:
    """The name of an item of a list."""
    return item.get("name") or ""


def itself(item: Json) -> str:
    """A string as its own key."""
    text: str = item
    return text


def binding_rules(device: Object, path: str) -> Iterator[FieldError]:
    """Conditions that a binding waits for, and those that end it: both or neither, each once and on one side."""
    good, bad = device.get("bindingConditions") or [], device.get("bindingFailureConditions") or []
    for field, names in (("bindingConditions", good), ("bindingFailureConditions", bad)):
        yield from at_most(4)(names, f"{path}.{field}")
        for index, name in enumerate(names):
            yield from (invalid_value(f"{path}.{field}[{index}]", name, finding) for finding in qualified_name(name))
        yield from each_once(itself)(names, f"{path}.{field}")
    for index, name in enumerate(bad):
        if name in good:
            where = f"{path}.bindingFailureConditions[{index}]"
            yield invalid_value(where, name, "bindingFailureConditions must not overlap with bindingConditions")
    if bad and not good:
        yield invalid_value(f"{path}.bindingConditions", good, "bindingConditions are required to use bindingFailureConditions")
    if good and not bad:
        yield invalid_value(f"{path}.bindingFailureConditions", bad, "bindingFailureConditions are required to use bindingConditions")


def attribute_keys(value: Json, path: str) -> Iterator[FieldError]:
    """A map by names of attributes."""
    for key in value:
        yield from attribute_named(key, path)


def label_keys(value: Json, path: str) -> Iterator[FieldError]:
    """A map by DNS labels, with something in it."""
    if not value:
        yield required(path)
    for key in value:
        yield from label_named(key, path)
