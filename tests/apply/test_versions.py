"""Versions that show one object differently: what a write in one does to owners in another, and what is asked of conversion."""

from svcsim.apply import ownership
from svcsim.apply.conversion import ConversionRequest, Converted
from svcsim.apply.managers import APPLY, Manager
from svcsim.apply.topology import topology
from svcsim.apply.typed_write import TypedWrite
from svcsim.meta.types import Json, Object
from svcsim.schema.common import object_struct
from svcsim.schema.types import Field, Int, List, Map, Ref, Str, Struct
from tests.apply.state import Apply, Expect, ForceApply, Update, run, run_steps, thing


def _tree() -> Struct:
    return TREE


TREE = Struct("Tree", Field(1, "twigs", Map(value=Ref(target=_tree))), Field(2, "size", Int()))
SERVED = {f"v{number}": TREE for number in range(1, 5)}


def stretched(spec: Json, before: str, after: str) -> Json:
    """Names of twigs are as many letters long as the version's number says."""
    if not isinstance(spec, dict):
        return spec
    twigs = spec.get("twigs")
    if not isinstance(twigs, dict):
        return spec
    return {**spec, "twigs": {name[0] * int(after[1:]): stretched(inner, before, after) for name, inner in twigs.items()}}


def nest(*names: str) -> Json:
    return {"twigs": {names[0]: nest(*names[1:])}} if names else {}


def two(first: tuple[str, Json], *more: tuple[str, Json]) -> Object:
    return {"twigs": dict((first, *more))}


def test_everybodys_fields_go_and_stay_in_their_own_versions_names() -> None:
    run(
        SERVED,
        Apply("ann", two(("a", nest("b")), ("c", nest("d")))),
        Apply("ben", two(("aa", {}), ("cc", nest("dd"))), version="v2"),
        Update("bot", two(("aaa", nest("bbb", "ccc")), ("ccc", nest("ddd", "eee", "fff"))), version="v3"),
        Apply("ann", {"twigs": None}, version="v4"),
        Expect(two(("aaaa", {"twigs": {}}), ("cccc", nest("dddd", "eeee", "ffff"))), version="v4"),
        Expect(
            managed={
                "ben@v2": [".twigs.aa", ".twigs.cc", ".twigs.cc.twigs.dd"],
                "bot@v3": [
                    ".twigs.ccc.twigs.ddd.twigs",
                    ".twigs.ccc.twigs.ddd.twigs.eee",
                    ".twigs.ccc.twigs.ddd.twigs.eee.twigs",
                    ".twigs.ccc.twigs.ddd.twigs.eee.twigs.fff",
                ],
                "ann@v4": [".twigs"],
            }
        ),
        convert=stretched,
    )


def test_an_applier_removes_a_key_it_made_after_another_changed_what_is_in_it() -> None:
    run(
        SERVED,
        Apply("ann", two(("aaa", nest("bbb"))), version="v3"),
        Update("bot", two(("a", nest("b", "c")))),
        Apply("ann", two(("aa", nest("bb")), ("cc", nest("dd"))), version="v2"),
        Apply("ann", two(("aaa", {}), ("ccc", {})), version="v3"),
        Expect(two(("aaa", {}), ("ccc", {})), {"ann@v3": [".twigs.aaa", ".twigs.ccc"]}, version="v3"),
        convert=stretched,
    )


def test_what_an_updater_made_stays_when_an_applier_no_longer_names_it() -> None:
    run(
        SERVED,
        Update("bot", two(("a", nest("b", "c")))),
        Apply("ann", two(("aa", nest("bb")), ("cc", nest("dd"))), version="v2"),
        Apply("ann", two(("aaa", {}), ("ccc", {})), version="v3"),
        Expect(two(("aaa", nest("bbb", "ccc")), ("ccc", {})), version="v3"),
        convert=stretched,
    )


# ``required`` of one version is ``derived`` of the other, and without it there is no way to that.

NEEDY = {
    "v1": Struct("Needy", Field(1, "derived", Str()), Field(2, "common", Str())),
    "v2": Struct("Needy", Field(1, "required", Str()), Field(2, "common", Str())),
}


def derived(spec: Object, before: str, after: str) -> Object:
    if before == after:
        return spec
    assert after != "v1" or "required" in spec, "can't be converted"
    names = {"required": "derived"} if after == "v1" else {"derived": "required"}
    return {names.get(name, name): value for name, value in spec.items()}


def test_nothing_is_converted_that_lacks_what_its_owner_says() -> None:
    run(
        NEEDY,
        Apply("ann", {"required": "a"}, version="v2"),
        Apply("ben", {"common": "b"}),
        Apply("ann", {"required": "b"}, version="v2"),
        Expect({"required": "b", "common": "b"}, {"ben": [".common"], "ann@v2": [".required"]}, version="v2"),
        convert=derived,
    )


# A single number in v1 is one of a list in v2, which is one field.

LOAD = Struct("Load", Field(1, "kind", Str()), Field(2, "value", Int()))
LOADS = {
    "v1": Struct("Loads", Field(1, "cpu", Int()), Field(2, "size", Int())),
    "v2": Struct("Loads", Field(1, "loads", List(item=LOAD, list_type="atomic")), Field(2, "size", Int())),
}


def listed(spec: Object, before: str, after: str) -> Object:
    if before == after:
        return spec
    rest = {name: value for name, value in spec.items() if name not in ("cpu", "loads")}
    if after == "v2":
        return {**rest, "loads": [{"kind": "cpu", "value": spec["cpu"]}]} if "cpu" in spec else rest
    values = [load["value"] for load in spec.get("loads", []) if load["kind"] == "cpu"]
    return {**rest, "cpu": values[0]} if values else rest


def test_a_change_is_a_conflict_with_who_owns_what_it_becomes() -> None:
    run(
        LOADS,
        Apply("ann", {"cpu": 50}),
        Apply("ben", {"loads": [{"kind": "cpu", "value": 60}]}, version="v2", conflicts=['"ann": .cpu']),
        ForceApply("ben", {"loads": [{"kind": "cpu", "value": 60}]}, version="v2"),
        Expect({"cpu": 60}, {"ben@v2": [".loads"]}, version="v1"),
        convert=listed,
    )


def test_a_field_that_disappears_from_another_version_is_lost_without_a_conflict() -> None:
    run(
        LOADS,
        Apply("ann", {"cpu": 50}),
        Apply("ben", {"loads": [{"kind": "memory", "value": 60}]}, version="v2"),
        Expect({}, {"ben@v2": [".loads"]}, version="v1"),
        convert=listed,
    )


# ``extra`` is a field of v1 alone: what is written in v2 loses it.

SHORTER = {
    "v1": Struct("Shorter", Field(1, "size", Int()), Field(2, "extra", Int()), Field(3, "other", Int())),
    "v2": Struct("Shorter", Field(1, "size", Int()), Field(3, "other", Int())),
}


def without_extra(spec: Object, _: str, after: str) -> Object:
    return spec if after == "v1" else {name: value for name, value in spec.items() if name != "extra"}


def test_a_field_that_another_version_does_not_have_is_in_no_appliers_way() -> None:
    run(
        SHORTER,
        Apply("ann", {"size": 1, "extra": 1}),
        Apply("ben", {"size": 2}, version="v2", conflicts=['"ann": .size']),
        Apply("ben", {"size": 1}, version="v2"),
        Expect({"size": 1}, {"ann": [".extra", ".size"], "ben@v2": [".size"]}, version="v1"),
        ForceApply("ben", {"size": 2}, version="v2"),
        Expect({"size": 2}, {"ann": [".extra"], "ben@v2": [".size"]}, version="v1"),
        convert=without_extra,
    )


def test_what_is_applied_still_stays_though_another_version_does_not_have_it() -> None:
    run(
        SHORTER,
        Apply("ann", {"size": 1, "extra": 1}),
        Update("ben", {"size": 1, "other": 1}, version="v2"),
        Apply("ann", {"extra": 1}),
        Expect({"extra": 1, "other": 1}, {"ann": [".extra"], "ben@v2": [".other"]}, version="v1"),
        convert=without_extra,
    )


def test_a_field_given_up_stays_while_another_owns_what_it_becomes() -> None:
    run(
        LOADS,
        Apply("ann", {"cpu": 50}),
        Apply("ben", {"loads": [{"kind": "cpu", "value": 50}]}, version="v2"),
        Apply("ann", {"size": 1}),
        Expect({"cpu": 50, "size": 1}, {"ben@v2": [".loads"], "ann": [".size"]}, version="v1"),
        convert=listed,
    )


def test_a_field_given_up_goes_with_what_it_becomes() -> None:
    run(
        LOADS,
        Apply("ann", {"cpu": 50}),
        Apply("ben", {"size": 1}, version="v2"),
        Apply("ann", version="v1"),
        Expect({"size": 1}, {"ben@v2": [".size"]}, version="v2"),
        convert=listed,
    )


# What is asked.

NODE = topology(object_struct(Struct("Thing", Field(2, "spec", TREE, default={}))))
ANN, BEN = Manager("ann", APPLY, "v1"), Manager("ben", APPLY, "v2")


def no_conversion(wanted: ConversionRequest) -> None:
    raise AssertionError(wanted)


def no_object_converted(wanted: ConversionRequest) -> Converted:
    assert wanted.objects == ()
    return Converted((), NODE)


def test_one_version_alone_never_asks() -> None:
    created = run_steps(ownership.apply(TypedWrite(NODE, None, thing("v1", {"size": 1})), {}, ANN, "", force=False), no_conversion)
    again = TypedWrite(NODE, created.obj, thing("v1", {"twigs": {}}))
    applied = run_steps(ownership.apply(again, created.managers, ANN, "", force=False), no_conversion, again)
    assert applied.obj["spec"] == {"twigs": {}}
    run_steps(ownership.update(TypedWrite(NODE, applied.obj, thing("v1", {"size": 2})), applied.managers, ANN, ""), no_conversion)


def test_no_object_is_converted_for_what_changes_nothing() -> None:
    live = thing("v1", {"size": 1})
    same = TypedWrite(NODE, live, live)
    created = run_steps(ownership.apply(TypedWrite(NODE, None, live), {}, BEN, "", force=False), no_conversion)
    applied = run_steps(ownership.apply(same, created.managers, ANN, "", force=False), no_object_converted, same)
    assert list(applied.managers) == [BEN, ANN]
    assert run_steps(ownership.update(same, created.managers, ANN, ""), no_object_converted) is created.managers


def test_whole_objects_are_asked_for_once_a_version_before_and_after_together() -> None:
    before, after = thing("v1", {"size": 1}), thing("v1", {"size": 2})
    managers = {
        manager: run_steps(ownership.apply(TypedWrite(NODE, None, before), {}, manager, "", force=False), no_conversion).managers[manager]
        for manager in (ANN, BEN, BEN._replace(name="eve"), BEN._replace(api_version="v3"))
    }
    asked = []

    def convert(wanted: ConversionRequest) -> Converted:
        asked.append(wanted)
        return Converted(wanted.objects, NODE)

    assert run_steps(ownership.update(TypedWrite(NODE, before, after), managers, ANN, ""), convert).keys() == {ANN}
    assert [wanted for wanted in asked if wanted.objects] == [
        ConversionRequest((before, after), "v1", "v2"),
        ConversionRequest((before, after), "v1", "v3"),
    ]
