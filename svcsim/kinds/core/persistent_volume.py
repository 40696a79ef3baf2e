"""PersistentVolume: storage in the cluster, which a claim can be bound to."""

from collections.abc import Iterator

from svcsim.kinds.core.volume_columns import ATTRIBUTES_CLASS, STORAGE_CLASS, VOLUME_MODE, access_modes_text, phase
from svcsim.kinds.groups import CORE_V1
from svcsim.kinds.shared.checks import IMMUTABLE, not_negative_amount, one_of
from svcsim.kinds.shared.columns import AGE, text_at
from svcsim.kinds.shared.pod_spec import remote_volumes as remote
from svcsim.kinds.shared.pod_spec.scheduling import NODE_SELECTOR
from svcsim.kinds.shared.pod_spec.volumes import HOST_PATH
from svcsim.kinds.shared.references import GRANULAR_OBJECT_REFERENCE
from svcsim.kinds.shared.types import STRINGS
from svcsim.kinds.shared.volume_claim import ACCESS_MODES
from svcsim.meta.errors import FieldError, forbidden_field, invalid_value, required
from svcsim.meta.objects import get_path
from svcsim.meta.types import Json, Object
from svcsim.registry.kind import Column, Context, Kind, Status, Strategy
from svcsim.schema.types import Field, Map, Quantity, Str, Struct, Time

_SOURCES = Struct(
    "PersistentVolumeSource",
    Field(1, "gcePersistentDisk", remote.GCE_PERSISTENT_DISK, "A Google Compute Engine disk (deprecated)"),
    Field(2, "awsElasticBlockStore", remote.AWS_ELASTIC_BLOCK_STORE, "An AWS Elastic Block Store disk (deprecated)"),
    Field(3, "hostPath", HOST_PATH, "A file or directory on a node"),
    Field(4, "glusterfs", remote.GLUSTERFS_PERSISTENT, "A GlusterFS volume (deprecated)"),
    Field(5, "nfs", remote.NFS, "An NFS share"),
    Field(6, "rbd", remote.RBD_PERSISTENT, "A Ceph block device (deprecated)"),
    Field(7, "iscsi", remote.ISCSI_PERSISTENT, "An iSCSI disk"),
    Field(8, "cinder", remote.CINDER_PERSISTENT, "An OpenStack Cinder disk (deprecated)"),
    Field(9, "cephfs", remote.CEPHFS_PERSISTENT, "A CephFS share (deprecated)"),
    Field(10, "fc", remote.FC, "A Fibre Channel disk"),
    Field(11, "flocker", remote.FLOCKER, "A Flocker volume (deprecated)"),
    Field(12, "flexVolume", remote.FLEX_VOLUME_PERSISTENT, "A volume provided by an executable plugin (deprecated)"),
    Field(13, "azureFile", remote.AZURE_FILE_PERSISTENT, "An Azure file share (deprecated)"),
    Field(14, "vsphereVolume", remote.VSPHERE_VOLUME, "A vSphere disk (deprecated)"),
    Field(15, "quobyte", remote.QUOBYTE, "A Quobyte share (deprecated)"),
    Field(16, "azureDisk", remote.AZURE_DISK, "An Azure disk (deprecated)"),
    Field(17, "photonPersistentDisk", remote.PHOTON_PERSISTENT_DISK, "A Photon disk (deprecated)"),
    Field(18, "portworxVolume", remote.PORTWORX_VOLUME, "A Portworx volume (deprecated)"),
    Field(19, "scaleIO", remote.SCALE_IO_PERSISTENT, "A ScaleIO volume (deprecated)"),
    Field(
        20,
        "local",
        Struct(
            "LocalVolumeSource",
            Field(1, "path", Str(), "Path of the directory or device on the node", required=True),
            Field(2, "fsType", Str(), "Type of the file system, such as ext4"),
            doc="A disk, partition or directory of one node",
        ),
        "A disk, partition or directory of one node",
    ),
    Field(21, "storageos", remote.STORAGE_OS_PERSISTENT, "A StorageOS volume (deprecated)"),
    Field(22, "csi", remote.CSI_PERSISTENT, "A volume provided by a CSI driver"),
    doc="Storage behind a volume; exactly one of these is set",
)
_NODE_AFFINITY = Struct(
    "VolumeNodeAffinity",
    Field(1, "required", NODE_SELECTOR, "Nodes from which the volume can be reached"),
    doc="Limits the nodes from which a volume can be reached",
)


def _rules(spec: Json, path: str) -> Iterator[FieldError]:
    if not spec.get("accessModes"):
        yield required(f"{path}.accessModes")
    if not spec.get("capacity"):
        yield required(f"{path}.capacity")
    elif list(spec["capacity"]) != ["storage"]:
        yield invalid_value(f"{path}.capacity", spec["capacity"], "only storage is expected")
    given = [field.name for field in _SOURCES.fields if spec.get(field.name) is not None]
    if not given:
        yield required(path, "must specify a volume type")
    for name in given[1:]:
        yield forbidden_field(f"{path}.{name}", "may not specify more than 1 volume type")


_SPEC = Struct(
    "PersistentVolumeSpec",
    Field(1, "capacity", Map(Quantity(rules=(not_negative_amount,))), "Size of the volume"),
    Field(2, "persistentVolumeSource", _SOURCES, inline=True),
    Field(3, "accessModes", STRINGS, "Access modes that the volume supports", rules=(ACCESS_MODES,)),
    Field(4, "claimRef", GRANULAR_OBJECT_REFERENCE, "The claim to which the volume is bound"),
    Field(
        5,
        "persistentVolumeReclaimPolicy",
        Str(),
        "What happens to the volume when its claim is deleted: Retain, Recycle or Delete",
        default="Retain",
        rules=(one_of("Delete", "Recycle", "Retain"),),
    ),
    Field(6, "storageClassName", Str(), "Name of the StorageClass of the volume; empty for none"),
    Field(7, "mountOptions", STRINGS, "Mount options"),
    Field(8, "volumeMode", Str(), "Filesystem or Block", default="Filesystem", rules=(one_of("Block", "Filesystem"),)),
    Field(9, "nodeAffinity", _NODE_AFFINITY, "Limits the nodes from which the volume can be reached"),
    Field(10, "volumeAttributesClassName", Str(), "Name of the VolumeAttributesClass of the volume"),
    rules=(_rules,),
    doc="Properties of a volume",
)
_STATUS = Struct(
    "PersistentVolumeStatus",
    Field(1, "phase", Str(), "Phase of the volume: Pending, Available, Bound, Released or Failed", default="Pending"),
    Field(2, "message", Str(), "Explanation of the phase for people to read"),
    Field(3, "reason", Str(), "Machine-readable reason for the phase, one CamelCase word"),
    Field(4, "lastPhaseTransitionTime", Time(), "When the phase last changed"),
    doc="Current state of a volume",
)


def _changes(new: Object, old: Object, context: Context) -> Iterator[FieldError]:
    """The storage behind a volume stays the same."""
    spec, before = new.get("spec") or {}, old.get("spec") or {}
    if any(spec.get(field.name) != before.get(field.name) for field in _SOURCES.fields):
        yield forbidden_field("spec.persistentvolumesource", "spec.persistentvolumesource is immutable after creation")
    if spec.get("volumeMode") != before.get("volumeMode"):
        yield invalid_value("spec.volumeMode", spec.get("volumeMode"), IMMUTABLE)
    if before.get("nodeAffinity") and spec.get("nodeAffinity") != before["nodeAffinity"]:
        yield invalid_value("spec.nodeAffinity", spec.get("nodeAffinity"), IMMUTABLE)


def _access_modes(obj: Object, context: Context) -> Json:
    return access_modes_text(get_path(obj, "spec.accessModes"))


def _claim(obj: Object, context: Context) -> Json:
    claim = get_path(obj, "spec.claimRef")
    return f"{claim.get('namespace') or ''}/{claim.get('name') or ''}" if claim else ""


PERSISTENT_VOLUME = Kind(
    CORE_V1,
    "persistentvolumes",
    Struct(
        "PersistentVolume",
        Field(2, "spec", _SPEC, "Properties of the volume", default={}),
        Field(3, "status", _STATUS, "Current state of the volume", default={}),
        doc="A piece of storage in the cluster, which a claim can be bound to",
    ),
    short=("pv",),
    namespaced=False,
    columns=(
        Column("Capacity", text_at("spec.capacity.storage"), doc="Size of the volume"),
        Column("Access Modes", _access_modes, doc="Access modes that the volume supports"),
        Column("Reclaim Policy", text_at("spec.persistentVolumeReclaimPolicy"), doc="What happens to the volume when its claim is deleted"),
        Column("Status", phase, doc="Phase of the volume: Available, Bound, Released or Failed"),
        Column("Claim", _claim, doc="The claim to which the volume is bound"),
        STORAGE_CLASS,
        ATTRIBUTES_CLASS,
        Column("Reason", text_at("status.reason"), doc="Reason for the phase"),
        AGE,
        VOLUME_MODE,
    ),
    status=Status(),
    strategy=Strategy(update_rules=(_changes,)),
    generation=False,
    deletes_to_object=True,
)
