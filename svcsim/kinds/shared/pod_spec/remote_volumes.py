"""Volume sources that name a disk or share of some storage system.

Each comes in one or two forms: the form in a pod, and the form in a PersistentVolume, where secrets can be in any namespace.
"""

from svcsim.kinds.shared.checks import one_of
from svcsim.kinds.shared.pod_spec.container_rules import descending_path
from svcsim.kinds.shared.pod_spec.remote_volume_rules import (
    azure_disk_rules,
    fibre_channel_rules,
    flex_options,
    flocker_rules,
    iscsi_name,
    iscsi_rules,
    label,
    local_secret,
    namespace_if_named,
    not_empty,
    one_byte,
    quobyte_rules,
)
from svcsim.kinds.shared.pod_spec.volume_rules import absolute, needs
from svcsim.kinds.shared.references import LOCAL_OBJECT_REFERENCE, OBJECT_REFERENCE, SECRET_REFERENCE
from svcsim.kinds.shared.storage_checks import csi_driver_name, secret_named, secret_reference
from svcsim.kinds.shared.types import STRINGS
from svcsim.kinds.shared.words import AZURE_CACHING_MODE, AZURE_DISK_KIND
from svcsim.schema.types import Bool, Field, Int, Map, Rule, Str, Struct

_FS_TYPE = "Type of the file system, such as ext4"
_READ_ONLY = "Whether the volume is mounted read-only"
_SECRET = "Secret with the credentials"
_CACHING, _DISK_KINDS = one_of(*AZURE_CACHING_MODE.values), one_of(*AZURE_DISK_KIND.values)
_PARTITION = "Number of the partition to mount; 0 for the whole disk"

GCE_PERSISTENT_DISK = Struct(
    "GCEPersistentDiskVolumeSource",
    Field(1, "pdName", Str(), "Name of the disk", required=True),
    Field(2, "fsType", Str(), _FS_TYPE),
    Field(3, "partition", Int(), _PARTITION, presence=False, rules=(one_byte,)),
    Field(4, "readOnly", Bool(), _READ_ONLY, presence=False),
    doc="A Google Compute Engine disk (deprecated)",
)
AWS_ELASTIC_BLOCK_STORE = Struct(
    "AWSElasticBlockStoreVolumeSource",
    Field(1, "volumeID", Str(), "ID of the disk", required=True),
    Field(2, "fsType", Str(), _FS_TYPE),
    Field(3, "partition", Int(), _PARTITION, presence=False, rules=(one_byte,)),
    Field(4, "readOnly", Bool(), _READ_ONLY, presence=False),
    doc="An AWS Elastic Block Store disk (deprecated)",
)
GIT_REPO = Struct(
    "GitRepoVolumeSource",
    Field(1, "repository", Str(), "URL of the repository", required=True),
    Field(2, "revision", Str(), "Commit to check out"),
    Field(3, "directory", Str(), "Relative path of the directory to clone into; must not contain ..", rules=(descending_path,)),
    doc="A clone of a git repository (deprecated)",
)
NFS = Struct(
    "NFSVolumeSource",
    Field(1, "server", Str(), "Name or address of the server", required=True),
    Field(2, "path", Str(), "Path that the server exports", required=True, rules=(absolute,)),
    Field(3, "readOnly", Bool(), _READ_ONLY, presence=False),
    doc="An NFS share",
)
GLUSTERFS = Struct(
    "GlusterfsVolumeSource",
    Field(1, "endpoints", Str(), "Name of the Endpoints object with the servers", required=True),
    Field(2, "path", Str(), "Name of the volume", required=True),
    Field(3, "readOnly", Bool(), _READ_ONLY, presence=False),
    doc="A GlusterFS volume (deprecated)",
)
GLUSTERFS_PERSISTENT = Struct(
    "GlusterfsPersistentVolumeSource",
    *GLUSTERFS.fields,
    Field(
        4,
        "endpointsNamespace",
        Str(),
        "Namespace of the Endpoints object; that of the claim if unset",
        presence=True,
        rules=(namespace_if_named,),
    ),
    doc="A GlusterFS volume (deprecated)",
)
FLOCKER = Struct(
    "FlockerVolumeSource",
    Field(1, "datasetName", Str(), "Name of the dataset (deprecated)"),
    Field(2, "datasetUUID", Str(), "UUID of the dataset"),
    rules=(flocker_rules,),
    doc="A Flocker volume (deprecated)",
)
FC = Struct(
    "FCVolumeSource",
    Field(1, "targetWWNs", STRINGS, "World-wide names of the targets"),
    Field(2, "lun", Int(), "Number of the logical unit"),
    Field(3, "fsType", Str(), _FS_TYPE),
    Field(4, "readOnly", Bool(), _READ_ONLY, presence=False),
    Field(5, "wwids", STRINGS, "World-wide IDs of the volume, instead of targetWWNs and lun"),
    rules=(fibre_channel_rules,),
    doc="A Fibre Channel disk",
)
AZURE_FILE = Struct(
    "AzureFileVolumeSource",
    Field(1, "secretName", Str(), "Name of the Secret with the name and key of the storage account", required=True),
    Field(2, "shareName", Str(), "Name of the share", required=True),
    Field(3, "readOnly", Bool(), _READ_ONLY, presence=False),
    doc="An Azure file share (deprecated)",
)
AZURE_FILE_PERSISTENT = Struct(
    "AzureFilePersistentVolumeSource",
    *AZURE_FILE.fields,
    Field(4, "secretNamespace", Str(), "Namespace of the Secret; that of the claim if unset", presence=True, rules=(not_empty,)),
    doc="An Azure file share (deprecated)",
)
VSPHERE_VOLUME = Struct(
    "VsphereVirtualDiskVolumeSource",
    Field(1, "volumePath", Str(), "Path of the disk", required=True),
    Field(2, "fsType", Str(), _FS_TYPE),
    Field(3, "storagePolicyName", Str(), "Name of the storage policy"),
    Field(4, "storagePolicyID", Str(), "ID of the storage policy"),
    doc="A vSphere disk (deprecated)",
)
QUOBYTE = Struct(
    "QuobyteVolumeSource",
    Field(1, "registry", Str(), "Addresses of the registries, as host:port, separated by commas", required=True),
    Field(2, "volume", Str(), "Name of the volume", required=True),
    Field(3, "readOnly", Bool(), _READ_ONLY, presence=False),
    Field(4, "user", Str(), "User to which access is mapped"),
    Field(5, "group", Str(), "Group to which access is mapped"),
    Field(6, "tenant", Str(), "Tenant that owns the volume"),
    rules=(quobyte_rules,),
    doc="A Quobyte share (deprecated)",
)
AZURE_DISK = Struct(
    "AzureDiskVolumeSource",
    Field(1, "diskName", Str(), "Name of the disk", required=True),
    Field(2, "diskURI", Str(), "URI of the disk", required=True),
    Field(3, "cachingMode", AZURE_CACHING_MODE, "Host caching", default="ReadWrite", presence=True, rules=(_CACHING,)),
    Field(4, "fsType", Str(), _FS_TYPE, default="ext4", presence=True),
    Field(5, "readOnly", Bool(), _READ_ONLY, default=False),
    Field(6, "kind", AZURE_DISK_KIND, "Kind of the disk", default="Shared", presence=True, rules=(_DISK_KINDS,)),
    rules=(azure_disk_rules,),
    doc="An Azure disk (deprecated)",
)
PHOTON_PERSISTENT_DISK = Struct(
    "PhotonPersistentDiskVolumeSource",
    Field(1, "pdID", Str(), "ID of the disk", required=True),
    Field(2, "fsType", Str(), _FS_TYPE),
    doc="A Photon disk (deprecated)",
)
PORTWORX_VOLUME = Struct(
    "PortworxVolumeSource",
    Field(1, "volumeID", Str(), "ID of the volume", required=True),
    Field(2, "fsType", Str(), _FS_TYPE),
    Field(3, "readOnly", Bool(), _READ_ONLY, presence=False),
    doc="A Portworx volume (deprecated)",
)


def _iscsi(name: str, secret: Struct, *rules: Rule) -> Struct:
    return Struct(
        name,
        Field(1, "targetPortal", Str(), "Address of the portal, with a port unless it is 860 or 3260", required=True),
        Field(2, "iqn", Str(), "Qualified name (IQN) of the target", required=True, rules=(iscsi_name,)),
        Field(3, "lun", Int(), "Number of the logical unit", required=True, rules=(one_byte,)),
        Field(4, "iscsiInterface", Str(), "Name of the interface to use", default="default"),
        Field(5, "fsType", Str(), _FS_TYPE),
        Field(6, "readOnly", Bool(), _READ_ONLY, presence=False),
        Field(7, "portals", STRINGS, "Addresses of further portals of the same target"),
        Field(8, "chapAuthDiscovery", Bool(), "Whether discovery uses CHAP authentication", presence=False),
        Field(10, "secretRef", secret, _SECRET),
        Field(11, "chapAuthSession", Bool(), "Whether the session uses CHAP authentication", presence=False),
        Field(12, "initiatorName", Str(), "Qualified name (IQN) of the initiator", presence=True, rules=(iscsi_name,)),
        rules=(iscsi_rules, *rules),
        doc="An iSCSI disk",
    )


def _rbd(name: str, secret: Struct) -> Struct:
    return Struct(
        name,
        Field(1, "monitors", STRINGS, "Addresses of the Ceph monitors", required=True),
        Field(2, "image", Str(), "Name of the image", required=True),
        Field(3, "fsType", Str(), _FS_TYPE),
        Field(4, "pool", Str(), "Name of the pool", default="rbd"),
        Field(5, "user", Str(), "User name for authentication", default="admin"),
        Field(6, "keyring", Str(), "Path of the key ring on the node", default="/etc/ceph/keyring"),
        Field(7, "secretRef", secret, _SECRET),
        Field(8, "readOnly", Bool(), _READ_ONLY, presence=False),
        doc="A Ceph block device (deprecated)",
    )


def _flex(name: str, secret: Struct) -> Struct:
    return Struct(
        name,
        Field(1, "driver", Str(), "Name of the driver", required=True),
        Field(2, "fsType", Str(), _FS_TYPE),
        Field(3, "secretRef", secret, _SECRET),
        Field(4, "readOnly", Bool(), _READ_ONLY, presence=False),
        Field(5, "options", Map(Str()), "Options that are passed to the driver", rules=(flex_options,)),
        doc="A volume provided by an executable plugin (deprecated)",
    )


def _cinder(name: str, secret: Struct, *rules: Rule) -> Struct:
    return Struct(
        name,
        Field(1, "volumeID", Str(), "ID of the volume", required=True),
        Field(2, "fsType", Str(), _FS_TYPE),
        Field(3, "readOnly", Bool(), _READ_ONLY, presence=False),
        Field(4, "secretRef", secret, _SECRET),
        rules=rules,
        doc="An OpenStack Cinder disk (deprecated)",
    )


def _cephfs(name: str, secret: Struct) -> Struct:
    return Struct(
        name,
        Field(1, "monitors", STRINGS, "Addresses of the Ceph monitors", required=True),
        Field(2, "path", Str(), "Path to mount; / if unset"),
        Field(3, "user", Str(), "User name for authentication"),
        Field(4, "secretFile", Str(), "Path of the key ring of the user on the node"),
        Field(5, "secretRef", secret, _SECRET),
        Field(6, "readOnly", Bool(), _READ_ONLY, presence=False),
        doc="A CephFS share (deprecated)",
    )


def _scale_io(name: str, secret: Struct) -> Struct:
    return Struct(
        name,
        Field(1, "gateway", Str(), "Address of the gateway", required=True),
        Field(2, "system", Str(), "Name of the system", required=True),
        Field(3, "secretRef", secret, _SECRET, required=True),
        Field(4, "sslEnabled", Bool(), "Whether to use TLS for connections to the gateway", presence=False),
        Field(5, "protectionDomain", Str(), "Name of the protection domain"),
        Field(6, "storagePool", Str(), "Name of the storage pool"),
        Field(7, "storageMode", Str(), "ThickProvisioned or ThinProvisioned", default="ThinProvisioned"),
        Field(8, "volumeName", Str(), "Name of the volume"),
        Field(9, "fsType", Str(), _FS_TYPE, default="xfs"),
        Field(10, "readOnly", Bool(), _READ_ONLY, presence=False),
        rules=(needs("volumeName"),),
        doc="A ScaleIO volume (deprecated)",
    )


def _storage_os(name: str, secret: Struct, *rules: Rule) -> Struct:
    return Struct(
        name,
        Field(1, "volumeName", Str(), "Name of the volume", rules=(label,)),
        Field(2, "volumeNamespace", Str(), "Namespace of the volume in StorageOS", rules=(label,)),
        Field(3, "fsType", Str(), _FS_TYPE),
        Field(4, "readOnly", Bool(), _READ_ONLY, presence=False),
        Field(5, "secretRef", secret, _SECRET),
        rules=(needs("volumeName"), *rules),
        doc="A StorageOS volume (deprecated)",
    )


ISCSI = _iscsi("ISCSIVolumeSource", LOCAL_OBJECT_REFERENCE)
ISCSI_PERSISTENT = _iscsi("ISCSIPersistentVolumeSource", SECRET_REFERENCE, secret_named("name"))
RBD = _rbd("RBDVolumeSource", LOCAL_OBJECT_REFERENCE)
RBD_PERSISTENT = _rbd("RBDPersistentVolumeSource", SECRET_REFERENCE)
FLEX_VOLUME = _flex("FlexVolumeSource", LOCAL_OBJECT_REFERENCE)
FLEX_VOLUME_PERSISTENT = _flex("FlexPersistentVolumeSource", SECRET_REFERENCE)
CINDER = _cinder("CinderVolumeSource", LOCAL_OBJECT_REFERENCE, secret_named("name"))
CINDER_PERSISTENT = _cinder("CinderPersistentVolumeSource", SECRET_REFERENCE, secret_named("name", "namespace"))
CEPHFS = _cephfs("CephFSVolumeSource", LOCAL_OBJECT_REFERENCE)
CEPHFS_PERSISTENT = _cephfs("CephFSPersistentVolumeSource", SECRET_REFERENCE)
SCALE_IO = _scale_io("ScaleIOVolumeSource", LOCAL_OBJECT_REFERENCE)
SCALE_IO_PERSISTENT = _scale_io("ScaleIOPersistentVolumeSource", SECRET_REFERENCE)
STORAGE_OS = _storage_os("StorageOSVolumeSource", LOCAL_OBJECT_REFERENCE, secret_named("name"))
STORAGE_OS_PERSISTENT = _storage_os("StorageOSPersistentVolumeSource", OBJECT_REFERENCE, secret_named("name", "namespace"))


CSI = Struct(
    "CSIVolumeSource",
    Field(1, "driver", Str(), "Name of the driver", required=True, rules=(csi_driver_name,)),
    Field(2, "readOnly", Bool(), _READ_ONLY),
    Field(3, "fsType", Str(), _FS_TYPE, presence=True),
    Field(4, "volumeAttributes", Map(Str()), "Attributes that are passed to the driver"),
    Field(
        5,
        "nodePublishSecretRef",
        LOCAL_OBJECT_REFERENCE,
        "Secret that is passed to the driver when it publishes the volume on a node",
        rules=(local_secret,),
    ),
    doc="A volume that a CSI driver creates for the pod",
)
CSI_PERSISTENT = Struct(
    "CSIPersistentVolumeSource",
    Field(1, "driver", Str(), "Name of the driver", required=True, rules=(csi_driver_name,)),
    Field(2, "volumeHandle", Str(), "Name by which the driver identifies the volume", required=True),
    Field(3, "readOnly", Bool(), _READ_ONLY, presence=False),
    Field(4, "fsType", Str(), _FS_TYPE),
    Field(5, "volumeAttributes", Map(Str()), "Attributes that are passed to the driver"),
    Field(6, "controllerPublishSecretRef", SECRET_REFERENCE, "Secret for attaching and detaching the volume", rules=(secret_reference,)),
    Field(7, "nodeStageSecretRef", SECRET_REFERENCE, "Secret for staging the volume on a node"),
    Field(8, "nodePublishSecretRef", SECRET_REFERENCE, "Secret for publishing the volume on a node", rules=(secret_reference,)),
    Field(
        9, "controllerExpandSecretRef", SECRET_REFERENCE, "Secret for expanding the volume in the storage system", rules=(secret_reference,)
    ),
    Field(10, "nodeExpandSecretRef", SECRET_REFERENCE, "Secret for expanding the volume on a node", rules=(secret_reference,)),
    doc="A volume provided by a CSI driver",
)
