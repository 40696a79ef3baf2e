"""How a DaemonSet's pods get to a new template: node by node, with as many missing or doubled as its strategy allows.

Without surge, an old pod is deleted and the node's new one made when it is gone. With surge, the new one is made beside the old, which
goes once the new one is available.
"""

from typing import NamedTuple

from svcsim.controllers.daemonset.snapshot import DaemonSetSnapshot
from svcsim.meta.objects import is_terminating
from svcsim.meta.shares import share
from svcsim.meta.types import Object


class UpdateLimits(NamedTuple):
    """On how many nodes there may be no available pod, and on how many a second one."""

    unavailable: int
    surge: int


class UpdateStep(NamedTuple):
    """Nodes to make a new pod for, and old pods to delete."""

    create: list[str]
    delete: list[Object]


class _OnNode(NamedTuple):
    new: list[Object]
    old: list[Object]

    @property
    def clear(self) -> bool:
        """Whether there is at most one of each; the rest is cleared up first."""
        return len(self.new) <= 1 and len(self.old) <= 1


def limits_of(snapshot: DaemonSetSnapshot) -> UpdateLimits:
    """The strategy's limits as numbers of nodes, rounded up; there is always some way on."""
    strategy = snapshot.daemon_set["spec"].get("updateStrategy") or {}
    if strategy.get("type") == "OnDelete":
        return UpdateLimits(0, 0)
    given = strategy.get("rollingUpdate") or {}
    desired = sum(1 for _ in snapshot.wanting())
    unavailable = share(given.get("maxUnavailable", 1), desired, up=True)
    surge = share(given.get("maxSurge", 0), desired, up=True)
    return UpdateLimits(1, 0) if desired and not unavailable and not surge else UpdateLimits(unavailable, surge)


def roll(snapshot: DaemonSetSnapshot) -> UpdateStep:
    """The next step towards pods of the present template."""
    allowed = limits_of(snapshot)
    nodes = {name: _OnNode([], []) for name in (*snapshot.wanting(), *snapshot.pods)}
    for name, pods in snapshot.pods.items():
        for pod in pods:
            if not is_terminating(pod):
                (nodes[name].new if snapshot.is_updated(pod) else nodes[name].old).append(pod)
    if allowed.surge:
        return _beside(snapshot, nodes, allowed.surge)
    return UpdateStep([], _in_place(snapshot, nodes, allowed.unavailable))


def _in_place(snapshot: DaemonSetSnapshot, nodes: dict[str, _OnNode], most: int) -> list[Object]:
    """Old pods to delete. What serves nobody goes at once, whatever the limit."""
    unavailable = 0
    useless: list[Object] = []
    candidates: list[Object] = []
    for on_node in nodes.values():
        new, old = on_node
        if not on_node.clear or bool(new) == bool(old):
            unavailable += 1
        elif new:
            unavailable += not snapshot.is_available(new[0])
        elif snapshot.is_available(old[0]):
            candidates.append(old[0])
        else:
            useless.append(old[0])
    return [*useless, *candidates[: max(most - unavailable, 0)]]


def _beside(snapshot: DaemonSetSnapshot, nodes: dict[str, _OnNode], most: int) -> UpdateStep:
    """Nodes that get a second pod, and old pods whose second one is there. What serves nobody is replaced at once."""
    surging = 0
    step = UpdateStep([], [])
    candidates: list[str] = []
    for name, on_node in nodes.items():
        new, old = on_node
        if not on_node.clear:
            surging += 1
        elif not old:
            continue
        elif new:
            if snapshot.is_available(new[0]):
                step.delete.append(old[0])
            else:
                surging += 1
        elif not snapshot.verdict(name).should_run:
            step.delete.append(old[0])  # no second one may come here
        elif snapshot.is_available(old[0]):
            candidates.append(name)
        else:
            step.create.append(name)
    step.create.extend(candidates[: max(most - surging, 0)])
    return step
