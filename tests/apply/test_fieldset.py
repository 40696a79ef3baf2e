"""The algebra of field sets, against sets of paths."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from svcsim.apply.fieldset import (
    FieldSet,
    canonical,
    checked,
    difference,
    intersection,
    paths,
    size,
    spell,
    union,
    union_of,
)

ELEMENTS = ("f:a", "f:b", 'k:{"name":"x"}', 'k:{"name":"y"}', 'v:"s"', "v:1", "i:0")
Paths = frozenset[tuple[str, ...]]

path_sets = st.frozensets(st.lists(st.sampled_from(ELEMENTS), min_size=1, max_size=4).map(tuple), max_size=12)


def trie(members: Paths) -> FieldSet:
    """The set of exactly those paths."""
    out: FieldSet = {}
    for path in sorted(members):
        node: FieldSet = {}
        for element in reversed(path):
            node = {element: node}
        out = union(out, node)
    return out


def members(fields: FieldSet) -> Paths:
    return frozenset(paths(fields))


@given(path_sets)
def test_a_set_holds_exactly_what_was_put_in(chosen: Paths) -> None:
    assert members(trie(chosen)) == chosen
    assert size(trie(chosen)) == len(chosen)


@given(path_sets, path_sets)
def test_union_holds_the_paths_of_both(left: Paths, right: Paths) -> None:
    assert members(union(trie(left), trie(right))) == left | right
    assert members(union_of([trie(left), trie(right), {}, trie(left)])) == left | right


@given(path_sets, path_sets)
def test_difference_holds_the_paths_of_one_alone(left: Paths, right: Paths) -> None:
    assert members(difference(trie(left), trie(right))) == left - right


@given(path_sets, path_sets)
def test_intersection_holds_the_paths_both_have(left: Paths, right: Paths) -> None:
    assert members(intersection(trie(left), trie(right))) == left & right


@given(path_sets, path_sets, path_sets)
def test_the_algebra_obeys_its_laws(a: Paths, b: Paths, c: Paths) -> None:
    left, middle, right = trie(a), trie(b), trie(c)
    assert members(union(left, union(middle, right))) == members(union(union(left, middle), right))
    assert members(difference(left, union(middle, right))) == members(difference(difference(left, middle), right))
    assert members(union(difference(left, middle), intersection(left, middle))) == a


@given(path_sets)
def test_the_canonical_form_is_the_same_set_whatever_the_order_it_came_in(chosen: Paths) -> None:
    forwards, backwards = trie(chosen), {}
    for path in sorted(chosen, reverse=True):
        node: FieldSet = {}
        for element in reversed(path):
            node = {element: node}
        backwards = union(backwards, node)
    assert str(canonical(forwards)) == str(canonical(backwards))
    assert members(canonical(forwards)) == chosen


@given(path_sets)
def test_what_was_made_here_can_be_read_back(chosen: Paths) -> None:
    assert checked(trie(chosen)) == trie(chosen)


def test_the_canonical_order_is_self_then_fields_then_keys_then_values_then_indices() -> None:
    mixed: FieldSet = {"i:0": {}, "v:1": {}, 'k:{"a":1}': {}, "f:z": {}, "f:a": {}, ".": {}}
    assert list(canonical(mixed)) == [".", "f:a", "f:z", 'k:{"a":1}', "v:1", "i:0"]


def test_paths_are_spelled_as_people_know_them() -> None:
    path = ("f:spec", "f:containers", 'k:{"name":"nginx"}', "f:ports", 'k:{"protocol":"TCP","containerPort":80}')
    assert spell(path) == '.spec.containers[name="nginx"].ports[containerPort=80,protocol="TCP"]'
    assert spell(("f:metadata", "f:finalizers", 'v:"a"')) == '.metadata.finalizers[="a"]'


@pytest.mark.parametrize("wrong", [[], "x", {"x": {}}, {"f:a": 1}, {"k:nonsense": {}}, {"v:{": {}}, {"i:x": {}}, {"k:1": {}}])
def test_what_is_no_field_set_is_refused(wrong: object) -> None:
    with pytest.raises(ValueError, match=r".+"):
        checked(wrong)


def test_a_bottomless_field_set_is_refused_without_a_crash() -> None:
    deep: FieldSet = {}
    for _ in range(5_000):
        deep = {"f:a": deep}
    with pytest.raises(ValueError, match="too deep"):
        checked(deep)
