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
from svcsim.schema.checks import Condition
from svcsim.schema.types import Rule

MAX_INT32 = 2**31 - 1
IMMUTABLE = "field is immutable"
NOT_NEGATIVE = "must be greater than or equal to 0"
PROTOCOLS = ("SCTP", "TCP", "UDP")

BAD_ADDRESS = "must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)"
BAD_NETWORK = "must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)"


def true_if(holds: Callable[[Json], bool]) -> Callable[[Rule], Condition]:
    """A condition, of what is told where it doesn't hold."""
    return lambda told: Condition(holds, told)


def named(rule: Callable[[str], list[str]]) -> Condition:
    """A name of a certain form; nothing is said of an empty one."""

    def told(value: Json, path: str) -> Iterable[FieldError]:
        return [invalid_value(path, value, finding) for finding in rule(value)]

    return Condition(lambda value: not value or not rule(value), told)


def one_of(*options: str) -> Condition:
    """One of these words, which the finding lists in this order."""

    def told(value: Json, path: str) -> Iterable[FieldError]:
        return (unsupported(path, value, options),)

    return Condition(options.__contains__, told)


@true_if(lambda value: value >= 0)
def not_negative(value: Json, path: str) -> Iterable[FieldError]:
    """A whole number from 0."""
    return (invalid_value(path, value, NOT_NEGATIVE),)


@true_if(lambda value: value >= 0)
def not_negative_int32(value: Json, path: str) -> Iterable[FieldError]:
    """A whole number from 0, told with the end of its range."""
    return (invalid_value(path, value, f"must be between 0 and {MAX_INT32}, inclusive"),)


@true_if(lambda value: value > 0)
def positive(value: Json, path: str) -> Iterable[FieldError]:
    """A whole number from 1."""
    return (invalid_value(path, value, "must be greater than 0"),)


def in_range(low: int, high: int) -> Condition:
    """A whole number between the two."""

    def told(value: Json, path: str) -> Iterable[FieldError]:
        return (invalid_value(path, value, f"must be between {low} and {high}, inclusive"),)

    return Condition(lambda value: low <= value <= high, told)


def port(value: Json, path: str) -> Iterable[FieldError]:
    return [invalid_value(path, value, finding) for finding in port_number(value)]


def _port_mistakes(value: Json) -> list[str]:
    return port_name(value) if type(value) is str else port_number(value)


@true_if(lambda value: not _port_mistakes(value))
def port_number_or_name(value: Json, path: str) -> Iterable[FieldError]:
    """A port's number, or the name a container gives it."""
    return [invalid_value(path, value, finding) for finding in _port_mistakes(value)]


def not_negative_amount(value: Json, path: str) -> Iterator[FieldError]:
    if value[:1] == "-" and quantity.parse(value).number < 0:
        yield invalid_value(path, value, NOT_NEGATIVE)


@true_if(lambda value: 0 <= value <= 0o777)
def file_mode(value: Json, path: str) -> Iterable[FieldError]:
    """Permission bits of a file."""
    return [invalid_value(path, value, "must be a number between 0 and 0777 (octal), both inclusive")]


@true_if(lambda value: not qualified_name(value))
def label_key(value: Json, path: str) -> Iterable[FieldError]:
    """The key of a label or a taint."""
    return [invalid_value(path, value, finding) for finding in qualified_name(value)]


@true_if(lambda value: parse_address(value) is not None)
def address(value: Json, path: str) -> Iterable[FieldError]:
    return (invalid_value(path, value, BAD_ADDRESS),)


@true_if(lambda value: parse_network(value) is not None)
def network(value: Json, path: str) -> Iterable[FieldError]:
    """An IP network in CIDR notation."""
    return (invalid_value(path, value, BAD_NETWORK),)


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


def _are_labels(value: Json) -> bool:
    items: Mapping[str, str] = value
    for key, text in items.items():  # noqa: SIM110 - a generator costs more than what it asks
        if qualified_name(key) or label_value(text):
            return False
    return True


@true_if(_are_labels)
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
