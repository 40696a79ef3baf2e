"""What a plain YAML scalar stands for: the rules of YAML 1.1 as the field's tools keep them.

Reader and writer share them: a string may be written without quotes only where it would be read back as that string.
"""

import math
import re

from svcsim.meta.types import Json

_WORDS: dict[str, Json] = {
    **dict.fromkeys(("y", "Y", "yes", "Yes", "YES", "true", "True", "TRUE", "on", "On", "ON"), True),
    **dict.fromkeys(("n", "N", "no", "No", "NO", "false", "False", "FALSE", "off", "Off", "OFF"), False),
    **dict.fromkeys(("", "~", "null", "Null", "NULL"), None),
    **dict.fromkeys((".nan", ".NaN", ".NAN"), math.nan),
    **dict.fromkeys((".inf", ".Inf", ".INF", "+.inf", "+.Inf", "+.INF"), math.inf),
    **dict.fromkeys(("-.inf", "-.Inf", "-.INF"), -math.inf),
}
_NUMERIC_START = frozenset("+-.0123456789")
_INT = re.compile(r"([-+]?)(?:0[xX]([0-9a-fA-F]+)|0[bB]([01]+)|0[oO]?([0-7]+)|(0|[1-9][0-9]*))\Z")
_FLOAT = re.compile(r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?\Z")
_DATE = re.compile(
    r"[0-9]{4}-(?:0?[1-9]|1[0-2])-(?:0?[1-9]|[12][0-9]|3[01])"
    r"(?:[Tt][0-9]{1,2}:[0-9]{1,2}:[0-9]{1,2}(?:[.,][0-9]+)?(?:Z|[-+][0-9]{2}:[0-9]{2})"
    r"| [0-9]{1,2}:[0-9]{1,2}:[0-9]{1,2}(?:[.,][0-9]+)?)?\Z"
)
_BASE_60 = re.compile(r"[-+]?[0-9][0-9_]*(?::[0-5]?[0-9])+(?:\.[0-9_]*)?\Z")


def resolve(text: str) -> Json:
    """The value of a plain scalar. Dates stay strings: JSON has no type for them."""
    if text in _WORDS:
        return _WORDS[text]
    if text[0] not in _NUMERIC_START:
        return text
    plain = text.replace("_", "") if text[0] != "." else text
    if match := _INT.match(plain):
        return _integer(match)
    if _FLOAT.match(plain):
        return float(plain)
    return text


def reads_as_string(text: str) -> bool:
    """Whether plain ``text`` is read as a string, and as nothing else, by every reader of YAML 1.1."""
    if text in _WORDS or text == "<<":
        return False
    if text[0] not in _NUMERIC_START:
        return True
    return isinstance(resolve(text), str) and not _DATE.match(text) and not _BASE_60.match(text)


def _integer(match: re.Match[str]) -> int | float:
    sign, hexadecimal, binary, octal, decimal = match.groups()
    if hexadecimal:
        magnitude = int(hexadecimal, 16)
    elif binary:
        magnitude = int(binary, 2)
    elif octal:
        magnitude = int(octal, 8)
    elif len(decimal) > 400:  # more than a float holds, and than Python converts
        return math.inf
    else:
        magnitude = int(decimal)
    value = -magnitude if sign == "-" else magnitude
    return value if -(2**63) <= value < 2**64 else _as_float(value)


def _as_float(value: int) -> float:
    try:
        return float(value)
    except OverflowError:
        return math.inf
