"""Pods, and the templates that workloads make them from."""

from svcsim.meta.objects import get_path, is_terminating, metadata_of, name_of, namespace_of
from svcsim.meta.pods import is_finished, phase_of
from svcsim.meta.types import Object
from svcsim.printing.describe.containers import describe_containers
from svcsim.printing.describe.events import events_section
from svcsim.printing.describe.volumes import describe_volumes
from svcsim.printing.describe.writer import DescribeContext, Writer, annotations, controlled_by, labels
from svcsim.printing.texts import rfc1123, selector_text, since


def describe_pod(pod: Object, context: DescribeContext) -> None:
    writer, spec, status, metadata = context.writer, pod.get("spec") or {}, pod.get("status") or {}, metadata_of(pod)
    writer.field("Name", name_of(pod))
    writer.field("Namespace", namespace_of(pod))
    if spec.get("priority") is not None:
        writer.field("Priority", spec["priority"])
    _optional(writer, spec, (("Priority Class Name", "priorityClassName"), ("Runtime Class Name", "runtimeClassName")))
    _optional(writer, spec, (("Service Account", "serviceAccountName"),))
    writer.field("Node", f"{spec['nodeName']}/{status.get('hostIP', '')}" if spec.get("nodeName") else "<none>")
    if status.get("startTime"):
        writer.field("Start Time", rfc1123(status["startTime"]))
    labels(writer, "Labels", metadata.get("labels"))
    annotations(writer, "Annotations", metadata.get("annotations"))
    _status(pod, context)
    _optional(writer, status, (("Reason", "reason"), ("Message", "message")))
    _seccomp(writer, spec)
    _addresses(writer, status)
    if controlled_by(pod):
        writer.field("Controlled By", controlled_by(pod))
    _optional(writer, status, (("NominatedNodeName", "nominatedNodeName"),))

    def resolve(path: str) -> str:
        return _field_value(pod, path)

    if spec.get("initContainers"):
        describe_containers(writer, "Init Containers", spec["initContainers"], status.get("initContainerStatuses") or [], resolve)
    describe_containers(writer, "Containers", spec.get("containers") or [], status.get("containerStatuses") or [], resolve)
    if spec.get("ephemeralContainers"):
        describe_containers(
            writer, "Ephemeral Containers", spec["ephemeralContainers"], status.get("ephemeralContainerStatuses") or [], resolve
        )
    _conditions(writer, spec, status)
    describe_volumes(writer, spec.get("volumes") or [])
    writer.field("QoS Class", status.get("qosClass") or "BestEffort")
    labels(writer, "Node-Selectors", spec.get("nodeSelector"))
    tolerations(writer, "Tolerations", spec.get("tolerations") or [])
    _spreading(writer, spec.get("topologySpreadConstraints") or [])
    events_section(pod, context)


def describe_template(template: Object, writer: Writer) -> None:
    """The template a workload makes its pods from."""
    metadata, spec = template.get("metadata") or {}, template.get("spec") or {}
    writer.line("Pod Template:")
    labels(writer, "Labels", metadata.get("labels"), 1)
    if metadata.get("annotations"):
        annotations(writer, "Annotations", metadata["annotations"], 1)
    if spec.get("serviceAccountName"):
        writer.field("Service Account", spec["serviceAccountName"], 1)
    if spec.get("initContainers"):
        describe_containers(writer, "Init Containers", spec["initContainers"], [], indent="  ")
    describe_containers(writer, "Containers", spec.get("containers") or [], [], indent="  ")
    describe_volumes(writer, spec.get("volumes") or [], "  ")
    _spreading(writer, spec.get("topologySpreadConstraints") or [], "  ")
    if spec.get("priorityClassName"):
        writer.field("Priority Class Name", spec["priorityClassName"], 1)
    labels(writer, "Node-Selectors", spec.get("nodeSelector"), 1)
    tolerations(writer, "Tolerations", spec.get("tolerations") or [], 1)


def tolerations(writer: Writer, title: str, items: list[Object], level: int = 0) -> None:
    if not items:
        writer.field(title, "<none>", level)
    for index, item in enumerate(sorted(items, key=lambda item: str(item.get("key", "")))):
        key, value, effect = item.get("key", ""), item.get("value", ""), item.get("effect", "")
        text = key + (f"={value}" if value else "") + (f":{effect}" if effect else "")
        if item.get("operator") == "Exists" and not value:
            text += " op=Exists" if key or effect else "op=Exists"
        if item.get("tolerationSeconds") is not None:
            text += f" for {item['tolerationSeconds']}s"
        writer.line((f"{title}:" if not index else "") + f"\t{text}", level if not index else 0)


def _optional(writer: Writer, values: Object, rows: tuple[tuple[str, str], ...]) -> None:
    for title, field in rows:
        if values.get(field):
            writer.field(title, values[field])


def _status(pod: Object, context: DescribeContext) -> None:
    writer, metadata = context.writer, metadata_of(pod)
    if is_terminating(pod) and not is_finished(pod):
        writer.field("Status", f"Terminating (lasts {since(metadata['deletionTimestamp'], context.now())})")
        writer.field("Termination Grace Period", f"{metadata.get('deletionGracePeriodSeconds', 0)}s")
    else:
        writer.field("Status", phase_of(pod))


def _seccomp(writer: Writer, spec: Object) -> None:
    profile = (spec.get("securityContext") or {}).get("seccompProfile")
    if profile:
        writer.field("SeccompProfile", profile.get("type", ""))
        if profile.get("type") == "Localhost":
            writer.field("LocalhostProfile", profile.get("localhostProfile", ""))


def _addresses(writer: Writer, status: Object) -> None:
    writer.field("IP", status.get("podIP", ""))
    addresses = status.get("podIPs") or []
    if not addresses:
        writer.field("IPs", "<none>")
        return
    writer.line("IPs:")
    for address in addresses:
        writer.field("IP", address.get("ip", ""), 1)


def _conditions(writer: Writer, spec: Object, status: Object) -> None:
    found = status.get("conditions") or []
    gates = spec.get("readinessGates") or []
    if gates:
        writer.line("Readiness Gates:\n  Type\tStatus")
    for gate in gates:
        value = next((item["status"] for item in found if item["type"] == gate["conditionType"]), "<none>")
        writer.line(f"{gate['conditionType']} \t{value} ", 1)
    if found:
        writer.line("Conditions:\n  Type\tStatus")
    for item in found:
        writer.line(f"{item.get('type', '')} \t{item.get('status', '')} ", 1)


def _spreading(writer: Writer, constraints: list[Object], indent: str = "") -> None:
    for index, item in enumerate(sorted(constraints, key=lambda item: str(item.get("topologyKey", "")))):
        head = f"{indent}Topology Spread Constraints:" if not index else indent
        text = f"{item.get('topologyKey', '')}:{item.get('whenUnsatisfiable', '')} when max skew {item.get('maxSkew', 0)} is exceeded"
        if item.get("labelSelector"):
            text += f" for selector {selector_text(item['labelSelector'])}"
        writer.line(f"{head}\t{text}")


def _field_value(pod: Object, path: str) -> str:
    """What a ``fieldRef`` comes to."""
    for prefix in ("metadata.labels", "metadata.annotations"):
        if path.startswith(f"{prefix}["):
            return str((get_path(pod, prefix) or {}).get(path[len(prefix) + 1 : -1].strip("'\""), ""))
    value = get_path(pod, path)
    return "" if value is None or isinstance(value, dict | list) else str(value)
