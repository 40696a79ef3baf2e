"""The thinking of the DaemonSet controller, free of any input and output: which pods to make, which to give up, and why.

A plan is one step. First every node gets its pod, and what is too many, ended or misplaced goes; only where nothing of the kind is left to
do are pods of an old template replaced (`svcsim.controllers.daemonset.rolling`).
"""

from typing import NamedTuple

from svcsim import limits
from svcsim.controllers.daemonset.rolling import limits_of, roll
from svcsim.controllers.daemonset.snapshot import DaemonSetSnapshot
from svcsim.meta.objects import is_terminating
from svcsim.meta.pods import is_ready, node_of, phase_of
from svcsim.meta.types import Object


class DaemonSetPlan(NamedTuple):
    """What is to be done for one DaemonSet, and the events about it."""

    create: list[str]
    """The nodes to make a pod for."""
    delete: list[Object]
    failed: list[Object]
    """The pods to delete that have failed."""
    succeeded: list[Object]
    """The pods to delete that have succeeded, which a daemon's pods shouldn't."""
    again_in: float | None
    """After how many seconds to look again, for pods that failed a moment ago."""


def make_plan(snapshot: DaemonSetSnapshot) -> DaemonSetPlan:
    plan = _keep(snapshot)
    rolling = (snapshot.daemon_set["spec"].get("updateStrategy") or {}).get("type") != "OnDelete"
    if not plan.create and not plan.delete and rolling:
        step = roll(snapshot)
        plan = plan._replace(create=step.create, delete=step.delete)
    most = limits.DAEMON_PODS_AT_ONCE
    delete = plan.delete[:most]
    return plan._replace(
        create=plan.create[:most], delete=delete, failed=_among(plan.failed, delete), succeeded=_among(plan.succeeded, delete)
    )


def _keep(snapshot: DaemonSetSnapshot) -> DaemonSetPlan:
    """Keep exactly one pod on every node that should have one."""
    plan = DaemonSetPlan([], [], [], [], None)
    waits: list[float] = []
    surges = limits_of(snapshot).surge > 0
    for node, verdict in snapshot.nodes.items():
        pods = snapshot.pods.get(node) or []
        if not pods:
            if verdict.should_run:
                plan.create.append(node)
            continue
        living = [pod for pod in pods if not is_terminating(pod)]
        if not verdict.may_stay:
            plan.delete.extend(living)
            continue
        running = [pod for pod in living if phase_of(pod) not in ("Failed", "Succeeded")]
        plan.succeeded.extend(pod for pod in living if phase_of(pod) == "Succeeded")
        failed = [pod for pod in living if phase_of(pod) == "Failed"]
        wait = snapshot.waiting.get(node)
        if failed and wait is None:
            plan.failed.append(failed.pop(0))
        if failed and wait is not None:
            waits.append(wait)
        plan.delete.extend(_too_many_with_surge(snapshot, running) if surges else running[1:])
    plan.delete.extend(plan.failed)
    plan.delete.extend(plan.succeeded)
    plan.delete.extend(_for_nodes_that_are_gone(snapshot))
    return plan._replace(again_in=min(waits, default=None))


def _too_many_with_surge(snapshot: DaemonSetSnapshot, running: list[Object]) -> list[Object]:
    """With surge there may be two on a node, one of the present template and one of another, until the new one can do its work."""
    if len(running) <= 1:
        return []
    new = [pod for pod in running if snapshot.is_updated(pod)]
    old = [pod for pod in running if not snapshot.is_updated(pod)]
    surplus = [*new[1:], *old[1:]]
    if new and old and (not is_ready(old[0]) or snapshot.is_available(new[0])):
        surplus.append(old[0])
    return surplus


def _for_nodes_that_are_gone(snapshot: DaemonSetSnapshot) -> list[Object]:
    """Pods that will never get their node. Those that had been on it are the pod garbage collector's."""
    return [
        pod
        for node, pods in snapshot.pods.items()
        if node not in snapshot.nodes
        for pod in pods
        if not node_of(pod) and not is_terminating(pod)
    ]


def _among(some: list[Object], chosen: list[Object]) -> list[Object]:
    return [pod for pod in some if any(pod is one for one in chosen)]
