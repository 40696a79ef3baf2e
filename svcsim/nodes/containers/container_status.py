"""What the status of a pod says of a container."""

import hashlib

from svcsim.clock import format_time
from svcsim.meta.types import Json, Object
from svcsim.nodes.containers.container import Container
from svcsim.nodes.images.images import full_name, image_id

LOST: Object = {
    "exitCode": 137,
    "reason": "ContainerStatusUnknown",
    "message": "The container could not be located when the pod was terminated",
}
"""How a container has ended that wasn't there when its pod did: nobody knows when it began, nor when it ended."""


def container_id(pod_uid: str, name: str, restarts: int) -> str:
    """Looks like a runtime's; the same for the same container always."""
    return f"containerd://{hashlib.sha256(f'{pod_uid}/{name}/{restarts}'.encode()).hexdigest()}"


def state(container: Container, pod_uid: str, waiting: str) -> Object:
    """``state`` of a container's status. ``waiting`` is the reason of one that nothing has been done for yet."""
    if container.running and not container.hooked:
        return {"running": {"startedAt": format_time(container.started_at)}}
    if container.stage in {"exited", "stopped"}:
        return {"terminated": terminated(container, pod_uid)}
    if container.last is not None and not container.waiting_reason:
        return container.last  # it is being started again, and nothing else has become of it yet
    details: Object = {"reason": container.waiting_reason or waiting}
    if container.waiting_message:
        details["message"] = container.waiting_message
    return {"waiting": details}


def terminated(container: Container, pod_uid: str) -> Object:
    """How a container's process ended."""
    moments = {"startedAt": container.started_at, "finishedAt": container.finished_at}
    return {
        "exitCode": container.exit_code,
        "reason": container.exit_reason or reason_of(container.exit_code),
        **({"message": container.message} if container.message else {}),
        **{name: format_time(moment) for name, moment in moments.items() if moment},
        "containerID": container_id(pod_uid, container.spec.name, container.restarts),
    }


def reason_of(exit_code: int) -> str:
    """What a status says of a process that ended so, of which nothing else is known."""
    return "Error" if exit_code else "Completed"


def container_status(container: Container, pod_uid: str, waiting: str) -> Object:
    """An item of ``containerStatuses``."""
    created = container.started_at > 0
    status: dict[str, Json] = {
        "name": container.spec.name,
        "state": state(container, pod_uid, waiting),
        "lastState": container.last or {},
        "ready": container.ready,
        "restartCount": container.restarts,
        "image": full_name(container.spec.image) if created else container.spec.image,
        "imageID": image_id(container.spec.image) if created else "",
    }
    if container.spec.init and not container.spec.sidecar:  # it is ready when it has done what it is for
        status["ready"] = container.initialized
    if created:
        status["containerID"] = container_id(pod_uid, container.spec.name, container.restarts)
    if created and container.spec.stop_signal:
        status["stopSignal"] = f"SIG{container.spec.stop_signal}"
    if container.spec.ephemeral:  # nobody asks whether it serves
        status["ready"] = False
    else:
        status["started"] = container.started
    return status
