"""Events are written in the background; what is said again is counted."""

import asyncio

import pytest

from svcsim import limits
from svcsim.client.api import Client
from svcsim.client.events import EventRecorder
from svcsim.client.in_process import InProcessTransport
from svcsim.clock import Clock
from svcsim.dialect import KUBERNETES
from svcsim.meta.errors import StatusError
from svcsim.meta.events import in_order
from svcsim.meta.types import Object, User
from tests.client.small_server import SmallServer
from tests.virtual import START_S

POD: Object = {"kind": "Pod", "apiVersion": "v1", "metadata": {"name": "web", "namespace": "shop", "uid": "u1", "resourceVersion": "7"}}
NODE: Object = {"kind": "Node", "apiVersion": "v1", "metadata": {"name": "node-1", "uid": "u2"}}


def pod(number: int) -> Object:
    return {**POD, "metadata": {**POD["metadata"], "name": f"web-{number}", "uid": f"u-{number}"}}


async def written(server: SmallServer, clock: Clock, recorder: EventRecorder) -> list[Object]:
    task = asyncio.create_task(recorder.run())
    await clock.sleep(1)
    task.cancel()
    return list(server.objects.values())


def recorder_on(server: SmallServer, clock: Clock, objects: int = 100) -> EventRecorder:
    client = Client(InProcessTransport(server.handle, User("admin")), KUBERNETES)
    return EventRecorder(client, clock, "scheduler", objects=objects)


@pytest.mark.virtual_time
async def test_an_event_says_what_about_which_object_by_whom():
    server, clock = SmallServer(), Clock(START_S)
    recorder = recorder_on(server, clock)
    recorder.normal(POD, "Scheduled", "Successfully assigned shop/web to node-1")
    (event,) = await written(server, clock, recorder)
    assert event["metadata"]["name"] == f"web.{int(START_S * 10**9):x}"
    assert event["metadata"]["namespace"] == "shop"
    assert event["involvedObject"] == {
        "apiVersion": "v1", "kind": "Pod", "namespace": "shop", "name": "web", "uid": "u1", "resourceVersion": "7",
    }  # fmt: skip
    assert (event["type"], event["reason"], event["count"]) == ("Normal", "Scheduled", 1)
    assert event["source"] == {"component": "scheduler"}
    assert event["firstTimestamp"] == event["lastTimestamp"] == "2026-01-01T00:00:00Z"


@pytest.mark.virtual_time
async def test_events_about_cluster_wide_objects_stand_in_default():
    server, clock = SmallServer(), Clock(START_S)
    recorder = recorder_on(server, clock)
    recorder.warning(NODE, "NodeNotReady", "gone quiet")
    (event,) = await written(server, clock, recorder)
    assert event["metadata"]["namespace"] == "default"
    assert "namespace" not in event["involvedObject"]


@pytest.mark.virtual_time
async def test_the_same_event_again_is_counted_up():
    server, clock = SmallServer(), Clock(START_S)
    recorder = recorder_on(server, clock)
    for _ in range(3):
        recorder.warning(POD, "FailedScheduling", "no room")
        await written(server, clock, recorder)
    (event,) = server.objects.values()
    assert event["count"] == 3
    assert event["firstTimestamp"] == "2026-01-01T00:00:00Z"
    assert event["lastTimestamp"] == "2026-01-01T00:00:02Z"


@pytest.mark.virtual_time
async def test_so_many_objects_are_remembered_and_those_the_longest_of_which_something_was_said_last():
    server, clock = SmallServer(), Clock(START_S)
    recorder = recorder_on(server, clock, objects=2)
    for about in (pod(1), pod(2), pod(3), pod(1), pod(3)):
        recorder.warning(about, "FailedScheduling", "no room")
        await written(server, clock, recorder)
    counts = [(event["involvedObject"]["name"], event["count"]) for event in server.objects.values()]
    assert counts == [("web-1", 1), ("web-2", 1), ("web-3", 2), ("web-1", 1)]


@pytest.mark.virtual_time
async def test_nothing_is_remembered_of_an_object_that_was_let_go():
    server, clock = SmallServer(), Clock(START_S)
    recorder = recorder_on(server, clock)
    recorder.warning(POD, "BackOff", "again")
    await written(server, clock, recorder)
    recorder.let_go(POD)
    recorder.warning(POD, "BackOff", "again")
    await written(server, clock, recorder)
    assert [event["count"] for event in server.objects.values()] == [1, 1]


@pytest.mark.virtual_time
async def test_so_many_events_of_one_object_are_remembered():
    server, clock = SmallServer(), Clock(START_S)
    recorder = recorder_on(server, clock)
    for number in (*range(limits.EVENTS_OF_AN_OBJECT_REMEMBERED + 1), 1, 0):
        recorder.warning(POD, f"Reason{number}", "said")
        await written(server, clock, recorder)
        await clock.sleep(limits.EVENT_REFILL_S)
    counts = {}
    for event in server.objects.values():
        counts.setdefault(event["reason"], []).append(event["count"])
    assert (counts["Reason0"], counts["Reason1"]) == ([1, 1], [2])


@pytest.mark.virtual_time
async def test_an_event_that_has_expired_is_written_anew():
    server, clock = SmallServer(), Clock(START_S)
    recorder = recorder_on(server, clock)
    recorder.warning(POD, "FailedScheduling", "no room")
    (first,) = await written(server, clock, recorder)
    server.objects.clear()
    await server.put("/api/v1/namespaces/shop/events/other", {"metadata": {"name": "other"}})
    recorder.warning(POD, "FailedScheduling", "no room")
    _, again = await written(server, clock, recorder)
    assert again["count"] == 1
    assert again["metadata"]["name"] != first["metadata"]["name"]


@pytest.mark.virtual_time
async def test_a_refused_event_is_dropped_and_the_next_is_written():
    server, clock = SmallServer(), Clock(START_S)
    recorder = recorder_on(server, clock)
    server.failures.append(StatusError(403, "Forbidden", "the namespace is being terminated"))
    recorder.normal(POD, "One", "lost")
    recorder.normal(POD, "Two", "kept")
    assert [event["reason"] for event in await written(server, clock, recorder)] == ["Two"]


@pytest.mark.virtual_time
async def test_more_events_than_can_wait_push_out_the_oldest():
    server, clock = SmallServer(), Clock(START_S)
    recorder = recorder_on(server, clock)
    for number in range(limits.EVENTS_WAITING + 5):
        recorder.normal(pod(number), "Number", str(number))
    events = await written(server, clock, recorder)
    assert len(events) == limits.EVENTS_WAITING
    assert events[0]["message"] == "5"


@pytest.mark.virtual_time
async def test_the_same_event_reported_twice_at_once_is_one_counted_twice():
    server, clock = SmallServer(), Clock(START_S)
    recorder = recorder_on(server, clock)
    for message in ("a", "b", "a", "b", "a"):
        recorder.normal(POD, "Reason", message)
    events = await written(server, clock, recorder)
    assert [(event["message"], event["count"]) for event in events] == [("a", 3), ("b", 2)]


@pytest.mark.virtual_time
async def test_names_are_in_the_order_of_what_was_reported_within_one_moment():
    server, clock = SmallServer(), Clock(START_S)
    recorder = recorder_on(server, clock)
    for reason in ("Pulled", "Created", "Started", "Killing"):
        recorder.normal(POD, reason, "x")
    events = await written(server, clock, recorder)
    names = {event["metadata"]["name"]: event["reason"] for event in events}
    assert [names[name] for name in sorted(names)] == ["Pulled", "Created", "Started", "Killing"]
    assert [event["reason"] for event in in_order(reversed(events))] == ["Pulled", "Created", "Started", "Killing"]


@pytest.mark.virtual_time
async def test_two_components_that_report_at_the_same_moment_both_have_their_event():
    server, clock = SmallServer(), Clock(START_S)
    one = recorder_on(server, clock)
    one.normal(POD, "One", "x")
    await written(server, clock, one)
    earlier = Clock(START_S)
    other = recorder_on(server, earlier)
    other.normal(POD, "Other", "x")
    events = await written(server, earlier, other)
    assert [event["reason"] for event in events] == ["One", "Other"]


@pytest.mark.virtual_time
async def test_an_event_with_an_action_has_microseconds_and_counts_in_a_series():
    server, clock = SmallServer(), Clock(START_S + 0.25)
    recorder = recorder_on(server, clock)
    for _ in range(2):
        recorder.warning(POD, "FailedScheduling", "no room", action="Scheduling")
        await written(server, clock, recorder)
    (event,) = server.objects.values()
    assert (event["action"], event["eventTime"]) == ("Scheduling", "2026-01-01T00:00:00.250000Z")
    assert event["series"] == {"count": 2, "lastObservedTime": "2026-01-01T00:00:01.250000Z"}
    assert (event["reportingComponent"], event["reportingInstance"]) == ("scheduler", "scheduler")
    assert not {"count", "firstTimestamp", "lastTimestamp", "source"} & set(event)


@pytest.mark.virtual_time
async def test_a_clock_that_was_put_back_names_events_by_the_time_it_has_now():
    server, clock = SmallServer(), Clock(START_S)
    recorder = recorder_on(server, clock)
    await clock.sleep(60)
    recorder.normal(POD, "Ahead", "x")
    await written(server, clock, recorder)
    recorder._clock = Clock(START_S)
    recorder.normal(POD, "Back", "x")
    events = await written(server, clock, recorder)
    assert [event["reason"] for event in in_order(events)] == ["Back", "Ahead"]


@pytest.mark.virtual_time
async def test_different_things_said_of_one_object_for_one_reason_are_combined_after_a_few():
    server, clock = SmallServer(), Clock(START_S)
    recorder = recorder_on(server, clock)
    for number in range(14):
        recorder.normal(POD, "SuccessfulCreate", f"Created pod: web-{number}")
    *own, combined = await written(server, clock, recorder)
    assert [event["message"] for event in own] == [f"Created pod: web-{number}" for number in range(limits.EVENTS_SIMILAR - 1)]
    assert (combined["message"], combined["count"]) == ("(combined from similar events): Created pod: web-13", 5)


@pytest.mark.virtual_time
async def test_what_was_said_long_ago_combines_nothing():
    server, clock = SmallServer(), Clock(START_S)
    recorder = recorder_on(server, clock)
    for number in range(20):
        recorder.normal(POD, "SuccessfulCreate", f"Created pod: web-{number}")
        if number == 8:
            await clock.sleep(limits.EVENTS_SIMILAR_S + 1)
    events = await written(server, clock, recorder)
    assert sum("combined" in event["message"] for event in events) == 1
    assert [event["count"] for event in events if "combined" in event["message"]] == [2]


@pytest.mark.virtual_time
async def test_of_one_object_no_more_is_written_than_a_burst_and_all_is_counted():
    server, clock = SmallServer(), Clock(START_S)
    recorder = recorder_on(server, clock)
    for _ in range(200):
        recorder.normal(POD, "Pulled", "the same")
    (event,) = await written(server, clock, recorder)
    assert (event["count"], len(server.requests)) == (limits.EVENTS_OF_AN_OBJECT, limits.EVENTS_OF_AN_OBJECT)
    recorder.normal(pod(1), "Pulled", "another object has its own")
    assert len(await written(server, clock, recorder)) == 2
    await clock.sleep(limits.EVENT_REFILL_S)
    recorder.normal(POD, "Pulled", "the same")
    assert (await written(server, clock, recorder))[0]["count"] == 201


@pytest.mark.virtual_time
async def test_a_series_is_written_at_its_beginning_now_and_then_and_when_it_is_over():
    server, clock = SmallServer(), Clock(START_S)
    recorder = recorder_on(server, clock)
    task = asyncio.create_task(recorder.run())
    counts, writes = [], []
    for number in range(40):
        recorder.warning(POD, "FailedScheduling", f"{number} nodes are too small", action="Scheduling")
        await clock.sleep(60)
        (event,) = server.objects.values()
        counts.append(event.get("series", {}).get("count", 1))
        writes.append(len(server.requests))
    assert (counts[0], counts[1], counts[28]) == (1, 2, 2)
    assert counts[-1] == 31, "half an hour after it was written last"
    await clock.sleep(limits.EVENT_SERIES_S)
    assert event["message"] == "0 nodes are too small"
    (event,) = server.objects.values()
    assert (event["series"]["count"], len(server.requests)) == (40, 4)
    assert event["series"]["lastObservedTime"] == "2026-01-01T00:39:00.000000Z"
    recorder.warning(POD, "FailedScheduling", "no room", action="Scheduling")
    await clock.sleep(1)
    assert len(server.objects) == 2, "what happens long after a series begins another"
    task.cancel()


@pytest.mark.virtual_time
async def test_a_series_whose_event_is_gone_says_what_was_said_first():
    server, clock = SmallServer(), Clock(START_S)
    recorder = recorder_on(server, clock)
    recorder.normal(POD, "Scheduled", "to node-1", action="Binding")
    await written(server, clock, recorder)
    server.objects.clear()
    recorder.normal(POD, "Scheduled", "to node-2", action="Binding")
    (event,) = await written(server, clock, recorder)
    assert event["message"] == "to node-1"


@pytest.mark.virtual_time
async def test_a_recorder_that_is_started_again_writes_how_long_a_series_has_become():
    server, clock = SmallServer(), Clock(START_S)
    recorder = recorder_on(server, clock)
    for _ in range(3):
        recorder.warning(POD, "FailedScheduling", "no room", action="Scheduling")
        await written(server, clock, recorder)
    await clock.sleep(limits.EVENT_SERIES_S * 2)
    (event,) = server.objects.values()
    assert event["series"]["count"] == 2, "nobody writes anything meanwhile"
    (event,) = await written(server, clock, recorder)
    assert event["series"] == {"count": 3, "lastObservedTime": "2026-01-01T00:00:02.000000Z"}


@pytest.mark.virtual_time
async def test_the_same_for_one_reason_of_two_parts_of_an_object_are_two_events():
    server, clock = SmallServer(), Clock(START_S)
    recorder = recorder_on(server, clock)
    for part in ("spec.containers{a}", "spec.containers{b}", "spec.containers{a}"):
        recorder.normal(POD, "Started", "Container started", part)
    events = await written(server, clock, recorder)
    assert [(event["involvedObject"]["fieldPath"], event["count"]) for event in events] == [
        ("spec.containers{a}", 2),
        ("spec.containers{b}", 1),
    ]
