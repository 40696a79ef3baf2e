"""For whom the agent of a node may have tokens made: for those that the pod's own volumes name, or their drivers."""

from collections.abc import Callable, Iterator
from typing import TypeAlias

from svcsim.dialect import Dialect
from svcsim.meta.objects import get_path, name_of, namespace_of
from svcsim.meta.types import Object

Latest: TypeAlias = Callable[[str, str, str], Object | None]
"""The object of a resource, as the store names it, in a namespace or cluster-wide, of a name; None where there is none."""

_MIGRATED = {
    "awsElasticBlockStore": "ebs.csi.aws.com",
    "azureDisk": "disk.csi.azure.com",
    "azureFile": "file.csi.azure.com",
    "cinder": "cinder.csi.openstack.org",
    "gcePersistentDisk": "pd.csi.storage.gke.io",
    "portworxVolume": "pxd.portworx.com",
    "vsphereVolume": "csi.vsphere.vmware.com",
}
"""By what volumes say they are that the cluster once mounted by itself: the drivers that have taken them over."""


def audiences_of(pod: Object, latest: Latest, dialect: Dialect) -> Iterator[str]:
    """The audiences; an empty one is the API server itself."""
    for volume in (pod.get("spec") or {}).get("volumes") or ():
        for source in (volume.get("projected") or {}).get("sources") or ():
            if "serviceAccountToken" in source:
                yield (source["serviceAccountToken"] or {}).get("audience") or ""
        driver = _driver(pod, volume, latest)
        found = latest(f"csidrivers.{dialect.group('storage')}", "", driver) if driver else None
        for asked in get_path(found or {}, "spec.tokenRequests") or ():
            yield asked.get("audience") or ""


def _driver(pod: Object, volume: Object, latest: Latest) -> str:
    """The name of the driver behind a volume; empty where there is none."""
    claim = (volume.get("persistentVolumeClaim") or {}).get("claimName")
    if "ephemeral" in volume:
        claim = f"{name_of(pod)}-{volume.get('name')}"
    if not claim:
        return _of_source(volume)
    found = latest("persistentvolumeclaims", namespace_of(pod), claim)
    name = get_path(found or {}, "spec.volumeName")
    bound = latest("persistentvolumes", "", name) if name else None
    return _of_source((bound or {}).get("spec") or {})


def _of_source(volume: Object) -> str:
    """The name of the driver that the volume itself names; empty where there is none."""
    if "csi" in volume:
        return str((volume["csi"] or {}).get("driver") or "")
    return next((driver for source, driver in _MIGRATED.items() if source in volume), "")
