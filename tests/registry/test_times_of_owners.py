"""Since when somebody owns what they own: since they last changed something."""

import pytest

from svcsim.meta.codec import decode_json, encode
from svcsim.meta.http import Request
from svcsim.meta.types import Json, Object
from tests.registry.asking import Asking, asking
from tests.server.conftest import ADMIN

APPLY = {"content-type": "application/apply-patch+yaml"}


async def apply(cluster: Asking, password: str, **more: Json) -> Object:
    """A Secret as people write them: what is stored of it says the same in other words."""
    sent = {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "a"}, "stringData": {"password": password}, **more}
    request = Request("PATCH", "/api/v1/namespaces/default/secrets/a", "fieldManager=tester", APPLY, encode(sent), ADMIN)
    response = await cluster.cluster.pipeline.handle(request)
    assert response.status in (200, 201), response.body
    return decode_json(response.body)


@pytest.mark.virtual_time
async def test_what_is_applied_again_later_is_not_written_again():
    async with asking() as cluster:
        first = await apply(cluster, "s3cret")
        await cluster.sleep(5)
        assert await apply(cluster, "s3cret") == first


@pytest.mark.virtual_time
@pytest.mark.parametrize("change", [{"password": "other"}, {"password": "s3cret", "immutable": True}])
async def test_a_change_says_when_it_was_made(change: Json):
    async with asking() as cluster:
        (before,) = (await apply(cluster, "s3cret"))["metadata"]["managedFields"]
        await cluster.sleep(5)
        (after,) = (await apply(cluster, **change))["metadata"]["managedFields"]
        assert after["time"] > before["time"]
