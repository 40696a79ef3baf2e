"""Where values are found in others: keys, indices, and slices as ``{"start": 1, "end": 2}``. What is changed there is copied."""

from typing import Literal, TypeAlias

from svcsim.meta.jq.errors import JqError
from svcsim.meta.jq.values import is_number, ordered, type_name
from svcsim.meta.jq.work import Work
from svcsim.meta.types import Json

Path: TypeAlias = tuple[Json, ...] | Literal["nowhere"] | None
NOWHERE: Literal["nowhere"] = "nowhere"
"""The path of a value that was computed, and is at no path."""


def at(value: Json, key: Json) -> Json:
    """What a value has there; null where it has nothing."""
    if isinstance(key, dict):
        return sliced(value, key.get("start"), key.get("end"))
    if value is None and (key is None or isinstance(key, str) or is_number(key)):
        return None
    if isinstance(value, dict) and isinstance(key, str):
        return value.get(key)
    if isinstance(value, list) and is_number(key):
        index = _index(key)
        return value[index] if -len(value) <= index < len(value) else None
    raise JqError(f"cannot index {type_name(value)} with {_spelled(key)}")


def _spelled(key: Json) -> str:
    return f'"{key[:40]}"' if isinstance(key, str) else type_name(key)


def _index(number: float) -> int:
    return int(max(min(number, 2**53), -(2**53)) // 1) if number == number else 2**53  # noqa: PLR0124 - what is no number isn't itself


def _bounds(value: Json, start: Json, end: Json) -> slice:
    if not all(one is None or is_number(one) for one in (start, end)):
        raise JqError(f"cannot slice {type_name(value)}: start and end must be numbers")
    return slice(None if start is None else _index(start), None if end is None else -_index(-end))


def sliced(value: Json, start: Json, end: Json) -> Json:
    """A part of a list or a text."""
    bounds = _bounds(value, start, end)
    if value is None:
        return None
    if not isinstance(value, list | str):
        raise JqError(f"cannot slice {type_name(value)}")
    return value[bounds]


def found_at(work: Work, value: Json, path: Json) -> Json:
    """What is found at a path; null where it leads nowhere."""
    for key in _path(path):
        work.burn()
        if value is None:
            return None
        value = at(value, key)
    return value


def _path(path: Json) -> Json:
    if not isinstance(path, list | tuple):
        raise JqError(f"a path has to be an array: {type_name(path)}")
    return path


def put_at(work: Work, value: Json, path: Json, new: Json) -> Json:
    """The value with another one at a path."""
    keys = _path(path)
    holders = []
    held = value
    for key in keys:
        work.look(held)
        holders.append(held)
        held = at(held, key)
    for holder, key in zip(reversed(holders), reversed(keys), strict=True):
        new = _put(work, holder, key, new)
    return new


def _put(work: Work, holder: Json, key: Json, new: Json) -> Json:
    if isinstance(key, dict):
        if not isinstance(new, list):
            raise JqError(f"a slice of an array can only be assigned an array: {type_name(new)}")
        items = list(holder or [])
        items[_bounds(holder, key.get("start"), key.get("end"))] = new
    elif isinstance(key, str):
        work.make(items=len(holder or {}) + 1)
        return {**(holder or {}), key: new}
    else:
        index = _index(key)
        size = len(holder or [])
        if index < 0 and index + size < 0:
            raise JqError("out of bounds negative array index")
        work.make(items=max(index + 1, 0))
        items = [*(holder or []), *([None] * (index + 1 - size))]
        items[index] = new
    work.make(items=len(items))
    return items


def without(work: Work, value: Json, paths: Json) -> Json:
    """The value without what is found at several paths: the last first, so that the others stay where they are."""
    if not isinstance(paths, list):
        raise JqError(f"paths have to be an array: {type_name(paths)}")
    for path in reversed(ordered(work, [list(_path(path)) for path in paths])):
        if not path:
            return None
        *outer, key = path
        holder = found_at(work, value, outer)
        if holder is not None:
            work.look(holder)
            value = put_at(work, value, outer, _dropped(work, holder, key))
    return value


def _dropped(work: Work, holder: Json, key: Json) -> Json:
    if isinstance(holder, dict) and isinstance(key, str):
        return work.made({name: value for name, value in holder.items() if name != key})
    if isinstance(holder, list) and isinstance(key, dict):
        bounds = _bounds(holder, key.get("start"), key.get("end"))
        kept = list(holder)
        del kept[bounds]
        return work.made(kept)
    if isinstance(holder, list) and is_number(key):
        index = _index(key) + (len(holder) if key < 0 else 0)
        return work.made([one for place, one in enumerate(holder) if place != index])
    raise JqError(f"cannot delete {_spelled(key)} of {type_name(holder)}")
