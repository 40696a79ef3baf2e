"""A definition of many versions takes nobody's turn when others come after it."""

import asyncio
import sys
from typing import Any

import pytest

from svcsim.client.api import Client, Collection
from svcsim.cluster.cluster import open_cluster
from svcsim.cluster.spec import ClusterSpec
from svcsim.dialect import KUBERNETES
from svcsim.kinds.apiextensions import custom_kinds
from svcsim.kinds.apiextensions.defined import Changed
from svcsim.meta.objects import condition_is, name_of
from svcsim.meta.types import Object
from svcsim.registry.kind import Kind
from svcsim.registry.kind_entry import KindEntry
from tests.turns import MOST_UNITS, MeasuredLoop, tuned, unit_s

VERSIONS = 300
SPEC = {"type": "object", "properties": {"spec": {"type": "object"}}}


def definition(kind: str, count: int = 1) -> Object:
    names = {"plural": f"{kind.lower()}s", "kind": kind}
    one = {"served": True, "schema": {"openAPIV3Schema": SPEC}}
    versions = [{**one, "name": f"v{number}", "storage": number == 1} for number in range(1, count + 1)]
    return {
        "metadata": {"name": f"{names['plural']}.acme.io"},
        "spec": {"group": "acme.io", "scope": "Namespaced", "names": names, "versions": versions},
    }


async def until_all(collection: Collection, names: set[str], holds: str) -> None:
    """Wait until all these objects are there, with the condition."""
    while True:
        page = await collection.list()
        if names <= {name_of(item) for item in page.items if condition_is(item, holds)}:
            return
        async with collection.watch(page.revision, bookmarks=False) as events:
            async for _ in events:
                break


async def established(client: Client, obj: Object) -> None:
    definitions = client.resource("apiextensions.k8s.io/v1", "customresourcedefinitions")
    await definitions.create(obj)
    await until_all(definitions, {name_of(obj)}, "Established")


def longest_turn_units(versions: int) -> float:
    """The longest turn while a definition comes after one of so many versions, and is looked at."""
    loop = MeasuredLoop()

    async def run() -> float:
        async with open_cluster(ClusterSpec(dialect="kubernetes", nodes=0, seed=1, durability="none")) as cluster:
            client = cluster.client("user")
            await established(client, definition("Many", versions))
            registered = {f"v{number}.acme.io" for number in range(1, versions + 1)}
            await until_all(client.resource("apiregistration.k8s.io/v1", "apiservices"), registered, "Available")
            await cluster.served_types.current()
            unit = unit_s()
            loop.longest_s = 0.0
            await established(client, definition("Other"))
            found = await cluster.served_types.current()
            assert any(resource.kind == "Other" for resource in found.resources)
            await client.resource("acme.io/v1", "others", "default").list()
            return loop.longest_s / unit

    with tuned(), asyncio.Runner(loop_factory=lambda: loop) as runner:
        return runner.run(run())


@pytest.mark.skipif(sys.gettrace() is not None, reason="a traced program's turns are no measure")
def test_a_definition_that_comes_after_one_of_many_versions_takes_no_long_turn():
    assert longest_turn_units(VERSIONS) < MOST_UNITS


def test_versions_are_made_when_they_are_used(monkeypatch: pytest.MonkeyPatch):
    made: list[str] = []
    make = custom_kinds._kind

    def noted(definition: Object, version: Object, *args: Any) -> Kind:
        made.append(version["name"])
        return make(definition, version, *args)

    monkeypatch.setattr(custom_kinds, "_kind", noted)
    obj = definition("Many", VERSIONS)
    obj["status"] = {"acceptedNames": obj["spec"]["names"], "conditions": [{"type": "Established", "status": "True"}]}
    served, known = custom_kinds.defined_by(obj, KUBERNETES, lambda _definition: pytest.fail("nothing is converted"), Changed(0, 0))
    assert (len(served), known, made) == (VERSIONS, (), ["v1"])
    seventh = served[6]
    assert isinstance(seventh, KindEntry)
    assert seventh.load() is seventh.load()
    assert (seventh.load().name, seventh.load().group.version, made) == ("Many", "v7", ["v1", "v7"])
