"""Jobs and CronJobs."""

from svcsim.meta.objects import metadata_of, name_of, namespace_of
from svcsim.meta.times import human_duration, parse_time
from svcsim.meta.types import Json, Object
from svcsim.printing.describe.events import events_section
from svcsim.printing.describe.pods import describe_template
from svcsim.printing.describe.writer import DescribeContext, Writer, annotations, controlled_by, labels
from svcsim.printing.texts import NONE, rfc1123, selector_text

_UNSET = "<unset>"
_INDEXES_CHARS = 50
"""So much of a long list of indexes is shown, up to the next comma."""


def describe_job(job: Object, context: DescribeContext) -> None:
    """One Job, with the state of its pods."""
    writer, spec, metadata = context.writer, job.get("spec") or {}, metadata_of(job)
    writer.field("Name", name_of(job))
    writer.field("Namespace", namespace_of(job))
    writer.field("Selector", selector_text(spec.get("selector")))
    labels(writer, "Labels", metadata.get("labels"))
    annotations(writer, "Annotations", metadata.get("annotations"))
    if controlled_by(job):
        writer.field("Controlled By", controlled_by(job))
    _optional(writer, spec, ("Parallelism", "parallelism"))
    writer.field("Completions", _or_unset(spec.get("completions")))
    _optional(writer, spec, ("Completion Mode", "completionMode"))
    if spec.get("suspend") is not None:
        writer.field("Suspend", "true" if spec["suspend"] else "false")
    _optional(writer, spec, ("Backoff Limit", "backoffLimit"), ("TTL Seconds After Finished", "ttlSecondsAfterFinished"))
    _progress(writer, spec, job.get("status") or {})
    describe_template(spec.get("template") or {}, writer)
    events_section(job, context)


def _progress(writer: Writer, spec: Object, status: Object) -> None:
    start, end = status.get("startTime"), status.get("completionTime")
    if start:
        writer.field("Start Time", rfc1123(start))
    if end:
        writer.field("Completed At", rfc1123(end))
    if start and end:
        writer.field("Duration", human_duration(parse_time(end) - parse_time(start)))
    _deadline(writer, spec)
    active, succeeded, failed = (status.get(name, 0) for name in ("active", "succeeded", "failed"))
    ready = f" ({status['ready']} Ready)" if status.get("ready") is not None else ""
    writer.field("Pods Statuses", f"{active} Active{ready} / {succeeded} Succeeded / {failed} Failed")
    if spec.get("completionMode") == "Indexed":
        writer.field("Completed Indexes", _some(status.get("completedIndexes") or ""))


def _some(indexes: str) -> str:
    """The first of many indexes."""
    if not indexes:
        return NONE
    comma = indexes.find(",", _INDEXES_CHARS)
    return indexes if comma < 0 else f"{indexes[: comma + 1]}..."


def describe_cron_job(cron_job: Object, context: DescribeContext) -> None:
    """One CronJob, with the jobs that run."""
    writer, spec, metadata = context.writer, cron_job.get("spec") or {}, metadata_of(cron_job)
    status = cron_job.get("status") or {}
    writer.field("Name", name_of(cron_job))
    writer.field("Namespace", namespace_of(cron_job))
    labels(writer, "Labels", metadata.get("labels"))
    annotations(writer, "Annotations", metadata.get("annotations"))
    writer.field("Schedule", spec.get("schedule", ""))
    writer.field("Concurrency Policy", spec.get("concurrencyPolicy", ""))
    writer.field("Suspend", {None: _UNSET, True: "True", False: "False"}[spec.get("suspend")])
    writer.field("Successful Job History Limit", _or_unset(spec.get("successfulJobsHistoryLimit")))
    writer.field("Failed Job History Limit", _or_unset(spec.get("failedJobsHistoryLimit")))
    late = spec.get("startingDeadlineSeconds")
    writer.field("Starting Deadline Seconds", _UNSET if late is None else f"{late}s")
    _job_template(writer, (spec.get("jobTemplate") or {}).get("spec") or {})
    last = status.get("lastScheduleTime")
    writer.field("Last Schedule Time", rfc1123(last) if last else _UNSET)
    writer.field("Active Jobs", ", ".join(job.get("name", "") for job in status.get("active") or []) or NONE)
    events_section(cron_job, context)


def _job_template(writer: Writer, spec: Object) -> None:
    writer.field("Selector", _UNSET if spec.get("selector") is None else selector_text(spec["selector"]))
    writer.field("Parallelism", _or_unset(spec.get("parallelism")))
    writer.field("Completions", _or_unset(spec.get("completions")))
    _deadline(writer, spec)
    describe_template(spec.get("template") or {}, writer)


def _deadline(writer: Writer, spec: Object) -> None:
    if spec.get("activeDeadlineSeconds") is not None:
        writer.field("Active Deadline Seconds", f"{spec['activeDeadlineSeconds']}s")


def _optional(writer: Writer, values: Object, *rows: tuple[str, str]) -> None:
    for title, name in rows:
        if values.get(name) is not None:
            writer.field(title, values[name])


def _or_unset(value: Json) -> Json:
    return _UNSET if value is None else value
