"""As whom a container's processes run, and what they may do: what its security context says, or else that of its pod."""

from svcsim.meta.objects import name_of, namespace_of, uid_of
from svcsim.meta.types import Object
from svcsim.nodes.images.images import base_name, full_name
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


def user_of_all(spec: Object) -> int | None:
    """The user that all of a pod's containers say that they are; None where they don't all say one, and the same."""
    of_pod = (spec.get("securityContext") or {}).get("runAsUser")
    containers = [one for field in ("initContainers", "containers") for one in spec.get(field) or ()]
    said = {(one.get("securityContext") or {}).get("runAsUser", of_pod) for one in containers}
    return said.pop() if len(said) == 1 else None


def user_status(spec: Object, container: Object) -> Object:
    """``user`` of a container's status. The primary group is among the others, as runtimes tell it."""
    user = user_of(spec, container)
    return {"linux": {"uid": user.uid, "gid": user.gid, "supplementalGroups": list(dict.fromkeys((user.gid, *user.groups)))}}


_ROOTS = frozenset((
    "alpine", "busybox", "caddy", "debian", "golang", "hello-world", "httpd", "mariadb", "mongo", "mysql", "nginx", "node", "perl",
    "postgres", "python", "redis", "traefik", "ubuntu", "wordpress",
))  # fmt: skip
"""Images of Docker Hub's library that are known to start as root."""


def root_refused(pod: Object, container: Object) -> str:
    """Why a container can't be made that mustn't run as root; empty if it can. Of most images nobody knows here as whom they start."""
    of_pod, own = pod["spec"].get("securityContext") or {}, container.get("securityContext") or {}
    if not own.get("runAsNonRoot", of_pod.get("runAsNonRoot")):
        return ""
    user, image = own.get("runAsUser", of_pod.get("runAsUser")), container.get("image") or ""
    if user is None:
        is_root = full_name(image).startswith("docker.io/library/") and base_name(image) in _ROOTS
        why = "container has runAsNonRoot and image will run as root" if is_root else ""
    else:
        why = "" if user else "container's runAsUser breaks non-root policy"
    label = f"{name_of(pod)}_{namespace_of(pod)}({uid_of(pod)})"
    return f'{why} (pod: "{label}", container: {container["name"]})' if why else ""


_SECCOMP_OFF, _SECCOMP_FILTERS = 0, 2


def process_status(spec: Object, container: Object) -> str:
    """What the kernel tells a process of itself in ``/proc/self/status``, as far as the pod's spec decides it."""
    user, own = user_of(spec, container), container.get("securityContext") or {}
    profile = own.get("seccompProfile") or (spec.get("securityContext") or {}).get("seccompProfile") or {"type": "Unconfined"}
    filters = profile["type"] != "Unconfined" and not own.get("privileged")
    lines = {
        "Uid": "\t".join([str(user.uid)] * 4),
        "Gid": "\t".join([str(user.gid)] * 4),
        "Groups": " ".join(map(str, sorted(user.groups))),
        "NoNewPrivs": str(int(own.get("allowPrivilegeEscalation") is False)),
        "Seccomp": str(_SECCOMP_FILTERS if filters else _SECCOMP_OFF),
    }
    return "".join(f"{name}:\t{value}\n" for name, value in lines.items())
