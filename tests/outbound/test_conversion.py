"""Conversion by a webhook, asked over TLS."""

import json
from contextlib import asynccontextmanager

import pytest
from aiohttp import web

from svcsim.chance import Chance
from svcsim.dialect import DIALECTS, KUBERNETES
from svcsim.meta.types import GroupVersion
from svcsim.outbound.client_config import remote_of
from svcsim.outbound.conversion import WebhookConverter, spoken
from svcsim.outbound.remote import ServiceReference, Trust
from svcsim.registry.kind import Column, ConversionError, ForeignConversion, Group, Kind
from svcsim.schema.types import Field, Int, Struct
from svcsim.storage.store import LmdbStore
from tests.outbound.test_outbound import AUTHORITY, outbound
from tests.outbound.tls import listening
from tests.server.conftest import Server
from tests.server.small_kinds import KINDS

V2 = GroupVersion("acme.io", "v2")
OBJECTS = [{"kind": "Widget", "apiVersion": "acme.io/v1", "metadata": {"name": name}, "spec": {"height": 1}} for name in "ab"]
CONVERTED = [{**one, "apiVersion": "acme.io/v2"} for one in OBJECTS]


class Webhook:
    """Converts between versions whose fields have other names."""

    def __init__(self, change=None, status=200):
        self.asked, self.change, self.status = [], change, status

    async def handle(self, request):
        review = await request.json()
        self.asked.append((request.path_qs, review))
        to = review["request"]["desiredAPIVersion"]
        converted = [{**one, "apiVersion": to} for one in review["request"]["objects"]]
        response = {"uid": review["request"]["uid"], "result": {"status": "Success"}, "convertedObjects": converted}
        answer = {"kind": "ConversionReview", "apiVersion": review["apiVersion"], "response": response}
        if self.change:
            self.change(answer)
        return web.Response(text=json.dumps(answer), status=self.status, content_type="application/json")


@asynccontextmanager
async def converting(tmp_path, webhook, version="v1", dialect=KUBERNETES):
    async with listening(webhook.handle, AUTHORITY.server_context(tmp_path, "127.0.0.1")) as port, outbound() as out:
        remote = remote_of("conversion/widgets.acme.io", {"url": f"https://127.0.0.1:{port}/convert"})
        trusted = type(remote)(remote.name, remote.url, trust=Trust(AUTHORITY.pem))
        yield WebhookConverter(trusted, version, dialect, out, Chance(1))


@pytest.mark.parametrize("dialect", DIALECTS.values(), ids=lambda dialect: dialect.name)
@pytest.mark.parametrize("version", ["v1", "v1beta1"])
async def test_a_batch_is_converted_by_one_review(tmp_path, version, dialect):
    webhook = Webhook()
    async with converting(tmp_path, webhook, version, dialect) as converter:
        assert await converter(OBJECTS, V2) == CONVERTED
    ((path, review),) = webhook.asked
    assert path == "/convert?timeout=30s"
    assert {**review, "request": {**review["request"], "uid": ""}} == {
        "kind": "ConversionReview",
        "apiVersion": f"apiextensions.{dialect.group_suffix}/{version}",
        "request": {"uid": "", "desiredAPIVersion": "acme.io/v2", "objects": OBJECTS},
    }
    assert review["request"]["uid"]


def set_at(*path_and_value):
    *path, last, value = path_and_value

    def change(answer):
        for name in path:
            answer = answer[name]
        answer[last] = value

    return change


@pytest.mark.parametrize(
    ("change", "why"),
    [
        (set_at("response", "uid", "other"), 'expected response.uid="'),
        (set_at("response", None), "no response provided"),
        (
            set_at("apiVersion", "v7"),
            "expected webhook response of apiextensions.k8s.io/v1, Kind=ConversionReview, got /v7, Kind=ConversionReview",
        ),
        (set_at("kind", "Review"), "expected webhook response of apiextensions.k8s.io/v1, Kind=ConversionReview, got"),
        (set_at("response", "result", {"status": "Failure", "message": "too tall"}), "too tall"),
        (set_at("response", "result", {"status": "Failure"}), "response.result.status was 'Failure', not 'Success'"),
        (set_at("response", "result", None), "response.result.status was '', not 'Success'"),
        (set_at("response", "convertedObjects", {}), None),
        (set_at("response", "convertedObjects", "a"), "response.convertedObjects is not a list of objects"),
        (set_at("response", "convertedObjects", [1]), "response.convertedObjects is not a list of objects"),
    ],
)
async def test_an_answer_that_is_none_is_said_so(tmp_path, change, why):
    async with converting(tmp_path, Webhook(change)) as converter:
        if why is None:
            assert await converter(OBJECTS, V2) == []
            return
        with pytest.raises(ConversionError) as raised:
            await converter(OBJECTS, V2)
    assert str(raised.value).startswith(why)


async def test_the_older_review_need_not_repeat_the_uid(tmp_path):
    async with converting(tmp_path, Webhook(set_at("response", "uid", "")), "v1beta1") as converter:
        assert await converter(OBJECTS, V2) == CONVERTED


async def test_a_webhook_that_fails_is_said_so(tmp_path):
    async with converting(tmp_path, Webhook(status=500)) as converter:
        with pytest.raises(ConversionError, match="has prevented the request from succeeding"):
            await converter(OBJECTS, V2)


def test_a_configuration_names_a_url_or_a_service():
    assert remote_of("x", {"url": "https://a/b", "caBundle": "Q0E="}).trust == Trust(b"CA")
    named = remote_of("x", {"service": {"namespace": "n", "name": "s", "path": "/p"}})
    assert (named.service, named.base) == (ServiceReference("n", "s", 443), "https://s.n.svc:443/p")
    assert remote_of("x", {"service": {"namespace": "n", "name": "s", "port": 8443}}).base == "https://s.n.svc:8443"


def test_the_first_review_version_that_both_speak_is_used():
    assert spoken(["v2", "v1beta1", "v1"]) == "v1beta1"
    assert spoken(["v2"]) is None


def widget(version, conversion=None):
    spec = Struct("WidgetSpec", Field(1, "height", Int()))
    columns = (Column("Height", lambda obj, _: obj["spec"].get("height"), "integer"),)
    return Kind(Group("acme.io", version), "widgets", Struct("Widget", Field(2, "spec", spec)), columns=columns, conversion=conversion)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (None, None),
        (
            set_at("response", "convertedObjects", []),
            "0 objects, expected 1",
        ),
        (
            lambda answer: answer["response"]["convertedObjects"][0].update(apiVersion="acme.io/v9"),
            "invalid converted object at index 0: invalid groupVersion (expected acme.io/v1, received acme.io/v9)",
        ),
        (
            lambda answer: answer["response"]["convertedObjects"][0].update(kind="Gadget"),
            "invalid converted object at index 0: invalid kind (expected Widget, received Gadget)",
        ),
    ],
)
async def test_a_server_whose_versions_a_webhook_converts(tmp_path, change, said):
    webhook = Webhook()
    async with converting(tmp_path, webhook) as converter:
        store = LmdbStore.open(tmp_path / "store", dialect="kubernetes", durability="none")
        stored = widget("v2")
        server = Server(store, "kubernetes", (*KINDS, stored, widget("v1", ForeignConversion(stored, converter))))
        await server.create("/api/v1/namespaces", "default")
        sent = {"apiVersion": "acme.io/v1", "kind": "Widget", "metadata": {"name": "a"}, "spec": {"height": 3}}
        path = "/apis/acme.io/{}/namespaces/default/widgets"
        assert (await server.ask("POST", path.format("v1"), sent)).status == 201
        webhook.change = change
        answer = await server.ask("GET", f"{path.format('v1')}/a")
        shown = json.loads(answer.body)
        if said is None:
            assert (shown["apiVersion"], shown["spec"]) == ("acme.io/v1", {"height": 3})
        else:
            assert (answer.status, shown["message"]) == (500, f"conversion webhook for acme.io/v2, Kind=Widget returned {said}")
        assert json.loads((await server.ask("GET", f"{path.format('v2')}/a")).body)["apiVersion"] == "acme.io/v2"
        await store.close()
