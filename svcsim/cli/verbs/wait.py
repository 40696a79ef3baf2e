"""``wait``: until a condition is true, a field has a value, an object is there or is gone.

The time that is given is for all objects together, as in kubectl: whose turn comes when it is over is looked at once.
"""

from collections.abc import Callable

from svcsim.cli.failure import CommandError, raise_all
from svcsim.cli.flags import Flag
from svcsim.cli.shared.arguments import MISSING_RESOURCE
from svcsim.cli.shared.command import Call, Command
from svcsim.cli.shared.files import FILE_FLAGS
from svcsim.cli.shared.following import WEEK_S, states, timed_out
from svcsim.cli.shared.item import Item
from svcsim.cli.shared.reporting import PRINT_FLAGS, Reporter
from svcsim.cli.shared.select import ALL_FLAG, ALL_NAMESPACES_FLAG, FIELD_SELECTOR_FLAG, SELECTOR_FLAG, select
from svcsim.meta.errors import StatusError
from svcsim.meta.objects import uid_of
from svcsim.meta.types import Object
from svcsim.meta.wait_condition import CHOICES, CREATE, DELETE, FORMS, ConditionError, WaitCondition, read_condition
from svcsim.wall import stopwatch

Check = Callable[[Object | None], bool]


def run(call: Call) -> None:
    """Wait for what is named, one object after the other."""
    options = call.options
    condition = _read(options.text("for"))
    seconds = options.seconds("timeout")
    timeout_s = WEEK_S if seconds < 0 else seconds
    deadline = stopwatch() + timeout_s
    if not call.args and not options.items("filename"):
        raise CommandError(MISSING_RESOURCE)
    report = Reporter(call, "none")
    word = condition.word
    selection = select(call, fetch=word != CREATE)
    errors = [error for error in selection.errors if not (word == DELETE and isinstance(error, StatusError) and error.code == 404)]
    if not selection.items and not errors and word != DELETE:
        raise CommandError("no matching resources found")
    met: list[Object] = []
    for item in selection.items:
        last: Object = item.obj
        check = _still_the_same(condition.holds, item) if word == DELETE else condition.holds
        for obj in states(call.session, item.resource, item.namespace, item.name, max(0.0, deadline - stopwatch())):
            if obj is None and word not in (DELETE, CREATE):
                errors.append(StatusError(404, "NotFound", f'{item.resource.full_name} "{item.name}" not found'))
                break
            last = obj or last
            if _holds(check, obj):
                met.append(last)
                if word != CREATE:
                    report.done(last, "condition met")
                break
        else:
            errors.append(_not_met(item, word, timeout_s))
            if word == CREATE:  # until all are there none is told of
                break
    if word == CREATE and not errors:
        for obj in met:
            report.done(obj, "condition met")
    raise_all(errors)


def _not_met(item: Item, word: str, timeout_s: float) -> CommandError:
    if word == CREATE:
        return CommandError("timed out waiting for the condition")
    if not timeout_s:
        return CommandError(f"condition not met for {item.resource.plural}/{item.name}")
    return timed_out(item.resource, item.name)


def _holds(check: Check, obj: Object | None) -> bool:
    try:
        return check(obj)
    except ConditionError as error:
        raise CommandError(str(error)) from error


def _still_the_same(check: Check, item: Item) -> Check:
    """An object of the same name that came after it is not the one whose end is waited for."""
    uid = uid_of(item.obj)
    return lambda obj: check(obj) or uid_of(obj or {}) != uid


def _read(text: str) -> WaitCondition:
    """What is waited for. Raises `CommandError`."""
    try:
        return read_condition(text)
    except ConditionError as error:
        raise CommandError(str(error)) from error


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
        Flag("for", doc=f"What to wait for: {FORMS}.", choices=CHOICES),
        Flag("timeout", "duration", 30.0, "How long to wait for all of it; 0 means check once, negative means wait for a week."),
        *PRINT_FLAGS,
    ),
    run,
    completes="resource",
)  # fmt: skip
