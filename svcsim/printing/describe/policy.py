"""What bounds others: LimitRanges, ResourceQuotas, PriorityClasses and PodDisruptionBudgets."""

from collections.abc import Iterable

from svcsim.meta import quantity
from svcsim.meta.label_selectors import from_object
from svcsim.meta.objects import metadata_of, name_of, namespace_of
from svcsim.meta.types import Object
from svcsim.printing.describe.events import events_section
from svcsim.printing.describe.writer import DescribeContext, Writer
from svcsim.printing.texts import pairs
from svcsim.printing.values import plain

_SCOPES = {
    "Terminating": (
        "Matches all pods that have an active deadline. "
        "These pods have a limited lifespan on a node before being actively terminated by the system."
    ),
    "NotTerminating": (
        "Matches all pods that do not have an active deadline. "
        "These pods usually include long running pods whose container command is not expected to terminate."
    ),
    "BestEffort": ("Matches all pods that do not have resource requirements set. These pods have a best effort quality of service."),
    "NotBestEffort": (
        "Matches all pods that have at least one resource requirement set. These pods have a burstable or guaranteed quality of service."
    ),
}


def describe_limit_range(limit_range: Object, context: DescribeContext) -> None:
    """One LimitRange, a line a resource."""
    context.writer.field("Name", name_of(limit_range))
    context.writer.field("Namespace", namespace_of(limit_range))
    limit_table(context.writer, [limit_range], "")


def limit_table(writer: Writer, ranges: Iterable[Object], indent: str) -> None:
    """The items of LimitRanges, a line a resource."""
    items = [item for found in ranges for item in (found.get("spec") or {}).get("limits") or []]
    if not items:
        return
    writer.line(f"{indent}Type\tResource\tMin\tMax\tDefault Request\tDefault Limit\tMax Limit/Request Ratio")
    writer.line(f"{indent}----\t--------\t---\t---\t---------------\t-------------\t-----------------------")
    columns = ("min", "max", "defaultRequest", "default", "maxLimitRequestRatio")
    for item in items:
        for resource in sorted({name: None for column in columns for name in item.get(column) or {}}):
            cells = [str(quantity.of(item[c][resource])) if resource in (item.get(c) or {}) else "-" for c in columns]
            writer.line(f"{indent}{item.get('type', '')}\t{resource}\t" + "\t".join(cells))


def describe_quota(quota: Object, context: DescribeContext) -> None:
    """One ResourceQuota, with what is used of it."""
    writer = context.writer
    writer.field("Name", name_of(quota))
    writer.field("Namespace", namespace_of(quota))
    scope_lines(writer, quota, "", " ")
    writer.line("Resource\tUsed\tHard\n--------\t----\t----")
    quota_lines(writer, quota, 0)


def scope_lines(writer: Writer, quota: Object, indent: str, bullet_indent: str) -> None:
    """Which pods a quota is for, and what the words for them mean."""
    scopes = sorted((quota.get("spec") or {}).get("scopes") or ())
    if scopes:
        writer.line(f"{indent}Scopes:\t{', '.join(scopes)}")
    for scope in scopes:
        if scope in _SCOPES:
            writer.line(f"{bullet_indent}* {_SCOPES[scope]}")


def quota_lines(writer: Writer, quota: Object, level: int) -> None:
    """What is used of each resource."""
    status = quota.get("status") or {}
    for resource in sorted(status.get("hard") or {}):
        hard, used = quantity.of(status["hard"][resource]), quantity.of((status.get("used") or {}).get(resource, "0"))
        if hard.format is not used.format:
            used = quantity.Amount(used.number, hard.format)
        writer.line(f"{resource}\t{used}\t{hard}", level)


def describe_priority_class(priority: Object, context: DescribeContext) -> None:
    """One PriorityClass."""
    writer = context.writer
    writer.field("Name", name_of(priority))
    writer.field("Value", priority.get("value", 0))
    writer.field("GlobalDefault", plain(priority.get("globalDefault", False)))
    writer.field("PreemptionPolicy", priority.get("preemptionPolicy", ""))
    writer.field("Description", priority.get("description", ""))
    notes = metadata_of(priority).get("annotations") or {}
    writer.field("Annotations", pairs(notes))
    events_section(priority, context)


def describe_disruption_budget(budget: Object, context: DescribeContext) -> None:
    """One PodDisruptionBudget, with what it allows now."""
    writer, spec, status = context.writer, budget.get("spec") or {}, budget.get("status") or {}
    writer.field("Name", name_of(budget))
    writer.field("Namespace", namespace_of(budget))
    if "minAvailable" in spec:
        writer.field("Min available", spec["minAvailable"])
    elif "maxUnavailable" in spec:
        writer.field("Max unavailable", spec["maxUnavailable"])
    selector = spec.get("selector")
    writer.field("Selector", "<unset>" if selector is None else str(from_object(selector)) or "<none>")
    writer.line("Status:")
    for title, field in (
        ("Allowed disruptions", "disruptionsAllowed"),
        ("Current", "currentHealthy"),
        ("Desired", "desiredHealthy"),
        ("Total", "expectedPods"),
    ):
        writer.field(title, status.get(field, 0), 2)
    events_section(budget, context)
