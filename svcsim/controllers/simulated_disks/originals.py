"""What a new disk is to be filled from, and why it can't be, in the words that provisioners of other clusters have for it. Pure."""

from collections.abc import Callable
from typing import NamedTuple

from svcsim.dialect import Dialect
from svcsim.meta.attachments import driver_of
from svcsim.meta.claims import claim_ref, data_source, is_for, mode_of, volume_of, wanted_size
from svcsim.meta.objects import is_terminating, namespace_of
from svcsim.meta.pods import phase_of
from svcsim.meta.simulated_disks import DRIVER
from svcsim.meta.types import Object

CLAIM = ("", "PersistentVolumeClaim")
_OTHER_NAMESPACE = "dataSourceRef namespace specified but the CrossNamespaceVolumeDataSource feature is disabled"
_NO_SNAPSHOTS = (
    "CSI driver does not support snapshot restore: controller CREATE_DELETE_SNAPSHOT capability is not reported "
    "(nobody makes simulated disks from snapshots)"
)
_UNBOUND = "claim in dataSource not bound or invalid"


class NoOriginalError(Exception):
    """A disk can't be filled from what its claim names."""


class DataSource(NamedTuple):
    """What a claim names."""

    group: str
    kind: str
    name: str
    namespace: str
    """Where it isn't the claim's own."""

    @property
    def is_own_claim(self) -> bool:
        """Whether it is a claim of the same namespace."""
        return (self.group, self.kind) == CLAIM and not self.namespace

    @classmethod
    def of(cls, claim: Object) -> "DataSource | None":
        said = data_source(claim)
        return None if said is None else cls(said.get("apiGroup") or "", said["kind"], said["name"], said.get("namespace") or "")


class WhatThereIs(NamedTuple):
    """Claims and volumes."""

    claim: Callable[[str, str], Object | None]
    """By its name and namespace."""
    volume: Callable[[str], Object | None]


def is_for_populators(source: DataSource, dialect: Dialect) -> bool:
    """Whether it is of a kind that no driver fills volumes from: others make the volume."""
    return not source.namespace and (source.group, source.kind) not in (CLAIM, (dialect.group("snapshot.storage"), "VolumeSnapshot"))


def original(claim: Object, there: WhatThereIs) -> Object | None:
    """The volume whose files a claim's is to begin with; None for one that begins empty. Raises `NoOriginalError`."""
    source = DataSource.of(claim)
    if source is None:
        return None
    if source.namespace:
        raise NoOriginalError(_OTHER_NAMESPACE)
    if not source.is_own_claim:
        raise NoOriginalError(_NO_SNAPSHOTS)
    found, why = _volume_to_copy(claim, source.name, there)
    if found is None:
        raise NoOriginalError(f"error getting handle for DataSource Type {source.kind} by Name {source.name}: {why}")
    return found


def _volume_to_copy(claim: Object, name: str, there: WhatThereIs) -> tuple[Object | None, str]:
    """That of the claim of a name, or why there is none to be copied."""
    namespace = namespace_of(claim)
    source = there.claim(name, namespace)
    if source is None:
        return None, f'error getting PVC {name} (namespace "{namespace}") from api server: persistentvolumeclaim "{name}" not found'
    if why := _unready(source, name) or _too_small(claim, source):
        return None, why
    volume = there.volume(volume_of(source))
    if volume is None or claim_ref(volume) is None or not is_for(volume, source):
        return None, _UNBOUND
    if driver_of(volume) != DRIVER or phase_of(volume) != "Bound":
        return None, _UNBOUND
    if mode_of(volume) != mode_of(claim):
        same = "the source PVC and destination PVCs must have the same volume mode for cloning."
        return None, f"{same}  Source is {mode_of(volume)}, but new PVC requested {mode_of(claim)}"
    return volume, ""


def _unready(source: Object, name: str) -> str:
    if phase_of(source) != "Bound":
        return f"the PVC DataSource {name} must have a status of Bound.  Got {phase_of(source)}"
    return f"the PVC DataSource {name} is currently being deleted" if is_terminating(source) else ""


def _too_small(claim: Object, source: Object) -> str:
    wanted, least = wanted_size(claim), wanted_size(source)
    if not wanted < least:
        return ""
    rule = "error, new PVC request must be greater than or equal in size to the specified PVC data source"
    return f"{rule}, requested {wanted.value()} but source is {least.value()}"
