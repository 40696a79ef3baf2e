"""What makes a PodSecurityPolicy right: known rules, ranges in order, and nothing that is both allowed and refused."""

import re
from collections.abc import Callable, Iterator
from typing import Final

from svcsim.kinds.shared.checks import one_of
from svcsim.meta.errors import FieldError, duplicate, forbidden_field, invalid_value, required, unsupported
from svcsim.meta.names import dns_subdomain
from svcsim.meta.quoting import quoted
from svcsim.meta.types import Json, Object

_ALL: Final = "*"
_ANY, _MUST, _MAY, _NOT_ROOT = "RunAsAny", "MustRunAs", "MayRunAs", "MustRunAsNonRoot"
_SYSCTL_CHARS: Final = 253
_SEGMENT: Final = "[a-z0-9]([-_a-z0-9]*[a-z0-9])?"
_SYSCTL: Final = rf"({_SEGMENT}[\./])*([a-z0-9][-_a-z0-9]*)?[a-z0-9*]"
_sysctl_matches: Final = re.compile(_SYSCTL, re.ASCII).fullmatch
_VOLUMES: Final = (
    *("*", "awsElasticBlockStore", "azureDisk", "azureFile", "cephFS", "cinder", "configMap", "csi", "downwardAPI", "emptyDir"),
    *("ephemeral", "fc", "flexVolume", "flocker", "gcePersistentDisk", "gitRepo", "glusterfs", "hostPath", "iscsi", "nfs"),
    *("persistentVolumeClaim", "photonPersistentDisk", "portworxVolume", "projected", "quobyte", "rbd", "scaleIO", "secret"),
    *("storageos", "vsphereVolume"),
)
_NO_RANGE: Final = "must provide at least one range"
_ESCALATION: Final = "Cannot set DefaultAllowPrivilegeEscalation to true without also setting AllowPrivilegeEscalation to true"


def _ruled(*rules: str) -> Callable[[Json, str], Iterator[FieldError]]:
    """One of these rules, with ranges that are any, and some where there is a choice to make."""

    def check(options: Json, path: str) -> Iterator[FieldError]:
        rule, ranges = options.get("rule") or "", options.get("ranges") or []
        yield from one_of(*rules)(rule, f"{path}.rule")
        if rule == _MUST and not ranges:
            yield invalid_value(f"{path}.ranges", ranges, _NO_RANGE)
        yield from _range_rules(options, path)

    return check


user_rules: Final = _ruled(_MUST, _NOT_ROOT, _ANY)
group_rules: Final = _ruled(_MAY, _MUST, _ANY)


def selinux_rules(options: Json, path: str) -> Iterator[FieldError]:
    """One of two rules, and no ranges."""
    yield from one_of(_MUST, _ANY)(options.get("rule") or "", f"{path}.rule")


def optional_group_rules(options: Json, path: str) -> Iterator[FieldError]:
    """Ranges where the rule is about some, none where it is about any."""
    rule, ranges = options.get("rule") or "", options.get("ranges") or []
    if rule not in (_MAY, _MUST, _ANY):
        yield unsupported(f"{path}.rule", rule, (_MAY, _MUST, _ANY))
    elif rule == _ANY and ranges:
        yield invalid_value(f"{path}.ranges", ranges, "Ranges must be empty")
    elif rule != _ANY and not ranges:
        yield invalid_value(f"{path}.ranges", ranges, _NO_RANGE)
    else:
        yield from _range_rules(options, path)


def _range_rules(options: Object, path: str) -> Iterator[FieldError]:
    for index, one in enumerate(options.get("ranges") or ()):
        where, first, last = f"{path}.ranges[{index}]", one.get("min") or 0, one.get("max") or 0
        if first < 0:
            yield invalid_value(f"{where}.min", first, "min cannot be negative")
        if last < 0:
            yield invalid_value(f"{where}.max", last, "max cannot be negative")
        if first > last:
            yield invalid_value(f"{where}.min", first, "min cannot be greater than max")


def volume_rules(volumes: Json, path: str) -> Iterator[FieldError]:
    """Types there are."""
    for volume in volumes:
        yield from one_of(*_VOLUMES)(volume, path)


def host_path_rules(paths: Json, path: str) -> Iterator[FieldError]:
    """Paths that lead nowhere else."""
    for index, one in enumerate(paths):
        prefix, where = one.get("pathPrefix") or "", f"{path}[{index}]"
        if not prefix:
            yield required(where, "is required")
            return
        if ".." in prefix.split("/"):
            yield invalid_value(where, prefix, "must not contain '..'")
        if _ALL in prefix:
            yield invalid_value(where, prefix, "must not contain '*'")


def sysctl_rules(sysctls: Json, path: str) -> Iterator[FieldError]:
    """Names, or beginnings of names with a star."""
    for index, sysctl in enumerate(sysctls):
        where = f"{path}[{index}]"
        if not sysctl:
            yield invalid_value(where, sysctl, "empty sysctl not allowed")
        elif len(sysctl) > _SYSCTL_CHARS or not _sysctl_matches(sysctl):
            yield invalid_value(where, sysctl, f"must have at most {_SYSCTL_CHARS} characters and match regex {_SYSCTL}")
    if any(sysctl[:1] == _ALL for sysctl in sysctls) and len(sysctls) > 1:
        yield forbidden_field(f"{path}.items", "if '*' is present, must not specify other sysctls")


def runtime_rules(options: Json, path: str) -> Iterator[FieldError]:
    """Names, each once, or the star alone; the default is one of them."""
    names, where = options.get("allowedRuntimeClassNames") or [], f"{path}.allowedRuntimeClassNames"
    for index, name in enumerate(names):
        if name != _ALL:
            yield from (invalid_value(f"{where}[{index}]", name, finding) for finding in dns_subdomain(name))
        if name in names[:index]:
            yield duplicate(f"{where}[{index}]", name)
    default = options.get("defaultRuntimeClassName")
    if default is not None:
        yield from (invalid_value(f"{path}.defaultRuntimeClassName", default, finding) for finding in dns_subdomain(default))
        if default not in names and _ALL not in names:
            yield required(where, f"default runtimeClassName {quoted(default)} must be allowed")
    if _ALL in names and len(set(names)) > 1:
        yield invalid_value(where, names, "if '*' is present, must not specify other RuntimeClass names")


def spec_rules(spec: Json, path: str) -> Iterator[FieldError]:
    """What is allowed, and what isn't, fit each other."""
    drops, allowed = spec.get("requiredDropCapabilities") or [], spec.get("allowedCapabilities") or []
    if drops and _ALL in allowed:
        yield invalid_value("requiredDropCapabilities", drops, "must be empty when all capabilities are allowed by a wildcard")
    for field in ("defaultAddCapabilities", "allowedCapabilities"):
        for capability in spec.get(field) or ():
            if capability in drops:
                yield invalid_value(field, capability, f"capability is listed in {field} and requiredDropCapabilities")
    if spec.get("defaultAllowPrivilegeEscalation") and spec.get("allowPrivilegeEscalation") is False:
        yield invalid_value(f"{path}.defaultAllowPrivilegeEscalation", True, _ESCALATION)
    yield from _overlaps(spec, path)


def _overlaps(spec: Object, path: str) -> Iterator[FieldError]:
    for index, allowed in enumerate(spec.get("allowedUnsafeSysctls") or ()):
        for other, forbidden in enumerate(spec.get("forbiddenSysctls") or ()):
            if _covers(forbidden, allowed):
                yield invalid_value(f"{path}.allowedUnsafeSysctls[{index}]", allowed, f"sysctl overlaps with {forbidden}")
            elif _covers(allowed, forbidden):
                yield invalid_value(f"{path}.forbiddenSysctls[{other}]", forbidden, f"sysctl overlaps with {allowed}")


def _covers(pattern: str, sysctl: str) -> bool:
    """Whether all that the second stands for is among what the first does."""
    if pattern.endswith(_ALL):
        return sysctl.removesuffix(_ALL).startswith(pattern.removesuffix(_ALL))
    return pattern == sysctl
