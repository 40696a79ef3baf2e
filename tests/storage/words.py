"""Words to write the store's tests in."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from svcsim.storage.contract import Body, Envelope, Event, Key, Record, Watcher
from svcsim.storage.store import LmdbStore

Open = Callable[[Path], LmdbStore]


def open_threaded(path: Path) -> LmdbStore:
    """As a server has it, but for the wait for the disk."""
    return LmdbStore.open(path, dialect="svcapi", durability="process", threads=True, map_bytes=256 * 1024**2)


def open_inline(path: Path) -> LmdbStore:
    """As a run on virtual time has it."""
    return LmdbStore.open(path, dialect="svcapi", durability="none", threads=False, map_bytes=256 * 1024**2)


IMPLEMENTATIONS = {"threaded": open_threaded, "inline": open_inline}


def pod(name: str, namespace: str = "default") -> Key:
    return Key("pods", namespace, name)


def envelope(**labels: str) -> Envelope:
    return Envelope("uid", labels, {}, ())


def body(text: str = "") -> Body:
    return Body(b'{"rv":"', f'","text":"{text}"}}'.encode())


def spliced(text: str, revision: int) -> bytes:
    return f'{{"rv":"{revision}","text":"{text}"}}'.encode()


@dataclass
class Script:
    """Writes as one-liners: ``await script.put(key, "text")`` creates or updates, ``await script.drop(key)`` deletes.

    ``await script.remove(key)`` deletes too, and leaves the last state as it was.
    """

    store: LmdbStore

    async def put(self, key: Key, text: str = "", **labels: str) -> int:
        state = self.store.latest(key)
        if state is None:
            record = await self.store.create(key, envelope(**labels), body(text))
        else:
            record = await self.store.update(key, envelope(**labels), body(text), expected=state.revision)
        return record.revision

    async def drop(self, key: Key, text: str = "") -> int:
        state = self.store.latest(key)
        assert state is not None
        return (await self.store.delete(key, state.envelope, body(text), expected=state.revision)).revision

    async def remove(self, key: Key) -> int:
        state = self.store.latest(key)
        assert state is not None
        return (await self.store.delete(key, state.envelope, uncut(state), expected=state.revision)).revision


def uncut(state: Record) -> Body:
    """The body a state was written with."""
    head = body().head
    return Body(head, state.body[len(head) + len(str(state.revision)) :])


async def collect(watcher: Watcher, count: int) -> list[Event]:
    """The watcher's next events, that many or (by a batch) a few more."""
    events: list[Event] = []
    async for batch in watcher:
        assert batch, "a batch is never empty"
        events += batch
        if len(events) >= count:
            return events
    return events


def told(events: list[Event]) -> list[tuple[str, str, int]]:
    """Events in short: what, whose, when."""
    return [(event.type.name, event.record.key.name, event.record.revision) for event in events]


def names(records: list[Record]) -> list[str]:
    return [record.key.name for record in records]


async def refused(write: Awaitable[object], error: type[Exception]) -> Exception:
    """The error a write must end with."""
    with pytest.raises(error) as caught:
        await write
    return caught.value


def flip(path: Path, find: bytes, change: Callable[[bytes], bytes]) -> int:
    """Change every place in the data file where some bytes stand; how many there were."""
    data = path.read_bytes()
    path.write_bytes(data.replace(find, change(find)))
    return data.count(find)
