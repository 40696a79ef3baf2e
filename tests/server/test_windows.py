"""Subresources as kinds declare them: what can be written through them, created on them and not declared at all."""

import json
from collections.abc import AsyncIterator, Callable
from pathlib import Path

import pytest

from svcsim.apply.fieldset import paths
from svcsim.meta.http import Response
from svcsim.meta.types import Object
from svcsim.registry.kind import Context, Kind, Status, Subresource
from svcsim.schema.types import Field, Int, List, Map, Str, Struct
from svcsim.storage.store import LmdbStore
from tests.server.conftest import Server
from tests.server.small_kinds import CORE, NAMESPACE

MERGE, APPLY = "application/merge-patch+json", "application/apply-patch+yaml"
GADGETS = "/api/v1/namespaces/default/gadgets"

_ITEM = Struct("Item", Field(1, "name", Str()), Field(2, "amount", Int()), Field(3, "secret", Str()))
_LIST = List(_ITEM, list_type="map", keys=("name",))
_SPEC = Struct(
    "GadgetSpec",
    Field(1, "items", _LIST),
    Field(2, "lost", List(_ITEM, list_type="atomic")),
    Field(3, "size", Int()),
    Field(4, "words", Map(Str())),
)
_GADGET = Struct("Gadget", Field(2, "spec", _SPEC), Field(3, "status", Struct("GadgetStatus", Field(1, "phase", Str()))))


def gadget(*subresources: Subresource) -> Kind:
    return Kind(CORE, "gadgets", _GADGET, status=Status(), subresources=subresources)


GADGET = gadget(Subresource("amounts", writes=("spec.items[*].amount",)))


@pytest.fixture
async def server(tmp_path: Path) -> AsyncIterator[Server]:
    store = LmdbStore.open(tmp_path / "store", dialect="kubernetes", durability="none")
    made = Server(store, "kubernetes", (NAMESPACE, GADGET))
    await made.create("/api/v1/namespaces", "default")
    items = [{"name": "a", "amount": 1, "secret": "mine"}, {"name": "c", "amount": 1, "secret": "too"}]
    await made.create(GADGETS, "g", spec={"items": items, "size": 1})
    yield made
    await store.close()


async def ask(server: Server, method: str, path: str, body: object, **headers: str) -> Response:
    response = await server.ask(method, path, body, **headers)
    assert response.status in (200, 201), response.body
    return response


def owned(obj: Object, subresource: str) -> list[str]:
    entries = [entry for entry in obj["metadata"]["managedFields"] if entry.get("subresource", "") == subresource]
    return [".".join(element.removeprefix("f:") for element in path) for entry in entries for path in paths(entry["fieldsV1"])]


AMOUNT_OF_A = 'spec.items.k:{"name":"a"}.amount'


@pytest.mark.parametrize("way", ["merge", "update", "apply"])
async def test_through_a_list_nothing_is_written_and_owned_but_the_fields_that_are_named(server: Server, way: str):
    items = [{"name": "b", "amount": 9, "secret": "x"}, {"name": "a", "amount": 2, "secret": "STOLEN"}]
    path, spec = f"{GADGETS}/g/amounts", {"spec": {"items": items, "size": 7}}
    if way == "merge":
        await ask(server, "PATCH", path, {"metadata": {"labels": {"l": ""}}, **spec}, content_type=MERGE)
    elif way == "update":
        await ask(server, "PUT", path, {"metadata": {"name": "g", "labels": {"l": ""}}, **spec})
    else:
        config = {"apiVersion": "v1", "kind": "Gadget", "metadata": {"name": "g", "labels": {"l": ""}}, **spec}
        await ask(server, "PATCH", f"{path}?fieldManager=one&force=true", config, content_type=APPLY)
    after = await server.get(f"{GADGETS}/g")
    kept = {"name": "c", "amount": 1, "secret": "too"}
    assert after["spec"] == {"items": [{"name": "a", "amount": 2, "secret": "mine"}, kept], "size": 1}
    assert "labels" not in after["metadata"]
    assert owned(after, "amounts") == [AMOUNT_OF_A]
    assert AMOUNT_OF_A not in owned(after, "")
    assert {'spec.items.k:{"name":"a"}.secret', 'spec.items.k:{"name":"c"}.amount', "spec.size"} <= set(owned(after, ""))


@pytest.mark.parametrize(
    "sent", [{"items": []}, {"items": None}, None, {"items": [{"amount": 3}]}, {"items": [{"name": "z", "amount": 3}]}]
)
async def test_items_neither_come_nor_go_through_a_list(server: Server, sent: object):
    before = await server.get(f"{GADGETS}/g")
    await ask(server, "PATCH", f"{GADGETS}/g/amounts", {"spec": sent}, content_type=MERGE)
    assert await server.get(f"{GADGETS}/g") == before


async def test_a_field_that_is_missing_in_an_item_goes(server: Server):
    await ask(server, "PATCH", f"{GADGETS}/g/amounts", {"spec": {"items": [{"name": "a"}]}}, content_type=MERGE)
    after = await server.get(f"{GADGETS}/g")
    assert after["spec"]["items"][0] == {"name": "a", "secret": "mine"}
    assert AMOUNT_OF_A not in owned(after, "")


async def test_an_applier_that_no_longer_names_a_field_gives_it_up(server: Server):
    path = f"{GADGETS}/g/amounts?fieldManager=one&force=true"
    config = {"apiVersion": "v1", "kind": "Gadget", "metadata": {"name": "g"}}
    for items in ([{"name": "a", "amount": 5}, {"name": "c", "amount": 6}], [{"name": "c", "amount": 6}]):
        response = await ask(server, "PATCH", path, {**config, "spec": {"items": items}}, content_type=APPLY)
    after = json.loads(response.body)
    assert after["spec"]["items"] == [{"name": "a", "secret": "mine"}, {"name": "c", "amount": 6, "secret": "too"}]
    assert owned(after, "amounts") == ['spec.items.k:{"name":"c"}.amount']


@pytest.mark.parametrize(
    "bad",
    [
        Subresource("bad", resets=("spec.items[*].amount",)),
        Subresource("bad", writes=("spec.items[*]",)),
        Subresource("bad", writes=("spec.items.amount",)),
        Subresource("bad", writes=("spec.lost[*].amount",)),
        Subresource("bad", writes=("spec.size[*].amount",)),
        Subresource("bad", writes=("spec.size.amount",)),
        Subresource("bad", writes=("spec.items[*].amont",)),
        Subresource("bad", writes=("spek",)),
    ],
    ids=lambda bad: (bad.writes or bad.resets)[0],
)
def test_a_path_that_cannot_be_honoured_is_refused_where_it_is_declared(bad: Subresource):
    with pytest.raises(ValueError, match=r"^spe[ck]"):
        gadget(bad)


@pytest.mark.parametrize(
    "path", ["spec.items", "spec.items[*].amount", "spec.lost", "spec.words.one", "metadata.labels", "metadata.labels.l"]
)
def test_other_paths_are_fine(path: str):
    assert gadget(Subresource("good", writes=(path,)))


def _restarted(stored: Object, sent: Object, context: Context) -> Object:
    return {**stored, "spec": {**stored["spec"], "size": (sent.get("spec") or {}).get("size", 0) + 1}}


async def _counted(stored: Object, sent: Object, context: Context) -> Object:
    return {**stored, "spec": {"size": len(sent.get("spec", {}).get("items", ()))}}


_NOTE = Struct("Note", Field(2, "text", Str(), required=True), Field(3, "count", Int(minimum=0)))
CREATABLE = gadget(
    Subresource("restart", ("create",), merge=_restarted, answers="object"),
    Subresource("count", ("create",), answer=_counted),
    Subresource("note", ("create",), kind="Note", body=_NOTE, merge=_restarted),
    Subresource("drop", ("create",), kind="Note", body=_NOTE, deletes=True),
)


@pytest.fixture
async def creating(tmp_path: Path) -> AsyncIterator[Server]:
    store = LmdbStore.open(tmp_path / "store", dialect="kubernetes", durability="none")
    made = Server(store, "kubernetes", (NAMESPACE, CREATABLE))
    await made.create("/api/v1/namespaces", "default")
    await made.create(GADGETS, "g", spec={"items": [{"name": "a"}], "size": 1})
    yield made
    await store.close()


async def test_a_create_takes_the_object_itself_where_no_other_body_is_declared(creating: Server):
    assert {r["name"]: r["kind"] for r in (await creating.get("/api/v1"))["resources"]}["gadgets/restart"] == "Gadget"
    for size in (0, 1, 2):
        response = await ask(creating, "POST", f"{GADGETS}/g/restart", {"spec": {"size": size}})
        restarted = json.loads(response.body)
        assert (restarted["kind"], restarted["spec"]["size"], restarted["spec"]["items"]) == ("Gadget", size + 1, [{"name": "a"}])
        assert await creating.get(f"{GADGETS}/g") == restarted
    counted = json.loads((await ask(creating, "POST", f"{GADGETS}/g/count", restarted)).body)
    assert counted["spec"] == {"size": 1}
    assert await creating.get(f"{GADGETS}/g") == restarted
    strict = await creating.ask("POST", f"{GADGETS}/g/restart?fieldValidation=Strict", {"colour": "red"})
    assert strict.status == 400
    assert (await creating.ask("POST", f"{GADGETS}/none/restart", {})).status == 404


@pytest.mark.parametrize("window", ["restart", "count", "note"])
async def test_what_is_sent_has_to_be_about_the_object_of_the_path(creating: Server, window: str):
    response = await creating.ask("POST", f"{GADGETS}/g/{window}", {"metadata": {"name": "zzz"}, "text": "t"})
    assert response.status == 400
    assert json.loads(response.body)["message"] == "the name of the object (zzz) does not match the name on the URL (g)"
    elsewhere = {"metadata": {"name": "g", "namespace": "other"}, "text": "t"}
    assert (await creating.ask("POST", f"{GADGETS}/g/{window}", elsewhere)).status == 400
    assert (await creating.ask("POST", f"{GADGETS}/g/{window}", {"metadata": {"name": "g"}, "text": "t"})).status == 201


@pytest.mark.parametrize("window", ["note", "drop"])
async def test_a_body_has_to_follow_the_rules_of_its_schema(creating: Server, window: str):
    before = await creating.get(f"{GADGETS}/g")
    response = await creating.ask("POST", f"{GADGETS}/g/{window}", {"count": -1})
    status = json.loads(response.body)
    assert (response.status, [cause["field"] for cause in status["details"]["causes"]]) == (422, ["text", "count"])
    assert status["message"].startswith('Note "g" is invalid: ')
    assert await creating.get(f"{GADGETS}/g") == before
    assert (await creating.ask("POST", f"{GADGETS}/g/{window}", {"text": "t"})).status == 201


@pytest.mark.parametrize(
    "declare",
    [
        lambda: Subresource("bad", view=lambda obj, context: obj),
        lambda: Subresource("bad", ("get", "patch"), kind="Note", body=_NOTE, view=lambda obj, context: obj),
        lambda: Subresource("bad", ("update",), kind="Note", body=_NOTE),
        lambda: Subresource("bad", ("create",)),
        lambda: Subresource("bad", ("create",), kind="Note", body=_NOTE),
    ],
)
def test_verbs_that_nobody_could_carry_out_are_refused_where_they_are_declared(declare: Callable[[], Subresource]):
    with pytest.raises(ValueError, match=r"^bad: "):
        declare()


def test_a_kind_that_is_answered_can_be_created_and_no_more():
    async def answer(obj: Object, context: Context) -> Object:
        return obj

    assert Kind(CORE, "gadgets", _GADGET, answer=answer).verbs == ("create",)
    assert "watch" in Kind(CORE, "gadgets", _GADGET).verbs
    for verbs in (("create", "patch"), ("get",), ("create", "update", "delete")):
        with pytest.raises(ValueError, match="Gadget: a kind that is answered"):
            Kind(CORE, "gadgets", _GADGET, answer=answer, verbs=verbs)
