"""Events are shown in the order in which they happened, however little their times tell."""

from svcsim.meta.events import SECOND_NS, event_name, in_order, last_seen
from svcsim.meta.types import Object
from tests.virtual import START_S

START = "2026-01-01T00:00:00Z"
START_NS = int(START_S) * SECOND_NS


def event(reason: str, after_ns: int, **times: object) -> Object:
    return {"metadata": {"name": event_name("web", START_NS + after_ns)}, "reason": reason, **times}


def reasons(*events: Object) -> list[str]:
    return [item["reason"] for item in in_order(events)]


def test_within_one_second_the_name_tells():
    told = {"firstTimestamp": START, "lastTimestamp": START}
    late, early = event("Started", 900_000_000, **told), event("Pulling", 100_000_000, **told)
    between = event("Scheduled", 50_000_000, eventTime="2026-01-01T00:00:00.050000Z")
    assert reasons(late, early, between) == ["Scheduled", "Pulling", "Started"]


def test_one_that_was_seen_again_stands_where_it_was_seen_last():
    again = event("BackOff", 0, firstTimestamp=START, lastTimestamp="2026-01-01T00:00:09Z", count=3)
    series = event("FailedScheduling", 1, eventTime=START, series={"count": 2, "lastObservedTime": "2026-01-01T00:00:05.500000Z"})
    once = event("Pulled", 3 * SECOND_NS, firstTimestamp="2026-01-01T00:00:03Z", lastTimestamp="2026-01-01T00:00:03Z")
    assert reasons(again, series, once) == ["Pulled", "FailedScheduling", "BackOff"]


def test_names_that_others_gave_tell_nothing():
    named: Object = {"metadata": {"name": "web.ffffffffffffffff"}, "reason": "Odd", "lastTimestamp": START}
    plain: Object = {"metadata": {"name": "anything"}, "reason": "Plain", "lastTimestamp": "2026-01-01T00:00:01Z"}
    assert reasons(plain, named, {"metadata": {"name": "x"}, "reason": "Timeless"}) == ["Timeless", "Odd", "Plain"]


def test_a_long_name_is_cut_for_the_time_to_fit():
    assert len(event_name("x" * 253, START_NS)) == 253


def test_the_moment_an_event_was_last_seen():
    assert last_seen({"eventTime": "b", "firstTimestamp": "a", "lastTimestamp": "c"}) == "c"
    assert last_seen({"eventTime": "b", "series": {"lastObservedTime": "d"}}) == "d"
    assert last_seen({}) == ""
