"""What it takes to read objects whose definition has changed: each is looked at once, and only if the change can have meant it."""

import asyncio
import gc
import json
import weakref
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from svcsim import limits
from svcsim.meta.http import Request
from svcsim.meta.types import GroupVersion
from svcsim.registry import shown
from svcsim.registry.kept_forms import KeptForms
from tests.controllers.running import Running
from tests.controllers.test_custom_resources_runs import (
    Object,
    cluster,
    defined,
    definition,
    definitions,
    of_size,
    redefined,
    widget,
    widgets,
)
from tests.virtual import run_virtual

OBJECTS = 20


class Walks:
    """How many objects were decoded to be shown."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self._count = 0
        walked = shown._walked

        async def counted(core: Any, resource: Any, stored: Sequence[tuple[int, bytes]]) -> list[bytes]:
            self._count += len(stored)
            return await walked(core, resource, stored)

        monkeypatch.setattr(shown, "_walked", counted)

    def since(self) -> int:
        """Since this was asked before."""
        count, self._count = self._count, 0
        return count


@pytest.fixture
def walks(monkeypatch: pytest.MonkeyPatch) -> Walks:
    return Walks(monkeypatch)


async def some(r: Running, **spec: Any) -> None:
    for number in range(OBJECTS):
        await widgets(r).create(widget(f"o{number:02}", **spec))


async def specs(r: Running, version: str = "v1") -> list[Object]:
    page = await widgets(r, version).list()
    assert {obj["apiVersion"] for obj in page.items} <= {f"acme.io/{version}"}
    return [obj["spec"] for obj in page.items]


NEWER = {"type": "string", "default": "here"}


@pytest.mark.virtual_time
async def test_changes_that_alter_no_object_cost_nothing(walks: Walks):
    async with cluster("kubernetes") as r:
        await defined(r, definition(r, of_size(old={"type": "string"})))
        await some(r, old="kept")
        before = (await widgets(r).list()).items
        changes: list[Object] = [
            {"names": {**definition(r)["spec"]["names"], "shortNames": ["wd"], "categories": []}},
            {"versions": definition(r, of_size(old={"type": "string", "description": "Once", "maxLength": 9}))["spec"]["versions"]},
        ]
        more = definition(r, of_size(old={"type": "string", "enum": ["kept"]}))["spec"]["versions"]
        more[0] |= {"additionalPrinterColumns": [], "selectableFields": [{"jsonPath": ".spec.old"}]}
        more[0]["subresources"] = {"scale": {"specReplicasPath": ".spec.size", "statusReplicasPath": ".status.size"}}
        more[0] |= {"deprecated": True}
        for change in (*changes, {"versions": more}):
            made = await definitions(r).get("widgets.acme.io")
            changed = await definitions(r).update({**made, "spec": {**made["spec"], **change}})
            assert changed["metadata"]["generation"] > made["metadata"]["generation"]
            assert (await widgets(r).list()).items == before
            assert await widgets(r).get("o03") == before[3]
            assert walks.since() == 0


@pytest.mark.virtual_time
@pytest.mark.parametrize("streamed", [False, True], ids=["a page", "as it is read"])
async def test_each_object_is_looked_at_once_after_a_change(walks: Walks, monkeypatch: pytest.MonkeyPatch, streamed: bool):
    if streamed:
        monkeypatch.setattr(limits, "STREAMED_LIST_RECORDS", 2)
    async with cluster("kubernetes") as r:
        await defined(r, definition(r, of_size(old={"type": "string"})))
        await some(r, old="gone")
        await redefined(r, of_size(new=NEWER))
        await widgets(r).create(widget("late"))
        await widgets(r).patch("o00", {"spec": {"size": 4}})
        wanted = [{"size": 3, "new": "here"}, {"size": 4, "new": "here"}, *[{"size": 3, "new": "here"}] * (OBJECTS - 1)]
        assert await specs(r) == wanted
        assert walks.since() == OBJECTS - 1, "those that were written since are as they have to be"
        for _ in range(2):
            assert await specs(r) == wanted
        assert (await widgets(r).get("o05"))["spec"] == wanted[-1]
        async with widgets(r).watch("", bookmarks=False) as events:
            assert (await anext(aiter(events))).object["spec"] == wanted[0]
        made = await definitions(r).get("widgets.acme.io")
        await definitions(r).update({**made, "spec": {**made["spec"], "names": {**made["spec"]["names"], "categories": []}}})
        assert await specs(r) == wanted
        assert walks.since() == 0
        await redefined(r, of_size(old={"type": "string"}, new=NEWER))
        assert (await specs(r))[-1] == {"size": 3, "old": "gone", "new": "here"}, "what nobody has written is there again"
        assert (await specs(r))[0] == {"size": 3, "new": "here"}
        assert walks.since() == OBJECTS + 1


@pytest.mark.virtual_time
async def test_objects_that_are_as_they_have_to_be_are_served_byte_for_byte(walks: Walks):
    async with cluster("kubernetes") as r:
        await defined(r, definition(r, of_size()))
        await some(r)
        before = (await widgets(r).list()).items
        await redefined(r, of_size(new={"type": "string"}))
        for _ in range(3):
            assert (await widgets(r).list()).items == before
        assert walks.since() == OBJECTS


@pytest.mark.virtual_time
async def test_versions_that_differ_in_name_alone_need_no_look_at_an_object(walks: Walks):
    async with cluster("kubernetes") as r:
        same, other = {**of_size(), "name": "v1beta1", "storage": False}, {**of_size(new=NEWER), "name": "v1alpha1", "storage": False}
        await defined(r, definition(r, of_size(), same, other))
        await some(r)
        assert await specs(r, "v1beta1") == await specs(r) == [{"size": 3}] * OBJECTS
        assert walks.since() == 0
        stored, shown_as = [await widgets(r, version).get("o01") for version in ("v1", "v1beta1")]
        assert shown_as == {**stored, "apiVersion": "acme.io/v1beta1"}
        for _ in range(3):
            assert len(await specs(r, "v1alpha1")) == OBJECTS
        assert walks.since() == OBJECTS, "those that differ in more look at each once"
        await widgets(r, "v1beta1").patch("o00", {"spec": {"size": 4}})
        assert [(await specs(r, version))[0]["size"] for version in ("v1", "v1beta1", "v1alpha1")] == [4, 4, 4]
        assert walks.since() == 1
        # Objects of before, in a version that differs in nothing but its name from the stored one:
        grown = of_size(more=NEWER)
        await redefined(r, grown, {**grown, "name": "v1beta1", "storage": False}, other)
        assert await specs(r, "v1beta1") == [{"size": 4, "more": "here"}, *[{"size": 3, "more": "here"}] * (OBJECTS - 1)]
        assert await specs(r) == await specs(r, "v1beta1")
        assert walks.since() == OBJECTS


@pytest.mark.virtual_time
async def test_a_write_that_the_old_schema_let_through_is_stored_as_the_new_one_has_it():
    async with cluster("kubernetes") as r:
        before, after = of_size(old={"type": "string"}), of_size(new=NEWER)
        made = await defined(r, definition(r, before))
        await widgets(r).create(widget("was"))
        await widgets(r).create(widget("goes"))
        changed = {**made, "spec": definition(r, after)["spec"]}
        # Nobody waits for the definition: the writes are decided while it is on its way.
        await asyncio.gather(
            definitions(r).update(changed),
            widgets(r).create(widget(old="gone")),
            widgets(r).patch("was", {"spec": {"old": "gone"}}),
            widgets(r).delete("goes"),
        )
        assert {obj["metadata"]["name"]: obj["spec"] for obj in (await widgets(r).list()).items} == {
            "one": {"size": 3, "new": "here"},
            "was": {"size": 3, "new": "here"},
        }
        revision = (await definitions(r).get("widgets.acme.io"))["metadata"]["resourceVersion"]
        assert int((await widgets(r).get("one"))["metadata"]["resourceVersion"]) > int(revision), "it came later, and was decided before"


@pytest.mark.virtual_time
async def test_who_selects_sees_an_object_go_as_the_schema_of_today_has_it():
    async with cluster("kubernetes") as r:
        await defined(r, definition(r, of_size(old={"type": "string"})))
        await widgets(r).create({**widget(old="gone"), "metadata": {"name": "one", "namespace": "default", "labels": {"a": "b"}}})
        await redefined(r, of_size(new=NEWER))
        revision = (await widgets(r).list()).revision
        async with (
            widgets(r).watch(revision, label_selector="a=b", bookmarks=False) as selected,
            widgets(r).watch(revision, bookmarks=False) as everything,
        ):
            patched = await widgets(r).patch("one", {"metadata": {"labels": {"a": None}}, "spec": {"size": 4}})
            gone, changed = await anext(aiter(selected)), await anext(aiter(everything))
        assert (gone.type, gone.object["spec"], gone.object["metadata"]["labels"]) == ("DELETED", {"size": 3, "new": "here"}, {"a": "b"})
        assert (changed.type, changed.object) == ("MODIFIED", patched)
        assert gone.object["metadata"]["resourceVersion"] == patched["metadata"]["resourceVersion"]


def test_after_a_restart_what_came_after_the_definition_is_not_looked_at(tmp_path: Path, walks: Walks):
    async def write() -> None:
        async with cluster("kubernetes", tmp_path) as r:
            await defined(r, definition(r, of_size(old={"type": "string"})))
            await some(r, old="gone")
            await redefined(r, of_size(new=NEWER))
            await widgets(r).create(widget("late"))

    async def read() -> None:
        async with cluster("kubernetes", tmp_path) as r:
            walks.since()
            for _ in range(2):
                assert await specs(r) == [{"size": 3, "new": "here"}] * (OBJECTS + 1)
            assert walks.since() == OBJECTS

    run_virtual(write())
    run_virtual(read())


@pytest.mark.virtual_time
async def test_pages_go_on_across_a_change(walks: Walks):
    async with cluster("kubernetes") as r:
        await defined(r, definition(r, of_size(old={"type": "string"})))
        await some(r, old="gone")
        path = "/apis/acme.io/v1/namespaces/default/widgets"

        async def page(query: str) -> Object:
            answer = await r.client.transport.send(Request("GET", path, query, {}, b""))
            found: Object = json.loads(answer.body)
            return found

        first = await page("limit=5")
        assert [obj["spec"] for obj in first["items"]] == [{"size": 3, "old": "gone"}] * 5
        await redefined(r, of_size(new=NEWER))
        rest = await page(f"limit=500&continue={first['metadata']['continue']}")
        assert [obj["spec"] for obj in rest["items"]] == [{"size": 3, "new": "here"}] * (OBJECTS - 5)
        assert [obj["spec"] for obj in (await page("resourceVersion=0"))["items"]] == [{"size": 3, "new": "here"}] * OBJECTS
        assert walks.since() == OBJECTS


def test_no_more_is_kept_than_may_be(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(limits, "KEPT_FORMS_BYTES", 100_000)
    kept = KeptForms()
    for revision in range(1_000):
        kept.keep("a", revision, b"x" * 800)
        assert kept.find("a", 0) == b"x" * 800, "what is asked for again and again stays"
    there = [revision for revision in range(1_000) if kept.find("a", revision) is not None]
    assert 40 <= len(there) <= 101
    assert there[-1] == 999
    assert kept.find("b", 999) is None


@pytest.mark.virtual_time
async def test_what_a_definition_was_before_is_freed_without_a_search_for_garbage():
    """Nothing of it refers to itself: a server that searched for such things would stand still for seconds."""
    async with cluster("kubernetes") as r:
        rules = {"x-kubernetes-validations": [{"rule": "self != 'b'"}]}
        await defined(r, definition(r, of_size(a={"type": "string", "maxLength": 9, **rules})))
        await some(r, a="c")
        await specs(r)
        await r.client.get_json("/openapi/v3/apis/acme.io/v1")
        group_version = GroupVersion("acme.io", "v1")
        before = weakref.ref(r.cluster.registry.core.scheme.find(group_version, "widgets"))
        gc.disable()
        try:
            await redefined(r, of_size(new=NEWER))
            await specs(r)
            await r.client.get_json("/openapi/v3/apis/acme.io/v1")
            await r.clock.sleep(10)
            assert before() is None
        finally:
            gc.enable()
