"""Whole numbers as Go reads them, on the command line and in queries: its prefixes and underscores, its ranges, its complaints."""

from svcsim.meta.quoting import quoted

_BASES = {"0x": 16, "0o": 8, "0b": 2}
_LARGEST = 2**64 - 1


def read(text: str, bits: int) -> int:
    """A number of so many bits, spelled in any base (``16``, ``0x10``, ``020``, ``1_6``). Raises ValueError."""
    negative, spelled = text[:1] == "-", text[1:] if text[:1] in {"+", "-"} else text
    base = _BASES.get(spelled[:2].lower(), 8 if spelled[:1] == "0" and len(spelled) > 1 else 10)
    digits = spelled[2:] if spelled[:2].lower() in _BASES else spelled
    if "_" in digits:
        if not _underscores_part_digits(digits, prefixed=base != 10):
            raise ValueError(_no_number("ParseInt", text))
        digits = digits.replace("_", "")
    return _signed("ParseInt", text, digits, base, bits, negative=negative)


def read_decimal(text: str, bits: int, function: str = "Atoi") -> int:
    """A decimal number of so many bits; ``function`` is the one of Go's that is told of. Raises ValueError."""
    return _signed(function, text, text[1:] if text[:1] in {"+", "-"} else text, 10, bits, negative=text[:1] == "-")


def read_unsigned(text: str, bits: int) -> int:
    """A decimal number of so many bits without a sign. Raises ValueError."""
    return _magnitude("ParseUint", text, text, 10, 2**bits - 1)


def _signed(function: str, text: str, digits: str, base: int, bits: int, *, negative: bool) -> int:
    beyond = 1 << (bits - 1)
    number = _magnitude(function, text, digits, base, beyond if negative else beyond - 1)
    return -number if negative else number


def _magnitude(function: str, text: str, digits: str, base: int, largest: int) -> int:
    number = 0
    for digit in digits:
        value = int(digit, 36) if digit.isascii() and digit.isalnum() else base
        if value >= base:
            raise ValueError(_no_number(function, text))
        number = number * base + value
        if number > _LARGEST:  # what follows isn't looked at any more
            break
    if not digits:
        raise ValueError(_no_number(function, text))
    if number > largest:
        raise ValueError(f"strconv.{function}: parsing {quoted(text)}: value out of range")
    return number


def _underscores_part_digits(digits: str, *, prefixed: bool) -> bool:
    return not digits.endswith("_") and "__" not in digits and (prefixed or not digits.startswith("_"))


def _no_number(function: str, text: str) -> str:
    return f"strconv.{function}: parsing {quoted(text)}: invalid syntax"
