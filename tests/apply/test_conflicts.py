"""What a conflict says: who owns which field, since when, in which version and through which subresource."""

import pytest

from svcsim.apply.managers import APPLY, Manager
from svcsim.meta.errors import StatusError
from svcsim.schema.types import Field, Int, Map, Str, Struct
from tests.apply.state import Apply, Expect, ForceApply, State, Update, run, thing

FORM = Struct("Form", Field(1, "size", Int()), Field(2, "data", Map(value=Str())))
IN_TWO_VERSIONS = {"v1": FORM, "v2": FORM}


def refusal(state: State, **spec: object) -> StatusError:
    with pytest.raises(StatusError) as refused:
        state.apply(Manager("cat", APPLY, "v1"), thing("v1", spec), force=False)
    return refused.value


def test_one_conflict_names_field_and_owner() -> None:
    state = run(FORM, Apply("bob", {"size": 1}))
    error = refusal(state, size=2)
    assert error.code == 409
    assert error.message == 'Apply failed with 1 conflict: conflict with "bob": .spec.size'
    assert error.details == {"causes": [{"reason": "FieldManagerConflict", "message": 'conflict with "bob"', "field": ".spec.size"}]}
    assert state.spec == {"size": 1}


def test_several_conflicts_are_listed_by_owner() -> None:
    state = run(FORM, Apply("bob", {"size": 1, "data": {"a": "1"}}), Update("kubectl", {"size": 1, "data": {"a": "1", "b": "2"}}))
    assert refusal(state, size=2, data={"a": "x", "b": "x"}).message == (
        'Apply failed with 3 conflicts: conflicts with "bob":\n- .spec.data.a\n- .spec.size\n'
        'conflicts with "kubectl" using v1 at T2:\n- .spec.data.b'
    )


def test_owners_are_listed_by_name_whoever_came_first() -> None:
    state = run(FORM, Apply("eve", {"size": 1}), Apply("ann", {"data": {"a": "1"}}))
    assert refusal(state, size=2, data={"a": "2"}).message == (
        'Apply failed with 2 conflicts: conflicts with "ann":\n- .spec.data.a\nconflicts with "eve":\n- .spec.size'
    )


def test_a_field_two_own_is_two_conflicts() -> None:
    run(
        FORM,
        Apply("ann", {"size": 1}),
        Apply("ben", {"size": 1}),
        Apply("cat", {"size": 2}, conflicts=['"ann": .size', '"ben": .size']),
    )


def test_an_updater_is_named_with_version_and_time() -> None:
    run(
        IN_TWO_VERSIONS,
        Update("bot", {"size": 1}, version="v2"),
        Apply("ann", {"size": 2}, conflicts=['"bot" using v2 at T1: .size']),
    )


@pytest.mark.parametrize(
    ("write", "named"),
    [
        (ForceApply("bot", {"size": 1}, subresource="scale"), '"bot" with subresource "scale"'),
        (Update("bot", {"size": 1}, subresource="status"), '"bot" with subresource "status" using v1 at T2'),
    ],
)
def test_a_subresource_is_named(write: ForceApply | Update, named: str) -> None:
    run(FORM, Update("first", {"size": 9}), write, Apply("ann", {"size": 2}, conflicts=[f"{named}: .size"]))


def test_a_refused_apply_leaves_object_and_managers_alone() -> None:
    run(
        FORM,
        Apply("ann", {"size": 1}),
        Apply("ben", {"size": 2, "data": {"a": "1"}}, conflicts=['"ann": .size']),
        Expect({"size": 1}, {"ann": [".size"]}),
    )


def test_no_conflict_with_oneself_by_another_operation() -> None:
    run(
        FORM,
        Update("ann", {"size": 1}),
        Apply("ann", {"size": 1}),
        Expect({"size": 1}),
        Update("bot", {"size": 2}),
        Apply("ann", {"size": 1}, conflicts=['"bot" using v1 at T3: .size']),
    )


def test_what_one_updated_and_applies_differently_is_a_conflict_with_the_update() -> None:
    run(FORM, Update("ann", {"size": 1}), Apply("ann", {"size": 2}, conflicts=['"ann" using v1 at T1: .size']))
