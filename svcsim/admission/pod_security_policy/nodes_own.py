"""What is the node's own: its namespaces, its ports, its kernel's parameters, and how pods are run on it."""

from collections.abc import Iterator

from svcsim.admission.pod_security_policy.case import ALL, Case, ranges_of
from svcsim.meta.errors import FieldError, forbidden_field, invalid_value
from svcsim.meta.quoting import quoted
from svcsim.meta.sysctls import SYSCTLS
from svcsim.meta.types import Object

_NAMESPACES = (("hostNetwork", "Host network"), ("hostPID", "Host PID"), ("hostIPC", "Host IPC"))
_TURNED = str.maketrans("./", "/.")


def fill_pod(case: Case) -> None:
    default = (case.rules.get("runtimeClass") or {}).get("defaultRuntimeClassName")
    if default is not None and case.spec.get("runtimeClassName") is None:
        case.spec["runtimeClassName"] = default


def check_pod(case: Case) -> Iterator[FieldError]:
    for name, told in _NAMESPACES:
        if case.spec.get(name) and not case.rules.get(name):
            yield invalid_value(f"spec.securityContext.{name}", True, f"{told} is not allowed to be used")
    yield from _check_sysctls(case)


def check_runtime_class(case: Case) -> Iterator[FieldError]:
    rule, name = case.rules.get("runtimeClass"), case.spec.get("runtimeClassName")
    if rule is not None and name is not None:
        allowed = rule.get("allowedRuntimeClassNames") or ()
        if name not in allowed and ALL not in allowed:
            yield invalid_value("spec.runtimeClassName", name, "")


def check_container(case: Case, container: Object, path: str) -> Iterator[FieldError]:
    ranges = ranges_of(case.rules.get("hostPorts"))
    for one in container.get("ports") or ():
        port = one.get("hostPort") or 0
        if port > 0 and not any(first <= port <= last for first, last in ranges):
            allowed = ",".join(str(first) if first == last else f"{first}-{last}" for first, last in ranges)
            yield invalid_value(f"{path}.hostPort", port, f"Host port {port} is not allowed to be used. Allowed ports: [{allowed}]")


def _check_sysctls(case: Case) -> Iterator[FieldError]:
    forbidden, allowed = (case.rules.get(name) or () for name in ("forbiddenSysctls", "allowedUnsafeSysctls"))
    for index, one in enumerate(case.context.get("sysctls") or ()):
        told, path = one.get("name") or "", f"pod.spec.securityContext.sysctls[{index}]"
        name = _with_dots(told)
        if _is_among(name, forbidden):
            yield forbidden_field(path, f"sysctl {quoted(told)} is not allowed")
        elif name not in SYSCTLS and not _is_among(name, allowed):
            yield forbidden_field(path, f"unsafe sysctl {quoted(told)} is not allowed")


def _is_among(name: str, patterns: list[str] | tuple[()]) -> bool:
    return any(name.startswith(one[:-1]) if one.endswith(ALL) else name == _with_dots(one) for one in patterns)


def _with_dots(name: str) -> str:
    """A parameter may be written with slashes, and then with dots within its parts: ``net/ipv4/conf/eth0.1/forwarding``."""
    first = next((letter for letter in name if letter in "./"), ".")
    return name if first == "." else name.translate(_TURNED)
