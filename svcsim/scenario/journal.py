"""The cluster as its journal tells it: every committed write, in order, and what has become of each object.

A run follows the journal from the first revision. That is why expectations miss nothing that lasted only a moment, and why the hash over
the journal's lines says whether two runs were the same. Nothing is ever listed again: each entry changes one object. An expectation may
ask about any kind at any time, and a timeline tells what has changed: so all objects there are now are kept, up to a limit.
"""

import asyncio
import hashlib
from collections.abc import Callable, Iterator
from typing import NamedTuple, TypeAlias

import orjson

from svcsim import limits
from svcsim.client import paths
from svcsim.client.api import Client
from svcsim.meta.errors import StatusError
from svcsim.meta.http import Request
from svcsim.meta.objects import metadata_of
from svcsim.meta.types import Key, Object


class Entry(NamedTuple):
    """One committed write. ``type`` is ADDED, MODIFIED or DELETED; ``at_s`` is cluster time."""

    at_s: float
    revision: int
    type: str
    key: Key
    object: Object
    before: Object | None


class TooManyObjectsError(ConnectionError):
    """There are more objects than a run can follow; leaving some out would make expectations wrong."""

    def __init__(self) -> None:
        super().__init__(f"the cluster holds more than {limits.SCENARIO_OBJECTS} objects, which is all that a scenario can follow")


Subscriber: TypeAlias = Callable[[Entry], None]


class Journal:
    """Follows the journal of one cluster. ``now`` is the cluster's time."""

    def __init__(self, client: Client, now: Callable[[], float]) -> None:
        self.revision = 0
        self._client = client
        self._now = now
        self._kinds: dict[str, dict[Key, Object]] = {}
        self._count = 0
        self._subscribers: dict[int, Subscriber] = {}
        self._subscribed = 0
        self._hash = hashlib.sha256()
        self._grown = asyncio.Event()
        self._broken: BaseException | None = None

    @property
    def digest(self) -> str:
        """The hash over all lines so far."""
        return f"sha256:{self._hash.hexdigest()}"

    def objects(self, kind: str) -> Iterator[tuple[Key, Object]]:
        """All objects of a kind as of now, in the order they were created."""
        yield from self._kinds.get(kind, {}).items()

    def seed(self, resource: str, obj: Object) -> None:
        """Take up an object that was there before the journal was followed. Raises `TooManyObjectsError`."""
        metadata = metadata_of(obj)
        self._keep(Key(resource, metadata.get("namespace", ""), metadata["name"]), obj)

    def subscribe(self, subscriber: Subscriber) -> Callable[[], None]:
        """Call ``subscriber`` with every entry from now on; call what this returns to end that."""
        self._subscribed += 1
        number = self._subscribed
        self._subscribers[number] = subscriber
        return lambda: self._subscribers.pop(number, None) and None

    async def follow(self, since: int = 0) -> None:
        """Read until cancelled. When the cluster ends the stream or it breaks, whoever waits in `reach` gets the error."""
        self._broken = None
        try:
            await self._read(since)
            self._broken = ConnectionError("the cluster ended it")
        except (ConnectionError, StatusError) as error:
            self._broken = error
        finally:
            if self._broken is None:
                self._broken = ConnectionError("the run has ended")
            self._grown.set()

    async def reach(self, revision: int) -> None:
        """Wait until the journal has been read up to a revision."""
        while self.revision < revision:
            if self._broken is not None:
                raise ConnectionError(f"the journal can't be followed any more: {self._broken}")
            self._grown.clear()
            await self._grown.wait()

    async def _read(self, since: int) -> None:
        self.revision = since
        request = Request("GET", paths.JOURNAL, f"since={since}", {"accept": "application/json"})
        async with self._client.transport.stream(request) as stream:
            if stream.status != 200:
                raise ConnectionError(f"{paths.JOURNAL} answered {stream.status}: {(await stream.read()).decode('utf-8', 'replace')}")
            async for line in stream:
                if line:
                    self._take(line)

    def _take(self, line: bytes) -> None:
        self._hash.update(line)
        self._hash.update(b"\n")
        record = orjson.loads(line)
        obj: Object = record["object"]
        key = Key(record["resource"], record["namespace"], record["name"])
        before = self._forget(key, obj) if record["type"] == "DELETED" else self._keep(key, obj)
        self.revision = record["revision"]
        entry = Entry(self._now(), self.revision, record["type"], key, obj, before)
        for subscriber in list(self._subscribers.values()):
            subscriber(entry)
        self._grown.set()

    def _keep(self, key: Key, obj: Object) -> Object | None:
        """Put an object's newest state in the place of the one before, which is returned."""
        known = self._kinds.setdefault(obj.get("kind", ""), {})
        before = known.get(key)
        if before is None:
            if self._count == limits.SCENARIO_OBJECTS:
                raise TooManyObjectsError
            self._count += 1
        known[key] = obj
        return before

    def _forget(self, key: Key, obj: Object) -> Object | None:
        """Let an object go; what it was last."""
        before = self._kinds.get(obj.get("kind", ""), {}).pop(key, None)
        if before is not None:
            self._count -= 1
        return before
