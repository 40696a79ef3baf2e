"""Rules that fields of many kinds share, made from the rules for names, ports, addresses and amounts.

What is asked of nearly every object answers with a list instead of going through a generator: mostly there is nothing to say.

A maker returns a schema rule: a function of a value and its path that says what is wrong with it.
"""

import ipaddress
from collections.abc import Callable, Iterable, Iterator, Mapping

from svcsim.meta import quantity
from svcsim.meta.codec import same_json
from svcsim.meta.errors import FieldError, invalid_value, unsupported
from svcsim.meta.names import label_value, port_name, port_number, qualified_name
from svcsim.meta.networks import parse_address, parse_network
from svcsim.meta.types import Json, Object
from svcsim.schema.types import Rule

MAX_INT32 = 2**31 - 1
IMMUTABLE = "field is immutable"
NOT_NEGATIVE = "must be greater than or equal to 0"
PROTOCOLS = ("SCTP", "TCP", "UDP")

BAD_ADDRESS = "must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)"
BAD_NETWORK = "must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)"


def named(rule: Callable[[str], list[str]]) -> Rule:
    """A name of a certain form; nothing is said of an empty one."""

    def check(value: Json, path: str) -> Iterable[FieldError]:
        findings = rule(value) if value else ()
        return [invalid_value(path, value, finding) for finding in findings] if findings else ()

    return check


def one_of(*options: str) -> Rule:
    """One of these words, which the finding lists in this order."""

    def check(value: Json, path: str) -> Iterable[FieldError]:
        return () if value in options else (unsupported(path, value, options),)

    return check


def not_negative(value: Json, path: str) -> Iterable[FieldError]:
    """A whole number from 0."""
    return () if value >= 0 else (invalid_value(path, value, NOT_NEGATIVE),)


def not_negative_int32(value: Json, path: str) -> Iterator[FieldError]:
    """A whole number from 0, told with the end of its range."""
    if value < 0:
        yield invalid_value(path, value, f"must be between 0 and {MAX_INT32}, inclusive")


def positive(value: Json, path: str) -> Iterator[FieldError]:
    """A whole number from 1."""
    if value <= 0:
        yield invalid_value(path, value, "must be greater than 0")


def in_range(low: int, high: int) -> Rule:
    """A whole number between the two."""

    def check(value: Json, path: str) -> Iterable[FieldError]:
        return () if low <= value <= high else (invalid_value(path, value, f"must be between {low} and {high}, inclusive"),)

    return check


def port(value: Json, path: str) -> Iterable[FieldError]:
    return [invalid_value(path, value, finding) for finding in port_number(value)]


def port_number_or_name(value: Json, path: str) -> Iterable[FieldError]:
    """A port's number, or the name a container gives it."""
    findings = port_name(value) if isinstance(value, str) else port_number(value)
    return [invalid_value(path, value, finding) for finding in findings] if findings else ()


def not_negative_amount(value: Json, path: str) -> Iterator[FieldError]:
    if value[:1] == "-" and quantity.parse(value).number < 0:
        yield invalid_value(path, value, NOT_NEGATIVE)


def file_mode(value: Json, path: str) -> Iterable[FieldError]:
    """Permission bits of a file."""
    if 0 <= value <= 0o777:
        return ()
    return [invalid_value(path, value, "must be a number between 0 and 0777 (octal), both inclusive")]


def label_key(value: Json, path: str) -> Iterable[FieldError]:
    """The key of a label or a taint."""
    findings = qualified_name(value)
    return [invalid_value(path, value, finding) for finding in findings] if findings else ()


def address(value: Json, path: str) -> Iterator[FieldError]:
    if parse_address(value) is None:
        yield invalid_value(path, value, BAD_ADDRESS)


def network(value: Json, path: str) -> Iterator[FieldError]:
    """An IP network in CIDR notation."""
    if parse_network(value) is None:
        yield invalid_value(path, value, BAD_NETWORK)


def reachable_address(value: Json, path: str) -> Iterator[FieldError]:
    """An IP address that traffic can be sent to from elsewhere."""
    parsed = parse_address(value)
    if parsed is None:
        yield invalid_value(path, value, BAD_ADDRESS)
        return
    if isinstance(parsed, ipaddress.IPv6Address) and parsed.ipv4_mapped is not None:
        parsed = parsed.ipv4_mapped
    if parsed.is_unspecified:
        yield invalid_value(path, value, f"may not be unspecified ({value})")
    if parsed.is_loopback:
        yield invalid_value(path, value, "may not be in the loopback range (127.0.0.0/8, ::1/128)")
    if parsed.is_link_local:
        yield invalid_value(path, value, "may not be in the link-local range (169.254.0.0/16, fe80::/10)")
    if parsed.is_multicast and str(parsed).startswith(("224.0.0.", "ff02:")):
        yield invalid_value(path, value, "may not be in the link-local multicast range (224.0.0.0/24, ff02::/10)")


def repeated(values: Iterable[str]) -> Iterator[tuple[int, str]]:
    """The values that stand there once more, and where."""
    seen: set[str] = set()
    for index, value in enumerate(values):
        if value in seen:
            yield index, value
        seen.add(value)


def each(rule: Rule) -> Rule:
    """A rule for every item of a list."""

    def check(value: Json, path: str) -> Iterator[FieldError]:
        for index, item in enumerate(value):
            yield from rule(item, f"{path}[{index}]")

    return check


def labels(value: Json, path: str) -> Iterator[FieldError]:
    items: Mapping[str, str] = value
    for key, text in items.items():
        for finding in qualified_name(key):
            yield invalid_value(path, key, finding)
        for finding in label_value(text):
            yield invalid_value(path, text, finding)


def unchanged(new: Object, old: Object, path: str) -> Iterator[FieldError]:
    """A field of ``spec`` that may not change; ``path`` is its name."""
    before, after = (old.get("spec") or {}).get(path), (new.get("spec") or {}).get(path)
    if not same_json(before, after):
        yield invalid_value(f"spec.{path}", after, IMMUTABLE)
