"""What makes the parts of a pod fit each other: names that refer, ports on the node, policies."""

from collections.abc import Iterator

from svcsim.kinds.shared.checks import MAX_INT32, address, in_range, labels, named, one_of
from svcsim.kinds.shared.pod_spec.claim_rules import used_claims_rules
from svcsim.kinds.shared.pod_spec.dns_rules import dns_rules
from svcsim.kinds.shared.pod_spec.os_rules import os_rules, stop_signal_rules
from svcsim.kinds.shared.pod_spec.pod_resource_rules import pod_resource_rules
from svcsim.kinds.shared.pod_spec.probe_rules import naps_fit
from svcsim.kinds.shared.pod_spec.restart_rules import NOT_BEFORE_THE_END, init_container_rules, resize_fits_restart
from svcsim.kinds.shared.pod_spec.security_rules import HOST_SYSCTLS
from svcsim.meta.errors import FieldError, duplicate, field_not_found, forbidden_field, invalid_value, too_long
from svcsim.meta.names import dns_label, dns_subdomain, qualified_name
from svcsim.meta.pods import CONTAINERS
from svcsim.meta.types import Json, Object

_LABEL, _SUBDOMAIN = named(dns_label), named(dns_subdomain)
_VALUES = (
    ("restartPolicy", one_of("Always", "OnFailure", "Never")),
    ("dnsPolicy", one_of("ClusterFirstWithHostNet", "ClusterFirst", "Default", "None")),
    ("preemptionPolicy", one_of("PreemptLowerPriority", "Never")),
    ("serviceAccountName", _SUBDOMAIN),
    ("nodeName", _SUBDOMAIN),
    ("hostname", _LABEL),
    ("subdomain", _LABEL),
    ("priorityClassName", _SUBDOMAIN),
    ("runtimeClassName", _SUBDOMAIN),
    ("nodeSelector", labels),
)
"""What single fields have to be, where there is anything in them."""
_DEADLINE = in_range(1, MAX_INT32)
_SHARED = frozenset(("hostPID", "hostUsers", "securityContext"))
"""Fields of the pod of which one excludes another."""
_TIED = frozenset(("lifecycle", "resizePolicy", "securityContext"))
"""Fields of a container that the pod has a say in."""
_REFERRING = frozenset(("env", "volumeMounts", "volumeDevices", "lifecycle", "resources"))
"""Fields of a container that refer to something of the pod."""
_HOST_NAME_CHARS = 64


def pod_spec_rules(spec: Json, path: str) -> Iterator[FieldError]:
    """All that is wrong with a pod's spec as a whole."""
    containers = [container for part in CONTAINERS for container in spec.get(part) or ()]
    for name, condition in _VALUES:
        value = spec.get(name)
        if value and not condition.holds(value):
            yield from condition.told(value, f"{path}.{name}")
    if spec.get("activeDeadlineSeconds") is not None:
        yield from _DEADLINE(spec["activeDeadlineSeconds"], f"{path}.activeDeadlineSeconds")
    if "ephemeralContainers" in spec or len({container.get("name") for container in containers}) < len(containers):
        yield from _container_names(spec, path)
    yield from _references(spec, path)
    if "resources" in spec:
        yield from pod_resource_rules(spec, path)
    if [port for container in containers if "ports" in container for port in container["ports"] if "hostPort" in port]:
        yield from _node_ports(spec, path)
    if "dnsConfig" in spec or spec.get("dnsPolicy") == "None":
        yield from dns_rules(spec, path)
    if "hostAliases" in spec:
        yield from _host_aliases(spec, path)
    if "readinessGates" in spec or "schedulingGates" in spec:
        yield from _gates(spec, path)
    if not _SHARED.isdisjoint(spec):
        yield from _sharing(spec, path)
    yield from os_rules(spec, containers, path)
    yield from _inside_of_containers(spec, path)
    if spec.get("hostnameOverride") is not None:
        yield from _hostname_override(spec, path)


def _container_names(spec: Object, path: str) -> Iterator[FieldError]:
    """A name stands for one container only, of whatever sort. Each list has looked at itself."""
    lists = ("containers", "initContainers", "ephemeralContainers")
    names = {name: [container.get("name") or "" for container in spec[name]] for name in lists if spec.get(name)}
    seen: set[str] = set()
    for name, here in names.items() if len(names) > 1 else ():
        for index, one in enumerate(here):
            if one in seen:
                yield duplicate(f"{path}.{name}[{index}].name", one)
        seen.update(here)
    lasting = {one.get("name") for part in ("containers", "initContainers") for one in spec.get(part) or ()}
    for index, container in enumerate(spec.get("ephemeralContainers") or ()):
        target = container.get("targetContainerName")
        if target and target not in lasting:
            yield field_not_found(f"{path}.ephemeralContainers[{index}].targetContainerName", target)


def _references(spec: Object, path: str) -> Iterator[FieldError]:
    """What containers mount and claim, the pod has, and as something that can be mounted so."""
    volumes = {volume.get("name"): volume for volume in spec.get("volumes") or ()}
    claims = {claim["name"]: None for claim in spec.get("resourceClaims") or () if claim.get("name")}
    for part in CONTAINERS:
        for index, container in enumerate(spec.get(part) or ()):
            if not _REFERRING.isdisjoint(container):
                yield from _references_of(container, volumes, claims, spec, f"{path}.{part}[{index}]")


def _references_of(container: Object, volumes: dict[str, Object], claims: dict[str, None], spec: Object, path: str) -> Iterator[FieldError]:
    for position, variable in enumerate(container.get("env") or ()):
        if "valueFrom" in variable and "fileKeyRef" in variable["valueFrom"]:
            yield from _variable_rules(variable, volumes, f"{path}.env[{position}]")
    for position, mount in enumerate(container.get("volumeMounts") or ()):
        volume = volumes.get(mount.get("name"))
        if volume is None or "image" in volume:
            yield from _mount_rules(mount, volumes, f"{path}.volumeMounts[{position}]")
    for position, device in enumerate(container.get("volumeDevices") or ()):
        yield from _device_rules(device, volumes, f"{path}.volumeDevices[{position}]")
    if "lifecycle" in container:
        yield from stop_signal_rules(container, spec, path)
    if "claims" in (container.get("resources") or ()):
        yield from used_claims_rules(container, claims, path)


def _variable_rules(variable: Object, volumes: dict[str, Object], path: str) -> Iterator[FieldError]:
    """Files with variables are written by the containers themselves, so they lie in a volume that is empty at first."""
    name = (variable["valueFrom"].get("fileKeyRef") or {}).get("volumeName")
    if name and name not in volumes:
        yield field_not_found(f"{path}.valueFrom.fileKeyRef.volumeName", name)
    elif name and volumes[name].get("emptyDir") is None:
        yield invalid_value(f"{path}.valueFrom.fileKeyRef.volumeName", name, "referenced volume must be of type emptyDir")


def _mount_rules(mount: Object, volumes: dict[str, Object], path: str) -> Iterator[FieldError]:
    name = mount.get("name")
    if name and name not in volumes:
        yield field_not_found(f"{path}.name", name)
    elif name and volumes[name].get("image") is not None:
        for part in ("subPath", "subPathExpr"):
            if mount.get(part):
                yield invalid_value(f"{path}.{part}", mount[part], "not allowed in image volume sources")


def _device_rules(device: Object, volumes: dict[str, Object], path: str) -> Iterator[FieldError]:
    name = device.get("name")
    if name and name not in volumes:
        yield field_not_found(f"{path}.name", name)
    elif name and not any(volumes[name].get(source) is not None for source in ("persistentVolumeClaim", "ephemeral")):
        detail = "can only use volume source type of PersistentVolumeClaim or Ephemeral for block mode"
        yield invalid_value(f"{path}.name", name, detail)


def _node_ports(spec: Object, path: str) -> Iterator[FieldError]:
    """Ports of the node are taken once: by the containers together, and by each init container. On its network they are their own."""
    taken: set[str] = set()
    for part in ("containers", "initContainers"):
        for index, container in enumerate(spec.get(part) or ()):
            if part == "initContainers":
                taken = set()
            for position, port in enumerate(container.get("ports") or ()):
                number = port.get("hostPort")
                if not number:
                    continue
                where = f"{path}.{part}[{index}].ports[{position}].hostPort"
                if part == "containers" and spec.get("hostNetwork") and number != port.get("containerPort"):
                    yield invalid_value(where, number, "must match `containerPort` when `hostNetwork` is true")
                identity = f"{port.get('protocol')}/{port.get('hostIP') or ''}/{number}"
                if identity in taken:
                    yield duplicate(where, identity)
                taken.add(identity)


def _host_aliases(spec: Object, path: str) -> Iterator[FieldError]:
    for index, alias in enumerate(spec.get("hostAliases") or ()):
        yield from address(alias.get("ip") or "", f"{path}.hostAliases[{index}].ip")
        for position, hostname in enumerate(alias.get("hostnames") or ()):
            where = f"{path}.hostAliases[{index}].hostnames[{position}]"
            yield from (invalid_value(where, hostname, finding) for finding in dns_subdomain(hostname))


def _gates(spec: Object, path: str) -> Iterator[FieldError]:
    for index, gate in enumerate(spec.get("readinessGates") or ()):
        kind = gate.get("conditionType") or ""
        where = f"{path}.readinessGates[{index}].conditionType"
        yield from (invalid_value(where, kind, finding) for finding in qualified_name(kind))
    seen: set[str] = set()
    for index, gate in enumerate(spec.get("schedulingGates") or ()):
        name, where = gate.get("name") or "", f"{path}.schedulingGates[{index}]"
        yield from (invalid_value(where, name, finding) for finding in qualified_name(name))
        if name in seen:
            yield duplicate(where, name)
        seen.add(name)


def _sharing(spec: Object, path: str) -> Iterator[FieldError]:
    """What is shared with the node and what among containers exclude each other."""
    if spec.get("hostPID") and spec.get("shareProcessNamespace"):
        detail = "ShareProcessNamespace and HostPID cannot both be enabled"
        yield invalid_value(f"{path}.shareProcessNamespace", True, detail)
    if spec.get("hostUsers") is False:
        for name, word in (("hostNetwork", "hostNetwork"), ("hostPID", "HostPID"), ("hostIPC", "HostIPC")):
            if spec.get(name):
                yield forbidden_field(f"{path}.{name}", f"when `hostUsers` is false, {word} cannot be set to true")
    for index, sysctl in enumerate((spec.get("securityContext") or {}).get("sysctls") or ()):
        for name, prefixes in HOST_SYSCTLS:
            if spec.get(name) and (sysctl.get("name") or "").replace("/", ".").startswith(prefixes):
                where = f"{path}.securityContext.sysctls[{index}].name"
                yield invalid_value(where, sysctl["name"], f"may not be specified when '{name}' is true")


def _inside_of_containers(spec: Object, path: str) -> list[FieldError]:
    """What of a container depends on the pod it is in."""
    findings: list[FieldError] = []
    for part in CONTAINERS:
        for index, container in enumerate(spec.get(part) or ()):
            if part == "initContainers" and not NOT_BEFORE_THE_END.isdisjoint(container):
                findings += init_container_rules(container, f"{path}.{part}[{index}]")
            if not _TIED.isdisjoint(container):
                findings += _tied_to_pod(container, spec, f"{path}.{part}[{index}]")
    return findings


def _tied_to_pod(container: Object, spec: Object, path: str) -> list[FieldError]:
    findings: list[FieldError] = []
    if "resizePolicy" in container and spec.get("restartPolicy") == "Never":
        findings += resize_fits_restart(container, path)
    if "lifecycle" in container and (grace := spec.get("terminationGracePeriodSeconds")) is not None:
        findings += naps_fit(container["lifecycle"], grace, f"{path}.lifecycle")
    if (container.get("securityContext") or {}).get("procMount") == "Unmasked" and spec.get("hostUsers", True):
        findings.append(invalid_value(f"{path}.securityContext.procMount", "Unmasked", "`hostUsers` must be false to use `Unmasked`"))
    return findings


def _hostname_override(spec: Object, path: str) -> Iterator[FieldError]:
    """A host name of the pod's own needs no other, and a network of its own."""
    name = spec["hostnameOverride"]
    yield from (invalid_value(f"{path}.hostnameOverride", name, finding) for finding in dns_subdomain(name))
    if len(name) > _HOST_NAME_CHARS:
        yield too_long(f"{path}.hostnameOverride", _HOST_NAME_CHARS)
    if spec.get("setHostnameAsFQDN"):
        yield forbidden_field(f"{path}.hostnameOverride", "may not be set when setHostnameAsFQDN is true")
    if spec.get("hostNetwork"):
        yield forbidden_field(f"{path}.hostnameOverride", "may not be set when hostNetwork is true")
