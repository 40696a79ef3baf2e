"""The store against a model that keeps everything in plain dicts, driven by hypothesis.

The model is the contract in its simplest form: a list of all events. What the store says at any revision must follow from that list.
"""

import asyncio
import json
import shutil
import tempfile
from pathlib import Path

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from svcsim.storage.contract import (
    CompactedError,
    Event,
    EventType,
    FutureRevisionError,
    Key,
    KeyExistsError,
    KeyMissingError,
    ReadView,
    Record,
    RevisionMismatchError,
    Selection,
    StoreError,
)
from svcsim.storage.hub import Subscription
from svcsim.storage.store import LmdbStore
from tests.storage.words import body, envelope, open_inline, open_threaded, spliced

KEYS = [
    Key("pods", "a", "x"),
    Key("pods", "a", "x-1"),
    Key("pods", "a-b", "x"),
    Key("pods", "b", "y"),
    Key("jobs.batch", "a", "x"),
    Key("nodes", "", "x"),
    Key("nodes", "", "n"),
]
PATTERNS = [("", "", ""), ("pods", "", ""), ("pods", "a", ""), ("pods", "a", "x"), ("nodes", "", "n"), ("", "", "x")]

keys = st.sampled_from(KEYS)
labels = st.sampled_from(["red", "green", "blue"])
fractions = st.floats(0, 1)


def matches(pattern: tuple[str, str, str], key: Key) -> bool:
    return all(asked in ("", part) for asked, part in zip(pattern, key, strict=True))


class Model:
    """Every event there ever was, and how much of that may be forgotten."""

    def __init__(self) -> None:
        self.events: list[Event] = []
        self.compacted = 0

    @property
    def revision(self) -> int:
        return self.events[-1].record.revision if self.events else 0

    def at(self, revision: int) -> dict[Key, Record]:
        state: dict[Key, Record] = {}
        for event in self.events:
            if event.record.revision > revision:
                break
            if event.type is EventType.DELETED:
                del state[event.record.key]
            else:
                state[event.record.key] = event.record
        return dict(sorted(state.items()))

    def after(self, revision: int, pattern: tuple[str, str, str]) -> list[Event]:
        return [event for event in self.events if event.record.revision > revision and matches(pattern, event.record.key)]

    def refusal(self, kind: EventType, key: Key, expected: int) -> type[StoreError] | None:
        state = self.at(self.revision).get(key)
        if kind is EventType.ADDED:
            return KeyExistsError if state else None
        if state is None:
            return KeyMissingError
        return None if state.revision == expected else RevisionMismatchError

    def write(self, kind: EventType, key: Key, revision: int, text: str, label: str) -> Record:
        previous = self.at(self.revision).get(key)
        record = Record(key, revision, envelope(colour=label), spliced(text, revision))
        self.events.append(Event(kind, record, previous))
        return record


class StoreMachine(RuleBasedStateMachine):
    """Writes, reads, watches, compaction and reopening in any order."""

    threaded = False

    def __init__(self) -> None:
        super().__init__()
        self.loop = asyncio.new_event_loop()
        self.path = Path(tempfile.mkdtemp(prefix="store-model-"))
        self.model = Model()
        self.watchers: list[tuple[Subscription, tuple[str, str, str], int, list[Event]]] = []
        self.views: list[ReadView] = []

    def run(self, work):
        return self.loop.run_until_complete(work)

    @initialize()
    def open(self) -> None:
        async def opened() -> LmdbStore:
            return (open_threaded if self.threaded else open_inline)(self.path / "store")

        self.store = self.run(opened())

    def teardown(self) -> None:
        self.drain()
        self.run(self.store.close())
        self.loop.close()
        shutil.rmtree(self.path)

    def revision_of(self, fraction: float) -> int:
        return round(fraction * (self.model.revision + 1))

    async def attempt(self, kind: EventType, key: Key, expected: int, text: str, label: str) -> Record | type[StoreError]:
        try:
            if kind is EventType.ADDED:
                return await self.store.create(key, envelope(colour=label), body(text))
            write = self.store.update if kind is EventType.MODIFIED else self.store.delete
            return await write(key, envelope(colour=label), body(text), expected=expected)
        except StoreError as error:
            return type(error)

    @rule(
        writes=st.lists(
            st.tuples(
                st.sampled_from(EventType), keys, st.sampled_from(["newest", "stale"]), st.text("abc", max_size=3), labels, st.booleans()
            ),
            min_size=1,
            max_size=8,
        )
    )
    def write_concurrently(self, writes) -> None:
        """All of them are called before any is committed: the order of the calls is the order of the writes.

        Deletions leave the last state as it was, or change it once more.
        """

        async def all_of_them():
            attempts, expectations = [], []
            for kind, key, age, new_text, new_label, same in writes:
                latest = self.store.latest(key)
                assert latest == self.model.at(self.model.revision).get(key)
                expected = (latest.revision if latest else 1) - (age == "stale")
                refusal = self.model.refusal(kind, key, expected)
                if kind is EventType.DELETED and latest is not None and same:
                    text, label = json.loads(latest.body)["text"], latest.envelope.labels["colour"]
                else:
                    text, label = new_text, new_label
                attempt = asyncio.ensure_future(self.attempt(kind, key, expected, text, label))
                await asyncio.wait([attempt], timeout=0)
                attempts.append(attempt)
                if refusal:
                    expectations.append(refusal)
                else:
                    revision = self.model.revision + 1
                    expectations.append(self.model.write(kind, key, revision, text, label))
            assert list(await asyncio.gather(*attempts)) == expectations

        self.run(all_of_them())

    @rule(fraction=fractions, key=keys)
    def get(self, fraction: float, key: Key) -> None:
        revision = self.revision_of(fraction)
        try:
            record = self.store.at(revision).get(key)
        except CompactedError:
            assert revision < self.model.compacted
        except FutureRevisionError:
            assert revision > self.model.revision
        else:
            assert record == self.model.at(revision).get(key)

    @rule(
        fraction=fractions,
        resource=st.sampled_from(["pods", "nodes", "none"]),
        namespace=st.sampled_from(["", "a"]),
        limit=st.integers(0, 3),
    )
    def list_in_pages(self, fraction: float, resource: str, namespace: str, limit: int) -> None:
        revision = self.revision_of(fraction)
        if not self.model.compacted <= revision <= self.model.revision:
            return
        expected = [record for key, record in self.model.at(revision).items() if matches((resource, namespace, ""), key)]
        found: list[Record] = []
        start = None
        while True:
            page = self.run(self.store.at(revision).list(resource, namespace, start=start, limit=limit))
            found += page.records
            assert page.revision == revision
            assert not limit or len(page.records) <= limit
            if start is None:
                assert page.remaining == len(expected) - len(found)
            start = page.next
            if start is None:
                break
            assert len(page.records) == limit
        assert found == expected

    @precondition(lambda self: len(self.views) < 5)
    @rule(fraction=fractions)
    def pin(self, fraction: float) -> None:
        """A view of the past, to be asked again later."""
        revision = self.revision_of(fraction)
        if self.model.compacted <= revision <= self.model.revision:
            self.views.append(self.store.at(revision))

    @rule(key=keys)
    def look_back(self, key: Key) -> None:
        """Every view shows what it showed, until its revision is compacted."""
        for view in self.views:
            if view.revision < self.model.compacted:
                for read in (view.list("pods"), view.count("pods")):
                    with pytest.raises(CompactedError):
                        self.run(read)
                continue
            then = self.model.at(view.revision)
            pods = [record for record in then.values() if record.key.resource == "pods"]
            assert view.get(key) == then.get(key)
            assert self.run(view.list("pods")).records == pods
            assert self.run(view.count("pods")) == len(pods)
            assert view.changed("pods") <= view.revision
        self.views = [view for view in self.views if view.revision >= self.model.compacted]

    @rule(fraction=fractions, label=labels, hinted=st.booleans())
    def list_filtered(self, fraction: float, label: str, *, hinted: bool) -> None:
        revision = self.revision_of(fraction)
        if not self.model.compacted <= revision <= self.model.revision:
            return
        selection = Selection(lambda key, seen: seen.labels["colour"] == label, {"colour": label} if hinted else {}, {})
        page = self.run(self.store.at(revision).list("pods", selection=selection))
        at = self.model.at(revision).values()
        assert page.records == [record for record in at if record.key.resource == "pods" and record.envelope.labels["colour"] == label]

    @precondition(lambda self: len(self.watchers) < 5)
    @rule(fraction=fractions, pattern=st.sampled_from(PATTERNS))
    def watch(self, fraction: float, pattern: tuple[str, str, str]) -> None:
        since = self.revision_of(fraction)
        try:
            watcher = self.run(self._watch(pattern, since))
        except CompactedError:
            assert since < self.model.compacted
        except FutureRevisionError:
            assert since > self.model.revision
        else:
            self.watchers.append((watcher, pattern, since, []))

    async def _watch(self, pattern: tuple[str, str, str], since: int) -> Subscription:
        return self.store.at(since).watch(*pattern)

    @rule()
    def drain(self) -> None:
        """Every watcher has, or is about to be handed, exactly the events after where it began."""
        going_on = []
        for watcher, pattern, since, seen in self.watchers:
            expected = self.model.after(since, pattern)
            while len(seen) < len(expected):
                try:
                    seen.extend(self.run(anext(aiter(watcher))))
                except CompactedError:
                    assert watcher.revision < self.model.compacted
                    break
            else:
                assert watcher.revision <= self.model.revision
                going_on.append((watcher, pattern, since, seen))
            assert seen == expected[: len(seen)]
        self.watchers = going_on

    @rule(fraction=fractions)
    def compact(self, fraction: float) -> None:
        revision = min(self.revision_of(fraction), self.model.revision)
        self.run(self.store.compact(revision))
        self.model.compacted = max(self.model.compacted, revision)

    @rule()
    def reopen(self) -> None:
        self.drain()
        self.watchers.clear()
        self.views.clear()
        self.run(self.store.close())
        self.open()

    @rule(fraction=fractions)
    def list_then_watch(self, fraction: float) -> None:
        """``list@R + events after R == list now``."""
        since = self.revision_of(fraction)
        if not self.model.compacted <= since < self.model.revision:
            return
        state = {record.key: record for record in self.run(self.store.at(since).list("pods")).records}

        async def rest() -> None:
            watcher = self.store.at(since).watch("pods")
            while watcher.revision < self.store.revision:
                for event in await anext(aiter(watcher)):
                    assert state.get(event.record.key) == event.previous
                    state[event.record.key] = event.record
                    if event.type is EventType.DELETED:
                        del state[event.record.key]
            watcher.close()

        if self.model.after(since, ("pods", "", "")):
            self.run(rest())
        assert sorted(state.values()) == self.run(self.store.list("pods")).records

    @invariant()
    def counters_agree(self) -> None:
        if not hasattr(self, "store"):
            return
        now = self.model.at(self.model.revision)
        assert (self.store.revision, self.store.compacted) == (self.model.revision, self.model.compacted)
        for resource, namespace in [("pods", ""), ("pods", "a"), ("pods", "a-b"), ("nodes", ""), ("jobs.batch", "a"), ("none", "")]:
            assert self.run(self.store.count(resource, namespace)) == sum(matches((resource, namespace, ""), key) for key in now)


class ThreadedMachine(StoreMachine):
    threaded = True


TestInline = StoreMachine.TestCase
TestThreaded = ThreadedMachine.TestCase
TestInline.settings = TestThreaded.settings = settings(max_examples=40, stateful_step_count=30)
