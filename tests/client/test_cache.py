"""An informer's cache shows what the server has, whatever happens on the way."""

import asyncio
import contextlib
from collections.abc import AsyncIterator

import pytest

from svcsim import limits
from svcsim.chance import Chance
from svcsim.client.api import Client
from svcsim.client.cache import Cache, by_controller, by_label
from svcsim.client.in_process import InProcessTransport
from svcsim.client.informers import Informer
from svcsim.clock import Clock
from svcsim.dialect import KUBERNETES
from svcsim.meta.errors import StatusError, too_large_resource_version
from svcsim.meta.indexed import ObjectKey
from svcsim.meta.label_selectors import parse_labels
from svcsim.meta.types import Object, User
from tests.client.small_server import SmallServer
from tests.virtual import START_S

PODS = "/api/v1/pods"


def pod(name: str, **metadata: object) -> Object:
    return {"kind": "Pod", "apiVersion": "v1", "metadata": {"name": name, "namespace": "default", **metadata}}


def uid_on(server: SmallServer, name: str) -> str:
    uid: str = server.objects[f"{PODS}/{name}"]["metadata"]["uid"]
    return uid


def by_owner(obj: Object) -> list[str]:
    return [reference["uid"] for reference in obj["metadata"].get("ownerReferences", ())]


class Followed:
    """An informer on a small server, its cache, and what a handler was told."""

    def __init__(self, server: SmallServer) -> None:
        self.server = server
        self.clock = Clock(START_S)
        client = Client(InProcessTransport(server.handle, User("admin")), KUBERNETES)
        self.informer = Informer(client.resource("v1", "pods"), self.clock, Chance(1))
        self.cache = self.informer.cache
        self.cache.add_index(by_owner)
        self.cache.add_index(by_controller)
        self.told: list[tuple[str, str]] = []
        self.cache.add_handler(lambda change, obj, _before: self.told.append((change, obj["metadata"]["name"])))

    def names(self) -> list[str]:
        return [obj["metadata"]["name"] for obj in self.cache.all()]

    async def settle(self, seconds: float = 0.01) -> None:
        await self.clock.sleep(seconds)


@contextlib.asynccontextmanager
async def following(server: SmallServer) -> AsyncIterator[Followed]:
    followed = Followed(server)
    task = asyncio.create_task(followed.informer.run())
    await followed.cache.synced.wait()
    await followed.settle()
    yield followed
    task.cancel()
    with contextlib.suppress(asyncio.CancelledError):
        await task


@pytest.mark.virtual_time
async def test_it_begins_with_what_is_there():
    server = SmallServer()
    await server.put(f"{PODS}/a", pod("a"))
    await server.put(f"{PODS}/b", pod("b"))
    async with following(server) as f:
        assert f.names() == ["a", "b"]
        assert f.told == [("ADDED", "a"), ("ADDED", "b")]


@pytest.mark.virtual_time
async def test_it_follows_changes_and_tells_handlers_what_was_before():
    server = SmallServer()
    await server.put(f"{PODS}/a", pod("a"))
    async with following(server) as f:
        befores: list[Object | None] = []
        f.cache.add_handler(lambda _change, _obj, before: befores.append(before))
        await server.put(f"{PODS}/b", pod("b"))
        await server.put(f"{PODS}/a", pod("a", labels={"x": "y"}))
        await server.remove(f"{PODS}/b")
        await f.settle()
        assert f.told[1:] == [("ADDED", "b"), ("MODIFIED", "a"), ("DELETED", "b")]
        assert f.names() == ["a"]
        assert f.cache.get("a", "default")["metadata"]["labels"] == {"x": "y"}
        assert befores[2]["metadata"].get("labels") is None


@pytest.mark.virtual_time
async def test_a_large_collection_is_read_in_pages_as_of_one_revision():
    server = SmallServer()
    for number in range(limits.RELIST_PAGE_OBJECTS * 2 + 1):
        await server.put(f"{PODS}/p{number:05}", pod(f"p{number:05}"))
    async with following(server) as f:
        assert len(f.cache) == limits.RELIST_PAGE_OBJECTS * 2 + 1
        assert len([request for request in server.requests if "watch" not in request.query]) == 3


@pytest.mark.virtual_time
async def test_a_broken_watch_resumes_where_it_was_without_reading_all_again():
    server = SmallServer()
    await server.put(f"{PODS}/a", pod("a"))
    async with following(server) as f:
        await server.break_watches()
        await server.put(f"{PODS}/b", pod("b"))
        await f.settle(5)
        assert f.names() == ["a", "b"]
        assert f.told == [("ADDED", "a"), ("ADDED", "b")]
        assert sum("watch" not in request.query for request in server.requests) == 1


@pytest.mark.virtual_time
async def test_while_broken_off_it_says_so():
    server = SmallServer()
    async with following(server) as f:
        problems: list[str] = []
        f.informer.reflector.on_problem = problems.append
        await server.break_watches()
        await f.settle()
        assert f.informer.reflector.problem == "the connection was reset"
        await f.settle(5)
        assert problems == ["the connection was reset", ""]


@pytest.mark.virtual_time
async def test_what_changes_in_nothing_but_its_revision_is_told_to_nobody():
    server = SmallServer()
    await server.put(f"{PODS}/a", pod("a"))
    async with following(server) as f:
        f.told.clear()
        await server.put(f"{PODS}/a", pod("a", uid=uid_on(server, "a")))
        await f.settle()
        assert f.told == []
        assert f.cache.all()[0]["metadata"]["resourceVersion"] == server.objects[f"{PODS}/a"]["metadata"]["resourceVersion"]


@pytest.mark.virtual_time
async def test_after_410_the_difference_is_told_and_nothing_else():
    server = SmallServer()
    for name in ("same", "changed", "gone", "replaced"):
        await server.put(f"{PODS}/{name}", pod(name))
    async with following(server) as f:
        f.told.clear()
        await server.break_watches()
        await server.put(f"{PODS}/changed", pod("changed", uid=uid_on(server, "changed"), labels={"is": "other"}))
        await server.remove(f"{PODS}/gone")
        await server.remove(f"{PODS}/replaced")
        await server.put(f"{PODS}/replaced", pod("replaced"))
        await server.put(f"{PODS}/new", pod("new"))
        server.forget()
        await f.settle(10)
        assert f.told == [
            ("MODIFIED", "changed"),
            ("ADDED", "new"),
            ("DELETED", "replaced"),
            ("ADDED", "replaced"),
            ("DELETED", "gone"),
        ]


@pytest.mark.virtual_time
async def test_a_server_that_has_never_had_the_revision_is_read_anew():
    server = SmallServer()
    await server.put(f"{PODS}/a", pod("a"))
    async with following(server) as f:
        await server.break_watches()
        server.failures.append(too_large_resource_version(500, 3))
        await f.settle(10)
        assert sum("watch" not in request.query for request in server.requests) == 2
        assert f.names() == ["a"]


@pytest.mark.virtual_time
async def test_an_unreachable_server_is_asked_less_and_less_often():
    server = SmallServer()
    async with following(server) as f:
        server.failures += [StatusError(503, "ServiceUnavailable", "not now")] * 1000
        server.requests.clear()
        await server.break_watches()
        await f.settle(600)
        assert 20 <= len(server.requests) <= 30
        server.failures.clear()
        await server.put(f"{PODS}/a", pod("a"))
        await f.settle(60)
        assert f.names() == ["a"]


@pytest.mark.virtual_time
async def test_a_watch_that_ends_in_peace_is_opened_again_at_once():
    server = SmallServer()
    async with following(server) as f:
        await f.settle(60)
        await server.break_watches("end")
        await server.put(f"{PODS}/a", pod("a"))
        await f.settle(0.01)
        assert f.names() == ["a"]


@pytest.mark.virtual_time
async def test_indexes_find_by_namespace_and_owner_and_follow_changes():
    server = SmallServer()
    owners = [{"uid": "u1", "controller": True}, {"uid": "u2"}]
    await server.put(f"{PODS}/a", pod("a", ownerReferences=owners))
    await server.put(f"{PODS}/b", pod("b", namespace="other"))
    async with following(server) as f:
        found = {value: [obj["metadata"]["name"] for obj in f.cache.find(by_owner, value)] for value in ("u1", "u2", "u3")}
        assert found == {"u1": ["a"], "u2": ["a"], "u3": []}
        assert [obj["metadata"]["name"] for obj in f.cache.find(by_controller, "u2")] == []
        assert [obj["metadata"]["name"] for obj in f.cache.all("other")] == ["b"]
        await server.put(f"{PODS}/a", pod("a", ownerReferences=[{"uid": "u3"}]))
        await f.settle()
        assert f.cache.find(by_owner, "u1") == []
        assert len(f.cache.find(by_owner, "u3")) == 1
        await server.remove(f"{PODS}/a")
        await f.settle()
        assert f.cache.find(by_owner, "u3") == []


@pytest.mark.virtual_time
async def test_what_is_trimmed_away_is_not_kept():
    server = SmallServer()
    await server.put(f"{PODS}/a", {**pod("a"), "spec": {"big": "x" * 1000}})
    client = Client(InProcessTransport(server.handle, User("admin")), KUBERNETES)
    informer = Informer(client.resource("v1", "pods"), Clock(START_S), Chance(1), trim=lambda obj: {"metadata": obj["metadata"]})
    cache = informer.cache
    task = asyncio.create_task(informer.run())
    await cache.synced.wait()
    await server.put(f"{PODS}/b", {**pod("b"), "spec": {"big": "x" * 1000}})
    await Clock(START_S).sleep(1)
    assert [list(obj) for obj in cache.all()] == [["metadata"], ["metadata"]]
    task.cancel()


@pytest.mark.parametrize("selector", ["", "a=x", "a=x,b=y", "a=x,!b", "a in (x,y)", "a=z", "a=x,a=y"])
def test_what_a_selector_matches_is_found_by_its_labels(selector: str):
    cache = Cache()
    cache.add_index(by_label)
    states = [{"a": "x"}, {"a": "x", "b": "y"}, {}, {"a": "y"}, {"b": "y"}]
    for number, labels in enumerate((*states, *states)):
        namespace = "n" if number < len(states) else "m"
        metadata = {"name": f"o-{number}", "namespace": namespace, "labels": labels, "resourceVersion": "1", "uid": str(number)}
        cache.seen(ObjectKey(namespace, f"o-{number}"), {"metadata": metadata})
    parsed = parse_labels(selector)
    wanted = [f"o-{number}" for number, labels in enumerate(states) if parsed.matches(labels)]
    assert [obj["metadata"]["name"] for obj in cache.selected(parsed, "n")] == wanted
