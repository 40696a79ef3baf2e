"""JSON values to YAML as the field's tools print it: block style, keys in natural order, quotes only where they are needed."""

from collections.abc import Iterator
from functools import cmp_to_key

import yaml

from svcsim.meta import yaml_scalars
from svcsim.meta.types import Json, Object

_UNQUOTED = (True, True)


def write_document(value: Json) -> bytes:
    """One document, without markers around it."""
    text: str = yaml.emit(_document(value), Dumper=yaml.CSafeDumper, allow_unicode=True)
    return text.removesuffix("...\n").encode()  # the mark after text that ends in blank lines; no reader needs it


def format_float(value: float) -> str:
    """The shortest decimal that reads back as ``value``; an exponent from a million on and below 0.0001."""
    mantissa, _, exponent_text = f"{value:.17e}".partition("e")
    for precision in range(17):
        shortest = f"{value:.{precision}e}"
        if float(shortest) == value:
            mantissa, _, exponent_text = shortest.partition("e")
            break
    exponent = int(exponent_text)
    if exponent < -4 or exponent >= 6:
        return f"{mantissa}e{'-' if exponent < 0 else '+'}{abs(exponent):02d}"
    digits = max(len(mantissa.lstrip("-").replace(".", "")) - 1 - exponent, 0)
    return f"{value:.{digits}f}"


def _document(value: Json) -> Iterator[yaml.Event]:
    yield yaml.StreamStartEvent()
    yield yaml.DocumentStartEvent(explicit=False)
    yield from _events(value)
    yield yaml.DocumentEndEvent(explicit=False)
    yield yaml.StreamEndEvent()


def _events(value: Json) -> Iterator[yaml.Event]:
    if isinstance(value, dict):
        yield yaml.MappingStartEvent(None, None, implicit=True, flow_style=False)
        for key in _sorted_keys(value):
            yield _string(key)
            yield from _events(value[key])
        yield yaml.MappingEndEvent()
    elif isinstance(value, list):
        yield yaml.SequenceStartEvent(None, None, implicit=True, flow_style=False)
        for item in value:
            yield from _events(item)
        yield yaml.SequenceEndEvent()
    elif isinstance(value, str):
        yield _string(value)
    else:
        yield yaml.ScalarEvent(None, None, _UNQUOTED, _plain(value))


def _plain(value: Json) -> str:
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    return format_float(value) if isinstance(value, float) else str(value)


def _string(text: str) -> yaml.ScalarEvent:
    if "\n" in text:
        style = "|"
    elif text and yaml_scalars.reads_as_string(text):
        style = None  # the emitter still puts single quotes around what would confuse it
    else:
        style = '"'
    return yaml.ScalarEvent(None, None, _UNQUOTED, text, style=style)


def _sorted_keys(value: Object) -> list[str]:
    return sorted(value, key=cmp_to_key(_natural_order))


def _natural_order(left: str, right: str) -> int:
    """Runs of digits count as numbers, and letters come after everything else, unless a number has just ended."""
    position = next((i for i, (a, b) in enumerate(zip(left, right, strict=False)) if a != b), None)
    if position is None:
        return len(left) - len(right)
    a, b = left[position], right[position]
    if a.isalpha() and b.isalpha():
        return -1 if a < b else 1
    if a.isalpha() or b.isalpha():
        after_digit = position > 0 and left[position - 1].isdigit()
        return -1 if a.isalpha() == after_digit else 1
    return _order_of_numbers(left, right, position)


def _order_of_numbers(left: str, right: str, position: int) -> int:
    """The order by the digits from the first difference on; zeros count only behind another digit of the same number."""
    lead = "1" if "0" in (left[position], right[position]) and _digits_before(left, position).strip("0") else "0"
    a, b = _digits_from(left, position), _digits_from(right, position)
    numbers = int(lead + a), int(lead + b)
    if numbers[0] != numbers[1]:
        return -1 if numbers[0] < numbers[1] else 1
    if len(a) != len(b):
        return len(a) - len(b)
    return -1 if left[position] < right[position] else 1


def _digits_from(text: str, position: int) -> str:
    end = position
    while end < len(text) and text[end].isdecimal() and text[end].isascii():
        end += 1
    return text[position : min(end, position + 18)]


def _digits_before(text: str, position: int) -> str:
    start = position
    while start > 0 and text[start - 1].isdecimal() and text[start - 1].isascii():
        start -= 1
    return text[start:position]
