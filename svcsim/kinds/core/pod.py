"""Pod: containers that run together on a node."""

from svcsim.kinds.core.pod_actions import ATTACH, BINDING_SUBRESOURCE, EVICTION, EXEC, LOG, PORT_FORWARD, RESIZABLE, resize
from svcsim.kinds.groups import CORE_V1
from svcsim.kinds.pod_template.changes import ephemeral_container_changes, pod_changes, resize_changes
from svcsim.kinds.pod_template.columns import POD_COLUMNS
from svcsim.kinds.pod_template.quality import qos_class
from svcsim.kinds.pod_template.spec import POD_SPEC
from svcsim.kinds.pod_template.status import POD_STATUS
from svcsim.meta.errors import FieldError, forbidden_field
from svcsim.meta.objects import get_path
from svcsim.meta.types import Object
from svcsim.registry.kind import Context, Kind, Selectable, Strategy, Subresource, status
from svcsim.schema.types import Field, Struct

_ENDED = ("Succeeded", "Failed")


def _requests_from_limits(holder: Object) -> None:
    """What has a limit and no request asks for its limit."""
    resources = holder.get("resources") or {}
    if limits := resources.get("limits"):
        resources["requests"] = {**limits, **(resources.get("requests") or {})}


def _fill(pod: Object, context: Context) -> None:  # noqa: ARG001 - a hook's signature
    """Defaults of a pod that a pod template doesn't have."""
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


def _create(pod: Object, context: Context) -> None:
    pod["status"] = {"phase": "Pending", "qosClass": qos_class(pod["spec"])}
    if pod["spec"].get("schedulingGates"):
        pod["status"]["conditions"] = [
            {
                "type": "PodScheduled",
                "status": "False",
                "lastTransitionTime": context.timestamp,
                "reason": "SchedulingGated",
                "message": "Scheduling is blocked due to non-empty scheduling gates",
            }
        ]


def _grace(pod: Object, context: Context) -> int | None:  # noqa: ARG001 - a hook's signature
    """A pod that no node knows, or that has ended, needs no time to stop."""
    spec = pod.get("spec") or {}
    if not spec.get("nodeName") or get_path(pod, "status.phase") in _ENDED:
        return None
    seconds: int = spec.get("terminationGracePeriodSeconds", 30)
    return seconds if seconds >= 0 else 1


def _creation_rules(pod: Object, context: Context) -> list[FieldError]:  # noqa: ARG001 - a rule's signature
    spec = pod.get("spec") or {}
    found: list[FieldError] = []
    if spec.get("schedulingGates") and spec.get("nodeName"):
        found.append(forbidden_field("spec.nodeName", "cannot be set until all schedulingGates have been cleared"))
    return found


POD = Kind(
    "Pod",
    CORE_V1,
    "pods",
    Struct(
        "Pod",
        Field(2, "spec", POD_SPEC, "What the pod is to be", default={}),
        Field(3, "status", POD_STATUS, "How the pod is", default={}),
        doc="Containers that run together on a node",
    ),
    short=("po",),
    singular="pod",
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
    subresources=(
        ATTACH,
        BINDING_SUBRESOURCE,
        Subresource("ephemeralcontainers", writes=("spec.ephemeralContainers",), update_rules=(ephemeral_container_changes,)),
        EVICTION,
        EXEC,
        LOG,
        PORT_FORWARD,
        Subresource("resize", writes=RESIZABLE, merge=resize, update_rules=(resize_changes,)),
        status("metadata.deletionTimestamp", "metadata.ownerReferences"),
    ),
    strategy=Strategy(fill=_fill, create=_create, rules=(_creation_rules,), update_rules=(pod_changes,), grace=_grace),
    generation=True,
    deletes_to_object=True,
    doc="Containers that run together on a node",
)
