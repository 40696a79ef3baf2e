"""Explanations as people read them, and as programs do."""

from collections.abc import Iterator

from svcsim import limits
from svcsim.meta.events import last_seen
from svcsim.meta.objects import gvk_of, name_of, namespace_of, uid_of
from svcsim.meta.times import format_time, human_duration
from svcsim.meta.types import Object
from svcsim.printing.harmless import harmless
from svcsim.printing.texts import interval
from svcsim.printing.why.explanation import Explained
from svcsim.printing.why.verdict import Coming, Verdict, counted, sentence


def lines(one: Explained, now: float, *, with_namespace: bool = False, level: int = 0) -> Iterator[str]:
    """An explanation, a sentence a line; what is below it is indented."""
    indent, verdict = "  " * level, one.verdict
    where = f" in namespace {namespace_of(one.obj)}" if with_namespace and namespace_of(one.obj) else ""
    alike = f" (and {counted(one.alike, 'other')} like it)" if one.alike else ""
    yield f"{indent}{harmless(f'{reference(one.obj)}{where}{alike} {verdict.state}')}."
    for text in (*verdict.because, *(f"Not all could be looked at: {text}" for text in one.unread)):
        yield f"{indent}  {harmless(text)}"
    for below in one.below:
        yield from lines(below, now, with_namespace=_is_elsewhere(below.obj, one.obj), level=level + 1)
    if one.more:
        yield f"{indent}  And {one.more} more."
    for coming in verdict.then:
        yield f"{indent}  {harmless(_coming(coming, now))}."
    if not verdict.fine and (not one.below or not uid_of(one.obj)):
        for event in _worth_telling(one):
            told = f"{event.get('type', '')} {event.get('reason', '')}: {' '.join(str(event.get('message') or '').split())}"
            age, _, often = interval(event, now).partition(" ")
            yield f"{indent}  {age} ago{' ' * bool(often)}{often}  {harmless(told)}"


def _is_elsewhere(obj: Object, above: Object) -> bool:
    """Whether it is in another namespace than one would think."""
    return above.get("kind") != "Namespace" and namespace_of(obj) != namespace_of(above)


def _worth_telling(one: Explained) -> list[Object]:
    """The last few warnings, but for what has been said; where there are none, the last few events."""
    events = [event for event in one.events if not _is_told(sentence(str(event.get("message") or "")), one.verdict)]
    warnings = [event for event in events if event.get("type") == "Warning"]
    return (warnings or events)[-limits.WHY_EVENTS :]


def _is_told(message: str, verdict: Verdict) -> bool:
    return bool(message) and any(message in text for text in verdict.because)


def _coming(coming: Coming, now: float) -> str:
    if coming.at is None:
        return f"Next: {coming.text}"
    left_s = coming.at - now
    if left_s < -limits.WHY_OVERDUE_S:
        return f"Overdue for {human_duration(-left_s)}: {coming.text} ({format_time(coming.at)})"
    when = f"in {human_duration(left_s)}" if left_s > 0 else "now"
    return f"Next: {coming.text} {when} ({format_time(coming.at)})"


def reference(obj: Object) -> str:
    """``deployment.apps/web``."""
    gvk = gvk_of(obj)
    return f"{gvk.kind.lower()}{'.' if gvk.group else ''}{gvk.group}/{name_of(obj)}"


def as_json(one: Explained) -> Object:
    """An explanation for programs."""
    obj, verdict = one.obj, one.verdict
    named = {"apiVersion": obj.get("apiVersion", ""), "kind": obj.get("kind", ""), "namespace": namespace_of(obj), "name": name_of(obj)}
    return {
        "object": named,
        "fine": verdict.fine,
        "state": verdict.state,
        "because": list(verdict.because),
        "next": [{"what": coming.text, **({} if coming.at is None else {"at": format_time(coming.at)})} for coming in verdict.then],
        "below": [as_json(below) for below in one.below],
        "alike": one.alike,
        "more": one.more,
        "unread": list(one.unread),
        "events": [_event(event) for event in one.events],
    }


def _event(event: Object) -> Object:
    told = {field: event.get(field, "") for field in ("type", "reason", "message")}
    return {**told, "count": event.get("count") or 1, "lastSeen": last_seen(event)}
