"""What makes a CronJob right: a schedule, a time zone, and a name and a template that Jobs can be made of."""

from collections.abc import Iterator

from svcsim.kinds.batch.job_rules import many_indexes
from svcsim.limits import DNS_LABEL_CHARS
from svcsim.meta.cron import ScheduleError, check_schedule
from svcsim.meta.errors import FieldError, invalid_value, unsupported
from svcsim.meta.objects import get_path, name_of
from svcsim.meta.time_zones import is_time_zone, is_time_zone_name
from svcsim.meta.types import Json, Object
from svcsim.registry.kind import Context

_TIME_CHARS = 11
"""What the name of each job has behind that of its cron job: a dash, and the minute it was for."""
_LIST_OF_ZONES = "https://www.iana.org/time-zones"


def schedule_rules(schedule: Json, path: str) -> Iterator[FieldError]:
    try:
        check_schedule(schedule)
    except ScheduleError as error:
        yield invalid_value(path, schedule, str(error))
    if "TZ" in schedule:
        yield invalid_value(path, schedule, "cannot use TZ or CRON_TZ in schedule, use timeZone field instead")


def time_zone_rules(cron_job: Object, context: Context) -> Iterator[FieldError]:
    zone, path = get_path(cron_job, "spec.timeZone"), "spec.timeZone"
    if zone is None:
        return
    if zone == "":
        yield invalid_value(path, zone, "timeZone must be nil or non-empty string")
    elif not is_time_zone_name(zone):
        yield invalid_value(path, zone, f"unknown time zone {zone}")
    else:
        if zone.lower() == "local":
            yield invalid_value(path, zone, f"timeZone must be an explicit time zone as defined in {_LIST_OF_ZONES}")
        if not is_time_zone(zone):
            yield invalid_value(path, zone, f"unknown time zone {zone}")


def time_zone_changes(new: Object, old: Object, context: Context) -> Iterator[FieldError]:
    """Zones come and go: one that is there already is let be."""
    if get_path(new, "spec.timeZone") != get_path(old, "spec.timeZone"):
        yield from time_zone_rules(new, context)


def name_leaves_room(cron_job: Object, context: Context) -> Iterator[FieldError]:
    limit = DNS_LABEL_CHARS - _TIME_CHARS
    if len(name_of(cron_job)) > limit:
        yield invalid_value("metadata.name", name_of(cron_job), f"must be no more than {limit} characters")


def job_template_rules(template: Json, path: str) -> Iterator[FieldError]:
    """The selector is the server's to make, for each job."""
    spec = template.get("spec") or {}
    if spec.get("selector") is not None:
        yield invalid_value(f"{path}.spec.selector", spec["selector"], "`selector` will be auto-generated")
    if spec.get("manualSelector"):
        yield unsupported(f"{path}.spec.manualSelector", True, ("nil", "false"))


def cron_job_warnings(cron_job: Object) -> Iterator[str]:
    yield from many_indexes(get_path(cron_job, "spec.jobTemplate.spec") or {}, "spec.jobTemplate.spec")
