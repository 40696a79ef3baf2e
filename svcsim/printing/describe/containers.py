"""Containers, of pods and of templates for pods."""

from collections.abc import Callable

from svcsim.meta import quantity
from svcsim.meta.types import Json, Object
from svcsim.printing.describe.writer import Writer
from svcsim.printing.texts import rfc1123
from svcsim.printing.values import plain, quote

Resolve = Callable[[str], str]
"""From a field's path to its value in the pod."""


def describe_containers(
    writer: Writer, title: str, containers: list[Object], statuses: list[Object], resolve: Resolve | None = None, indent: str = ""
) -> None:
    """All containers of one sort. ``indent`` is two spaces inside a template."""
    by_name = {status["name"]: status for status in statuses}
    writer.line(f"{indent}{title}:{'' if containers else ' <none>'}")
    for container in containers:
        status = by_name.get(container["name"])
        writer.line(f"{' ' if indent else ''}{container['name']}:", 1)
        _basics(writer, container, status)
        for field in ("command", "args"):
            _words(writer, field.title(), container.get(field) or [])
        if status is not None:
            _state(writer, status)
        _resources(writer, container.get("resources") or {})
        for name in ("liveness", "readiness", "startup"):
            if probe := container.get(f"{name}Probe"):
                writer.field(name.title(), describe_probe(probe), 2)
        _env_from(writer, container.get("envFrom") or [])
        _env(writer, container, resolve)
        _mounts(writer, container)


def _basics(writer: Writer, container: Object, status: Object | None) -> None:
    if status is not None:
        writer.field("Container ID", status.get("containerID", ""), 2)
    writer.field("Image", container.get("image", ""), 2)
    if status is not None:
        writer.field("Image ID", status.get("imageID", ""), 2)
    ports = container.get("ports") or []
    shown = ", ".join(f"{port.get('containerPort', 0)}/{port.get('protocol', 'TCP')}" for port in ports)
    writer.field("Ports" if "," in shown else "Port", shown or "<none>", 2)
    on_host = ", ".join(f"{port.get('hostPort', 0)}/{port.get('protocol', 'TCP')}" for port in ports)
    writer.field("Host Ports" if "," in on_host else "Host Port", on_host or "<none>", 2)
    if profile := (container.get("securityContext") or {}).get("seccompProfile"):
        writer.field("SeccompProfile", profile["type"], 2)
        if profile["type"] == "Localhost":
            writer.field("LocalhostProfile", profile.get("localhostProfile", ""), 3)


def _words(writer: Writer, title: str, words: list[str]) -> None:
    if words:
        writer.line(f"{title}:", 2)
    for word in words:
        for line in word.split("\n"):
            writer.line(line, 3)


def _state(writer: Writer, status: Object) -> None:
    _one_state(writer, "State", status.get("state") or {})
    last = status.get("lastState") or {}
    if last.get("terminated"):
        _one_state(writer, "Last State", last)
    writer.field("Ready", "True" if status.get("ready") else "False", 2)
    writer.field("Restart Count", status.get("restartCount", 0), 2)


def _one_state(writer: Writer, title: str, state: Object) -> None:
    if (running := state.get("running")) is not None:
        writer.field(title, "Running", 2)
        writer.field("Started", rfc1123(running.get("startedAt")), 3)
    elif (ended := state.get("terminated")) is not None:
        writer.field(title, "Terminated", 2)
        for name in ("reason", "message"):
            if ended.get(name):
                writer.field(name.title(), ended[name], 3)
        writer.field("Exit Code", ended.get("exitCode", 0), 3)
        if ended.get("signal", 0) > 0:
            writer.field("Signal", ended["signal"], 3)
        writer.field("Started", rfc1123(ended.get("startedAt")), 3)
        writer.field("Finished", rfc1123(ended.get("finishedAt")), 3)
    else:
        writer.field(title, "Waiting", 2)
        if reason := (state.get("waiting") or {}).get("reason"):
            writer.field("Reason", reason, 3)


def _resources(writer: Writer, resources: Object, level: int = 2) -> None:
    for name in ("limits", "requests"):
        amounts = resources.get(name) or {}
        if amounts:
            writer.line(f"{name.title()}:", level)
        for resource in sorted(amounts):
            writer.field(resource, quantity.of(amounts[resource]), level + 1)


def describe_probe(probe: Object) -> str:
    """A probe on one line."""
    attributes = (
        f"delay={probe.get('initialDelaySeconds', 0)}s timeout={probe.get('timeoutSeconds', 0)}s period={probe.get('periodSeconds', 0)}s "
        f"#success={probe.get('successThreshold', 0)} #failure={probe.get('failureThreshold', 0)}"
    )
    if "exec" in probe:
        return f"exec {plain(probe['exec'].get('command') or [])} {attributes}"
    if http := probe.get("httpGet"):
        path = http.get("path", "")
        slash = "" if not path or path.startswith("/") else "/"
        return f"http-get {http.get('scheme', '').lower()}://{http.get('host', '')}:{http.get('port', 0)}{slash}{path} {attributes}"
    if tcp := probe.get("tcpSocket"):
        return f"tcp-socket {tcp.get('host', '')}:{tcp.get('port', 0)} {attributes}"
    if grpc := probe.get("grpc"):
        return f"grpc <pod>:{grpc.get('port', 0)} {grpc.get('service') or ''} {attributes}"
    return f"unknown {attributes}"


def _env_from(writer: Writer, sources: list[Object]) -> None:
    if sources:
        writer.line("Environment Variables from:", 2)
    for source in sources:
        kind, ref = ("ConfigMap", source["configMapRef"]) if source.get("configMapRef") else ("Secret", source.get("secretRef") or {})
        prefix = f" with prefix '{source['prefix']}'" if source.get("prefix") else ""
        writer.line(f"{ref.get('name', '')}\t{kind}{prefix}\tOptional: {_flag(ref.get('optional'))}", 3)


def _env(writer: Writer, container: Object, resolve: Resolve | None) -> None:
    variables = container.get("env") or []
    writer.line(f"Environment:{'' if variables else chr(9) + '<none>'}", 2)
    for variable in variables:
        name, source = variable["name"], variable.get("valueFrom")
        if source:
            writer.line(_env_source(name, source, container, resolve), 3)
            continue
        first, *others = (variable.get("value") or "").split("\n")
        writer.field(name, first, 3)
        for line in others:
            writer.line(f"\t{line}", 3)


def _env_source(name: str, source: Object, container: Object, resolve: Resolve | None) -> str:
    if field := source.get("fieldRef"):
        value = resolve(field.get("fieldPath", "")) if resolve else ""
        return f"{name}:\t{value} ({field.get('apiVersion', 'v1')}:{field.get('fieldPath', '')})"
    if resource := source.get("resourceFieldRef"):
        return f"{name}:\t{_resource_value(resource, container)} ({resource.get('resource', '')})"
    if secret := source.get("secretKeyRef"):
        where = f"<set to the key '{secret.get('key', '')}' in secret '{secret.get('name', '')}'>"
        return f"{name}:\t{where}\tOptional: {_flag(secret.get('optional'))}"
    key = source.get("configMapKeyRef") or {}
    where = f"<set to the key '{key.get('key', '')}' of config map '{key.get('name', '')}'>"
    return f"{name}:\t{where}\tOptional: {_flag(key.get('optional'))}"


def _resource_value(reference: Object, container: Object) -> str:
    which, _, resource = reference.get("resource", "").partition(".")
    amount = ((container.get("resources") or {}).get(which) or {}).get(resource)
    if amount is None:
        return "node allocatable" if which == "limits" and resource in ("cpu", "memory") else "0"
    divisor = quantity.of(reference.get("divisor") or "0")
    number = quantity.of(amount).number / (divisor.number if divisor else 1)
    return str(-(-number.numerator // number.denominator))


def _mounts(writer: Writer, container: Object) -> None:
    mounts = sorted(container.get("volumeMounts") or [], key=lambda mount: str(mount.get("mountPath", "")))
    writer.line(f"Mounts:{'' if mounts else chr(9) + '<none>'}", 2)
    for mount in mounts:
        flags = ["ro" if mount.get("readOnly") else "rw", *([f"path={quote(mount['subPath'])}"] if mount.get("subPath") else [])]
        writer.line(f"{mount.get('mountPath', '')} from {mount.get('name', '')} ({','.join(flags)})", 3)
    devices = sorted(container.get("volumeDevices") or [], key=lambda device: str(device.get("devicePath", "")))
    if devices:
        writer.line("Devices:", 2)
    for device in devices:
        writer.line(f"{device.get('devicePath', '')} from {device.get('name', '')}", 3)


def _flag(value: Json) -> str:
    return "true" if value else "false"
