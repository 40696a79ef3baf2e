"""What commands have left behind in containers, and in volumes that go with their pod. Nothing is kept of what nobody has changed.

It is kept in memory: a cluster that is started again has containers whose disks are as their images brought them.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import NamedTuple

from svcsim import limits
from svcsim.nodes.shell.tree import Disk, Node, Tree
from svcsim.nodes.streams.lasting import LastingFiles
from svcsim.nodes.streams.node_disks import NodeDisks


class Token(NamedTuple):
    """A token of the pod's service account, as a file has it."""

    text: bytes
    renew_at: float


@dataclass(slots=True)
class _Kept:
    """The files of one run of a container."""

    started_at: float
    tree: Tree
    users: int = 0


@dataclass(slots=True)
class PodFiles:
    """Those of one pod."""

    disk: Disk
    lasting: LastingFiles
    """What is there for all pods, and stays when this one goes."""
    nodes: NodeDisks
    volumes: dict[str, Node] = field(default_factory=dict)
    tokens: dict[tuple[str, int], Token] = field(default_factory=dict)
    """By audience and lifetime."""
    containers: dict[str, _Kept] = field(default_factory=dict)

    @property
    def written(self) -> bool:
        """Whether there is anything that nobody has brought but those at work here."""
        return any(kept.tree.changed for kept in self.containers.values()) or any(volume.children for volume in self.volumes.values())

    def volume(self, name: str, make: Callable[[], Node]) -> Node:
        """A volume that the pod's containers share."""
        found = self.volumes.get(name)
        if found is None:
            found = self.volumes[name] = make()
        return found


class AllFiles:
    """Those of all pods, by UID."""

    def __init__(self) -> None:
        self._disk = Disk(limits.SIMULATED_DISKS_BYTES)
        self.lasting = LastingFiles(self._disk)
        self.nodes = NodeDisks(self.lasting)
        self.memory = Disk(limits.SHELL_MEMORY_BYTES)
        """What commands have read and not yet passed on, or written."""
        self.of_pods: dict[str, PodFiles] = {}
        """By UID."""

    @property
    def used_bytes(self) -> int:
        """What is kept in all."""
        return self._disk.used_bytes

    @contextmanager
    def use(self, pod_uid: str, container: str, started_at: float, bring: Callable[[], Node]) -> Iterator[tuple[PodFiles, Tree]]:
        """The files of a run of a container, which begin as its image brings them."""
        files = self.of_pods.get(pod_uid)
        if files is None:
            files = self.of_pods[pod_uid] = PodFiles(Disk(limits.SIMULATED_DISK_BYTES, self._disk), self.lasting, self.nodes)
        kept = files.containers.get(container)
        if kept is None or kept.started_at != started_at:
            if kept is not None:
                files.disk.take(-kept.tree.own_bytes)
            kept = files.containers[container] = _Kept(started_at, Tree(files.disk, bring()))
        kept.users += 1
        try:
            yield files, kept.tree
        finally:
            kept.users -= 1
            self._drop_unchanged(pod_uid, files)

    def _drop_unchanged(self, pod_uid: str, files: PodFiles) -> None:
        files.containers = {name: kept for name, kept in files.containers.items() if kept.users or kept.tree.changed}
        if not files.containers and not any(volume.children for volume in files.volumes.values()):
            self.forget(pod_uid)

    def end(self, pod_uid: str, container: str, started_at: float) -> None:
        """A run of a container is over, and its own files with it."""
        files = self.of_pods.get(pod_uid)
        kept = files.containers.get(container) if files is not None else None
        if files is None or kept is None or kept.started_at != started_at or kept.users:
            return
        files.disk.take(-kept.tree.own_bytes)
        del files.containers[container]
        self._drop_unchanged(pod_uid, files)

    def forget(self, pod_uid: str) -> None:
        """The pod is gone from its node."""
        files = self.of_pods.pop(pod_uid, None) if self.of_pods else None
        if files is not None:
            self._disk.take(-files.disk.used_bytes)
