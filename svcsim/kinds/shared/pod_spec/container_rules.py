"""What makes a container right: its name, image, ports, environment, mounts and probes."""

from collections.abc import Iterator

from svcsim.kinds.shared.checks import PROTOCOLS, named, one_of, port
from svcsim.kinds.shared.pod_spec.restart_rules import restart_rules
from svcsim.meta.errors import FieldError, duplicate, forbidden_field, invalid_value, required, unsupported
from svcsim.meta.names import dns_label, port_name, port_number
from svcsim.meta.types import Json, Object

_ONCE_ENOUGH = ("livenessProbe", "startupProbe")
_PROBES = frozenset((*_ONCE_ENOUGH, "readinessProbe"))
_NOT_IN_EPHEMERAL = (
    "ports",
    "resources",
    "resizePolicy",
    "restartPolicy",
    "restartPolicyRules",
    "livenessProbe",
    "readinessProbe",
    "startupProbe",
    "lifecycle",
)
_NAME = named(dns_label)
_PLAIN_MOUNT = frozenset(("name", "mountPath", "readOnly"))
"""Fields of a mount that only say what is mounted where."""
_BACKSTEP = "must not contain '..'"


def container_rules(container: Json, path: str) -> list[FieldError]:
    """All that is wrong with a container of any sort, its fields' own rules aside."""
    findings: list[FieldError] = []
    if not _NAME.holds(name := container.get("name")):
        findings += _NAME.told(name, f"{path}.name")
    if not container.get("image"):
        findings.append(required(f"{path}.image"))
    if container.get("ports"):
        findings += _port_rules(container["ports"], f"{path}.ports")
    if not _PROBES.isdisjoint(container):
        findings += _probe_rules(container, path)
    if "restartPolicy" in container or "restartPolicyRules" in container:
        findings += restart_rules(container, path)
    if container.get("volumeMounts") or container.get("volumeDevices"):
        findings += _mount_rules(container, path)
    return findings


def image_trimmed(container: Object, path: str) -> Iterator[FieldError]:
    """Images of pods' containers, and of ephemeral ones anywhere, have no blanks around them. In templates an image may still be blank."""
    image = container.get("image") or ""
    if image != image.strip():
        yield invalid_value(f"{path}.image", image, "must not have leading or trailing whitespace")


def ephemeral_container_rules(container: Json, path: str) -> Iterator[FieldError]:
    """What an ephemeral container may not have, beside what is wrong with any container."""
    for name in _NOT_IN_EPHEMERAL:
        if container.get(name):
            yield forbidden_field(f"{path}.{name}", "cannot be set for an Ephemeral Container")
    yield from image_trimmed(container, path)
    for index, mount in enumerate(container.get("volumeMounts") or ()):
        for name in ("subPath", "subPathExpr"):
            if mount.get(name):
                yield forbidden_field(f"{path}.volumeMounts[{index}].{name}", "cannot be set for an Ephemeral Container")


def _port_rules(ports: list[Object], path: str) -> list[FieldError]:
    findings: list[FieldError] = []
    names: set[str] = set()
    for index, one in enumerate(ports):
        if name := one.get("name"):
            wrong = port_name(name)
            if wrong:
                findings += [invalid_value(f"{path}[{index}].name", name, finding) for finding in wrong]
            elif name in names:
                findings.append(duplicate(f"{path}[{index}].name", name))
            names.add(name)
        if not one.get("containerPort"):
            findings.append(required(f"{path}[{index}].containerPort"))
        elif port_number(one["containerPort"]):
            findings += port(one["containerPort"], f"{path}[{index}].containerPort")
        if one.get("hostPort"):
            findings += port(one["hostPort"], f"{path}[{index}].hostPort")
        if one.get("protocol") not in PROTOCOLS:
            findings.append(unsupported(f"{path}[{index}].protocol", one.get("protocol"), PROTOCOLS))
    return findings


def _probe_rules(container: Object, path: str) -> list[FieldError]:
    findings: list[FieldError] = []
    for name in _ONCE_ENOUGH:
        probe = container.get(name)
        if probe and probe.get("successThreshold", 1) != 1:
            findings.append(invalid_value(f"{path}.{name}.successThreshold", probe["successThreshold"], "must be 1"))
    readiness = container.get("readinessProbe")
    if readiness and readiness.get("terminationGracePeriodSeconds") is not None:
        where = f"{path}.readinessProbe.terminationGracePeriodSeconds"
        findings.append(invalid_value(where, readiness["terminationGracePeriodSeconds"], "must not be set for readinessProbes"))
    return findings


def _mount_rules(container: Object, path: str) -> list[FieldError]:
    mounts, devices = container.get("volumeMounts") or [], container.get("volumeDevices") or []
    device_names, device_paths = {device.get("name") for device in devices}, {device.get("devicePath") for device in devices}
    findings: list[FieldError] = []
    seen: set[str] = set()
    for index, mount in enumerate(mounts):
        place = mount.get("mountPath") or ""
        if place in seen:
            findings.append(invalid_value(f"{path}.volumeMounts[{index}].mountPath", place, "must be unique"))
        seen.add(place)
        if mount.get("name") in device_names:
            findings.append(invalid_value(f"{path}.volumeMounts[{index}].name", mount["name"], "must not already exist in volumeDevices"))
        if place in device_paths:
            detail = "must not already exist as a path in volumeDevices"
            findings.append(invalid_value(f"{path}.volumeMounts[{index}].mountPath", place, detail))
        if not _PLAIN_MOUNT.issuperset(mount):
            findings += _sub_path_rules(mount, f"{path}.volumeMounts[{index}]", f"{path}.volumeMounts")
            findings += _mount_option_rules(container, mount, f"{path}.volumeMounts")
    if devices:
        findings += _device_rules(mounts, devices, path)
    return findings


def _sub_path_rules(mount: Object, path: str, mounts: str) -> Iterator[FieldError]:
    """What is wrong with these paths, and with options, is told of all mounts together."""
    if mount.get("subPath"):
        yield from descending_path(mount["subPath"], f"{mounts}.subPath")
    if expression := mount.get("subPathExpr"):
        if mount.get("subPath"):
            yield invalid_value(f"{path}.subPathExpr", expression, "subPathExpr and subPath are mutually exclusive")
        yield from descending_path(expression, f"{mounts}.subPathExpr")


def _mount_option_rules(container: Object, mount: Object, path: str) -> Iterator[FieldError]:
    propagation, recursive = mount.get("mountPropagation"), mount.get("recursiveReadOnly")
    if propagation is not None:
        privileged = (container.get("securityContext") or {}).get("privileged")
        if propagation == "Bidirectional" and not privileged:
            detail = "Bidirectional mount propagation is available only to privileged containers"
            yield forbidden_field(f"{path}.mountPropagation", detail)
        yield from one_of("Bidirectional", "HostToContainer", "None")(propagation, f"{path}.mountPropagation")
    if recursive is not None:
        yield from one_of("Disabled", "Enabled", "IfPossible")(recursive, f"{path}.recursiveReadOnly")
        if recursive in ("Enabled", "IfPossible"):
            if not mount.get("readOnly"):
                yield forbidden_field(f"{path}.recursiveReadOnly", "may only be specified when readOnly is true")
            if propagation not in (None, "None"):
                detail = "may only be specified when mountPropagation is None or not specified"
                yield forbidden_field(f"{path}.recursiveReadOnly", detail)


def _device_rules(mounts: list[Object], devices: list[Object], path: str) -> Iterator[FieldError]:
    mount_names, mount_paths = [item.get("name") for item in mounts], [item.get("mountPath") for item in mounts]
    names: set[str] = set()
    paths: set[str] = set()
    for index, device in enumerate(devices):
        where, name, place = f"{path}.volumeDevices[{index}]", device.get("name") or "", device.get("devicePath") or ""
        if name in names:
            yield invalid_value(f"{where}.name", name, "must be unique")
        if place in paths:
            yield invalid_value(f"{where}.devicePath", place, "must be unique")
        if ".." in place.split("/"):
            yield invalid_value(f"{where}.devicePath", place, "can not contain backsteps ('..')")
        if name in mount_names:
            yield invalid_value(f"{where}.name", name, "must not already exist in volumeMounts")
        if place in mount_paths:
            yield invalid_value(f"{where}.devicePath", place, "must not already exist as a path in volumeMounts")
        names.add(name)
        paths.add(place)


def descending_path(value: Json, path: str) -> Iterator[FieldError]:
    """A relative path that doesn't climb."""
    if value.startswith("/"):
        yield invalid_value(path, value, "must be a relative path")
    if ".." in value.split("/"):
        yield invalid_value(path, value, _BACKSTEP)


def file_path(value: Json, path: str) -> Iterator[FieldError]:
    """A relative path of a file in a volume: it doesn't climb, and its name isn't one of the volume's own."""
    yield from descending_path(value, path)
    if value.startswith("..") and not value.startswith("../"):
        yield invalid_value(path, value, "must not start with '..'")
