"""Objects with anything anywhere: the server says what is wrong, and never that it is at a loss."""

import copy
import zlib

import pytest

from svcsim.chance import Chance
from svcsim.meta.types import Json
from tests.wire.raw import APPLY, JSON_PATCH, MERGE, STRATEGIC, Wire
from tests.wire.test_verbs import Served, served

__all__ = ["served"]

ANYTHING: tuple[Json, ...] = (
    *(None, True, 0, -1, 2**63, 1.5),
    *("", "text", "1Gi", "a/b", "\x00"),
    *([], [None], [[]], ["a", "a"], [{}], [{"name": "x"}], [{"name": "x"}, {"name": "x"}]),
    *({}, {"": ""}, {"a": None}, {"name": "x"}),
)
TRIES = 30
"""In each dialect, by throws of its own: what is said differs in words alone from dialect to dialect."""


def dice(name: str) -> Chance:
    """The same throws every time, for every name their own."""
    return Chance(zlib.crc32(name.encode()))


def places(value: Json, path: tuple[Json, ...] = ()) -> list[tuple[Json, ...]]:
    """The path of every value within."""
    found = [path] if path else []
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for name, item in items:
        found += places(item, (*path, name))
    return found


def altered(value: Json, path: tuple[Json, ...], new: Json) -> Json:
    """A copy with another value there."""
    made = copy.deepcopy(value)
    at = made
    for name in path[:-1]:
        at = at[name]
    at[path[-1]] = new
    return made


def test_objects_with_anything_anywhere(served: Served):
    chance = dice(f"objects {served.kind.name} {served.wire.dialect.name}")
    name = served.fresh()
    sample = {"metadata": {"labels": {"a": "b"}, "annotations": {}, "finalizers": [], "ownerReferences": []}, **served.obj(name=name)}
    paths = [path for path in places(sample) if path != ("metadata", "name")]
    for _ in range(TRIES):
        obj = altered(sample, chance.choice(paths), chance.choice(ANYTHING))
        answer = served.wire.ask("POST", served.path, obj, dryRun="All")
        assert answer.status < 500, (obj, answer.body)
    for missing in [key for key in sample if key not in ("apiVersion", "kind", "metadata")]:
        obj = {key: value for key, value in sample.items() if key != missing}
        answer = served.wire.ask("POST", served.path, obj, dryRun="All")
        assert answer.status < 500, (obj, answer.body)


@pytest.mark.parametrize("media", [MERGE, STRATEGIC, APPLY, JSON_PATCH])
def test_patches_with_anything_anywhere(served: Served, media: str):
    chance = dice(f"{media} {served.kind.name} {served.wire.dialect.name}")
    created = served.create(labels={"a": "b"})
    paths = [path for path in places(created) if path != ("metadata", "name")]
    options = {"fieldManager": "tester", "force": "true"} if media == APPLY else {}
    for _ in range(TRIES // 2):
        path, new = chance.choice(paths), chance.choice(ANYTHING)
        if media == JSON_PATCH:
            operation = chance.choice(("add", "replace", "test", "remove", "move", "copy"))
            patch: Json = [
                {"op": operation, "path": "/" + "/".join(map(str, path)), "value": new, "from": chance.choice(("/metadata", "/spec", ""))}
            ]
        else:
            patch = altered(created, path, new)
            for own in ("uid", "resourceVersion", "managedFields"):
                if isinstance(patch.get("metadata"), dict):
                    patch["metadata"].pop(own, None)
        answer = served.wire.ask("PATCH", served.path_of(created), patch, content_type=media, dryRun="All", **options)
        assert answer.status < 500, (patch, answer.body)


@pytest.mark.parametrize(
    "entries", [[None], [{"operation": None}], [{"operation": "Apply", "manager": None, "time": None}], [{"operation": 7}]]
)
def test_managed_fields_of_any_shape(wire: Wire, maps: str, entries: Json):
    created = wire.create(maps, {"metadata": {"name": "a"}, "data": {"k": "v"}})
    answer = wire.ask("PATCH", f"{maps}/a", [{"op": "add", "path": "/metadata/managedFields", "value": entries}], content_type=JSON_PATCH)
    assert answer.status in (200, 400, 422), answer.body
    assert wire.get(f"{maps}/a")["data"] == created["data"]


@pytest.mark.parametrize("moment", ["0001-01-01T00:00:00+00:01", "9999-12-31T23:59:59-00:01"])
@pytest.mark.parametrize("field", ["creationTimestamp", "deletionTimestamp"])
def test_moments_just_outside_of_all_years_are_refused(wire: Wire, maps: str, field: str, moment: str):
    obj = {"metadata": {"name": wire.fresh(), field: moment}}
    answer = wire.ask("POST", maps, obj)
    assert (answer.status, "out of range" in answer.message) == (400, True), answer.body


@pytest.mark.parametrize("op", [{}, [], {"a": "b"}, None, 1, True, "", "nope"])
def test_a_patch_with_an_operation_that_is_none_is_refused(wire: Wire, maps: str, op: Json):
    name = wire.fresh()
    assert wire.ask("POST", maps, {"metadata": {"name": name}}).status == 201
    answer = wire.ask("PATCH", f"{maps}/{name}", [{"op": op, "path": "/a", "value": 1}], content_type=JSON_PATCH)
    assert answer.status == 422, answer.body


@pytest.mark.parametrize("query", ["since=%C2%B2", "since=-1", "since=1e3", "since=" + "9" * 5_000])
def test_a_journal_from_no_revision_is_refused(wire: Wire, query: str):
    answer = wire.ask("GET", f"/svcsim/v1/journal?{query}")
    assert answer.status == 400, answer.body


@pytest.mark.parametrize("number", ["0" * 5_000, "0" * 5_000 + "1", "%2B" + "0" * 5_000, "-" + "0" * 5_000])
def test_a_number_may_begin_with_any_number_of_zeros(wire: Wire, maps: str, number: str):
    assert wire.ask("GET", f"{maps}?limit={number}").status == 200
    assert wire.ask("GET", f"{maps}?resourceVersion={number.lstrip('%2B-')}").status == 200


def test_a_percentage_has_an_end(wire: Wire):
    labels = {"app": "a"}
    spec = {
        "selector": {"matchLabels": labels},
        "template": {"metadata": {"labels": labels}, "spec": {"containers": [{"name": "a", "image": "a"}]}},
        "strategy": {"rollingUpdate": {"maxSurge": "1%", "maxUnavailable": "9" * 5_000 + "%"}},
    }
    answer = wire.ask("POST", "/apis/apps/v1/namespaces/default/deployments", {"metadata": {"name": wire.fresh()}, "spec": spec})
    assert answer.status == 422, answer.body
