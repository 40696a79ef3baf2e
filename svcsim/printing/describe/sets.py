"""DaemonSets and StatefulSets."""

from svcsim.meta.objects import metadata_of, name_of, namespace_of
from svcsim.meta.types import Object
from svcsim.printing.describe.events import events_section
from svcsim.printing.describe.pods import describe_template
from svcsim.printing.describe.pods_of import pods_status
from svcsim.printing.describe.writer import DescribeContext, Writer, annotations, labels
from svcsim.printing.texts import NONE, rfc1123, selector_text

_NODES = (
    ("Desired Number of Nodes Scheduled", "desiredNumberScheduled"),
    ("Current Number of Nodes Scheduled", "currentNumberScheduled"),
    ("Number of Nodes Scheduled with Up-to-date Pods", "updatedNumberScheduled"),
    ("Number of Nodes Scheduled with Available Pods", "numberAvailable"),
    ("Number of Nodes Misscheduled", "numberMisscheduled"),
)


def describe_daemon_set(daemon_set: Object, context: DescribeContext) -> None:
    """One DaemonSet, with the nodes it is on and the state of its pods."""
    writer, spec, metadata = context.writer, daemon_set.get("spec") or {}, metadata_of(daemon_set)
    template, selector = spec.get("template") or {}, selector_text(spec.get("selector"))
    writer.field("Name", name_of(daemon_set))
    writer.field("Selector", selector)
    writer.field("Node-Selector", selector_text({"matchLabels": (template.get("spec") or {}).get("nodeSelector")}))
    labels(writer, "Labels", metadata.get("labels"))
    annotations(writer, "Annotations", metadata.get("annotations"))
    for title, name in _NODES:
        writer.line(f"{title}: {(daemon_set.get('status') or {}).get(name, 0)}")
    writer.field("Pods Status", pods_status(daemon_set, selector, context))
    describe_template(template, writer)
    events_section(daemon_set, context)


def describe_stateful_set(stateful_set: Object, context: DescribeContext) -> None:
    """One StatefulSet, with the state of its pods and the claims they have."""
    writer, spec, metadata = context.writer, stateful_set.get("spec") or {}, metadata_of(stateful_set)
    selector = selector_text(spec.get("selector"))
    writer.field("Name", name_of(stateful_set))
    writer.field("Namespace", namespace_of(stateful_set))
    writer.field("CreationTimestamp", rfc1123(metadata.get("creationTimestamp")))
    writer.field("Selector", selector)
    labels(writer, "Labels", metadata.get("labels"))
    annotations(writer, "Annotations", metadata.get("annotations"))
    writer.field("Replicas", f"{spec.get('replicas', 1)} desired | {(stateful_set.get('status') or {}).get('replicas', 0)} total")
    _update_strategy(writer, spec.get("updateStrategy") or {})
    writer.field("Pods Status", pods_status(stateful_set, selector, context))
    describe_template(spec.get("template") or {}, writer)
    _claim_templates(writer, spec.get("volumeClaimTemplates") or [])
    events_section(stateful_set, context)


def _update_strategy(writer: Writer, strategy: Object) -> None:
    writer.field("Update Strategy", strategy.get("type", ""))
    rolling = strategy.get("rollingUpdate") or {}
    if rolling.get("partition") is not None:
        writer.field("Partition", rolling["partition"], 1)
        if rolling.get("maxUnavailable") is not None:
            writer.field("MaxUnavailable", rolling["maxUnavailable"], 1)


def _claim_templates(writer: Writer, templates: list[Object]) -> None:
    if not templates:
        writer.field("Volume Claims", NONE)
        return
    writer.line("Volume Claims:")
    for template in templates:
        spec, metadata = template.get("spec") or {}, metadata_of(template)
        writer.field("Name", name_of(template), 1)
        writer.field("StorageClass", spec.get("storageClassName") or "", 1)
        labels(writer, "Labels", metadata.get("labels"), 1)
        labels(writer, "Annotations", metadata.get("annotations"), 1)
        writer.field("Capacity", ((spec.get("resources") or {}).get("requests") or {}).get("storage", "<default>"), 1)
        writer.field("Access Modes", f"[{' '.join(spec.get('accessModes') or [])}]", 1)
