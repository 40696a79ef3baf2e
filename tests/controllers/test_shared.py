"""What all controllers share: one watch a resource, and types that come and go."""

from collections import Counter

import pytest

from svcsim.client.api import Watch
from svcsim.client.discovery import ApiResource
from svcsim.controllers.garbage.controller import collected
from svcsim.controllers.namespace import to_empty
from svcsim.dialect import KUBERNETES, SVCAPI, Dialect
from svcsim.registry.kind import Group, Kind
from svcsim.schema.types import Field, Int, Struct
from tests.controllers.running import config_map, running


@pytest.mark.virtual_time
async def test_a_cluster_has_one_watch_for_each_resource_it_follows(monkeypatch):
    opened: Counter[str] = Counter()
    enter = Watch.__aenter__

    async def counting(self: Watch) -> Watch:
        opened[self._stream._request.path] += 1
        return await enter(self)

    monkeypatch.setattr(Watch, "__aenter__", counting)
    async with running() as r:
        await r.clock.sleep(60)
        followed = [r for r in (await r.cluster.served_types.current()).resources if r.plural != "events" and "watch" in r.verbs]
        assert len(opened) == len(followed), "all types but events, which nobody follows"
        assert set(opened.values()) == {1}
        assert len(r.cluster.informers) == len(opened)


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


def custom(group: str, plural: str) -> Kind:
    return Kind(Group(group, "v1"), plural, Struct(plural.title()[:-1], Field(2, "size", Int())))


@pytest.mark.virtual_time
async def test_what_a_type_that_comes_late_owns_is_collected_at_once_and_judged_no_more_when_it_is_withdrawn():
    async with running() as r:
        widgets, scheme = custom("acme.io", "widgets"), r.cluster.registry.core.scheme
        await r.clock.sleep(10)
        followed = len(r.cluster.informers)
        scheme.serve((widgets,))
        await r.clock.sleep(1)
        assert len(r.cluster.informers) == followed + 1
        owners = r.client.resource("acme.io/v1", "widgets", "default")
        made = [await owners.create({"apiVersion": "acme.io/v1", "kind": "Widget", "metadata": {"name": name}}) for name in ("a", "b")]
        for owner in made:
            await r.config_maps.create(config_map(f"of-{owner['metadata']['name']}", owner))
        await owners.delete("a")
        await r.until_gone(r.config_maps, "of-a", 5)

        scheme.replace((widgets,), ())
        await r.clock.sleep(1)
        assert len(r.cluster.informers) == followed
        await r.clock.sleep(600)
        assert await r.exists(r.config_maps, "of-b"), "what can't be known is not judged"

        scheme.serve((widgets,))
        await owners.delete("b")
        await r.until_gone(r.config_maps, "of-b", 60)


@pytest.mark.virtual_time
@pytest.mark.parametrize("group", ["events.acme.io", "apps.acme.io"])
async def test_a_namespace_is_emptied_of_types_that_came_late_whatever_their_group_is_called(group: str):
    async with running() as r:
        r.cluster.registry.core.scheme.serve((custom(group, "events"),))
        namespaces = r.client.resource("v1", "namespaces")
        await namespaces.create({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "going"}})
        custom_events = r.client.resource(f"{group}/v1", "events", "going")
        await custom_events.create({"apiVersion": f"{group}/v1", "kind": "Event", "metadata": {"name": "x"}})
        await namespaces.delete("going")
        await r.until_gone(namespaces, "going", 60)
        assert await r.client.resource(f"{group}/v1", "events").list_all() == []
