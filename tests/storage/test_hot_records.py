"""Records that are kept at hand: always the newest committed state, and never more of them than there is room for."""

from hypothesis import given
from hypothesis import strategies as st

from svcsim.limits import DECODED_TIMES, HOT_RECORD_BYTES, HOT_RECORDS_BYTES
from svcsim.storage.contract import Envelope, Event, EventType, Key, Record
from svcsim.storage.hot_records import HotRecords

KEYS = [Key("configmaps", "default", name) for name in "abc"]


def record(key: Key, revision: int, size: int = 10) -> Record:
    return Record(key, revision, Envelope("", {}, {}, ()), b"x" * size)


@given(st.lists(st.tuples(st.sampled_from(["keep", "write", "delete"]), st.sampled_from(KEYS))))
def test_what_is_known_is_the_newest_state(steps):
    hot, newest = HotRecords(), {}
    for revision, (step, key) in enumerate(steps, 1):
        if step == "keep":
            if key in newest:
                hot.keep(newest[key])
        elif step == "write":
            newest[key] = record(key, revision)
            hot.committed([Event(EventType.MODIFIED, newest[key], None)])
        else:
            newest.pop(key, None)
            hot.committed([Event(EventType.DELETED, record(key, revision), None)])
        for one in KEYS:
            assert hot.get(one) in (None, newest.get(one))
        if step == "keep" and key in newest:
            assert hot.get(key) == newest[key]


def test_the_one_that_was_not_asked_for_longest_goes_first():
    hot, size = HotRecords(), HOT_RECORD_BYTES
    keys = [Key("configmaps", "default", f"c{number}") for number in range(HOT_RECORDS_BYTES // size)]
    for key in keys:
        hot.keep(record(key, 1, size))
        assert hot.get(keys[0]) is not None, "it is asked for all the time"
    known = [key for key in keys if hot.get(key) is not None]
    assert known == [keys[0], *keys[-len(known) + 1 :]]
    assert len(known) == HOT_RECORDS_BYTES // (2 * size + 1_000)


def test_long_ones_are_not_kept_and_push_nobody_out():
    hot = HotRecords()
    hot.keep(record(KEYS[0], 1))
    hot.keep(record(KEYS[1], 2, HOT_RECORD_BYTES + 1))
    assert hot.get(KEYS[1]) is None
    hot.committed([Event(EventType.MODIFIED, record(KEYS[0], 3, HOT_RECORD_BYTES + 1), None)])
    assert hot.get(KEYS[0]) is None, "its state of before is none any more"


def test_what_is_new_is_known_if_it_comes_with_what_it_says():
    hot = HotRecords()
    silent, saying = record(KEYS[0], 1), record(KEYS[1], 2)._replace(says={"kind": "ConfigMap"})
    hot.committed([Event(EventType.ADDED, silent, None), Event(EventType.ADDED, saying, None)])
    assert hot.get(KEYS[0]) is None
    assert hot.get(KEYS[1]) is saying
    hot.committed([Event(EventType.DELETED, saying._replace(revision=3), saying)])
    assert hot.get(KEYS[1]) is None


def test_what_they_say_counts_too():
    hot, size = HotRecords(), HOT_RECORD_BYTES
    keys = [Key("configmaps", "default", f"c{number}") for number in range(HOT_RECORDS_BYTES // size)]
    for key in keys:
        hot.keep(record(key, 1, size)._replace(says={"data": {}}))
    known = [key for key in keys if hot.get(key) is not None]
    assert len(known) == HOT_RECORDS_BYTES // ((2 + DECODED_TIMES) * size + 1_000)
