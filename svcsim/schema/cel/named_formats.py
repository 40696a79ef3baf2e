"""Formats of texts by name, as expressions ask for them: what is wrong with a text by one of them."""

from collections.abc import Callable, Mapping

from svcsim.meta.go_urls import parse_request_uri
from svcsim.meta.names import dns_1035_label, dns_label, dns_subdomain, label_value, qualified_name
from svcsim.schema.formats import FORMATS

_Validate = Callable[[str], list[str]]


def _prefix(validate: _Validate) -> _Validate:
    """The check of a prefix of generated names: it may end in a dash."""
    return lambda text: validate(f"{text[:-1]}a" if text.endswith("-") else text)


def _of_schemas(name: str, told: str) -> _Validate:
    return lambda text: [] if FORMATS[name](text) else [told]


def _wrong_with_uri(text: str) -> list[str]:
    try:
        parse_request_uri(text)
    except ValueError as error:
        return [str(error)]
    return []


_NAMED: Mapping[str, _Validate] = {
    "dns1123Label": dns_label,
    "dns1123Subdomain": dns_subdomain,
    "dns1035Label": dns_1035_label,
    "qualifiedName": qualified_name,
    "dns1123LabelPrefix": _prefix(dns_label),
    "dns1123SubdomainPrefix": _prefix(dns_subdomain),
    "dns1035LabelPrefix": _prefix(dns_1035_label),
    "labelValue": label_value,
    "uri": _wrong_with_uri,
    "uuid": _of_schemas("uuid", "does not match the UUID format"),
    "byte": _of_schemas("byte", "invalid base64"),
    "date": _of_schemas("date", "invalid date"),
    "datetime": _of_schemas("datetime", "invalid datetime"),
}
NAMES = tuple(_NAMED)
"""The names of all formats."""


def named(name: str) -> str:
    """A format by its name; empty where there is none."""
    return name if name in _NAMED else ""


def wrong_by(name: str, text: str) -> list[str]:
    """All that is wrong with a text by a format."""
    return list(_NAMED[name](text))
