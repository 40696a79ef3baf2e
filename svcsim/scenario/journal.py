"""The cluster as its journal tells it: every committed write, in order, and what has become of each object.

A run follows the journal from the first revision. That is why expectations miss nothing that lasted only a moment, and why the hash over
the journal's lines says whether two runs were the same. Nothing is ever listed again: each entry changes one object. An expectation may be
about any kind at any time, and a timeline shows what has changed: so all current objects are kept, up to a limit. They are kept packed, and
decoded when they are needed: most never are.
"""

import asyncio
import hashlib
import sys
from collections.abc import Callable, Iterator
from typing import TypeAlias

import orjson

from svcsim import limits
from svcsim.client import paths
from svcsim.client.api import Client
from svcsim.meta.codec import encode
from svcsim.meta.errors import StatusError
from svcsim.meta.http import Request
from svcsim.meta.objects import metadata_of
from svcsim.meta.types import Key, Object
from svcsim.scenario.body import Body, Packer


class Entry:
    """One committed write. ``type`` is ADDED, MODIFIED or DELETED; ``at_s`` is cluster time; ``before`` is what the object was."""

    __slots__ = ("_object", "_text", "at_s", "before", "body", "key", "type")

    def __init__(self, at_s: float, type: str, key: Key, text: bytes, body: Body, before: Body | None) -> None:  # noqa: A002
        self.at_s = at_s
        self.type = type
        self.key = key
        self.body = body
        self.before = before
        self._text = text
        self._object: Object | None = None

    @property
    def text_bytes(self) -> int:
        """The object's size as JSON."""
        return len(self._text)

    @property
    def object(self) -> Object:
        """Decoded once, however often the entry is read; code that keeps something of it for longer keeps the body."""
        if self._object is None:
            self._object = orjson.loads(self._text)
        return self._object


class TooManyObjectsError(ConnectionError):
    """There are more objects than a run can follow; leaving some out would make expectations wrong."""

    def __init__(self, most: str) -> None:
        super().__init__(f"the cluster holds more than {most}, which is all that a scenario can follow")


_OBJECT = b',"object":'
"""Between what a line tells of a write and the object itself, which ends the line."""

Subscriber: TypeAlias = Callable[[Entry], None]


class Journal:
    """Follows the journal of one cluster. ``now`` is the cluster's time."""

    def __init__(self, client: Client, now: Callable[[], float]) -> None:
        self.revision = 0
        self._client = client
        self._now = now
        self._kinds: dict[str, dict[Key, Body]] = {}
        self._count = 0
        self._packer = Packer()
        self._subscribers: dict[int, Subscriber] = {}
        self._subscribed = 0
        self._hash = hashlib.sha256()
        self._grown = asyncio.Event()
        self._broken: BaseException | None = None
        self.ended: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        """Done when it isn't followed any more."""

    @property
    def digest(self) -> str:
        """The hash over all lines so far."""
        return f"sha256:{self._hash.hexdigest()}"

    def objects(self, kind: str) -> Iterator[tuple[Key, Body]]:
        """All objects of a kind as of now, in the order they were created."""
        yield from self._kinds.get(kind, {}).items()

    def seed(self, resource: str, obj: Object) -> None:
        """Take up an object that was there before the journal was followed. Raises `TooManyObjectsError`."""
        metadata = metadata_of(obj)
        self._keep(Key(resource, metadata.get("namespace", ""), metadata["name"]), self._packer.pack(resource, encode(obj)))
        self._check_bytes()

    def subscribe(self, subscriber: Subscriber) -> Callable[[], None]:
        """Call ``subscriber`` with every entry from now on; call what this returns to end that."""
        self._subscribed += 1
        number = self._subscribed
        self._subscribers[number] = subscriber
        return lambda: self._subscribers.pop(number, None) and None

    async def follow(self, since: int = 0) -> None:
        """Read until cancelled. When the cluster ends the stream or it breaks, callers that wait in `reach` get the error."""
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
            if not self.ended.done():
                self.ended.set_result(None)

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
                    self._check_bytes()

    def _take(self, line: bytes) -> None:
        self._hash.update(line)
        self._hash.update(b"\n")
        end = line.index(_OBJECT)  # the first one there is: within a name it would be escaped
        record = orjson.loads(line[:end] + b"}")
        key = Key(sys.intern(record["resource"]), sys.intern(record["namespace"]), record["name"])
        text = line[end + len(_OBJECT) : -1]
        body = self._packer.pack(key.resource, text)
        before = self._forget(key, body) if record["type"] == "DELETED" else self._keep(key, body)
        self.revision = record["revision"]
        entry = Entry(self._now(), record["type"], key, text, body, before)
        for subscriber in list(self._subscribers.values()):
            subscriber(entry)
        self._grown.set()

    def _keep(self, key: Key, body: Body) -> Body | None:
        """Put an object's newest state in the place of the one before, which is returned."""
        known = self._kinds.setdefault(body.kind, {})
        before = known.get(key)
        self._count += before is None
        if self._count > limits.SCENARIO_OBJECTS:
            raise TooManyObjectsError(f"{limits.SCENARIO_OBJECTS} objects")
        known[key] = body
        return before

    def _forget(self, key: Key, body: Body) -> Body | None:
        """Let an object go; what it was last."""
        before = self._kinds.get(body.kind, {}).pop(key, None)
        self._count -= before is not None
        return before

    def _check_bytes(self) -> None:
        """Once all has been let go of what an entry was before."""
        if self._packer.held_bytes > limits.SCENARIO_OBJECTS_BYTES:
            raise TooManyObjectsError(f"{limits.SCENARIO_OBJECTS_BYTES // 1024**2} MiB of objects")
