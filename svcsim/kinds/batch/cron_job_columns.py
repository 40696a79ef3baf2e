"""What a table shows of a CronJob."""

from svcsim.kinds.shared.columns import NONE, UNSET, since
from svcsim.meta.objects import get_path
from svcsim.meta.types import Json, Object
from svcsim.registry.kind import Context


def suspended(cron_job: Object, context: Context) -> Json:
    return {None: UNSET, True: "True", False: "False"}[get_path(cron_job, "spec.suspend")]


def last_schedule(cron_job: Object, context: Context) -> Json:
    time = get_path(cron_job, "status.lastScheduleTime")
    return since(time, context) if time else NONE
