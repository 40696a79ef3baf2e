"""Pod: containers that run together on one node."""

from collections.abc import Iterator

from svcsim.kinds.core.pod_columns import POD_COLUMNS
from svcsim.kinds.core.pod_qos import qos_class
from svcsim.kinds.core.pod_rules import ephemeral_container_changes, pod_changes, resize_changes
from svcsim.kinds.core.pod_status import POD_STATUS
from svcsim.kinds.core.pod_subresources import (
    ATTACH,
    BINDING_SUBRESOURCE,
    EVICTION,
    EXEC,
    LOG,
    PORT_FORWARD,
    RESIZABLE,
    resize,
)
from svcsim.kinds.groups import CORE_V1
from svcsim.kinds.shared.pod_spec.spec import POD_SPEC
from svcsim.meta.errors import FieldError, forbidden_field
from svcsim.meta.pods import is_finished, node_of
from svcsim.meta.types import Object
from svcsim.registry.kind import Context, Kind, Selectable, Status, Strategy, Subresource, status_subresource
from svcsim.schema.types import Field, Struct


def _requests_from_limits(holder: Object) -> None:
    """A resource with a limit and no request is requested up to its limit."""
    resources = holder.get("resources") or {}
    if limits := resources.get("limits"):
        resources["requests"] = {**limits, **(resources.get("requests") or {})}


def _fill(pod: Object, context: Context) -> None:
    """Defaults that a pod has and a pod template doesn't."""
    spec = pod.setdefault("spec", {})
    spec.setdefault("enableServiceLinks", True)
    containers = [*(spec.get("containers") or ()), *(spec.get("initContainers") or ())]
    for container in containers:
        _requests_from_limits(container)
        if spec.get("hostNetwork"):
            for port in container.get("ports") or ():
                if not port.get("hostPort"):
                    port["hostPort"] = port.get("containerPort", 0)
    if spec.get("resources"):
        _requests_from_limits(spec)


def _initial_status(pod: Object, context: Context) -> Object:
    status: Object = {"phase": "Pending", "qosClass": qos_class(pod["spec"])}
    if pod["spec"].get("schedulingGates"):
        status["conditions"] = [
            {
                "type": "PodScheduled",
                "status": "False",
                "lastTransitionTime": context.timestamp,
                "reason": "SchedulingGated",
                "message": "Scheduling is blocked due to non-empty scheduling gates",
            }
        ]
    return status


def _grace(pod: Object, context: Context) -> int | None:
    """A pod that is on no node, or that has ended, needs no time to stop."""
    if not node_of(pod) or is_finished(pod):
        return None
    seconds: int = (pod.get("spec") or {}).get("terminationGracePeriodSeconds", 30)
    return seconds if seconds >= 0 else 1


def _rules(pod: Object, context: Context) -> Iterator[FieldError]:
    spec = pod.get("spec") or {}
    if spec.get("schedulingGates") and spec.get("nodeName"):
        yield forbidden_field("spec.nodeName", "cannot be set until all schedulingGates have been cleared")


POD = Kind(
    CORE_V1,
    "pods",
    Struct(
        "Pod",
        Field(2, "spec", POD_SPEC, "Desired state of the pod", default={}),
        Field(3, "status", POD_STATUS, "Current state of the pod", default={}),
        doc="Containers that run together on one node and share its network address and volumes",
    ),
    short=("po",),
    categories=("all",),
    columns=POD_COLUMNS,
    selectable=(
        Selectable("spec.nodeName"),
        Selectable("spec.restartPolicy"),
        Selectable("spec.schedulerName"),
        Selectable("spec.serviceAccountName"),
        Selectable("spec.hostNetwork", "false"),
        Selectable("status.phase"),
        Selectable("status.podIP"),
        Selectable("status.nominatedNodeName"),
    ),
    status=Status(
        subresource=status_subresource("metadata.deletionTimestamp", "metadata.ownerReferences"),
        initial=_initial_status,
    ),
    subresources=(
        ATTACH,
        BINDING_SUBRESOURCE,
        Subresource("ephemeralcontainers", writes=("spec.ephemeralContainers",), update_rules=(ephemeral_container_changes,)),
        EVICTION,
        EXEC,
        LOG,
        PORT_FORWARD,
        Subresource("resize", writes=RESIZABLE, merge=resize, update_rules=(resize_changes,)),
    ),
    strategy=Strategy(fill=_fill, rules=(_rules,), update_rules=(pod_changes,), grace=_grace),
    deletes_to_object=True,
)
