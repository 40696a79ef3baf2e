"""Functions that are given filters, or whose results are any number."""

from collections.abc import Callable, Iterator, Mapping

from svcsim.meta.jq.assigning import deleted, found_by_path, paths_of
from svcsim.meta.jq.errors import JqError, RaisedError
from svcsim.meta.jq.filters import EACH, ITSELF, Context, JqFilter, Place, collected, combined, constant, piped, tried
from svcsim.meta.jq.values import is_number, is_same, is_true, ordered_by, plain_number, type_name
from svcsim.meta.types import Json


def _select(holds: JqFilter) -> JqFilter:
    def run(place: Place, context: Context) -> Iterator[Place]:
        return (place for found in holds.values(place.value, context) if is_true(found))

    return JqFilter(run, holds)


def _typed(*names: str) -> Callable[[], JqFilter]:
    """Whether a value is of one of some types; nothing if it isn't."""
    return lambda: JqFilter(lambda place, _context: iter((place,) if type_name(place.value) in names else ()))


def _recurse(step: JqFilter) -> JqFilter:
    """The value, what a filter makes of it, and so on, without any recursion of ours."""

    def run(place: Place, context: Context) -> Iterator[Place]:
        yield place
        waiting = [step.run(place, context)]
        while waiting:
            context.work.burn()
            found = next(waiting[-1], None)
            if found is None:
                waiting.pop()
                continue
            context.work.make(items=1)
            yield found
            waiting.append(step.run(found, context))

    return JqFilter(run, step)


def _until(holds: JqFilter, step: JqFilter) -> JqFilter:
    """Goes on with the first that each step makes."""

    def run(place: Place, context: Context) -> Iterator[Place]:
        found: Place | None = place
        while found is not None and not is_true(next(holds.values(found.value, context), None)):
            context.work.burn()
            found = next(step.run(found, context), None)
        if found is not None:
            yield found

    return JqFilter(run, holds, step)


def _any(holds: JqFilter, of: JqFilter, wanted: bool) -> JqFilter:
    """Whether the condition is true (``wanted``), or false, for any value found; stops at the first."""

    def run(place: Place, context: Context) -> Iterator[Place]:
        found = (is_true(one) is wanted for value in of.values(place.value, context) for one in holds.values(value, context))
        yield place.other(any(found) is wanted)

    return JqFilter(run, holds, of)


def _limited(count: JqFilter, inner: JqFilter) -> JqFilter:
    def run(place: Place, context: Context) -> Iterator[Place]:
        for most in count.values(place.value, context):
            left = most if is_number(most) else 0
            if left <= 0:
                continue
            for found in inner.run(place, context):
                yield found
                left -= 1
                if left <= 0:
                    break

    return JqFilter(run, count, inner)


def _skipped(count: JqFilter, inner: JqFilter) -> JqFilter:
    def run(place: Place, context: Context) -> Iterator[Place]:
        for left in count.values(place.value, context):
            for index, found in enumerate(inner.run(place, context)):
                context.work.burn()
                if not is_number(left) or index >= left:
                    yield found

    return JqFilter(run, count, inner)


def _range(*given: JqFilter) -> JqFilter:
    """``range(end)``, ``range(start; end)``, ``range(start; end; step)``."""
    start, end, step = {1: (constant(0), *given, constant(1)), 2: (*given, constant(1)), 3: given}[len(given)]

    def run(place: Place, context: Context) -> Iterator[Place]:
        for by, last, first in combined([step, end, start], place.value, context):
            if not all(map(is_number, (first, last, by))):
                raise JqError("range bounds must be numeric")
            at = first
            while (at < last if by > 0 else at > last) or by == 0 != last - first:
                context.work.burn()
                yield place.other(at)
                at = plain_number(at + by)

    return JqFilter(run, start, end, step)


def _raised(message: JqFilter) -> JqFilter:
    def run(place: Place, context: Context) -> Iterator[Place]:
        for value in message.values(place.value, context):
            raise RaisedError(value)
        yield from ()

    return JqFilter(run, message)


def _by(make: Callable[[list[tuple[Json, Json]]], Json]) -> Callable[[JqFilter], JqFilter]:
    """What is made of a list whose items are in the order of what a filter finds of each, together with that."""

    def special(key: JqFilter) -> JqFilter:
        keys = collected(key)

        def run(place: Place, context: Context) -> Iterator[Place]:
            items = place.value
            if not isinstance(items, list):
                raise JqError(f"cannot be sorted, as it is not an array: {type_name(items)}")
            found = [next(keys.values(item, context)) for item in items]
            yield place.other(make(ordered_by(context.work, items, found)))

        return JqFilter(run, keys)

    return special


def _grouped(found: list[tuple[Json, Json]]) -> list[list[Json]]:
    groups: list[list[Json]] = []
    before: Json = None
    for key, item in found:
        if groups and is_same(before, key):
            groups[-1].append(item)
        else:
            groups.append([item])
        before = key
    return groups


def _walk(change: JqFilter) -> JqFilter:
    """Changes all that is within a value, the innermost first."""

    def walked(value: Json, context: Context) -> Iterator[Json]:
        if isinstance(value, list):
            value = [one for item in value for one in walked(item, context)]
        elif isinstance(value, dict):
            changed = ((key, next(walked(item, context), _GONE)) for key, item in value.items())
            value = {key: one for key, one in changed if one is not _GONE}
        context.work.made(value)
        return change.values(value, context)

    def run(place: Place, context: Context) -> Iterator[Place]:
        context.work.look_through(place.value)
        return (place.other(found) for found in walked(place.value, context))

    return JqFilter(run, change)


_GONE = object()
_RECURSIVE = _recurse(tried(EACH))

SPECIAL: Mapping[tuple[str, int], Callable[..., JqFilter]] = {
    ("select", 1): _select,
    ("recurse", 0): lambda: _RECURSIVE,
    ("recurse", 1): _recurse,
    ("until", 2): _until,
    ("walk", 1): _walk,
    ("map", 1): lambda inner: collected(piped(EACH, inner)),
    ("any", 1): lambda holds: _any(holds, EACH, wanted=True),
    ("all", 1): lambda holds: _any(holds, EACH, wanted=False),
    ("any", 2): lambda of, holds: _any(holds, of, wanted=True),
    ("all", 2): lambda of, holds: _any(holds, of, wanted=False),
    ("first", 1): lambda inner: _limited(constant(1), inner),
    ("limit", 2): _limited,
    ("skip", 2): _skipped,
    ("range", 1): _range,
    ("range", 2): _range,
    ("range", 3): _range,
    ("empty", 0): lambda: JqFilter(lambda _place, _context: iter(())),
    ("error", 0): lambda: _raised(ITSELF),
    ("error", 1): _raised,
    ("path", 1): paths_of,
    ("getpath", 1): found_by_path,
    ("del", 1): deleted,
    ("sort_by", 1): _by(lambda found: [item for _, item in found]),
    ("group_by", 1): _by(_grouped),
    ("unique_by", 1): _by(lambda found: [group[0] for group in _grouped(found)]),
    ("min_by", 1): _by(lambda found: found[0][1] if found else None),
    ("max_by", 1): _by(lambda found: found[-1][1] if found else None),
    ("arrays", 0): _typed("array"),
    ("objects", 0): _typed("object"),
    ("iterables", 0): _typed("array", "object"),
    ("booleans", 0): _typed("boolean"),
    ("numbers", 0): _typed("number"),
    ("strings", 0): _typed("string"),
    ("nulls", 0): _typed("null"),
    ("scalars", 0): _typed("null", "boolean", "number", "string"),
    ("values", 0): _typed("boolean", "number", "string", "array", "object"),
}
"""By name, and how many filters they are given."""
