"""Pods that come to a node: it takes them only if they fit, and tell its kernel nothing that isn't safe.

A scheduler has looked before it binds a pod, but by what it knew then, and whoever names a node himself may ask for more than it has. Such
a pod fails for good, and its reason tells why. What pods that the node has taken already ask for counts, and no others.
"""

from collections.abc import Iterator

from svcsim.meta.node_affinity import node_choice
from svcsim.meta.objects import labels_of, name_of
from svcsim.meta.sysctls import SAFE_SYSCTLS
from svcsim.meta.taints import NO_EXECUTE, taints_of, tolerance, tolerations_of, untolerated
from svcsim.meta.types import Object
from svcsim.nodes.machines.occupancy import Asks, Occupancy
from svcsim.nodes.machines.room import WholeAmounts, allocatable_of, room, shortage

Rejection = tuple[str, str]
"""Reason and message."""


def rejection(pod: Object, asks: Asks, occupancy: Occupancy, node: Object, os_label: str) -> Rejection | None:
    """Why a node can't take a pod beside those that it has taken; None if it can. ``os_label`` is the one for operating systems."""
    spec, has = pod["spec"], ((node.get("status") or {}).get("nodeInfo") or {}).get("operatingSystem")
    if labels_of(pod).get(os_label, has) != has:
        return "PodOSSelectorNodeLabelDoesNotMatch", f"Failed to admit pod as the `{os_label}` label doesn't match node label"
    if ((spec.get("os") or {}).get("name") or has) != has:
        return "PodOSNotSupported", "Failed to admit pod as the OS field doesn't match node OS"
    if short := _short_of(asks, occupancy, allocatable_of(node)):
        return short
    if not node_choice(spec).fits(labels_of(node), name_of(node)):
        return _failed("NodeAffinity", "node(s) didn't match Pod's node affinity/selector")
    if occupancy.excludes(asks.ports):
        return _failed("NodePorts", "node(s) didn't have free ports for the requested pod ports")
    taints = taints_of(node)
    if taints and untolerated(taints, tolerance(tolerations_of(spec)), (NO_EXECUTE,)) is not None:
        return _failed("TaintToleration", "node(s) had taints that the pod didn't tolerate")
    forbidden = _forbidden_sysctl(spec)
    return ("SysctlForbidden", f'forbidden sysctl: "{forbidden}" not allowlisted') if forbidden else None


def _forbidden_sysctl(spec: Object) -> str:
    """The first kernel parameter a pod wants to set that it may not, since no node is told to allow unsafe ones; empty if there is none."""
    wanted = (spec.get("securityContext") or {}).get("sysctls") or ()
    return next((name for one in wanted if (name := one["name"].replace("/", ".")) not in SAFE_SYSCTLS), "")


def _failed(predicate: str, why: str) -> Rejection:
    return predicate, f"Predicate {predicate} failed: {why}"


def lacking(asks: Asks, occupancy: Occupancy, node: Object) -> WholeAmounts:
    """How much more a node would have to have of what it has too little of."""
    allocatable = allocatable_of(node)
    counted = ((name, asked, asked + used - room(allocatable, name)) for name, asked, used in _counted(asks, occupancy, allocatable))
    return {name: more for name, asked, more in counted if asked > 0 and more > 0}


def _short_of(asks: Asks, occupancy: Occupancy, allocatable: Object) -> Rejection | None:
    for name, asked, used in _counted(asks, occupancy, allocatable):
        if asked > 0 and (short := shortage(name, asked, used, room(allocatable, name))):
            return f"OutOf{name}", short
    return None


def _counted(asks: Asks, occupancy: Occupancy, allocatable: Object) -> Iterator[tuple[str, int, int]]:
    """What a node counts, with how much is asked for, and how much of it others have."""
    yield "pods", 1, len(occupancy)
    for name, asked in asks.amounts.items():
        if "/" not in name or name in allocatable:  # a device that the node doesn't know is somebody else's to count
            yield name, asked, occupancy.used(name)
