"""The process the crash test kills: writers, a watcher and compaction on one store, telling the parent what was answered and seen.

``crash_child.py DIRECTORY POINT NTH SINCE``: it ends itself with SIGKILL at the nth passage of the point, and watches from SINCE.
Each line it writes is ``answered|seen REVISION KIND NAME TEXT``.
"""

import asyncio
import os
import signal
import sys
from pathlib import Path

from svcsim.clock import turn
from svcsim.storage.contract import Body, Envelope, EventType, Key, Record, RevisionMismatchError
from svcsim.storage.store import LmdbStore

WRITERS = 8
HISTORY = 60
"""Revisions the compaction leaves readable."""
ENOUGH = 5_000
"""Writes after which the child gives up waiting to be killed."""
BEFORE_ANSWER = "before answer"


class Child:
    """Everything that goes on in it."""

    def __init__(self, path: Path, point: str, nth: int, since: int) -> None:
        self.point = point
        self.left = nth
        self.seen = since
        self.store = LmdbStore.open(path, dialect="svcapi", durability="full", threads=True, map_bytes=64 * 1024**2, probe=self.probe)

    def probe(self, point: str) -> None:
        if point == self.point:
            self.left -= 1
            if self.left == 0:
                os.kill(os.getpid(), signal.SIGKILL)

    def answer(self, kind: EventType, record: Record) -> None:
        self.probe(BEFORE_ANSWER)
        tell("answered", kind, record)

    async def write(self, writer: int) -> None:
        """Create, update, delete one's own keys by turns, and quarrel with the others about a shared one."""
        for i in range(ENOUGH):
            own = Key("pods", "default", f"w{writer}-{i % 3}")
            for key in (own, Key("pods", "default", "shared")):
                try:
                    await self.change(key, f"{writer}.{i}", drop=key is own and i % 5 == 4, changed=i % 2 == 0)
                except RevisionMismatchError:
                    await turn()

    async def change(self, key: Key, text: str, *, drop: bool, changed: bool) -> None:
        state = self.store.latest(key)
        envelope, body = Envelope("", {}, {}, ()), Body(b"", f" {text} {'x' * 700}".encode())
        if state is None:
            self.answer(EventType.ADDED, await self.store.create(key, envelope, body))
        elif drop:
            if not changed:
                body = Body(b"", state.body[len(str(state.revision)) :])
            self.answer(EventType.DELETED, await self.store.delete(key, envelope, body, expected=state.revision))
        else:
            self.answer(EventType.MODIFIED, await self.store.update(key, envelope, body, expected=state.revision))

    async def watch(self) -> None:
        async for batch in self.store.at(self.seen).watch():
            for event in batch:
                tell("seen", event.type, event.record)
                self.seen = event.record.revision

    async def compact(self) -> None:
        while True:
            await self.store.compact(max(min(self.seen, self.store.revision - HISTORY), self.store.compacted))
            await turn()

    async def run(self) -> None:
        async with asyncio.TaskGroup() as group:
            group.create_task(self.watch())
            group.create_task(self.compact())
            for writer in range(WRITERS):
                group.create_task(self.write(writer))


def tell(what: str, kind: EventType, record: Record) -> None:
    revision, text, _ = record.body.decode().split()
    assert int(revision) == record.revision
    os.write(1, f"{what} {record.revision} {kind.name} {record.key.name} {text}\n".encode())


if __name__ == "__main__":
    directory, point, nth, since = sys.argv[1:]
    asyncio.run(Child(Path(directory), point, int(nth), int(since)).run())
