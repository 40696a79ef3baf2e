"""APIServices of what the server has itself: those of custom groups are kept, the others are seen to when a cluster starts."""

from pathlib import Path

import pytest

from svcsim.client.api import Collection
from svcsim.meta.types import Object
from tests.controllers.running import Running, running
from tests.virtual import run_virtual

DEFINITION = {
    "metadata": {"name": "gadgets.example.com"},
    "spec": {
        "group": "example.com",
        "scope": "Namespaced",
        "names": {"plural": "gadgets", "kind": "Gadget"},
        "versions": [{"name": "v1", "served": True, "storage": True, "schema": {"openAPIV3Schema": {"type": "object"}}}],
    },
}
LABEL = "kube-aggregator.kubernetes.io/automanaged"


def api_services(run: Running) -> Collection:
    return run.client.resource("apiregistration.k8s.io/v1", "apiservices")


async def until_there(run: Running, name: str, but: str = "") -> Object:
    """The one of that name, once it is there, with another uid than one that was there before."""

    def found(items: list[Object]) -> list[Object]:
        return [one for one in items if one["metadata"]["name"] == name and one["metadata"]["uid"] != but]

    return found(await run.until(lambda items: bool(found(items)), api_services(run)))[0]


@pytest.mark.virtual_time
async def test_one_of_a_custom_group_comes_back_and_is_mended_for_as_long_as_it_is_served():
    async with running(nodes=0) as run:
        definitions = run.client.resource("apiextensions.k8s.io/v1", "customresourcedefinitions")
        await definitions.create(DEFINITION)
        first = await until_there(run, "v1.example.com")
        assert first["metadata"]["labels"] == {LABEL: "true"}
        await api_services(run).delete("v1.example.com")
        second = await until_there(run, "v1.example.com", first["metadata"]["uid"])
        await api_services(run).patch("v1.example.com", {"spec": {"versionPriority": 7}})

        def mended(items: list[Object]) -> bool:
            return [one["spec"] for one in items if one["metadata"]["name"] == "v1.example.com"] == [second["spec"]]

        await run.until(mended, api_services(run))
        await definitions.delete("gadgets.example.com")
        await run.until_gone(api_services(run), "v1.example.com")


def test_any_other_is_seen_to_once_and_again_at_the_next_start(tmp_path: Path):
    async def first():
        async with running(nodes=0, data_dir=tmp_path) as run:
            await run.clock.sleep(5)
            assert (await api_services(run).get("v1.apps"))["metadata"]["labels"] == {LABEL: "onstart"}
            await api_services(run).delete("v1.apps")
            await api_services(run).patch("v1.batch", {"spec": {"versionPriority": 7}})
            await run.clock.sleep(600)
            assert not await run.exists(api_services(run), "v1.apps")
            assert (await api_services(run).get("v1.batch"))["spec"]["versionPriority"] == 7
            assert (await run.client.resource("apps/v1", "deployments", "default").list()).items == [], "it is served all the same"

    async def second():
        async with running(nodes=0, data_dir=tmp_path) as run:
            await until_there(run, "v1.apps")
            mended = await run.until(
                lambda items: all(one["spec"]["versionPriority"] != 7 for one in items if one["metadata"]["name"] == "v1.batch"),
                api_services(run),
            )
            assert mended

    run_virtual(first())
    run_virtual(second())
