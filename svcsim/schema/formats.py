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

from svcsim.meta import times
from svcsim.meta.go_urls import parse_request_uri
from svcsim.meta.names import dns_label, dns_subdomain
from svcsim.meta.networks import parse_address, parse_network
from svcsim.meta.times import parse_given_time

_EMAIL = re.compile(r"[^@\s<>]+@[^@\s<>]+")
_HOSTNAME = re.compile(r"[A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?(\.[A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?)*", re.ASCII)
_HOSTNAME_CHARS = 255
_MAC = re.compile(r"[0-9a-fA-F]{2}([:-][0-9a-fA-F]{2}){5}|[0-9a-fA-F]{4}(\.[0-9a-fA-F]{4}){2}", re.ASCII)
_DATE_TIME = re.compile(r"\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d(\.\d+)?([Zz]|[+-]\d\d:\d\d)", re.ASCII)
_LONG_DURATION = re.compile(r"(\d{1,19})\s*([A-Za-zµ]+)", re.ASCII)
_LONG_DURATIONS = re.compile(r"\s*(?:\d{1,19}\s*[A-Za-zµ]+\s*)+", re.ASCII)
_DURATION_CHARS = 1_000
"""A text that is longer is nobody's duration."""
_HEX_COLOUR = re.compile(r"#?([0-9a-fA-F]{3}|[0-9a-fA-F]{6})", re.ASCII)
_RGB_PART = r"\s*(0|[1-9]\d?|1\d\d?|2[0-4]\d|25[0-5])\s*"
_RGB_COLOUR = re.compile(rf"rgb\({_RGB_PART},{_RGB_PART},{_RGB_PART}\)", re.ASCII)
_GROUPING = re.compile(r"[\s-]+")
_ISBN10 = re.compile(r"\d{9}[\dX]", re.ASCII)
_ISBN13 = re.compile(r"\d{13}", re.ASCII)
_NO_DIGIT = re.compile(r"[^0-9]+")
_CREDIT_CARD = re.compile(
    r"4\d{12}(?:\d{3})?|5[1-5]\d{14}|6(?:011|5\d\d)\d{12}|3[47]\d{13}|3(?:0[0-5]|[68]\d)\d{11}|(?:2131|1800|35\d{3})\d{11}", re.ASCII
)
_OBJECT_ID = re.compile(r"[0-9a-fA-F]{24}", re.ASCII)
_UUID = re.compile(r"[0-9a-fA-F]{8}-?[0-9a-fA-F]{4}-?[0-9a-fA-F]{4}-?[0-9a-fA-F]{4}-?[0-9a-fA-F]{12}", re.ASCII)
_SSN = re.compile(r"\d{3}[- ]?\d{2}[- ]?\d{4}", re.ASCII)


def is_duration(value: str) -> bool:
    """``1h30m``, or ``2 days``."""
    return _succeeds(lambda: parse_duration(value))


def is_date_time(value: str) -> bool:
    """A moment as RFC 3339 writes it, one that exists."""
    return bool(_DATE_TIME.fullmatch(value)) and _succeeds(lambda: parse_given_time(value.upper()))


def is_date(value: str) -> bool:
    """A day that exists."""
    return _succeeds(lambda: date.fromisoformat(value)) and len(value) == len("2006-01-02")


def is_uri(value: str) -> bool:
    """An absolute URI, or an absolute path."""
    return _succeeds(lambda: parse_request_uri(value))


def is_base64(value: str) -> bool:
    """Bytes in base64 with padding."""
    return _succeeds(lambda: base64.b64decode(value, validate=True))


def _is_uuid(version: int) -> Callable[[str], bool]:
    return lambda value: bool(_UUID.fullmatch(value)) and (not version or uuid.UUID(value).version == version)


def _succeeds(attempt: Callable[[], object]) -> bool:
    try:
        attempt()
    except (ValueError, binascii.Error):
        return False
    return True


_MAX_SECONDS = 2**63 / 10**9
_UNITS = {
    "ns": 1e-9,
    "us": 1e-6,
    "µs": 1e-6,
    "ms": 1e-3,
    "s": 1.0,
    "m": 60.0,
    "h": 3600.0,
    "hr": 3600.0,
    "d": 86400.0,
    "w": 604800.0,
    "wk": 604800.0,
}
_LONG_UNITS = {"nano": 1e-9, "micro": 1e-6, "milli": 1e-3, "sec": 1.0, "min": 60.0, "hour": 3600.0, "day": 86400.0, "week": 604800.0}
"""By how they begin."""


def parse_duration(value: str) -> float:
    """Seconds of a duration. Raises `ValueError`."""
    if len(value) > _DURATION_CHARS:
        raise ValueError("a text so long is no duration")
    try:
        return times.parse_duration(value)
    except ValueError:
        if not _LONG_DURATIONS.fullmatch(value):
            raise
    seconds = sum(int(amount) * _unit(unit.lower()) for amount, unit in _LONG_DURATION.findall(value))
    if seconds >= _MAX_SECONDS:
        raise ValueError(f"{value} is longer than any duration")
    return seconds


def _unit(word: str) -> float:
    for begin, seconds in _LONG_UNITS.items():
        if word.startswith(begin):
            return seconds
    if word not in _UNITS:
        raise ValueError(f"{word} is no unit of time")
    return _UNITS[word]


def _is_isbn10(value: str) -> bool:
    digits = _GROUPING.sub("", value)
    if not _ISBN10.fullmatch(digits):
        return False
    return sum((10 - index) * (10 if digit == "X" else int(digit)) for index, digit in enumerate(digits)) % 11 == 0


def _is_isbn13(value: str) -> bool:
    digits = _GROUPING.sub("", value)
    return bool(_ISBN13.fullmatch(digits)) and sum((1, 3)[index % 2] * int(digit) for index, digit in enumerate(digits)) % 10 == 0


def _is_credit_card(value: str) -> bool:
    """By its first digits and its length, and by the digit that checks the others."""
    digits = _NO_DIGIT.sub("", value)
    if not _CREDIT_CARD.fullmatch(digits):
        return False
    doubled = (int(digit) * (1 + index % 2) for index, digit in enumerate(reversed(digits)))
    return sum(number // 10 + number % 10 for number in doubled) % 10 == 0


FORMATS: Mapping[str, Callable[[str], bool]] = {
    "bsonobjectid": lambda value: bool(_OBJECT_ID.fullmatch(value)),
    "uri": is_uri,
    "email": lambda value: bool(_EMAIL.fullmatch(value)),
    "hostname": lambda value: len(value) <= _HOSTNAME_CHARS and bool(_HOSTNAME.fullmatch(value)),
    "ipv4": lambda value: _succeeds(lambda: ipaddress.IPv4Address(value)),
    "ipv6": lambda value: isinstance(parse_address(value), ipaddress.IPv6Address),
    "cidr": lambda value: parse_network(value) is not None,
    "mac": lambda value: bool(_MAC.fullmatch(value)),
    "uuid": _is_uuid(0),
    "uuid3": _is_uuid(3),
    "uuid4": _is_uuid(4),
    "uuid5": _is_uuid(5),
    "isbn": lambda value: _is_isbn10(value) or _is_isbn13(value),
    "isbn10": _is_isbn10,
    "isbn13": _is_isbn13,
    "creditcard": _is_credit_card,
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
