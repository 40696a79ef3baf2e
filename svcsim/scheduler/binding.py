"""Telling the API server what was decided: binding a pod to a node, why another can't be placed, and whom to take away for it."""

from collections.abc import Awaitable, Callable

from svcsim.client.api import Client
from svcsim.client.retry import retry_on_conflict
from svcsim.clock import Clock
from svcsim.meta.errors import StatusError
from svcsim.meta.objects import condition, copy_json, set_condition, uid_of
from svcsim.meta.pods import generation_of, node_of, pod_reference
from svcsim.meta.types import Object
from svcsim.scheduler.pod import DISRUPTION_TARGET, PREEMPTED, PodInfo

SCHEDULED_CONDITION = "PodScheduled"
UNSCHEDULABLE = "Unschedulable"
NOT_READY = "NotReadyForScheduling"
SCHEDULER_ERROR = "SchedulerError"


def reference(pod: PodInfo) -> Object:
    """As much of the Pod as an event needs."""
    return pod_reference(pod.namespace, pod.name, pod.uid)


async def bind(client: Client, pod: PodInfo, node_name: str) -> None:
    """Give a pod its node. Raises `StatusError` if the server won't."""
    body = {
        "kind": "Binding",
        "apiVersion": "v1",
        "metadata": {"name": pod.name, "namespace": pod.namespace, "uid": pod.uid},
        "target": {"kind": "Node", "name": node_name, "apiVersion": "v1"},
    }
    await client.resource("v1", "pods", pod.namespace).hand_over_to(pod.name, "binding", body)


async def report_unplaced(client: Client, clock: Clock, pod: PodInfo, reason: str, message: str, nominated: str) -> None:
    """Write into a pod's status why it can't be placed, and the node that is being cleared for it, if it doesn't say so already."""
    wanted = {"type": SCHEDULED_CONDITION, "status": "False", "reason": reason, "message": message}
    await _change_status(client, clock, pod, wanted, nominated)


async def withdraw_nomination(client: Client, clock: Clock, pod: PodInfo) -> None:
    """Write into a pod's status that no place is kept for it any more."""
    await _change_status(client, clock, pod, None, "")


async def _change_status(client: Client, clock: Clock, pod: PodInfo, wanted: Object | None, nominated: str) -> None:
    """A pod that is gone, or has a node by now, is left as it is."""
    pods = client.resource("v1", "pods", pod.namespace)

    async def change() -> None:
        current = await pods.get(pod.name)
        if uid_of(current) != pod.uid or node_of(current):
            return
        status = current.get("status") or {}
        changes: Object = {}
        if (status.get("nominatedNodeName") or "") != nominated:
            changes["nominatedNodeName"] = nominated or None
        generation = generation_of(current)
        if wanted is not None:
            told = {**wanted, "observedGeneration": generation}
            said = condition(current, SCHEDULED_CONDITION) or {}
            if any(said.get(name) != value for name, value in told.items()):
                conditions: list[Object] = copy_json(status.get("conditions") or [])
                set_condition(conditions, told, clock.timestamp())
                changes |= {"observedGeneration": generation, "conditions": conditions}
        if changes:
            patch = {"metadata": {"resourceVersion": current["metadata"]["resourceVersion"]}, "status": changes}
            await pods.patch(pod.name, patch, subresource="status")

    await _unless_gone(change)


async def _unless_gone(change: Callable[[], Awaitable[None]]) -> None:
    try:
        await retry_on_conflict(change)
    except StatusError as error:
        if error.code != 404:
            raise


async def take_away(client: Client, clock: Clock, victim: PodInfo, scheduler: str) -> bool:
    """Delete a pod so that another may have its place, saying so in its status first; False if it was gone or going already."""
    pods = client.resource("v1", "pods", victim.namespace)
    wanted = {
        "type": DISRUPTION_TARGET,
        "status": "True",
        "reason": PREEMPTED,
        "message": f"{scheduler}: preempting to accommodate a higher priority pod",
    }
    going = False

    async def mark() -> None:
        nonlocal going
        current = await pods.get(victim.name)
        going = uid_of(current) != victim.uid or bool(current["metadata"].get("deletionTimestamp"))
        if going:
            return
        conditions: list[Object] = copy_json((current.get("status") or {}).get("conditions") or [])
        if set_condition(conditions, {**wanted, "observedGeneration": generation_of(current)}, clock.timestamp()):
            patch = {"metadata": {"resourceVersion": current["metadata"]["resourceVersion"]}, "status": {"conditions": conditions}}
            await pods.patch(victim.name, patch, subresource="status")

    try:
        await retry_on_conflict(mark)
        if going:
            return False
        await pods.delete(victim.name, uid=victim.uid)
    except StatusError as error:
        if error.code not in {404, 409}:
            raise
        return False
    return True
