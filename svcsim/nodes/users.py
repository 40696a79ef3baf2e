"""As whom a container's processes run, and what they may do: what its security context says, or else that of its pod."""

from svcsim.meta.types import Object
from svcsim.nodes.shell.process import ProcessUser


def user_of(spec: Object, container: Object) -> ProcessUser:
    """The user of one of a pod's containers; root where nobody says otherwise, since no image is there to say it."""
    of_pod, own = spec.get("securityContext") or {}, container.get("securityContext") or {}
    groups = [*(of_pod.get("supplementalGroups") or ()), *((of_pod["fsGroup"],) if of_pod.get("fsGroup") is not None else ())]
    return ProcessUser(
        int(own.get("runAsUser", of_pod.get("runAsUser") or 0) or 0),
        int(own.get("runAsGroup", of_pod.get("runAsGroup") or 0) or 0),
        tuple(groups),
    )


def user_status(spec: Object, container: Object) -> Object:
    """``user`` of a container's status. The primary group is among the others, as runtimes tell it."""
    user = user_of(spec, container)
    return {"linux": {"uid": user.uid, "gid": user.gid, "supplementalGroups": list(dict.fromkeys((user.gid, *user.groups)))}}


_SECCOMP_OFF, _SECCOMP_FILTERS = 0, 2


def process_status(spec: Object, container: Object) -> str:
    """What the kernel tells a process of itself in ``/proc/self/status``, as far as the pod's spec decides it."""
    user, own = user_of(spec, container), container.get("securityContext") or {}
    profile = own.get("seccompProfile") or (spec.get("securityContext") or {}).get("seccompProfile") or {"type": "Unconfined"}
    filters = profile["type"] != "Unconfined" and not own.get("privileged")
    lines = {
        "Uid": "\t".join([str(user.uid)] * 4),
        "Gid": "\t".join([str(user.gid)] * 4),
        "Groups": " ".join(map(str, user.groups)),
        "NoNewPrivs": str(int(own.get("allowPrivilegeEscalation") is False)),
        "Seccomp": str(_SECCOMP_FILTERS if filters else _SECCOMP_OFF),
    }
    return "".join(f"{name}:\t{value}\n" for name, value in lines.items())
