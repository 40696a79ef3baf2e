"""Nodes: what they are, how they are, what runs on them and how much of them it takes."""

from fractions import Fraction

from svcsim.meta import quantity
from svcsim.meta.errors import StatusError
from svcsim.meta.objects import labels_of, metadata_of, name_of, namespace_of
from svcsim.meta.pods import FINISHED_PHASES, is_sidecar
from svcsim.meta.quantity import ZERO, Amount
from svcsim.meta.types import Object
from svcsim.printing.describe.events import find_events, write_events
from svcsim.printing.describe.writer import DescribeContext, Writer, annotations, labels
from svcsim.printing.texts import rfc1123, since

_INFO = (
    ("Machine ID", "machineID"),
    ("System UUID", "systemUUID"),
    ("Boot ID", "bootID"),
    ("Kernel Version", "kernelVersion"),
    ("OS Image", "osImage"),
    ("Operating System", "operatingSystem"),
    ("Architecture", "architecture"),
    ("Container Runtime Version", "containerRuntimeVersion"),
    ("Kubelet Version", "kubeletVersion"),
    ("Kube-Proxy Version", "kubeProxyVersion"),
)
_ALWAYS_SHOWN = ("cpu", "memory", "ephemeral-storage")

Amounts = dict[str, Amount]


def describe_node(node: Object, context: DescribeContext) -> None:
    writer, spec, status, metadata = context.writer, node.get("spec") or {}, node.get("status") or {}, metadata_of(node)
    writer.field("Name", name_of(node))
    writer.field("Roles", ",".join(_roles(node)) or "<none>")
    labels(writer, "Labels", metadata.get("labels"))
    annotations(writer, "Annotations", metadata.get("annotations"))
    writer.field("CreationTimestamp", rfc1123(metadata.get("creationTimestamp")))
    _taints(writer, spec.get("taints") or [])
    writer.field("Unschedulable", "true" if spec.get("unschedulable") else "false")
    _lease(writer, node, context)
    _conditions(writer, status.get("conditions") or [])
    writer.line("Addresses:")
    for address in status.get("addresses") or []:
        writer.field(address.get("type", ""), address.get("address", ""), 1)
    for title in ("capacity", "allocatable"):
        amounts = status.get(title) or {}
        if amounts:
            writer.line(f"{title.title()}:")
        for resource in sorted(amounts):
            writer.field(f"  {resource}", quantity.of(amounts[resource]))
    writer.line("System Info:")
    for title, field in _INFO:
        writer.field(f"  {title}", (status.get("nodeInfo") or {}).get(field, ""))
    if spec.get("podCIDR"):
        writer.field("PodCIDR", spec["podCIDR"])
    if spec.get("podCIDRs"):
        writer.field("PodCIDRs", ",".join(spec["podCIDRs"]))
    if spec.get("providerID"):
        writer.field("ProviderID", spec["providerID"])
    _pods(writer, node, context)
    if context.show_events:
        events = find_events(node, context) + find_events(node, context, uid=name_of(node))
        write_events(context, events)


def _roles(node: Object) -> list[str]:
    roles: dict[str, None] = {}
    for key, value in labels_of(node).items():
        if key.startswith("node-role.") and "/" in key and key.partition("/")[2]:
            roles[key.partition("/")[2]] = None
        elif key.endswith("/role") and value:
            roles[value] = None
    return sorted(roles)


def _taints(writer: Writer, taints: list[Object]) -> None:
    if not taints:
        writer.field("Taints", "<none>")
    ordered = sorted(taints, key=lambda taint: (str(taint.get("effect", "")), str(taint.get("key", ""))))
    for index, taint in enumerate(ordered):
        value = f"={taint['value']}" if taint.get("value") else ""
        writer.line(("Taints:" if not index else "") + f"\t{taint.get('key', '')}{value}:{taint.get('effect', '')}")


def _lease(writer: Writer, node: Object, context: DescribeContext) -> None:
    dialect = context.reader.dialect
    path = f"/apis/{dialect.group('coordination')}/v1/namespaces/{dialect.node_lease_namespace}/leases/{name_of(node)}"
    try:
        spec = context.reader.get(path).get("spec") or {}
    except StatusError as error:
        writer.field("Lease", f"Failed to get lease: {error.message}")
        return
    writer.line("Lease:")
    writer.field("HolderIdentity", spec.get("holderIdentity") or "<unset>", 1)
    writer.field("AcquireTime", rfc1123(spec["acquireTime"]) if spec.get("acquireTime") else "<unset>", 1)
    writer.field("RenewTime", rfc1123(spec["renewTime"]) if spec.get("renewTime") else "<unset>", 1)


def _conditions(writer: Writer, conditions: list[Object]) -> None:
    if not conditions:
        return
    writer.line("Conditions:\n  Type\tStatus\tLastHeartbeatTime\tLastTransitionTime\tReason\tMessage")
    writer.line("----\t------\t-----------------\t------------------\t------\t-------", 1)
    for item in conditions:
        times = [rfc1123(item.get(field)) for field in ("lastHeartbeatTime", "lastTransitionTime")]
        cells = [item.get("type", ""), item.get("status", ""), *times, item.get("reason", ""), item.get("message", "")]
        writer.line(" \t".join(cells), 1)


def _pods(writer: Writer, node: Object, context: DescribeContext) -> None:
    selector = ",".join([f"spec.nodeName={name_of(node)}", *(f"status.phase!={phase}" for phase in FINISHED_PHASES)])
    pods: list[Object] = context.reader.get("/api/v1/pods", {"fieldSelector": selector, "limit": 500}).get("items") or []
    allocatable = {name: quantity.of(value) for name, value in _allocatable(node).items()}
    writer.field("Non-terminated Pods", f"({len(pods)} in total)")
    writer.line("Namespace\tName\t\tCPU Requests\tCPU Limits\tMemory Requests\tMemory Limits\tAge", 1)
    writer.line("---------\t----\t\t------------\t----------\t---------------\t-------------\t---", 1)
    requests: Amounts = {}
    limits: Amounts = {}
    for pod in pods:
        asked, allowed = pod_amounts(pod, "requests"), pod_amounts(pod, "limits")
        cells = [
            f"{amounts.get(resource, ZERO)} ({_percent(amounts, allocatable, resource)}%)"
            for resource in ("cpu", "memory")
            for amounts in (asked, allowed)
        ]
        age = since(metadata_of(pod).get("creationTimestamp"), context.now())
        writer.line("\t".join([namespace_of(pod), name_of(pod), "", *cells, age]), 1)
        _add(requests, asked)
        _add(limits, allowed)
    writer.line("Allocated resources:\n  (Total limits may be over 100 percent, i.e., overcommitted.)")
    writer.line("Resource\tRequests\tLimits", 1)
    writer.line("--------\t--------\t------", 1)
    extended = sorted(name for name in allocatable if "/" in name or name.startswith("hugepages-"))
    for resource in (*_ALWAYS_SHOWN, *extended):
        shown = [f"{amounts.get(resource, ZERO)} ({_percent(amounts, allocatable, resource)}%)" for amounts in (requests, limits)]
        if "/" in resource:
            shown = [str(amounts.get(resource, ZERO)) for amounts in (requests, limits)]
        writer.line(f"{resource}\t{shown[0]}\t{shown[1]}", 1)


def _allocatable(node: Object) -> dict[str, str]:
    status = node.get("status") or {}
    found: dict[str, str] = status.get("allocatable") or status.get("capacity") or {}
    return found


def _percent(amounts: Amounts, allocatable: Amounts, resource: str) -> int:
    whole = allocatable.get(resource, ZERO).number
    return int(amounts.get(resource, ZERO).number / whole * 100) if whole else 0


def _add(total: Amounts, amounts: Amounts) -> None:
    for resource, amount in amounts.items():
        total[resource] = total[resource] + amount if resource in total else amount


def pod_amounts(pod: Object, which: str) -> Amounts:
    """What a pod asks for, or may use at most: its containers together, or its greediest init container if that is more."""
    spec = pod.get("spec") or {}
    total: Amounts = {}
    for container in spec.get("containers") or []:
        _add(total, _amounts(container, which))
    sidecars: Amounts = {}
    for container in spec.get("initContainers") or []:
        own = _amounts(container, which)
        if is_sidecar(container):
            _add(total, own)
            _add(sidecars, own)
            continue
        for resource, amount in own.items():
            needed = amount + sidecars[resource] if resource in sidecars else amount
            total[resource] = max(total.get(resource, Amount(Fraction(0), amount.format)), needed)
    for resource, value in (spec.get("overhead") or {}).items():
        if which == "requests" or resource in total:
            _add(total, {resource: quantity.of(value)})
    return total


def _amounts(container: Object, which: str) -> Amounts:
    return {name: quantity.of(value) for name, value in ((container.get("resources") or {}).get(which) or {}).items()}
