"""What is checked of values of a type, said once.

`svcsim.schema.quick_check` asks whether all of it is true, `svcsim.schema.validate` tells what isn't. Both follow a type down into what is
in it; what they ask about and in which order, they read here.
"""

import json
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import NamedTuple

from svcsim.meta.errors import FieldError, duplicate, invalid_value, unsupported
from svcsim.meta.types import Json
from svcsim.schema.decode import flat_fields
from svcsim.schema.types import Field, Int, List, Rule, Str, Struct, Structural, Type

EMPTY: tuple[Json, ...] = ("", [])


@dataclass(frozen=True, slots=True)
class Condition:
    """What has to be true of a value, and what is said of one, at a path, of which it isn't. It may stand wherever a rule may."""

    holds: Callable[[Json], bool]
    told: Rule

    def __call__(self, value: Json, path: str) -> Iterable[FieldError]:
        return () if self.holds(value) else self.told(value, path)


class FieldChecks(NamedTuple):
    """What is checked of a field, in this order."""

    name: str
    required: bool
    may_be_empty: bool
    """Whether there is something where an empty value is."""
    missing: str
    """What is said of a required field that isn't there."""
    type: Type
    conditions: tuple[Condition, ...]
    """All conditions, including those of its type."""
    rules: tuple[Rule, ...]
    """What is in it is looked at before they are asked."""


def field_checks(struct: Struct) -> tuple[FieldChecks, ...]:
    """What is checked of each of a struct's fields."""
    return tuple(_of_field(field) for field in flat_fields(struct) if _is_looked_into(field))


def _of_field(field: Field) -> FieldChecks:
    conditions = (*([_one_of(field.enum)] if field.enum else ()), *conditions_of(field.type))
    rules = (*rules_of(field.type), *field.rules)
    return FieldChecks(field.name, _is_needed(field), _may_be_empty(field), field.missing, field.type, conditions, rules)


def conditions_of(field_type: Type) -> tuple[Condition, ...]:
    """What has to be true of a type's values, beside its rules and what is in them."""
    match field_type:
        case List(list_type="set" | "map", unique=True):
            return (_different(field_type),)
        case Str(enum=enum) if enum:
            return (_one_of(enum),)
        case Int(minimum=minimum, maximum=maximum) if minimum is not None or maximum is not None:
            return (_between(minimum, maximum),)
    return ()


def rules_of(field_type: Type) -> tuple[Rule, ...]:
    """A type's rules; those of a struct are asked with its fields."""
    return () if isinstance(field_type, Struct) else field_type.rules


def struct_rules(struct: Struct) -> tuple[Rule, ...]:
    """Rules about the whole struct, those of structs inlined into it first."""
    inlined = [rule for field in struct.fields if field.inline and isinstance(field.type, Struct) for rule in struct_rules(field.type)]
    return (*inlined, *struct.rules)


def _is_looked_into(field: Field) -> bool:
    """What is wrong with a custom resource depends on what it was, and is found elsewhere: `svcsim.schema.structural_validation`."""
    return not field.unchecked and not isinstance(field.type, Structural)


def _is_needed(field: Field) -> bool:
    """Whether it is wrong that it isn't there. A required list that is null where nothing is in it is there for all who read it."""
    return field.required and not (isinstance(field.type, List) and field.presence is False)


def _may_be_empty(field: Field) -> bool:
    match field.type:
        case Str(enum=enum):
            return bool(field.presence) or (field.default == "" if field.required else not (enum or field.enum))
        case List():
            return bool(field.presence) or not field.required
    return True


def _one_of(options: tuple[str, ...]) -> Condition:
    listed = sorted(options)
    return Condition(options.__contains__, lambda value, path: [unsupported(path, value, listed)])


def _between(minimum: int | None, maximum: int | None) -> Condition:
    if minimum is not None and maximum is not None:
        detail = f"must be between {minimum} and {maximum}, inclusive"
    else:
        detail = f"must be greater than or equal to {minimum}" if minimum is not None else f"must be less than or equal to {maximum}"

    def holds(value: Json) -> bool:
        return (minimum is None or value >= minimum) and (maximum is None or value <= maximum)

    return Condition(holds, lambda value, path: [invalid_value(path, value, detail)])


def _different(field_type: List) -> Condition:
    """That no item of a list is there twice."""
    keys = field_type.keys if field_type.list_type == "map" else ()
    identity_of = identity(keys)

    def holds(value: list[Json]) -> bool:
        return len(value) < 2 or len({identity_of(item) for item in value}) == len(value)

    def told(value: list[Json], path: str) -> list[FieldError]:
        seen: set[Json] = set()
        findings = []
        for index, one in enumerate(map(identity_of, value)):
            if one in seen:
                findings.append(_repeated(f"{path}[{index}]", value[index], keys))
            seen.add(one)
        return findings

    return Condition(holds, told)


def identity(keys: tuple[str, ...]) -> Callable[[Json], Json]:
    """What tells an item of a list from another: its keys, or all of it."""
    match keys:
        case ():
            return _hashable
        case (key,):
            return lambda item: _hashable(item.get(key))
    return lambda item: tuple([_hashable(item.get(key)) for key in keys])


def _hashable(value: Json) -> Json:
    """Something that is equal exactly when the JSON values are, 1 and true told apart."""
    kind = type(value)
    if kind is str:
        return value
    return (kind, json.dumps(value, sort_keys=True)) if kind is dict or kind is list else (kind, value)


def _repeated(path: str, item: Json, keys: tuple[str, ...]) -> FieldError:
    if len(keys) == 1:
        return duplicate(f"{path}.{keys[0]}", item.get(keys[0]))
    return duplicate(path, {key: item[key] for key in keys if key in item} if keys else item)
