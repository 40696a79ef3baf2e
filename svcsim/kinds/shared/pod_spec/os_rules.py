"""What a pod may say depending on the operating system it needs: much is for one of them alone."""

import re
from collections.abc import Iterable, Iterator

from svcsim.kinds.shared.checks import one_of
from svcsim.meta.errors import FieldError, forbidden_field, invalid_value
from svcsim.meta.names import dns_subdomain
from svcsim.meta.pods import CONTAINERS
from svcsim.meta.types import Json, Object

_SYSTEM = one_of("linux", "windows")
_NOT_ON_WINDOWS = "cannot be set for a windows pod"
_OF_PODS = ("hostUsers", "hostPID", "hostIPC", "shareProcessNamespace")
_OF_POD_CONTEXTS = (
    "appArmorProfile",
    "seLinuxOptions",
    "seccompProfile",
    "fsGroup",
    "fsGroupChangePolicy",
    "sysctls",
    "runAsUser",
    "runAsGroup",
    "supplementalGroups",
    "supplementalGroupsPolicy",
    "seLinuxChangePolicy",
)
_OF_CONTEXTS = (
    "appArmorProfile",
    "seLinuxOptions",
    "seccompProfile",
    "capabilities",
    "readOnlyRootFilesystem",
    "privileged",
    "allowPrivilegeEscalation",
    "procMount",
    "runAsUser",
    "runAsGroup",
)
_NUMBERED_SIGNALS = (
    "SIGRTMIN",
    *(f"SIGRTMIN+{number}" for number in range(1, 16)),
    *(f"SIGRTMAX-{number}" for number in range(14, 0, -1)),
    "SIGRTMAX",
)
_NAMED_SIGNALS = (
    *("SIGABRT", "SIGALRM", "SIGBUS", "SIGCHLD", "SIGCLD", "SIGCONT", "SIGFPE", "SIGHUP", "SIGILL", "SIGINT", "SIGIO", "SIGIOT"),
    *("SIGKILL", "SIGPIPE", "SIGPOLL", "SIGPROF", "SIGPWR", "SIGQUIT", "SIGSEGV", "SIGSTKFLT", "SIGSTOP", "SIGSYS", "SIGTERM"),
    *("SIGTRAP", "SIGTSTP", "SIGTTIN", "SIGTTOU", "SIGURG", "SIGUSR1", "SIGUSR2", "SIGVTALRM", "SIGWINCH", "SIGXCPU", "SIGXFSZ"),
)
_SIGNALS = {"linux": one_of(*sorted((*_NAMED_SIGNALS, *_NUMBERED_SIGNALS))), "windows": one_of("SIGKILL", "SIGTERM")}
_SPEC_KIB = 64
_DOMAIN_CHARS = 256
_USER_CHARS = 104
_CONTROL = re.compile(r"[\x00-\x1f\x7f]")
_NET_BIOS = re.compile(r'[^\\/:*?"<>|.][^\\/:*?"<>|]{0,14}')
_DNS_PART = r"[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?"
_DNS = re.compile(rf"{_DNS_PART}(?:\.{_DNS_PART})*")
_DOTS_AND_SPACES = re.compile(r"[. ]+")
_NOT_IN_USERS = re.compile(r'["/\\:;|=,+*?<>@\[\]]')


def os_rules(spec: Object, containers: list[Object], path: str) -> list[FieldError]:
    """What fits the operating system that the pod names, and what runs as a process of a Windows host."""
    findings: list[FieldError] = []
    if spec.get("os") is not None:
        findings += _system_rules(spec["os"].get("name") or "", spec, path)
    if [holder for holder in (spec, *containers) if "securityContext" in holder and holder["securityContext"].get("windowsOptions")]:
        findings += _host_processes(spec, path)
    return findings


def _system_rules(name: str, spec: Object, path: str) -> Iterable[FieldError]:
    if name == "linux":
        return _linux(spec, path)
    if name == "windows":
        return _windows(spec, path)
    return _SYSTEM(name, f"{path}.os") if name else ()


def stop_signal_rules(container: Object, spec: Object, path: str) -> Iterator[FieldError]:
    """Which signals there are, the system says; so it has to be known."""
    system, signal = (spec.get("os") or {}).get("name") or "", container["lifecycle"].get("stopSignal")
    if signal is not None and not system:
        yield forbidden_field(f"{path}.lifecycle.stopSignal", "may not be set for containers with empty `spec.os.name`")
    elif signal is not None and system in _SIGNALS:
        yield from _SIGNALS[system](signal, f"{path}.lifecycle.stopSignal")


def _holders(spec: Object, path: str) -> Iterator[tuple[str, Object]]:
    """The pod and its containers, each with its path."""
    yield path, spec
    yield from _containers(spec, path)


def _containers(spec: Object, path: str) -> Iterator[tuple[str, Object]]:
    for part in CONTAINERS:
        for index, container in enumerate(spec.get(part) or ()):
            yield f"{path}.{part}[{index}]", container


def _windows_options(holder: Object) -> Object | None:
    options: Object | None = (holder.get("securityContext") or {}).get("windowsOptions")
    return options


def _linux(spec: Object, path: str) -> Iterator[FieldError]:
    for where, holder in _holders(spec, path):
        if _windows_options(holder) is not None:
            yield forbidden_field(f"{where}.securityContext.windowsOptions", "windows options cannot be set for a linux pod")


def _windows(spec: Object, path: str) -> Iterator[FieldError]:
    yield from (forbidden_field(f"{path}.{name}", _NOT_ON_WINDOWS) for name in _OF_PODS if name in spec)
    for where, holder in _holders(spec, path):
        context = holder.get("securityContext") or {}
        for name in _OF_POD_CONTEXTS if holder is spec else _OF_CONTEXTS:
            if name in context:
                yield forbidden_field(f"{where}.securityContext.{name}", _NOT_ON_WINDOWS)


def _host_processes(spec: Object, path: str) -> Iterator[FieldError]:
    """Either all containers are processes of the host, on its network, or none is."""
    of_pod = (_windows_options(spec) or {}).get("hostProcess")
    on_host = []
    for where, container in _containers(spec, path):
        own = (_windows_options(container) or {}).get("hostProcess")
        if None not in (of_pod, own) and of_pod != own:
            detail = f"pod hostProcess value must be identical if both are specified, was {str(of_pod).lower()}"
            yield invalid_value(f"{where}.securityContext.windowsOptions.hostProcess", own, detail)
        on_host.append(bool(of_pod if own is None else own))
    if any(on_host):
        if not all(on_host):
            yield invalid_value(path, "", "If pod contains any hostProcess containers then all containers must be HostProcess containers")
        if not spec.get("hostNetwork"):
            yield invalid_value(f"{path}.hostNetwork", False, "hostNetwork must be true if pod contains any hostProcess containers")


def windows_rules(options: Json, path: str) -> Iterator[FieldError]:
    """What is wrong with settings for Windows."""
    if (name := options.get("gmsaCredentialSpecName")) is not None:
        yield from (invalid_value(f"{path}.gmsaCredentialSpecName", name, finding) for finding in dns_subdomain(name))
    if (spec := options.get("gmsaCredentialSpec")) is not None:
        if not spec:
            yield invalid_value(f"{path}.gmsaCredentialSpec", spec, "gmsaCredentialSpec cannot be an empty string")
        elif len(spec.encode()) > _SPEC_KIB * 1024:
            yield invalid_value(f"{path}.gmsaCredentialSpec", spec, f"gmsaCredentialSpec size must be under {_SPEC_KIB} KiB")
    if (user := options.get("runAsUserName")) is not None:
        yield from (invalid_value(f"{path}.runAsUserName", user, f"runAsUserName{finding}") for finding in _user_findings(user))


def _user_findings(text: str) -> list[str]:
    """What is wrong with the name of a user, who may have a domain with a backslash before it."""
    if not text:
        return [" cannot be an empty string"]
    if _CONTROL.search(text):
        return [" cannot contain control characters"]
    if text.count("\\") > 1:
        return [" cannot contain more than one backslash"]
    domain, slash, user = text.rpartition("\\")
    wrong = (
        (len(domain) >= _DOMAIN_CHARS, f"'s Domain length must be under {_DOMAIN_CHARS} characters"),
        (
            slash and not _NET_BIOS.fullmatch(domain) and not _DNS.fullmatch(domain),
            "'s Domain doesn't match the NetBios nor the DNS format",
        ),
        (not user, "'s User cannot be empty"),
        (len(user) > _USER_CHARS, f"'s User length must not be longer than {_USER_CHARS} characters"),
        (_DOTS_AND_SPACES.fullmatch(user), "'s User cannot contain only periods or spaces"),
        (_NOT_IN_USERS.search(user), "'s User cannot contain the following characters: \"/\\:;|=,+*?<>@[]"),
    )
    return [finding for found, finding in wrong if found]
