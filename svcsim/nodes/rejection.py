"""Pods that came to a node without a scheduler, by ``spec.nodeName``: the node takes them only if they fit.

A scheduler has looked before it binds a pod, and says so by a condition; whoever names a node himself may ask for more than it has. Such a
pod fails for good, and its reason tells why. What pods that the node has taken already ask for counts, and no others.
"""

from collections.abc import Callable, Sequence

from svcsim.client.api import Client
from svcsim.meta.host_ports import host_ports
from svcsim.meta.node_affinity import node_choice
from svcsim.meta.objects import condition_is, labels_of, name_of
from svcsim.meta.pod_amounts import added, pod_amounts, quantities, spec_in_force
from svcsim.meta.pods import is_finished
from svcsim.meta.quantity import of
from svcsim.meta.taints import NO_EXECUTE, taints_of, tolerance, tolerations_of, untolerated
from svcsim.meta.types import Object
from svcsim.nodes.room import shortage

Rejection = tuple[str, str]
"""Reason and message."""


def is_unasked(pod: Object) -> bool:
    """Whether nobody has looked yet if its node has room for the pod."""
    return not is_finished(pod) and not condition_is(pod, "PodScheduled")


async def why_not_taken(client: Client, pod: Object, number: int, is_taken: Callable[[Object], bool]) -> Rejection | None:
    """Why its node can't take a pod; None if it can. It has taken so many already."""
    spec, node_name = pod["spec"], pod["spec"]["nodeName"]
    node = await client.resource("v1", "nodes").find(node_name)
    if node is None:
        return None
    beside: list[Object] = []
    if host_ports(spec) or pod_amounts(spec, "requests"):
        beside = await client.resource("v1", "pods").list_all(field_selector=f"spec.nodeName={node_name}")
    return rejection(pod, number, [other for other in beside if is_taken(other)], node)


def rejection(pod: Object, number: int, others: Sequence[Object], node: Object) -> Rejection | None:
    """The same, by what is known of the node and of the other pods on it that matter."""
    spec = pod["spec"]
    return _short_of(pod, number, others, node) or _predicate(
        ("NodeAffinity", node_choice(spec).fits(labels_of(node), name_of(node))),
        ("NodePorts", not any(one.excludes(port) for other in others for one in host_ports(other["spec"]) for port in host_ports(spec))),
        ("TaintToleration", untolerated(taints_of(node), tolerance(tolerations_of(spec)), (NO_EXECUTE,)) is None),
    )


def _predicate(*held: tuple[str, bool]) -> Rejection | None:
    return next(((name, f"Predicate {name} failed") for name, holds in held if not holds), None)


def _short_of(pod: Object, number: int, others: Sequence[Object], node: Object) -> Rejection | None:
    room = quantities((node.get("status") or {}).get("allocatable"))
    if too_many := shortage("pods", of(1), of(number), room.get("pods", of(0))):
        return "OutOfpods", too_many
    beside = added(pod_amounts(spec_in_force(other), "requests") for other in others)
    nothing = of(0)
    for name, asked in pod_amounts(pod["spec"], "requests").items():
        short = shortage(name, asked, beside.get(name, nothing), room.get(name, nothing))
        if nothing < asked and short:
            return f"OutOf{name}", short
    return None
