"""``--sort-by``: objects in the order of a field, numbers as numbers, names the way people count (``web-2`` before ``web-10``)."""

import re
from typing import NamedTuple

from svcsim.cli.failure import CommandError
from svcsim.cli.output import jsonpath
from svcsim.meta.types import Json, Object

_DIGITS = re.compile(r"(\d+)")


class SortKey(NamedTuple):
    """What sorts a value among others; missing ones come first."""

    present: bool
    family: int
    number: float
    text: tuple[tuple[int, int, str], ...]


def sort_objects(objects: list[Object], expression: str, *, inner: str = "") -> list[Object]:
    """The objects in the order of a field. ``inner``: the key below which each of them holds the object that has the field.

    Those that don't have it come first, the last of them foremost: kubectl holds each of them to be less than all others.
    """
    try:
        template = jsonpath.parse(jsonpath.relaxed(expression))
        found = [[value for group in jsonpath.results(template, obj[inner] if inner else obj) for value in group] for obj in objects]
    except jsonpath.JsonPathError as error:
        raise CommandError(str(error)) from error
    if objects and not any(found):
        raise CommandError(f"couldn't find any field with path {_quoted(expression)} in the list of objects")
    without = [i for i in range(len(objects)) if not found[i]]
    order = sorted((i for i in range(len(objects)) if found[i]), key=lambda i: _key(found[i][0]))
    return [objects[i] for i in (*reversed(without), *order)]


def _quoted(expression: str) -> str:
    return f'"{jsonpath.relaxed(expression)}"'


def _key(value: Json) -> SortKey:
    if value is None:
        return SortKey(False, 0, 0, ())
    if isinstance(value, bool | int | float):
        return SortKey(True, 1, float(value), ())
    if isinstance(value, str):
        if (amount := _quantity(value)) is not None:
            return SortKey(True, 1, amount, ())
        return SortKey(True, 2, 0, tuple((0, int(part), "") if part.isdigit() else (1, 0, part) for part in _DIGITS.split(value) if part))
    raise CommandError(f"unsortable type: {'map[string]interface {}' if isinstance(value, dict) else '[]interface {}'}")


def _quantity(text: str) -> float | None:
    from svcsim.meta import quantity

    try:
        return float(quantity.parse(text))
    except ValueError:
        return None
