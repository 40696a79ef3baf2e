"""The volume that is made for a claim, and where it is. Pure."""

from typing import NamedTuple

from svcsim.controllers.simulated_disks.zones import PossibleZones
from svcsim.dialect import Dialect
from svcsim.meta.attachments import may_be_on_several_nodes
from svcsim.meta.claims import StorageKeys, access_modes, attributes_class, mode_of, reference_to, wanted_size
from svcsim.meta.objects import name_of, uid_of
from svcsim.meta.quantity import Amount, Format, parse
from svcsim.meta.simulated_disks import DRIVER
from svcsim.meta.types import Object

_GIB = parse("1Gi")
_FILE_SYSTEM_OF_OLD = "fstype"


class DiskWords(NamedTuple):
    """Names of the dialect."""

    keys: StorageKeys
    finalizer: str
    """By which a volume stays until what it stands for is gone."""
    identity: str
    file_system: str
    """The parameter of a class that says which file system is on its volumes."""

    @classmethod
    def of(cls, dialect: Dialect) -> "DiskWords":
        return cls(
            StorageKeys.of(dialect),
            finalizer=dialect.key("finalizer", "external-provisioner.volume"),
            identity=f"storage.{dialect.domain}/csiProvisionerIdentity",
            file_system=f"csi.{dialect.group('storage')}/fstype",
        )


def volume_name(claim: Object) -> str:
    return f"pvc-{uid_of(claim)}"


def whole_gibibytes(amount: Amount) -> Amount:
    """Disks come in whole gibibytes, and one of them at least."""
    return Amount(_GIB.number * max(-(-amount.number // _GIB.number), 1), Format.BINARY)


def file_system(storage_class: Object, words: DiskWords) -> str:
    """Which one is on volumes of a class; its parameter has a name of old, too. ValueError where both are there."""
    parameters: dict[str, str] = storage_class.get("parameters") or {}
    said = [text for key, text in parameters.items() if key == words.file_system or key.lower() == _FILE_SYSTEM_OF_OLD]
    if len(said) > 1:
        raise ValueError(f'fstype specified in parameters with both "{_FILE_SYSTEM_OF_OLD}" and "{words.file_system}" keys')
    return next(iter(said), "") or "ext4"


def new_volume(claim: Object, storage_class: Object, files: str, zones: PossibleZones, words: DiskWords) -> Object:
    """A volume for a claim, in one of these zones; ``files`` is the file system on it, if there is to be one."""
    name = volume_name(claim)
    spec: Object = {
        "accessModes": access_modes(claim),
        "capacity": {"storage": str(whole_gibibytes(wanted_size(claim)))},
        "claimRef": reference_to(claim),
        "csi": {"driver": DRIVER, "volumeHandle": name, "volumeAttributes": {words.identity: DRIVER}},
        "persistentVolumeReclaimPolicy": storage_class.get("reclaimPolicy") or "Delete",
        "storageClassName": name_of(storage_class),
        "volumeMode": mode_of(claim),
    }
    if mode_of(claim) == "Filesystem":
        spec["csi"]["fsType"] = files
    if storage_class.get("mountOptions"):
        spec["mountOptions"] = storage_class["mountOptions"]
    if attributes_class(claim):
        spec["volumeAttributesClassName"] = attributes_class(claim)
    if zones.names and not may_be_on_several_nodes(claim):
        expression = {"key": zones.key, "operator": "In", "values": zones.names[:1]}
        spec["nodeAffinity"] = {"required": {"nodeSelectorTerms": [{"matchExpressions": [expression]}]}}
    metadata = {"name": name, "annotations": {words.keys.provisioned_by: DRIVER}, "finalizers": [words.finalizer]}
    return {"apiVersion": "v1", "kind": "PersistentVolume", "metadata": metadata, "spec": spec}
