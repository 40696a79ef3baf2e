"""SIGKILL at every named point, under load, over and over on one store: nothing answered is lost, and no watch notices."""

import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

from svcsim.storage.commit import AFTER_COMMIT, BEFORE_COMMIT, COMPACTING
from svcsim.storage.contract import EventType
from svcsim.storage.store import LmdbStore
from tests.storage import crash_child
from tests.storage.words import collect

POINTS = (BEFORE_COMMIT, AFTER_COMMIT, crash_child.BEFORE_ANSWER, COMPACTING)
PASSAGES = (1, 2, 5, 17, 60, 140)


class Told(NamedTuple):
    """A write as the child told of it."""

    kind: str
    name: str
    text: str


class Rounds:
    """What all the children together have told."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.kills = 0
        self.answered: dict[int, Told] = {}
        self.seen: dict[int, Told] = {}

    def kill(self, point: str, nth: int) -> None:
        """One child's life."""
        command = [sys.executable, crash_child.__file__, str(self.path), point, str(nth), str(max(self.seen, default=0))]
        surroundings = {**os.environ, "PYTHONPATH": ":".join(sys.path)}
        child = subprocess.run(command, stdout=subprocess.PIPE, check=False, env=surroundings, timeout=60)
        assert child.returncode == -signal.SIGKILL, f"never came to passage {nth} of {point!r}"
        self.kills += 1
        highest_before = max((*self.answered, *self.seen), default=0)
        for line in child.stdout.decode().splitlines():
            what, revision, *told = line.split()
            self.take(what, int(revision), Told(*told), highest_before)

    def take(self, what: str, revision: int, told: Told, highest_before: int) -> None:
        if what == "seen":
            assert revision == max(self.seen, default=0) + 1, "a watch skips no event and repeats none"
            assert self.answered.get(revision, told) == told
            self.seen[revision] = told
        else:
            assert revision > highest_before, "no revision is used twice"
            assert revision not in self.answered
            assert self.seen.get(revision, told) == told
            self.answered[revision] = told


async def test_no_answered_write_is_lost_and_no_watch_notices_when_the_process_is_killed(tmp_path: Path):
    rounds = Rounds(tmp_path / "store")
    for nth in PASSAGES:
        for point in POINTS:
            rounds.kill(point, nth)

    store = LmdbStore.open(rounds.path, dialect="svcapi")
    since = max(rounds.seen)
    watcher = store.at(since).watch()
    for event in await collect(watcher, 1) if store.revision > since else []:
        revision, text, _ = event.record.body.decode().split()
        rounds.take("seen", int(revision), Told(event.type.name, event.record.key.name, text), since)
    assert list(rounds.seen) == list(range(1, store.revision + 1))

    lost = [revision for revision, told in rounds.answered.items() if rounds.seen.get(revision) != told]
    print(f"\nkills {rounds.kills}, writes answered {len(rounds.answered)}, committed {store.revision}, answered and lost {len(lost)}")
    assert lost == []

    state = {}
    for revision, told in rounds.seen.items():
        state[told.name] = revision
        if told.kind == EventType.DELETED.name:
            del state[told.name]
    page = await store.list("pods")
    assert {record.key.name: record.revision for record in page.records} == state
    assert await store.count("pods") == len(state)
    await store.close()
