"""What makes the parts of a pod fit each other: names that refer, ports on the node, policies."""

from collections.abc import Iterator

from svcsim.kinds.shared.checks import MAX_INT32, address, in_range, labels, named, one_of
from svcsim.meta.errors import FieldError, duplicate, field_not_found, forbidden_field, invalid_value, required
from svcsim.meta.names import dns_label, dns_subdomain, qualified_name
from svcsim.meta.pods import is_sidecar
from svcsim.meta.types import Json, Object

_LISTS = ("initContainers", "containers", "ephemeralContainers")
_NAMES = (
    ("serviceAccountName", dns_subdomain),
    ("nodeName", dns_subdomain),
    ("hostname", dns_label),
    ("subdomain", dns_label),
    ("priorityClassName", dns_subdomain),
    ("runtimeClassName", dns_subdomain),
)
_WORDS = (
    ("restartPolicy", ("Always", "OnFailure", "Never")),
    ("dnsPolicy", ("ClusterFirstWithHostNet", "ClusterFirst", "Default", "None")),
    ("preemptionPolicy", ("Never", "PreemptLowerPriority")),
)
_NAME_SERVERS = 3
_SEARCHES = 32
_SEARCH_CHARS = 2048


def pod_spec_rules(spec: Json, path: str) -> Iterator[FieldError]:
    """All that is wrong with a pod's spec as a whole."""
    for name, options in _WORDS:
        if spec.get(name):
            yield from one_of(*options)(spec[name], f"{path}.{name}")
    for name, rule in _NAMES:
        if spec.get(name):
            yield from named(rule)(spec[name], f"{path}.{name}")
    if spec.get("nodeSelector"):
        yield from labels(spec["nodeSelector"], f"{path}.nodeSelector")
    if spec.get("activeDeadlineSeconds") is not None:
        yield from in_range(1, MAX_INT32)(spec["activeDeadlineSeconds"], f"{path}.activeDeadlineSeconds")
    yield from _container_names(spec, path)
    yield from _references(spec, path)
    yield from _node_ports(spec, path)
    yield from _name_service(spec, path)
    yield from _gates(spec, path)
    yield from _sharing(spec, path)
    yield from _restart_policies(spec, path)


def _container_names(spec: Object, path: str) -> Iterator[FieldError]:
    """A name stands for one container only, of whatever sort. Each list has looked at itself."""
    seen: set[str] = set()
    for name in ("containers", "initContainers", "ephemeralContainers"):
        here = [container.get("name") or "" for container in spec.get(name) or ()]
        for index, one in enumerate(here):
            if one in seen:
                yield duplicate(f"{path}.{name}[{index}].name", one)
        seen.update(here)
    for index, container in enumerate(spec.get("ephemeralContainers") or ()):
        target = container.get("targetContainerName")
        if target and not any(target == one.get("name") for part in ("containers", "initContainers") for one in spec.get(part) or ()):
            yield field_not_found(f"{path}.ephemeralContainers[{index}].targetContainerName", target)


def _references(spec: Object, path: str) -> Iterator[FieldError]:
    """What containers mount and claim, the pod has."""
    volumes = [volume.get("name") for volume in spec.get("volumes") or ()]
    claims = [claim.get("name") for claim in spec.get("resourceClaims") or ()]
    for part in _LISTS:
        for index, container in enumerate(spec.get(part) or ()):
            where = f"{path}.{part}[{index}]"
            for kind in ("volumeMounts", "volumeDevices"):
                for position, mount in enumerate(container.get(kind) or ()):
                    if mount.get("name") and mount["name"] not in volumes:
                        yield field_not_found(f"{where}.{kind}[{position}].name", mount["name"])
            for position, claim in enumerate((container.get("resources") or {}).get("claims") or ()):
                if claim.get("name") not in claims:
                    yield field_not_found(f"{where}.resources.claims[{position}].name", claim.get("name"))


def _node_ports(spec: Object, path: str) -> Iterator[FieldError]:
    """Ports of the node are taken once; with the node's network they are the container's own."""
    taken: set[str] = set()
    for part in ("containers", "initContainers"):
        for index, container in enumerate(spec.get(part) or ()):
            for position, port in enumerate(container.get("ports") or ()):
                where, number = f"{path}.{part}[{index}].ports[{position}]", port.get("hostPort")
                if not number:
                    continue
                if spec.get("hostNetwork") and number != port.get("containerPort"):
                    yield invalid_value(
                        f"{where}.containerPort", port.get("containerPort"), "must match `hostPort` when `hostNetwork` is true"
                    )
                identity = f"{port.get('protocol')}/{port.get('hostIP') or ''}/{number}"
                if part == "containers" and identity in taken:
                    yield duplicate(f"{where}.hostPort", identity)
                taken.add(identity)


def _name_service(spec: Object, path: str) -> Iterator[FieldError]:
    config = spec.get("dnsConfig") or {}
    servers, searches = config.get("nameservers") or (), config.get("searches") or ()
    where = f"{path}.dnsConfig"
    if spec.get("dnsPolicy") == "None" and not servers:
        yield required(f"{where}.nameservers", "must provide at least one DNS nameserver when `dnsPolicy` is None")
    if len(servers) > _NAME_SERVERS:
        yield invalid_value(f"{where}.nameservers", list(servers), f"must not have more than {_NAME_SERVERS} nameservers")
    for index, server in enumerate(servers):
        yield from address(server, f"{where}.nameservers[{index}]")
    if len(searches) > _SEARCHES:
        yield invalid_value(f"{where}.searches", list(searches), f"must not have more than {_SEARCHES} search paths")
    if len(" ".join(searches)) > _SEARCH_CHARS:
        detail = f"must not have more than {_SEARCH_CHARS} characters (including spaces) in the search list"
        yield invalid_value(f"{where}.searches", list(searches), detail)
    for index, search in enumerate(searches):
        yield from named(dns_subdomain)(search.removesuffix("."), f"{where}.searches[{index}]")
    for index, option in enumerate(config.get("options") or ()):
        if not option.get("name"):
            yield required(f"{where}.options[{index}]", "must not be empty")
    for index, alias in enumerate(spec.get("hostAliases") or ()):
        yield from address(alias.get("ip") or "", f"{path}.hostAliases[{index}].ip")
        for position, hostname in enumerate(alias.get("hostnames") or ()):
            yield from named(dns_subdomain)(hostname, f"{path}.hostAliases[{index}].hostnames[{position}]")


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
    if (system := (spec.get("os") or {}).get("name")) is not None:
        yield from one_of("linux", "windows")(system, f"{path}.os.name")


def _restart_policies(spec: Object, path: str) -> Iterator[FieldError]:
    """An init container that always restarts is a sidecar, with probes and hooks; the others have none."""
    for index, container in enumerate(spec.get("initContainers") or ()):
        policy, where = container.get("restartPolicy"), f"{path}.initContainers[{index}]"
        if policy is not None:
            yield from one_of("Always", "Never", "OnFailure")(policy, f"{where}.restartPolicy")
        if is_sidecar(container):
            continue
        for name in ("lifecycle", "livenessProbe", "readinessProbe", "startupProbe"):
            if container.get(name) is not None:
                yield forbidden_field(f"{where}.{name}", "may not be set for init containers without restartPolicy=Always")
