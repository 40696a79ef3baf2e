"""Versions of one kind of which only one has a subresource: it is that version's own, and takes nothing from the other."""

import json
from pathlib import Path

import pytest

from svcsim.meta.types import GroupVersion, Object
from svcsim.registry.kind import Conversion, ForeignConversion, Group, Kind, Status, Subresource
from svcsim.schema.types import Field, Str, Struct
from svcsim.storage.store import LmdbStore
from tests.server.conftest import Server
from tests.server.small_kinds import KINDS

pytestmark = pytest.mark.virtual_time

MERGE = "application/merge-patch+json"
OLD, NEW = [f"/apis/acme.io/{version}/namespaces/default/widgets" for version in ("v1", "v2")]
SCHEMA = Struct(
    "Widget",
    Field(2, "spec", Struct("WidgetSpec", Field(1, "size", Str()), Field(2, "colour", Str()))),
    Field(3, "status", Struct("WidgetStatus", Field(1, "phase", Str()))),
)


async def _renamed(objects: list[Object], to: GroupVersion) -> list[Object]:
    return [{**obj, "apiVersion": str(to)} for obj in objects]


class Widgets:
    """v2 is stored; what v1 shows is converted in this process or outside of it."""

    def __init__(self, store: LmdbStore, stored: Kind, *, foreign: bool, status: Status | None = None, paint: bool = False) -> None:
        conversion = ForeignConversion(stored, _renamed) if foreign else Conversion(stored, lambda o, _c: {**o}, lambda o, _c: {**o})
        more = (Subresource("paint", ("get", "update", "patch"), writes=("spec.colour",)),) if paint else ()
        old = Kind(Group("acme.io", "v1"), "widgets", SCHEMA, status=status, subresources=more, conversion=conversion)
        self._server = Server(store, "kubernetes", (*KINDS, stored, old))

    async def start(self) -> "Widgets":
        await self._server.create("/api/v1/namespaces", "default")
        return self

    async def create(self, path: str, body: Object) -> Object:
        response = await self._server.ask("POST", path, {"metadata": {"name": "w"}, **body})
        assert response.status == 201, response.body
        return json.loads(response.body)

    async def patch(self, path: str, body: Object) -> Object:
        response = await self._server.ask("PATCH", path, body, content_type=MERGE)
        assert response.status == 200, response.body
        return json.loads(response.body)


@pytest.fixture
async def store(tmp_path: Path):
    store = LmdbStore.open(tmp_path / "store", dialect="kubernetes", durability="none", threads=False)
    yield store
    await store.close()


@pytest.mark.parametrize("foreign", [False, True])
async def test_a_status_that_only_the_version_asked_for_keeps_apart_is_kept_apart_through_it(store: LmdbStore, foreign: bool):
    stored = Kind(Group("acme.io", "v2"), "widgets", SCHEMA)
    widgets = await Widgets(store, stored, foreign=foreign, status=Status()).start()
    made = await widgets.create(OLD, {"spec": {"size": "1"}, "status": {"phase": "Made"}})
    assert "status" not in made
    reported = await widgets.patch(f"{OLD}/w/status", {"spec": {"size": "2"}, "status": {"phase": "Up"}})
    assert (reported["spec"], reported["status"]) == ({"size": "1"}, {"phase": "Up"})
    changed = await widgets.patch(f"{OLD}/w", {"spec": {"size": "3"}, "status": {"phase": "Down"}})
    assert (changed["spec"], changed["status"]) == ({"size": "3"}, {"phase": "Up"})
    through_stored = await widgets.patch(f"{NEW}/w", {"status": {"phase": "Gone"}})
    assert through_stored["status"] == {"phase": "Gone"}


@pytest.mark.parametrize("foreign", [False, True])
async def test_a_status_that_only_the_stored_version_keeps_apart_is_written_through_the_other(store: LmdbStore, foreign: bool):
    stored = Kind(Group("acme.io", "v2"), "widgets", SCHEMA, status=Status())
    widgets = await Widgets(store, stored, foreign=foreign).start()
    made = await widgets.create(OLD, {"spec": {"size": "1"}, "status": {"phase": "Made"}})
    assert made["status"] == {"phase": "Made"}
    changed = await widgets.patch(f"{OLD}/w", {"status": {"phase": "Up"}})
    assert changed["status"] == {"phase": "Up"}
    through_stored = await widgets.patch(f"{NEW}/w", {"spec": {"size": "2"}, "status": {"phase": "Gone"}})
    assert (through_stored["spec"], through_stored["status"]) == ({"size": "2"}, {"phase": "Up"})


@pytest.mark.parametrize("foreign", [False, True])
async def test_a_subresource_that_only_the_version_asked_for_has_writes_its_fields_alone(store: LmdbStore, foreign: bool):
    stored = Kind(Group("acme.io", "v2"), "widgets", SCHEMA)
    widgets = await Widgets(store, stored, foreign=foreign, paint=True).start()
    await widgets.create(OLD, {"spec": {"size": "1", "colour": "red"}})
    painted = await widgets.patch(f"{OLD}/w/paint", {"spec": {"size": "2", "colour": "blue"}})
    assert painted["spec"] == {"size": "1", "colour": "blue"}
