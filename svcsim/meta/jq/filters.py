"""What the parts of a query do: filters that make any number of values of one, and are made of filters."""

from collections.abc import Callable, Iterator
from typing import NamedTuple, TypeAlias

from svcsim import limits
from svcsim.meta.jq.errors import JqError, LabelError, SpentError
from svcsim.meta.jq.paths import NOWHERE, Path, at, sliced
from svcsim.meta.jq.values import compared, is_true, type_name
from svcsim.meta.jq.work import Work
from svcsim.meta.types import Json


class Place(NamedTuple):
    """A value, and where it is found in the value that an assignment is about."""

    value: Json
    path: Path = None
    """None where nobody asks."""

    def other(self, value: Json) -> "Place":
        """A value that is none of those that are assigned to."""
        return Place(value, None if self.path is None else NOWHERE)

    def within(self, key: Json, value: Json) -> "Place":
        """A value that is found in this one."""
        if self.path is None:
            return Place(value)
        if self.path == NOWHERE:
            raise JqError(f"invalid path against: {type_name(self.value)}")
        return Place(value, (*self.path, key))


class Scope(NamedTuple):
    """What a name stands for: a value (``$name``), a function (``name/2``), or a label (``*name``). Outside it, others do."""

    name: str
    means: Json
    outer: "Scope | None"


class Context(NamedTuple):
    """What a filter is run with."""

    work: Work
    scope: Scope | None = None
    depth: int = 0
    """The heights of the functions that are being called."""

    def with_(self, name: str, means: Json) -> "Context":
        """The context with one more name."""
        return Context(self.work, Scope(name, means, self.scope), self.depth)

    def meaning(self, name: str) -> Json:
        """What a name stands for, which is known: the parser has seen to that."""
        scope = self.scope
        while scope is not None and scope.name != name:
            scope = scope.outer
        return scope.means if scope is not None else None


Run: TypeAlias = Callable[[Place, Context], Iterator[Place]]


class JqFilter:
    """A part of a query: what it makes of a value, and how many parts are within one another in it."""

    __slots__ = ("height", "run")
    height: int

    def __init__(self, run: Run, *parts: "JqFilter", within: int = 0) -> None:
        self.run = run
        self.height = 1 + within + max((part.height for part in parts), default=0)
        if self.height > limits.JQ_LEVELS:
            raise JqError(f"more than {limits.JQ_LEVELS} levels")

    def values(self, value: Json, context: Context) -> Iterator[Json]:
        """What it makes of a value, wherever that is found."""
        for found in self.run(Place(value), context):
            yield found.value


def _itself(place: Place, _context: Context) -> Iterator[Place]:
    yield place


def _each(place: Place, context: Context) -> Iterator[Place]:
    value = place.value
    if not isinstance(value, dict | list):
        raise JqError(f"cannot iterate over: {type_name(value)}")
    for key, one in value.items() if isinstance(value, dict) else enumerate(value):
        context.work.burn()
        yield place.within(key, one)


ITSELF = JqFilter(_itself)
EACH = JqFilter(_each)


def constant(value: Json) -> JqFilter:
    return JqFilter(lambda place, _context: iter((place.other(value),)))


def field(name: str) -> JqFilter:
    def run(place: Place, context: Context) -> Iterator[Place]:
        context.work.burn()
        yield place.within(name, at(place.value, name))

    return JqFilter(run)


def indexed(of: JqFilter, key: JqFilter) -> JqFilter:
    """``of[key]``: the key is of the value that both are run on."""

    def run(place: Place, context: Context) -> Iterator[Place]:
        for one in of.run(place, context):
            for index in key.values(place.value, context):
                context.work.burn()
                yield one.within(index, at(one.value, index))

    return JqFilter(run, of, key)


def in_slices(of: JqFilter, start: JqFilter, end: JqFilter) -> JqFilter:
    """``of[start:end]``."""

    def run(place: Place, context: Context) -> Iterator[Place]:
        for one in of.run(place, context):
            for first in start.values(place.value, context):
                for last in end.values(place.value, context):
                    found = sliced(one.value, first, last)
                    context.work.look(found)
                    yield one.within({"start": first, "end": last}, context.work.made(found))

    return JqFilter(run, of, start, end)


def piped(left: JqFilter, right: JqFilter) -> JqFilter:
    def run(place: Place, context: Context) -> Iterator[Place]:
        for one in left.run(place, context):
            context.work.burn()
            yield from right.run(one, context)

    return JqFilter(run, left, right)


def one_after_another(parts: list[JqFilter]) -> JqFilter:
    def run(place: Place, context: Context) -> Iterator[Place]:
        for part in parts:
            context.work.burn()
            yield from part.run(place, context)

    return JqFilter(run, *parts)


def tried(inner: JqFilter, caught: JqFilter | None = None) -> JqFilter:
    """``try inner catch caught``: what breaks off is over, unless the query has spent what it has, or is on its way to a label."""

    def run(place: Place, context: Context) -> Iterator[Place]:
        context.work.burn()
        try:
            yield from inner.run(place, context)
        except (SpentError, LabelError):
            raise
        except JqError as error:
            why = error.caught
        else:
            return
        if caught is not None:
            yield from caught.run(place.other(why), context)

    return JqFilter(run, inner, *([caught] if caught is not None else []))


def alternative(left: JqFilter, right: JqFilter) -> JqFilter:
    either = tried(left)

    def run(place: Place, context: Context) -> Iterator[Place]:
        is_found = False
        for one in either.run(place, context):
            if is_true(one.value):
                is_found = True
                yield one
        if not is_found:
            yield from right.run(place, context)

    return JqFilter(run, either, right)


def both_or_either(operator: str, left: JqFilter, right: JqFilter) -> JqFilter:
    def run(place: Place, context: Context) -> Iterator[Place]:
        for one in left.values(place.value, context):
            if is_true(one) is (operator == "or"):
                yield place.other(operator == "or")
            else:
                for other in right.values(place.value, context):
                    yield place.other(is_true(other))

    return JqFilter(run, left, right)


def applied(operator: str, left: JqFilter, right: JqFilter) -> JqFilter:
    def run(place: Place, context: Context) -> Iterator[Place]:
        for other in right.values(place.value, context):
            for one in left.values(place.value, context):
                yield place.other(compared(context.work, operator, one, other))

    return JqFilter(run, left, right)


def chosen(condition: JqFilter, then: JqFilter, otherwise: JqFilter) -> JqFilter:
    def run(place: Place, context: Context) -> Iterator[Place]:
        for holds in condition.values(place.value, context):
            context.work.burn()
            yield from (then if is_true(holds) else otherwise).run(place, context)

    return JqFilter(run, condition, then, otherwise)


def collected(inner: JqFilter) -> JqFilter:
    def run(place: Place, context: Context) -> Iterator[Place]:
        found: list[Json] = []
        for one in inner.values(place.value, context):
            context.work.make(items=1)
            found.append(one)
        yield place.other(found)

    return JqFilter(run, inner)


def combined(parts: list[JqFilter], value: Json, context: Context) -> Iterator[tuple[Json, ...]]:
    """What several filters find, in each combination; the first changes fastest."""
    if not parts:
        yield ()
        return
    waiting = [parts[-1].values(value, context)]
    found: list[Json] = []
    while waiting:
        context.work.burn()
        one = next(waiting[-1], _NO_MORE)
        if one is _NO_MORE:
            waiting.pop()
            if found:
                found.pop()
        elif len(waiting) == len(parts):
            yield (one, *reversed(found))
        else:
            found.append(one)
            waiting.append(parts[-1 - len(found)].values(value, context))


_NO_MORE = object()


def map_of(entries: list[tuple[JqFilter, JqFilter]]) -> JqFilter:
    """``{key: value}``, one for each combination; the last changes fastest."""
    parts = [part for entry in reversed(entries) for part in reversed(entry)]

    def run(place: Place, context: Context) -> Iterator[Place]:
        for reverse in combined(parts, place.value, context):
            found = reverse[::-1]
            keys = found[::2]
            if not all(isinstance(key, str) for key in keys):
                raise JqError(f"a key of an object has to be a string: {type_name(next(key for key in keys if not isinstance(key, str)))}")
            context.work.make(items=len(keys))
            yield place.other(dict(zip(keys, found[1::2], strict=True)))

    return JqFilter(run, *parts)


def text_of(pieces: list[str | JqFilter], spell: Callable[[Work, Json], str]) -> JqFilter:
    """A text with values within it, which are spelled so."""
    inner = [piece for piece in pieces if not isinstance(piece, str)]

    def run(place: Place, context: Context) -> Iterator[Place]:
        for found in combined(inner, place.value, context):
            spelled = iter([spell(context.work, one) for one in found])
            yield place.other(context.work.made("".join(piece if isinstance(piece, str) else next(spelled) for piece in pieces)))

    return JqFilter(run, *inner)


def called(function: Callable[..., Json], given: list[JqFilter]) -> JqFilter:
    """A plain function, of the value and what else it is given, in each combination."""

    def run(place: Place, context: Context) -> Iterator[Place]:
        for found in combined(given, place.value, context):
            context.work.look(place.value, *found)
            yield place.other(context.work.made(function(context.work, place.value, *found)))

    return JqFilter(run, *given)
