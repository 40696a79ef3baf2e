"""Finding everything that is wrong with an object, each finding with the path of its field.

Like defaults, checks are compiled: a type in which anything goes is compiled into nothing, and never walked. Paths are those of API
error messages: ``spec.containers[0].image``, and ``data[key]`` for the keys of a map.
"""

import json
from collections.abc import Callable, Iterable
from typing import TypeAlias

from svcsim.limits import SCHEMAS
from svcsim.meta.codec import same_json
from svcsim.meta.errors import FieldError, duplicate, invalid_value, required, unsupported
from svcsim.meta.types import Json, Object
from svcsim.schema.decode import flat_fields
from svcsim.schema.identity import cached_by_identity
from svcsim.schema.types import Field, Int, List, Map, Ref, Rule, Str, Struct, Structural, Type

Check: TypeAlias = Callable[[Json, str, list[FieldError]], None]
ChangeCheck: TypeAlias = Callable[[Object, Object, list[FieldError]], None]


def checker(field_type: Type) -> Check | None:
    """The closure that collects what is wrong with values of a type; None if nothing can be."""
    return _all_of([*own_checks(field_type), *_rule_checks(own_rules(field_type))])


def own_checks(field_type: Type) -> list[Check]:
    """What is checked of a type's values beside its rules."""
    match field_type:
        case Struct():
            check = _struct_checker(field_type)
            return [check] if check else []
        case Ref(target=target):
            return [_ref_checker(target)]
        case List(item=item):
            return [*uniqueness(field_type), *_list_checks(item)]
        case Map(value=value):
            return _map_checks(value)
        case Str(enum=enum) if enum:
            return [enum_check(enum)]
        case Int(minimum=minimum, maximum=maximum) if minimum is not None or maximum is not None:
            return [_range_check(minimum, maximum)]
    return []


def own_rules(field_type: Type) -> tuple[Rule, ...]:
    """Its rules, where they aren't among its checks."""
    return () if isinstance(field_type, Struct) else field_type.rules


@cached_by_identity(SCHEMAS)
def _struct_checker(struct: Struct) -> Check | None:
    checks = tuple(entry for field in flat_fields(struct) if (entry := _field_entry(field)))
    rules = struct_rules(struct)
    if not checks and not rules:
        return None

    def check(value: Json, path: str, found: list[FieldError]) -> None:
        prefix = f"{path}." if path else ""
        for name, is_required, empty_counts, missing, check_field, field_rules in checks:
            item = value.get(name)
            if item is None or (not empty_counts and item in EMPTY):
                if is_required:
                    found.append(required(prefix + name, missing))
                continue
            if check_field:
                check_field(item, prefix + name, found)
            for rule in field_rules:
                found.extend(rule(item, prefix + name))
        for rule in rules:
            found.extend(rule(value, path))

    return check


def change_checker(struct: Struct) -> ChangeCheck:
    """What checks a whole object that was changed: of its fields only those that differ from before, for the others were checked then."""
    checks = {field.name: _struct_checker(Struct(struct.name, field)) for field in flat_fields(struct)}
    rules = struct_rules(struct)

    def check(new: Object, old: Object, found: list[FieldError]) -> None:
        for name, check_field in checks.items():
            if check_field and not same_json(new.get(name), old.get(name)):
                check_field(new, "", found)
        for rule in rules:
            found.extend(rule(new, ""))

    return check


EMPTY: tuple[Json, ...] = ("", [])


def _field_entry(field: Field) -> tuple[str, bool, bool, str, Check | None, tuple[Rule, ...]] | None:
    """Name, whether it must be there, whether empty counts as that, what is said if not, what to check; None if there is nothing to do."""
    if not is_looked_into(field):
        return None
    check = _all_of([*([enum_check(field.enum)] if field.enum else []), *own_checks(field.type)])
    rules = (*own_rules(field.type), *field.rules)
    if check is None and not rules and not is_needed(field):
        return None
    return field.name, is_needed(field), may_be_empty(field), field.missing, check, rules


def is_looked_into(field: Field) -> bool:
    """What is wrong with a custom resource depends on what it was, and is found elsewhere: `svcsim.schema.structural_validation`."""
    return not field.unchecked and not isinstance(field.type, Structural)


def is_needed(field: Field) -> bool:
    """Whether it is wrong that it isn't there. A required list that is null where nothing is in it is there for all who read it."""
    return field.required and not (isinstance(field.type, List) and field.presence is False)


def may_be_empty(field: Field) -> bool:
    """Whether there is something where an empty value is."""
    match field.type:
        case Str(enum=enum):
            return bool(field.presence) or (field.default == "" if field.required else not (enum or field.enum))
        case List():
            return bool(field.presence) or not field.required
    return True


def struct_rules(struct: Struct) -> tuple[Rule, ...]:
    """Rules about the whole struct, those of structs inlined into it first."""
    inlined = [rule for field in struct.fields if field.inline and isinstance(field.type, Struct) for rule in struct_rules(field.type)]
    return (*inlined, *struct.rules)


def _all_of(checks: list[Check]) -> Check | None:
    if len(checks) < 2:
        return checks[0] if checks else None

    def check(value: Json, path: str, found: list[FieldError]) -> None:
        for one in checks:
            one(value, path, found)

    return check


def _rule_checks(rules: Iterable[Rule]) -> list[Check]:
    return [_rule_check(rule) for rule in rules]


def _rule_check(rule: Rule) -> Check:
    return lambda value, path, found: found.extend(rule(value, path))


def enum_check(options: tuple[str, ...]) -> Check:
    listed = sorted(options)

    def check(value: Json, path: str, found: list[FieldError]) -> None:
        if value not in options:
            found.append(unsupported(path, value, listed))

    return check


def _range_check(minimum: int | None, maximum: int | None) -> Check:
    if minimum is not None and maximum is not None:
        detail = f"must be between {minimum} and {maximum}, inclusive"
    else:
        detail = f"must be greater than or equal to {minimum}" if minimum is not None else f"must be less than or equal to {maximum}"

    def check(value: Json, path: str, found: list[FieldError]) -> None:
        if (minimum is not None and value < minimum) or (maximum is not None and value > maximum):
            found.append(invalid_value(path, value, detail))

    return check


def _list_checks(item: Type) -> list[Check]:
    check_item = checker(item)
    if check_item is None:
        return []

    def check(value: list[Json], path: str, found: list[FieldError]) -> None:
        for index, one in enumerate(value):
            check_item(one, f"{path}[{index}]", found)

    return [check]


def _map_checks(item: Type) -> list[Check]:
    check_item = checker(item)
    if check_item is None:
        return []

    def check(value: Object, path: str, found: list[FieldError]) -> None:
        for key, one in value.items():
            check_item(one, f"{path}[{key}]", found)

    return [check]


def uniqueness(field_type: List) -> list[Check]:
    if not field_type.unique or field_type.list_type not in {"set", "map"}:
        return []
    keys = field_type.keys if field_type.list_type == "map" else ()
    identity_of = identity(keys)

    def check(value: list[Json], path: str, found: list[FieldError]) -> None:
        identities = [identity_of(item) for item in value]
        if len(set(identities)) == len(identities):
            return
        seen: set[Json] = set()
        for index, one in enumerate(identities):
            if one in seen:
                found.append(_repeated(f"{path}[{index}]", value[index], keys))
            seen.add(one)

    return [check]


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


def _ref_checker(target: Callable[[], Struct]) -> Check:
    def check(value: Json, path: str, found: list[FieldError]) -> None:
        check_target = _struct_checker(target())
        if check_target:
            check_target(value, path, found)

    return check
