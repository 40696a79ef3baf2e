"""Jobs on virtual time: manifests, and the few questions that tests ask of them."""

from svcsim.meta.objects import condition
from svcsim.meta.types import Json, Object
from tests.controllers.running import Running

TRACKING = "batch.kubernetes.io/job-tracking"
INDEX = "batch.kubernetes.io/job-completion-index"


def job(name: str, script: str = "sleep 5", *, restart: str = "Never", pod_annotations: Object | None = None, **spec: Json) -> Object:
    """A job whose pods run a script."""
    container = {"name": "main", "image": "busybox:1", "command": ["sh", "-c", script]}
    template: Object = {"spec": {"restartPolicy": restart, "containers": [container]}}
    if pod_annotations:
        template["metadata"] = {"annotations": pod_annotations}
    metadata = {"name": name, "namespace": "default"}
    return {"apiVersion": "batch/v1", "kind": "Job", "metadata": metadata, "spec": {"template": template, **spec}}


class Jobs:
    """The jobs of a running cluster."""

    def __init__(self, running: Running) -> None:
        self.running = running
        self.api = running.client.resource("batch/v1", "jobs", "default")

    async def until(self, name: str, kind: str, within_s: float = 600.0) -> Object:
        """Wait until a job has a condition; gives the job."""

        def holds(items: list[Object]) -> bool:
            return any(item["metadata"]["name"] == name and is_true(item, kind) for item in items)

        items = await self.running.until(holds, self.api, within_s)
        return next(item for item in items if item["metadata"]["name"] == name)

    async def pods(self) -> list[Object]:
        """All pods, in the order in which they were made."""
        found = await self.running.pods.list_all()
        return sorted(found, key=lambda pod: (pod["metadata"]["creationTimestamp"], pod["metadata"]["name"]))


def is_true(item: Object, kind: str) -> bool:
    return (condition(item, kind) or {}).get("status") == "True"


def said(item: Object) -> list[tuple[str, str, str]]:
    """Its conditions, in order."""
    return [(one["type"], one["status"], one["reason"]) for one in item["status"]["conditions"]]


def counts(item: Object) -> tuple[int, int, int]:
    """Active, succeeded and failed pods."""
    status = item["status"]
    return status.get("active", 0), status.get("succeeded", 0), status.get("failed", 0)


def indexes(pods: list[Object]) -> list[int]:
    return [int(pod["metadata"]["annotations"][INDEX]) for pod in pods]
