"""What is said alike of all that keeps pods: how many there are of how many, why none can be made, and which are on their way out."""

from collections.abc import Sequence

from svcsim.dialect import Dialect
from svcsim.meta.objects import condition, get_path, is_terminating, name_of, namespace_of
from svcsim.meta.pods import available_in, is_active, is_ready
from svcsim.meta.times import parse_time
from svcsim.meta.types import Object
from svcsim.printing.texts import selector_text
from svcsim.printing.why.verdict import Coming, Facts, Verdict, Wanted, controlled, counted, do, listed, sentence

_NAMED = 3
"""So many pods are named in a sentence; more are counted."""


def pods_wanted(workload: Object, _dialect: Dialect) -> list[Wanted]:
    """The pods that a workload's selector matches."""
    return [Wanted("pods", f"/api/v1/namespaces/{namespace_of(workload)}/pods", {"labelSelector": selector_of(workload)})]


def selector_of(workload: Object) -> str:
    """Its selector as it is asked for."""
    selector = (workload.get("spec") or {}).get("selector") or {}
    return selector_text(selector if "matchLabels" in selector or "matchExpressions" in selector else {"matchLabels": selector})


def leaving_of(workload: Object, facts: Facts) -> list[Object]:
    """The pods that it controls and that are on their way out."""
    return [pod for pod in controlled(facts.all("pods"), workload) if is_terminating(pod)]


def waited_for(workload: Object, facts: Facts) -> list[Object]:
    """The pods that it controls and that aren't ready, or are on their way out."""
    pods = controlled(facts.all("pods"), workload)
    return [pod for pod in pods if is_terminating(pod) or (is_active(pod) and not is_ready(pod))]


def why_none_made(workload: Object, facts: Facts) -> tuple[str, ...]:
    """Why pods can't be made."""
    found = condition(workload, "ReplicaFailure")
    message = str(found.get("message", "")) if found is not None and found.get("status") == "True" else ""
    message = message or ("" if found is not None else facts.event("FailedCreate", until=("SuccessfulCreate",)))
    return (sentence(f"Pods can't be made: {message}"),) if message else ()


def wanted_replicas(workload: Object) -> int:
    """How many pods it is to have."""
    return int(get_path(workload, "spec.replicas", 1))


def number_of(workload: Object, field: str) -> int:
    """A number of its status; 0 where it isn't there."""
    return int(get_path(workload, f"status.{field}", 0) or 0)


def so_many(number: int, wanted: int, noun: str, how: str) -> str:
    """``2 of 3 pods ready``; where there are more than are wanted, ``3 pods ready, and 1 wanted``."""
    return f"{number} of {counted(wanted, noun)} {how}" if number <= wanted else f"{counted(number, noun)} {how}, and {wanted} wanted"


def has_template(updated: int, wanted: int, *, by_hand: bool = False) -> str:
    """How far an update has got."""
    others = "; others get it when they are deleted (OnDelete)" if by_hand else " so far"
    return f"{counted(updated, 'pod')} of {wanted} {do(updated, 'has', 'have')} its present template{others}."


def too_many(present: int, wanted: int) -> tuple[str, ...]:
    """That there are more pods than are wanted."""
    more = present - wanted
    return (f"{counted(more, 'pod')} more than wanted {do(more, 'is', 'are')} still there.",) if more > 0 else ()


def being_deleted(pods: Sequence[Object]) -> str:
    """``web-0 is being deleted``, of one pod or several."""
    return f"{named([name_of(pod) for pod in pods])} {do(len(pods), 'is', 'are')} being deleted"


def named(names: Sequence[str]) -> str:
    """A few pods by their names, more by their number."""
    return listed(names) if len(names) <= _NAMED else counted(len(names), "pod")


def of_them_leaving(number: int) -> str:
    """That some of those that are ready won't be there for long."""
    return f" ({number} of them on {do(number, 'its', 'their')} way out)" if number else ""


def not_yet_available(one: Object, facts: Facts) -> tuple[tuple[str, ...], tuple[Coming, ...]]:
    """The pods that it controls and that are ready, but not for long enough to count as available: that it is so, and until when."""
    needs_s = get_path(one, "spec.minReadySeconds", 0)
    waits = {
        name_of(pod): wait_s
        for pod in controlled(facts.all("pods"), one)
        if is_active(pod) and (wait_s := available_in(pod, needs_s, facts.now)) is not None and wait_s > 0
    }
    if not waits:
        return (), ()
    count = do(len(waits), "counts", "count")
    because = f"{named(list(waits))} {do(len(waits), 'is', 'are')} ready, and {count} as available after {needs_s}s of that."
    return (because,), (Coming(f"{do(len(waits), 'it is', 'all of them are')} available", facts.now + max(waits.values())),)


def becoming_available(one: Object, facts: Facts, wanted: int, available: int) -> Verdict | None:
    """Pods count as available only when they have been ready for a while; None where so many as are wanted are."""
    needs_s = get_path(one, "spec.minReadySeconds", 0)
    if available >= wanted or not needs_s:
        return None
    pods = [pod for pod in controlled(facts.all("pods"), one) if not is_terminating(pod)]
    since = [
        parse_time(ready["lastTransitionTime"])
        for pod in pods
        if (ready := condition(pod, "Ready")) is not None and ready.get("status") == "True" and ready.get("lastTransitionTime")
    ]
    at = max(since) + needs_s if since else None
    because = f"Pods count as available once they have been ready for {needs_s}s: {available} of {wanted} have."
    return Verdict("has all its pods ready, and not yet available", because=(because,), then=(Coming("all of them are available", at),))
