"""How much a pod may write: into its ``emptyDir`` volumes, and on the disk of its node in all. One that has written more is evicted.

A node looks every now and then, and only at pods that have such limits and in which something was written. What its containers have said
isn't counted.
"""

from typing import NamedTuple

from svcsim.meta import quantity
from svcsim.meta.found_before import FoundBefore
from svcsim.meta.pod_amounts import pod_amounts
from svcsim.meta.types import Object
from svcsim.nodes.containers.understanding import may_write
from svcsim.nodes.shell.tree import tree_bytes
from svcsim.nodes.streams.pod_files import PodFiles

LOOKED_AT_S = 10.0
"""How far apart the moments are at which a node looks at what a pod has written."""
_STORAGE = "ephemeral-storage"
_CONTAINERS = ("initContainers", "containers")
_OF_CONTAINER = ("name", "resources", "restartPolicy", "command", "args")


class StorageLimit(NamedTuple):
    name: str
    most_bytes: int
    text: str

    def is_exceeded(self, used_bytes: int) -> bool:
        return used_bytes > self.most_bytes


class StorageLimits(NamedTuple):
    """Those of one pod. Equal ones are shared."""

    volumes: tuple[StorageLimit, ...]
    in_all: StorageLimit | None
    containers: tuple[StorageLimit, ...]
    on_disk: tuple[str, ...]
    """The volumes that count for what is written in all."""
    writes: bool
    """Whether containers run what may write by itself."""


def storage_limits(spec: Object) -> StorageLimits | None:
    """The limits of a pod, by its spec; None for one that has none, as most."""
    volumes = [volume for volume in spec.get("volumes") or () if volume.get("emptyDir") is not None]
    containers = spec.get("containers") or ()
    has_limits = any(volume["emptyDir"].get("sizeLimit") for volume in volumes) or any(
        _STORAGE in ((container.get("resources") or {}).get("limits") or {}) for container in containers
    )
    if not has_limits:
        return None
    said = {kind: [{name: one[name] for name in _OF_CONTAINER if name in one} for one in spec.get(kind) or ()] for kind in _CONTAINERS}
    return _limits({**said, "volumes": volumes})


def _read(spec: Object) -> StorageLimits:
    containers = [(one["name"], ((one.get("resources") or {}).get("limits") or {}).get(_STORAGE)) for one in spec["containers"]]
    in_all = pod_amounts(spec, "limits").get(_STORAGE)
    return StorageLimits(
        tuple(_limit(volume["name"], size) for volume in spec["volumes"] if (size := volume["emptyDir"].get("sizeLimit"))),
        None if not in_all else _limit("", str(in_all)),
        tuple(_limit(name, size) for name, size in containers if size),
        tuple(volume["name"] for volume in spec["volumes"] if volume["emptyDir"].get("medium") != "Memory"),
        any(may_write((*(one.get("command") or ()), *(one.get("args") or ()))) for one in spec["containers"]),
    )


_limits: FoundBefore[StorageLimits] = FoundBefore(_read)


def _limit(name: str, size: str) -> StorageLimit:
    return StorageLimit(name, quantity.of(size).value(), quantity.canonical(size))


def exceeded(allowed: StorageLimits, files: PodFiles) -> str:
    """Why a pod has to go, as a kubelet says it; empty if it may stay."""
    volumes = {name: tree_bytes(root) for name, root in files.volumes.items()}
    own = {name: kept.tree.own_bytes for name, kept in files.containers.items()}
    for volume in allowed.volumes:
        if volume.most_bytes > 0 and volume.is_exceeded(volumes.get(volume.name, 0)):
            return f'Usage of EmptyDir volume "{volume.name}" exceeds the limit "{volume.text}". '
    used_bytes = sum(own.values()) + sum(volumes.get(name, 0) for name in allowed.on_disk)
    if allowed.in_all is not None and allowed.in_all.is_exceeded(used_bytes):
        return f"Pod ephemeral local storage usage exceeds the total limit of containers {allowed.in_all.text}. "
    for container in allowed.containers:
        if container.is_exceeded(own.get(container.name, 0)):
            return f'Container {container.name} exceeded its local ephemeral storage limit "{container.text}". '
    return ""
