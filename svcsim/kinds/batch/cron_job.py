"""CronJob: a Job at certain times, again and again."""

from svcsim.kinds.batch.cron_job_columns import last_schedule, suspended
from svcsim.kinds.batch.cron_job_rules import (
    cron_job_warnings,
    job_template_rules,
    name_leaves_room,
    schedule_rules,
    time_zone_changes,
    time_zone_rules,
)
from svcsim.kinds.batch.job_spec import JOB_TEMPLATE_SPEC
from svcsim.kinds.groups import BATCH_V1
from svcsim.kinds.shared.checks import not_negative, one_of
from svcsim.kinds.shared.columns import AGE, NONE, containers_of, length_at, selector_at, text_at
from svcsim.kinds.shared.pod_spec.warnings import warnings_of
from svcsim.kinds.shared.references import OBJECT_REFERENCE
from svcsim.kinds.shared.update_warnings import of_new_generations
from svcsim.kinds.shared.words import CONCURRENCY_POLICY
from svcsim.kinds.shared.workload import name_of_pods
from svcsim.registry.kind import Column, Kind, Status, Strategy
from svcsim.schema.types import Bool, Field, Int, List, Str, Struct, Time

_SPEC = Struct(
    "CronJobSpec",
    Field(1, "schedule", Str(), "When jobs start, as in 0 3 * * 1-5 or @daily", required=True, rules=(schedule_rules,)),
    Field(8, "timeZone", Str(), "Time zone of the schedule, as in Europe/Paris; that of the controller if unset", presence=True),
    Field(2, "startingDeadlineSeconds", Int(bits=64), "Seconds by which a job may be late before it is missed", rules=(not_negative,)),
    Field(
        3,
        "concurrencyPolicy",
        CONCURRENCY_POLICY,
        "Whether a job starts beside one that still runs, not at all, or in its place",
        default="Allow",
        rules=(one_of("Allow", "Forbid", "Replace"),),
    ),
    Field(4, "suspend", Bool(), "Whether no more jobs start", default=False),
    Field(
        5,
        "jobTemplate",
        JOB_TEMPLATE_SPEC,
        "Template from which the jobs are created",
        required=True,
        default={},
        rules=(job_template_rules,),
    ),
    Field(6, "successfulJobsHistoryLimit", Int(), "How many jobs that succeeded are kept", default=3, rules=(not_negative,)),
    Field(7, "failedJobsHistoryLimit", Int(), "How many jobs that failed are kept", default=1, rules=(not_negative,)),
    doc="Desired state of a cron job",
)
_STATUS = Struct(
    "CronJobStatus",
    Field(1, "active", List(OBJECT_REFERENCE, list_type="atomic"), "The jobs that run"),
    Field(4, "lastScheduleTime", Time(), "When a job was last started"),
    Field(5, "lastSuccessfulTime", Time(), "When a job last succeeded"),
    doc="Current state of a cron job",
)
_JOB_WARNINGS = (cron_job_warnings, warnings_of("spec.jobTemplate.spec.template.spec"))
CRON_JOB = Kind(
    BATCH_V1,
    "cronjobs",
    Struct(
        "CronJob",
        Field(2, "spec", _SPEC, "Desired state of the cron job", required=True, default={}),
        Field(3, "status", _STATUS, "Current state of the cron job", default={}),
        doc="Starts a job at certain times, again and again",
    ),
    short=("cj",),
    categories=("all",),
    columns=(
        Column("Schedule", text_at("spec.schedule"), doc="When jobs start"),
        Column("Timezone", text_at("spec.timeZone", NONE), doc="Time zone of the schedule"),
        Column("Suspend", suspended, "boolean", doc="Whether no more jobs start"),
        Column("Active", length_at("status.active"), "integer", doc="Number of jobs that run"),
        Column("Last Schedule", last_schedule, doc="Time since a job was last started"),
        AGE,
        *containers_of("spec.jobTemplate.spec.template"),
        Column("Selector", selector_at("spec.jobTemplate.spec.selector"), priority=1, doc="Label selector of the pods of its jobs"),
    ),
    status=Status(),
    strategy=Strategy(
        create_rules=(time_zone_rules, name_leaves_room),
        update_rules=(time_zone_changes,),
        warnings=(name_of_pods, *_JOB_WARNINGS),
        update_warnings=(of_new_generations(*_JOB_WARNINGS),),
    ),
)
