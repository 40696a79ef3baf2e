"""What goes when an applier no longer names it: what nobody else owns, and what was only there to hold it."""

import pytest

from svcsim.apply.managers import APPLY, Manager
from svcsim.meta.types import Object
from svcsim.schema.types import Field, Int, List, Map, Raw, Str, Struct
from tests.apply.state import Apply, Expect, ForceApply, State, Update, run, thing

PROBE = Struct("Probe", Field(1, "path", Str()), Field(2, "scheme", Str()))
CHECK = Struct("Check", Field(1, "probe", PROBE), Field(2, "period", Int()))
TASK = Struct(
    "Task", Field(1, "name", Str()), Field(2, "image", Str()), Field(3, "check", CHECK), Field(4, "args", List(item=Str(), list_type="set"))
)
JOB = Struct(
    "Job",
    Field(1, "tasks", List(item=TASK, list_type="map", keys=("name",))),
    Field(2, "check", CHECK),
    Field(3, "labels", Map(value=Str())),
    Field(4, "groups", Map(value=Map(value=Str()))),
    Field(5, "size", Int()),
    Field(6, "free", Raw(granular=True)),
)


def filled_in(state: State, spec: Object) -> None:
    """What the server adds after ownership is recorded belongs to nobody."""
    assert state.obj is not None
    state.obj = {**state.obj, "spec": spec}


def test_a_field_nobody_owns_goes_with_the_struct_it_is_in() -> None:
    state = run(JOB, Apply("ann", {"check": {"probe": {"path": "/"}}, "size": 1}))
    filled_in(state, {"check": {"probe": {"path": "/", "scheme": "http"}, "period": 10}, "size": 1})
    Apply("ann", {"size": 1}).run(state)
    Expect({"size": 1}, {"ann": [".size"]}).run(state)


def test_a_field_nobody_owns_stays_in_a_struct_another_has_a_field_of() -> None:
    state = run(JOB, Apply("ann", {"check": {"probe": {"path": "/"}}}))
    filled_in(state, {"check": {"probe": {"path": "/", "scheme": "http"}}})
    Update("bot", {"check": {"probe": {"path": "/", "scheme": "http"}, "period": 10}}).run(state)
    filled_in(state, {"check": {"probe": {"path": "/", "scheme": "http"}, "period": 10}, "size": 7})
    Apply("ann").run(state)
    Expect({"check": {"period": 10}, "size": 7}, {"bot": [".check.period"]}).run(state)


def test_a_field_nobody_owns_stays_beside_those_that_go() -> None:
    state = run(JOB, Apply("ann", {"check": {"probe": {"path": "/"}, "period": 1}}))
    filled_in(state, {"check": {"probe": {"path": "/", "scheme": "http"}, "period": 1}})
    Apply("ann", {"check": {"probe": {"path": "/"}}}).run(state)
    Expect({"check": {"probe": {"path": "/", "scheme": "http"}}}).run(state)


def test_a_field_nobody_owns_goes_with_its_item() -> None:
    state = run(JOB, Apply("ann", {"tasks": [{"name": "a"}, {"name": "b"}]}))
    filled_in(state, {"tasks": [{"name": "a", "image": "filled"}, {"name": "b", "image": "filled"}]})
    Apply("ann", {"tasks": [{"name": "a"}]}).run(state)
    Expect({"tasks": [{"name": "a", "image": "filled"}]}).run(state)


def test_metadata_never_goes_as_a_whole() -> None:
    state = State(JOB)
    config = thing("v1", {"size": 1})
    config["metadata"] = {"name": "x", "labels": {"a": "1"}}
    state.apply(Manager("ann", APPLY, "v1"), config, force=False)
    assert state.obj is not None
    state.obj = {**state.obj, "metadata": {**state.obj["metadata"], "finalizers": ["keep"]}}
    Apply("ann").run(state)
    assert state.obj == {"apiVersion": "v1", "kind": "Thing", "metadata": {"name": "x", "finalizers": ["keep"]}}


def test_an_item_goes_with_what_others_own_in_it_unless_they_own_the_item() -> None:
    run(
        JOB,
        Apply("ann", {"tasks": [{"name": "a", "args": ["x"]}]}),
        Update("bot", {"tasks": [{"name": "a", "args": ["x", "y"], "image": "i"}]}),
        Expect(
            managed={
                "ann": ['.tasks[name="a"]', '.tasks[name="a"].args[="x"]', '.tasks[name="a"].name'],
                "bot": ['.tasks[name="a"].args[="y"]', '.tasks[name="a"].image'],
            }
        ),
        Apply("ann"),
        Expect({"tasks": []}, {}),
    )


def test_an_item_stays_with_what_another_applier_says_of_it() -> None:
    run(
        JOB,
        Apply("ann", {"tasks": [{"name": "a", "image": "i", "args": ["x"]}]}),
        Apply("ben", {"tasks": [{"name": "a", "args": ["y"]}]}),
        Apply("ann"),
        Expect(
            {"tasks": [{"name": "a", "args": ["y"]}]},
            {"ben": ['.tasks[name="a"]', '.tasks[name="a"].args[="y"]', '.tasks[name="a"].name']},
        ),
    )


@pytest.mark.parametrize("held", [{"labels": {"b": "2"}}, {"size": 3}])
def test_keys_of_a_map_go_one_by_one(held: Object) -> None:
    run(
        JOB,
        Apply("ann", {"labels": {"a": "1", "c": "3"}}),
        Apply("ben", held),
        Apply("ann", {"labels": {"c": "3"}}),
        Expect({**held, "labels": {"c": "3", **held.get("labels", {})}}),
    )


def test_a_map_in_a_map_goes_with_its_key() -> None:
    run(
        JOB,
        Apply("ann", {"groups": {"a": {"x": "1"}, "b": {"x": "1"}}}),
        Update("bot", {"groups": {"a": {"x": "1", "y": "2"}, "b": {"x": "1"}}}),
        Apply("ann", {"groups": {"b": {"x": "1"}}}),
        Expect({"groups": {"b": {"x": "1"}}}, {"ann": [".groups.b", ".groups.b.x"]}),
    )


def test_a_list_goes_with_its_last_item() -> None:
    run(JOB, Apply("ann", {"tasks": [{"name": "a"}], "size": 1}), Apply("ann", {"size": 1}), Expect({"size": 1}, {"ann": [".size"]}))


def test_a_list_that_is_still_named_stays_empty() -> None:
    run(
        JOB,
        Apply("ann", {"free": {"deep": {"x": 1}}}),
        Apply("ann", {"free": {"deep": {}}}),
        Expect({"free": {"deep": {}}}, {"ann": [".free.deep"]}),
    )


def test_what_an_updater_made_stays_though_an_applier_named_it_too() -> None:
    run(
        JOB,
        Update("bot", {"check": {"probe": {"path": "/"}}}),
        Apply("ann", {"check": {"probe": {"path": "/"}, "period": 5}}),
        Apply("ann", {"size": 1}),
        Expect({"check": {"probe": {"path": "/"}}, "size": 1}, {"bot": [".check", ".check.probe", ".check.probe.path"], "ann": [".size"]}),
    )


def test_a_field_taken_by_force_is_no_longer_its_former_owners_to_remove() -> None:
    run(
        JOB,
        Apply("ann", {"size": 1, "labels": {"a": "1"}}),
        ForceApply("ben", {"size": 2}),
        Apply("ann", {"labels": {"a": "1"}}),
        Expect({"size": 2, "labels": {"a": "1"}}, {"ben": [".size"], "ann": [".labels.a"]}),
    )


def test_what_goes_is_no_conflict() -> None:
    run(
        JOB,
        Apply("ann", {"labels": {"a": "1", "b": "2"}}),
        Apply("ben", {"labels": {"a": "1"}}),
        Apply("ann", {"labels": {"b": "2"}}),
        Expect({"labels": {"a": "1", "b": "2"}}, {"ann": [".labels.b"], "ben": [".labels.a"]}),
        Apply("ben"),
        Expect({"labels": {"b": "2"}}, {"ann": [".labels.b"]}),
    )


def test_what_somebody_else_removed_is_not_brought_back_by_giving_it_up() -> None:
    run(
        JOB,
        Apply("ann", {"labels": {"a": "1", "b": "2"}}),
        Update("bot", {"labels": {"b": "2"}}),
        Apply("ann", {"labels": {"b": "2"}}),
        Expect({"labels": {"b": "2"}}, {"ann": [".labels.b"]}),
    )
