"""Profiles of seccomp and AppArmor that containers are to have (``Localhost``), and that their node must have.

A simulated node has none of its own. Who brings profiles to nodes does so by pods that mount the directories for them (``hostPath``): a
node on which that has been done is taken to have whatever is asked for.
"""

from collections.abc import Callable

from svcsim.meta.types import Object

_SECCOMP, _APPARMOR = "seccompProfile", "appArmorProfile"
_SECCOMP_ROOT, _APPARMOR_ROOT = "/var/lib/kubelet/seccomp", "/etc/apparmor.d"


def names_profile(context: Object) -> bool:
    """Whether a security context, a pod's or a container's, names a profile that the node must have."""
    return any((context.get(field) or {}).get("type") == "Localhost" for field in (_SECCOMP, _APPARMOR))


def profile_error(spec: Object, container: Object, is_there: Callable[[str], bool]) -> str:
    """Why a runtime can't make a container, for want of a profile; empty if it can. ``is_there`` tells of paths on the node's disk."""
    name = _named(spec, container, _APPARMOR)
    if name and not is_there(_APPARMOR_ROOT):
        return f"failed to get container spec opts: failed to generate apparmor spec opts: apparmor profile not found {name}"
    name = _named(spec, container, _SECCOMP)
    if name and not is_there(_SECCOMP_ROOT) and not (container.get("securityContext") or {}).get("privileged"):
        path = f"{_SECCOMP_ROOT}/{name}"
        return f'failed to create containerd container: cannot load seccomp profile "{path}": open {path}: no such file or directory'
    return ""


def _named(spec: Object, container: Object, field: str) -> str:
    """The profile on the node that a container is to have; empty for another, or none."""
    profile = (container.get("securityContext") or {}).get(field) or (spec.get("securityContext") or {}).get(field) or {}
    return str(profile.get("localhostProfile") or "") if profile.get("type") == "Localhost" else ""
