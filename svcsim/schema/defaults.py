"""Filling in what a client left out.

A type in which nothing has a default is compiled into nothing at all, so an object is only walked where there is something to fill.
"""

from collections.abc import Callable, Iterable
from typing import TypeAlias

from svcsim.meta.objects import CONTAINERS, copy_json
from svcsim.meta.types import Json, Object
from svcsim.schema.decode import flat_fields
from svcsim.schema.derived import derived
from svcsim.schema.structural_reading import Filling, structural_filler
from svcsim.schema.types import Bool, Field, Fill, Int, List, Map, Ref, Str, Struct, Structural, Type

Default: TypeAlias = Callable[[Json], None]


def filler(field_type: Type) -> Default | None:
    """The closure that completes values of a type in place; None if there is never anything to complete."""
    match field_type:
        case Struct():
            return _struct_filler(field_type)
        case Ref(target=target):
            return _ref_filler(target)
        case List(item=item):
            return _list_filler(filler(item))
        case Map(value=value):
            return _map_filler(filler(value))
    return None


@derived
def _struct_filler(struct: Struct) -> Default | None:
    fields = flat_fields(struct)
    constants = tuple((field.name, constant, _counts_when_empty(field)) for field in fields if (constant := _constant(field)) is not None)
    fills = _fills(struct)
    children = tuple((field.name, child) for field in fields if (child := filler(field.type)))
    custom = _structural_fields_filler(fields)
    if not constants and not fills and not children and custom is None:
        return None

    def fill(value: Json) -> None:
        for name, constant, counts in constants:
            if name not in value or (not counts and not value[name]):
                value[name] = copy_json(constant) if type(constant) in CONTAINERS else constant  # which nobody else may have
        for complete in fills:
            complete(value)
        for name, complete_child in children:
            child = value.get(name)
            if child is not None:
                complete_child(child)
        if custom is not None:
            custom(value)

    return fill


def _structural_fields_filler(fields: Iterable[Field]) -> Default | None:
    """What completes the fields of a custom resource, which together may grow only so far."""
    children = tuple(
        (field.name, below) for field in fields if isinstance(field.type, Structural) and (below := structural_filler(field.type))
    )
    if not children:
        return None

    def fill(value: Json) -> None:
        filling = Filling()
        for name, complete_child in children:
            child = value.get(name)
            if child is not None:
                complete_child(child, filling)

    return fill


def _constant(field: Field) -> Json:
    """A field's default. A required number or truth value is zero where it is not said otherwise, if zero is allowed."""
    if isinstance(field.type, Structural):
        return field.type.default
    if field.default is not None or not field.required or field.presence:
        return field.default
    match field.type:
        case Bool():
            return False
        case Int(minimum=minimum, maximum=maximum) if (minimum or 0) <= 0 <= (maximum or 0):
            return 0
    return None


def _counts_when_empty(field: Field) -> bool:
    """Whether an explicit zero stands in the way of the default."""
    return field.presence if field.presence is not None else not isinstance(field.type, Str)


def _fills(struct: Struct) -> tuple[Fill, ...]:
    """The struct's own completion, after those of the structs inlined into it."""
    inlined = [fill for field in struct.fields if field.inline and isinstance(field.type, Struct) for fill in _fills(field.type)]
    return (*inlined, struct.fill) if struct.fill else tuple(inlined)


def _list_filler(fill_item: Default | None) -> Default | None:
    if fill_item is None:
        return None

    def fill(value: list[Json]) -> None:
        for item in value:
            fill_item(item)

    return fill


def _map_filler(fill_item: Default | None) -> Default | None:
    if fill_item is None:
        return None

    def fill(value: Object) -> None:
        for item in value.values():
            fill_item(item)

    return fill


def _ref_filler(target: Callable[[], Struct]) -> Default:
    def fill(value: Json) -> None:
        fill_target = _struct_filler(target())
        if fill_target:
            fill_target(value)

    return fill
