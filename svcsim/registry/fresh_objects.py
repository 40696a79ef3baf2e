"""Objects as they have just been written, for those in this process who watch.

A component that is told of a change would decode an object that whoever wrote it had at hand a moment before. So a write leaves it here,
under its revision, and the first component that is told of that takes it along (`Watching.take`). Whoever comes too late decodes: what is
here is never more than what the store has, and nobody changes it. Nothing stays here for long, nor is anything kept elsewhere for the sake
of this: objects that live for a while are what a search for garbage looks at.
"""

from collections import OrderedDict

from svcsim import limits
from svcsim.meta.types import Object
from svcsim.registry.scheme import Resource
from svcsim.storage.contract import Record


class FreshObjects:
    """Those that nobody has taken yet, within a limit of bytes."""

    def __init__(self) -> None:
        self._objects: OrderedDict[int, tuple[Object, int]] = OrderedDict()
        """By revision, the oldest first, with how many bytes each is when it is stored."""
        self._bytes = 0

    def leave(self, resource: Resource, record: Record, obj: Object) -> None:
        """This is what a record holds. One whose definition may have changed while it was written isn't kept."""
        size_bytes = len(record.body)
        if resource.kind.definition is not None or size_bytes > limits.FRESH_OBJECTS_BYTES:
            return
        known = {**obj, "metadata": {**obj["metadata"], "resourceVersion": str(record.revision)}}
        resource.stamp(known)
        self._objects[record.revision] = known, size_bytes
        self._bytes += size_bytes
        while self._bytes > limits.FRESH_OBJECTS_BYTES:
            self._bytes -= self._objects.popitem(last=False)[1][1]

    def take(self, revision: int) -> Object | None:
        """What was written as a revision, if it is here. It is so no longer."""
        found = self._objects.pop(revision, None)
        if found is None:
            return None
        self._bytes -= found[1]
        return found[0]
