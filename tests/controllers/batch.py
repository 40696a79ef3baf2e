"""CronJobs, Jobs, and how a Job is made to end where nothing runs it."""

from svcsim.client.api import Collection
from svcsim.meta.types import Object
from tests.controllers.running import Running

POD = {"containers": [{"name": "main", "image": "busybox:1"}], "restartPolicy": "Never"}


def cron_job(name: str, schedule: str = "* * * * *", template: Object | None = None, **spec: object) -> Object:
    """A CronJob of one container."""
    job_template = template or {"spec": {"template": {"spec": POD}}}
    return {
        "apiVersion": "batch/v1",
        "kind": "CronJob",
        "metadata": {"name": name, "namespace": "default"},
        "spec": {"schedule": schedule, "jobTemplate": job_template, **spec},
    }


def job(name: str, *, owner: Object | None = None, **spec: object) -> Object:
    """A job of one container that a CronJob may control. Suspended, so that no controller of jobs acts on it."""
    metadata: Object = {"name": name, "namespace": "default"}
    if owner is not None:
        reference = {"apiVersion": "batch/v1", "kind": "CronJob", "name": owner["metadata"]["name"], "uid": owner["metadata"]["uid"]}
        metadata["ownerReferences"] = [{**reference, "controller": True}]
    return {"apiVersion": "batch/v1", "kind": "Job", "metadata": metadata, "spec": {"template": {"spec": POD}, **spec}}


def ended(kind: str, now: str, began: str = "") -> Object:
    """The status of a job that has ended, as the API's rules want it."""
    before = {"Complete": "SuccessCriteriaMet", "Failed": "FailureTarget"}[kind]
    conditions = [{"type": one, "status": "True", "lastTransitionTime": now, "lastProbeTime": now} for one in (before, kind)]
    times = {"startTime": began or now, **({"completionTime": now} if kind == "Complete" else {})}
    return {"conditions": conditions, "active": 0, "ready": 0, "terminating": 0, **times}


async def end(r: Running, jobs: Collection, name: str, kind: str = "Complete") -> None:
    """Have a job end now."""
    await jobs.patch(name, {"status": ended(kind, r.clock.timestamp())}, subresource="status")
