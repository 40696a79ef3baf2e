"""What a DaemonSet's plan is made from: its nodes, and the pods that are on each or meant for it."""

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from svcsim.controllers.daemonset.placement import DaemonPlacement, Verdict, target_of
from svcsim.controllers.daemonset.template import is_updated
from svcsim.dialect import Dialect
from svcsim.meta.objects import is_terminating, name_of
from svcsim.meta.pods import available_in, is_finished, node_of
from svcsim.meta.types import Object

_NOT_FOUND = Verdict(should_run=False, may_stay=False)


class DaemonSetSnapshot(NamedTuple):
    """A DaemonSet and all that its next step depends on."""

    daemon_set: Object
    revision_hash: str
    """The hash of its current template."""
    nodes: dict[str, Verdict]
    """All nodes there are."""
    pods: dict[str, list[Object]]
    """The set's pods by the nodes they are on or meant for, the senior one first. Those that ended and are on their way out don't count."""
    waiting: dict[str, float]
    """Nodes whose failed pod isn't to be replaced yet, and how many seconds that takes."""
    now: float

    def wanting(self) -> Iterator[str]:
        """The nodes that should run a pod."""
        return (name for name, verdict in self.nodes.items() if verdict.should_run)

    def verdict(self, node: str) -> Verdict:
        return self.nodes.get(node, _NOT_FOUND)

    def is_updated(self, pod: Object) -> bool:
        """Whether a pod is of the present template."""
        return is_updated(pod, self.daemon_set, self.revision_hash)

    def is_available(self, pod: Object) -> bool:
        """Whether a pod has been ready for as long as the DaemonSet asks."""
        wait = available_in(pod, self.daemon_set["spec"].get("minReadySeconds") or 0, self.now)
        return wait is not None and wait <= 0


def verdicts(daemon_set: Object, nodes: Iterable[Object], dialect: Dialect) -> dict[str, Verdict]:
    """What each node is to a DaemonSet."""
    placement = DaemonPlacement(daemon_set, dialect)
    return {name_of(node): placement.verdict(node) for node in nodes}


def by_node(pods: Iterable[Object]) -> dict[str, list[Object]]:
    """Pods by the nodes they are on or meant for; those of which neither is known belong to none."""
    found: dict[str, list[Object]] = {}
    for pod in sorted(pods, key=_seniority):
        target = target_of(pod)
        if target and not (is_finished(pod) and is_terminating(pod)):
            found.setdefault(target, []).append(pod)
    return found


def _seniority(pod: Object) -> tuple[bool, str, str]:
    """A sort key: those that have their node first, then by age."""
    return (not node_of(pod), pod["metadata"].get("creationTimestamp") or "", name_of(pod))
