"""What is said of Jobs in more than one place: whether, how and when they have ended."""

from svcsim.meta.objects import condition, condition_is
from svcsim.meta.times import parse_time
from svcsim.meta.types import Object

_ENDINGS = ("Complete", "Failed")
"""Types of conditions of which either holds once a job has ended."""


def ending_of(job: Object) -> str:
    """``Complete`` or ``Failed``; empty while it has not ended."""
    return next((kind for kind in _ENDINGS if condition_is(job, kind)), "")


def ended_at(job: Object) -> float | None:
    """When it ended, in seconds since the epoch; None while it has not, or where its status doesn't say."""
    ending = condition(job, ending_of(job))
    since = ending.get("lastTransitionTime") if ending is not None else None
    return parse_time(since) if since else None
