"""Versions of a custom resource that a webhook converts: a cluster that asks a real server over TLS."""

import base64
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from aiohttp import web

from svcsim.client.api import Client
from svcsim.cluster.cluster import open_cluster
from svcsim.cluster.spec import ClusterSpec
from svcsim.dialect import DIALECTS
from svcsim.meta.errors import StatusError
from svcsim.meta.objects import condition_is
from svcsim.meta.types import Object
from tests.outbound.tls import Authority, listening

AUTHORITY = Authority()
NAMES = {"v1": "size", "v2": "height"}
"""What the one field of a version is called."""
THREE = {**NAMES, "v3": "length"}


def definition(group: str, url: str, names: Mapping[str, str] = NAMES) -> Object:
    versions = [
        {
            "name": version,
            "served": True,
            "storage": version == "v1",
            "schema": {
                "openAPIV3Schema": {
                    "type": "object",
                    "properties": {
                        "spec": {"type": "object", "properties": {field: {"type": "integer"}}},
                        "status": {"type": "object", "properties": {"replicas": {"type": "integer"}}},
                    },
                }
            },
            "selectableFields": [{"jsonPath": f".spec.{field}"}],
            "subresources": {"status": {}, "scale": {"specReplicasPath": f".spec.{field}", "statusReplicasPath": ".status.replicas"}},
        }
        for version, field in names.items()
    ]
    client_config = {"url": url, "caBundle": base64.b64encode(AUTHORITY.pem).decode()}
    return {
        "apiVersion": f"{group}/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": "trees.acme.io"},
        "spec": {
            "group": "acme.io",
            "names": {"plural": "trees", "kind": "Tree"},
            "scope": "Namespaced",
            "versions": versions,
            "conversion": {"strategy": "Webhook", "webhook": {"clientConfig": client_config, "conversionReviewVersions": ["v1"]}},
        },
    }


class Webhook:
    """Converts trees; out of order, it refuses."""

    def __init__(self) -> None:
        self.in_order = True
        self.more: Object = {}
        """What it adds to every object."""
        self.asked: list[tuple[str, str]] = []
        """From which version it has been asked for which."""

    async def handle(self, request: web.Request) -> web.Response:
        review = await request.json()
        response: Object = {"uid": review["request"]["uid"], "result": {"status": "Failure", "message": "the saw is broken"}}
        if self.in_order:
            to = review["request"]["desiredAPIVersion"]
            field = THREE[to.rpartition("/")[2]]
            self.asked += [(one["apiVersion"].rpartition("/")[2], to.rpartition("/")[2]) for one in review["request"]["objects"]]
            converted = [
                {**one, "apiVersion": to, "spec": {field: next(iter(one["spec"].values()))}, **self.more}
                for one in review["request"]["objects"]
            ]
            response = {"uid": review["request"]["uid"], "result": {"status": "Success"}, "convertedObjects": converted}
        return web.json_response({"kind": "ConversionReview", "apiVersion": review["apiVersion"], "response": response})


@asynccontextmanager
async def served(dialect: str, webhook: Webhook, tmp_path: Path, names: Mapping[str, str] = NAMES) -> AsyncIterator[Client]:
    """A cluster that serves trees."""
    async with (
        listening(webhook.handle, AUTHORITY.server_context(tmp_path, "127.0.0.1")) as port,
        open_cluster(ClusterSpec(dialect=dialect, nodes=0, seed=1, durability="none")) as cluster,
    ):
        client = cluster.client("test")
        group = DIALECTS[dialect].group("apiextensions")
        definitions = client.resource(f"{group}/v1", "customresourcedefinitions")
        created = await definitions.create(definition(group, f"https://127.0.0.1:{port}/convert", names))
        async with definitions.watch(created["metadata"]["resourceVersion"], bookmarks=False) as events:
            async for event in events:
                if condition_is(event.object, "Established"):
                    break
        yield client


@pytest.mark.parametrize("dialect", DIALECTS)
async def test_an_object_is_seen_in_either_version(tmp_path: Path, dialect: str):
    async with served(dialect, Webhook(), tmp_path) as client:
        older, newer = (client.resource(f"acme.io/{version}", "trees", "default") for version in NAMES)
        await older.create({"apiVersion": "acme.io/v1", "kind": "Tree", "metadata": {"name": "oak"}, "spec": {"size": 3}})
        assert (await newer.get("oak"))["spec"] == {"height": 3}
        await newer.patch("oak", {"spec": {"height": 5}})
        assert (await older.get("oak"))["spec"] == {"size": 5}
        assert [tree["spec"] for tree in await newer.list_all()] == [{"height": 5}]


@pytest.mark.parametrize("dialect", DIALECTS)
async def test_objects_are_selected_by_the_fields_of_either_version(tmp_path: Path, dialect: str):
    async with served(dialect, Webhook(), tmp_path) as client:
        older, newer = (client.resource(f"acme.io/{version}", "trees", "default") for version in NAMES)
        for name, size in (("elm", 4), ("oak", 3)):
            await older.create({"apiVersion": "acme.io/v1", "kind": "Tree", "metadata": {"name": name}, "spec": {"size": size}})
        assert [tree["spec"] for tree in await newer.list_all(field_selector="spec.height=3")] == [{"height": 3}]
        with pytest.raises(StatusError) as refused:
            await newer.list_all(field_selector="spec.size=3")
        assert refused.value.code == 400
        revision = (await older.list()).revision
        async with newer.watch(revision, field_selector="spec.height=3", bookmarks=False) as events:
            await older.patch("elm", {"spec": {"size": 5}})
            await older.patch("oak", {"spec": {"size": 5}})
            event = await anext(aiter(events))
        assert (event.type, event.object["spec"]) == ("DELETED", {"height": 3})


async def test_what_the_webhook_refuses_is_told_and_harms_nothing_else(tmp_path: Path):
    webhook = Webhook()
    async with served("kubernetes", webhook, tmp_path) as client:
        older, newer = (client.resource(f"acme.io/{version}", "trees", "default") for version in NAMES)
        await older.create({"apiVersion": "acme.io/v1", "kind": "Tree", "metadata": {"name": "oak"}, "spec": {"size": 3}})
        webhook.in_order = False
        with pytest.raises(StatusError, match="the saw is broken") as caught:
            await newer.get("oak")
        assert caught.value.code == 500
        assert (await older.get("oak"))["spec"] == {"size": 3}


@pytest.mark.parametrize("dialect", DIALECTS)
async def test_what_was_stored_in_the_version_before_is_converted_when_it_is_read(tmp_path: Path, dialect: str):
    webhook = Webhook()
    async with served(dialect, webhook, tmp_path) as client:
        older, newer = (client.resource(f"acme.io/{version}", "trees", "default") for version in NAMES)
        await older.create({"apiVersion": "acme.io/v1", "kind": "Tree", "metadata": {"name": "oak"}, "spec": {"size": 3}})
        definitions = client.resource(f"{DIALECTS[dialect].group('apiextensions')}/v1", "customresourcedefinitions")
        made = await definitions.get("trees.acme.io")
        for version in made["spec"]["versions"]:
            version["storage"] = version["name"] == "v2"
        assert (await definitions.update(made))["status"]["storedVersions"] == ["v1", "v2"]
        await newer.create({"apiVersion": "acme.io/v2", "kind": "Tree", "metadata": {"name": "elm"}, "spec": {"height": 4}})
        assert [tree["spec"] for tree in await newer.list_all()] == [{"height": 4}, {"height": 3}]
        assert [tree["spec"] for tree in await older.list_all()] == [{"size": 4}, {"size": 3}]
        assert [tree["spec"] for tree in await newer.list_all(field_selector="spec.height=3")] == [{"height": 3}]
        assert [tree["spec"] for tree in await older.list_all(field_selector="spec.size!=3")] == [{"size": 4}]
        await newer.update(await newer.get("oak"))
        webhook.in_order = False
        assert (await newer.get("oak"))["spec"] == {"height": 3}, "it is stored as it is shown now"


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize("strategy", ["Webhook", "None"])
async def test_what_was_stored_in_the_version_asked_for_is_converted_by_nobody(tmp_path: Path, dialect: str, strategy: str):
    webhook = Webhook()
    async with served(dialect, webhook, tmp_path) as client:
        older = client.resource("acme.io/v1", "trees", "default")
        await older.create({"apiVersion": "acme.io/v1", "kind": "Tree", "metadata": {"name": "oak"}, "spec": {"size": 3}})
        definitions = client.resource(f"{DIALECTS[dialect].group('apiextensions')}/v1", "customresourcedefinitions")
        made = await definitions.get("trees.acme.io")
        for version in made["spec"]["versions"]:
            version["storage"] = version["name"] == "v2"
        if strategy == "None":
            made["spec"]["conversion"] = {"strategy": "None"}
        await definitions.update(made)
        webhook.in_order = False
        assert (await older.get("oak"))["spec"] == {"size": 3}
        assert [tree["spec"] for tree in await older.list_all()] == [{"size": 3}]
        async with older.watch(bookmarks=False) as events:
            assert (await anext(aiter(events))).object["spec"] == {"size": 3}
        webhook.in_order = True
        assert (await older.patch("oak", {"metadata": {"labels": {"a": "b"}}}))["metadata"]["labels"] == {"a": "b"}
        if strategy == "Webhook":
            assert (await older.get("oak"))["spec"] == {"size": 3}


async def stored_in(client: Client, dialect: str, name: str) -> None:
    """Store trees in this version from now on."""
    definitions = client.resource(f"{DIALECTS[dialect].group('apiextensions')}/v1", "customresourcedefinitions")
    made = await definitions.get("trees.acme.io")
    for version in made["spec"]["versions"]:
        version["storage"] = version["name"] == name
    await definitions.update(made)


@pytest.mark.parametrize("dialect", DIALECTS)
async def test_a_deletion_that_is_only_tried_converts_nothing_that_lies_in_the_version_asked_for(tmp_path: Path, dialect: str):
    webhook = Webhook()
    async with served(dialect, webhook, tmp_path) as client:
        older = client.resource("acme.io/v1", "trees", "default")
        metadata = {"name": "oak", "finalizers": ["acme.io/hold"]}
        await older.create({"apiVersion": "acme.io/v1", "kind": "Tree", "metadata": metadata, "spec": {"size": 3}})
        await stored_in(client, dialect, "v2")
        webhook.in_order = False
        tried = await client.request("DELETE", "/apis/acme.io/v1/namespaces/default/trees/oak", "dryRun=All")
        assert (tried["apiVersion"], tried["spec"], "deletionTimestamp" in tried["metadata"]) == ("acme.io/v1", {"size": 3}, True)
        tried = await client.request("DELETE", "/apis/acme.io/v1/namespaces/default/trees", "dryRun=All")
        assert [item["spec"] for item in tried["items"]] == [{"size": 3}]
        assert (await older.get("oak", "status"))["spec"] == {"size": 3}
        assert (await older.get("oak", "scale"))["spec"] == {"replicas": 3}
        with pytest.raises(StatusError, match="the saw is broken"):
            await older.delete("oak")  # what stays is stored anew


async def test_what_is_deleted_in_another_version_is_converted_once(tmp_path: Path):
    webhook = Webhook()
    async with served("kubernetes", webhook, tmp_path, THREE) as client:  # components follow the newest version, and ask for that
        older, newer = (client.resource(f"acme.io/{version}", "trees", "default") for version in NAMES)
        metadata = {"name": "oak", "finalizers": ["acme.io/hold"], "labels": {"a": "b"}}
        await older.create({"apiVersion": "acme.io/v1", "kind": "Tree", "metadata": metadata, "spec": {"size": 3}})
        webhook.more = {"metadata": {"name": "oak", "namespace": "default", "uid": (await older.get("oak"))["metadata"]["uid"]}}
        shown = await newer.get("oak")
        assert "labels" not in shown["metadata"]
        webhook.asked.clear()
        deleting = await newer.delete("oak")
        assert [asked for asked in webhook.asked if "v2" in asked] == [("v1", "v2")]
        assert (deleting["apiVersion"], deleting["spec"], deleting["metadata"].get("labels")) == ("acme.io/v2", {"height": 3}, None)
        stored = await older.get("oak")
        assert deleting["metadata"]["deletionTimestamp"] == stored["metadata"]["deletionTimestamp"]
        assert stored["metadata"]["labels"] == {"a": "b"}


@pytest.mark.parametrize("strategy", ["Webhook", "None"])
async def test_what_lies_in_a_third_version_is_converted_in_one_step(tmp_path: Path, strategy: str):
    webhook = Webhook()
    names = THREE if strategy == "Webhook" else {"v1": "size", "v2": "height", "v3": "size"}
    async with served("kubernetes", webhook, tmp_path, names) as client:
        first, third = (client.resource(f"acme.io/{version}", "trees", "default") for version in ("v1", "v3"))
        definitions = client.resource("apiextensions.k8s.io/v1", "customresourcedefinitions")
        if strategy == "None":  # before there is anything that components of the cluster might ask for
            await definitions.patch("trees.acme.io", {"spec": {"conversion": {"strategy": "None", "webhook": None}}})
        await first.create({"apiVersion": "acme.io/v1", "kind": "Tree", "metadata": {"name": "oak"}, "spec": {"size": 3}})
        await stored_in(client, "kubernetes", "v2")
        webhook.asked.clear()
        assert (await third.get("oak"))["spec"] == {names["v3"]: 3}
        assert [tree["spec"] for tree in await third.list_all()] == [{names["v3"]: 3}]
        assert set(webhook.asked) == ({("v1", "v3")} if strategy == "Webhook" else set())


@pytest.mark.parametrize("dialect", DIALECTS)
async def test_what_a_webhook_adds_that_no_schema_has_is_neither_stored_nor_shown(tmp_path: Path, dialect: str):
    webhook = Webhook()
    async with served(dialect, webhook, tmp_path) as client:
        older, newer = (client.resource(f"acme.io/{version}", "trees", "default") for version in NAMES)
        webhook.more = {"unknown": {"x": 1}}
        made = await newer.create({"apiVersion": "acme.io/v2", "kind": "Tree", "metadata": {"name": "oak"}, "spec": {"height": 3}})
        stored, (listed,) = await older.get("oak"), await newer.list_all()
        for obj in (made, stored, listed, await newer.get("oak")):
            assert "unknown" not in obj
        assert stored["spec"] == {"size": 3}


async def test_what_is_of_another_type_than_its_schema_says_now_hides_nothing_and_can_be_mended(tmp_path: Path):
    webhook = Webhook()
    async with served("kubernetes", webhook, tmp_path) as client:
        older, newer = (client.resource(f"acme.io/{version}", "trees", "default") for version in NAMES)
        await older.create({"apiVersion": "acme.io/v1", "kind": "Tree", "metadata": {"name": "oak"}, "spec": {"size": 3}})
        await older.create({"apiVersion": "acme.io/v1", "kind": "Tree", "metadata": {"name": "elm"}, "spec": {"size": 4}})
        for spec in ("x", {"height": "x"}):
            webhook.more = {"spec": spec}
            assert [tree["spec"] for tree in await newer.list_all()] == [spec, spec]
        webhook.more = {}
        assert (await newer.patch("oak", {"spec": {"height": 5}}))["spec"] == {"height": 5}
        webhook.more = {"spec": "x"}
        await newer.delete("oak")
        await newer.delete_collection()
        assert await older.list_all() == []
