"""A cluster with definitions on its disk: what they define is there from the start, and whatever they say it starts."""

import asyncio
from collections.abc import Iterable
from pathlib import Path

import pytest

from svcsim.cluster import data_directory
from svcsim.cluster.cluster import open_cluster
from svcsim.cluster.spec import ClusterSpec
from svcsim.dialect import KUBERNETES
from svcsim.kinds.all import kinds_of
from svcsim.meta.objects import name_of
from svcsim.meta.types import GroupVersion, Object
from svcsim.registry.core import encode_body, envelope
from svcsim.registry.scheme import Scheme
from svcsim.storage.contract import Key
from svcsim.storage.store import LmdbStore

GROUPS = 25
SCHEMA: Object = {
    "type": "object",
    "properties": {"spec": {"type": "object", "properties": {f"field{number}": {"type": "string"} for number in range(20)}}},
}


def definition(number: int) -> Object:
    """One that has been established, in one of a few groups, with two versions."""
    group, plural, kind = f"g{number % GROUPS}.acme.io", f"things{number}", f"Thing{number}"
    names: Object = {"plural": plural, "singular": kind.lower(), "kind": kind, "listKind": f"{kind}List"}
    one: Object = {"served": True, "schema": {"openAPIV3Schema": SCHEMA}}
    yes: Object = {"status": "True", "lastTransitionTime": "2026-01-01T00:00:00Z"}
    conditions = [
        {"type": "NamesAccepted", **yes, "reason": "NoConflicts", "message": "no conflicts found"},
        {"type": "Established", **yes, "reason": "InitialNamesAccepted", "message": "the initial names have been accepted"},
    ]
    metadata = {
        "name": f"{plural}.{group}",
        "uid": f"00000000-0000-4000-8000-{number:012}",
        "generation": 1,
        "creationTimestamp": "2026-01-01T00:00:00Z",
    }
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": metadata,
        "spec": {
            "group": group,
            "names": names,
            "scope": "Namespaced",
            "versions": [{**one, "name": "v1", "storage": True}, {**one, "name": "v1beta1", "storage": False}],
            "conversion": {"strategy": "None"},
        },
        "status": {"acceptedNames": names, "conditions": conditions, "storedVersions": ["v1"]},
    }


async def stored(directory: Path, definitions: Iterable[Object]) -> None:
    """Leave these in a store as they are, as some earlier release may have."""
    resource = Scheme(KUBERNETES, kinds_of(KUBERNETES)).find(GroupVersion("apiextensions.k8s.io", "v1"), "customresourcedefinitions")
    assert resource is not None
    directory.mkdir()
    store = LmdbStore.open(directory / data_directory.STORE, dialect="kubernetes", durability="none")
    written = [
        store.create(Key(resource.store_name, "", name_of(one)), envelope(resource, one), encode_body(resource, one)) for one in definitions
    ]
    await asyncio.gather(*written)
    await store.close()


def spec(directory: Path) -> ClusterSpec:
    return ClusterSpec(dialect="kubernetes", nodes=0, seed=1, durability="none", data_dir=directory)


async def test_what_is_defined_is_told_of_and_served_from_the_first_answer_on(tmp_path: Path):
    await stored(tmp_path / "cluster", [definition(1), definition(2)])
    async with open_cluster(spec(tmp_path / "cluster")) as cluster:
        client = cluster.client("user")
        listed = await client.get_json("/apis/g1.acme.io/v1beta1")
        assert [(entry["name"], entry["kind"]) for entry in listed["resources"]] == [("things1", "Thing1")]
        assert [version["version"] for version in (await client.get_json("/apis/g2.acme.io"))["versions"]] == ["v1", "v1beta1"]
        described = await client.get_json("/openapi/v3/apis/g1.acme.io/v1")
        (thing,) = [one for name, one in described["components"]["schemas"].items() if name.endswith(".Thing1")]
        assert list(thing["properties"]["spec"]["properties"]) == list(SCHEMA["properties"]["spec"]["properties"])
        made = await client.resource("g1.acme.io/v1", "things1", "default").create(
            {
                "apiVersion": "g1.acme.io/v1",
                "kind": "Thing1",
                "metadata": {"name": "one"},
                "spec": {"field1": "kept", "other": "pruned"},
            }
        )
        assert made["spec"] == {"field1": "kept"}


BROKEN: dict[str, Object] = {
    "no versions": {"spec": {**definition(1)["spec"], "versions": []}},
    "no list of versions": {"spec": {**definition(1)["spec"], "versions": "v1"}},
    "no group": {"spec": {key: value for key, value in definition(1)["spec"].items() if key != "group"}},
    "no names": {"status": {"conditions": definition(1)["status"]["conditions"]}},
    "no map as schema": {
        "spec": {
            **definition(1)["spec"],
            "versions": [{"name": "v1", "served": True, "storage": True, "schema": {"openAPIV3Schema": {"properties": ["spec"]}}}],
        }
    },
}


@pytest.mark.parametrize("broken", list(BROKEN))
async def test_whatever_a_stored_definition_says_the_cluster_starts_without_it(
    tmp_path: Path, broken: str, caplog: pytest.LogCaptureFixture
):
    await stored(tmp_path / "cluster", [{**definition(1), **BROKEN[broken]}, definition(2)])
    async with open_cluster(spec(tmp_path / "cluster")) as cluster:
        client = cluster.client("user")
        groups = [group["name"] for group in (await client.get_json("/apis"))["groups"]]
        assert ("g1.acme.io" in groups, "g2.acme.io" in groups) == (False, True)
        assert "things1.g1.acme.io defines nothing that can be served" in caplog.text
