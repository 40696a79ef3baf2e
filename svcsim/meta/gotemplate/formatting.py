"""Values as Go's ``fmt`` prints them, and its format strings.

An object's whole numbers have another type than those that stand in a template, which shows where types are printed.
"""

import math
import re
from collections.abc import Sequence

from svcsim import limits
from svcsim.meta.go_values import items, plain, quote
from svcsim.meta.gotemplate.errors import CallError
from svcsim.meta.types import Json

_VERB = re.compile(r"%([-+# 0]*)(\*|\d+)?(?:\.(\*|\d*))?(?:\[(\d+)\])?(.)?", re.DOTALL)


class Int64(int):
    """A whole number of an object."""


def type_name(value: Json) -> str:
    """The type a value has in Go."""
    if value is None:
        return "<nil>"
    if isinstance(value, dict):
        return "map[string]interface {}"
    if isinstance(value, list):
        return "[]interface {}"
    return {bool: "bool", int: "int", Int64: "int64", float: "float64", str: "string"}[type(value)]


def default_text(value: Json) -> str:
    """What ``%v`` prints."""
    return plain(value, _number)


def _number(value: float) -> str:
    return str(value) if isinstance(value, int) else shortest(value)


def shortest(value: float) -> str:
    """A float with as few digits as tell it from others, with an exponent where that is below -4 or above 5."""
    digits = repr(value)
    if not math.isfinite(value):
        return {"nan": "NaN", "inf": "+Inf", "-inf": "-Inf"}[digits]
    mantissa, power = _decimal(digits)
    sign = "-" if digits.startswith("-") else ""
    if -4 <= power < 6:
        return sign + _positional(mantissa, power)
    head = mantissa[0] + (f".{mantissa[1:]}" if mantissa[1:] else "")
    return f"{sign}{head}e{'-' if power < 0 else '+'}{abs(power):02}"


def _decimal(text: str) -> tuple[str, int]:
    """The digits of a number without zeros around them, and the power of ten of the first."""
    head, _, exponent = text.lstrip("-").partition("e")
    whole, _, fraction = head.partition(".")
    digits = (whole + fraction).lstrip("0")
    if not digits:
        return "0", 0
    power = len(whole) - 1 - (len(whole + fraction) - len(digits)) + int(exponent or 0)
    return digits.rstrip("0"), power


def _positional(digits: str, power: int) -> str:
    if power < 0:
        return f"0.{'0' * (-power - 1)}{digits}"
    whole, fraction = digits[: power + 1].ljust(power + 1, "0"), digits[power + 1 :]
    return f"{whole}.{fraction}" if fraction else whole


def printed(values: Sequence[Json]) -> str:
    """What ``print`` prints: with a blank between two values if neither is text."""
    text = ""
    for index, value in enumerate(values):
        if index and not isinstance(value, str) and not isinstance(values[index - 1], str):
            text += " "
        text += default_text(value)
    return text


def check_length(chars: int) -> None:
    """Raise `CallError` for a text that is too long for any template to make."""
    if chars > limits.RENDERED_CHARS:
        raise CallError(f"a text longer than {limits.RENDERED_CHARS} characters")


def formatted(pattern: str, values: Sequence[Json]) -> str:
    """What ``printf`` prints. Raises `CallError` where that is far too long."""
    given = _Given(values)
    length = 0

    def replaced(match: re.Match[str]) -> str:
        nonlocal length
        found = _replaced(match, given)
        length += len(found)
        check_length(length)
        return found

    text = _VERB.sub(replaced, pattern)
    left = values[given.taken :]
    return f"{text}%!(EXTRA {', '.join(map(_extra, left))})" if left and not given.chosen else text


class _Given:
    """What ``printf`` was given, taken one after the other, or from where ``%[n]`` says."""

    def __init__(self, values: Sequence[Json]) -> None:
        self._values = values
        self.taken = 0
        self.chosen = False
        """Whether there was a ``%[n]``: what it leaves is no mistake."""

    def choose(self, number: int) -> None:
        self.taken = number - 1
        self.chosen = True

    @property
    def more(self) -> bool:
        return 0 <= self.taken < len(self._values)

    def take(self) -> Json:
        self.taken += 1
        return self._values[self.taken - 1]


def _replaced(match: re.Match[str], given: _Given) -> str:
    flags, width, precision, chosen, verb = match.groups()
    if verb is None:
        return "%!(NOVERB)"
    if verb == "%":
        return "%"
    try:
        wide = _amount(width, given)
        exact = None if precision is None else (_amount(precision, given) or 0)
    except _BadWidthError:
        return "%!(BADWIDTH)"
    if chosen:
        given.choose(int(chosen))
    if not given.more:
        return f"%!{verb}({'BADINDEX' if chosen else 'MISSING'})"
    if wide is not None and wide < 0:
        flags, wide = flags + "-", -wide
    return _padded(_verb(verb, flags, exact, given.take()), flags, wide)


def _extra(value: Json) -> str:
    return "<nil>" if value is None else f"{type_name(value)}={default_text(value)}"


class _BadWidthError(Exception):
    """A ``*`` that no number stands for, or a number that is too large."""


_WIDEST = 1_000_000
"""As in Go."""


def _amount(text: str | None, given: _Given) -> int | None:
    if text != "*":
        value = float(text) if text else None
    else:
        value = given.take() if given.more else None
        if not isinstance(value, int) or isinstance(value, bool):
            raise _BadWidthError
    if value is not None and abs(value) > _WIDEST:
        raise _BadWidthError
    return None if value is None else int(value)


def _padded(text: str, flags: str, width: int | None) -> str:
    if width is None or len(text) >= width:
        return text
    if "-" in flags:
        return text.ljust(width)
    if "0" not in flags:
        return text.rjust(width)
    return text[0] + text[1:].rjust(width - 1, "0") if text[:1] in ("+", "-") else text.rjust(width, "0")


def _verb(verb: str, flags: str, precision: int | None, value: Json) -> str:
    """A value by one verb; values in maps and lists one by one."""
    if verb == "T":
        return type_name(value)
    if verb == "v" and "#" in flags:
        return source_text(value)
    if verb == "v":
        flags = flags.replace("+", "")  # asks for the names of fields, not for signs
    if isinstance(value, dict | list):
        return items(value, lambda item: _verb(verb, flags, precision, item))
    found = _scalar(verb, flags, precision, value)
    if found is None:
        return f"%!{verb}(<nil>)" if value is None else f"%!{verb}({type_name(value)}={default_text(value)})"
    return found


def _scalar(verb: str, flags: str, precision: int | None, value: Json) -> str | None:
    """A scalar by a verb; None where the verb isn't for its type."""
    if verb == "v" and (value is None or isinstance(value, bool)):
        return default_text(value)
    if isinstance(value, bool):
        return default_text(value) if verb == "t" else None
    if isinstance(value, str):
        return _text(verb, flags, precision, value)
    if isinstance(value, int):
        return _integer(verb, flags, precision, value)
    return _float(verb, flags, precision, value) if isinstance(value, float) else None


def _text(verb: str, flags: str, precision: int | None, value: str) -> str | None:
    cut = value if precision is None else value[:precision]
    if verb in ("s", "v"):
        return cut
    if verb == "q":
        return f"`{cut}`" if "#" in flags and "`" not in cut else quote(cut)
    if verb in ("x", "X"):
        encoded = cut.encode().hex(" ") if " " in flags else cut.encode().hex()
        return encoded.upper() if verb == "X" else encoded
    return None


def _integer(verb: str, flags: str, precision: int | None, value: int) -> str | None:
    if verb == "c":
        return chr(value)
    if verb == "q":
        return f"'{chr(value)}'"
    if verb == "U":
        return f"U+{value:04X}"
    code = {"d": "d", "v": "d", "b": "b", "o": "o", "O": "o", "x": "x", "X": "X"}.get(verb)
    if code is None:
        return None
    digits = f"{abs(value):{code}}".rjust(precision or 0, "0")
    prefix = "0o" if verb == "O" else {"b": "0b", "o": "0", "x": "0x", "X": "0X"}.get(verb, "") if "#" in flags else ""
    return _sign(flags, value < 0) + prefix + digits


def _float(verb: str, flags: str, precision: int | None, value: float) -> str | None:
    if verb in ("v", "g", "G"):
        text = shortest(abs(value)) if precision is None else f"{abs(value):.{precision or 1}g}"
        return _sign(flags, value < 0) + (text.upper() if verb == "G" else text)
    if verb in ("e", "E", "f", "F"):
        return _sign(flags, value < 0) + f"{abs(value):.{6 if precision is None else precision}{verb}}"
    return None


def _sign(flags: str, negative: bool) -> str:
    if negative:
        return "-"
    return "+" if "+" in flags else " " if " " in flags else ""


def source_text(value: Json) -> str:
    """A value as Go's source would have it."""
    if isinstance(value, dict):
        inner = ", ".join(f"{quote(key)}:{source_text(value[key])}" for key in sorted(value))
        return f"map[string]interface {{}}{{{inner}}}"
    if isinstance(value, list):
        return f"[]interface {{}}{{{', '.join(map(source_text, value))}}}"
    return quote(value) if isinstance(value, str) else default_text(value) if value is not None else "interface {}(nil)"
