"""Files that outlive the pods that made them: on persistent volumes, and on the disks of their nodes (``hostPath``).

They are kept in memory, as all files are, until their volume is deleted or their node removed, or the cluster is started again. Processes
that are run once more, because nobody has looked at them for long, write there once more.
"""

import asyncio
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import replace

from svcsim import limits
from svcsim.nodes.shell.tree import Disk, Node, tree_bytes


class LastingFiles:
    """By the key of what they are on. ``disk`` is what there is for all files together."""

    def __init__(self, disk: Disk) -> None:
        self._disk = disk
        self._kept: OrderedDict[str, tuple[Node, Disk]] = OrderedDict()
        """Those that were looked at last stand last."""
        self._awaited: dict[str, asyncio.Event] = {}

    def expect(self, key: str) -> None:
        """Something is about to be put there: whoever wants to look waits."""
        self._awaited.setdefault(key, asyncio.Event())

    def arrived(self, key: str) -> None:
        """It is there, or nothing comes."""
        awaited = self._awaited.pop(key, None)
        if awaited is not None:
            awaited.set()

    async def ready(self, key: str) -> None:
        """Wait for what is about to be put there, if anything is."""
        if (awaited := self._awaited.get(key)) is not None:
            await awaited.wait()

    def of(self, key: str, make: Callable[[], Node], *, charged: bool = True) -> Node:
        """The root of what is kept there, which is made where nothing is, and takes room itself if it is ``charged``."""
        found = self._kept.get(key)
        if found is None:
            root, disk = make(), Disk(limits.SIMULATED_DISK_BYTES, self._disk)
            root.disk = disk
            taken = tree_bytes(root) if charged else limits.SIMULATED_FILE_COSTS_BYTES
            disk.take(min(taken - limits.SIMULATED_FILE_COSTS_BYTES, max(disk.left_bytes, 0)))
            found = self._kept[key] = (root, disk)
            if len(self._kept) > limits.LASTING_DISKS:
                self.forget(next(iter(self._kept)))
        self._kept.move_to_end(key)
        return found[0]

    def copy(self, original: str, key: str) -> bool:
        """Have the same be there as is elsewhere by now; False where there is no room for that. What is there already stays as it is."""
        found = self._kept.get(original)
        if found is None or key in self._kept:
            return True
        root = found[0]
        if tree_bytes(root) > min(limits.SIMULATED_DISK_BYTES, self._disk.left_bytes):
            return False
        self.of(key, lambda: _copied(root))
        return True

    def get(self, key: str) -> Node | None:
        """The root of what is kept there; None where nothing is."""
        found = self._kept.get(key)
        return None if found is None else found[0]

    def forget(self, key: str) -> None:
        """It is gone. Who is at work there still finds that there is no room any more."""
        found = self._kept.pop(key, None)
        if found is not None:
            found[1].close()


def on_volume(uid: str) -> str:
    """The key of what is on a persistent volume."""
    return f"volume/{uid}"


def on_node(name: str) -> str:
    """The key of what is on the disk of a node."""
    return f"node/{name}"


def _copied(node: Node) -> Node:
    """The same once more, with everything below it."""
    root = replace(node)
    waiting, copies = [root], dict[int, Node]()
    while waiting:
        one = waiting.pop()
        if one.children is not None:
            fresh = {id(child): replace(child) for child in one.children.values() if id(child) not in copies}
            copies |= fresh
            one.children = {name: copies[id(child)] for name, child in one.children.items()}
            waiting += fresh.values()
    return root
