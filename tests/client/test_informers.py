"""However many follow a collection, it is read and watched once, and all of them see the same."""

import asyncio
import contextlib
from collections.abc import AsyncIterator

import orjson
import pytest

from svcsim.chance import Chance
from svcsim.client.api import Client
from svcsim.client.cache import by_controller
from svcsim.client.in_process import InProcessTransport
from svcsim.client.informers import FollowedResource, Informers
from svcsim.clock import Clock
from svcsim.dialect import KUBERNETES
from svcsim.meta.http import Response
from svcsim.meta.indexed import ObjectKey
from svcsim.meta.types import Object, User
from tests.client.small_server import SmallServer
from tests.virtual import START_S, run_virtual

PODS = "/api/v1/pods"


def pod(name: str, **metadata: object) -> Object:
    return {"kind": "Pod", "apiVersion": "v1", "metadata": {"name": name, "namespace": "default", **metadata}, "spec": {"big": "x"}}


class Digest:
    """A follower that keeps next to nothing."""

    def __init__(self) -> None:
        self.told: list[tuple[str, str]] = []

    def seen(self, key: ObjectKey, obj: Object) -> None:
        assert obj["spec"] == {"big": "x"}, "a follower sees whole objects"
        self.told.append(("seen", key.name))

    def gone(self, key: ObjectKey, uid: str) -> None:
        self.told.append(("gone", key.name))


class World:
    """Informers on a small server."""

    def __init__(self, server: SmallServer) -> None:
        self.server = server
        self.clock = Clock(START_S)
        client = Client(InProcessTransport(server.handle, User("admin")), KUBERNETES)
        trims = {
            FollowedResource("v1", "pods"): lambda obj: None if obj["metadata"]["name"] == "unwanted" else {"metadata": obj["metadata"]}
        }
        self.informers = Informers(client, self.clock, Chance(1), trims)

    def asked(self, *, watches: bool) -> int:
        return sum(("watch" in request.query) == watches for request in self.server.requests)

    async def settle(self, seconds: float = 0.01) -> None:
        await self.clock.sleep(seconds)


@contextlib.asynccontextmanager
async def world(*names: str, server: SmallServer | None = None) -> AsyncIterator[World]:
    """A server with pods of these names, and informers that run."""
    server = server or SmallServer()
    for name in names:
        await server.put(f"{PODS}/{name}", pod(name))
    made = World(server)
    task = asyncio.create_task(made.informers.run())
    yield made
    task.cancel()
    with contextlib.suppress(asyncio.CancelledError):
        await task


@pytest.mark.virtual_time
async def test_many_share_one_list_and_one_watch_and_one_cache():
    async with world("a") as w:
        caches = [w.informers.cache("v1", "pods", by_controller) for _ in range(5)]
        digest = Digest()
        read = w.informers.of("v1", "pods").follow(digest)
        await caches[0].synced.wait()
        await read.wait()
        await w.server.put(f"{PODS}/b", pod("b"))
        await w.settle()
        assert (w.asked(watches=False), w.asked(watches=True)) == (1, 1)
        assert all(cache is caches[0] for cache in caches)
        assert [obj["metadata"]["name"] for obj in caches[0].all()] == ["a", "b"]
        assert digest.told == [("seen", "a"), ("seen", "b")]


@pytest.mark.virtual_time
async def test_another_selector_is_another_informer():
    async with world() as w:
        chosen = w.informers.of("v1", "pods", label_selector="app=web")
        assert chosen is w.informers.of("v1", "pods", label_selector="app=web")
        assert chosen is not w.informers.of("v1", "pods")
        assert len(w.informers) == 2


@pytest.mark.virtual_time
async def test_followers_are_called_in_the_order_in_which_they_came():
    async with world() as w:
        told: list[str] = []
        cache = w.informers.cache("v1", "pods")
        for name in ("first", "second", "third"):
            cache.add_handler(lambda *_, name=name: told.append(name))
        await cache.synced.wait()
        await w.server.put(f"{PODS}/a", pod("a"))
        await w.settle()
        assert told == ["first", "second", "third"]


@pytest.mark.virtual_time
async def test_a_rule_for_the_resource_says_what_is_kept():
    async with world("a", "unwanted") as w:
        cache = w.informers.cache("v1", "pods")
        await cache.synced.wait()
        assert [list(obj) for obj in cache.all()] == [["metadata"]]
        await w.server.remove(f"{PODS}/unwanted")
        await w.settle()
        assert len(cache) == 1


@pytest.mark.virtual_time
async def test_a_handler_that_comes_late_is_told_at_once_what_is_there():
    async with world("a", "b") as w:
        cache = w.informers.cache("v1", "pods")
        await cache.synced.wait()
        told: list[tuple[str, str, Object | None]] = []
        cache.add_handler(lambda change, obj, before: told.append((change, obj["metadata"]["name"], before)))
        assert told == [("ADDED", "a", None), ("ADDED", "b", None)]
        cache.add_index(by_controller)
        assert w.asked(watches=False) == 1


@pytest.mark.virtual_time
async def test_a_follower_that_comes_late_sees_all_there_is_and_to_caches_that_is_no_news():
    async with world("a", "b") as w:
        cache = w.informers.cache("v1", "pods")
        changes: list[str] = []
        cache.add_handler(lambda change, *_: changes.append(change))
        await cache.synced.wait()
        await w.settle(5)
        late = Digest()
        read = w.informers.of("v1", "pods").follow(late)
        assert not read.is_set()
        await read.wait()
        assert late.told == [("seen", "a"), ("seen", "b")]
        await w.server.put(f"{PODS}/c", pod("c"))
        await w.settle()
        assert late.told[2:] == [("seen", "c")]
        assert changes == ["ADDED", "ADDED", "ADDED"]


@pytest.mark.virtual_time
async def test_what_went_while_the_watch_was_broken_is_gone_for_everybody():
    async with world("a", "b") as w:
        cache, digest = w.informers.cache("v1", "pods"), Digest()
        w.informers.of("v1", "pods").follow(digest)
        deleted: list[tuple[Object, Object | None]] = []
        cache.add_handler(lambda change, obj, before: deleted.append((obj, before)) if change == "DELETED" else None)
        await cache.synced.wait()
        kept = cache.get("a", "default")
        await w.settle()
        await w.server.break_watches()
        await w.server.remove(f"{PODS}/a")
        w.server.forget()
        await w.settle(10)
        assert digest.told[-1] == ("gone", "a")
        assert deleted == [(kept, None)]


@pytest.mark.virtual_time
async def test_deleted_always_brings_what_the_cache_kept_last_and_nothing_before():
    async with world("a") as w:
        cache = w.informers.cache("v1", "pods")
        deltas: list[tuple[str, Object, Object | None]] = []
        cache.add_handler(lambda *delta: deltas.append(delta))
        await cache.synced.wait()
        await w.server.put(f"{PODS}/a", pod("a", labels={"x": "y"}))
        await w.settle()
        await w.server.remove(f"{PODS}/a")
        await w.settle()
        added, modified, deleted = deltas
        assert (added[0], added[2]) == ("ADDED", None)
        assert (modified[0], modified[2]) == ("MODIFIED", added[1])
        assert deleted == ("DELETED", modified[1], None)
        assert "spec" not in deleted[1], "what is kept, not what passed"


def test_one_that_fails_does_not_keep_an_object_from_the_others(caplog):
    async def main() -> None:
        async with world() as w:
            cache, digest = w.informers.cache("v1", "pods"), Digest()
            told: list[str] = []
            cache.add_handler(lambda *_: 1 / 0)
            cache.add_handler(lambda change, *_: told.append(change))
            w.informers.of("v1", "pods").follow(digest)
            await cache.synced.wait()
            await w.server.put(f"{PODS}/a", pod("a"))
            await w.settle()
            assert told == ["ADDED"]
            assert digest.told == [("seen", "a")]

    run_virtual(main())
    assert "ZeroDivisionError" in caplog.text


def test_objects_without_name_or_uid_are_left_out_and_told_of_once(caplog):
    async def main() -> None:
        async with world("a") as w:
            stray = await w.server.put(f"{PODS}/stray", pod("stray", uid=""))
            cache, digest = w.informers.cache("v1", "pods"), Digest()
            informer = w.informers.of("v1", "pods")
            informer.follow(digest)
            await cache.synced.wait()
            for number in range(3):
                await w.server.put(f"{PODS}/stray", {**stray, "spec": {"big": str(number)}})
            await w.server.remove(f"{PODS}/stray")
            for nameless in ({}, {"metadata": None}, {"metadata": {"uid": "u"}}):
                informer.apply("ADDED", nameless)
                informer.apply("DELETED", nameless)
            await w.server.put(f"{PODS}/b", pod("b"))
            await w.settle()
            assert digest.told == [("seen", "a"), ("seen", "b")]
            assert [obj["metadata"]["name"] for obj in cache.all()] == ["a", "b"]

    run_virtual(main())
    assert [record.getMessage() for record in caplog.records] == [
        "pods of v1 without metadata.name or metadata.uid are left out of account: their server should give them both"
    ]


@pytest.mark.virtual_time
async def test_an_event_without_a_revision_is_followed_all_the_same():
    async with world("a") as w:
        digest = Digest()
        await w.informers.of("v1", "pods").follow(digest).wait()
        await w.settle()
        w.server.history.append((w.server.revision + 1, "ADDED", f"{PODS}/b", pod("b", uid="b")))
        await w.server.put(f"{PODS}/c", pod("c"))
        await w.settle()
        assert digest.told == [("seen", "a"), ("seen", "b"), ("seen", "c")]


@pytest.mark.virtual_time
async def test_what_nobody_follows_any_more_is_not_watched():
    async with world("a") as w:
        one, other = Digest(), Digest()
        informer = w.informers.of("v1", "pods")
        await informer.follow(one).wait()
        await informer.follow(other).wait()
        w.informers.leave(informer, one)
        await w.server.put(f"{PODS}/b", pod("b"))
        await w.settle()
        assert ("seen", "b") in other.told
        assert ("seen", "b") not in one.told
        w.informers.leave(informer, other)
        assert len(w.informers) == 0
        w.server.requests.clear()
        await w.server.break_watches()
        await w.settle(60)
        assert w.server.requests == []
        await w.informers.of("v1", "pods").follow(one).wait()
        assert ("seen", "b") in one.told


class Curt(SmallServer):
    """Says the same in every watch, and ends it."""

    def __init__(self, revision: str) -> None:
        super().__init__()
        self.said = pod("b", uid="b", **({"resourceVersion": revision} if revision else {}))

    def _watch(self, path: str, query: dict[str, str]) -> Response:
        return Response(200, stream=self._once())

    async def _once(self) -> AsyncIterator[bytes]:
        yield orjson.dumps({"type": "ADDED", "object": self.said}) + b"\n"


@pytest.mark.virtual_time
@pytest.mark.parametrize("revision", ["", "7"])
async def test_a_watch_that_brings_the_same_again_and_ends_is_opened_ever_more_slowly(revision: str):
    async with world("a", server=Curt(revision)) as w:
        digest = Digest()
        await w.informers.of("v1", "pods").follow(digest).wait()
        await w.settle(60)
        assert ("seen", "b") in digest.told
        assert 5 <= w.asked(watches=True) <= 10
