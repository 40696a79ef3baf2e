"""Telling the API server what was decided: binding a pod to a node, and why another can't be placed."""

from svcsim.client.api import Client
from svcsim.client.retry import retry_on_conflict
from svcsim.clock import Clock
from svcsim.meta.errors import StatusError
from svcsim.meta.objects import condition, copy_json, set_condition, uid_of
from svcsim.meta.pods import generation_of, node_of
from svcsim.meta.types import Object
from svcsim.scheduler.pod import PodInfo

SCHEDULED_CONDITION = "PodScheduled"


def reference(pod: PodInfo) -> Object:
    """As much of the Pod as an event or a binding needs."""
    return {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": pod.name, "namespace": pod.namespace, "uid": pod.uid}}


async def bind(client: Client, pod: PodInfo, node_name: str) -> None:
    """Give a pod its node. Raises `StatusError` if the server won't."""
    body = {
        "apiVersion": "v1",
        "kind": "Binding",
        "metadata": {"name": pod.name, "namespace": pod.namespace, "uid": pod.uid},
        "target": {"apiVersion": "v1", "kind": "Node", "name": node_name},
    }
    await client.resource("v1", "pods", pod.namespace).create_subresource(pod.name, "binding", body)


async def report_unschedulable(client: Client, clock: Clock, pod: PodInfo, message: str) -> None:
    """Write into the pod's condition why it can't be placed, if it doesn't say so already. A pod that is gone needs no report."""
    pods = client.resource("v1", "pods", pod.namespace)
    reported = {"type": SCHEDULED_CONDITION, "status": "False", "reason": "Unschedulable", "message": message}

    async def report() -> None:
        current = await pods.get(pod.name)
        if uid_of(current) != pod.uid or node_of(current):
            return
        said = condition(current, SCHEDULED_CONDITION) or {}
        generation = generation_of(current)
        wanted = {**reported, "observedGeneration": generation}
        if all(said.get(name) == value for name, value in wanted.items()):
            return
        conditions: list[Object] = copy_json((current.get("status") or {}).get("conditions") or [])
        set_condition(conditions, wanted, clock.timestamp())
        status = {"observedGeneration": generation, "conditions": conditions}
        patch = {"metadata": {"resourceVersion": current["metadata"]["resourceVersion"]}, "status": status}
        await pods.patch(pod.name, patch, subresource="status")

    try:
        await retry_on_conflict(report)
    except StatusError as error:
        if error.code != 404:
            raise
