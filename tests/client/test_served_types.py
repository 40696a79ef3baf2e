"""What a cluster serves is known at once when somebody says that it changed, and costs nothing while it doesn't."""

import asyncio
import contextlib
from collections.abc import AsyncIterator

import orjson
import pytest

from svcsim import limits
from svcsim.client.api import Client
from svcsim.client.discovery import Discovery, ServedTypes
from svcsim.client.in_process import InProcessTransport
from svcsim.clock import Clock
from svcsim.dialect import KUBERNETES
from svcsim.meta.errors import StatusError
from svcsim.meta.http import Request, Response
from svcsim.meta.types import GroupVersion, Json, User
from tests.virtual import START_S


class DiscoveryServer:
    """Answers discovery from a table of plurals by group-version."""

    def __init__(self) -> None:
        self.types: dict[str, list[str]] = {"v1": ["pods"], "apps/v1": ["deployments"]}
        self.silent: list[str] = []
        self.more: dict[str, list[Json]] = {}
        """Other entries of the lists."""
        self.requests = 0
        self.asked: list[str] = []
        self.clock = Clock(START_S)
        self.served = ServedTypes(Client(InProcessTransport(self.handle, User("admin")), KUBERNETES), self.clock)
        self.heard: list[list[str]] = []
        self.served.subscribe(lambda found: self.heard.append(plurals(found)))

    async def handle(self, request: Request) -> Response:
        self.requests += 1
        self.asked.append(request.path)
        group_version = request.path.removeprefix("/apis").removeprefix("/api").strip("/")
        if group_version in self.silent:
            return Response(503, orjson.dumps(StatusError(503, "ServiceUnavailable", "not now").status()))
        if not group_version:
            versions = [{"groupVersion": gv, "version": gv.partition("/")[2]} for gv in self.types if "/" in gv]
            groups = [{"name": one["groupVersion"].partition("/")[0], "versions": [one], "preferredVersion": one} for one in versions]
            return Response(200, orjson.dumps({"groups": groups}))
        if "/" not in group_version and group_version != "v1":
            versions = [one for one in self.types if one.startswith(f"{group_version}/")]
            if not versions:
                return Response(404, orjson.dumps(StatusError(404, "NotFound", "no such group").status()))
            spelled = [{"groupVersion": one, "version": one.partition("/")[2]} for one in versions]
            return Response(200, orjson.dumps({"name": group_version, "versions": spelled, "preferredVersion": spelled[0]}))
        resources: list[Json] = [{"name": plural, "kind": plural.title(), "verbs": ["list"]} for plural in self.types[group_version]]
        resources += self.more.get(group_version, [])
        return Response(200, orjson.dumps({"groupVersion": group_version, "resources": resources}))


def plurals(found: Discovery) -> list[str]:
    return [resource.plural for resource in found.resources]


@contextlib.asynccontextmanager
async def serving() -> AsyncIterator[DiscoveryServer]:
    server = DiscoveryServer()
    async with asyncio.TaskGroup() as tasks:  # whatever fails ends the test
        task = tasks.create_task(server.served.run())
        await server.served.known.wait()
        yield server
        task.cancel()


@pytest.mark.virtual_time
async def test_types_that_come_and_go_are_known_when_that_is_said():
    async with serving() as s:
        s.types["acme.io/v1"] = ["widgets"]
        s.served.poke()
        assert plurals(await s.served.current()) == ["pods", "deployments", "widgets"]
        del s.types["apps/v1"]
        s.served.poke()
        await s.clock.sleep(0.01)
        assert s.heard == [["pods", "deployments"], ["pods", "deployments", "widgets"], ["pods", "widgets"]]


@pytest.mark.virtual_time
async def test_only_the_groups_are_read_again_that_are_said_to_have_changed():
    async with serving() as s:
        s.types |= {"acme.io/v1": ["widgets"], "zoo.io/v1": ["apes"]}
        s.served.poke()
        await s.served.current()
        s.asked.clear()
        s.types |= {"acme.io/v1": ["widgets", "gadgets"], "acme.io/v2": ["widgets"]}
        s.served.poke((GroupVersion("acme.io", "v1"), GroupVersion("acme.io", "v2")))
        assert plurals(await s.served.current()) == ["pods", "deployments", "apes", "widgets", "gadgets"]
        assert s.asked == ["/apis/acme.io", "/apis/acme.io/v1", "/apis/acme.io/v2"]
        del s.types["zoo.io/v1"]
        s.served.poke((GroupVersion("zoo.io", "v1"),))
        assert plurals(await s.served.current()) == ["pods", "deployments", "widgets", "gadgets"]
        assert s.asked[3:] == ["/apis/zoo.io"]


@pytest.mark.virtual_time
async def test_a_group_that_changed_and_does_not_answer_is_asked_again():
    async with serving() as s:
        s.silent = ["acme.io", ""]
        s.types["acme.io/v1"] = ["widgets"]
        s.served.poke((GroupVersion("acme.io", "v1"),))
        await s.clock.sleep(1)
        assert len(s.heard) == 1
        s.silent = []
        await s.clock.sleep(30)
        assert s.heard[1:] == [["pods", "deployments", "widgets"]]


@pytest.mark.virtual_time
async def test_asking_costs_nothing_while_nothing_changes():
    async with serving() as s:
        await s.clock.sleep(1)
        before = s.requests
        for _ in range(100):
            await s.served.current()
        assert s.requests == before


@pytest.mark.virtual_time
async def test_nothing_is_read_while_nobody_says_that_something_has_changed():
    async with serving() as s:
        await s.clock.sleep(1)
        before = s.requests
        await s.clock.sleep(86_400)
        assert s.requests == before


@pytest.mark.virtual_time
async def test_a_group_that_does_not_answer_is_asked_again_in_time():
    async with serving() as s:
        s.types["acme.io/v1"], s.silent = ["widgets"], ["acme.io/v1"]
        s.served.poke()
        await s.clock.sleep(limits.SILENT_GROUPS_ASKED_AGAIN_S - 1)
        assert plurals(await s.served.current()) == ["pods", "deployments"]
        s.silent = []
        await s.clock.sleep(2)
        assert plurals(await s.served.current()) == ["pods", "deployments", "widgets"]


@pytest.mark.virtual_time
async def test_who_subscribes_late_is_told_what_is_known():
    async with serving() as s:
        heard: list[list[str]] = []
        s.served.subscribe(lambda found: heard.append(plurals(found)))
        assert heard == [["pods", "deployments"]]


@pytest.mark.virtual_time
async def test_a_group_that_does_not_answer_has_not_withdrawn_its_types():
    async with serving() as s:
        s.silent = ["apps/v1"]
        s.served.poke()
        found = await s.served.current()
        assert plurals(found) == ["pods", "deployments"]
        assert list(found.failures) == ["apps/v1"]


@pytest.mark.virtual_time
async def test_a_server_that_does_not_answer_is_asked_again_and_what_is_known_stays():
    async with serving() as s:
        s.silent = [""]
        s.types["acme.io/v1"] = ["widgets"]
        s.served.poke()
        await s.clock.sleep(1)
        assert len(s.heard) == 1
        s.silent = []
        await s.clock.sleep(30)
        assert s.heard[1:] == [["pods", "deployments", "widgets"]]


@pytest.mark.virtual_time
async def test_an_outage_is_said_once_in_the_log_when_it_begins(caplog: pytest.LogCaptureFixture):
    async with serving() as s:
        for outages in (1, 2):
            s.silent = [""]
            s.served.poke()
            await s.clock.sleep(60)
            assert [record.getMessage() for record in caplog.records] == [
                "which types are served can't be read, and is asked again: not now"
            ] * outages
            s.silent = []
            await s.clock.sleep(60)


@pytest.mark.virtual_time
@pytest.mark.parametrize(
    "entry",
    [{"name": "bars", "verbs": ["list"]}, {"name": "bars", "kind": "Bar", "verbs": 5}, {"name": 5, "kind": "Bar"}, "bars", None],
)
async def test_entries_that_are_none_are_left_out_and_told_once(entry, caplog):
    async with serving() as s:
        s.types["acme.io/v1"], s.more = ["widgets"], {"acme.io/v1": [entry]}
        for _ in range(2):
            s.served.poke()
            assert plurals(await s.served.current()) == ["pods", "deployments", "widgets"]
        assert [one.getMessage().partition(":")[0] for one in caplog.records] == ["acme.io/v1"]


@pytest.mark.virtual_time
async def test_a_list_is_read_as_far_as_the_limit(monkeypatch):
    monkeypatch.setattr(limits, "DISCOVERED_TYPES", 3)
    async with serving() as s:
        s.types["acme.io/v1"] = ["a", "b", "c", "d"]
        s.served.poke()
        found = await s.served.current()
        assert plurals(found)[2:] == ["a", "b", "c"]
        assert "longer than 3 entries" in found.left_out["acme.io/v1"]
