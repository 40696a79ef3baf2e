"""Deployments, ReplicaSets and ReplicationControllers."""

from svcsim.meta.objects import metadata_of, name_of, namespace_of
from svcsim.meta.types import Object
from svcsim.printing.describe.events import events_section
from svcsim.printing.describe.pods import describe_template
from svcsim.printing.describe.pods_of import pods_status
from svcsim.printing.describe.revisions import new_replica_set, owned_replica_sets
from svcsim.printing.describe.writer import DescribeContext, annotations, conditions, controlled_by, labels
from svcsim.printing.texts import rfc1123, selector_text


def describe_deployment(deployment: Object, context: DescribeContext) -> None:
    """One Deployment, with the ReplicaSets it has."""
    writer, spec, status, metadata = context.writer, deployment.get("spec") or {}, deployment.get("status") or {}, metadata_of(deployment)
    writer.field("Name", name_of(deployment))
    writer.field("Namespace", namespace_of(deployment))
    writer.field("CreationTimestamp", rfc1123(metadata.get("creationTimestamp")))
    labels(writer, "Labels", metadata.get("labels"))
    annotations(writer, "Annotations", metadata.get("annotations"))
    writer.field("Selector", selector_text(spec.get("selector")))
    counts = [("desired", spec.get("replicas", 1))]
    counts += [(word, status.get(field, 0)) for word, field in (("updated", "updatedReplicas"), ("total", "replicas"))]
    counts += [(word, status.get(f"{word}Replicas", 0)) for word in ("available", "unavailable")]
    writer.field("Replicas", " | ".join(f"{count} {word}" for word, count in counts))
    strategy = spec.get("strategy") or {}
    writer.field("StrategyType", strategy.get("type", ""))
    writer.field("MinReadySeconds", spec.get("minReadySeconds", 0))
    if rolling := strategy.get("rollingUpdate"):
        writer.field("RollingUpdateStrategy", f"{rolling.get('maxUnavailable')} max unavailable, {rolling.get('maxSurge')} max surge")
    describe_template(spec.get("template") or {}, writer)
    conditions(writer, deployment)
    sets = owned_replica_sets(context.reader, deployment)
    newest = new_replica_set(deployment, sets)
    if sets:
        old = [item for item in sets if item is not newest]
        writer.field("OldReplicaSets", _sets(old))
        writer.field("NewReplicaSet", _sets([newest] if newest else []))
    events_section(deployment, context)


def _sets(items: list[Object]) -> str:
    return (
        ", ".join(
            f"{name_of(item)} ({(item.get('status') or {}).get('replicas', 0)}/{item['spec'].get('replicas', 1)} replicas created)"
            for item in items
        )
        or "<none>"
    )


def describe_replica_set(replica_set: Object, context: DescribeContext) -> None:
    """One ReplicaSet, with the state of its pods."""
    writer, spec, status, metadata = (
        context.writer,
        replica_set.get("spec") or {},
        replica_set.get("status") or {},
        metadata_of(replica_set),
    )
    writer.field("Name", name_of(replica_set))
    writer.field("Namespace", namespace_of(replica_set))
    selector = selector_text(spec.get("selector"))
    writer.field("Selector", selector)
    labels(writer, "Labels", metadata.get("labels"))
    annotations(writer, "Annotations", metadata.get("annotations"))
    if controlled_by(replica_set):
        writer.field("Controlled By", controlled_by(replica_set))
    writer.field("Replicas", f"{status.get('replicas', 0)} current / {spec.get('replicas', 1)} desired")
    writer.field("Pods Status", pods_status(replica_set, selector, context))
    describe_template(spec.get("template") or {}, writer)
    conditions(writer, replica_set)
    events_section(replica_set, context)


def describe_replication_controller(controller: Object, context: DescribeContext) -> None:
    """One ReplicationController, with the state of its pods."""
    writer, spec, metadata = context.writer, controller.get("spec") or {}, metadata_of(controller)
    selector = selector_text({"matchLabels": spec.get("selector")})
    writer.field("Name", name_of(controller))
    writer.field("Namespace", namespace_of(controller))
    writer.field("Selector", selector)
    labels(writer, "Labels", metadata.get("labels"))
    annotations(writer, "Annotations", metadata.get("annotations"))
    current = (controller.get("status") or {}).get("replicas", 0)
    writer.field("Replicas", f"{current} current / {spec.get('replicas', 1)} desired")
    writer.field("Pods Status", pods_status(controller, selector, context))
    describe_template(spec.get("template") or {}, writer)
    conditions(writer, controller)
    events_section(controller, context)
