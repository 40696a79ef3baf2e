"""HorizontalPodAutoscalers. Version 2 says more, so one that comes in version 1 is read again in version 2 where the cluster serves it."""

from svcsim.meta.errors import StatusError
from svcsim.meta.objects import get_path, gvk_of, metadata_of, name_of, namespace_of
from svcsim.meta.types import Object
from svcsim.printing.describe.events import events_section
from svcsim.printing.describe.writer import DescribeContext, Writer, annotations, labels
from svcsim.printing.texts import rfc1123

_UNKNOWN = "<unknown>"


def describe_autoscaler(autoscaler: Object, context: DescribeContext) -> None:
    found = _in_version_2(autoscaler, context)
    writer, spec, status = context.writer, found.get("spec") or {}, found.get("status") or {}
    target = spec.get("scaleTargetRef") or {}
    writer.field("Name", name_of(found))
    writer.field("Namespace", namespace_of(found))
    labels(writer, "Labels", metadata_of(found).get("labels"))
    annotations(writer, "Annotations", metadata_of(found).get("annotations"))
    writer.field("CreationTimestamp", rfc1123(metadata_of(found).get("creationTimestamp")))
    writer.field("Reference", f"{target.get('kind', '')}/{target.get('name', '')}")
    if gvk_of(found).version == "v1":
        _utilization(writer, spec, status)
    else:
        _metrics(writer, spec.get("metrics") or [], status.get("currentMetrics") or [])
    writer.field("Min replicas", spec.get("minReplicas", "<unset>"))
    writer.field("Max replicas", spec.get("maxReplicas", 0))
    _behavior(writer, spec.get("behavior"))
    counts = f"{status.get('currentReplicas', 0)} current / {status.get('desiredReplicas', 0)} desired"
    writer.field(f"{target.get('kind', '')} pods", counts)
    _conditions(writer, status.get("conditions") or [])
    events_section(found, context)


def _in_version_2(autoscaler: Object, context: DescribeContext) -> Object:
    gvk = gvk_of(autoscaler)
    if gvk.version != "v1":
        return autoscaler
    path = f"/apis/{gvk.group}/v2/namespaces/{namespace_of(autoscaler)}/horizontalpodautoscalers/{name_of(autoscaler)}"
    try:
        return context.reader.get(path)
    except StatusError:
        return autoscaler  # the cluster doesn't serve version 2


def _utilization(writer: Writer, spec: Object, status: Object) -> None:
    """All that version 1 knows of metrics."""
    if "targetCPUUtilizationPercentage" in spec:
        writer.field("Target CPU utilization", f"{spec['targetCPUUtilizationPercentage']}%")
        writer.field("Current CPU utilization", f"{status.get('currentCPUUtilizationPercentage', _UNKNOWN)}%")


# --- metrics ---


def _metrics(writer: Writer, metrics: list[Object], currents: list[Object]) -> None:
    writer.field("Metrics", "( current / target )")
    for index, metric in enumerate(metrics):
        writer.line(_metric(metric, currents[index] if index < len(currents) else {}), 1)


def _metric(metric: Object, measured: Object) -> str:
    """One metric: what it measures, its current value and its target."""
    kind = metric.get("type") or ""
    field = kind[:1].lower() + kind[1:]
    source = metric.get(field) or {}
    target, current = source.get("target") or {}, get_path(measured, f"{field}.current") or {}
    name = get_path(source, "metric.name", "")
    match kind:
        case "Resource":
            return _resource(f"resource {source.get('name', '')} on pods", target, current)
        case "ContainerResource":
            return _resource(f'resource {source.get("name", "")} of container "{source.get("container", "")}" on pods', target, current)
        case "Pods":
            return f'"{name}" on pods:\t{_pair(current, target, "averageValue")}'
        case "Object":
            described = source.get("describedObject") or {}
            return _amount(f'"{name}" on {described.get("kind", "")}/{described.get("name", "")}', target, current)
        case "External":
            return _amount(f'"{name}"', target, current)
    return f'<unknown metric type "{kind}">'


def _resource(what: str, target: Object, current: Object) -> str:
    if "averageValue" in target:
        return f"{what}:\t{_pair(current, target, 'averageValue')}"
    used = f"{current['averageUtilization']}% ({current.get('averageValue', '0')})" if "averageUtilization" in current else _UNKNOWN
    wanted = f"{target['averageUtilization']}%" if "averageUtilization" in target else "<auto>"
    return f"{what}  (as a percentage of request):\t{used} / {wanted}"


def _amount(what: str, target: Object, current: Object) -> str:
    if "averageValue" in target:
        return f"{what} (target average value):\t{_pair(current, target, 'averageValue')}"
    return f"{what} (target value):\t{_pair(current, target, 'value')}"


def _pair(current: Object, target: Object, field: str) -> str:
    return f"{current.get(field, _UNKNOWN)} / {target.get(field, '0')}"


# --- behavior and conditions ---


def _behavior(writer: Writer, behavior: Object | None) -> None:
    if not behavior:
        return
    writer.line("Behavior:")
    for title, field in (("Scale Up", "scaleUp"), ("Scale Down", "scaleDown")):
        if rules := behavior.get(field):
            _direction(writer, title, rules)


def _direction(writer: Writer, title: str, rules: Object) -> None:
    writer.line(f"{title}:", 1)
    if "stabilizationWindowSeconds" in rules:
        writer.line(f"Stabilization Window: {rules['stabilizationWindowSeconds']} seconds", 2)
    policies = rules.get("policies") or []
    if not policies:
        return
    writer.line(f"Select Policy: {rules.get('selectPolicy', 'Max')}", 2)
    writer.line("Policies:", 2)
    for policy in policies:
        kind, value, period = (policy.get(field, missing) for field, missing in (("type", ""), ("value", 0), ("periodSeconds", 0)))
        writer.line(f"- Type: {kind}\tValue: {value}\tPeriod: {period} seconds", 3)


def _conditions(writer: Writer, conditions: list[Object]) -> None:
    if not conditions:
        return
    writer.line("Conditions:")
    writer.line("Type\tStatus\tReason\tMessage", 1)
    writer.line("----\t------\t------\t-------", 1)
    for item in conditions:
        writer.line("\t".join(item.get(field, "") for field in ("type", "status", "reason", "message")), 1)
