"""``wait``: until a condition is true, a field has a value, an object is there or is gone.

The time that is given is for all objects together, as in kubectl: whose turn comes when it is over is looked at once.
"""

import re
from collections.abc import Callable

from svcsim.cli.failure import CommandError, raise_all
from svcsim.cli.flags import Call, Command, Flag
from svcsim.cli.output import jsonpath
from svcsim.cli.shared.arguments import MISSING_RESOURCE
from svcsim.cli.shared.files import FILE_FLAGS
from svcsim.cli.shared.following import WEEK_S, states, timed_out
from svcsim.cli.shared.item import Item
from svcsim.cli.shared.reporting import PRINT_FLAGS, Reporter
from svcsim.cli.shared.select import ALL_FLAG, ALL_NAMESPACES_FLAG, FIELD_SELECTOR_FLAG, SELECTOR_FLAG, select
from svcsim.meta.errors import StatusError
from svcsim.meta.objects import metadata_of, uid_of
from svcsim.meta.types import Object
from svcsim.printing.values import plain
from svcsim.wall import stopwatch

_EXAMPLE = "{.status.readyReplicas}"
_PARTS = re.compile(r"==|=|[^=]+")
Check = Callable[[Object | None], bool]


def run(call: Call) -> None:
    """Wait for what is named, one object after the other."""
    options = call.options
    wanted = options.text("for")
    check = _check(wanted)
    seconds = options.seconds("timeout")
    timeout_s = WEEK_S if seconds < 0 else seconds
    deadline = stopwatch() + timeout_s
    if not call.args and not options.items("filename"):
        raise CommandError(MISSING_RESOURCE)
    report = Reporter(call, "none")
    word = wanted.lower()
    selection = select(call, fetch=word != "create")
    errors = [error for error in selection.errors if not (word == "delete" and isinstance(error, StatusError) and error.code == 404)]
    if not selection.items and not errors and word != "delete":
        raise CommandError("no matching resources found")
    met: list[Object] = []
    for item in selection.items:
        last: Object = item.obj
        own = _still_the_same(check, item) if word == "delete" else check
        for obj in states(call.session, item.resource, item.namespace, item.name, max(0.0, deadline - stopwatch())):
            if obj is None and word not in ("delete", "create"):
                errors.append(StatusError(404, "NotFound", f'{item.resource.full_name} "{item.name}" not found'))
                break
            last = obj or last
            if own(obj):
                met.append(last)
                if word != "create":
                    report.done(last, "condition met")
                break
        else:
            errors.append(_not_met(item, word, timeout_s))
            if word == "create":  # until all are there none is told of
                break
    if word == "create" and not errors:
        for obj in met:
            report.done(obj, "condition met")
    raise_all(errors)


def _not_met(item: Item, word: str, timeout_s: float) -> CommandError:
    if word == "create":
        return CommandError("timed out waiting for the condition")
    if not timeout_s:
        return CommandError(f"condition not met for {item.resource.plural}/{item.name}")
    return timed_out(item.resource, item.name)


def _still_the_same(check: Check, item: Item) -> Check:
    """An object of the same name that came after it is not the one whose end is waited for."""
    uid = uid_of(item.obj)
    return lambda obj: check(obj) or uid_of(obj or {}) != uid


def _check(wanted: str) -> Check:
    word = wanted.lower()
    if word == "delete":
        return lambda obj: obj is None
    if word == "create":
        return lambda obj: obj is not None
    if wanted.startswith("condition="):
        name, _, value = wanted.removeprefix("condition=").partition("=")
        return lambda obj: _condition_holds(obj, name, value or "true")
    if wanted.startswith("jsonpath="):
        return _jsonpath_check(wanted.removeprefix("jsonpath="))
    raise CommandError(f'unrecognized condition: "{wanted}"')


def _condition_holds(obj: Object | None, name: str, value: str) -> bool:
    obj = obj or {}
    for condition in (obj.get("status") or {}).get("conditions") or []:
        if str(condition.get("type", "")).casefold() != name.casefold():
            continue
        seen = condition.get("observedGeneration", (obj.get("status") or {}).get("observedGeneration"))
        if seen is not None and seen < metadata_of(obj).get("generation", 0):
            return False
        return str(condition.get("status", "")).casefold() == value.casefold()
    return False


def _split(text: str) -> list[str]:
    """A path and what follows it, cut at each single equals sign: two of them together compare, in a filter."""
    parts = [""]
    for part in _PARTS.findall(text):
        if part == "=":
            parts.append("")
        else:
            parts[-1] += part
    return parts


def _jsonpath_check(text: str) -> Check:
    expression, *values = _split(text)
    if len(values) > 1:
        raise CommandError(f"jsonpath wait format must be --for=jsonpath='{_EXAMPLE}'=3 or --for=jsonpath='{_EXAMPLE}'")
    try:
        wanted = jsonpath.relaxed(expression)
    except jsonpath.JsonPathError as error:
        raise CommandError(str(error)) from error
    value = values[0].strip("'\"") if values else ""
    if values and not value:
        raise CommandError(f"jsonpath wait has to have a value after equal sign, like --for=jsonpath='{_EXAMPLE}'=3")
    if not expression:
        raise CommandError("jsonpath expression cannot be empty")
    try:
        template = jsonpath.parse(wanted)
    except jsonpath.JsonPathError as error:
        raise CommandError(f"error parsing jsonpath {expression}, {error}") from error

    def check(obj: Object | None) -> bool:
        found = jsonpath.values(template, obj or {})
        if not found:
            return False
        if len(found) > 1:
            raise CommandError("given jsonpath expression matches more than one value")
        if not values:
            return True
        if isinstance(found[0], dict | list):
            raise CommandError("jsonpath leads to a nested object or list which is not supported")
        return plain(found[0]).strip() == value.strip()

    return check


WAIT = Command(
    "wait",
    "wait ([-f FILENAME] | TYPE/NAME | TYPE [(-l label | --all)]) --for=CONDITION [flags]",
    "Wait for a condition of objects, for the value of a field, or until they exist or are gone.",
    (
        *FILE_FLAGS,
        ALL_FLAG,
        ALL_NAMESPACES_FLAG,
        SELECTOR_FLAG,
        FIELD_SELECTOR_FLAG,
        Flag("for", doc="What to wait for: condition=NAME[=VALUE], jsonpath={PATH}[=VALUE], create or delete.",
             choices=("condition=", "jsonpath=", "create", "delete")),
        Flag("timeout", "duration", 30.0, "How long to wait for all of it; 0 means check once, negative means wait for a week."),
        *PRINT_FLAGS,
    ),
    run,
    completes="resource",
)  # fmt: skip
