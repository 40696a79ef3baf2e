"""Strategic merge patches: what they make of an object, and which are refused."""

import copy

import pytest
from hypothesis import given
from hypothesis import strategies as st

from svcsim.meta import merge_patch
from svcsim.meta.errors import StatusError
from svcsim.schema.strategic import strategic_merge
from svcsim.schema.types import Field, List, Map, Raw, Str, Struct
from tests.schema.shapes import SPEC, WHOLE, widget


def patched(spec, patch):
    original, wanted = {"spec": spec}, {"spec": patch}
    before = copy.deepcopy((original, wanted))
    result = strategic_merge(original, wanted, WHOLE)["spec"]
    assert (original, wanted) == before
    return result


def parts(*names):
    return [{"name": name} for name in names]


def names(spec):
    return [part["name"] for part in spec["parts"]]


def refusal(spec, patch):
    with pytest.raises(StatusError) as refused:
        patched(spec, patch)
    return refused.value.code, refused.value.message


def test_maps_merge_key_by_key_and_null_takes_away():
    assert patched({"mode": "Fast", "replicas": 1, "range": {"from": 1, "to": 2}}, {"replicas": None, "range": {"to": 3}, "big": 5}) == {
        "mode": "Fast",
        "range": {"from": 1, "to": 3},
        "big": 5,
    }


def test_items_with_a_merge_key_are_merged_and_new_ones_added():
    spec = {"parts": [{"name": "a", "twin": "x", "limits": {"cpu": "1", "memory": "1Gi"}}, {"name": "b"}]}
    patch = {"parts": [{"name": "c"}, {"name": "a", "limits": {"cpu": "2"}}]}
    assert patched(spec, patch)["parts"] == [
        {"name": "c"},
        {"name": "a", "twin": "x", "limits": {"cpu": "2", "memory": "1Gi"}},
        {"name": "b"},
    ]


def test_nested_lists_are_merged_by_their_own_keys():
    spec = {"parts": [{"name": "a", "ports": [{"port": 80}, {"port": 443, "name": "tls"}]}]}
    patch = {"parts": [{"name": "a", "ports": [{"port": 443, "protocol": "UDP"}]}]}
    assert patched(spec, patch)["parts"][0]["ports"] == [{"port": 80}, {"port": 443, "name": "tls", "protocol": "UDP"}]


def test_lists_without_a_merge_key_are_replaced():
    assert patched({"mounts": [{"path": "/a"}]}, {"mounts": [{"path": "/b"}]}) == {"mounts": [{"path": "/b"}]}
    assert patched({"parts": [{"name": "a", "command": ["x", "y"]}]}, {"parts": [{"name": "a", "command": ["z"]}]}) == {
        "parts": [{"name": "a", "command": ["z"]}]
    }


def test_merged_lists_of_plain_values_are_united():
    assert patched({"tags": ["a", "b"]}, {"tags": ["b", "c"]}) == {"tags": ["a", "b", "c"]}
    assert patched({}, {"tags": ["a", "a"]}) == {"tags": ["a", "a"]}


def test_a_value_of_another_type_is_replaced():
    assert patched({"range": {"from": 1}}, {"range": 5}) == {"range": 5}
    assert patched({"parts": 5}, {"parts": parts("a")}) == {"parts": parts("a")}


def test_an_item_can_be_deleted_by_its_key():
    assert names(patched({"parts": parts("a", "b", "a")}, {"parts": [{"name": "a", "$patch": "delete"}, {"name": "c"}]})) == ["c", "b"]


def test_a_whole_list_can_be_replaced():
    assert patched({"parts": parts("a", "b")}, {"parts": [{"name": "c"}, {"$patch": "replace"}]}) == {"parts": parts("c")}


def test_a_map_can_be_replaced_or_emptied():
    spec = {"range": {"from": 1, "to": 2}}
    assert patched(spec, {"range": {"$patch": "replace", "from": 5}}) == {"range": {"from": 5}}
    assert patched(spec, {"range": {"$patch": "delete", "from": 5}}) == {"range": {}}


def test_only_retained_keys_stay():
    spec = {"strategy": {"type": "Rolling", "pace": 5}}
    assert patched(spec, {"strategy": {"$retainKeys": ["type"], "type": "Recreate"}}) == {"strategy": {"type": "Recreate"}}
    assert patched(spec, {"strategy": {"$retainKeys": ["type"], "pace": None}}) == {"strategy": {"type": "Rolling"}}


def test_values_can_be_taken_from_a_list_of_plain_values():
    assert patched({"tags": ["a", "b", "c"]}, {"$deleteFromPrimitiveList/tags": ["a", "c", "x"]}) == {"tags": ["b"]}
    assert patched({}, {"$deleteFromPrimitiveList/tags": ["a"]}) == {}


def test_the_author_of_a_patch_can_tell_the_order_of_the_items_known_to_them():
    order = [{"name": name} for name in "cab"]
    assert names(patched({"parts": parts("a", "b", "c")}, {"$setElementOrder/parts": order})) == ["c", "a", "b"]
    assert names(patched({"parts": parts("a", "b")}, {"$setElementOrder/parts": order, "parts": parts("c")})) == ["c", "a", "b"]
    assert patched({}, {"$setElementOrder/parts": order}) == {}
    assert patched({"tags": ["a", "b"]}, {"$setElementOrder/tags": ["c", "b", "a"], "tags": ["c"]}) == {"tags": ["c", "b", "a"]}


def test_items_unknown_to_the_author_keep_their_places_as_well_as_can_be():
    order = [{"name": name} for name in "bca"]
    assert names(patched({"parts": parts("x", "a", "y", "b", "z")}, {"$setElementOrder/parts": order, "parts": parts("c")})) == [
        "x", "y", "b", "c", "a", "z",
    ]  # fmt: skip


def test_deletion_and_order_go_together():
    patch = {"$setElementOrder/parts": parts("c", "b"), "parts": [{"name": "c"}, {"name": "a", "$patch": "delete"}]}
    assert names(patched({"parts": parts("a", "b")}, patch)) == ["c", "b"]


def test_directives_and_nulls_leave_no_trace_in_what_is_new():
    patch = {
        "range": {"from": None, "to": 1, "$retainKeys": ["to"]},
        "parts": [{"name": "a", "twin": None, "$setElementOrder/ports": []}, {"name": "b", "$patch": "delete"}],
        "extra": {"$patch": "delete", "x": 1},
        "tree": {"$patch": "replace", "label": "x"},
    }
    assert patched({}, patch) == {"range": {"to": 1}, "parts": parts("a"), "extra": {}, "tree": {"label": "x"}}


def test_maps_of_structs_and_types_within_themselves_are_followed():
    tree = {"label": "top", "children": {"k": {"label": "old", "next": {"label": "deep"}}}}
    assert patched({"tree": tree}, {"tree": {"children": {"k": {"label": None, "next": {"label": "new"}}}}}) == {
        "tree": {"label": "top", "children": {"k": {"next": {"label": "new"}}}}
    }


def test_a_field_can_be_declared_to_be_replaced():
    schema = Struct("T", Field(1, "m", Map(Str()), patch="replace"))
    assert strategic_merge({"m": {"a": "1"}}, {"m": {"b": "2", "c": None}}, schema) == {"m": {"b": "2"}}


@pytest.mark.parametrize(
    ("spec", "patch", "code", "message"),
    [
        ({"range": {}}, {"range": {"$patch": "odd"}}, 422, "unknown patch type: odd in map: map[$patch:odd]"),
        ({"parts": parts("a")}, {"parts": [{"$patch": "odd"}]}, 422, "unknown patch type: odd in map: map[$patch:odd]"),
        ({"parts": parts("a")}, {"parts": [{"$patch": "merge"}]}, 422, "merging lists cannot yet be specified in the patch"),
        (
            {"parts": parts("a")},
            {"parts": [{"twin": "x", "ready": True, "limits": None}]},
            422,
            "map: map[limits:<nil> ready:true twin:x] does not contain declared merge key: name",
        ),
        (
            {"parts": parts("a")},
            {"parts": [{"$patch": "delete"}]},
            422,
            "map: map[$patch:delete] does not contain declared merge key: name",
        ),
        ({"parts": parts("a")}, {"parts": ["a"]}, 422, "list element types are not identical"),
        ({"tags": ["a"]}, {"tags": [["b"]]}, 422, "lists of lists are not supported"),
        ({"tags": [{}]}, {"tags": [{}]}, 422, "cannot merge lists without merge key"),
        ({"range": {}}, {"range": {"$retainKeys": "from"}}, 400, "invalid patch format of retainKeys"),
        ({"range": {}}, {"range": {"$retainKeys": ["from"], "to": 1}}, 400, "invalid patch format of retainKeys"),
        ({"tags": []}, {"$deleteFromPrimitiveList": ["a"]}, 400, "invalid patch format of primitive list"),
        ({"tags": []}, {"$setElementOrders/tags": ["a"]}, 400, "invalid patch format of setElementOrder list"),
        ({"tags": []}, {"$setElementOrder/tags": None}, 400, "invalid patch format of setElementOrder list"),
        ({"tags": []}, {"$setElementOrder/tags": {}}, 422, "expected a list for tags, but received map[]"),
        (
            {"parts": parts("a")},
            {"$deleteFromPrimitiveList/parts": parts("a")},
            422,
            "invalid use of $deleteFromPrimitiveList directive on map elements",
        ),
        (
            {"parts": parts("a")},
            {"$setElementOrder/parts": parts("a", "b"), "parts": parts("b", "a")},
            422,
            "The order in patch list:\n[map[name:b] map[name:a]]\n doesn't match $setElementOrder list:\n[map[name:a] map[name:b]]\n",
        ),
        ({"parts": parts("a")}, {"$setElementOrder/parts": ["a"]}, 422, "expected a map with the key name, but received a"),
    ],
)
def test_a_patch_that_makes_no_sense_is_refused(spec, patch, code, message):
    assert refusal(spec, patch) == (code, message)


_LEAVES = st.integers(0, 3) | st.sampled_from("xyz")
_KEYS = st.sampled_from(["a", "b", "range", "extra"])
_DOCUMENTS = st.recursive(_LEAVES | st.lists(_LEAVES, max_size=2), lambda inner: st.dictionaries(_KEYS, inner, max_size=3), max_leaves=8)
_PATCHES = st.recursive(
    st.none() | _LEAVES | st.lists(_LEAVES, max_size=2), lambda inner: st.dictionaries(_KEYS, inner, max_size=3), max_leaves=8
)
_PARTS = st.lists(
    st.fixed_dictionaries(
        {"name": st.sampled_from("abcde")}, optional={"twin": st.sampled_from("xyz"), "limits": st.dictionaries(_KEYS, _LEAVES)}
    ),
    unique_by=lambda part: part["name"],
    max_size=4,
)
_CHANGES = st.fixed_dictionaries(
    {}, optional={"parts": _PARTS, "mode": st.none() | st.sampled_from("xy"), "tags": st.lists(st.sampled_from("abc"), unique=True)}
)


@given(st.dictionaries(_KEYS, _DOCUMENTS), st.dictionaries(_KEYS, _PATCHES))
def test_without_merged_lists_it_is_a_merge_patch(document, patch):
    schema = Struct("T", Field(1, "extra", Raw()), Field(2, "range", Map(List(Str()))))
    assert strategic_merge(document, patch, schema) == merge_patch.apply(document, patch)


@given(_CHANGES, _CHANGES)
def test_patching_twice_is_patching_once(spec, patch):
    once = strategic_merge(spec, patch, SPEC)
    assert strategic_merge(once, patch, SPEC) == once


@given(_CHANGES)
def test_nothing_to_do_does_nothing(spec):
    assert strategic_merge(spec, {}, SPEC) == spec
    assert strategic_merge(spec, {key: value for key, value in spec.items() if value is not None}, SPEC) == spec


@given(_PARTS, _PARTS)
def test_no_item_is_lost_and_the_orders_of_both_sides_are_kept(mine, theirs):
    merged = names(strategic_merge({"parts": mine}, {"parts": theirs}, SPEC))
    told, present = names({"parts": theirs}), names({"parts": mine})
    assert sorted(merged) == sorted({*told, *present})
    assert [name for name in merged if name in told] == told
    assert [name for name in merged if name not in told] == [name for name in present if name not in told]


@given(_PARTS, _PARTS, st.permutations("abcde"))
def test_an_order_that_names_all_items_is_the_order_of_the_result(mine, theirs, order):
    ranked = sorted(theirs, key=lambda part: order.index(part["name"]))
    result = strategic_merge({"parts": mine}, {"parts": ranked, "$setElementOrder/parts": parts(*order)}, SPEC)
    assert names(result) == [name for name in order if name in names({"parts": mine + theirs})]


def test_finalizers_are_merged_as_kubectl_sends_them():
    original = {"metadata": {"finalizers": ["a", "b"]}}
    patch = {"metadata": {"$deleteFromPrimitiveList/finalizers": ["a"], "$setElementOrder/finalizers": ["b", "c"], "finalizers": ["c"]}}
    assert strategic_merge({**widget(), **original}, patch, WHOLE)["metadata"] == {"finalizers": ["b", "c"]}
