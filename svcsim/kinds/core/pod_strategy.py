"""The life of a Pod: defaults that a template has not, its first status, and the time it has to stop."""

from svcsim.kinds.core.pod_level_defaults import fill_pod_resources
from svcsim.kinds.core.pod_qos import qos_class
from svcsim.meta.pods import generation_of, is_finished, node_of
from svcsim.meta.types import Object
from svcsim.registry.kind import Context


def _requests_from_limits(container: Object) -> None:
    """A resource with a limit and no request is requested up to its limit."""
    resources = container.get("resources") or {}
    if limits := resources.get("limits"):
        resources["requests"] = {**limits, **(resources.get("requests") or {})}


def fill(pod: Object, context: Context) -> None:
    """Defaults that a pod has and a pod template doesn't, which may also say a time that there is not."""
    spec = pod.setdefault("spec", {})
    spec.setdefault("enableServiceLinks", True)
    if (spec.get("terminationGracePeriodSeconds") or 0) < 0:
        spec["terminationGracePeriodSeconds"] = 1
    containers = [*(spec.get("containers") or ()), *(spec.get("initContainers") or ())]
    for container in containers:
        _requests_from_limits(container)
        if spec.get("hostNetwork"):
            for port in container.get("ports") or ():
                if not port.get("hostPort"):
                    port["hostPort"] = port.get("containerPort", 0)
    if spec.get("resources"):
        fill_pod_resources(spec)


_KEPT = ("qosClass", "observedGeneration")


def keep_unsaid(new: Object, old: Object, context: Context) -> None:
    """A status that doesn't tell the quality-of-service class, or of which generation it or a condition is, leaves that as it is."""
    before, status = old.get("status") or {}, new.get("status") or {}
    kept: Object = {name: before[name] for name in _KEPT if before.get(name) and not status.get(name)}
    conditions = status.get("conditions") or ()
    if [one for one in conditions if not one.get("observedGeneration")]:
        said = {one.get("type"): one["observedGeneration"] for one in before.get("conditions") or () if one.get("observedGeneration")}
        kept["conditions"] = [_of_generation(one, said.get(one.get("type"))) for one in conditions]
    if kept:
        new["status"] = {**status, **kept}


def _of_generation(condition: Object, before: int | None) -> Object:
    return condition if condition.get("observedGeneration") or before is None else {**condition, "observedGeneration": before}


def initial_status(pod: Object, context: Context) -> Object:
    status: Object = {"phase": "Pending", "qosClass": qos_class(pod["spec"])}
    if pod["spec"].get("schedulingGates"):
        status["conditions"] = [
            {
                "type": "PodScheduled",
                "status": "False",
                "lastTransitionTime": context.timestamp,
                "reason": "SchedulingGated",
                "message": "Scheduling is blocked due to non-empty scheduling gates",
                "observedGeneration": generation_of(pod),
            }
        ]
    return status


def grace(pod: Object, context: Context) -> int | None:
    """A pod that is on no node, or that has ended, needs no time to stop."""
    if not node_of(pod) or is_finished(pod):
        return None
    seconds: int = (pod.get("spec") or {}).get("terminationGracePeriodSeconds", 30)
    return seconds if seconds >= 0 else 1
