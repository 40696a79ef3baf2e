"""``--sort-by``: objects in the order of a field, numbers and quantities by what they amount to, texts letter by letter as in kubectl."""

from functools import cmp_to_key
from typing import NamedTuple

from svcsim.cli.failure import CommandError
from svcsim.cli.output import jsonpath
from svcsim.meta.types import Json, Object


class SortKey(NamedTuple):
    """What sorts a value among others; missing ones come first."""

    family: int
    amount: float | None = None
    text: str = ""


def sort_objects(objects: list[Object], expression: str, *, inner: str = "") -> list[Object]:
    """The objects in the order of a field. ``inner``: the key below which each of them holds the object that has the field.

    Those that don't have it come first, the last of them foremost: kubectl holds each of them to be less than all others.
    """
    try:
        template = jsonpath.parse(jsonpath.relaxed(expression))
    except jsonpath.JsonPathError as error:
        raise CommandError(str(error)) from error
    found = [jsonpath.values(template, obj[inner] if inner else obj) for obj in objects]
    if objects and not any(found):
        raise CommandError(f"couldn't find any field with path {_quoted(expression)} in the list of objects")
    without = [i for i in range(len(objects)) if not found[i]]
    keys = {i: _key(values[0]) for i, values in enumerate(found) if values}
    by_key = cmp_to_key(_compare)
    order = sorted(keys, key=lambda i: by_key(keys[i]))
    return [objects[i] for i in (*reversed(without), *order)]


def _quoted(expression: str) -> str:
    return f'"{jsonpath.relaxed(expression)}"'


def _key(value: Json) -> SortKey:
    if value is None:
        return SortKey(0)
    if isinstance(value, bool | int | float):
        return SortKey(1, float(value))
    if isinstance(value, str):
        return SortKey(2, _quantity(value), value)
    raise CommandError(f"unsortable type: {'map[string]interface {}' if isinstance(value, dict) else '[]interface {}'}")


def _compare(one: SortKey, other: SortKey) -> int:
    """Below, above or beside: two quantities by what they amount to, a quantity and another text letter by letter."""
    if one.family != other.family:
        return one.family - other.family
    if one.amount is not None and other.amount is not None:
        return (one.amount > other.amount) - (one.amount < other.amount)
    return (one.text > other.text) - (one.text < other.text)


def _quantity(text: str) -> float | None:
    from svcsim.meta import quantity

    try:
        return float(quantity.parse(text))
    except ValueError:
        return None
