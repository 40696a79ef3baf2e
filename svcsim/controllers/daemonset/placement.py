"""Which nodes should run a DaemonSet's pod, and which node a pod of it is meant for."""

from typing import NamedTuple

from svcsim.controllers.daemonset.template import tolerations
from svcsim.dialect import Dialect
from svcsim.meta.node_affinity import NAME_FIELD, node_affinity_of, node_choice
from svcsim.meta.objects import labels_of, name_of
from svcsim.meta.pods import node_of
from svcsim.meta.taints import NO_EXECUTE, NO_SCHEDULE, taints_of, tolerance, tolerations_of, untolerated
from svcsim.meta.types import Object


class Verdict(NamedTuple):
    """What a node is to a DaemonSet."""

    should_run: bool
    """A pod is made for it."""
    may_stay: bool
    """A pod that is there stays: also on a node that new ones are kept from, as long as it isn't to be driven out."""


_NO = Verdict(should_run=False, may_stay=False)


class DaemonPlacement:
    """Tells of any node whether a DaemonSet's pods belong there. Made once for many nodes."""

    def __init__(self, daemon_set: Object, dialect: Dialect) -> None:
        spec: Object = daemon_set["spec"]["template"].get("spec") or {}
        self._node_name: str = spec.get("nodeName") or ""
        self._choice = node_choice(spec)
        self._tolerates = tolerance(tolerations_of({"tolerations": tolerations(spec, dialect)}))

    def verdict(self, node: Object) -> Verdict:
        name, labels = name_of(node), labels_of(node)
        if self._node_name and self._node_name != name:
            return _NO
        if not self._choice.fits(labels, name):
            return _NO
        taints = taints_of(node)
        stays = untolerated(taints, self._tolerates, (NO_EXECUTE,)) is None
        return Verdict(should_run=stays and untolerated(taints, self._tolerates, (NO_SCHEDULE,)) is None, may_stay=stays)


def target_of(pod: Object) -> str:
    """The node that a pod is on, or that it is pinned to; empty where neither is said."""
    node = node_of(pod)
    if node:
        return node
    required = node_affinity_of(pod.get("spec") or {}).get("requiredDuringSchedulingIgnoredDuringExecution") or {}
    for term in required.get("nodeSelectorTerms") or ():
        for field in term.get("matchFields") or ():
            values: list[str] = field.get("values") or []
            if field["key"] == NAME_FIELD and field["operator"] == "In" and len(values) == 1:
                return values[0]
    return ""
