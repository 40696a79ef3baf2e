"""VolumeAttachment: that a volume is to be attached to a node, and whether it is."""

from svcsim.kinds.groups import STORAGE_V1
from svcsim.kinds.shared.checks import not_negative_int32
from svcsim.kinds.shared.columns import AGE, text_at
from svcsim.kinds.shared.persistent_volume import PERSISTENT_VOLUME_SPEC
from svcsim.kinds.shared.storage_checks import csi_driver_name
from svcsim.kinds.storage.volume_attachment_columns import attached
from svcsim.kinds.storage.volume_attachment_rules import (
    attachment_metadata,
    error_message,
    node_name,
    source_rules,
    volume_attachment_changes,
    volume_attachment_rules,
    volume_name,
)
from svcsim.registry.kind import Column, Kind, Status, Strategy
from svcsim.schema.types import Bool, Field, Int, Map, Str, Struct, Time

_SOURCE = Struct(
    "VolumeAttachmentSource",
    Field(1, "persistentVolumeName", Str(), "Name of the PersistentVolume", rules=(volume_name,), presence=True),
    Field(2, "inlineVolumeSpec", PERSISTENT_VOLUME_SPEC, "Properties of a volume that has no PersistentVolume"),
    rules=(source_rules,),
    doc="The volume to attach; exactly one of these is set",
)
_SPEC = Struct(
    "VolumeAttachmentSpec",
    Field(1, "attacher", Str(), "Name of the CSI driver that attaches the volume", required=True, rules=(csi_driver_name,)),
    Field(2, "source", _SOURCE, "The volume to attach", required=True, default={}),
    Field(3, "nodeName", Str(), "Name of the node to attach it to", required=True, rules=(node_name,)),
    doc="What is to be attached, where, and by whom",
)
_ERROR = Struct(
    "VolumeError",
    Field(1, "time", Time(), "When it happened"),
    Field(2, "message", Str(), "What went wrong, without secrets", rules=(error_message,)),
    Field(3, "errorCode", Int(), "Code that the driver gave for it", rules=(not_negative_int32,)),
    doc="An error that a driver met",
)
_STATUS = Struct(
    "VolumeAttachmentStatus",
    Field(1, "attached", Bool(), "Whether the volume is attached", required=True, default=False),
    Field(2, "attachmentMetadata", Map(Str()), "What the driver told, for the steps that follow", rules=(attachment_metadata,)),
    Field(3, "attachError", _ERROR, "The last error while attaching, if that has not succeeded since"),
    Field(4, "detachError", _ERROR, "The last error while detaching, if that has not succeeded since"),
    doc="What became of it",
)
VOLUME_ATTACHMENT = Kind(
    STORAGE_V1,
    "volumeattachments",
    Struct(
        "VolumeAttachment",
        Field(2, "spec", _SPEC, "What is to be attached, where, and by whom", required=True, default={}),
        Field(3, "status", _STATUS, "What became of it", default={}),
        doc="That a volume is to be attached to a node, or detached from it when this is deleted",
    ),
    namespaced=False,
    columns=(
        Column("Attacher", text_at("spec.attacher"), doc="Name of the CSI driver that attaches the volume"),
        Column("PV", text_at("spec.source.persistentVolumeName"), doc="Name of the PersistentVolume"),
        Column("Node", text_at("spec.nodeName"), doc="Name of the node"),
        Column("Attached", attached, doc="Whether the volume is attached"),
        AGE,
    ),
    status=Status(),
    strategy=Strategy(rules=(volume_attachment_rules,), update_rules=(volume_attachment_changes,)),
    generation=False,
    unconditional_update=False,
    deletes_to_object=True,
)
