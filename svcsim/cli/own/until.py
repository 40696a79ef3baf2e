"""``clock until``: time goes on, as fast as the work allows, until something holds; then it stands, at the very moment.

What holds is said as to `wait`. The server looks between the moments of a step; here is only said what is meant, and told what came of it.
"""

from collections.abc import Callable

from svcsim import limits
from svcsim.cli.failure import CommandError, raise_all
from svcsim.cli.flags import Options
from svcsim.cli.own import stepping
from svcsim.cli.shared.arguments import UNNAMED
from svcsim.cli.shared.command import Call
from svcsim.cli.shared.select import ALL_FLAG, SELECTOR_FLAG, select
from svcsim.cli.shared.session import Session
from svcsim.meta.times import format_duration, parse_given_time, parse_span
from svcsim.meta.types import Object
from svcsim.meta.wait_condition import ConditionError, WaitCondition, read_condition

_NOTHING_SAID = (
    "say until when: a time such as 2026-01-01T12:00:00Z, or a condition of objects such as --for=condition=Available deployment/web"
)


def until(session: Session, words: list[str], wanted: str, options: Options, timeout: str) -> Object:
    """Move the clock on to a time, or until what is ``wanted`` holds for the objects that are named; its state afterwards.

    Raises `CommandError` where that wasn't within the ``timeout``.
    """
    if not wanted:
        if timeout:
            raise CommandError("--timeout is for a condition (--for): a time says by itself how far the clock is moved on")
        return stepping.move(session, {"until": {"time": _moment(words)}}, lambda state: f"on the way to {state['steppingTo'][:19]}Z")
    if words and _is(parse_given_time, words[0]):
        raise CommandError(f"either a time or a condition (--for) says how far the clock is moved on, not both: {words[0]} and {wanted}")
    within_s = _within_s(timeout)
    try:
        condition = read_condition(wanted)
    except ConditionError as error:
        raise CommandError(str(error)) from error
    objects = _named(Call(words, options, session), condition)
    wish = {"until": {"for": wanted, "objects": objects}, "within": within_s}
    state = stepping.move(session, wish, _way)
    if not state["met"]:
        left = "".join(f"\n  {one}" for one in state["left"])
        raise CommandError(f"not within {format_duration(within_s)} of the cluster's time; the clock stands at {state['now']}:{left}")
    return state


def selecting(selector: str, *, every: bool) -> Options:
    """Which of the objects of a type are meant, where none is named."""
    options = Options((SELECTOR_FLAG, ALL_FLAG))
    if selector:
        options.set("selector", selector)
    if every:
        options.set("all", value=True)
    return options


def _is(read: Callable[[str], object], word: str) -> bool:
    """Whether a word can be read as a time, or as a span of it."""
    try:
        read(word)
    except ValueError:
        return False
    return True


def _moment(words: list[str]) -> str:
    if len(words) != 1:
        raise CommandError(_NOTHING_SAID)
    if not _is(parse_given_time, words[0]):
        is_span = _is(parse_span, words[0])
        hint = f"to go on for so long: svcsim clock advance {words[0]}" if is_span else "for a condition of objects there is --for"
        raise CommandError(f'"{words[0]}" is no time such as 2026-01-01T12:00:00Z; {hint}')
    return words[0]


def _within_s(timeout: str) -> float:
    if not timeout:
        return limits.AWAITED_S
    try:
        seconds = parse_span(timeout)
    except ValueError:
        seconds = -1.0
    if seconds < 0:
        raise CommandError(f'a timeout is a duration such as 30s, 1h or 30d, not "{timeout}"')
    return seconds


def _named(call: Call, condition: WaitCondition) -> list[Object]:
    """The objects that are meant. One that isn't there is refused, unless that is what is waited for."""
    if not call.args and not call.options.given:
        raise CommandError(UNNAMED)
    selection = select(call, fetch=not condition.word)
    raise_all(selection.errors)
    if not selection.items:
        raise CommandError("no matching resources found")
    return [
        {"apiVersion": item.resource.api_version, "resource": item.resource.plural, "namespace": item.namespace, "name": item.name}
        for item in selection.items
    ]


def _way(state: Object) -> str:
    return state["left"][0] if state["left"] else "on the way"
