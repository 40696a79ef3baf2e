"""A pod as it is now, asked for by its node.

A node may get what has to do with it, and a pod that is gone has nothing to do with it any more: it would be refused. A list of its own
pods is never refused it, and merely empty then.
"""

from svcsim.meta.objects import name_of, namespace_of, uid_of
from svcsim.meta.types import Object
from svcsim.nodes.machines.machine import Machine


async def pod_now(machine: Machine, pod: Object) -> Object | None:
    """The pod in its newest state; None if it is gone, or another has its name by now. Raises `StatusError`."""
    pods = machine.agent.heartbeat.resource("v1", "pods", namespace_of(pod))
    found = await pods.list_all(field_selector=f"metadata.name={name_of(pod)},spec.nodeName={machine.name}")
    return next((one for one in found if uid_of(one) == uid_of(pod)), None)
