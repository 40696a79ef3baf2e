"""What holds whatever is applied."""

from hypothesis import given
from hypothesis import strategies as st

from svcsim.meta.types import Object
from svcsim.schema.types import Field, Int, List, Map, Raw, Str, Struct
from tests.apply.state import ForceApply, run

PORT = Struct("Port", Field(1, "port", Int()), Field(2, "protocol", Str(), default="TCP"), Field(3, "name", Str()))
ITEM = Struct("Item", Field(1, "name", Str()), Field(2, "value", Str()))
SPEC = Struct(
    "Spec",
    Field(1, "replicas", Int()),
    Field(2, "items", List(item=ITEM, list_type="map", keys=("name",))),
    Field(3, "ports", List(item=PORT, list_type="map", keys=("port", "protocol"))),
    Field(4, "tags", List(item=Str(), list_type="set")),
    Field(5, "args", List(item=Str(), list_type="atomic")),
    Field(6, "selector", Map(value=Str(), atomic=True)),
    Field(7, "data", Map(value=Str())),
    Field(8, "free", Raw(granular=True)),
)

values = st.fixed_dictionaries(
    {},
    optional={
        "replicas": st.integers(0, 2),
        "data": st.dictionaries(st.sampled_from("abc"), st.sampled_from("xy"), max_size=3),
        "tags": st.lists(st.sampled_from("stu"), unique=True, max_size=3),
        "items": st.lists(st.sampled_from("pqr"), unique=True, max_size=3).map(lambda names: [{"name": n} for n in names]),
        "args": st.lists(st.sampled_from("ab"), max_size=2),
    },
)


@given(st.lists(st.tuples(st.sampled_from(["bob", "alice"]), values), min_size=1, max_size=6))
def test_after_a_forced_apply_the_object_says_what_was_applied_and_the_applier_owns_exactly_that(
    writes: list[tuple[str, Object]],
) -> None:
    state = run(SPEC)
    for who, spec in writes:
        ForceApply(who, spec).run(state)
        for name, value in spec.items():
            live = state.spec.get(name)
            if isinstance(value, dict):
                assert {key: (live or {}).get(key) for key in value} == value
            elif name in ("tags", "items"):
                assert all(item in (live or []) for item in value)
            else:
                assert live == value
        assert state.owned().get(who) == run(SPEC, ForceApply(who, spec)).owned().get(who)


@given(values, values)
def test_one_applier_alone_gets_just_what_it_applies(first: Object, second: Object) -> None:
    state = run(SPEC, ForceApply("bob", first), ForceApply("bob", second))
    shown = {name: value for name, value in state.spec.items() if value not in ({}, [])}
    wanted = {name: value for name, value in second.items() if value not in ({}, [])}
    assert {k: sorted(v, key=str) if isinstance(v, list) and k != "args" else v for k, v in shown.items()} == {
        k: sorted(v, key=str) if isinstance(v, list) and k != "args" else v for k, v in wanted.items()
    }
