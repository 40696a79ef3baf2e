"""Who is told of what is committed: those whose patterns take the key in, in one order, and nobody twice."""

import asyncio
from types import SimpleNamespace

from hypothesis import given
from hypothesis import strategies as st

from svcsim.meta.slice_turns import SliceTurns
from svcsim.storage.contract import Envelope, Event, EventType, Key, Record
from svcsim.storage.hub import Subscription, WatchHub

WORDS = st.sampled_from(["", "a", "b"])
NAMES = st.sampled_from(["a", "b"])
PATTERNS = st.lists(st.tuples(WORDS, WORDS, WORDS), max_size=8)
KEYS = st.lists(st.builds(Key, NAMES, WORDS, NAMES), min_size=1, max_size=5)
ORDER = ["rnk", "rn.", ".nk", ".n.", "r.k", "r..", "..k", "..."]
"""The parts that patterns name, those first that are told first."""


def shape_of(pattern):
    return "".join(mark if part else "." for mark, part in zip("rnk", pattern, strict=True))


@given(PATTERNS, PATTERNS, KEYS)
def test_watchers_get_what_their_patterns_take_in(staying, leaving, keys):
    reader = SimpleNamespace(revision=0, compacted=0)
    hub = WatchHub(reader, SliceTurns(1, 1))
    told = []

    class Watcher(Subscription):
        def append(self, batch):
            told.append(self._pattern)
            super().append(batch)

    async def run():
        watchers = [Watcher(hub, reader, pattern, 0) for pattern in [*staying, *leaving]]
        for watcher in watchers[len(staying) :]:
            watcher.close()
        events = [Event(EventType.ADDED, Record(key, number, Envelope("", {}, {}, ()), b""), None) for number, key in enumerate(keys, 1)]
        hub.publish(events)
        for watcher in watchers[: len(staying)]:
            wanted = [event for event in events if watcher._wants(event.record.key)]
            got = await anext(watcher) if watcher.behind else []
            assert got == wanted
        assert hub.count() == len(staying)
        for watcher in watchers:
            watcher.close()
        assert not hub._shapes

    asyncio.run(run())
    for key in keys[:1] if len(keys) == 1 else ():
        shapes = list(dict.fromkeys(map(shape_of, told)))
        assert shapes == [shape for shape in ORDER if shape in shapes], key
