"""Job: pods that run until enough of them have succeeded."""

from dataclasses import replace

from svcsim.kinds.batch.job_columns import completions, duration, status
from svcsim.kinds.batch.job_defaults import fill
from svcsim.kinds.batch.job_rules import generated_selector, job_changes, job_rules, job_warnings, still_generated
from svcsim.kinds.batch.job_spec import JOB_SPEC
from svcsim.kinds.batch.job_status_rules import job_status_changes, job_status_rules
from svcsim.kinds.batch.job_strategy import generate_selector
from svcsim.kinds.groups import BATCH_V1
from svcsim.kinds.shared.columns import AGE, containers_of
from svcsim.kinds.shared.conditions import conditions
from svcsim.kinds.shared.pod_spec.warnings import warnings_of
from svcsim.kinds.shared.update_warnings import of_new_generations
from svcsim.kinds.shared.workload import SELECTOR_COLUMN, name_of_pods
from svcsim.registry.kind import Column, Kind, Orphans, Selectable, Status, Strategy, status_subresource
from svcsim.schema.types import Field, Int, List, Str, Struct, Time

_UIDS = List(Str(), list_type="set", unique=False)
_UNCOUNTED = Struct(
    "UncountedTerminatedPods",
    Field(1, "succeeded", _UIDS, "UIDs of pods that have succeeded"),
    Field(2, "failed", _UIDS, "UIDs of pods that have failed"),
    doc="Pods that have ended and are not in the counts yet",
)
_CONDITIONS = conditions(
    "JobCondition",
    "Complete, Failed, Suspended, FailureTarget or SuccessCriteriaMet",
    lastProbeTime=3,
    lastTransitionTime=4,
    reason=5,
    message=6,
)
_STATUS = Struct(
    "JobStatus",
    Field(1, "conditions", replace(_CONDITIONS, list_type="atomic", keys=()), "Current conditions of the job"),
    Field(2, "startTime", Time(), "When the job was first acted on, or last resumed"),
    Field(3, "completionTime", Time(), "When the job succeeded"),
    Field(4, "active", Int(), "Number of pods that run or are about to", presence=False),
    Field(5, "succeeded", Int(), "Number of pods that have succeeded", presence=False),
    Field(6, "failed", Int(), "Number of pods that have failed", presence=False),
    Field(11, "terminating", Int(), "Number of pods that are being deleted and have not ended"),
    Field(7, "completedIndexes", Str(), "Indexes that have succeeded, as in 1,3-5"),
    Field(10, "failedIndexes", Str(), "Indexes that have failed for good, as in 1,3-5", presence=True),
    Field(8, "uncountedTerminatedPods", _UNCOUNTED, "Pods that have ended and are not in the counts yet"),
    Field(9, "ready", Int(), "Number of active pods that are ready"),
    doc="Current state of a job",
)
_SPEC_WARNINGS = (job_warnings, warnings_of("spec.template.spec"))
JOB = Kind(
    BATCH_V1,
    "jobs",
    Struct(
        "Job",
        Field(2, "spec", JOB_SPEC, "Desired state of the job", default={}),
        Field(3, "status", _STATUS, "Current state of the job", default={}),
        fill=fill,
        doc="Runs pods until enough of them have succeeded",
    ),
    categories=("all",),
    columns=(
        Column("Status", status, doc="Whether the job runs, and how it ended"),
        Column("Completions", completions, doc="Number of pods that have succeeded, and number of those that have to"),
        Column("Duration", duration, doc="How long the job has run"),
        AGE,
        *containers_of("spec.template"),
        SELECTOR_COLUMN,
    ),
    selectable=(Selectable("status.successful", "0", at=("status.succeeded",)),),
    status=Status(subresource=status_subresource(update_rules=(job_status_rules, job_status_changes))),
    strategy=Strategy(
        create=generate_selector,
        rules=(job_rules,),
        create_rules=(generated_selector,),
        update_rules=(still_generated, job_changes),
        warnings=(name_of_pods, *_SPEC_WARNINGS),
        update_warnings=(of_new_generations(*_SPEC_WARNINGS),),
    ),
    orphans=Orphans(
        "child pods are preserved by default when jobs are deleted; set propagationPolicy=Background to remove them or set "
        "propagationPolicy=Orphan to suppress this warning"
    ),
)
