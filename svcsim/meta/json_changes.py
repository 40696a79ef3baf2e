"""How one JSON value differs from another, as the operations of a JSON patch (RFC 6902).

They are meant to be read: for a map or a list they have the changes in it, as long as something of it has stayed the same. In a list that
has become longer or shorter, equal items at both ends are left alone.
"""

from collections.abc import Iterator

from svcsim.meta.objects import deep_equal
from svcsim.meta.types import Json, Object


def changes(before: Json, after: Json) -> list[Object]:
    """The operations that make ``after`` of ``before``, in an order in which they apply. They share their values with ``after``."""
    return list(_changes(before, after, ""))


def _changes(before: Json, after: Json, pointer: str) -> Iterator[Object]:
    if isinstance(before, dict) and isinstance(after, dict):
        yield from _in_map(before, after, pointer)
    elif isinstance(before, list) and isinstance(after, list):
        yield from _in_list(before, after, pointer)
    elif not deep_equal(before, after):
        yield {"op": "replace", "path": pointer, "value": after}


def _in_map(before: Object, after: Object, pointer: str) -> Iterator[Object]:
    for name in before:
        if name not in after:
            yield {"op": "remove", "path": _below(pointer, name)}
    for name, value in after.items():
        if name in before:
            yield from _changes(before[name], value, _below(pointer, name))
        else:
            yield {"op": "add", "path": _below(pointer, name), "value": value}


def _in_list(before: list[Json], after: list[Json], pointer: str) -> Iterator[Object]:
    if len(before) == len(after):
        for index, value in enumerate(after):
            yield from _changes(before[index], value, _below(pointer, str(index)))
        return
    shorter = min(len(before), len(after))
    head = 0
    while head < shorter and deep_equal(before[head], after[head]):
        head += 1
    tail = 0
    while tail < shorter - head and deep_equal(before[-1 - tail], after[-1 - tail]):
        tail += 1
    gone, come = before[head : len(before) - tail], after[head : len(after) - tail]
    for _ in gone[len(come) :]:
        yield {"op": "remove", "path": _below(pointer, str(head + len(come)))}
    for index, value in enumerate(come[: len(gone)]):
        yield from _changes(gone[index], value, _below(pointer, str(head + index)))
    for index, value in enumerate(come[len(gone) :], head + len(gone)):
        yield {"op": "add", "path": _below(pointer, str(index)), "value": value}


def _below(pointer: str, name: str) -> str:
    return f"{pointer}/{name.replace('~', '~0').replace('/', '~1')}"
