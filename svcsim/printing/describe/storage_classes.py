"""StorageClasses, VolumeAttributesClasses, and which CSI drivers are on a node."""

from svcsim.meta.claims import default_class_marks
from svcsim.meta.objects import get_path, metadata_of, name_of
from svcsim.meta.types import Object
from svcsim.printing.describe.events import events_section
from svcsim.printing.describe.writer import DescribeContext, Writer, annotations, labels
from svcsim.printing.texts import NONE, pairs, rfc1123
from svcsim.printing.values import plain


def describe_storage_class(storage_class: Object, context: DescribeContext) -> None:
    writer, dialect = context.writer, context.reader.dialect
    notes = metadata_of(storage_class).get("annotations") or {}
    is_default = any(notes.get(mark) == "true" for mark in default_class_marks(dialect))
    writer.field("Name", name_of(storage_class))
    writer.field("IsDefaultClass", "Yes" if is_default else "No")
    writer.field("Annotations", pairs(notes))
    writer.field("Provisioner", storage_class.get("provisioner", ""))
    writer.field("Parameters", pairs(storage_class.get("parameters") or {}))
    expansion = storage_class.get("allowVolumeExpansion")
    writer.field("AllowVolumeExpansion", "<unset>" if expansion is None else str(expansion))
    _mount_options(writer, storage_class.get("mountOptions") or [])
    for title, field in (("ReclaimPolicy", "reclaimPolicy"), ("VolumeBindingMode", "volumeBindingMode")):
        if storage_class.get(field) is not None:
            writer.field(title, storage_class[field])
    _topologies(writer, storage_class.get("allowedTopologies") or [])
    events_section(storage_class, context)


def describe_volume_attributes_class(attributes_class: Object, context: DescribeContext) -> None:
    writer = context.writer
    writer.field("Name", name_of(attributes_class))
    writer.field("Annotations", pairs(metadata_of(attributes_class).get("annotations") or {}))
    writer.field("DriverName", attributes_class.get("driverName", ""))
    writer.field("Parameters", pairs(attributes_class.get("parameters") or {}))
    events_section(attributes_class, context)


def describe_csi_node(node: Object, context: DescribeContext) -> None:
    writer, metadata = context.writer, metadata_of(node)
    writer.field("Name", name_of(node))
    labels(writer, "Labels", metadata.get("labels"))
    annotations(writer, "Annotations", metadata.get("annotations"))
    writer.field("CreationTimestamp", rfc1123(metadata.get("creationTimestamp")))
    writer.line("Spec:")
    drivers: list[Object] = get_path(node, "spec.drivers") or []
    if drivers:
        writer.line("Drivers:", 1)
    for driver in drivers:
        writer.line(f"{driver.get('name', '')}:", 2)
        writer.field("Node ID", driver.get("nodeID", ""), 3)
        if (count := get_path(driver, "allocatable.count")) is not None:
            writer.line("Allocatables:", 3)
            writer.field("Count", count, 4)
        if driver.get("topologyKeys"):
            writer.field("Topology Keys", plain(driver["topologyKeys"]), 3)
    events_section(node, context)


def _mount_options(writer: Writer, options: list[str]) -> None:
    if not options:
        writer.field("MountOptions", NONE)
        return
    writer.line("MountOptions:")
    for option in options:
        writer.line(option, 1)


def _topologies(writer: Writer, terms: list[Object]) -> None:
    if not terms:
        return
    writer.field("AllowedTopologies", "")
    for number, term in enumerate(terms):
        rules = [f"{rule.get('key', '')} in [{', '.join(rule.get('values') or [])}]" for rule in term.get("matchLabelExpressions") or []]
        for index, rule in enumerate(rules or [NONE]):
            writer.line((f"Term {number}:" if not index else "") + f"\t{rule}", 1)
