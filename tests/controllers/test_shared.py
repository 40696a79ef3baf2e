"""What all controllers share: one watch a resource, and types that come and go."""

from collections import Counter

import pytest

from svcsim.client.api import Watch
from svcsim.client.discovery import ApiResource
from svcsim.controllers.garbage.controller import collected
from svcsim.controllers.namespace import to_empty
from svcsim.dialect import KUBERNETES, SVCAPI, Dialect
from tests.controllers.running import running
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


def test_the_garbage_collector_follows_what_is_served_and_nothing_else():
    async def main() -> None:
        async with running() as r:
            await r.clock.sleep(10)
            informers, found = r.cluster.informers, await r.cluster.served_types.current()
            before = len(informers)
            collector = r.cluster.served_types._subscribers[0]
            collector(found._replace(resources=[item for item in found.resources if item.plural != "secrets"]))
            assert len(informers) == before - 1
            collector(found)
            assert len(informers) == before
            await r.clock.sleep(10)

    run_virtual(main())
