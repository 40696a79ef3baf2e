"""PersistentVolume and PersistentVolumeClaim: storage there is, and storage that is asked for."""

from collections.abc import Iterator

from svcsim.kinds.groups import CORE_V1
from svcsim.kinds.shared.checks import IMMUTABLE, not_negative_amount, one_of
from svcsim.kinds.shared.columns import AGE, text_at
from svcsim.kinds.shared.pod_spec import remote_volumes as remote
from svcsim.kinds.shared.pod_spec.scheduling import NODE_SELECTOR
from svcsim.kinds.shared.pod_spec.volumes import HOST_PATH
from svcsim.kinds.shared.references import GRANULAR_OBJECT_REFERENCE, RESOURCE_LIST, STRINGS
from svcsim.kinds.shared.volume_claim import ACCESS_MODES, PERSISTENT_VOLUME_CLAIM_SPEC
from svcsim.meta.errors import FieldError, forbidden_field, invalid_value, required
from svcsim.meta.objects import annotations_of, get_path, is_terminating
from svcsim.meta.types import Json, Object
from svcsim.registry.kind import STATUS, Column, Context, Kind, Strategy
from svcsim.schema.types import Field, List, Map, Quantity, Str, Struct, Time

_UNSET = "<unset>"
_SHORT_MODES = {"ReadWriteOnce": "RWO", "ReadOnlyMany": "ROX", "ReadWriteMany": "RWX", "ReadWriteOncePod": "RWOP"}
_CLASS_ANNOTATION = "volume.beta", "storage-class"


def _modes_text(modes: list[str] | None) -> str:
    """Access modes in short, in a fixed order, each once."""
    return ",".join(short for mode, short in _SHORT_MODES.items() if mode in (modes or ()))


def _storage_class(obj: Object, context: Context) -> Json:
    prefix, name = _CLASS_ANNOTATION
    return annotations_of(obj).get(context.dialect.key(name, prefix)) or get_path(obj, "spec.storageClassName") or ""


def _attributes_class(obj: Object, context: Context) -> Json:  # noqa: ARG001 - a cell's signature
    return get_path(obj, "spec.volumeAttributesClassName") or _UNSET


def _volume_mode(obj: Object, context: Context) -> Json:  # noqa: ARG001 - a cell's signature
    return get_path(obj, "spec.volumeMode") or _UNSET


_CLASS_COLUMN = Column("StorageClass", _storage_class, doc="The storage class")
_ATTRIBUTES_COLUMN = Column("VolumeAttributesClass", _attributes_class, doc="The class of attributes")
_MODE_COLUMN = Column("VolumeMode", _volume_mode, priority=1, doc="Filesystem or Block")


def _pending(obj: Object, context: Context) -> None:  # noqa: ARG001 - a hook's signature
    obj["status"] = {"phase": "Pending"}


# PersistentVolumeClaim

_CLAIM_CONDITION = Struct(
    "PersistentVolumeClaimCondition",
    Field(1, "type", Str(), "Resizing, FileSystemResizePending, …", required=True, default=""),
    Field(2, "status", Str(), "True, False or Unknown", required=True, default=""),
    Field(3, "lastProbeTime", Time(), "When it was last looked at"),
    Field(4, "lastTransitionTime", Time(), "When the status last changed"),
    Field(5, "reason", Str(), "Why, in one CamelCase word"),
    Field(6, "message", Str(), "Why, in a sentence"),
    doc="One aspect of a claim's state",
)
_MODIFY_STATUS = Struct(
    "ModifyVolumeStatus",
    Field(1, "targetVolumeAttributesClassName", Str(), "The class that is being applied"),
    Field(2, "status", Str(), "Pending, InProgress or Infeasible", required=True, default=""),
    doc="How a change of attributes goes",
)
_CLAIM_STATUS = Struct(
    "PersistentVolumeClaimStatus",
    Field(1, "phase", Str(), "Pending, Bound or Lost", default="Pending"),
    Field(2, "accessModes", STRINGS, "How the volume can be mounted"),
    Field(3, "capacity", RESOURCE_LIST, "How big the volume is"),
    Field(
        4,
        "conditions",
        List(_CLAIM_CONDITION, kind="map", keys=("type",), merge_key="type", unique=False),
        "Aspects of its state",
    ),
    Field(5, "allocatedResources", RESOURCE_LIST, "How big the volume is to become"),
    Field(7, "allocatedResourceStatuses", Map(Str()), "How a resize goes"),
    Field(8, "currentVolumeAttributesClassName", Str(), "The class of attributes in force"),
    Field(9, "modifyVolumeStatus", _MODIFY_STATUS, "How a change of attributes goes"),
    doc="How a claim is",
)
_CHANGEABLE = ("resources", "volumeAttributesClassName")


def _claim_changes(new: Object, old: Object, context: Context) -> Iterator[FieldError]:  # noqa: ARG001 - a rule's signature
    """A claim changes its wishes for size alone; the volume is named once."""
    spec, before = new.get("spec") or {}, old.get("spec") or {}
    fixed = set(_CHANGEABLE) | ({"volumeName"} if not before.get("volumeName") else set())
    names = [name for name in {**spec, **before} if name not in fixed and spec.get(name) != before.get(name)]
    if names:
        told = "spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims"
        yield forbidden_field("spec", f"{told}\nchanged: {', '.join(f'spec.{name}' for name in names)}")


def _claim_phase(obj: Object, context: Context) -> Json:  # noqa: ARG001 - a cell's signature
    return "Terminating" if is_terminating(obj) else get_path(obj, "status.phase") or ""


def _claim_modes(obj: Object, context: Context) -> Json:  # noqa: ARG001 - a cell's signature
    return _modes_text(get_path(obj, "status.accessModes")) if get_path(obj, "spec.volumeName") else ""


def _claim_capacity(obj: Object, context: Context) -> Json:  # noqa: ARG001 - a cell's signature
    return get_path(obj, "status.capacity.storage") or "" if get_path(obj, "spec.volumeName") else ""


PERSISTENT_VOLUME_CLAIM = Kind(
    "PersistentVolumeClaim",
    CORE_V1,
    "persistentvolumeclaims",
    Struct(
        "PersistentVolumeClaim",
        Field(2, "spec", PERSISTENT_VOLUME_CLAIM_SPEC, "What the claim asks for", default={}),
        Field(3, "status", _CLAIM_STATUS, "How the claim is", default={}),
        doc="Storage that is asked for",
    ),
    short=("pvc",),
    singular="persistentvolumeclaim",
    columns=(
        Column("Status", _claim_phase, doc="Pending, Bound or Lost"),
        Column("Volume", text_at("spec.volumeName"), doc="The volume it is bound to"),
        Column("Capacity", _claim_capacity, doc="How big the volume is"),
        Column("Access Modes", _claim_modes, doc="How the volume can be mounted"),
        _CLASS_COLUMN,
        _ATTRIBUTES_COLUMN,
        AGE,
        _MODE_COLUMN,
    ),
    subresources=(STATUS,),
    strategy=Strategy(create=_pending, update_rules=(_claim_changes,)),
    deletes_to_object=True,
    doc="Storage that is asked for",
)

# PersistentVolume

_SOURCES = Struct(
    "PersistentVolumeSource",
    Field(1, "gcePersistentDisk", remote.GCE_PERSISTENT_DISK, "A Google disk (deprecated)"),
    Field(2, "awsElasticBlockStore", remote.AWS_ELASTIC_BLOCK_STORE, "An AWS disk (deprecated)"),
    Field(3, "hostPath", HOST_PATH, "A file or directory of a node"),
    Field(4, "glusterfs", remote.GLUSTERFS_PERSISTENT, "A GlusterFS volume (deprecated)"),
    Field(5, "nfs", remote.NFS, "An NFS share"),
    Field(6, "rbd", remote.RBD_PERSISTENT, "A Ceph block device (deprecated)"),
    Field(7, "iscsi", remote.ISCSI_PERSISTENT, "An iSCSI disk"),
    Field(8, "cinder", remote.CINDER_PERSISTENT, "An OpenStack disk (deprecated)"),
    Field(9, "cephfs", remote.CEPHFS_PERSISTENT, "A CephFS share (deprecated)"),
    Field(10, "fc", remote.FC, "A Fibre Channel disk"),
    Field(11, "flocker", remote.FLOCKER, "A Flocker volume (deprecated)"),
    Field(12, "flexVolume", remote.FLEX_VOLUME_PERSISTENT, "A volume of an executable plugin (deprecated)"),
    Field(13, "azureFile", remote.AZURE_FILE_PERSISTENT, "An Azure share (deprecated)"),
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
            Field(2, "fsType", Str(), "File system to mount, such as ext4"),
            doc="A disk or directory of one node",
        ),
        "A disk or directory of one node",
    ),
    Field(21, "storageos", remote.STORAGE_OS_PERSISTENT, "A StorageOS volume (deprecated)"),
    Field(22, "csi", remote.CSI_PERSISTENT, "A volume of a CSI driver"),
    doc="Where a volume's content lies: one of these",
)
_NODE_AFFINITY = Struct(
    "VolumeNodeAffinity",
    Field(1, "required", NODE_SELECTOR, "Nodes from which the volume can be reached"),
    doc="From where a volume can be reached",
)


def _volume_rules(spec: Json, path: str) -> Iterator[FieldError]:
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


_VOLUME_SPEC = Struct(
    "PersistentVolumeSpec",
    Field(1, "capacity", Map(Quantity(rules=(not_negative_amount,))), "How big it is"),
    Field(2, "persistentVolumeSource", _SOURCES, inline=True),
    Field(3, "accessModes", STRINGS, "How it can be mounted", rules=(ACCESS_MODES,)),
    Field(4, "claimRef", GRANULAR_OBJECT_REFERENCE, "The claim it is bound to"),
    Field(
        5,
        "persistentVolumeReclaimPolicy",
        Str(),
        "Retain, Recycle or Delete: what becomes of it without its claim",
        default="Retain",
        rules=(one_of("Delete", "Recycle", "Retain"),),
    ),
    Field(6, "storageClassName", Str(), "Its storage class; empty for none"),
    Field(7, "mountOptions", STRINGS, "Options for mounting it"),
    Field(8, "volumeMode", Str(), "Filesystem or Block", default="Filesystem", rules=(one_of("Block", "Filesystem"),)),
    Field(9, "nodeAffinity", _NODE_AFFINITY, "From where it can be reached"),
    Field(10, "volumeAttributesClassName", Str(), "Its class of attributes"),
    rules=(_volume_rules,),
    doc="What a volume is",
)
_VOLUME_STATUS = Struct(
    "PersistentVolumeStatus",
    Field(1, "phase", Str(), "Pending, Available, Bound, Released or Failed", default="Pending"),
    Field(2, "message", Str(), "Why it is so, in a sentence"),
    Field(3, "reason", Str(), "Why it is so, in one CamelCase word"),
    Field(4, "lastPhaseTransitionTime", Time(), "When the phase last changed"),
    doc="How a volume is",
)


def _volume_changes(new: Object, old: Object, context: Context) -> Iterator[FieldError]:  # noqa: ARG001 - a rule's signature
    """A volume's content lies where it lies."""
    spec, before = new.get("spec") or {}, old.get("spec") or {}
    if any(spec.get(field.name) != before.get(field.name) for field in _SOURCES.fields):
        yield forbidden_field("spec.persistentvolumesource", "spec.persistentvolumesource is immutable after creation")
    if spec.get("volumeMode") != before.get("volumeMode"):
        yield invalid_value("spec.volumeMode", spec.get("volumeMode"), IMMUTABLE)
    if before.get("nodeAffinity") and spec.get("nodeAffinity") != before["nodeAffinity"]:
        yield invalid_value("spec.nodeAffinity", spec.get("nodeAffinity"), IMMUTABLE)


def _volume_phase(obj: Object, context: Context) -> Json:  # noqa: ARG001 - a cell's signature
    return "Terminating" if is_terminating(obj) else get_path(obj, "status.phase") or ""


def _volume_modes(obj: Object, context: Context) -> Json:  # noqa: ARG001 - a cell's signature
    return _modes_text(get_path(obj, "spec.accessModes"))


def _claim(obj: Object, context: Context) -> Json:  # noqa: ARG001 - a cell's signature
    claim = get_path(obj, "spec.claimRef")
    return f"{claim.get('namespace') or ''}/{claim.get('name') or ''}" if claim else ""


PERSISTENT_VOLUME = Kind(
    "PersistentVolume",
    CORE_V1,
    "persistentvolumes",
    Struct(
        "PersistentVolume",
        Field(2, "spec", _VOLUME_SPEC, "What the volume is", default={}),
        Field(3, "status", _VOLUME_STATUS, "How the volume is", default={}),
        doc="Storage there is",
    ),
    short=("pv",),
    singular="persistentvolume",
    namespaced=False,
    columns=(
        Column("Capacity", text_at("spec.capacity.storage"), doc="How big it is"),
        Column("Access Modes", _volume_modes, doc="How it can be mounted"),
        Column("Reclaim Policy", text_at("spec.persistentVolumeReclaimPolicy"), doc="What becomes of it without its claim"),
        Column("Status", _volume_phase, doc="Available, Bound, Released or Failed"),
        Column("Claim", _claim, doc="The claim it is bound to"),
        _CLASS_COLUMN,
        _ATTRIBUTES_COLUMN,
        Column("Reason", text_at("status.reason"), doc="Why it is so"),
        AGE,
        _MODE_COLUMN,
    ),
    subresources=(STATUS,),
    strategy=Strategy(create=_pending, update_rules=(_volume_changes,)),
    deletes_to_object=True,
    doc="Storage there is",
)
