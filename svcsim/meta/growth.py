"""How a claim says that its volume is being changed: one side grows the disk, the other, on the node, what is on it.

``status.allocatedResourceStatuses`` says who is at it, conditions tell people, ``status.allocatedResources`` is the size that is aimed at.
"""

from collections.abc import Sequence

from svcsim.meta.objects import get_path
from svcsim.meta.types import Object

CONTROLLER_AT_IT = "ControllerResizeInProgress"
NODE_PENDING = "NodeResizePending"
RESIZING = "Resizing"
FILE_SYSTEM_PENDING = "FileSystemResizePending"
CONTROLLER_ERROR = "ControllerResizeError"
_OF_RESIZING = (RESIZING, FILE_SYSTEM_PENDING, CONTROLLER_ERROR, "NodeResizeError")


def resize_status(claim: Object) -> str:
    """Who is at it; empty where nobody is."""
    found: str = get_path(claim, "status.allocatedResourceStatuses.storage") or ""
    return found


def aimed_at(claim: Object) -> str:
    """The size that is aimed at; empty for none."""
    found: str = get_path(claim, "status.allocatedResources.storage") or ""
    return found


def with_conditions(status: Object, conditions: Sequence[Object], among: Sequence[str] = _OF_RESIZING) -> Object:
    """A status with these conditions, of those that are spoken of; the others stay."""
    kept = [one for one in status.get("conditions") or () if one["type"] not in among]
    found = {**status, "conditions": [*kept, *conditions]}
    if not found["conditions"]:
        del found["conditions"]
    return found


def growing(claim: Object, size: str, now: str) -> Object:
    """The status of a claim whose disk is being grown."""
    status = {
        **claim["status"],
        "allocatedResources": {**(get_path(claim, "status.allocatedResources") or {}), "storage": size},
        "allocatedResourceStatuses": {**(get_path(claim, "status.allocatedResourceStatuses") or {}), "storage": CONTROLLER_AT_IT},
    }
    return with_conditions(status, [told(RESIZING, now, reason="ResizeStarted")])


def awaits_node(claim: Object, now: str) -> Object:
    """The status of a claim whose disk has grown."""
    statuses = {**(get_path(claim, "status.allocatedResourceStatuses") or {}), "storage": NODE_PENDING}
    message = "Waiting for user to (re-)start a pod to finish file system resize of volume on node."
    status = {**claim["status"], "allocatedResourceStatuses": statuses}
    return with_conditions(status, [told(FILE_SYSTEM_PENDING, now, message=message)])


def grown(claim: Object) -> Object:
    """The status of a claim that has the size that was aimed at."""
    statuses = {name: value for name, value in (get_path(claim, "status.allocatedResourceStatuses") or {}).items() if name != "storage"}
    status = {**claim["status"], "capacity": {**(get_path(claim, "status.capacity") or {}), "storage": aimed_at(claim)}}
    status.pop("allocatedResourceStatuses", None)
    if statuses:
        status["allocatedResourceStatuses"] = statuses
    return with_conditions(status, [])


def told(kind: str, now: str, *, reason: str = "", message: str = "") -> Object:
    """A condition that holds."""
    said = {"reason": reason, "message": message}
    return {"type": kind, "status": "True", "lastTransitionTime": now, **{name: value for name, value in said.items() if value}}
