"""The Job that a CronJob makes for one of its times. Its name follows from that time, so that there is never a second one for it."""

from datetime import datetime

from svcsim.client.ownership import controller_reference
from svcsim.dialect import Dialect
from svcsim.meta.objects import copy_json, get_path, name_of, namespace_of, uid_of
from svcsim.meta.time_zones import time_zone
from svcsim.meta.types import Object

_MINUTE_S = 60


def job_name(cron_job: Object, start: float) -> str:
    """The minute it is for stands in its name, counted since 1970."""
    return f"{name_of(cron_job)}-{int(start // _MINUTE_S)}"


def new_job(cron_job: Object, start: float, dialect: Dialect) -> Object:
    """A job as the CronJob's template describes it."""
    template = cron_job["spec"]["jobTemplate"]
    given = template.get("metadata") or {}
    scheduled = {dialect.key("cronjob-scheduled-timestamp", "batch"): _scheduled(cron_job, start)}
    metadata: Object = {"name": job_name(cron_job, start), "namespace": namespace_of(cron_job)}
    if given.get("labels"):
        metadata["labels"] = copy_json(given["labels"])
    metadata["annotations"] = {**(given.get("annotations") or {}), **scheduled}
    metadata["ownerReferences"] = [controller_reference(cron_job)]
    return {"apiVersion": "batch/v1", "kind": "Job", "metadata": metadata, "spec": copy_json(template.get("spec") or {})}


def reference_to(job: Object) -> Object:
    """How a CronJob's status names a job."""
    return {
        "apiVersion": job["apiVersion"],
        "kind": job["kind"],
        "name": name_of(job),
        "namespace": namespace_of(job),
        "uid": uid_of(job),
        "resourceVersion": job["metadata"]["resourceVersion"],
    }


def _scheduled(cron_job: Object, start: float) -> str:
    """The time by the schedule's own clock."""
    zone = time_zone(get_path(cron_job, "spec.timeZone") or "")
    return datetime.fromtimestamp(start, zone).isoformat(timespec="seconds").replace("+00:00", "Z")
