"""Several appliers of one object: what they share, what each takes with it, and conversion between the versions they apply in."""

import itertools

import pytest

from svcsim.meta.types import Json, Object
from svcsim.schema.types import Field, Int, List, Map, Ref, Str, Struct
from tests.apply.state import Apply, Expect, ForceApply, Update, run


def _pot() -> Struct:
    return POT


HERB = Struct("Herb", Field(1, "name", Str()), Field(2, "count", Int()), Field(3, "uses", List(item=Str(), list_type="set")))
POT = Struct("Pot", Field(1, "pots", Map(value=Ref(target=_pot))))
PLANT = Struct("Plant", Field(1, "leaves", Str()), Field(2, "roots", Str()))
GARDEN = Struct(
    "Garden",
    Field(1, "herbs", List(item=HERB, list_type="map", keys=("name",))),
    Field(2, "pots", Map(value=POT)),
    Field(3, "plant", Struct("Whole", Field(1, "leaves", Str()), Field(2, "roots", Str()), atomic=True)),
)
SERVED = {"v1": GARDEN, "v2": GARDEN, "v3": GARDEN, "v4": GARDEN}


def herb(name: str, *fields: str) -> list[str]:
    item = f'.herbs[name="{name}"]'
    return [item, *(f"{item}.{field}" for field in sorted((*fields, "name")))]


def test_each_removes_only_what_it_applied() -> None:
    run(
        SERVED,
        Apply("ann", {"herbs": [{"name": "basil"}, {"name": "thyme"}]}),
        Apply("ben", {"herbs": [{"name": "mint"}]}, version="v2"),
        Apply("ann", {"herbs": [{"name": "basil"}]}, version="v3"),
        Expect({"herbs": [{"name": "basil"}, {"name": "mint"}]}, {"ben@v2": herb("mint"), "ann@v3": herb("basil")}),
    )


def test_the_same_value_is_no_conflict_and_has_two_owners() -> None:
    config: Object = {"herbs": [{"name": "basil", "count": 0}]}
    run(
        SERVED,
        Apply("ann", config),
        Apply("ben", config, version="v2"),
        Expect(config, {"ann": herb("basil", "count"), "ben@v2": herb("basil", "count")}),
    )


def test_of_two_owners_neither_may_change_the_value() -> None:
    run(
        SERVED,
        Apply("ann", {"herbs": [{"name": "basil", "count": 0}]}),
        Apply("ben", {"herbs": [{"name": "basil", "count": 0}]}),
        Apply("ann", {"herbs": [{"name": "basil", "count": 1}]}, conflicts=['"ben": .herbs[name="basil"].count']),
        Apply("ben", {"herbs": [{"name": "basil", "count": 1}]}, conflicts=['"ann": .herbs[name="basil"].count']),
    )


def test_another_value_is_a_conflict_and_changes_nothing() -> None:
    before: Object = {"herbs": [{"name": "basil", "count": 0}]}
    run(
        SERVED,
        Apply("ann", before),
        Apply("ben", {"herbs": [{"name": "basil", "count": 1}]}, version="v2", conflicts=['"ann": .herbs[name="basil"].count']),
        Expect(before, {"ann": herb("basil", "count")}),
    )


def test_what_two_applied_stays_for_the_one_who_still_does() -> None:
    run(
        SERVED,
        Apply("ann", {"herbs": [{"name": "basil"}, {"name": "thyme"}, {"name": "mint"}]}),
        Apply("ben", {"herbs": [{"name": "mint"}, {"name": "sage"}]}, version="v2"),
        Apply("ann", {"herbs": [{"name": "basil"}]}, version="v3"),
        Expect(
            {"herbs": [{"name": "basil"}, {"name": "mint"}, {"name": "sage"}]},
            {"ben@v2": herb("mint") + herb("sage"), "ann@v3": herb("basil")},
        ),
    )


def test_force_takes_a_field_from_all_its_owners() -> None:
    run(
        SERVED,
        Apply("ann", {"herbs": [{"name": "basil", "count": 0}]}),
        Apply("ben", {"herbs": [{"name": "basil", "count": 0}]}),
        ForceApply("cat", {"herbs": [{"name": "basil", "count": 1}]}),
        Expect(managed={"ann": herb("basil"), "ben": herb("basil"), "cat": herb("basil", "count")}),
    )


def test_part_of_an_item_goes_and_the_others_part_stays() -> None:
    use = '.herbs[name="thyme"].uses'
    run(
        SERVED,
        Apply("ann", {"herbs": [{"name": "basil"}, {"name": "thyme", "uses": ["tea"]}]}),
        Apply("ben", {"herbs": [{"name": "thyme", "uses": ["oil"]}]}, version="v2"),
        Apply("ann", {"herbs": [{"name": "basil"}]}, version="v3"),
        Expect(
            {"herbs": [{"name": "basil"}, {"name": "thyme", "uses": ["oil"]}]},
            {"ben@v2": [*herb("thyme"), f'{use}[="oil"]'], "ann@v3": herb("basil")},
        ),
    )


def test_what_an_updater_added_to_an_item_stays_as_long_as_somebody_applies_the_item() -> None:
    use = '.herbs[name="thyme"].uses'
    run(
        SERVED,
        Apply("ann", {"herbs": [{"name": "basil"}, {"name": "thyme", "uses": ["tea"]}]}),
        Apply("ben", {"herbs": [{"name": "thyme", "uses": ["oil"]}]}, version="v2"),
        Update("bot", {"herbs": [{"name": "basil"}, {"name": "thyme", "uses": ["tea", "oil", "dye"]}]}, version="v2"),
        Apply("ann", {"herbs": [{"name": "basil"}]}, version="v3"),
        Expect(
            {"herbs": [{"name": "basil"}, {"name": "thyme", "uses": ["oil", "dye"]}]},
            {"ben@v2": [*herb("thyme"), f'{use}[="oil"]'], "bot@v2": [f'{use}[="dye"]'], "ann@v3": herb("basil")},
        ),
    )


@pytest.mark.parametrize("version", ["v1", "v2", "v3"])
def test_what_an_updater_added_to_an_item_goes_with_its_only_applier(version: str) -> None:
    run(
        SERVED,
        Apply("ann", {"herbs": [{"name": "basil"}, {"name": "thyme", "uses": ["tea"]}]}),
        Apply("ben", {"herbs": [{"name": "basil", "uses": ["oil"]}]}, version="v2"),
        Update("bot", {"herbs": [{"name": "basil", "uses": ["oil"]}, {"name": "thyme", "uses": ["tea", "dye"]}]}, version=version),
        Apply("ann", {"herbs": [{"name": "basil"}]}, version="v3"),
        Expect(
            {"herbs": [{"name": "basil", "uses": ["oil"]}]},
            {"ben@v2": [*herb("basil"), '.herbs[name="basil"].uses[="oil"]'], "ann@v3": herb("basil")},
        ),
    )


def nest(*names: str) -> Json:
    """Pots in pots, by their names from the outside in."""
    return {"pots": {names[0]: nest(*names[1:])}} if names else {}


def test_maps_in_maps_by_appliers_and_updaters_of_several_versions() -> None:
    red, blue = ".pots.red", ".pots.blue"
    run(
        SERVED,
        Apply("ann", {"pots": {"red": nest("a"), "blue": nest("b")}}),
        Apply("ben", {"pots": {"red": {}, "blue": nest("b")}}, version="v2"),
        Update("bot", {"pots": {"red": nest("a", "c"), "blue": nest("b", "d")}}, version="v3"),
        Update("cat", {"pots": {"red": nest("a", "c", "e"), "blue": nest("b", "d", "f")}}, version="v2"),
        Update("bot", {"pots": {"red": nest("a", "c", "e", "g"), "blue": nest("b", "d", "f", "h")}}, version="v3"),
        Apply("ann", {"pots": None}, version="v4"),
        Expect(
            {"pots": {"red": {"pots": {}}, "blue": nest("b", "d", "f", "h")}},
            {
                "ben@v2": [blue, f"{blue}.pots.b", red],
                "cat@v2": [f"{blue}.pots.b.pots.d.pots", f"{blue}.pots.b.pots.d.pots.f"],
                "bot@v3": [
                    f"{blue}.pots.b.pots",
                    f"{blue}.pots.b.pots.d",
                    f"{blue}.pots.b.pots.d.pots.f.pots",
                    f"{blue}.pots.b.pots.d.pots.f.pots.h",
                ],
                "ann@v4": [".pots"],
            },
        ),
    )


def test_an_atomic_struct_has_one_applier_at_a_time() -> None:
    run(
        SERVED,
        Apply("ann", {"plant": {"leaves": "green"}}),
        Apply("ben", {"plant": {"roots": "deep"}}, conflicts=['"ann": .plant']),
        ForceApply("ben", {"plant": {"roots": "deep"}}),
        Expect({"plant": {"roots": "deep"}}, {"ben": [".plant"]}),
    )


# From here on versions that name their fields after themselves: ``leavesV1`` is ``leavesV2`` there.


def versioned(version: str) -> Struct:
    suffix = version.upper()
    inner = Struct("Inner", Field(1, "name", Str()))
    bush = Struct("Bush", Field(1, "name", Str()), Field(2, f"leaf{suffix}", Str()), Field(3, f"root{suffix}", inner))
    return Struct("Hedge", Field(1, "bush", bush), Field(2, f"names{suffix}", List(item=Str(), list_type="set")))


HEDGES = {version: versioned(version) for version in ("v1", "v2", "v3")}
TRIPLES = [pytest.param(*three, id="-".join(three)) for three in itertools.product(HEDGES, repeat=3)]
every_three_versions = pytest.mark.parametrize(("one", "two", "three"), TRIPLES)


def renamed(spec: Json, before: str, after: str) -> Json:
    if not isinstance(spec, dict):
        return spec
    return {
        name.removesuffix(before.upper()) + (after.upper() if name.endswith(before.upper()) else ""): renamed(value, before, after)
        for name, value in spec.items()
    }


def by(name: str, version: str) -> str:
    return name if version == "v1" else f"{name}@{version}"


def bush(version: str, **fields: Json) -> Object:
    return {"bush": {name if name == "name" else f"{name}{version.upper()}": value for name, value in fields.items()}}


@every_three_versions
def test_a_field_only_one_owned_goes_whatever_its_name(one: str, two: str, three: str) -> None:
    run(
        HEDGES,
        Apply("ann", bush(one, name="yew", leaf="x"), version=one),
        Apply("ann", bush(two, name="yew"), version=two),
        Expect(bush(three, name="yew"), {by("ann", two): [".bush.name"]}, version=three),
        convert=renamed,
    )


@every_three_versions
def test_a_field_another_applies_stays_whatever_its_name(one: str, two: str, three: str) -> None:
    run(
        HEDGES,
        Apply("ann", bush(one, name="yew", leaf="x"), version=one),
        Apply("ben", bush(two, leaf="x"), version=two),
        Apply("ann", bush(three, name="yew"), version=three),
        Expect(
            bush(three, name="yew", leaf="x"),
            {by("ben", two): [f".bush.leaf{two.upper()}"], by("ann", three): [".bush.name"]},
            version=three,
        ),
        convert=renamed,
    )


@every_three_versions
def test_a_field_an_updater_made_stays_whatever_its_name(one: str, two: str, three: str) -> None:
    run(
        HEDGES,
        Update("bot", bush(one, name="yew", leaf="x"), version=one),
        Apply("ann", bush(two, name="yew", leaf="x"), version=two),
        Apply("ann", bush(three, name="yew"), version=three),
        Expect(
            bush(three, name="yew", leaf="x"),
            {by("bot", one): [".bush", f".bush.leaf{one.upper()}", ".bush.name"], by("ann", three): [".bush.name"]},
            version=three,
        ),
        convert=renamed,
    )


@every_three_versions
def test_a_field_an_updater_changed_is_theirs_whatever_its_name(one: str, two: str, three: str) -> None:
    run(
        HEDGES,
        Apply("ann", bush(one, name="yew", leaf="x"), version=one),
        Update("bot", bush(two, name="yew", leaf="y"), version=two),
        Expect(
            bush(three, name="yew", leaf="y"),
            {by("ann", one): [".bush.name"], by("bot", two): [f".bush.leaf{two.upper()}"]},
            version=three,
        ),
        convert=renamed,
    )


@every_three_versions
def test_a_struct_only_one_owned_goes_whatever_its_name(one: str, two: str, three: str) -> None:
    run(
        HEDGES,
        Apply("ann", bush(one, name="yew", root={"name": "tap"}), version=one),
        Apply("ann", bush(two, name="yew"), version=two),
        Expect(bush(three, name="yew"), {by("ann", two): [".bush.name"]}, version=three),
        convert=renamed,
    )


@every_three_versions
def test_a_struct_another_applies_stays_whatever_its_name(one: str, two: str, three: str) -> None:
    run(
        HEDGES,
        Apply("ann", bush(one, name="yew", root={"name": "tap"}), version=one),
        Apply("ben", bush(two, root={"name": "tap"}), version=two),
        Apply("ann", bush(three, name="yew"), version=three),
        Expect(
            bush(three, name="yew", root={"name": "tap"}),
            {by("ben", two): [f".bush.root{two.upper()}.name"], by("ann", three): [".bush.name"]},
            version=three,
        ),
        convert=renamed,
    )


@every_three_versions
def test_a_conflict_is_told_in_the_owners_version(one: str, two: str, three: str) -> None:
    run(
        HEDGES,
        Apply("ann", bush(one, leaf="x"), version=one),
        Apply("ben", bush(two, leaf="y"), version=two, conflicts=[f'"ann": .bush.leaf{one.upper()}']),
        Expect(bush(three, leaf="x"), {by("ann", one): [f".bush.leaf{one.upper()}"]}, version=three),
        convert=renamed,
    )


@every_three_versions
def test_a_set_is_shared_whatever_its_name(one: str, two: str, three: str) -> None:
    first, second, third = (f"names{version.upper()}" for version in (one, two, three))
    run(
        HEDGES,
        Apply("ann", {first: ["a", "b"]}, version=one),
        Apply("ben", {second: ["b", "c"]}, version=two),
        Apply("ann", {third: ["a"]}, version=three),
        Expect(
            {third: ["a", "b", "c"]},
            {by("ben", two): [f'.{second}[="b"]', f'.{second}[="c"]'], by("ann", three): [f'.{third}[="a"]']},
            version=three,
        ),
        convert=renamed,
    )
