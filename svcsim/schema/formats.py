"""The formats of text that schemas of custom resources can ask for; others than these ask for nothing.

By their names without hyphens, which don't count.
"""

import base64
import binascii
import ipaddress
import re
import uuid
from collections.abc import Callable, Mapping
from datetime import date
from urllib.parse import urlsplit

from svcsim.meta.names import dns_label, dns_subdomain
from svcsim.meta.times import parse_time

_EMAIL = re.compile(r"[^@\s<>]+@[^@\s<>]+")
_HOSTNAME = re.compile(r"[A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?(\.[A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?)*", re.ASCII)
_HOSTNAME_CHARS = 255
_MAC = re.compile(r"[0-9a-fA-F]{2}([:-][0-9a-fA-F]{2}){5}|[0-9a-fA-F]{4}(\.[0-9a-fA-F]{4}){2}", re.ASCII)
_DATE_TIME = re.compile(r"\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d(\.\d+)?([Zz]|[+-]\d\d:\d\d)", re.ASCII)
_DURATION = re.compile(r"[+-]?(\d+(\.\d*)?|\.\d+)(ns|us|µs|μs|ms|s|m|h)((\d+(\.\d*)?|\.\d+)(ns|us|µs|μs|ms|s|m|h))*", re.ASCII)
_LONG_DURATION = re.compile(
    r"\d+\s*(d|day|days|w|week|weeks|h|hour|hours|m|min|mins|minute|minutes|s|sec|secs|second|seconds|ms|us|ns)", re.ASCII
)
_HEX_COLOUR = re.compile(r"#?([0-9a-fA-F]{3}|[0-9a-fA-F]{6})", re.ASCII)
_RGB_PART = r"\s*(0|[1-9]\d?|1\d\d?|2[0-4]\d|25[0-5])\s*"
_RGB_COLOUR = re.compile(rf"rgb\({_RGB_PART},{_RGB_PART},{_RGB_PART}\)", re.ASCII)
_OBJECT_ID = re.compile(r"[0-9a-fA-F]{24}", re.ASCII)
_UUID = re.compile(r"[0-9a-fA-F]{8}-?[0-9a-fA-F]{4}-?[0-9a-fA-F]{4}-?[0-9a-fA-F]{4}-?[0-9a-fA-F]{12}", re.ASCII)
_SSN = re.compile(r"\d{3}[- ]?\d{2}[- ]?\d{4}", re.ASCII)


def is_duration(value: str) -> bool:
    """``1h30m``, or ``2 days``."""
    return value == "0" or bool(_DURATION.fullmatch(value) or _LONG_DURATION.fullmatch(value))


def is_date_time(value: str) -> bool:
    """A moment as RFC 3339 writes it, one that exists."""
    return bool(_DATE_TIME.fullmatch(value)) and _succeeds(lambda: parse_time(value.upper()))


def is_date(value: str) -> bool:
    """A day that exists."""
    return _succeeds(lambda: date.fromisoformat(value)) and len(value) == len("2006-01-02")


def is_uri(value: str) -> bool:
    """An absolute URI, or an absolute path."""
    try:
        parts = urlsplit(value)
    except ValueError:
        return False
    return (bool(parts.scheme) or value.startswith("/")) and not re.search(r"\s", value)


def is_base64(value: str) -> bool:
    """Bytes in base64 with padding."""
    return _succeeds(lambda: base64.b64decode(value, validate=True))


def _is_uuid(version: int) -> Callable[[str], bool]:
    return lambda value: bool(_UUID.fullmatch(value)) and (not version or uuid.UUID(value).version == version)


def _is_cidr(value: str) -> bool:
    return "/" in value and _succeeds(lambda: ipaddress.ip_network(value, strict=False))


def _succeeds(attempt: Callable[[], object]) -> bool:
    try:
        attempt()
    except (ValueError, binascii.Error):
        return False
    return True


_UNITS = {"ns": 1e-9, "us": 1e-6, "µs": 1e-6, "μs": 1e-6, "ms": 1e-3, "s": 1.0, "m": 60.0, "h": 3600.0, "d": 86400.0, "w": 604800.0}
_AMOUNT = re.compile(r"(\d+(?:\.\d*)?|\.\d+)\s*([a-zµμ]+)")


def parse_duration(value: str) -> float:
    """Seconds of a duration. Raises `ValueError`."""
    if not is_duration(value):
        raise ValueError(f"{value} is no duration")
    seconds = sum(float(amount) * _unit(unit) for amount, unit in _AMOUNT.findall(value))
    return -seconds if value.startswith("-") else seconds


def _unit(word: str) -> float:
    return _UNITS.get(word) or _UNITS[word[0]]


FORMATS: Mapping[str, Callable[[str], bool]] = {
    "bsonobjectid": lambda value: bool(_OBJECT_ID.fullmatch(value)),
    "uri": is_uri,
    "email": lambda value: bool(_EMAIL.fullmatch(value)),
    "hostname": lambda value: len(value) <= _HOSTNAME_CHARS and bool(_HOSTNAME.fullmatch(value)),
    "ipv4": lambda value: _succeeds(lambda: ipaddress.IPv4Address(value)),
    "ipv6": lambda value: _succeeds(lambda: ipaddress.IPv6Address(value)),
    "cidr": _is_cidr,
    "mac": lambda value: bool(_MAC.fullmatch(value)),
    "uuid": _is_uuid(0),
    "uuid3": _is_uuid(3),
    "uuid4": _is_uuid(4),
    "uuid5": _is_uuid(5),
    "ssn": lambda value: bool(_SSN.fullmatch(value)),
    "hexcolor": lambda value: bool(_HEX_COLOUR.fullmatch(value)),
    "rgbcolor": lambda value: bool(_RGB_COLOUR.fullmatch(value)),
    "byte": is_base64,
    "date": is_date,
    "duration": is_duration,
    "datetime": is_date_time,
    "k8sshortname": lambda value: not dns_label(value),
    "k8slongname": lambda value: not dns_subdomain(value),
}
