"""JSON scalars as text, the way tools written in Go spell them: what users compare values with, and what cells show."""

from collections.abc import Callable

from svcsim.meta.types import Json


def number(value: float) -> str:
    """A number, the shortest way."""
    if isinstance(value, int):
        return str(value)
    exponent = 0 if value == 0 else len(f"{abs(value):.0f}") - 1
    if value == int(value) and exponent < 21:
        return str(int(value))
    return repr(value)


def scalar(value: Json, number_text: Callable[[float], str] = number) -> str:
    """Anything but a map and a list: ``<nil>``, ``true``, a number, or text as it is."""
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "true" if value else "false"
    return "<nil>" if value is None else number_text(value)
