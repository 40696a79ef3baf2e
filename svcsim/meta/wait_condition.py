"""What is waited for, in the words that users know from `wait`: ``condition=Ready``, ``jsonpath={.spec.x}=3``, ``create``, ``delete``.

One reading of them for the command line, for a clock that goes on until something holds, and for scenarios.
"""

import re
from collections.abc import Callable
from typing import NamedTuple

from svcsim.meta.go_values import scalar
from svcsim.meta.jsonpath import results
from svcsim.meta.jsonpath_parser import JsonPathError, Template, parse, relaxed
from svcsim.meta.objects import metadata_of
from svcsim.meta.types import Json, Object

CREATE, DELETE = "create", "delete"
CONDITION, JSONPATH = "condition=", "jsonpath="
CHOICES = (CONDITION, JSONPATH, CREATE, DELETE)
FORMS = "condition=NAME[=VALUE], jsonpath={PATH}[=VALUE], create or delete"
_EXAMPLE = "{.status.readyReplicas}"
_PARTS = re.compile(r"==|=|[^=]+")


class ConditionError(ValueError):
    """A condition that can't be read, or doesn't fit the object it is asked of; the message says why, in kubectl's words."""


class WaitCondition(NamedTuple):
    """Something that is true of an object or not, and of one that isn't there (None)."""

    text: str
    """As it was given."""
    holds: Callable[[Object | None], bool]
    """Raises `ConditionError` for what can't be asked of that object."""
    standing: Callable[[Object | None], str]
    """How the object stands in that, in words."""

    @property
    def word(self) -> str:
        """``create`` or ``delete``, which are about whether the object is there; else empty."""
        word = self.text.lower()
        return word if word in (CREATE, DELETE) else ""


def read_condition(text: str) -> WaitCondition:
    """The condition that a text describes. Raises `ConditionError`."""
    word = text.lower()
    if word == DELETE:
        return WaitCondition(text, lambda obj: obj is None, _presence)
    if word == CREATE:
        return WaitCondition(text, lambda obj: obj is not None, _presence)
    if text.startswith(CONDITION):
        name, _, value = text.removeprefix(CONDITION).partition("=")
        return WaitCondition(text, lambda obj: _condition_holds(obj, name, value or "true"), lambda obj: _condition_standing(obj, name))
    if text.startswith(JSONPATH):
        return _of_jsonpath(text)
    raise ConditionError(f'unrecognized condition: "{text}"')


def _presence(obj: Object | None) -> str:
    return "isn't there" if obj is None else "is there"


def _condition(obj: Object | None, name: str) -> Object | None:
    """The first condition of that name, whatever its letters' case."""
    found = ((obj or {}).get("status") or {}).get("conditions") or []
    return next((one for one in found if str(one.get("type", "")).casefold() == name.casefold()), None)


def _is_outdated(condition: Object, obj: Object) -> bool:
    """Whether it was told of an older generation of the object."""
    seen = condition.get("observedGeneration", (obj.get("status") or {}).get("observedGeneration"))
    return seen is not None and seen < metadata_of(obj).get("generation", 0)


def _condition_holds(obj: Object | None, name: str, value: str) -> bool:
    condition = _condition(obj, name)
    if condition is None or _is_outdated(condition, obj or {}):
        return False
    return str(condition.get("status", "")).casefold() == value.casefold()


def _condition_standing(obj: Object | None, name: str) -> str:
    condition = _condition(obj, name)
    if obj is None or condition is None:
        return f"has no condition {name}" if obj else "isn't there"
    reason = f" ({condition['reason']})" if condition.get("reason") else ""
    outdated = ", of an older generation" if _is_outdated(condition, obj) else ""
    return f"condition {condition['type']} is {condition.get('status', '')}{reason}{outdated}"


def _split(text: str) -> list[str]:
    """A path and what follows it, cut at each single equals sign: two of them together compare, in a filter."""
    parts = [""]
    for part in _PARTS.findall(text):
        if part == "=":
            parts.append("")
        else:
            parts[-1] += part
    return parts


def _of_jsonpath(text: str) -> WaitCondition:
    expression, *values = _split(text.removeprefix(JSONPATH))
    if len(values) > 1:
        raise ConditionError(f"jsonpath wait format must be --for=jsonpath='{_EXAMPLE}'=3 or --for=jsonpath='{_EXAMPLE}'")
    try:
        wanted = relaxed(expression)
    except JsonPathError as error:
        raise ConditionError(str(error)) from error
    value = values[0].strip("'\"") if values else ""
    if values and not value:
        raise ConditionError(f"jsonpath wait has to have a value after equal sign, like --for=jsonpath='{_EXAMPLE}'=3")
    if not expression:
        raise ConditionError("jsonpath expression cannot be empty")
    try:
        template = parse(wanted)
    except JsonPathError as error:
        raise ConditionError(f"error parsing jsonpath {expression}, {error}") from error

    def holds(obj: Object | None) -> bool:
        found = _found(template, obj or {})
        if not found:
            return False
        if len(found) > 1:
            raise ConditionError("given jsonpath expression matches more than one value")
        if not values:
            return True
        if isinstance(found[0], dict | list):
            raise ConditionError("jsonpath leads to a nested object or list which is not supported")
        return scalar(found[0]).strip() == value.strip()

    def standing(obj: Object | None) -> str:
        found = _found(template, obj or {})
        return f"{expression} is {scalar(found[0])}" if found and not isinstance(found[0], dict | list) else f"has no {expression}"

    return WaitCondition(text, holds, standing)


def _found(template: Template, value: Json) -> list[Json]:
    try:
        return [item for group in results(template, value) for item in group]
    except JsonPathError as error:
        raise ConditionError(str(error)) from error
