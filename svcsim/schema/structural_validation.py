"""What is wrong with a custom resource by the keywords of its schema, in the words of those who check JSON schemas.

A schema is compiled once into closures, as far as objects have what it declares. They see the value that was there before, too: what hasn't
changed isn't looked at again, so that an object outlives a schema that has become stricter. Rules in CEL are a walk of their own
(`svcsim.schema.cel.rules`), for they are asked only of what is right otherwise.
"""

from collections.abc import Callable
from contextlib import suppress
from typing import Final, TypeAlias

from svcsim.meta.codec import same_json
from svcsim.meta.errors import FieldError, duplicate, invalid_value, required, too_long, too_many, unsupported
from svcsim.meta.findings import EnoughFoundError, Findings, told
from svcsim.meta.first_use import MadeByName
from svcsim.meta.quoting import quoted
from svcsim.meta.types import Json, Object
from svcsim.schema.checks import identity
from svcsim.schema.embedded import embedded_findings
from svcsim.schema.formats import FORMATS
from svcsim.schema.structural import of_type, type_of

NOTHING: Final = object()
"""Stands for a value that wasn't there before, or has nothing it could be told to have been."""
Check: TypeAlias = Callable[[Json, object, str, list[FieldError]], None]
"""Collects what is wrong with a value, given what it was before and its path."""


def value_checker(document: Object, prefix: str) -> Check:
    """The closure that collects what is wrong with values of a schema."""
    checks = [
        *_type_check(document, prefix),
        *_value_checks(document),
        *_object_checks(document, prefix),
        *_list_checks(document, prefix),
        *_junctor_checks(document, prefix),
    ]
    nullable = bool(document.get("nullable"))

    def check(value: Json, old: object, path: str, found: list[FieldError]) -> None:
        if old is not NOTHING and same_json(value, old):
            return
        if value is None and nullable:
            return
        before = len(found)
        for one in checks:
            one(value, old, path, found)
            if len(found) > before and found[-1].type == _WRONG_TYPE:
                return

    return check


_WRONG_TYPE = "FieldValueTypeInvalid"


def _type_check(document: Object, prefix: str) -> list[Check]:
    wanted = ("integer", "string") if document.get(f"{prefix}int-or-string") else (document.get("type") or "",)
    if wanted == ("",):
        return []
    told = ",".join(wanted)

    def check(value: Json, _old: object, path: str, found: list[FieldError]) -> None:
        if not any(of_type(value, one) for one in wanted):
            is_now = type_of(value)
            found.append(FieldError(_WRONG_TYPE, path, f'Invalid value: "{is_now}": {path} in body must be of type {told}: "{is_now}"'))

    return [check]


def _wrong(path: str, value: Json, text: str) -> FieldError:
    return invalid_value(path, value, f"{path} in body {text}")


def _value_checks(document: Object) -> list[Check]:
    """What numbers, texts and enumerations are checked for."""
    demands: list[Check] = []
    if "enum" in document:
        demands.append(_enum_check(document["enum"] or []))
    demands += _number_checks(document)
    demands += _text_checks(document)
    return demands


def _enum_check(options: list[Json]) -> Check:
    told = [one if isinstance(one, str) else _spelled(one) for one in options]

    def check(value: Json, _old: object, path: str, found: list[FieldError]) -> None:
        if not any(same_json(value, one) for one in options):
            found.append(unsupported(path, value, told))

    return check


def _spelled(value: Json) -> str:
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    if isinstance(value, bool):
        return str(value).lower()
    return "null" if value is None else str(value)


def _number_checks(document: Object) -> list[Check]:
    maximum, minimum, multiple = document.get("maximum"), document.get("minimum"), document.get("multipleOf")
    below, above = bool(document.get("exclusiveMaximum")), bool(document.get("exclusiveMinimum"))
    if maximum is None and minimum is None and not multiple:
        return []

    def check(value: Json, _old: object, path: str, found: list[FieldError]) -> None:
        if isinstance(value, bool) or not isinstance(value, int | float):
            return
        if maximum is not None and (value > maximum or (below and value == maximum)):
            found.append(_wrong(path, value, f"should be less than {'' if below else 'or equal to '}{_spelled(maximum)}"))
        if minimum is not None and (value < minimum or (above and value == minimum)):
            found.append(_wrong(path, value, f"should be greater than {'' if above else 'or equal to '}{_spelled(minimum)}"))
        if multiple and abs(value / multiple - round(value / multiple)) > _ROUNDING:
            found.append(_wrong(path, value, f"should be a multiple of {_spelled(multiple)}"))

    return [check]


_ROUNDING = 1e-9


def _matcher(pattern: str) -> Callable[[str], bool]:
    from svcsim.schema.patterns import matcher  # noqa: PLC0415 - loads RE2, which most clusters never need

    return matcher(pattern)


def _text_checks(document: Object) -> list[Check]:
    longest, shortest, pattern = document.get("maxLength"), document.get("minLength"), document.get("pattern")
    form = document.get("format") or ""
    well_formed = FORMATS.get(form.replace("-", ""))
    matches = _matcher(pattern) if pattern else None
    if longest is None and shortest is None and matches is None and well_formed is None:
        return []

    def check(value: Json, _old: object, path: str, found: list[FieldError]) -> None:
        if not isinstance(value, str):
            return
        if longest is not None and len(value) > longest:
            found.append(too_long(path, longest))
        if shortest is not None and len(value) < shortest:
            found.append(_wrong(path, value, f"should be at least {shortest} chars long"))
        if matches is not None and not matches(value):
            found.append(_wrong(path, value, f"should match '{pattern}'"))
        if well_formed is not None and not well_formed(value):
            found.append(_wrong(path, value, f"must be of type {form}: {quoted(value)}")._replace(type=_WRONG_TYPE))

    return [check]


def _object_checks(document: Object, prefix: str) -> list[Check]:
    needed = document.get("required") or []
    most, fewest = document.get("maxProperties"), document.get("minProperties")
    declared: Object = document.get("properties") or {}
    properties = MadeByName(lambda name: value_checker(declared[name], prefix))
    other = document.get("additionalProperties")
    check_other = value_checker(other, prefix) if isinstance(other, dict) else None
    embedded = bool(document.get(f"{prefix}embedded-resource"))

    def check(value: Json, old: object, path: str, found: list[FieldError]) -> None:
        if not isinstance(value, dict):
            return
        before = old if isinstance(old, dict) else {}
        way = f"{path}." if path else ""
        found.extend(required(way + name) for name in needed if name not in value)
        if most is not None and len(value) > most:
            found.append(too_many(path, len(value), most))
        if fewest is not None and len(value) < fewest:
            found.append(_wrong(path, len(value), f"should have at least {fewest} properties"))
        for name, item in value.items():
            check_item = properties[name] if name in declared else check_other
            if check_item is None:
                continue
            check_item(item, before.get(name, NOTHING), way + name, found)
        if embedded:
            found.extend(embedded_findings(value, way))

    return [check]


def _list_checks(document: Object, prefix: str) -> list[Check]:
    items = document.get("items")
    most, fewest = document.get("maxItems"), document.get("minItems")
    check_item = value_checker(items, prefix) if isinstance(items, dict) else None
    list_type = document.get(f"{prefix}list-type")
    keys = tuple(document.get(f"{prefix}list-map-keys") or ()) if list_type == "map" else ()

    def check(value: Json, old: object, path: str, found: list[FieldError]) -> None:
        if not isinstance(value, list):
            return
        if most is not None and len(value) > most:
            found.append(too_many(path, len(value), most))
        if fewest is not None and len(value) < fewest:
            found.append(_wrong(path, len(value), f"should have at least {fewest} items"))
        if check_item is not None:
            before = _items_before(old, value, keys)
            for index, item in enumerate(value):
                check_item(item, before[index], f"{path}[{index}]", found)

    if list_type in {"set", "map"}:
        return [check, _told_apart(keys)]
    return [check, _all_different] if document.get("uniqueItems") else [check]


def _told_apart(keys: tuple[str, ...]) -> Check:
    """No two items are the same, or have the same keys."""
    identity_of = identity(keys)

    def check(value: Json, _old: object, path: str, found: list[FieldError]) -> None:
        if not isinstance(value, list) or (keys and not all(isinstance(item, dict) for item in value)):
            return
        seen: dict[Json, None] = {}
        for index, item in enumerate(value):
            this = identity_of(item)
            if this in seen:
                found.append(duplicate(f"{path}[{index}]", {key: item.get(key) for key in keys} if keys else item))
            seen[this] = None

    return check


def _all_different(value: Json, _old: object, path: str, found: list[FieldError]) -> None:
    if isinstance(value, list) and len({identity(())(item) for item in value}) < len(value):
        found.append(_wrong(path, "", "shouldn't contain duplicates"))


def _items_before(old: object, value: list[Json], keys: tuple[str, ...]) -> list[object]:
    """What each item was before: the one with the same keys, where a list has such; else nobody can tell."""
    if not isinstance(old, list):
        return [NOTHING] * len(value)
    if not keys:
        return (
            [next((one for one in old if same_json(one, item)), NOTHING) for item in value]
            if len(old) < _SEARCHED
            else [NOTHING] * len(value)
        )
    known = {tuple(str(item.get(key)) for key in keys): item for item in old if isinstance(item, dict)}
    return [known.get(tuple(str(item.get(key)) for key in keys), NOTHING) if isinstance(item, dict) else NOTHING for item in value]


_SEARCHED = 100
"""The longest list without keys in which an item's former value is searched for; it isn't worth more."""


def _junctor_checks(document: Object, prefix: str) -> list[Check]:
    found: list[Check] = []
    if document.get("allOf"):
        found.append(_all_of([value_checker(one, prefix) for one in document["allOf"]]))
    if document.get("anyOf") and not document.get(f"{prefix}int-or-string"):
        found.append(_any_of([value_checker(one, prefix) for one in document["anyOf"]]))
    if document.get("oneOf"):
        found.append(_one_of([value_checker(one, prefix) for one in document["oneOf"]]))
    if isinstance(document.get("not"), dict):
        found.append(_none_of(value_checker(document["not"], prefix)))
    return found


def _composite(path: str, text: str) -> FieldError:
    """What is told of several schemas together is told of no field."""
    return invalid_value("<nil>", "", f"{quoted(path)} {text}")


def _tried(check: Check, value: Json, path: str) -> Findings:
    """What one of several schemas finds, on its own."""
    return told(lambda found: check(value, NOTHING, path, found))


def _tries(checks: list[Check], value: Json, path: str) -> tuple[int, Findings]:
    """The number of schemas that a value matches, and the findings of the nearest one that it doesn't."""
    valid, nearest = 0, None
    for one in checks:
        failure = _tried(one, value, path)
        if not failure:
            valid += 1
        elif nearest is None or len(failure) < len(nearest):
            nearest = failure
    return valid, nearest or Findings()


def _all_of(checks: list[Check]) -> Check:
    def check(value: Json, _old: object, path: str, found: list[FieldError]) -> None:
        failed, failures = 0, Findings()
        for one in checks:
            failure = _tried(one, value, path)
            failed += bool(failure)
            with suppress(EnoughFoundError):
                failures.extend(failure)
        if failed:
            none = ". None validated" if failed == len(checks) else ""
            found.append(_composite(path, f"must validate all the schemas (allOf){none}"))
            found.extend(failures)

    return check


def _any_of(checks: list[Check]) -> Check:
    def check(value: Json, _old: object, path: str, found: list[FieldError]) -> None:
        valid, nearest = _tries(checks, value, path)
        if not valid:
            found.append(_composite(path, "must validate at least one schema (anyOf)"))
            found.extend(nearest)

    return check


def _one_of(checks: list[Check]) -> Check:
    def check(value: Json, _old: object, path: str, found: list[FieldError]) -> None:
        valid, nearest = _tries(checks, value, path)
        if valid == 1:
            return
        how = "Found none valid" if not valid else f"Found {valid} valid alternatives"
        found.append(_composite(path, f"must validate one and only one schema (oneOf). {how}"))
        if not valid:
            found.extend(nearest)

    return check


def _none_of(unwanted: Check) -> Check:
    def check(value: Json, _old: object, path: str, found: list[FieldError]) -> None:
        if not _tried(unwanted, value, path):
            found.append(_composite(path, "must not validate the schema (not)"))

    return check
