"""Fields that a write may not change: who sends them doesn't come to own them, and takes them from nobody.

What the object then has of them is not for these scripts: `test_reset_fields`.
"""

import pytest

from svcsim.apply.reset_fields import FieldFilter
from svcsim.meta.types import Json, Object
from svcsim.schema.types import Field, Map, Raw, Str, Struct
from tests.apply.state import Apply, Convert, Expect, State, Step, Update, same_fields

FREE = Struct("Free", Field(1, "free", Raw(granular=True)), Field(2, "maps", Map(value=Map(value=Str()))))
SERVED = {"v1": FREE, "v2": FREE, "v3": FREE}
DEEP: Object = {"free": {"number": 1, "inner": {"text": "x", "number": 2}}}
WAYS = ["resets", "writes"]


def run_filtered(filters: dict[str, FieldFilter], *steps: Step, convert: Convert = same_fields) -> None:
    state = State(SERVED, convert)
    state.written = filters
    for step in steps:
        step.run(state)


def ignoring(way: str, ignored: str, other: str) -> FieldFilter:
    """A filter that ignores one of two fields, told either way round."""
    return FieldFilter.of(resets=(ignored,)) if way == "resets" else FieldFilter.of(writes=(other,))


@pytest.mark.parametrize("way", WAYS)
def test_an_update_owns_nothing_that_is_ignored(way: str) -> None:
    run_filtered(
        {"v1": ignoring(way, "spec.free.text", "spec.free.number")},
        Update("first", {"free": {}}),
        Update("bot", {"free": {"number": 1, "text": "x"}}),
        Expect(managed={"bot": [".free.number"]} if way == "writes" else {"first": [".free"], "bot": [".free.number"]}),
    )


@pytest.mark.parametrize("way", WAYS)
def test_an_update_owns_nothing_in_what_is_ignored(way: str) -> None:
    run_filtered(
        {"v1": ignoring(way, "spec.free.inner", "spec.free.number")},
        Apply("first", {"free": {"a": 1}}, version="v2"),
        Update("bot", {"free": {"a": 1, **DEEP["free"]}}),
        Expect(managed={"first@v2": [".free.a"], "bot": [".free.number"]}),
    )


@pytest.mark.parametrize("way", WAYS)
def test_an_apply_owns_nothing_that_is_ignored(way: str) -> None:
    run_filtered(
        {"v1": ignoring(way, "spec.free.text", "spec.free.number")},
        Apply("ann", {"free": {"number": 1, "text": "x"}}),
        Expect(managed={"ann": [".free.number"]}),
    )


@pytest.mark.parametrize("way", WAYS)
def test_an_apply_owns_nothing_in_what_is_ignored(way: str) -> None:
    run_filtered(
        {"v1": ignoring(way, "spec.free.inner", "spec.free.number")}, Apply("ann", DEEP), Expect(managed={"ann": [".free.number"]})
    )


@pytest.mark.parametrize("way", WAYS)
def test_an_update_takes_nothing_that_is_ignored(way: str) -> None:
    state = State(SERVED)
    Apply("ann", {"free": {"number": 1, "text": "x"}}).run(state)
    state.written = {"v1": ignoring(way, "spec.free.text", "spec.free.number")}
    Update("bot", {"free": {"number": 2, "text": "y"}}).run(state)
    Expect(managed={"ann": [".free.text"], "bot": [".free.number"]}).run(state)


@pytest.mark.parametrize("way", WAYS)
def test_nothing_that_is_ignored_is_a_conflict(way: str) -> None:
    state = State(SERVED)
    Apply("ann", {"free": {"number": 1, "text": "x"}}).run(state)
    state.written = {"v1": ignoring(way, "spec.free.text", "spec.free.number")}
    Apply("ben", {"free": {"number": 1, "text": "y"}}).run(state)
    Expect(managed={"ann": [".free.number", ".free.text"], "ben": [".free.number"]}).run(state)


def test_what_is_ignored_is_not_given_up() -> None:
    state = State(SERVED)
    Apply("ann", {"free": {"number": 1, "text": "x"}}).run(state)
    state.written = {"v1": FieldFilter.of(resets=("spec.free.text",))}
    Update("bot", {"free": {"number": 1}}).run(state)
    Expect(managed={"ann": [".free.number", ".free.text"]}).run(state)


def stretched(spec: Json, _: str, after: str) -> Json:
    """Keys of maps are as many letters long as the version's number says."""
    if not isinstance(spec, dict) or "maps" not in spec:
        return spec
    return {"maps": {name[0] * int(after[1:]): inner for name, inner in (spec["maps"] or {}).items()}}


EACH_VERSION = {f"v{number}": FieldFilter.of(resets=(f"spec.maps.{'c' * number}",)) for number in range(1, 4)}


def test_every_version_ignores_under_its_own_names() -> None:
    run_filtered(
        EACH_VERSION,
        Apply("ann", {"maps": {"a": {"x": "1"}, "c": {"x": "1"}}}),
        Apply("ben", {"maps": {"aa": {"x": "1"}, "cc": {"x": "1"}}}, version="v2"),
        Expect(managed={"ann": [".maps.a", ".maps.a.x"], "ben@v2": [".maps.aa", ".maps.aa.x"]}),
        Apply("ann", {"maps": {}}, version="v3"),
        Expect({"maps": {"aaa": {"x": "1"}, "ccc": {"x": "1"}}}, {"ben@v2": [".maps.aa", ".maps.aa.x"], "ann@v3": [".maps"]}),
        convert=stretched,
    )


def test_an_update_in_one_version_takes_nothing_that_another_ignores() -> None:
    run_filtered(
        {"v2": FieldFilter.of(resets=("spec.maps.cc",))},
        Update("cat", {"maps": {"c": {"x": "1"}}}),
        Update("bot", {"maps": {"aa": {"x": "1"}, "cc": {"x": "2"}}}, version="v2"),
        Expect(managed={"bot@v2": [".maps.aa", ".maps.aa.x"], "cat": [".maps", ".maps.c"]}),
        convert=stretched,
    )


def test_an_apply_in_a_version_owns_nothing_that_it_ignores() -> None:
    run_filtered(
        {"v2": FieldFilter.of(resets=("spec.maps.cc",))},
        Apply("cat", {"maps": {"c": {"x": "1"}}}),
        Apply("bot", {"maps": {"aa": {"x": "1"}, "cc": {"x": "1"}}}, version="v2"),
        Expect(managed={"cat": [".maps.c", ".maps.c.x"], "bot@v2": [".maps.aa", ".maps.aa.x"]}),
        convert=stretched,
    )
