"""What all controllers share: one watch a resource, and types that come and go."""

import asyncio
from collections import Counter

import pytest

from svcsim.client.api import Client, Watch
from svcsim.client.controller import ControllerContext
from svcsim.client.discovery import ApiResource, ServedTypes
from svcsim.client.events import EventRecorder
from svcsim.client.in_process import InProcessTransport
from svcsim.client.informers import Informers
from svcsim.clock import Chance
from svcsim.cluster import parts
from svcsim.controllers.garbage.controller import GarbageCollector, collected
from svcsim.controllers.namespace import to_empty
from svcsim.dialect import KUBERNETES, SVCAPI, Dialect
from svcsim.meta.codec import decode_json, encode
from svcsim.meta.http import Request, Response
from svcsim.meta.types import User
from tests.controllers.running import config_map, running
from tests.virtual import run_virtual


def test_a_cluster_has_one_watch_for_each_resource_it_follows(monkeypatch):
    opened: Counter[str] = Counter()
    enter = Watch.__aenter__

    async def counting(self: Watch) -> Watch:
        opened[self._stream._request.path] += 1
        return await enter(self)

    monkeypatch.setattr(Watch, "__aenter__", counting)

    async def main() -> None:
        async with running() as r:
            await r.clock.sleep(60)
            followed = [r for r in (await r.cluster.served_types.current()).resources if r.plural != "events"]
            assert len(opened) == len(followed) + 1, "all types, and events once though two groups serve them"
            assert set(opened.values()) == {1}
            assert len(r.cluster.informers) == len(opened)

    run_virtual(main())


def served(api_version: str, plural: str) -> ApiResource:
    verbs = ("list", "watch", "delete", "deletecollection")
    return ApiResource(api_version, plural, plural.title(), namespaced=True, verbs=verbs, singular="", short=(), categories=())


@pytest.mark.parametrize("dialect", [KUBERNETES, SVCAPI])
def test_events_are_those_of_their_two_groups_and_of_no_other(dialect: Dialect):
    core, twin = served("v1", "events"), served(f"{dialect.group('events')}/v1", "events")
    others = [served("events.acme.io/v1", "events"), served("apps.acme.io/v1", "events"), served("acme.io/v1", "events")]
    assert collected([core, twin, *others], dialect) == others
    assert to_empty([core, twin, *others], dialect) == [core, *others]
    assert to_empty([twin, *others], dialect) == [twin, *others], "where the core group's aren't served, the others count"


def test_the_garbage_collector_follows_what_is_served_and_nothing_else(monkeypatch):
    others = tuple((name, maker) for name, maker in parts.CONTROLLERS if maker is not GarbageCollector)
    monkeypatch.setattr(parts, "CONTROLLERS", others)

    async def main() -> None:
        async with running() as r:
            withdrawn: list[str] = []

            async def discovering(request: Request) -> Response:
                response = await r.cluster.pipeline.handle(request)
                if request.path != "/api/v1":
                    return response
                body = decode_json(response.body)
                return Response(200, encode({**body, "resources": [item for item in body["resources"] if item["name"] not in withdrawn]}))

            client = Client(InProcessTransport(discovering, User("system:gc", ("system:masters",))), r.dialect)
            informers = Informers(client, r.clock, Chance(1), {})
            served_types = ServedTypes(client, r.clock)
            events = EventRecorder(client, r.clock, Chance(2), "garbage-collector")
            collector = GarbageCollector(ControllerContext(client, informers, served_types, r.clock, Chance(3), r.dialect, events))
            tasks = [asyncio.create_task(part.run()) for part in (informers, served_types, collector)]
            secrets = r.client.resource("v1", "secrets", "default")
            owner = await secrets.create({"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "owner"}})
            await r.config_maps.create(config_map("owned", owner))
            await r.clock.sleep(10)
            followed = len(informers)

            withdrawn.append("secrets")
            served_types.poke()
            await r.clock.sleep(60)
            assert len(informers) == followed - 1
            await secrets.delete("owner")
            await r.clock.sleep(60)
            assert await r.exists(r.config_maps, "owned"), "what can't be known is not judged"

            withdrawn.clear()
            served_types.poke()
            await r.until_gone(r.config_maps, "owned", 600)
            assert len(informers) == followed
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

    run_virtual(main())
