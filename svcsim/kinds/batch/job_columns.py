"""What a table shows of a Job."""

from svcsim.meta.objects import get_path, is_terminating
from svcsim.meta.times import human_duration, parse_time
from svcsim.meta.types import Json, Object
from svcsim.registry.kind import Context

_ENDED = (("Complete", "Complete"), ("Failed", "Failed"))
_UNDER_WAY = (("Suspended", "Suspended"), ("FailureTarget", "FailureTarget"), ("SuccessCriteriaMet", "SuccessCriteriaMet"))


def status(job: Object, context: Context) -> Json:
    conditions = get_path(job, "status.conditions") or ()
    true = [condition.get("type") for condition in conditions if condition.get("status") == "True"]
    for kind, word in _ENDED:
        if kind in true:
            return word
    if is_terminating(job):
        return "Terminating"
    return next((word for kind, word in _UNDER_WAY if kind in true), "Running")


def completions(job: Object, context: Context) -> Json:
    """``1/3``; ``0/1 of 2`` of a job with two pods at a time of which one has to succeed."""
    succeeded, wanted = get_path(job, "status.succeeded") or 0, get_path(job, "spec.completions")
    if wanted is not None:
        return f"{succeeded}/{wanted}"
    parallelism = get_path(job, "spec.parallelism") or 0
    return f"{succeeded}/1 of {parallelism}" if parallelism > 1 else f"{succeeded}/1"


def duration(job: Object, context: Context) -> Json:
    start, end = get_path(job, "status.startTime"), get_path(job, "status.completionTime")
    if not start:
        return ""
    return human_duration((parse_time(end) if end else context.now) - parse_time(start))
