"""Objects that have just been written wait, within a limit of bytes, for who is told of them."""

import pytest

from svcsim import limits
from svcsim.meta.types import Object
from tests.registry.asking import Asking, asking

pytestmark = pytest.mark.virtual_time
LONG = limits.FRESH_OBJECTS_BYTES * 2 // 5


def taken(cluster: Asking, obj: Object) -> Object | None:
    found: Object | None = cluster.cluster.registry.core.fresh_objects.take(int(obj["metadata"]["resourceVersion"]))
    return found


async def test_each_is_as_it_was_stored_and_taken_once():
    async with asking() as cluster:
        created = await cluster.create("one", data={"key": "value"})
        assert taken(cluster, created) == created
        assert taken(cluster, created) is None
        changed = await cluster.patch("one", {"data": {"key": "other"}})
        assert taken(cluster, changed) == changed
        deleted = await cluster.delete("one")
        assert taken(cluster, deleted) == deleted


async def test_the_oldest_give_way():
    async with asking() as cluster:
        made = [await cluster.create(name, data={"key": "x" * LONG}) for name in ("one", "two", "three")]
        assert [taken(cluster, obj) is None for obj in made] == [True, False, False]


async def test_what_is_longer_than_all_of_them_may_be_is_not_kept():
    async with asking() as cluster:
        short = await cluster.create("short", data={"key": "value"})
        long = await cluster.create("long", data={"key": "x" * (limits.FRESH_OBJECTS_BYTES - 100)})
        assert taken(cluster, long) is None
        assert taken(cluster, short) == short
