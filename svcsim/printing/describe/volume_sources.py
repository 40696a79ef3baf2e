"""Sources of volumes that name a storage system: how each is called, and what is shown of it."""

from collections.abc import Callable
from typing import NamedTuple

from svcsim.meta.types import Json, Object
from svcsim.printing.values import plain


def _text(value: Json) -> str:
    return "" if value is None else plain(value)


def _number(value: Json) -> str:
    return str(value or 0)


def _flag(value: Json) -> str:
    return "true" if value else "false"


def _list(value: Json) -> str:
    return plain(value or [])


def _map(value: Json) -> str:
    return plain(value or {})


def _joined(value: Json) -> str:
    return ", ".join(value or [])


def _or_none(value: Json) -> str:
    return "<none>" if value is None else str(value)


def _or_unset(value: Json) -> str:
    return "<unset>" if value is None else str(value)


def _secret(value: Json) -> str:
    """A reference to a Secret as a Go struct, in the same namespace or in any."""
    if value is None:
        return "nil"
    parts = [f"{title}:{value.get(name, '')}," for title, name in (("Name", "name"), ("Namespace", "namespace")) if name in value]
    return f"&{'SecretReference' if 'namespace' in value else 'LocalObjectReference'}{{{''.join(parts)}}}"


class Row(NamedTuple):
    """What is shown of a source on a line."""

    title: str
    field: str
    show: Callable[[Json], str] = _text


_TYPE, _READ_ONLY, _SECRET = Row("FSType:", "fsType"), Row("ReadOnly:", "readOnly", _flag), Row("SecretRef:", "secretRef", _secret)

SOURCES: dict[str, tuple[str, tuple[Row, ...]]] = {
    "awsElasticBlockStore": (
        "AWSElasticBlockStore (a Persistent Disk resource in AWS)",
        (Row("VolumeID:", "volumeID"), _TYPE, Row("Partition:", "partition", _number), _READ_ONLY),
    ),
    "azureDisk": (
        "AzureDisk (an Azure Data Disk mount on the host and bind mount to the pod)",
        (
            Row("DiskName:", "diskName"),
            Row("DiskURI:", "diskURI"),
            Row("Kind: ", "kind"),
            _TYPE,
            Row("CachingMode:", "cachingMode"),
            _READ_ONLY,
        ),
    ),
    "azureFile": (
        "AzureFile (an Azure File Service mount on the host and bind mount to the pod)",
        (Row("SecretName:", "secretName"), Row("ShareName:", "shareName"), _READ_ONLY),
    ),
    "cephfs": (
        "CephFS (a CephFS mount on the host that shares a pod's lifetime)",
        (
            Row("Monitors:", "monitors", _list),
            Row("Path:", "path"),
            Row("User:", "user"),
            Row("SecretFile:", "secretFile"),
            _SECRET,
            _READ_ONLY,
        ),
    ),
    "cinder": ("Cinder (a Persistent Disk resource in OpenStack)", (Row("VolumeID:", "volumeID"), _TYPE, _READ_ONLY, _SECRET)),
    "fc": (
        "FC (a Fibre Channel disk)",
        (Row("TargetWWNs:", "targetWWNs", _joined), Row("LUN:", "lun", _or_none), _TYPE, _READ_ONLY),
    ),
    "flexVolume": (
        "FlexVolume (a generic volume resource that is provisioned/attached using an exec based plugin)",
        (Row("Driver:", "driver"), _TYPE, _SECRET, _READ_ONLY, Row("Options:", "options", _map)),
    ),
    "flocker": (
        "Flocker (a Flocker volume mounted by the Flocker agent)",
        (Row("DatasetName:", "datasetName"), Row("DatasetUUID:", "datasetUUID")),
    ),
    "gcePersistentDisk": (
        "GCEPersistentDisk (a Persistent Disk resource in Google Compute Engine)",
        (Row("PDName:", "pdName"), _TYPE, Row("Partition:", "partition", _number), _READ_ONLY),
    ),
    "gitRepo": (
        "GitRepo (a volume that is pulled from git when the pod is created)",
        (Row("Repository:", "repository"), Row("Revision:", "revision")),
    ),
    "glusterfs": (
        "Glusterfs (a Glusterfs mount on the host that shares a pod's lifetime)",
        (Row("EndpointsName:", "endpoints"), Row("Path:", "path"), _READ_ONLY),
    ),
    "image": ("Image (a container image or OCI artifact)", (Row("Reference:", "reference"), Row("PullPolicy:", "pullPolicy"))),
    "iscsi": (
        "ISCSI (an ISCSI Disk resource that is attached to a kubelet's host machine and then exposed to the pod)",
        (
            Row("TargetPortal:", "targetPortal"),
            Row("IQN:", "iqn"),
            Row("Lun:", "lun", _number),
            Row("ISCSIInterface", "iscsiInterface"),
            _TYPE,
            _READ_ONLY,
            Row("Portals:", "portals", _list),
            Row("DiscoveryCHAPAuth:", "chapAuthDiscovery", _flag),
            Row("SessionCHAPAuth:", "chapAuthSession", _flag),
            _SECRET,
            Row("InitiatorName:", "initiatorName", _or_none),
        ),
    ),
    "local": ("LocalVolume (a persistent volume backed by local storage on a node)", (Row("Path:", "path"),)),
    "nfs": ("NFS (an NFS mount that lasts the lifetime of a pod)", (Row("Server:", "server"), Row("Path:", "path"), _READ_ONLY)),
    "photonPersistentDisk": (
        "PhotonPersistentDisk (a Persistent Disk resource in photon platform)",
        (Row("PdID:", "pdID"), _TYPE),
    ),
    "portworxVolume": ("PortworxVolume (a Portworx Volume resource)", (Row("VolumeID:", "volumeID"),)),
    "quobyte": (
        "Quobyte (a Quobyte mount on the host that shares a pod's lifetime)",
        (Row("Registry:", "registry"), Row("Volume:", "volume"), _READ_ONLY),
    ),
    "rbd": (
        "RBD (a Rados Block Device mount on the host that shares a pod's lifetime)",
        (
            Row("CephMonitors:", "monitors", _list),
            Row("RBDImage:", "image"),
            _TYPE,
            Row("RBDPool:", "pool"),
            Row("RadosUser:", "user"),
            Row("Keyring:", "keyring"),
            _SECRET,
            _READ_ONLY,
        ),
    ),
    "scaleIO": (
        "ScaleIO (a persistent volume backed by a block device in ScaleIO)",
        (
            Row("Gateway:", "gateway"),
            Row("System:", "system"),
            Row("Protection Domain:", "protectionDomain"),
            Row("Storage Pool:", "storagePool"),
            Row("Storage Mode:", "storageMode"),
            Row("VolumeName:", "volumeName"),
            _TYPE,
            _READ_ONLY,
        ),
    ),
    "storageos": (
        "StorageOS (a StorageOS Persistent Disk resource)",
        (Row("VolumeName:", "volumeName"), Row("VolumeNamespace:", "volumeNamespace"), _TYPE, _READ_ONLY),
    ),
    "vsphereVolume": (
        "vSphereVolume (a Persistent Disk resource in vSphere)",
        (Row("VolumePath:", "volumePath"), _TYPE, Row("StoragePolicyName:", "storagePolicyName")),
    ),
}
"""In pods, and behind persistent volumes unless that is below."""

PERSISTENT: dict[str, tuple[str, tuple[Row, ...]]] = {
    "azureFile": (
        SOURCES["azureFile"][0],
        (Row("SecretName:", "secretName"), Row("SecretNamespace:", "secretNamespace"), Row("ShareName:", "shareName"), _READ_ONLY),
    ),
    "glusterfs": (
        SOURCES["glusterfs"][0],
        (
            Row("EndpointsName:", "endpoints"),
            Row("EndpointsNamespace:", "endpointsNamespace", _or_unset),
            Row("Path:", "path"),
            _READ_ONLY,
        ),
    ),
    "scaleIO": (
        SOURCES["scaleIO"][0],
        (
            *SOURCES["scaleIO"][1][:6],
            Row("SecretName:", "secretRef", lambda secret: (secret or {}).get("name", "")),
            Row("SecretNamespace:", "secretRef", lambda secret: (secret or {}).get("namespace", "")),
            _TYPE,
            _READ_ONLY,
        ),
    ),
}
"""The sources of which more is shown for a persistent volume."""


def rows_of(kind: str, source: Object, *, persistent: bool) -> tuple[str, list[tuple[str, str]]] | None:
    """What a source is called, and its lines; None for one that stands elsewhere."""
    known = PERSISTENT.get(kind) if persistent else None
    found = known or SOURCES.get(kind)
    if found is None:
        return None
    title, rows = found
    return title, [(row.title, row.show(source.get(row.field))) for row in rows]
