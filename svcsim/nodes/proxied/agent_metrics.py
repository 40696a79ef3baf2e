"""What the agent of a node counts of itself."""

from collections.abc import Sequence

from svcsim.meta.metric_families import MeasuredFamily
from svcsim.meta.objects import name_of
from svcsim.meta.pods import container_statuses, is_finished
from svcsim.meta.types import Object


def has_sandbox(pod: Object) -> bool:
    """Whether a pod runs as far as its node goes, which has given it an address."""
    return not is_finished(pod) and bool((pod.get("status") or {}).get("podIP"))


def agent_metrics(node: Object, pods: Sequence[Object]) -> list[str]:
    """The lines of ``/metrics``."""
    named = MeasuredFamily("kubelet_node_name", "gauge", "The node's name. The count is always 1.", ("node",))
    named.add(1, name_of(node))
    running = MeasuredFamily("kubelet_running_pods", "gauge", "Number of pods that have a running pod sandbox")
    running.add(sum(map(has_sandbox, pods)))
    by_state: dict[str, int] = {"running": 0}
    for pod in pods:
        for one in container_statuses(pod):
            state = one.get("state") or {}
            known = "running" if "running" in state else "exited" if "terminated" in state else ""
            if known:
                by_state[known] = by_state.get(known, 0) + 1
    containers = MeasuredFamily("kubelet_running_containers", "gauge", "Number of containers by their state", ("container_state",))
    for known, count in by_state.items():
        containers.add(count, known)
    return [*named.lines(), *containers.lines(), *running.lines()]
