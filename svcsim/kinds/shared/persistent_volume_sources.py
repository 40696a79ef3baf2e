"""The storage that can be behind a PersistentVolume."""

from svcsim.kinds.shared.pod_spec import remote_volumes as remote
from svcsim.kinds.shared.pod_spec.volume_rules import no_backsteps
from svcsim.kinds.shared.pod_spec.volumes import HOST_PATH
from svcsim.schema.types import Field, Str, Struct

SOURCES = Struct(
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
            Field(1, "path", Str(), "Path of the directory or device on the node", required=True, rules=(no_backsteps,)),
            Field(2, "fsType", Str(), "Type of the file system, such as ext4", presence=True),
            doc="A disk, partition or directory of one node",
        ),
        "A disk, partition or directory of one node",
    ),
    Field(21, "storageos", remote.STORAGE_OS_PERSISTENT, "A StorageOS volume (deprecated)"),
    Field(22, "csi", remote.CSI_PERSISTENT, "A volume provided by a CSI driver"),
    doc="Storage behind a volume; exactly one of these is set",
)
