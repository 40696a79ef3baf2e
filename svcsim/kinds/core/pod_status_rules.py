"""What makes a pod's new status right: what has ended stays so, addresses are some, and what is told of is in the spec."""

from collections.abc import Iterator

from svcsim.kinds.core.pod_annotation_rules import annotation_changes
from svcsim.kinds.shared.checks import IMMUTABLE, MAX_INT32, address, in_range, one_of
from svcsim.meta.errors import FieldError, duplicate, forbidden_field, invalid_value
from svcsim.meta.names import dns_subdomain, qualified_name
from svcsim.meta.networks import parse_address
from svcsim.meta.objects import get_path
from svcsim.meta.pods import is_sidecar
from svcsim.meta.types import Object
from svcsim.registry.kind import Context

_OF_THE_CLUSTER = ("PodScheduled", "Ready", "Initialized", "ContainersReady", "DisruptionTarget")
_STATUSES = (
    ("containerStatuses", "containers"),
    ("initContainerStatuses", "initContainers"),
    ("ephemeralContainerStatuses", "ephemeralContainers"),
)
_ID = in_range(0, MAX_INT32)
_HEALTH = one_of("Healthy", "Unhealthy", "Unknown")


def status_changes(new: Object, old: Object, context: Context) -> Iterator[FieldError]:
    """All that is wrong with a status that follows another."""
    yield from annotation_changes(new, old, context)
    status, before = new.get("status") or {}, old.get("status") or {}
    if status == before:
        return
    yield from _conditions(status, before)
    nominated = status.get("nominatedNodeName")
    if nominated and nominated != before.get("nominatedNodeName"):
        yield from (invalid_value("status.nominatedNodeName", nominated, finding) for finding in dns_subdomain(nominated))
    if status.get("qosClass") != before.get("qosClass"):
        yield invalid_value("status.qosClass", status.get("qosClass") or "", IMMUTABLE)
    for name, _ in _STATUSES:
        if before.get(name):
            yield from _what_ended(status, before, name, old["spec"])
    yield from _claims(status, new["spec"])
    yield from _addresses(status.get("podIPs") or [], "status.podIPs")
    hosts = status.get("hostIPs") or []
    if hosts and hosts[0].get("ip") != status.get("hostIP"):
        yield invalid_value("status.hostIPs[0].ip", hosts[0].get("ip"), "must be equal to `hostIP`")
    yield from _addresses(hosts, "status.hostIPs")
    for name, part in _STATUSES:
        for index, one in enumerate(status.get(name) or ()):
            yield from _users(one, new["spec"], f"status.{name}[{index}]")
            yield from _devices(one, part, new["spec"], f"status.{name}[{index}].allocatedResourcesStatus")


def _conditions(status: Object, before: Object) -> Iterator[FieldError]:
    if status.get("conditions") == before.get("conditions"):
        return
    for index, condition in enumerate(status.get("conditions") or ()):
        kind = condition.get("type") or ""
        if kind not in _OF_THE_CLUSTER:
            yield from (invalid_value(f"status.conditions[{index}].type", kind, finding) for finding in qualified_name(kind))


def _what_ended(status: Object, before: Object, name: str, spec: Object) -> Iterator[FieldError]:
    """A container that has ended, and isn't started again, has ended."""
    policy = "Never" if name == "ephemeralContainerStatuses" else spec.get("restartPolicy")
    if policy == "Always":
        return
    again = _restarted(spec)
    for index, held in enumerate(before[name]):
        ended = get_path(held, "state.terminated")
        if ended is None or (ended.get("exitCode") and policy == "OnFailure") or held.get("name") in again:
            continue
        for one in status.get(name) or ():
            if one.get("name") == held.get("name") and get_path(one, "state.terminated") is None:
                yield forbidden_field(f"status.{name}[{index}].state", "may not be transitioned to non-terminated state")


def _restarted(spec: Object) -> list[str]:
    """Containers that may start again whatever the pod's policy is.

    These are sidecars and those with a policy of their own, or all of them where a rule of one takes all along.
    """
    containers = [container for part in ("containers", "initContainers") for container in spec.get(part) or ()]
    rules = (rule for container in containers for rule in container.get("restartPolicyRules") or ())
    if any(rule.get("action") == "RestartAllContainers" for rule in rules):
        return [container["name"] for container in containers]
    return [
        container["name"]
        for container in containers
        if is_sidecar(container) or container.get("restartPolicyRules") or container.get("restartPolicy") == "OnFailure"
    ]


def _claims(status: Object, spec: Object) -> Iterator[FieldError]:
    told = status.get("resourceClaimStatuses")
    if not told:
        return
    names = [claim.get("name") for claim in spec.get("resourceClaims") or ()]
    seen: set[str] = set()
    for index, one in enumerate(told):
        where, name = f"status.resourceClaimStatuses[{index}].name", one.get("name") or ""
        if name not in names:
            yield invalid_value(where, name, "must match the name of an entry in `spec.resourceClaims`")
        if name in seen:
            yield duplicate(where, name)
        seen.add(name)
        claim = one.get("resourceClaimName")
        if claim is not None:
            yield from (invalid_value(where, claim, finding) for finding in dns_subdomain(claim))


def _addresses(entries: list[Object], path: str) -> Iterator[FieldError]:
    """Addresses, one of each family at the most."""
    texts = [entry.get("ip") or "" for entry in entries]
    for index, text in enumerate(texts):
        yield from address(text, f"{path}[{index}]")
    if len(texts) < 2:
        return
    families = [parsed.version for text in texts if (parsed := parse_address(text)) is not None]
    if len(families) == len(texts) and sorted(families) != [4, 6]:
        yield invalid_value(path, entries, "may specify no more than one IP for each IP family")
    for index, text in enumerate(texts):
        if text in texts[:index]:
            yield duplicate(f"{path}[{index}]", entries[index])


def _users(status: Object, spec: Object, path: str) -> Iterator[FieldError]:
    user = (status.get("user") or {}).get("linux")
    if user is None:
        return
    if get_path(spec, "os.name") == "windows":
        yield forbidden_field(f"{path}.linux", "cannot be set for a windows pod")
        return
    for name in ("uid", "gid"):
        yield from _ID(user.get(name) or 0, f"{path}.linux.{name}")
    for index, group in enumerate(user.get("supplementalGroups") or ()):
        yield from _ID(group, f"{path}.linux.supplementalGroups[{index}]")


def _devices(status: Object, part: str, spec: Object, path: str) -> Iterator[FieldError]:
    """Devices are told of that the container asked for, each once."""
    entries = status.get("allocatedResourcesStatus")
    if not entries:
        return
    if part == "ephemeralContainers":
        yield forbidden_field(path, "must not be specified in container status")
        return
    container = next((one for one in spec.get(part) or () if one.get("name") == status.get("name")), None)
    for index, entry in enumerate(entries):
        if container is not None:
            yield from _asked_for(entry.get("name") or "", container, f"{path}[{index}].name")
        seen: set[str] = set()
        for position, device in enumerate(entry.get("resources") or ()):
            where = f"{path}[{index}].resources[{position}]"
            yield from _HEALTH(device.get("health") or "", f"{where}.health")
            if device.get("resourceID") in seen:
                yield duplicate(f"{where}.resourceID", device["resourceID"])
            seen.add(device.get("resourceID") or "")


def _asked_for(name: str, container: Object, path: str) -> Iterator[FieldError]:
    resources = container.get("resources") or {}
    if name.startswith("claim:"):
        claims = (
            f"claim:{one['name']}/{one['request']}" if one.get("request") else f"claim:{one['name']}"
            for one in resources.get("claims") or ()
        )
        if name not in claims:
            form = "'claim:<claimName>/<request>' or 'claim:<claimName>' if request is empty"
            yield invalid_value(path, name, f"must match one of the container's resource claims in a format {form}")
    elif name not in (resources.get("requests") or ()):
        yield invalid_value(path, name, "must match one of the container's resource requests")
