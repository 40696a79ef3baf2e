"""How far the rollout of a workload is: what is said of it, and whether it is over."""

from collections.abc import Callable

from svcsim.cli.failure import CommandError
from svcsim.meta.objects import condition, metadata_of, name_of
from svcsim.meta.types import Object


def _of_deployment(deployment: Object) -> tuple[str, bool]:
    """What to say about a Deployment's rollout, and whether it is over. Raises `CommandError` for one that takes too long."""
    name, spec, status = name_of(deployment), deployment.get("spec") or {}, deployment.get("status") or {}
    if metadata_of(deployment).get("generation", 0) > status.get("observedGeneration", 0):
        return "Waiting for deployment spec update to be observed...\n", False
    if (condition(deployment, "Progressing") or {}).get("reason") == "ProgressDeadlineExceeded":
        raise CommandError(f'deployment "{name}" exceeded its progress deadline')
    wanted, updated = spec.get("replicas", 1), status.get("updatedReplicas", 0)
    total, available = status.get("replicas", 0), status.get("availableReplicas", 0)
    waiting = f'Waiting for deployment "{name}" rollout to finish: '
    if updated < wanted:
        return f"{waiting}{updated} out of {wanted} new replicas have been updated...\n", False
    if total > updated:
        return f"{waiting}{total - updated} old replicas are pending termination...\n", False
    if available < updated:
        return f"{waiting}{available} of {updated} updated replicas are available...\n", False
    return f'deployment "{name}" successfully rolled out\n', True


def _of_daemon_set(daemon_set: Object) -> tuple[str, bool]:
    """The progress of a DaemonSet, whose nodes get their new pods one after another."""
    _only_rolling(daemon_set)
    name, status = name_of(daemon_set), daemon_set.get("status") or {}
    if metadata_of(daemon_set).get("generation", 0) > status.get("observedGeneration", 0):
        return "Waiting for daemon set spec update to be observed...\n", False
    wanted, updated, available = (status.get(field, 0) for field in ("desiredNumberScheduled", "updatedNumberScheduled", "numberAvailable"))
    waiting = f'Waiting for daemon set "{name}" rollout to finish: '
    if updated < wanted:
        return f"{waiting}{updated} out of {wanted} new pods have been updated...\n", False
    if available < wanted:
        return f"{waiting}{available} of {wanted} updated pods are available...\n", False
    return f'daemon set "{name}" successfully rolled out\n', True


def _of_stateful_set(stateful_set: Object) -> tuple[str, bool]:
    """The progress of a StatefulSet, which may keep its first pods as they are."""
    _only_rolling(stateful_set)
    spec, status = stateful_set.get("spec") or {}, stateful_set.get("status") or {}
    observed = status.get("observedGeneration", 0)
    if not observed or metadata_of(stateful_set).get("generation", 0) > observed:
        return "Waiting for statefulset spec update to be observed...\n", False
    wanted, ready, updated = spec.get("replicas", 1), status.get("readyReplicas", 0), status.get("updatedReplicas", 0)
    if ready < wanted:
        return f"Waiting for {wanted - ready} pods to be ready...\n", False
    to_update = wanted - ((spec["updateStrategy"].get("rollingUpdate") or {}).get("partition") or 0)
    if updated < to_update:
        return f"Waiting for partitioned roll out to finish: {updated} out of {to_update} new pods have been updated...\n", False
    return f"partitioned roll out complete: {updated} new pods have been updated...\n", True


def _only_rolling(workload: Object) -> None:
    if ((workload.get("spec") or {}).get("updateStrategy") or {}).get("type") != "RollingUpdate":
        raise CommandError("rollout status is only available for RollingUpdate strategy type")


PROGRESS: dict[str, Callable[[Object], tuple[str, bool]]] = {
    "DaemonSet": _of_daemon_set,
    "Deployment": _of_deployment,
    "StatefulSet": _of_stateful_set,
}
"""By kind. They raise `CommandError` for a rollout that takes too long, or of which nothing can be said."""
