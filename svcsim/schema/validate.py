"""Finding everything that is wrong with an object, each finding with the path of its field.

Like defaults, checks are compiled: a type in which anything goes is compiled into nothing, and never walked. Paths are those of API
error messages: ``spec.containers[0].image``, and ``data[key]`` for the keys of a map. What is checked, `svcsim.schema.checks` says.
"""

from collections.abc import Callable
from typing import TypeAlias

from svcsim.meta.codec import same_json
from svcsim.meta.errors import FieldError, required
from svcsim.meta.types import Json, Object
from svcsim.schema.checks import EMPTY, Condition, FieldChecks, conditions_of, field_checks, rules_of, struct_rules
from svcsim.schema.decode import flat_fields
from svcsim.schema.derived import derived
from svcsim.schema.quick_check import quick_struct_checker
from svcsim.schema.types import List, Map, Ref, Rule, Struct, Type

Check: TypeAlias = Callable[[Json, str, list[FieldError]], None]
ChangeCheck: TypeAlias = Callable[[Object, Object], list[Check]]
"""Gives what has to tell what is wrong with a changed object: nothing, if that is fine."""


def checker(field_type: Type) -> Check | None:
    """The closure that collects what is wrong with values of a type; None if nothing can be."""
    return _all_of([*map(_tells, conditions_of(field_type)), *_inside(field_type), *map(_rule_check, rules_of(field_type))])


def _inside(field_type: Type) -> list[Check]:
    """What is checked of what a type's values consist of."""
    match field_type:
        case Struct():
            check = _struct_checker(field_type)
            return [check] if check else []
        case Ref(target=target):
            return [_ref_checker(target)]
        case List(item=item):
            check = checker(item)
            return [_list_check(check)] if check else []
        case Map(value=value):
            check = checker(value)
            return [_map_check(check)] if check else []
    return []


@derived
def _struct_checker(struct: Struct) -> Check | None:
    checks = tuple(entry for field in field_checks(struct) if (entry := _field_entry(field)))
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


@derived
def change_checker(struct: Struct) -> ChangeCheck:
    """What checks a whole object that was changed: of its fields only those that differ from before, for the others were checked then."""
    alone = {field.name: Struct(struct.name, field) for field in flat_fields(struct)}
    checks = [
        (name, is_fine, tell)
        for name, field in alone.items()
        if (is_fine := quick_struct_checker(field)) and (tell := _struct_checker(field))
    ]
    rules = [_rule_check(rule) for rule in struct_rules(struct)]

    def check(new: Object, old: Object) -> list[Check]:
        wrong = [tell for name, is_fine, tell in checks if not same_json(new.get(name), old.get(name)) and not is_fine(new)]
        return [*wrong, *rules]

    return check


def _field_entry(field: FieldChecks) -> tuple[str, bool, bool, str, Check | None, tuple[Rule, ...]] | None:
    """Name, whether it must be there, whether empty counts as that, what is said if not, what to check; None if there is nothing to do."""
    check = _all_of([*map(_tells, field.conditions), *_inside(field.type)])
    if check is None and not field.rules and not field.required:
        return None
    return field.name, field.required, field.may_be_empty, field.missing, check, field.rules


def _all_of(checks: list[Check]) -> Check | None:
    if len(checks) < 2:
        return checks[0] if checks else None

    def check(value: Json, path: str, found: list[FieldError]) -> None:
        for one in checks:
            one(value, path, found)

    return check


def _tells(condition: Condition) -> Check:
    holds, told = condition.holds, condition.told

    def check(value: Json, path: str, found: list[FieldError]) -> None:
        if not holds(value):
            found.extend(told(value, path))

    return check


def _rule_check(rule: Rule) -> Check:
    return lambda value, path, found: found.extend(rule(value, path))


def _list_check(check_item: Check) -> Check:
    def check(value: list[Json], path: str, found: list[FieldError]) -> None:
        for index, one in enumerate(value):
            check_item(one, f"{path}[{index}]", found)

    return check


def _map_check(check_item: Check) -> Check:
    def check(value: Object, path: str, found: list[FieldError]) -> None:
        for key, one in value.items():
            check_item(one, f"{path}[{key}]", found)

    return check


def _ref_checker(target: Callable[[], Struct]) -> Check:
    def check(value: Json, path: str, found: list[FieldError]) -> None:
        check_target = _struct_checker(target())
        if check_target:
            check_target(value, path, found)

    return check
