"""The shell does for every controller what none should have to do for itself."""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Iterable

import pytest

from svcsim import limits
from svcsim.client.controller import Controller, Periodic, Source, StreamSource, itself
from svcsim.clock import Clock, turn
from svcsim.meta.errors import StatusError
from svcsim.meta.indexed import ObjectKey
from svcsim.meta.types import Object
from svcsim.wall import stopwatch
from tests.client.test_informers import PODS, Digest, World, pod, world

A, B, NODE = ObjectKey("default", "a"), ObjectKey("default", "b"), ObjectKey("", "node-1")


class Recording(Controller):
    """Notes what it is asked to reconcile, and when."""

    def __init__(self, clock: Clock, sources: Iterable[Source | StreamSource] = (), **options: object) -> None:
        self.worked: list[tuple[float, ObjectKey]] = []
        self.failures: list[Exception] = []
        self.prepared = 0
        self._began = clock.now()
        super().__init__("recording", clock, tuple(sources), **options)

    async def prepare(self) -> None:
        self.prepared += 1

    async def reconcile(self, key: ObjectKey) -> None:
        self.worked.append((round(self.clock.now() - self._began, 3), key))
        if self.failures:
            raise self.failures.pop(0)

    @property
    def keys(self) -> list[ObjectKey]:
        return [key for _, key in self.worked]


@contextlib.asynccontextmanager
async def at_work(controller: Controller) -> AsyncIterator[None]:
    task = asyncio.create_task(controller.run())
    yield
    task.cancel()
    with contextlib.suppress(asyncio.CancelledError):
        await task


def source(w: World, **options: object) -> Source:
    return Source(w.informers.cache("v1", "pods"), itself, **options)


@pytest.mark.virtual_time
async def test_what_is_there_and_what_changes_is_looked_at():
    async with world("a") as w:
        controller = Recording(w.clock, [source(w)])
        async with at_work(controller):
            await w.settle()
            await w.server.put(f"{PODS}/b", pod("b"))
            await w.settle()
            assert controller.keys == [A, B]


@pytest.mark.virtual_time
async def test_nothing_is_looked_at_before_all_sources_have_been_read():
    async with world("a") as w:
        w.server.failures += [StatusError(503, "ServiceUnavailable", "not now")] * 3
        digest = Digest()
        controller = Recording(w.clock, [source(w), StreamSource(w.informers.of("v1", "pods"), digest)])
        controller.queue.add(B)
        async with at_work(controller):
            await w.settle(0.1)
            assert (controller.keys, controller.prepared) == ([], 0)
            await w.settle(10)
            assert (controller.keys, controller.prepared) == ([B, A], 1)
            assert digest.told == [("seen", "a")]


@pytest.mark.virtual_time
async def test_changes_of_a_source_may_be_gathered_for_a_while():
    async with world() as w:
        controller = Recording(w.clock, [source(w, after_s=2.0)])
        async with at_work(controller):
            await w.settle(1)
            for _ in range(5):
                await w.server.put(f"{PODS}/a", pod("a"))
                await w.settle(0.1)
            await w.settle(10)
            assert controller.worked == [(3.0, A)]


@pytest.mark.virtual_time
async def test_what_fails_because_its_namespace_is_going_is_let_be(caplog: pytest.LogCaptureFixture):
    caplog.set_level("INFO")
    clock = Clock(0)
    controller = Recording(clock, workers=1, retry_first_s=1.0)
    cause = {"reason": "NamespaceTerminating", "message": "namespace default is being terminated"}
    controller.failures += [StatusError(403, "Forbidden", "it goes", {"causes": [cause]})] * 2
    controller.queue.add(A)
    controller.queue.add(NODE)  # what it needs of another's namespace it needs still
    async with at_work(controller):
        await clock.sleep(100)
        assert controller.worked == [(0, A), (0, NODE), (1, NODE)]
        assert [record.getMessage().split(":")[0] for record in caplog.records] == ["recording"]


@pytest.mark.virtual_time
async def test_a_failed_key_comes_again_later_and_later_and_the_others_go_on(caplog: pytest.LogCaptureFixture):
    clock = Clock(0)
    controller = Recording(clock, workers=1, retry_first_s=1.0, retry_longest_s=4.0)
    controller.failures += [StatusError(409, "Conflict", ""), ConnectionError(), ValueError("a bug"), StatusError(500, "", "")]
    controller.queue.add(A)
    async with at_work(controller):
        await clock.sleep(100)
        assert [when for when, _ in controller.worked] == [0, 1, 3, 7, 11]
        (logged,) = [record for record in caplog.records if record.levelname == "ERROR"]
        assert logged.getMessage() == "recording: default/a could not be reconciled"
        assert "a bug" in str(logged.exc_info)
        controller.queue.add(B)
        await clock.sleep(1)
        assert controller.keys[-1] == B


@pytest.mark.virtual_time
@pytest.mark.parametrize("code", [404, 409])
async def test_what_may_be_a_cache_that_is_behind_is_told_when_it_stays_so(caplog: pytest.LogCaptureFixture, code: int):
    caplog.set_level("INFO")
    async with world() as w:
        controller = Recording(w.clock)
        controller.failures = [StatusError(code, "Reason", "not as you think") for _ in range(limits.CONTROLLER_STALE_TRIES)]
        controller.queue.add(A)
        async with at_work(controller):
            await w.clock.sleep(10)
            assert caplog.messages == []
            controller.failures = [StatusError(code, "Reason", "not as you think") for _ in range(limits.CONTROLLER_STALE_TRIES + 1)]
            controller.queue.add(A)
            await w.clock.sleep(2)
            assert controller.troubles == {A: "not as you think"}
            assert caplog.messages == ["recording: default/a will be tried again: not as you think"]
            await w.clock.sleep(10)
            assert controller.troubles == {}


class Stalling(Recording):
    """Never comes to an end with the first key it is asked for, and has something to do beside that fails once."""

    def __init__(self, clock: Clock) -> None:
        super().__init__(clock, periodic=(Periodic(self._fail, 1.0),))
        self._failed = False

    async def reconcile(self, key: ObjectKey) -> None:
        await super().reconcile(key)
        if len(self.worked) == 1:
            await asyncio.get_running_loop().create_future()

    async def _fail(self) -> float:
        if self._failed:
            return 60.0
        self._failed = True
        asyncio.get_running_loop().call_soon(asyncio.get_running_loop().call_soon, self.queue.add, B)
        raise ValueError("a bug")


@pytest.mark.virtual_time
@pytest.mark.parametrize("again", [False, True], ids=["as it was", "asked for again meanwhile"])
async def test_what_a_controller_that_fails_was_at_is_looked_at_when_it_is_started_again(caplog: pytest.LogCaptureFixture, again: bool):
    clock = Clock(0)
    controller, told = Stalling(clock), []
    asyncio.get_running_loop().set_exception_handler(lambda _, context: told.append(context))
    controller.queue.add(A)
    first = asyncio.create_task(controller.run())
    await clock.sleep(0.5)
    if again:
        controller.queue.add(A)
    with pytest.raises(ExceptionGroup) as failed:
        await first
    assert [str(error) for error in failed.value.exceptions] == ["a bug"]
    async with at_work(controller):
        await clock.sleep(10)
        assert sorted(controller.keys) == [A, A, B]
    assert told == []
    assert not [record for record in caplog.records if record.levelname == "ERROR"]


class Slow(Controller):
    """Keeps the event loop for a while each time, and is asked again meanwhile."""

    def __init__(self, clock: Clock, kept_s: float) -> None:
        super().__init__("slow", clock)
        self._kept_s = kept_s
        self.began: list[float] = []
        self.enough = asyncio.Event()

    async def reconcile(self, key: ObjectKey) -> None:
        self.began.append(stopwatch())
        if len(self.began) == 3:
            self.enough.set()
            return
        self.queue.add(key)
        while stopwatch() < self.began[-1] + self._kept_s:
            pass


async def test_what_takes_long_rests_as_many_times_as_long_and_a_stepped_clock_waits_for_it():
    controller = Slow(Clock(0), 2 * limits.RECONCILE_SHORT_S)
    controller.queue.add(A)
    async with at_work(controller):
        while not controller.began:
            await turn()
        assert controller.clock.work
        await controller.enough.wait()
        assert not controller.clock.work
    for one, next_one in zip(controller.began, controller.began[1:], strict=False):
        assert next_one - one >= 2 * limits.RECONCILE_SHORT_S * (1 + limits.RECONCILE_RESTS)


async def test_where_time_waits_for_work_nothing_rests():
    clock = Clock(0, speed=1000)
    controller = Slow(clock, 2 * limits.RECONCILE_SHORT_S)
    controller.queue.add(A)
    async with at_work(controller):
        while len(controller.began) < 3:
            assert not clock.work  # what rests is counted there
            await turn()


async def test_while_a_clock_is_stepped_nothing_rests():
    clock = Clock(0, speed=0)
    controller = Slow(clock, 2 * limits.RECONCILE_SHORT_S)
    async with at_work(controller):
        step = asyncio.create_task(clock.step(10))
        await turn()
        controller.queue.add(A)
        while len(controller.began) < 3:
            assert not clock.work
            await turn()
        assert await step


@pytest.mark.virtual_time
async def test_periodic_work_says_when_it_is_to_be_done_again_and_stands_failures():
    clock = Clock(0)
    moments: list[float] = []

    async def work() -> float:
        moments.append(clock.now())
        if len(moments) == 2:
            raise StatusError(503, "ServiceUnavailable", "not now")
        return 10.0

    async with at_work(Controller("at times", clock, periodic=(Periodic(work, first_s=5.0),), workers=0)):
        await clock.sleep(30)
    assert moments == [5, 15, 15 + limits.PERIODIC_RETRY_S, 25 + limits.PERIODIC_RETRY_S]


@pytest.mark.virtual_time
async def test_a_controller_that_comes_late_looks_at_what_is_there_without_another_list():
    async with world("a", "b") as w, at_work(Recording(w.clock, [source(w)])):
        await w.settle(10)
        late = Recording(w.clock, [source(w)])
        async with at_work(late):
            await w.settle()
            assert late.keys == [A, B]
            assert w.asked(watches=False) == 1


@pytest.mark.virtual_time
async def test_keys_may_be_others_than_the_object_s_own():
    def owner(change: str, obj: Object, before: Object | None) -> Iterable[ObjectKey]:
        return (ObjectKey("", change), ObjectKey("", obj["metadata"]["name"]))

    async with world("a") as w:
        controller = Recording(w.clock, [Source(w.informers.cache("v1", "pods"), owner), Source(w.informers.cache("v1", "nodes"))])
        async with at_work(controller):
            await w.settle()
            assert controller.keys == [ObjectKey("", "ADDED"), ObjectKey("", "a")]
