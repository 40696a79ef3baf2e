"""What makes privileges of pods and containers right: profiles, escalation, kernel parameters."""

import re
from collections.abc import Iterator
from typing import Final

from svcsim.kinds.shared.pod_spec.container_rules import descending_path
from svcsim.meta.errors import FieldError, duplicate, invalid_value, required, too_long
from svcsim.meta.types import Json

HOST_SYSCTLS: Final = (("hostNetwork", ("net.",)), ("hostIPC", ("kernel.shm", "kernel.msg", "kernel.sem", "fs.mqueue.")))
"""Kernel parameters that a pod can't have of its own while it shares that with its node, by the beginnings of their names."""
_SYSCTL_MAX_CHARS = 253
_SYSCTL = re.compile(r"([a-z0-9]([-_a-z0-9]*[a-z0-9])?[./])*[a-z0-9]([-_a-z0-9]*[a-z0-9])?", re.ASCII)
_PROFILE_BYTES = 4095


def seccomp_rules(profile: Json, path: str) -> Iterator[FieldError]:
    """A profile's file is named exactly when its type says that it lies on the node, and lies below the place for such files."""
    where, file = f"{path}.localhostProfile", profile.get("localhostProfile")
    if profile.get("type") != "Localhost":
        if file is not None:
            yield invalid_value(where, profile, "can only be set when seccomp type is Localhost")
    elif file is None:
        yield required(where, "must be set when seccomp type is Localhost")
    else:
        yield from descending_path(file, where)


def app_armor_rules(profile: Json, path: str) -> Iterator[FieldError]:
    """A profile is named exactly when its type says that it is loaded on the node."""
    where, name = f"{path}.localhostProfile", profile.get("localhostProfile")
    if profile.get("type") != "Localhost":
        if name is not None:
            yield invalid_value(where, name, "can only be set when AppArmor type is Localhost")
        return
    if name is None or not name:
        yield required(where, "must be set when AppArmor type is Localhost")
        return
    if name != name.strip():
        yield invalid_value(where, name, "must not be padded with whitespace")
    if len(name.encode()) > _PROFILE_BYTES:
        yield too_long(where, _PROFILE_BYTES)


def escalation_rules(context: Json, path: str) -> Iterator[FieldError]:
    """Who has all privileges can't be kept from gaining more."""
    if context.get("allowPrivilegeEscalation") is not False:
        return
    if context.get("privileged"):
        yield invalid_value(path, context, "cannot set `allowPrivilegeEscalation` to false and `privileged` to true")
    if "CAP_SYS_ADMIN" in ((context.get("capabilities") or {}).get("add") or ()):
        detail = "cannot set `allowPrivilegeEscalation` to false and `capabilities.Add` CAP_SYS_ADMIN"
        yield invalid_value(path, context, detail)


def sysctl_rules(sysctls: Json, path: str) -> Iterator[FieldError]:
    """Kernel parameters by their names, each once."""
    seen: set[str] = set()
    for index, sysctl in enumerate(sysctls):
        name, where = sysctl.get("name") or "", f"{path}[{index}].name"
        if not name:
            continue
        if len(name) > _SYSCTL_MAX_CHARS or not _SYSCTL.fullmatch(name):
            detail = f"must have at most {_SYSCTL_MAX_CHARS} characters and match regex ^{_SYSCTL.pattern}$"
            yield invalid_value(where, name, detail)
        elif name in seen:
            yield duplicate(where, name)
        seen.add(name)
