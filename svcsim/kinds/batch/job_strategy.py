"""What the server makes of a new Job: labels that no other job's pods have, and a selector of them."""

from svcsim.dialect import Dialect
from svcsim.kinds.batch.job_defaults import fill
from svcsim.meta.objects import name_of, uid_of
from svcsim.meta.types import Object
from svcsim.registry.kind import Context

CONTROLLER_UID = "controller-uid"
JOB_NAME = "job-name"


def pod_labels(job: Object, dialect: Dialect) -> dict[str, str]:
    """The labels of a job's pods: each twice, because they once had no domain."""
    plain = {JOB_NAME: name_of(job), CONTROLLER_UID: uid_of(job)}
    return {key: value for name, value in plain.items() for key, value in ((dialect.key(name, "batch"), value), (name, value))}


def generate_selector(job: Object, context: Context) -> None:
    """Unless the author chooses both. What is there stays, and is refused if it doesn't fit."""
    spec = job["spec"]
    if not spec.get("manualSelector"):
        metadata = spec["template"].setdefault("metadata", {})
        metadata["labels"] = {**pod_labels(job, context.dialect), **(metadata.get("labels") or {})}
        selector = spec.setdefault("selector", {})
        key = context.dialect.key(CONTROLLER_UID, "batch")
        selector["matchLabels"] = {key: uid_of(job), **(selector.get("matchLabels") or {})}
    fill(job)
