"""A type that is taken in one version is taken in its group's preferred one, wherever that stands, or in the first that has it."""

from pathlib import Path

import orjson
import pytest

from svcsim.cli.shared import discovery as of_commands
from svcsim.client.api import Client
from svcsim.client.discovery import discover
from svcsim.client.in_process import InProcessTransport
from svcsim.dialect import KUBERNETES
from svcsim.meta.http import Request, Response
from svcsim.meta.types import Object, User


def listed(group_version: str, *plurals: str) -> Object:
    resources = [{"name": plural, "kind": plural.title(), "namespaced": True, "verbs": ["list"]} for plural in plurals]
    return {"kind": "APIResourceList", "groupVersion": group_version, "resources": resources}


VERSIONS = [{"groupVersion": f"shop.io/{version}", "version": version} for version in ("v1alpha1", "v1beta1", "v1")]
ANSWERS: dict[str, Object] = {
    "/api": {"kind": "APIVersions", "versions": ["v1"]},
    "/api/v1": listed("v1", "pods"),
    "/apis": {"kind": "APIGroupList", "groups": [{"name": "shop.io", "versions": VERSIONS, "preferredVersion": VERSIONS[2]}]},
    "/apis/shop.io/v1": listed("shop.io/v1", "orders"),
    "/apis/shop.io/v1alpha1": listed("shop.io/v1alpha1", "orders", "carts"),
    "/apis/shop.io/v1beta1": listed("shop.io/v1beta1", "carts"),
}
"""A server that tells its groups and versions one by one."""
TAKEN = [("v1", "pods"), ("shop.io/v1", "orders"), ("shop.io/v1alpha1", "carts")]


async def test_who_acts_on_all_types():
    async def handle(request: Request) -> Response:
        return Response(200, orjson.dumps(ANSWERS[request.path]))

    found = await discover(Client(InProcessTransport(handle, User("admin")), KUBERNETES))
    assert [(one.api_version, one.plural) for one in found.resources] == TAKEN


def test_a_command(tmp_path: Path):
    class Server:
        cache_file = tmp_path / "kept"

        def get(self, path: str, *, accept: str = "application/json") -> Object:
            return ANSWERS[path]

    found = of_commands.Discovery(Server())
    assert [(one.api_version, one.plural) for one in found.resources if one.preferred] == TAKEN
    assert found.find("orders").api_version == "shop.io/v1"
    assert found.find("carts.v1beta1.shop.io").api_version == "shop.io/v1beta1"


@pytest.mark.parametrize("preferred", [None, {}, {"version": "v9"}])
def test_where_none_is_preferred_the_first_is(tmp_path: Path, preferred: Object | None):
    group: Object = {"name": "shop.io", "versions": VERSIONS, "preferredVersion": preferred}

    class Server:
        cache_file = tmp_path / "kept"

        def get(self, path: str, *, accept: str = "application/json") -> Object:
            return {"kind": "APIGroupList", "groups": [group]} if path == "/apis" else ANSWERS[path]

    assert of_commands.Discovery(Server()).find("orders").api_version == "shop.io/v1alpha1"
