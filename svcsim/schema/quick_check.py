"""Finding out whether anything is wrong with an object, before asking what.

Most objects are fine, and then neither paths nor the order of findings are needed: of a struct only the fields are looked at that are
there, and those that must be. What is asked is what `svcsim.schema.checks` says; `svcsim.schema.validate` looks again at what isn't fine,
and tells. Rules are asked without a path, and the first finding ends it.
"""

from collections.abc import Callable, Iterable
from typing import TypeAlias

from svcsim.meta.found_before import FoundTruth
from svcsim.meta.types import Json, Object
from svcsim.schema.checks import Condition, FieldChecks, conditions_of, field_checks, rules_of, struct_rules
from svcsim.schema.decode import flat_fields
from svcsim.schema.derived import derived
from svcsim.schema.types import List, Map, Ref, Rule, Struct, Type

IsFine: TypeAlias = Callable[[Json], bool]

_FEW = 3
"""Fields that are found sooner by looking for each than by going through all that is there."""


def _quick_checker(field_type: Type) -> IsFine | None:
    """The closure that says whether values of a type are as they should be; None if they always are."""
    conditions = [condition.holds for condition in conditions_of(field_type)]
    return _all_fine([*conditions, *_inside(field_type), *map(_obeyed, rules_of(field_type))])


def _inside(field_type: Type) -> list[IsFine]:
    """What says it of what a type's values consist of."""
    match field_type:
        case Struct():
            is_fine = quick_struct_checker(field_type)
            return [is_fine] if is_fine else []
        case Ref(target=target):
            return [_referred(target)]
        case List(item=item):
            is_fine = _quick_checker(item)
            return [_each_item(is_fine)] if is_fine else []
        case Map(value=value):
            is_fine = _quick_checker(value)
            return [_each_value(is_fine)] if is_fine else []
    return []


@derived
def quick_struct_checker(struct: Struct) -> IsFine | None:
    """The quick check of a whole object, or of a part with fields; None if nothing has to be checked."""
    fields = field_checks(struct)
    present = {**dict.fromkeys(field.name for field in flat_fields(struct)), **{field.name: _field_checker(field) for field in fields}}
    needed = tuple(field.name for field in fields if field.required)
    rules = struct_rules(struct)
    asked = {name: is_fine for name, is_fine in present.items() if is_fine is not None}
    if len(asked) <= _FEW:
        return _few_are_fine(tuple(asked.items()), needed, rules) if asked or needed or rules else None
    is_fine = _fields_are_fine(present, needed, rules)
    return FoundTruth(is_fine) if struct.alike else is_fine


def _few_are_fine(asked: tuple[tuple[str, IsFine], ...], needed: tuple[str, ...], rules: tuple[Rule, ...]) -> IsFine:
    """The quick check of a struct with so few checked fields that these are looked up one by one."""

    def is_fine(value: Object) -> bool:
        for name in needed:
            if name not in value:
                return False
        for name, is_field_fine in asked:
            if name in value and ((item := value[name]) is None or not is_field_fine(item)):
                return False
        for rule in rules:
            for _ in rule(value, ""):
                return False
        return True

    return is_fine


def _fields_are_fine(present: dict[str, IsFine | None], needed: tuple[str, ...], rules: tuple[Rule, ...]) -> IsFine:
    def is_fine(value: Object) -> bool:
        for name in needed:
            if name not in value:
                return False
        for name, item in value.items():
            try:
                is_field_fine = present[name]
            except KeyError:  # nobody declared it
                continue
            if is_field_fine is not None and (item is None or not is_field_fine(item)):
                return False
        for rule in rules:
            for _ in rule(value, ""):
                return False
        return True

    return is_fine


def _field_checker(field: FieldChecks) -> IsFine | None:
    """What says it of a field that is there. Where empty is nothing, it's a text or a list."""
    parts = [*[condition.holds for condition in field.conditions], *_inside(field.type), *map(_obeyed, field.rules)]
    if field.may_be_empty:
        return _all_fine(parts)
    if field.required:
        return _all_fine([bool, *parts])
    is_fine = _all_fine(parts)
    return is_fine and (lambda item: not item or is_fine(item))


def _all_fine(parts: list[IsFine]) -> IsFine | None:
    if len(parts) < 2:
        return parts[0] if parts else None
    if len(parts) == 2:
        first, second = parts
        return lambda value: first(value) and second(value)

    def are_fine(value: Json) -> bool:
        for is_fine in parts:  # noqa: SIM110 - a generator costs more than what it asks
            if not is_fine(value):
                return False
        return True

    return are_fine


def _each_item(is_item_fine: IsFine) -> IsFine:
    def are_fine(value: Iterable[Json]) -> bool:
        for item in value:  # noqa: SIM110
            if not is_item_fine(item):
                return False
        return True

    return are_fine


def _each_value(is_value_fine: IsFine) -> IsFine:
    are_fine = _each_item(is_value_fine)
    return lambda value: are_fine(value.values())


def _obeyed(rule: Rule) -> IsFine:
    """What says whether a rule finds anything: with a condition's own words nothing is looked for."""
    if isinstance(rule, Condition):
        return rule.holds

    def is_fine(value: Json) -> bool:
        for _ in rule(value, ""):
            return False
        return True

    return is_fine


def _referred(target: Callable[[], Struct]) -> IsFine:
    def is_fine(value: Json) -> bool:
        is_target_fine = quick_struct_checker(target())
        return is_target_fine is None or is_target_fine(value)

    return is_fine
