"""What the parts of a query do: filters that make any number of values of one, and are made of filters."""

from collections.abc import Callable, Iterator
from typing import TypeAlias

from svcsim import limits
from svcsim.meta.jq_functions import JqError, compared, is_true, type_name
from svcsim.meta.types import Json

Filter: TypeAlias = Callable[[Json, "Fuel"], Iterator[Json]]
"""What a part of a query makes of a value: any number of values."""


class Fuel:
    """How much a query may still do."""

    def __init__(self) -> None:
        self._left = limits.JQ_STEPS

    def burn(self) -> None:
        self._left -= 1
        if self._left < 0:
            raise JqError(f"the query takes more than {limits.JQ_STEPS} steps")


def itself(value: Json, _fuel: Fuel) -> Iterator[Json]:
    yield value


def nothing(_value: Json, _fuel: Fuel) -> Iterator[Json]:
    yield None


def constant(constant: Json) -> Filter:
    return lambda _value, _fuel: iter((constant,))


def each(value: Json, fuel: Fuel) -> Iterator[Json]:
    if not isinstance(value, dict | list):
        raise JqError(f"cannot iterate over: {type_name(value)}")
    for one in value.values() if isinstance(value, dict) else value:
        fuel.burn()
        yield one


def recursive(value: Json, fuel: Fuel) -> Iterator[Json]:
    fuel.burn()
    yield value
    if isinstance(value, dict | list):
        for one in value.values() if isinstance(value, dict) else value:
            yield from recursive(one, fuel)


def field(name: str) -> Filter:
    def run(value: Json, fuel: Fuel) -> Iterator[Json]:
        fuel.burn()
        yield at(value, name)

    return run


def at(value: Json, key: Json) -> Json:
    if value is None and (key is None or isinstance(key, str | int | float)):
        return None
    if isinstance(value, dict) and isinstance(key, str):
        return value.get(key)
    if isinstance(value, list) and isinstance(key, int | float) and not isinstance(key, bool):
        index = int(key)
        return value[index] if -len(value) <= index < len(value) else None
    raise JqError(f"cannot index {type_name(value)} with {type_name(key)}")


def indexed(of: Filter, key: Filter) -> Filter:
    return lambda value, fuel: (at(one, index) for one in of(value, fuel) for index in key(value, fuel))


def sliced(of: Filter, start: Filter, end: Filter) -> Filter:
    def run(value: Json, fuel: Fuel) -> Iterator[Json]:
        for one in of(value, fuel):
            for first in start(value, fuel):
                for last in end(value, fuel):
                    if one is None:
                        yield None
                    elif isinstance(one, list | str) and all(end is None or isinstance(end, int) for end in (first, last)):
                        yield one[first:last]
                    else:
                        raise JqError(f"cannot slice {type_name(one)}")

    return run


def piped(left: Filter, right: Filter) -> Filter:
    def run(value: Json, fuel: Fuel) -> Iterator[Json]:
        for one in left(value, fuel):
            fuel.burn()
            yield from right(one, fuel)

    return run


def tried(inner: Filter) -> Filter:
    def run(value: Json, fuel: Fuel) -> Iterator[Json]:
        try:
            yield from inner(value, fuel)
        except JqError:
            fuel.burn()

    return run


def alternative(left: Filter, right: Filter) -> Filter:
    def run(value: Json, fuel: Fuel) -> Iterator[Json]:
        found = [one for one in tried(left)(value, fuel) if is_true(one)]
        yield from found or right(value, fuel)

    return run


def applied(operator: str, left: Filter, right: Filter) -> Filter:
    def run(value: Json, fuel: Fuel) -> Iterator[Json]:
        if operator in {"and", "or"}:
            for one in left(value, fuel):
                if is_true(one) is (operator == "or"):
                    yield operator == "or"
                else:
                    yield from (is_true(other) for other in right(value, fuel))
            return
        for other in right(value, fuel):
            for one in left(value, fuel):
                fuel.burn()
                yield compared(operator, one, other)

    return run


def chosen(condition: Filter, then: Filter, otherwise: Filter) -> Filter:
    return lambda value, fuel: (found for holds in condition(value, fuel) for found in (then if is_true(holds) else otherwise)(value, fuel))


def called(function: Callable[..., Json], given: list[Filter]) -> Filter:
    def run(value: Json, fuel: Fuel) -> Iterator[Json]:
        fuel.burn()
        yield from _with(value, fuel, given, ())

    def _with(value: Json, fuel: Fuel, rest: list[Filter], found: tuple[Json, ...]) -> Iterator[Json]:
        if not rest:
            yield function(value, *found)
            return
        for one in rest[0](value, fuel):
            yield from _with(value, fuel, rest[1:], (*found, one))

    return run


def select(holds: Filter) -> Filter:
    return lambda value, fuel: (value for found in holds(value, fuel) if is_true(found))


def mapped(inner: Filter) -> Filter:
    return lambda value, fuel: iter(([found for one in each(value, fuel) for found in inner(one, fuel)],))


def any_of(inner: Filter) -> Filter:
    return lambda value, fuel: iter((any(is_true(found) for one in each(value, fuel) for found in inner(one, fuel)),))


def all_of(inner: Filter) -> Filter:
    return lambda value, fuel: iter((all(is_true(found) for one in each(value, fuel) for found in inner(one, fuel)),))


def first_of(inner: Filter) -> Filter:
    def run(value: Json, fuel: Fuel) -> Iterator[Json]:
        for found in inner(value, fuel):
            yield found
            return

    return run


SPECIAL: dict[tuple[str, int], Callable[..., Filter]] = {
    ("select", 1): select,
    ("map", 1): mapped,
    ("any", 1): any_of,
    ("all", 1): all_of,
    ("first", 1): first_of,
    ("recurse", 0): lambda: recursive,
    ("empty", 0): lambda: lambda _value, _fuel: iter(()),
    ("values", 0): lambda: select(lambda value, _fuel: iter((value is not None,))),
    ("nulls", 0): lambda: select(lambda value, _fuel: iter((value is None,))),
}
"""Functions that are given filters, or whose results are any number, by name and how many they are given."""
