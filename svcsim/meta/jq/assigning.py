"""Assignments, and what else is about where values are found: a filter finds places, and the value is made anew with others there."""

from collections.abc import Callable, Iterator

from svcsim.meta.jq.errors import JqError
from svcsim.meta.jq.filters import Context, JqFilter, Place
from svcsim.meta.jq.paths import NOWHERE, found_at, put_at, without
from svcsim.meta.jq.values import is_true, reckoned, type_name
from svcsim.meta.types import Json


def _paths(of: JqFilter, value: Json, context: Context) -> Iterator[list[Json]]:
    for found in of.run(Place(value, ()), context):
        if found.path is None or found.path == NOWHERE:
            raise JqError(f"invalid path: what makes a {type_name(found.value)} is no place in the value")
        context.work.make(items=len(found.path))
        yield list(found.path)


def paths_of(of: JqFilter) -> JqFilter:
    """``path(of)``."""

    def run(place: Place, context: Context) -> Iterator[Place]:
        return (place.other(path) for path in _paths(of, place.value, context))

    return JqFilter(run, of)


def found_by_path(path: JqFilter) -> JqFilter:
    """``getpath(path)``, which is a place as well."""

    def run(place: Place, context: Context) -> Iterator[Place]:
        for keys in path.values(place.value, context):
            found = found_at(context.work, place.value, keys)
            if place.path is None:
                yield Place(found)
            else:
                inner = place
                for key in keys:
                    inner = inner.within(key, None)
                yield Place(found, inner.path)

    return JqFilter(run, path)


def updated(of: JqFilter, update: JqFilter) -> JqFilter:
    """``of |= update``: the first result for each value replaces it; a value without results is deleted."""

    def run(place: Place, context: Context) -> Iterator[Place]:
        value, gone = place.value, []
        for path in list(_paths(of, value, context)):
            new = next(update.run(Place(found_at(context.work, value, path)), context), None)
            if new is None:
                gone.append(path)
            else:
                value = put_at(context.work, value, path, new.value)
        yield place.other(without(context.work, value, gone) if gone else value)

    return JqFilter(run, of, update)


def assigned(operator: str, of: JqFilter, source: JqFilter) -> JqFilter:
    """``of = source``, ``of += source`` and so on: for each value of the source, which is of the value as it was."""
    combine = _combination(operator)

    def run(place: Place, context: Context) -> Iterator[Place]:
        for given in source.values(place.value, context):
            value = place.value
            for path in list(_paths(of, value, context)):
                value = put_at(context.work, value, path, combine(context, found_at(context.work, value, path), given))
            yield place.other(value)

    return JqFilter(run, of, source)


def _combination(operator: str) -> Callable[[Context, Json, Json], Json]:
    if operator == "=":
        return lambda _context, _held, given: given
    if operator == "//=":
        return lambda _context, held, given: held if is_true(held) else given
    return lambda context, held, given: reckoned(context.work, operator[0], held, given)


def deleted(of: JqFilter) -> JqFilter:
    """``del(of)``."""

    def run(place: Place, context: Context) -> Iterator[Place]:
        yield place.other(without(context.work, place.value, list(_paths(of, place.value, context))))

    return JqFilter(run, of)
