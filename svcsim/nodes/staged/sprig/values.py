"""How the functions of the sprig library read what they are given: nothing is as empty, and a text may be a number."""

import math

from svcsim.meta.gotemplate.errors import CallError
from svcsim.meta.gotemplate.formatting import default_text
from svcsim.meta.gotemplate.functions import NO_VALUE
from svcsim.meta.types import Json


def given(value: Json) -> Json:
    """A value a function was given; null for what isn't there."""
    return None if value is NO_VALUE else value


def text_of(value: Json) -> str:
    """A value as text."""
    return "" if given(value) is None else default_text(value)


def is_empty(value: Json) -> bool:
    """Whether there is nothing in a value: null, false, 0, and what is empty."""
    return not given(value)


def integer(value: Json) -> int:
    """A value as a whole number; 0 for what is none."""
    value = given(value)
    if isinstance(value, str):
        try:
            return int(value, 0) if value.startswith(("0x", "0b", "0o")) else int(float(value))
        except (ValueError, OverflowError):
            return 0
    return int(value) if isinstance(value, int) or (isinstance(value, float) and math.isfinite(value)) else 0


def float_of(value: Json) -> float:
    """A value as a number; 0 for what is none."""
    try:
        return float(given(value) or 0)
    except (TypeError, ValueError):
        return 0.0


def list_of(value: Json) -> list[Json]:
    """A value as a list. Raises `CallError`."""
    value = given(value)
    if value is None:
        return []
    if not isinstance(value, list):
        raise CallError(f"{default_text(value)} is no list")
    return value


def map_of(value: Json) -> dict[str, Json]:
    """A value as a map. Raises `CallError`."""
    value = given(value)
    if value is None:
        return {}
    if not isinstance(value, dict):
        raise CallError(f"{default_text(value)} is no map")
    return value
