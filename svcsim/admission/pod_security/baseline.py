"""What the level ``baseline`` forbids: known ways for a pod to get more than is its own."""

from collections.abc import Iterator

from svcsim.admission.pod_security.words import Finding, containers, context_of, counted, names_of, quoted_all, setters
from svcsim.meta.objects import get_path
from svcsim.meta.pods import containers_of
from svcsim.meta.quoting import quoted
from svcsim.meta.types import Object

_CAPABILITIES = (
    *("AUDIT_WRITE", "CHOWN", "DAC_OVERRIDE", "FOWNER", "FSETID", "KILL", "MKNOD", "NET_BIND_SERVICE", "SETFCAP", "SETGID", "SETPCAP"),
    *("SETUID", "SYS_CHROOT"),
)
SELINUX_TYPES = ("", "container_t", "container_init_t", "container_kvm_t")
SELINUX_TYPES_1_31 = (*SELINUX_TYPES, "container_engine_t")
_SECCOMP = "seccomp.security.alpha."
_SECCOMP_DEFAULTS = ("runtime/default", "docker/default")
_APPARMOR = "container.apparmor.security.beta."
_PROBES = ("livenessProbe", "readinessProbe", "startupProbe")
_HOOKS = ("postStart", "preStop")


def app_armor(metadata: Object, spec: Object) -> Finding | None:
    def profile(context: Object) -> str:
        return str((context.get("appArmorProfile") or {}).get("type") or "")

    found = setters(spec, lambda context: profile(context) == "Unconfined")
    annotations = (metadata.get("annotations") or {}).items()
    wrong = sorted(f"{key}={quoted(value)}" for key, value in annotations if key.startswith(_APPARMOR) and not _is_profile(value))
    values = [*(["Unconfined"] if found else []), *wrong]
    if wrong:
        found.append("annotation" if len(wrong) == 1 else "annotations")
    if not found:
        return None
    reason = "forbidden AppArmor profile" + ("s" if len(values) > 1 else "")
    return Finding(reason, f"{' and '.join(found)} must not set AppArmor profile type to {', '.join(map(quoted, values))}")


def _is_profile(value: str) -> bool:
    return value in ("", "runtime/default") or value.startswith("localhost/")


def capabilities(_metadata: Object, spec: Object) -> Finding | None:
    added = {name: None for container in containers_of(spec) for name in _added(container) if name not in _CAPABILITIES}
    names = names_of(spec, lambda container: any(name not in _CAPABILITIES for name in _added(container)))
    if not names:
        return None
    return Finding(
        "non-default capabilities", f"{containers(names)} must not include {quoted_all(sorted(added))} in securityContext.capabilities.add"
    )


def _added(container: Object) -> list[str]:
    return (context_of(container).get("capabilities") or {}).get("add") or []


def host_namespaces(_metadata: Object, spec: Object) -> Finding | None:
    found = [f"{name}=true" for name in ("hostNetwork", "hostPID", "hostIPC") if spec.get(name)]
    return Finding("host namespaces", ", ".join(found)) if found else None


def host_path_volumes(_metadata: Object, spec: Object) -> Finding | None:
    names = [volume["name"] for volume in spec.get("volumes") or () if "hostPath" in volume]
    return Finding("hostPath volumes", counted(names, "volume", "volumes")) if names else None


def host_ports(_metadata: Object, spec: Object) -> Finding | None:
    ports = {port["hostPort"]: None for container in containers_of(spec) for port in container.get("ports") or () if port.get("hostPort")}
    names = names_of(spec, lambda container: any(port.get("hostPort") for port in container.get("ports") or ()))
    if not names:
        return None
    use, what = ("uses" if len(names) == 1 else "use"), ("hostPort" if len(ports) == 1 else "hostPorts")
    return Finding("hostPort", f"{containers(names)} {use} {what} {', '.join(map(str, sorted(ports)))}")


def hosts_of_probes(_metadata: Object, spec: Object) -> Finding | None:
    hosts = {host: None for container in containers_of(spec) for host in _hosts(container)}
    names = names_of(spec, lambda container: any(_hosts(container)))
    if not names:
        return None
    use, what = ("uses" if len(names) == 1 else "use"), ("host" if len(hosts) == 1 else "hosts")
    return Finding("probe or lifecycle host", f"{containers(names)} {use} probe or lifecycle {what} {quoted_all(sorted(hosts))}")


def _hosts(container: Object) -> Iterator[str]:
    handlers = [container.get(name) or {} for name in _PROBES]
    handlers += [(container.get("lifecycle") or {}).get(name) or {} for name in _HOOKS]
    for handler in handlers:
        for way in ("httpGet", "tcpSocket"):
            if host := (handler.get(way) or {}).get("host"):
                yield host


def privileged(_metadata: Object, spec: Object) -> Finding | None:
    names = names_of(spec, lambda container: context_of(container).get("privileged"))
    return Finding("privileged", f"{containers(names)} must not set securityContext.privileged=true") if names else None


def proc_mount(_metadata: Object, spec: Object) -> Finding | None:
    def unusual(container: Object) -> str:
        mount = context_of(container).get("procMount") or "Default"
        return "" if mount == "Default" else mount

    names = names_of(spec, unusual)
    found = {mount: None for container in containers_of(spec) if (mount := unusual(container))}
    if not names:
        return None
    return Finding("procMount", f"{containers(names)} must not set securityContext.procMount to {quoted_all(sorted(found))}")


def selinux(allowed: tuple[str, ...], spec: Object) -> Finding | None:
    def options(context: Object) -> Object:
        found: Object = context.get("seLinuxOptions") or {}
        return found

    def wrong(context: Object) -> bool:
        found = options(context)
        return (found.get("type") or "") not in allowed or bool(found.get("user")) or bool(found.get("role"))

    found = setters(spec, wrong)
    if not found:
        return None
    all_of_them = [options(context_of(one)) for one in (spec, *containers_of(spec))]
    types = sorted({one["type"] for one in all_of_them if (one.get("type") or "") not in allowed})
    told = [counted(types, "type", "types")] if types else []
    told += [f"{field} may not be set" for field in ("user", "role") if any(one.get(field) for one in all_of_them)]
    return Finding("seLinuxOptions", f"{' and '.join(found)} set forbidden securityContext.seLinuxOptions: {'; '.join(told)}")


def seccomp_annotations(metadata: Object, spec: Object) -> Finding | None:
    """As it was said before there were fields for it."""
    ends = tuple(f"/{container.get('name')}" for container in containers_of(spec))
    wrong: list[str] = []
    for key, value in sorted((metadata.get("annotations") or {}).items()):
        of_pod = key.startswith(_SECCOMP) and key.endswith("/pod")
        of_container = key.startswith(f"container.{_SECCOMP}") and key.endswith(ends)
        if (of_pod or of_container) and value not in _SECCOMP_DEFAULTS and not value.startswith("localhost/"):
            wrong.append(f"{key}={quoted(value)}")
    if not wrong:
        return None
    return Finding("seccompProfile", f"forbidden annotation{'s' if len(wrong) > 1 else ''} {', '.join(wrong)}")


def seccomp_type(context: Object) -> str:
    return str((context.get("seccompProfile") or {}).get("type") or "")


def seccomp(_metadata: Object, spec: Object) -> Finding | None:
    found = setters(spec, lambda context: seccomp_type(context) == "Unconfined")
    if not found:
        return None
    return Finding("seccompProfile", f'{" and ".join(found)} must not set securityContext.seccompProfile.type to "Unconfined"')


def sysctls(allowed: tuple[str, ...], spec: Object) -> Finding | None:
    names = [one["name"] for one in get_path(spec, "securityContext.sysctls") or () if one["name"] not in allowed]
    return Finding("forbidden sysctls", ", ".join(names)) if names else None


def windows_host_process(_metadata: Object, spec: Object) -> Finding | None:
    found = setters(spec, lambda context: bool((context.get("windowsOptions") or {}).get("hostProcess")))
    detail = f"{' and '.join(found)} must not set securityContext.windowsOptions.hostProcess=true"
    return Finding("hostProcess", detail) if found else None
