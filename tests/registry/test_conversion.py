"""Versions that somebody outside of the process converts: slowly, in batches, and not always with success. On virtual time."""

import asyncio
import json
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from svcsim import limits
from svcsim.chance import Chance
from svcsim.clock import Clock, turn
from svcsim.meta.http import Response
from svcsim.meta.types import GroupVersion, Json, Object
from svcsim.registry.conversion import convert
from svcsim.registry.kind import Column, ConversionError, ForeignConversion, Group, Kind, Status
from svcsim.schema.types import Field, Int, Map, Str, Struct
from svcsim.storage import hub
from svcsim.storage.store import LmdbStore
from tests.server.conftest import Server
from tests.server.small_kinds import KINDS

pytestmark = pytest.mark.virtual_time

V1, V2, V3 = [f"/apis/acme.io/{version}/namespaces/default/widgets" for version in ("v1", "v2", "v3")]
MERGE = "application/merge-patch+json"
APPLY = "application/apply-patch+yaml"
FIELDS = {"acme.io/v1": "height", "acme.io/v2": "size", "acme.io/v3": "length"}
FAILED = "conversion webhook for acme.io/{}, Kind=Widget failed: no route to host"
SLOW = "conversion webhook for acme.io/{}, Kind=Widget failed: no answer within 30s"


def widget(version: str, conversion: ForeignConversion | None = None) -> Kind:
    name = FIELDS[f"acme.io/{version}"]
    spec = Struct("WidgetSpec", Field(1, name, Int()), Field(2, "colours", Map(Str())))
    return Kind(
        Group("acme.io", version),
        "widgets",
        Struct("Widget", Field(2, "spec", spec), Field(3, "status", Struct("WidgetStatus", Field(1, "phase", Str())))),
        columns=(Column(name.capitalize(), lambda obj, _context: obj["spec"].get(name), "integer"),),
        status=Status(),
        conversion=conversion,
    )


class Converter:
    """Renames one field, and takes a second of the cluster's time for it."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self.calls: list[tuple[str, int]] = []
        self.failing: tuple[str, ...] = ()
        """Versions it can't convert to just now."""
        self.hanging: tuple[str, ...] = ()
        """Versions it never comes to an end with."""
        self.seconds = 1.0
        self.added: Object = {}
        """What it adds to every object, though nobody asked for it."""

    async def __call__(self, objects: list[Object], to: GroupVersion) -> list[Object]:
        self.calls.append((to.version, len(objects)))
        await self._clock.sleep(self.seconds)
        if to.version in self.hanging:
            await asyncio.Event().wait()
        if to.version in self.failing:
            raise ConversionError("no route to host")
        return [self.converted(obj, str(to)) for obj in objects]

    def converted(self, obj: Object, to: str) -> Object:
        spec = {FIELDS[to] if name == FIELDS[obj["apiVersion"]] else name: value for name, value in (obj.get("spec") or {}).items()}
        return {**obj, "apiVersion": to, "spec": {**spec, **self.added}, **self.added}

    def asked(self) -> list[tuple[str, int]]:
        """The batches since this was last asked: to which version, of how many objects."""
        calls, self.calls = self.calls, []
        return calls


class Widgets:
    """A server of widgets: v2 is stored, the others are converted."""

    def __init__(self, server: Server) -> None:
        self.server = server
        self.clock = server.clock
        self.converter = Converter(server.clock)
        self.stored = widget("v2")
        self.v1, self.v3 = [widget(version, ForeignConversion(self.stored, self.converter)) for version in ("v1", "v3")]
        server.scheme.serve((self.v1, self.stored, self.v3))

    async def ask(self, method: str, path: str, body: Json = None, code: int = 200, **headers: str) -> Object:
        response = await self.server.ask(method, path, body, **headers)
        assert response.status == code, response.body
        return json.loads(response.body)

    async def fails(self, method: str, path: str, version: str, body: Json = None, why: str = FAILED, **headers: str) -> None:
        """A request that can't be answered, because what is of this version isn't converted."""
        status = await self.ask(method, path, body, 500, **headers)
        message = why.format(version)
        assert status == {"kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Failure", "message": message, "code": 500}

    async def create(self, *names: str, path: str = V2, **metadata: Json) -> Object:
        field = FIELDS["acme.io/" + path.split("/")[3]]
        sent = [{"metadata": {"name": name, **metadata}, "spec": {field: index}} for index, name in enumerate(names)]
        made: list[Object] = []
        for start in range(0, len(sent), 100):
            made += await asyncio.gather(*(self.ask("POST", path, obj, 201) for obj in sent[start : start + 100]))
        return made[0]

    async def watch(self, path: str = V1, query: str = "") -> "Watch":
        since = "" if "resourceVersion" in query else f"&resourceVersion={self.server.core.store.revision}"
        return Watch(await self.server.ask("GET", f"{path}?watch=true{since}{query}"))


class Watch:
    """The events of a watch, read as they come."""

    def __init__(self, response: Response) -> None:
        assert response.status == 200, response.body
        self.events: list[Object] = []
        self._task = asyncio.create_task(self._read(response))

    async def _read(self, response: Response) -> None:
        try:
            async for piece in response.stream:
                self.events += [json.loads(line) for line in piece.splitlines()]
        finally:
            await response.stream.aclose()

    def shown(self) -> list[tuple[str, str]]:
        return [(event["type"], event["object"]["metadata"].get("name", "")) for event in self.events]

    def versions(self) -> list[str]:
        return list(dict.fromkeys(event["object"]["apiVersion"] for event in self.events))

    async def ended(self) -> list[Object]:
        await asyncio.wait_for(self._task, 60)
        return self.events

    async def close(self) -> None:
        self._task.cancel()
        await asyncio.wait([self._task])


@pytest.fixture
async def widgets(tmp_path: Path) -> AsyncIterator[Widgets]:
    store = LmdbStore.open(tmp_path / "store", dialect="kubernetes", durability="none", threads=False)
    server = Server(store, "kubernetes", KINDS)
    server.clock.set_speed(1.0)
    await server.create("/api/v1/namespaces", "default")
    yield Widgets(server)
    await store.close()


async def settle(widgets: Widgets, seconds: float = 10.0) -> None:
    await widgets.clock.sleep(seconds)


# reading


async def test_the_stored_version_is_never_converted(widgets: Widgets):
    watch = await widgets.watch(V2)
    await widgets.create("a", "b")
    await widgets.ask("PUT", f"{V2}/a", {"metadata": {"name": "a"}, "spec": {"size": 9}})
    await widgets.ask("PATCH", f"{V2}/a", {"spec": {"size": 8}}, content_type=MERGE)
    await widgets.ask("GET", f"{V2}/a")
    assert len((await widgets.ask("GET", V2))["items"]) == 2
    await widgets.ask("DELETE", f"{V2}/b")
    await settle(widgets)
    assert len(watch.events) == 5
    assert widgets.converter.asked() == []
    await watch.close()


async def test_a_get_is_one_call(widgets: Widgets):
    await widgets.create("a")
    shown = await widgets.ask("GET", f"{V1}/a")
    assert (shown["apiVersion"], shown["spec"]) == ("acme.io/v1", {"height": 0})
    assert shown["metadata"]["resourceVersion"] == str(widgets.server.core.store.revision)
    assert widgets.converter.asked() == [("v1", 1)]


async def test_what_a_converter_adds_that_nobody_declared_is_pruned(widgets: Widgets):
    widgets.converter.added = {"unknown": {"x": 1}}
    await widgets.create("a")
    shown = await widgets.ask("GET", f"{V1}/a")
    assert ("unknown" in shown, shown["spec"]) == (False, {"height": 0})
    await widgets.create("b", path=V1)
    stored = await widgets.ask("GET", f"{V2}/b")
    assert ("unknown" in stored, stored["spec"]) == (False, {"size": 0})


async def test_a_long_list_is_a_few_calls(widgets: Widgets):
    names = [f"w-{number:04}" for number in range(1000)]
    await widgets.create(*names)
    listed = await widgets.ask("GET", V1)
    assert [item["metadata"]["name"] for item in listed["items"]] == names
    assert [item["spec"]["height"] for item in listed["items"]] == list(range(1000))
    assert widgets.converter.asked() == [("v1", limits.CONVERTED_SLICE_RECORDS)] * 4
    page = await widgets.ask("GET", f"{V1}?limit=20")
    assert len(page["items"]) == 20
    assert widgets.converter.asked() == [("v1", 20)]


async def test_a_collection_is_deleted_in_as_few_calls_as_it_is_listed_in(widgets: Widgets):
    names = [f"w-{number:04}" for number in range(300)]
    await widgets.create(*names)
    deleted = await widgets.ask("DELETE", V1)
    assert [item["spec"]["height"] for item in deleted["items"]] == list(range(300))
    assert widgets.converter.asked() == [("v1", limits.CONVERTED_SLICE_RECORDS), ("v1", 300 - limits.CONVERTED_SLICE_RECORDS)]
    assert (await widgets.ask("GET", V2))["items"] == []


async def test_large_objects_are_converted_fewer_at_a_time(widgets: Widgets):
    large = {"colours": {"red": "x" * (limits.CONVERTED_SLICE_BYTES // 3)}}
    for name in "abcd":
        await widgets.ask("POST", V2, {"metadata": {"name": name}, "spec": large}, 201)
    await widgets.ask("GET", V1)
    assert widgets.converter.asked() == [("v1", 2), ("v1", 2)]


async def test_a_table_shows_the_columns_of_its_version(widgets: Widgets):
    await widgets.create("a", "b")
    table = await widgets.ask("GET", V1, accept="application/json;as=Table;v=v1;g=meta.k8s.io")
    assert [column["name"] for column in table["columnDefinitions"]] == ["Name", "Height"]
    assert [row["cells"] for row in table["rows"]] == [["a", 0], ["b", 1]]
    assert widgets.converter.asked() == [("v1", 2)]


async def test_versions_that_share_a_converter_are_converted_directly(widgets: Widgets):
    made, scheme, context = await widgets.create("a", path=V1), widgets.server.scheme, widgets.server.core.context()
    widgets.converter.asked()

    async def as_v3() -> Object:
        v1, v3 = [scheme.find(GroupVersion("acme.io", version), "widgets") for version in ("v1", "v3")]
        (shown,) = await convert([made], v1, v3, context, 0)
        return shown

    assert (await as_v3())["spec"] == {"length": 0}
    assert widgets.converter.asked() == [("v3", 1)]
    other = Converter(widgets.clock)
    scheme.replace((widgets.v3,), (widget("v3", ForeignConversion(widgets.stored, other)),))
    assert (await as_v3())["spec"] == {"length": 0}
    assert (widgets.converter.asked(), other.asked()) == ([("v2", 1)], [("v3", 1)])


# writing


async def test_what_a_write_has_converted(widgets: Widgets):
    made = await widgets.create("a", path=V1, finalizers=["acme.io/hold"])
    assert (made["apiVersion"], made["spec"]) == ("acme.io/v1", {"height": 0})
    assert widgets.converter.asked() == [("v2", 1), ("v1", 1)]
    assert (await widgets.ask("GET", f"{V2}/a"))["spec"] == {"size": 0}

    now, put, back = ("v1", 1), ("v2", 1), ("v1", 1)
    for path in (f"{V1}/a", f"{V1}/a/status"):
        shown = await widgets.ask("PATCH", path, {"spec": {"height": 3}, "status": {"phase": "Up"}}, content_type=MERGE)
        assert (shown["apiVersion"], shown["spec"]) == ("acme.io/v1", {"height": 3})
        assert widgets.converter.asked() == [now, put, back]
    shown["spec"]["height"] = 4
    updated = await widgets.ask("PUT", f"{V1}/a", shown)
    assert (updated["spec"], updated["status"]) == ({"height": 4}, {"phase": "Up"})
    assert int(updated["metadata"]["resourceVersion"]) == int(shown["metadata"]["resourceVersion"]) + 1
    assert widgets.converter.asked() == [now, put, back]

    deleting = await widgets.ask("DELETE", f"{V1}/a")
    assert (deleting["apiVersion"], "deletionTimestamp" in deleting["metadata"]) == ("acme.io/v1", True)
    assert widgets.converter.asked() == [now, back]
    await widgets.ask("PATCH", f"{V1}/a", {"metadata": {"finalizers": None}}, content_type=MERGE)
    assert widgets.converter.asked() == [now, put, back]
    await widgets.ask("GET", f"{V2}/a", None, 404)

    await widgets.create("b", "c")
    await widgets.ask("DELETE", f"{V1}/b")
    assert widgets.converter.asked() == [now]
    await widgets.ask("DELETE", V1)
    assert widgets.converter.asked() == [now]


async def test_an_applier_owns_fields_of_the_version_it_applies_in(widgets: Widgets):
    obj = {"apiVersion": "acme.io/v1", "kind": "Widget", "metadata": {"name": "a"}, "spec": {"height": 1}}
    made = await widgets.ask("PATCH", f"{V1}/a?fieldManager=one", obj, 201, content_type=APPLY)
    assert made["metadata"]["managedFields"][0]["fieldsV1"] == {"f:spec": {"f:height": {}}}
    assert widgets.converter.asked() == [("v2", 1), ("v1", 1)]
    assert await widgets.ask("PATCH", f"{V1}/a?fieldManager=one", obj, content_type=APPLY) == made
    assert widgets.converter.asked() == [("v1", 1)]
    other = {**obj, "spec": {"height": 2}}
    assert (
        'conflict with "one": .spec.height'
        in (await widgets.ask("PATCH", f"{V1}/a?fieldManager=two", other, 409, content_type=APPLY))["message"]
    )
    forced = await widgets.ask("PATCH", f"{V1}/a?fieldManager=two&force=true", other, content_type=APPLY)
    assert [entry["manager"] for entry in forced["metadata"]["managedFields"]] == ["two"]
    assert (await widgets.ask("GET", f"{V2}/a"))["spec"] == {"size": 2}


class Unlucky(Chance):
    """Comes up with the same suffix twice."""

    def suffix(self, *args: int) -> str:
        return next(self.suffixes)

    suffixes = iter(())


@pytest.mark.parametrize("path", [V1, V2])
async def test_a_name_that_was_taken_is_generated_anew_in_every_version(widgets: Widgets, path: str):
    widgets.server.core.chance = Unlucky(1)
    widgets.server.core.chance.suffixes = iter(("aaaaa", "aaaaa", "bbbbb"))
    for name in ("w-aaaaa", "w-bbbbb"):
        made = await widgets.ask("POST", path, {"metadata": {"generateName": "w-"}}, 201)
        assert made["metadata"]["name"] == name
        assert (await widgets.ask("GET", f"{path}/{name}")) == made


async def test_a_write_that_was_overtaken_while_it_was_converted_is_tried_again(widgets: Widgets):
    await widgets.create("a")
    slow = asyncio.create_task(widgets.ask("PATCH", f"{V1}/a", {"spec": {"height": 3}}, content_type=MERGE))
    await widgets.clock.sleep(0.5)
    await widgets.ask("PATCH", f"{V2}/a", {"spec": {"colours": {"red": "yes"}}}, content_type=MERGE)
    assert (await slow)["spec"] == {"height": 3, "colours": {"red": "yes"}}


@pytest.mark.parametrize("failing", ["v1", "v2"])
async def test_nothing_is_half_written_where_a_conversion_fails(widgets: Widgets, failing: str):
    await widgets.create("a", finalizers=["acme.io/hold"])
    await widgets.create("b")
    revision = widgets.server.core.store.revision
    widgets.converter.failing = (failing,)
    of = "v2" if failing == "v1" else "v1"
    sent = {"metadata": {"name": "c"}, "spec": {"height": 1}}
    await widgets.fails("POST", V1, of, sent)
    await widgets.fails("POST", f"{V1}?dryRun=All", of, sent)
    await widgets.fails("PUT", f"{V1}/a", of, {"metadata": {"name": "a"}, "spec": {"height": 1}})
    await widgets.fails("PATCH", f"{V1}/a", of, {"spec": {"height": 1}}, content_type=MERGE)
    await widgets.fails("PATCH", f"{V1}/a/status", of, {"status": {"phase": "Up"}}, content_type=MERGE)
    await widgets.fails("PATCH", f"{V1}/c?fieldManager=m", of, {**sent, "apiVersion": "acme.io/v1", "kind": "Widget"}, content_type=APPLY)
    if failing == "v1":
        for path in (f"{V1}/a", f"{V1}/b", V1):
            await widgets.fails("DELETE", path, of)
            await widgets.fails("GET", path, of)
    assert widgets.server.core.store.revision == revision
    assert [item["metadata"]["name"] for item in (await widgets.ask("GET", V2))["items"]] == ["a", "b"]


@pytest.mark.parametrize("hanging", ["v1", "v2"])
async def test_a_converter_that_never_answers_fails_after_a_while(widgets: Widgets, hanging: str):
    await widgets.create("a")
    revision = widgets.server.core.store.revision
    widgets.converter.hanging = (hanging,)
    of = "v2" if hanging == "v1" else "v1"
    sent = {"metadata": {"name": "c"}, "spec": {"height": 1}}
    began_s = widgets.clock.now()
    await widgets.fails("POST", V1, of, sent, SLOW)
    await widgets.fails("PATCH", f"{V1}/a", of, {"spec": {"height": 1}}, SLOW, content_type=MERGE)
    await widgets.fails("PUT", f"{V1}/a", of, {"metadata": {"name": "a"}, "spec": {"height": 1}}, SLOW)
    if hanging == "v1":
        for method, path in (("GET", f"{V1}/a"), ("GET", V1), ("DELETE", f"{V1}/a")):
            await widgets.fails(method, path, of, None, SLOW)
    assert widgets.server.core.store.revision == revision
    assert widgets.clock.now() - began_s < 6 * (limits.CONVERSION_S + 3)
    assert await widgets.ask("GET", f"{V2}/a"), "what needs no conversion is answered"


async def test_what_comes_back_is_not_taken_on_trust(widgets: Widgets):
    made = await widgets.create("a", labels={"l": "1"}, ownerReferences=[])
    said = "conversion webhook for acme.io/v2, Kind=Widget returned"

    def answering(*answer: Json):
        async def convert(objects: list[Object], to: GroupVersion) -> list[Object]:
            return list(answer)

        return widget("v1", ForeignConversion(widgets.stored, convert))

    foreign, made = made, {**made, "apiVersion": "acme.io/v1"}
    good = {**made, "metadata": {**made["metadata"], "labels": {"l": "2"}, "generation": 77, "resourceVersion": "1"}}
    kind = widgets.v1
    for answer, why in (
        ((), "0 objects, expected 1"),
        ((made, made), "2 objects, expected 1"),
        (("text",), "invalid converted object at index 0: missing metadata"),
        ((foreign,), "invalid converted object at index 0: invalid groupVersion (expected acme.io/v1, received acme.io/v2)"),
        (({**made, "kind": "Gadget"},), "invalid converted object at index 0: invalid kind (expected Widget, received Gadget)"),
        (({**made, "metadata": {}},), "invalid converted object at index 0: must have the same name: a != "),
        (
            ({**made, "metadata": {**made["metadata"], "uid": "u"}},),
            f"invalid converted object at index 0: must have the same uid: {made['metadata']['uid']} != u",
        ),
        (
            ({**made, "metadata": {**made["metadata"], "labels": {"l": 1}}},),
            "invalid metadata of object at index 0: labels is not a map of strings",
        ),
        ((good,), ""),
    ):
        changed = answering(*answer)
        widgets.server.scheme.replace((kind,), (changed,))
        kind = changed
        if why:
            assert (await widgets.ask("GET", f"{V1}/a", None, 500))["message"] == f"{said} {why}"
    shown = await widgets.ask("GET", f"{V1}/a")
    assert (shown["apiVersion"], shown["metadata"]) == ("acme.io/v1", {**made["metadata"], "labels": {"l": "2"}})


# watching


async def test_a_batch_of_events_is_converted_once_for_all_who_follow_a_version(widgets: Widgets):
    every, one, some = await widgets.watch(), await widgets.watch(), await widgets.watch(V1, "&labelSelector=l%3D1")
    await widgets.create("a", "b", "c", labels={"l": "1"})
    await settle(widgets)
    assert widgets.converter.asked() == [("v1", 3)]
    seen = [("ADDED", "a"), ("ADDED", "b"), ("ADDED", "c")]
    assert every.shown() == one.shown() == some.shown() == seen
    assert every.versions() == ["acme.io/v1"]

    other = await widgets.watch(V3)
    await widgets.ask("PATCH", f"{V2}/a", {"metadata": {"labels": {"l": "2"}}}, content_type=MERGE)
    await settle(widgets)
    assert sorted(widgets.converter.asked()) == [("v1", 1), ("v1", 1), ("v3", 1)], "who selects is shown the last state that matched"
    assert every.shown()[3:] == one.shown()[3:] == other.shown() == [("MODIFIED", "a")]
    assert some.shown()[3:] == [("DELETED", "a")]
    assert some.events[3]["object"]["metadata"]["labels"] == {"l": "1"}
    for watch in (every, one, some, other):
        await watch.close()


async def test_order_is_kept_and_nobody_else_waits(widgets: Widgets):
    slow, quick = await widgets.watch(), await widgets.watch(V2)
    begun = widgets.clock.now()
    for number in range(5):
        await widgets.create(f"w{number}")
        await widgets.ask("DELETE", f"{V2}/w{number}") if number % 2 else None
    for _ in range(20):
        await turn()
    assert widgets.clock.now() == begun, "no writer waits"
    assert len(quick.events) == 7
    assert slow.events == []
    await settle(widgets)
    assert slow.shown() == quick.shown()
    revisions = [int(event["object"]["metadata"]["resourceVersion"]) for event in slow.events]
    assert revisions == sorted(revisions)
    for watch in (slow, quick):
        await watch.close()


async def test_a_watch_begins_with_what_there_is_slice_by_slice(widgets: Widgets):
    await widgets.create(*(f"w-{number:03}" for number in range(300)))
    options = "&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true&resourceVersion="
    watch, other = await widgets.watch(V1, options), await widgets.watch(V1, options)
    await widgets.clock.sleep(0.5)
    await widgets.create("x")
    await settle(widgets)
    assert watch.shown() == other.shown() == [*[("ADDED", f"w-{number:03}") for number in range(300)], ("BOOKMARK", ""), ("ADDED", "x")]
    assert widgets.converter.asked() == [("v1", 250), ("v1", 50), ("v1", 1)]
    for each in (watch, other):
        await each.close()


async def test_a_bookmark_never_overtakes_events_that_are_being_converted(widgets: Widgets):
    watch = await widgets.watch(V1, "&allowWatchBookmarks=true")
    widgets.converter.seconds = limits.CONVERSION_S - 5
    await widgets.clock.sleep(limits.WATCH_BOOKMARK_S - 10)
    await widgets.create("a")
    await widgets.clock.sleep(15)
    await widgets.create("b")
    await widgets.clock.sleep(limits.CONVERSION_S - 5)
    assert watch.shown() == [("ADDED", "a"), ("BOOKMARK", "")]
    added, bookmark = [event["object"]["metadata"]["resourceVersion"] for event in watch.events]
    assert bookmark == added, "b comes later"
    await watch.close()


async def test_who_lags_behind_a_slow_converter_is_ended(widgets: Widgets, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(hub, "WATCH_QUEUE_EVENTS", 50)
    watch = await widgets.watch()
    await widgets.create("first")
    await widgets.clock.sleep(0.5)
    await widgets.create(*(f"w{number}" for number in range(60)))
    events = await watch.ended()
    assert watch.shown()[0] == ("ADDED", "first")
    assert [event["type"] for event in events] == ["ADDED", "ERROR"]
    assert events[1]["object"]["code"] == 410


async def test_a_conversion_that_fails_ends_the_watch_with_an_error(widgets: Widgets):
    one, other, stored = await widgets.watch(), await widgets.watch(), await widgets.watch(V2)
    widgets.converter.failing = ("v1",)
    await widgets.create("a")
    for watch in (one, other):
        (event,) = await watch.ended()
        assert (event["type"], event["object"]["code"]) == ("ERROR", 500)
        assert event["object"]["message"] == FAILED.format("v2")
    assert widgets.converter.asked() == [("v1", 1)]
    assert stored.shown() == [("ADDED", "a")]
    widgets.converter.failing = ()
    again = await widgets.watch(V1, f"&resourceVersion={widgets.server.core.store.revision - 1}")
    await settle(widgets)
    assert again.shown() == [("ADDED", "a")]
    for watch in (again, stored):
        await watch.close()


async def test_a_conversion_that_never_ends_ends_the_watch_with_an_error(widgets: Widgets):
    one, other, stored = await widgets.watch(), await widgets.watch(), await widgets.watch(V2)
    widgets.converter.hanging = ("v1",)
    await widgets.create("a")
    for watch in (one, other):
        (event,) = await watch.ended()
        assert (event["type"], event["object"]["code"]) == ("ERROR", 500)
        assert event["object"]["message"] == SLOW.format("v2")
    assert stored.shown() == [("ADDED", "a")]
    beginning = await widgets.watch(
        V1, "&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&resourceVersion=&allowWatchBookmarks=true"
    )
    (event,) = await beginning.ended()
    assert (event["type"], event["object"]["message"]) == ("ERROR", SLOW.format("v2"))
    widgets.converter.hanging = ()
    again = await widgets.watch(V1, f"&resourceVersion={widgets.server.core.store.revision - 1}")
    await settle(widgets)
    assert again.shown() == [("ADDED", "a")]
    for watch in (again, stored):
        await watch.close()


async def test_who_goes_while_a_batch_is_converted_takes_nobody_along(widgets: Widgets):
    first, second = await widgets.watch(), await widgets.watch()
    await widgets.create("a")
    await widgets.clock.sleep(0.5)
    await first.close()
    await settle(widgets)
    assert second.shown() == [("ADDED", "a")]
    assert widgets.converter.asked() == [("v1", 1), ("v1", 1)]
    await second.close()


async def test_what_is_converted_when_the_conversion_is_replaced_is_not_shown_to_others(widgets: Widgets):
    old = await widgets.watch()
    since = widgets.server.core.store.revision
    await widgets.create("a")
    await widgets.clock.sleep(0.5)
    other = Converter(widgets.clock)
    other.seconds = 0.1
    widgets.server.scheme.replace((widgets.v1,), (widget("v1", ForeignConversion(widgets.stored, other)),))
    await old.ended()
    await widgets.watch(V1, f"&resourceVersion={since}")
    await settle(widgets)
    new = await widgets.watch(V1, f"&resourceVersion={since}")
    await settle(widgets)
    assert new.shown() == [("ADDED", "a")]
    assert other.asked() == [("v1", 1)]
    await new.close()
