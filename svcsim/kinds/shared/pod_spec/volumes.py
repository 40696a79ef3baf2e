"""Volumes of a pod: those whose content the cluster itself makes, and the choice among all sources.

Sources that name some storage system's disk or share stand in `remote_volumes`.
"""

from svcsim.kinds.shared.checks import file_mode, named, one_of
from svcsim.kinds.shared.pod_spec import remote_volumes as remote
from svcsim.kinds.shared.pod_spec.container_rules import file_path
from svcsim.kinds.shared.pod_spec.images import fill_pull_policy
from svcsim.kinds.shared.pod_spec.sources import DOWNWARD_API_FILES, KEYS_TO_PATHS
from svcsim.kinds.shared.pod_spec.volume_rules import (
    certificate_lifetime,
    certificate_rules,
    claim_template_needed,
    empty_dir_rules,
    initiator_rules,
    needs,
    no_backsteps,
    one_source,
    projected_rules,
    projection_rules,
    token_lifetime,
    trust_bundle_rules,
)
from svcsim.kinds.shared.references import LOCAL_OBJECT_REFERENCE
from svcsim.kinds.shared.volume_claim import PERSISTENT_VOLUME_CLAIM_TEMPLATE
from svcsim.kinds.shared.words import HOST_PATH_TYPE, PULL_POLICY
from svcsim.meta.errors import FieldError
from svcsim.meta.names import dns_label
from svcsim.meta.types import Json, Object
from svcsim.schema.common import LABEL_SELECTOR
from svcsim.schema.types import Bool, Field, Int, List, Map, Quantity, Str, Struct

_NAMED = Field(1, "localObjectReference", LOCAL_OBJECT_REFERENCE, inline=True)
_MODE = 0o644
"""Permission bits of files in volumes, unless the volume says otherwise."""
_HOST_PATH_TYPE = one_of(*HOST_PATH_TYPE.values)


def _fill_image(source: Object) -> None:
    fill_pull_policy(source, image="reference", policy="pullPolicy")


EMPTY_DIR = Struct(
    "EmptyDirVolumeSource",
    Field(1, "medium", Str(), "Storage medium: empty for the disk of the node, Memory for memory, HugePages for huge pages"),
    Field(2, "sizeLimit", Quantity(), "Largest size of the content"),
    rules=(empty_dir_rules,),
    doc="A directory that is empty at first and exists as long as the pod",
)
HOST_PATH = Struct(
    "HostPathVolumeSource",
    Field(1, "path", Str(), "Path on the node", required=True, rules=(no_backsteps,)),
    Field(
        2,
        "type",
        HOST_PATH_TYPE,
        "What must be at the path, or is created there; empty for no check",
        default="",
        rules=(_HOST_PATH_TYPE,),
        presence=True,
    ),
    doc="A file or directory on the node",
)
SECRET = Struct(
    "SecretVolumeSource",
    Field(1, "secretName", Str(), "Name of the Secret"),
    Field(2, "items", KEYS_TO_PATHS, "Keys to show as files, and where; all keys if unset"),
    Field(3, "defaultMode", Int(), "Permission bits of files for which no mode is given", default=_MODE, rules=(file_mode,)),
    Field(4, "optional", Bool(), "Whether the Secret and its keys are optional"),
    rules=(needs("secretName"),),
    doc="The data of a Secret as files",
)
CONFIG_MAP = Struct(
    "ConfigMapVolumeSource",
    _NAMED,
    Field(2, "items", KEYS_TO_PATHS, "Keys to show as files, and where; all keys if unset"),
    Field(3, "defaultMode", Int(), "Permission bits of files for which no mode is given", default=_MODE, rules=(file_mode,)),
    Field(4, "optional", Bool(), "Whether the ConfigMap and its keys are optional"),
    rules=(needs("name"),),
    doc="The data of a ConfigMap as files",
)
DOWNWARD_API = Struct(
    "DownwardAPIVolumeSource",
    Field(1, "items", DOWNWARD_API_FILES, "Files to create"),
    Field(2, "defaultMode", Int(), "Permission bits of files for which no mode is given", default=_MODE, rules=(file_mode,)),
    doc="Fields of the pod as files",
)
SECRET_PROJECTION = Struct(
    "SecretProjection",
    _NAMED,
    Field(2, "items", KEYS_TO_PATHS, "Keys to show as files, and where; all keys if unset"),
    Field(4, "optional", Bool(), "Whether the Secret and its keys are optional"),
    rules=(needs("name"),),
    doc="The data of a Secret as files in a projected volume",
)
DOWNWARD_API_PROJECTION = Struct(
    "DownwardAPIProjection",
    Field(1, "items", DOWNWARD_API_FILES, "Files to create"),
    doc="Fields of the pod as files in a projected volume",
)
CONFIG_MAP_PROJECTION = Struct(
    "ConfigMapProjection",
    _NAMED,
    Field(2, "items", KEYS_TO_PATHS, "Keys to show as files, and where; all keys if unset"),
    Field(4, "optional", Bool(), "Whether the ConfigMap and its keys are optional"),
    rules=(needs("name"),),
    doc="The data of a ConfigMap as files in a projected volume",
)
SERVICE_ACCOUNT_TOKEN_PROJECTION = Struct(
    "ServiceAccountTokenProjection",
    Field(1, "audience", Str(), "Audience of the token; the API server if unset"),
    Field(
        2, "expirationSeconds", Int(bits=64), "Seconds for which the token is valid, at least 600", default=3600, rules=(token_lifetime,)
    ),
    Field(3, "path", Str(), "Relative path of the file", required=True, rules=(file_path,)),
    doc="A token of the pod's service account, renewed before it expires",
)
CLUSTER_TRUST_BUNDLE_PROJECTION = Struct(
    "ClusterTrustBundleProjection",
    Field(1, "name", Str(), "Name of a single ClusterTrustBundle", presence=True),
    Field(2, "signerName", Str(), "Name of the signer whose ClusterTrustBundles are taken", presence=True),
    Field(3, "labelSelector", LABEL_SELECTOR, "Label selector that limits the bundles of the signer"),
    Field(4, "path", Str(), "Relative path of the file", required=True, rules=(file_path,)),
    Field(5, "optional", Bool(), "Whether the bundles are optional"),
    rules=(trust_bundle_rules,),
    doc="Trust anchors from ClusterTrustBundles",
)
POD_CERTIFICATE_PROJECTION = Struct(
    "PodCertificateProjection",
    Field(1, "signerName", Str(), "Name of the signer of the certificate", required=True),
    Field(2, "keyType", Str(), "Type of the private key", required=True),
    Field(
        3,
        "maxExpirationSeconds",
        Int(),
        "Longest acceptable validity of the certificate in seconds",
        default=86400,
        rules=(certificate_lifetime,),
    ),
    Field(4, "credentialBundlePath", Str(), "Relative path of a file with both the key and the certificate chain", rules=(file_path,)),
    Field(5, "keyPath", Str(), "Relative path of a file with the key", rules=(file_path,)),
    Field(6, "certificateChainPath", Str(), "Relative path of a file with the certificate chain", rules=(file_path,)),
    Field(7, "userAnnotations", Map(Str()), "Annotations that are passed on to the signer"),
    rules=(certificate_rules,),
    doc="A private key and a certificate that are created for the pod",
)
VOLUME_PROJECTION = Struct(
    "VolumeProjection",
    Field(1, "secret", SECRET_PROJECTION, "The data of a Secret"),
    Field(2, "downwardAPI", DOWNWARD_API_PROJECTION, "Fields of the pod as files"),
    Field(3, "configMap", CONFIG_MAP_PROJECTION, "The data of a ConfigMap"),
    Field(4, "serviceAccountToken", SERVICE_ACCOUNT_TOKEN_PROJECTION, "A token of the service account"),
    Field(5, "clusterTrustBundle", CLUSTER_TRUST_BUNDLE_PROJECTION, "Trust anchors"),
    Field(6, "podCertificate", POD_CERTIFICATE_PROJECTION, "A private key and a certificate"),
    rules=(projection_rules,),
    doc="One source of a projected volume; exactly one of these is set",
)
PROJECTED = Struct(
    "ProjectedVolumeSource",
    Field(1, "sources", List(VOLUME_PROJECTION, list_type="atomic"), "Sources of the files in the volume"),
    Field(2, "defaultMode", Int(), "Permission bits of files for which no mode is given", default=_MODE, rules=(file_mode,)),
    rules=(projected_rules,),
    doc="Several sources in one directory",
)
PERSISTENT_VOLUME_CLAIM = Struct(
    "PersistentVolumeClaimVolumeSource",
    Field(1, "claimName", Str(), "Name of a PersistentVolumeClaim in the namespace of the pod", required=True),
    Field(2, "readOnly", Bool(), "Whether the volume is mounted read-only", presence=False),
    doc="The volume to which a PersistentVolumeClaim is bound",
)
EPHEMERAL = Struct(
    "EphemeralVolumeSource",
    Field(1, "volumeClaimTemplate", PERSISTENT_VOLUME_CLAIM_TEMPLATE, "Template for the claim that is created for the pod"),
    rules=(claim_template_needed,),
    doc="A claim that is created with the pod and deleted with it",
)
IMAGE = Struct(
    "ImageVolumeSource",
    Field(1, "reference", Str(), "Name of the image"),
    Field(
        2,
        "pullPolicy",
        PULL_POLICY,
        "When the image is pulled",
        rules=(one_of(*PULL_POLICY.values),),
    ),
    fill=_fill_image,
    rules=(needs("reference"),),
    doc="The files of an image, read-only",
)

VOLUME_SOURCE = Struct(
    "VolumeSource",
    Field(1, "hostPath", HOST_PATH, "A file or directory on the node"),
    Field(2, "emptyDir", EMPTY_DIR, "A directory that is empty at first and exists as long as the pod"),
    Field(3, "gcePersistentDisk", remote.GCE_PERSISTENT_DISK, "A Google Compute Engine disk (deprecated)"),
    Field(4, "awsElasticBlockStore", remote.AWS_ELASTIC_BLOCK_STORE, "An AWS Elastic Block Store disk (deprecated)"),
    Field(5, "gitRepo", remote.GIT_REPO, "A clone of a git repository (deprecated)"),
    Field(6, "secret", SECRET, "The data of a Secret"),
    Field(7, "nfs", remote.NFS, "An NFS share"),
    Field(8, "iscsi", remote.ISCSI, "An iSCSI disk"),
    Field(9, "glusterfs", remote.GLUSTERFS, "A GlusterFS volume (deprecated)"),
    Field(10, "persistentVolumeClaim", PERSISTENT_VOLUME_CLAIM, "The volume to which a PersistentVolumeClaim is bound"),
    Field(11, "rbd", remote.RBD, "A Ceph block device (deprecated)"),
    Field(12, "flexVolume", remote.FLEX_VOLUME, "A volume provided by an executable plugin (deprecated)"),
    Field(13, "cinder", remote.CINDER, "An OpenStack Cinder disk (deprecated)"),
    Field(14, "cephfs", remote.CEPHFS, "A CephFS share (deprecated)"),
    Field(15, "flocker", remote.FLOCKER, "A Flocker volume (deprecated)"),
    Field(16, "downwardAPI", DOWNWARD_API, "Fields of the pod as files"),
    Field(17, "fc", remote.FC, "A Fibre Channel disk"),
    Field(18, "azureFile", remote.AZURE_FILE, "An Azure file share (deprecated)"),
    Field(19, "configMap", CONFIG_MAP, "The data of a ConfigMap"),
    Field(20, "vsphereVolume", remote.VSPHERE_VOLUME, "A vSphere disk (deprecated)"),
    Field(21, "quobyte", remote.QUOBYTE, "A Quobyte share (deprecated)"),
    Field(22, "azureDisk", remote.AZURE_DISK, "An Azure disk (deprecated)"),
    Field(23, "photonPersistentDisk", remote.PHOTON_PERSISTENT_DISK, "A Photon disk (deprecated)"),
    Field(24, "portworxVolume", remote.PORTWORX_VOLUME, "A Portworx volume (deprecated)"),
    Field(25, "scaleIO", remote.SCALE_IO, "A ScaleIO volume (deprecated)"),
    Field(26, "projected", PROJECTED, "Several sources in one directory"),
    Field(27, "storageos", remote.STORAGE_OS, "A StorageOS volume (deprecated)"),
    Field(28, "csi", remote.CSI, "A volume that a CSI driver creates for the pod"),
    Field(29, "ephemeral", EPHEMERAL, "A claim that is created with the pod and deleted with it"),
    Field(30, "image", IMAGE, "The files of an image"),
    doc="Source of the content of a volume; exactly one of these is set",
)
_RANKS = {name: rank for rank, name in enumerate(dict.fromkeys(("emptyDir", *(field.name for field in VOLUME_SOURCE.fields))))}
_NAME = named(dns_label)


def volume_sources(volume: Object) -> list[str]:
    """Which sources a volume names; of several, the first counts."""
    given = [name for name, source in volume.items() if name in _RANKS and source is not None]
    return sorted(given, key=_RANKS.__getitem__) if len(given) > 1 else given


def _fill_volume(volume: Object) -> None:
    if _RANKS.keys().isdisjoint(volume):
        volume["emptyDir"] = {}


def _volume_rules(volume: Json, path: str) -> list[FieldError]:
    findings: list[FieldError] = []
    if not _NAME.holds(name := volume.get("name")):
        findings += _NAME.told(name, f"{path}.name")
    if len(volume) > 2:  # more than its name and a source
        findings += one_source(volume_sources(volume), path)
    if "iscsi" in volume:
        findings += initiator_rules(volume, path)
    return findings


VOLUME = Struct(
    "Volume",
    Field(1, "name", Str(), "Name of the volume, to which mounts refer", required=True),
    Field(2, "volumeSource", VOLUME_SOURCE, inline=True),
    fill=_fill_volume,
    rules=(_volume_rules,),
    doc="A directory or device that containers of the pod can mount",
)
