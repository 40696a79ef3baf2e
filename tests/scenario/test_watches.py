"""Expectations are decided entry by entry, so that nothing that lasted only a moment is missed."""

import asyncio
import hashlib
from collections.abc import AsyncIterator

import orjson
import pytest

from svcsim import limits
from svcsim.client.api import Client
from svcsim.client.in_process import InProcessTransport
from svcsim.clock import Clock
from svcsim.dialect import DIALECTS
from svcsim.meta.codec import decode_json, encode
from svcsim.meta.http import Request, Response
from svcsim.meta.types import Json, Object, User
from svcsim.scenario.body import Packer
from svcsim.scenario.expectations import ExpectationWatch, read_condition
from svcsim.scenario.expressions import Expressions
from svcsim.scenario.journal import Journal
from svcsim.scenario.model import Values
from svcsim.scenario.timeline import Timeline
from tests.virtual import START_S, run_virtual


class Stage:
    """A journal that is written by hand, and a clock."""

    def __init__(self) -> None:
        self.clock = Clock(START_S)
        self.journal = Journal(Client(InProcessTransport(self._serve, User("test")), DIALECTS["svcapi"]), self.clock.now)
        self._lines: asyncio.Queue[bytes] = asyncio.Queue()
        self._revision = 0
        self._following = asyncio.create_task(self.journal.follow())

    async def _serve(self, request: Request) -> Response:
        async def lines() -> AsyncIterator[bytes]:
            while True:
                yield await self._lines.get()

        return Response(200, stream=lines())

    def watch(self, mode: str, subject: Json, **variables: Json) -> ExpectationWatch:
        condition = read_condition(subject, Expressions(self.clock.now), Values(variables))
        return ExpectationWatch(mode, condition, self.journal, self.clock)

    async def write(self, name: str, change: str = "MODIFIED", kind: str = "Pod", **fields: Json) -> None:
        self._revision += 1
        obj: Object = {"kind": kind, "apiVersion": "v1", "metadata": {"name": name, "namespace": "default"}, **fields}
        entry = {"revision": self._revision, "type": change, "resource": "pods", "namespace": "default", "name": name, "object": obj}
        self._lines.put_nowait(orjson.dumps(entry) + b"\n")
        await self.journal.reach(self._revision)

    async def phase(self, name: str, phase: str) -> None:
        await self.write(name, status={"phase": phase})


def _dense(packed_bytes: int, which: str = "") -> str:
    """A text that can't be packed into much less, nor with the help of another."""
    return hashlib.shake_256(which.encode()).hexdigest(packed_bytes)


def on_stage(play):
    """Run a test on virtual time, with a stage."""

    async def main() -> None:
        await play(Stage())

    def test() -> None:
        run_virtual(main())

    test.__name__, test.__doc__ = play.__name__, play.__doc__
    return test


RUNNING = {"kind": "Pod", "where": "status.phase == 'Running'"}
FAILED = {"kind": "Pod", "where": "status.phase == 'Failed'"}


@on_stage
async def test_eventually_holds_at_the_first_moment_a_count_is_right(stage):
    watch = stage.watch("eventually", {"count": {**RUNNING, "eq": 2}})
    await stage.phase("a", "Running")
    assert not watch.decided.done()
    assert watch.verdict().details == ["1 of 1 Pod objects"]
    await stage.phase("b", "Pending")
    assert watch.verdict().details == ["1 of 2 Pod objects", 'default/b: status.phase is "Pending"']
    await stage.phase("b", "Running")
    await stage.phase("b", "Failed")
    assert watch.decided.done()
    assert watch.verdict() is None


@on_stage
async def test_what_is_there_already_counts(stage):
    await stage.phase("a", "Running")
    assert stage.watch("eventually", RUNNING).verdict() is None


@on_stage
async def test_a_deleted_object_no_longer_counts(stage):
    await stage.phase("a", "Running")
    watch = stage.watch("eventually", {"count": {**RUNNING, "eq": 0}})
    await stage.write("a", "DELETED", status={"phase": "Running"})
    assert watch.verdict() is None


@on_stage
async def test_never_is_violated_by_what_lasts_only_a_moment(stage):
    watch = stage.watch("never", FAILED)
    await stage.phase("a", "Running")
    assert watch.verdict() is None
    await stage.phase("a", "Failed")
    await stage.phase("a", "Running")
    failure = watch.verdict()
    assert failure.message == "never Pod where status.phase == 'Failed': happened"
    assert failure.details == ['default/a: status.phase is "Failed"']


@on_stage
async def test_always_is_not_violated_before_a_field_is_there_but_by_its_going(stage):
    watch = stage.watch("always", {"kind": "Pod", "name": "a", "where": "status.ready >= 1"})
    await stage.write("a", status={})
    assert watch.failure is None
    await stage.write("a", status={"ready": 1})
    assert watch.verdict() is None
    await stage.write("a", status={})
    assert watch.verdict().details == ["default/a: status.ready is not there, there is no 'ready' yet"]


@on_stage
async def test_what_is_made_anew_under_a_name_is_another_that_always_has_to_judge(stage):
    always = stage.watch("always", {"kind": "Pod", "labels": {"app": "w"}, "where": "spec.nodeName.startsWith('node-')"})
    labelled: Object = {"name": "w-1", "namespace": "default", "labels": {"app": "w"}}
    await stage.write("w-1", metadata=labelled, spec={"nodeName": "node-1"})
    await stage.write("w-1", "DELETED", metadata=labelled, spec={"nodeName": "node-1"})
    await stage.write("w-1", "ADDED", metadata=labelled, spec={})
    assert not always.decided.done()
    await stage.write("w-1", metadata=labelled, spec={"nodeName": "other"})
    assert always.failed.done()


@on_stage
async def test_what_comes_back_among_those_looked_at_is_still_the_same(stage):
    always = stage.watch("always", {"kind": "Pod", "labels": {"app": "w"}, "where": "status.ready"})
    labelled: Object = {"name": "a", "namespace": "default", "labels": {"app": "w"}}
    await stage.write("a", metadata=labelled, status={"ready": True})
    await stage.write("a", metadata={**labelled, "labels": {}}, status={"ready": True})
    await stage.write("a", metadata=labelled, status={})
    assert always.failed.done()


@on_stage
async def test_always_that_never_had_anything_to_judge_does_not_hold(stage):
    watch = stage.watch("always", {"kind": "Pod", "where": "status.redy >= 1"})
    await stage.write("a", status={"ready": 1})
    assert watch.verdict().message.endswith("there was never an object to check")


@on_stage
async def test_always_is_violated_when_the_object_it_names_goes(stage):
    await stage.phase("a", "Running")
    watch = stage.watch("always", {**RUNNING, "name": "a"})
    await stage.write("a", "DELETED", status={"phase": "Running"})
    assert watch.verdict().details == ["there is no such Pod"]


@on_stage
async def test_where_there_are_too_many_those_that_match_are_told(stage):
    for name, node in (("a", "n1"), ("b", "n2"), ("c", "n2")):
        await stage.write(name, spec={"nodeName": node})
    few = stage.watch("eventually", {"count": {"kind": "Pod", "where": "spec.nodeName == 'n1'", "eq": 0}})
    assert few.verdict().details == ["1 of 3 Pod objects", 'default/a: spec.nodeName is "n1"']
    many = stage.watch("eventually", {"count": {"kind": "Pod", "where": "spec.nodeName == 'n1'", "gte": 2}})
    assert [line.split(":")[0] for line in many.verdict().details] == ["1 of 3 Pod objects", "default/b", "default/c"]
    never = stage.watch("never", {"count": {"kind": "Pod", "where": "spec.nodeName == 'n1'", "gte": 1}})
    assert never.verdict().details[1:] == ['default/a: spec.nodeName is "n1"']


@on_stage
async def test_what_an_object_looks_like_is_compared_as_a_subset(stage):
    watch = stage.watch("eventually", {"kind": "Pod", "match": {"status": {"conditions": [{"type": "Ready", "status": "True"}]}}})
    await stage.write("a", status={"conditions": [{"type": "Other", "status": "True"}]})
    assert watch.verdict().details == [
        'default/a: status.conditions[type=Ready]: wanted {"type":"Ready","status":"True"}, is nothing',
    ]
    await stage.write("a", status={"conditions": [{"type": "Other"}, {"type": "Ready", "status": "True", "reason": "x"}]})
    assert watch.verdict() is None


@on_stage
async def test_age_comes_with_time_alone(stage):
    await stage.write("a", metadata={"name": "a", "namespace": "default", "creationTimestamp": "2026-01-01T00:00:00Z"})
    watch = stage.watch("eventually", {"kind": "Pod", "where": "age(metadata.creationTimestamp) >= duration('5s')"})
    await stage.clock.sleep(4)
    assert not watch.decided.done()
    await stage.clock.sleep(2)
    assert watch.decided.done()
    watch.close()


@on_stage
async def test_an_order_is_met_by_moments_one_after_the_other(stage):
    watch = stage.watch(
        "order", [{"reason": "Killing", "on": "pod/a"}, {"kind": "Pod", "type": "DELETED", "where": "status.phase == 'Failed'"}]
    )
    await stage.write("a", "DELETED", status={"phase": "Failed"})
    about = {"kind": "Pod", "name": "a"}
    await stage.write("a.1", kind="Event", reason="Pulling", involvedObject=about)
    await stage.write("a.2", kind="Event", reason="Killing", involvedObject=about)
    assert watch.verdict().details == ["1 of 2 happened; the next would be kind Pod, type DELETED, where status.phase == 'Failed'"]
    await stage.write("a", "DELETED", status={"phase": "Failed"})
    assert watch.verdict() is None


@on_stage
async def test_a_cluster_with_more_objects_than_a_run_can_follow_breaks_it_off(stage):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(limits, "SCENARIO_OBJECTS", 2)
        for name in ("a", "b", "a"):
            await stage.write(name)
        await stage.write("a", "DELETED")
        await stage.write("a", "DELETED")
        await stage.write("c")
        with pytest.raises(ConnectionError, match="the cluster holds more than 2 objects, which is all that a scenario can follow"):
            await stage.write("d")


@on_stage
async def test_objects_that_come_to_more_than_a_run_can_follow_break_it_off(stage):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(limits, "SCENARIO_OBJECTS_BYTES", 1024**2)
        half = _dense(600 * 1024)
        await stage.write("a", data=half)
        await stage.write("a", data=half)
        await stage.write("a", "DELETED", data=half)
        await stage.write("b", data=half)
        await stage.write("c", data=half)
        with pytest.raises(ConnectionError, match="the cluster holds more than 1 MiB of objects, which is all that a scenario can follow"):
            await stage.write("d")


def test_what_was_packed_together_is_had_one_by_one_and_takes_no_more_when_nobody_keeps_it():
    packer, large = Packer(), "x" * 50_000
    texts = [encode({"kind": "Pod", "apiVersion": "v1", "data": _dense(2_000, str(number))}) for number in range(40)]
    texts.insert(20, encode({"kind": "Pod", "apiVersion": "v1", "data": large}))
    bodies = [packer.pack("pods", text) for text in texts]
    assert [encode(body.decode()) for body in bodies] == texts
    assert [encode(body.decode()) for body in reversed(bodies)] == texts[::-1]
    assert 70_000 < packer.held_bytes < sum(map(len, texts))
    del bodies[:-1]
    assert bodies[0].decode() == decode_json(texts[-1])
    assert packer.held_bytes < 2 * limits.PACKED_TOGETHER_BYTES
    odd = packer.pack("pods", b'{"spec":{},"kind":"Other","apiVersion":"v2"}')
    assert (odd.kind, odd.api_version, odd.decode()["spec"]) == ("Other", "v2", {})


@on_stage
async def test_a_timeline_keeps_what_comes_to_so_many_bytes(stage):
    timeline = Timeline(stage.clock.now)
    stage.journal.subscribe(timeline.write)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(limits, "TIMELINE_BYTES", 20_000)
        timeline.note("first")
        for number in range(5):
            await stage.write("a", data=str(number) * 4 + _dense(2_700, str(number)))
    told = [moment.text(0.0) for moment in timeline.last(10)]
    assert [line.split("data: ")[1][:5] for line in told] == ['"2222', '"3333', '"4444']


@on_stage
async def test_an_object_whose_kind_does_not_come_first_is_known_by_it(stage):
    watch = stage.watch("eventually", {"count": {"kind": "Pod", "apiVersion": "v1", "eq": 2}})
    await stage.write("a")
    stage._lines.put_nowait(
        b'{"revision":2,"type":"ADDED","resource":"pods","namespace":"","name":"b\\",\\"object\\":","object":'
        b'{"metadata":{"name":"b"},"kind":"Pod","apiVersion":"v1"}}\n'
    )
    await stage.journal.reach(2)
    assert watch.decided.done()


@on_stage
async def test_a_journal_that_ends_is_told_to_who_waits_for_it(stage):
    await stage.phase("a", "Running")
    stage._following.cancel()
    with pytest.raises(ConnectionError, match="the journal can't be followed any more"):
        await stage.journal.reach(2)


NEITHER = {"kind": "Pod", "where": "status.phase"}


@pytest.mark.parametrize(
    ("mode", "subject"),
    [
        *((mode, NEITHER) for mode in ("eventually", "always", "never")),
        *(
            (mode, {"count": {**NEITHER, **bound}})
            for mode, bound in (("eventually", {"eq": 1}), ("always", {"eq": 0}), ("never", {"eq": 1}))
        ),
    ],
)
def test_what_is_neither_true_nor_false_decides_at_once(mode, subject):
    @on_stage
    async def play(stage):
        watch = stage.watch(mode, subject)
        await stage.write("a", status={})
        assert not watch.decided.done()  # a field that isn't there yet may still come
        await stage.phase("a", "Running")
        assert watch.decided.done()
        assert watch.failed.done()
        assert watch.verdict().message == "expression 'status.phase' is \"Running\", neither true nor false"

    play()


@on_stage
async def test_an_order_that_is_met_has_not_failed(stage):
    watch = stage.watch("order", [{"on": "pod/a"}, {"on": "*"}])
    await stage.phase("a", "Running")
    await stage.phase("b", "Running")
    assert watch.decided.done()
    assert not watch.failed.done()
