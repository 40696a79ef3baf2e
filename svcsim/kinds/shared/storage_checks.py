"""Rules that several kinds of storage share: names of drivers, parameters that are passed on to one, references to secrets."""

from collections.abc import Iterator, Mapping

from svcsim.kinds.shared.checks import named
from svcsim.meta.errors import FieldError, invalid_value, required, too_long
from svcsim.meta.names import dns_label, dns_subdomain, qualified_name
from svcsim.meta.types import Json
from svcsim.schema.types import Rule

_DRIVER_CHARS = 63
_PARAMETERS = 512
_PARAMETERS_BYTES = 256 * 1024


def csi_driver_name(value: Json, path: str) -> Iterator[FieldError]:
    """The name that a CSI driver goes by; nothing is said of an empty one."""
    if not value:
        return
    if len(value.encode()) > _DRIVER_CHARS:
        yield too_long(path, _DRIVER_CHARS)
    yield from (invalid_value(path, value, finding) for finding in dns_subdomain(value.lower()))


def provisioner_name(value: Json, path: str) -> Iterator[FieldError]:
    """The name of whatever makes or changes volumes."""
    if value:
        yield from (invalid_value(path, value.lower(), finding) for finding in qualified_name(value.lower()))


def driver_parameters(value: Json, path: str) -> Iterator[FieldError]:
    """Parameters that are passed on unseen; there can only be so many."""
    if len(value) > _PARAMETERS:
        yield too_long(path, _PARAMETERS)
        return
    if "" in value:
        yield invalid_value(path, "", "field can not be empty.")
    yield from total_size(_PARAMETERS_BYTES)(value, path)


def total_size(limit: int) -> Rule:
    """Keys and values of a map, so many bytes of them at the most."""

    def check(value: Json, path: str) -> Iterator[FieldError]:
        texts: Mapping[str, str] = value
        if sum(len(key.encode()) + len(text.encode()) for key, text in texts.items()) > limit:
            yield too_long(path, limit)

    return check


def secret_named(*names: str) -> Rule:
    """A struct whose ``secretRef``, if there is one, has these fields."""

    def check(value: Json, path: str) -> Iterator[FieldError]:
        secret = value.get("secretRef")
        if secret is not None:
            yield from (required(f"{path}.secretRef.{name}") for name in names if not secret.get(name))

    return check


def secret_reference(value: Json, path: str) -> Iterator[FieldError]:
    """A reference to a Secret in any namespace, which names both."""
    for name, rule in (("name", dns_subdomain), ("namespace", dns_label)):
        if not value.get(name):
            yield required(f"{path}.{name}")
        else:
            yield from named(rule)(value[name], f"{path}.{name}")
