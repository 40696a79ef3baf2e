"""Amounts that are given as a number, or as a percentage of a whole."""

from svcsim.meta.types import Json


def share(value: Json, whole: int, *, up: bool) -> int:
    """A number as it is, or a percentage of the whole, rounded up or down."""
    if isinstance(value, int):
        return value
    percent = int(str(value).removesuffix("%"))
    return -(-whole * percent // 100) if up else whole * percent // 100
