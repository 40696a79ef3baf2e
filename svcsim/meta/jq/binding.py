"""What gives names to values and to functions: ``as``, ``def``, ``reduce``, ``foreach``, ``label``."""

from collections.abc import Iterator
from typing import NamedTuple

from svcsim import limits
from svcsim.meta.jq.errors import JqError, LabelError, SpentError
from svcsim.meta.jq.filters import Context, JqFilter, Place, Run, Scope, combined
from svcsim.meta.jq.paths import at
from svcsim.meta.jq.values import type_name
from svcsim.meta.types import Json


class Pattern(NamedTuple):
    """What a value is taken apart by: a name for all of it, and others for what is found at keys. ``[$a]`` is taken apart by indices."""

    name: str = ""
    parts: tuple[tuple[JqFilter, "Pattern"], ...] = ()
    is_list: bool = False

    @property
    def names(self) -> Iterator[str]:
        """All names it gives."""
        if self.name:
            yield self.name
        for _, part in self.parts:
            yield from part.names

    def around(self, run: Run, *parts: JqFilter) -> JqFilter:
        """A filter that takes values apart by it: each of its own parts is run within the one before."""
        keys = list(self.filters)
        return JqFilter(run, *parts, *keys, within=len(keys))

    @property
    def filters(self) -> Iterator[JqFilter]:
        """The keys in it."""
        for key, part in self.parts:
            yield key
            yield from part.filters

    def bound(self, value: Json, context: Context) -> Iterator[Context]:
        """With the names that it gives, for each combination of keys."""
        context.work.burn()
        if self.name:
            context = context.with_(self.name, value)
        wanted = list if self.is_list else dict
        if self.parts and value is not None and not isinstance(value, wanted):
            raise JqError(f"cannot index {type_name(value)} with {'number' if self.is_list else 'string'}")
        return self._bound(self.parts, value, context)

    def _bound(self, parts: tuple[tuple[JqFilter, "Pattern"], ...], value: Json, context: Context) -> Iterator[Context]:
        if not parts:
            yield context
            return
        (key, part), *rest = parts
        for one in key.values(value, context):
            for inner in part.bound(at(value, one), context):
                yield from self._bound(tuple(rest), value, inner)


def bound(source: JqFilter, pattern: Pattern, body: JqFilter) -> JqFilter:
    """``source as pattern | body``."""

    def run(place: Place, context: Context) -> Iterator[Place]:
        for value in source.values(place.value, context):
            for inner in pattern.bound(value, context):
                yield from body.run(place, inner)

    return pattern.around(run, source, body)


def variable(name: str) -> JqFilter:
    """A value by its name, ``$`` included."""
    return JqFilter(lambda place, context: iter((place.other(context.meaning(name)),)))


def reduced(source: JqFilter, pattern: Pattern, start: JqFilter, update: JqFilter) -> JqFilter:
    """``reduce source as pattern (start; update)``: the last that each update makes goes on."""

    def run(place: Place, context: Context) -> Iterator[Place]:
        for first in start.run(place, context):
            state = first
            for inner in _bound_in_turn(source, pattern, place, context):
                state = _last(update.run(state, inner), context) or place.other(None)
            yield state

    return pattern.around(run, source, start, update)


def _bound_in_turn(source: JqFilter, pattern: Pattern, place: Place, context: Context) -> Iterator[Context]:
    """What is known within, for each value of the source."""
    for value in source.values(place.value, context):
        for inner in pattern.bound(value, context):
            context.work.burn()
            yield inner


def _last(found: Iterator[Place], context: Context) -> Place | None:
    last = None
    for one in found:
        context.work.burn()
        last = one
    return last


def for_each(source: JqFilter, pattern: Pattern, start: JqFilter, update: JqFilter, extract: JqFilter) -> JqFilter:
    """``foreach source as pattern (start; update; extract)``."""

    def run(place: Place, context: Context) -> Iterator[Place]:
        for first in start.run(place, context):
            state = first
            for inner in _bound_in_turn(source, pattern, place, context):
                for one in update.run(state, inner):
                    state = one
                    yield from extract.run(one, inner)

    return pattern.around(run, source, start, update, extract)


def labelled(name: str, body: JqFilter) -> JqFilter:
    """``label $name | body``."""

    def run(place: Place, context: Context) -> Iterator[Place]:
        label = object()
        try:
            yield from body.run(place, context.with_(f"*{name}", label))
        except LabelError as error:
            if error.label is not label:
                raise

    return JqFilter(run, body)


def broken(name: str) -> JqFilter:
    """``break $name``."""

    def run(_place: Place, context: Context) -> Iterator[Place]:
        raise LabelError(context.meaning(f"*{name}"))

    return JqFilter(run)


class JqFunction(NamedTuple):
    """A function, or a filter that one is given: what it does, and where names have the meanings that it uses."""

    parameters: tuple[str, ...]
    body: JqFilter
    scope: Scope | None
    knows: str = ""
    """Its own name, for it may call itself; empty for a filter that is given."""


def key_of(name: str, parameters: int) -> str:
    """What a function goes by in a scope."""
    return f"{name}/{parameters}"


def defined(name: str, parameters: tuple[str, ...], body: JqFilter, rest: JqFilter) -> JqFilter:
    """``def name(parameters): body; rest``."""
    key = key_of(name, len(parameters))

    def run(place: Place, context: Context) -> Iterator[Place]:
        return rest.run(place, context.with_(key, JqFunction(parameters, body, context.scope, key)))

    return JqFilter(run, body, rest)


def applied_function(name: str, given: list[JqFilter]) -> JqFilter:
    """A call of a function that the query defines."""
    key = key_of(name, len(given))
    return JqFilter(lambda place, context: _call(context.meaning(key), given, place, context), *given)


def applied_definition(function: JqFunction, given: list[JqFilter]) -> JqFilter:
    """A call of a function that is known everywhere."""
    return JqFilter(lambda place, context: _call(function, given, place, context), *given)


def _call(function: JqFunction, given: list[JqFilter], place: Place, context: Context) -> Iterator[Place]:
    depth = context.depth + function.body.height + 1
    if depth > limits.JQ_DEPTH:
        raise SpentError(f"functions call each other more than {limits.JQ_DEPTH} levels deep")
    context.work.burn()
    scope = Scope(function.knows, function, function.scope) if function.knows else function.scope
    values: list[tuple[str, JqFilter]] = []
    for parameter, filter_ in zip(function.parameters, given, strict=True):
        scope = Scope(key_of(parameter.removeprefix("$"), 0), JqFunction((), filter_, context.scope), scope)
        if parameter.startswith("$"):
            values.append((parameter, filter_))
    if not values:
        return function.body.run(place, Context(context.work, scope, depth))
    return _run_with(values[::-1], Context(context.work, scope, depth), function.body, place, context)


def _run_with(values: list[tuple[str, JqFilter]], inner: Context, body: JqFilter, place: Place, outer: Context) -> Iterator[Place]:
    """With a value for each ``$parameter``, in each combination; those of the last parameter, which comes first here, change fastest."""
    for found in combined([filter_ for _, filter_ in values], place.value, outer):
        context = inner
        for (name, _), value in zip(values, found, strict=True):
            context = context.with_(name, value)
        yield from body.run(place, context)
