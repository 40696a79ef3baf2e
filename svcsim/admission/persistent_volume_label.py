"""PersistentVolumeLabel: a volume on a disk of a cloud says in which zone and region the disk is. Deprecated, and off by default.

Kubernetes asks the cloud where a disk is. Here the cloud is simulated as the nodes are: it has one region, with the zones that simulated
nodes stand in, and every disk there can be, in a zone that follows from its name, always the same one. Who has labelled a volume
with zone and region knows better, so these labels stay. Either way, pods that use the volume are bound to nodes of its zone, unless
the volume's node affinity speaks of zones or regions itself.
"""

import zlib
from typing import NamedTuple

from svcsim.admission.plugin import Rule
from svcsim.dialect import Dialect
from svcsim.meta.objects import get_path, labels_of, set_path
from svcsim.meta.types import Object
from svcsim.registry.admission import AdmissionRequest

_DISKS = (
    ("awsElasticBlockStore", "volumeID"),
    ("gcePersistentDisk", "pdName"),
    ("azureDisk", "diskName"),
    ("cinder", "volumeID"),
    ("vsphereVolume", "volumePath"),
)
"""Sources of volumes that are disks of a cloud, and what each is called there."""
_YET_TO_COME = "placeholder-for-provisioning"
"""What a disk is called that is being made."""
_BETWEEN_ZONES = "__"
"""In the label of a disk that is in several zones."""
_TERMS = "spec.nodeAffinity.required.nodeSelectorTerms"


class Cloud(NamedTuple):
    """Where disks are."""

    region: str
    zones: tuple[str, ...]

    def zone_of(self, disk: str) -> str:
        return self.zones[zlib.crc32(disk.encode()) % len(self.zones)]


class PersistentVolumeLabel:
    """Labels new volumes, and binds them to the nodes that are where they are."""

    name = "PersistentVolumeLabel"
    rules = (Rule(("CREATE",), ("persistentvolumes",)),)

    def __init__(self, dialect: Dialect, cloud: Cloud) -> None:
        self._cloud = cloud
        self._keys = tuple((dialect.key("zone", prefix), dialect.key("region", prefix)) for prefix in ("topology", "failure-domain.beta"))
        """The labels of zone and region; the deprecated ones last."""

    async def admit(self, request: AdmissionRequest) -> None:
        """Raises 403 for a label that names no zone."""
        assert request.obj is not None
        disk = _disk_of(request.obj)
        if not disk:
            return
        present = labels_of(request.obj)
        zone, region = next((keys for keys in self._keys if all(key in present for key in keys)), self._keys[0])
        if zone not in present or region not in present:
            present = {**present, zone: self._cloud.zone_of(disk), region: self._cloud.region}
            request.obj["metadata"]["labels"] = present
        zones = sorted(set(present[zone].split(_BETWEEN_ZONES)))
        if not all(zones):
            raise request.refusal(f"failed to convert label string for Zone: {present[zone]} to a Set")
        _bind(request.obj, {zone: zones, region: [present[region]]})


def _disk_of(volume: Object) -> str:
    """What its disk is called; nothing for a volume that is on none, or on one that isn't there yet."""
    spec = volume.get("spec") or {}
    disk: str = next((spec[source].get(name) or "" for source, name in _DISKS if spec.get(source)), "")
    return "" if disk == _YET_TO_COME else disk


def _bind(volume: Object, places: dict[str, list[str]]) -> None:
    """Let each term of the volume's node affinity ask for these labels, unless one does already."""
    terms = get_path(volume, _TERMS) or [{}]
    if any(one.get("key") in places for term in terms for one in term.get("matchExpressions") or ()):
        return
    wanted = [{"key": key, "operator": "In", "values": values} for key, values in places.items()]
    set_path(volume, _TERMS, [{**term, "matchExpressions": [*(term.get("matchExpressions") or ()), *wanted]} for term in terms])
