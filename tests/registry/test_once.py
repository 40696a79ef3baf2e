"""What a request needs once is worked out once."""

import pytest

from svcsim.meta.codec import encode
from svcsim.meta.http import Request
from svcsim.registry.mutating_admission import mutated
from svcsim.registry.selecting import selection
from tests.calls import calls
from tests.registry.asking import asking
from tests.server.conftest import ADMIN

MAPS = "/api/v1/namespaces/default/configmaps"


@pytest.mark.virtual_time
@pytest.mark.parametrize("query", ["", "labelSelector=a%3Db"])
async def test_a_list_works_out_its_selection_once(query: str):
    async with asking() as cluster:
        with calls(selection) as found:
            response = await cluster.cluster.pipeline.handle(Request("GET", MAPS, query, {}, b"", ADMIN))
    assert (response.status, len(found)) == (200, 1)


@pytest.mark.virtual_time
async def test_an_object_is_not_compared_where_no_plugin_may_change_it():
    async with asking() as cluster:
        with calls(encode, mutated) as found:
            await cluster.create("a", data={"k": "v"})
        assert found == []
