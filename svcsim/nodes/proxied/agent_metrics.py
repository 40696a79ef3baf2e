"""What the agent of a node counts of itself."""

from collections.abc import Sequence

from svcsim.meta.metric_families import MeasuredFamily
from svcsim.meta.objects import name_of
from svcsim.meta.pods import is_finished
from svcsim.meta.types import Object
from svcsim.nodes.logs import STATUSES


def agent_metrics(node: Object, pods: Sequence[Object]) -> list[str]:
    """The lines of ``/metrics``."""
    named = MeasuredFamily("kubelet_node_name", "gauge", "The node's name. The count is always 1.", ("node",))
    named.add(1, name_of(node))
    running = MeasuredFamily("kubelet_running_pods", "gauge", "Number of pods that have a running pod sandbox")
    running.add(sum(not is_finished(pod) and bool((pod.get("status") or {}).get("podIP")) for pod in pods))
    by_state: dict[str, int] = {"running": 0}
    for pod in pods:
        status = pod.get("status") or {}
        for one in (one for field in STATUSES for one in status.get(field) or ()):
            state = one.get("state") or {}
            known = "running" if "running" in state else "exited" if "terminated" in state else ""
            if known:
                by_state[known] = by_state.get(known, 0) + 1
    containers = MeasuredFamily("kubelet_running_containers", "gauge", "Number of containers by their state", ("container_state",))
    for known, count in by_state.items():
        containers.add(count, known)
    return [*named.lines(), *containers.lines(), *running.lines()]
