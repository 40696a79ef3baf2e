"""JSON patch and merge patch."""

import contextlib
import copy
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from svcsim import limits
from svcsim.meta import json_patch, merge_patch
from svcsim.meta.errors import StatusError
from tests.yardsticks import yardstick

KEYS = st.sampled_from(["a", "b", "0", "1", "x/y", "~", ""])
VALUES = st.recursive(
    st.booleans() | st.integers(0, 3), lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=3), max_leaves=12
)
POINTERS = st.lists(KEYS | st.just("-"), max_size=3).map(
    lambda parts: "".join("/" + part.replace("~", "~0").replace("/", "~1") for part in parts)
)
OPERATIONS = st.one_of(
    st.builds(
        lambda op, path, value: {"op": op, "path": path, "value": value}, st.sampled_from(["add", "replace", "test"]), POINTERS, VALUES
    ),
    st.builds(lambda op, path, source: {"op": op, "path": path, "from": source}, st.sampled_from(["move", "copy"]), POINTERS, POINTERS),
    st.builds(lambda path: {"op": "remove", "path": path}, POINTERS),
)


@pytest.mark.parametrize("vectors", ["spec_tests.json", "tests.json"])
def test_the_vectors_of_the_rfc(vectors):
    cases = [case for case in json.loads((yardstick("vectors/json-patch") / vectors).read_text()) if not case.get("disabled")]
    assert cases
    for case in cases:
        told = case.get("comment") or json.dumps(case["patch"])
        if "error" in case:
            with pytest.raises((StatusError, json_patch.RejectedError)):
                print(told, json_patch.apply(case["doc"], case["patch"]))
        elif "expected" in case:
            assert json_patch.apply(case["doc"], case["patch"]) == case["expected"], told
        else:
            json_patch.apply(case["doc"], case["patch"])


@given(VALUES, st.lists(OPERATIONS, max_size=6))
def test_a_patch_changes_neither_document_nor_itself(document, patch):
    before = copy.deepcopy((document, patch))
    with contextlib.suppress(StatusError, json_patch.RejectedError):
        json_patch.apply(document, patch)
    assert (document, patch) == before


@given(VALUES, st.lists(OPERATIONS, max_size=6))
def test_what_comes_of_a_patch_is_no_longer_than_its_copies_can_make_it(document, patch):
    with contextlib.suppress(StatusError, json_patch.RejectedError):
        patched = json_patch.apply(document, patch)
        assert len(json.dumps(patched)) <= (len(json.dumps(document)) + len(json.dumps(patch))) * json_patch.growth(patch)


@given(VALUES, st.lists(OPERATIONS, max_size=6))
def test_operations_apply_one_after_the_other(document, patch):
    stepwise = document
    try:
        for operation in patch:
            stepwise = json_patch.apply(stepwise, [operation])
    except (StatusError, json_patch.RejectedError) as failed:
        with pytest.raises(type(failed)):
            json_patch.apply(document, patch)
    else:
        assert json_patch.apply(document, patch) == stepwise


def test_what_stayed_is_shared():
    document = {"metadata": {"name": "a"}, "spec": {"containers": [{"name": "c"}]}}
    patched = json_patch.apply(document, [{"op": "add", "path": "/metadata/labels", "value": {}}])
    assert patched["spec"] is document["spec"]


@pytest.mark.parametrize(
    ("patch", "code", "message"),
    [
        ({}, 400, "cannot unmarshal object into Go value of type"),
        ([1], 400, "operation 0 is not a map"),
        ([{"op": "add", "path": "/a"}], 400, "has no value"),
        ([{"op": "add", "path": "a", "value": 1}], 400, "JSON pointer"),
        ([{"op": "remove", "path": "/a~2"}], 400, "~0 and ~1"),
        ([{"op": "test", "path": "", "value": 1}] * (limits.JSON_PATCH_OPERATIONS + 1), 413, "10000, got 10001"),
    ],
)
def test_what_is_no_patch_is_told_why(patch, code, message):
    with pytest.raises(StatusError) as told:
        json_patch.apply({"a": 1, "list": [0]}, patch)
    assert told.value.code == code
    assert message in told.value.message


@pytest.mark.parametrize(
    ("patch", "message"),
    [
        ([{"op": "spam", "path": ""}], "Unexpected kind: spam"),
        ([{"op": "test", "path": "/a", "value": 2}], "testing value /a failed: test failed"),
        ([{"op": "test", "path": "/a", "value": True}], "test failed"),
        ([{"op": "move", "from": "/list", "path": "/list/0"}], "inside of what is moved"),
    ],
)
def test_what_does_not_apply_is_told_why(patch, message):
    with pytest.raises(json_patch.RejectedError) as told:
        json_patch.apply({"a": 1, "list": [0]}, patch)
    assert message in str(told.value)


NOWHERE = "{} operation does not apply: doc is missing {}: missing value"
NO_INDEX = "Unable to access invalid index: {}: invalid index referenced"
NO_NUMBER = 'strconv.Atoi: parsing "x": invalid syntax'


@pytest.mark.parametrize(
    ("operation", "message"),
    [
        ({"op": "add", "path": "/b/c", "value": 1}, NOWHERE.format("add", 'path: "/b/c"')),
        ({"op": "add", "path": "/a/c", "value": 1}, NOWHERE.format("add", 'path: "/a/c"')),
        ({"op": "add", "path": "/list/2", "value": 1}, f"error in add for path: '/list/2': {NO_INDEX.format(2)}"),
        ({"op": "add", "path": "/list/01", "value": 1}, f"error in add for path: '/list/01': {NO_INDEX.format('01')}"),
        (
            {"op": "add", "path": "/list/x", "value": 1},
            f"error in add for path: '/list/x': value was not a proper array index: 'x': {NO_NUMBER}",
        ),
        ({"op": "remove", "path": "/b/c"}, NOWHERE.format("remove", 'path: "/b/c"')),
        ({"op": "remove", "path": "/a~1b"}, "error in remove for path: '/a~1b': Unable to remove nonexistent key: a/b: missing value"),
        ({"op": "remove", "path": "/list/1"}, f"error in remove for path: '/list/1': {NO_INDEX.format(1)}"),
        ({"op": "remove", "path": "/list/-1"}, f"error in remove for path: '/list/-1': {NO_INDEX.format(-1)}"),
        ({"op": "remove", "path": "/list/x"}, f"error in remove for path: '/list/x': {NO_NUMBER}"),
        ({"op": "replace", "path": "/b/c", "value": 1}, NOWHERE.format("replace", "path: /b/c")),
        ({"op": "replace", "path": "/list/1", "value": 1}, NOWHERE.format("replace", "key: /list/1")),
        ({"op": "test", "path": "/b/c", "value": 1}, "test operation does not apply: is missing path: /b/c: missing value"),
        ({"op": "test", "path": "/list/1", "value": 1}, f"error in test for path: '/list/1': {NO_INDEX.format(1)}"),
        ({"op": "move", "from": "/b/c", "path": "/d"}, NOWHERE.format("move", "from path: /b/c")),
        ({"op": "move", "from": "/b", "path": "/d"}, "error in move for path: 'b': Unable to remove nonexistent key: b: missing value"),
        ({"op": "move", "from": "/b", "path": "/b"}, "error in move for path: 'b': Unable to remove nonexistent key: b: missing value"),
        ({"op": "move", "from": "/list/1", "path": "/d"}, f"error in move for path: '1': {NO_INDEX.format(1)}"),
        ({"op": "move", "from": "/a", "path": "/b/c"}, NOWHERE.format("move", "destination path: /b/c")),
        ({"op": "move", "from": "/a", "path": "/list/2"}, f"error in move for path: '/list/2': {NO_INDEX.format(2)}"),
        ({"op": "copy", "from": "/b/c", "path": "/d"}, NOWHERE.format("copy", "from path: /b/c")),
        ({"op": "copy", "from": "/b", "path": "/d"}, "error in copy for from: '/b': missing value"),
        ({"op": "copy", "from": "/list/1", "path": "/d"}, f"error in copy for from: '/list/1': {NO_INDEX.format(1)}"),
        ({"op": "copy", "from": "/a", "path": "/b/c"}, NOWHERE.format("copy", "destination path: /b/c")),
        ({"op": "copy", "from": "/a", "path": "/list/2"}, f"error while adding value during copy: {NO_INDEX.format(2)}"),
    ],
)
def test_what_is_not_there_is_told_in_kubernetes_words(operation, message):
    with pytest.raises(json_patch.RejectedError) as told:
        json_patch.apply({"a": 1, "list": [0]}, [operation])
    assert str(told.value) == message


def test_what_is_moved_to_where_it_is_stays():
    for pointer in ("/a", "/list/0", ""):
        assert json_patch.apply({"a": 1, "list": [0, 1]}, [{"op": "move", "from": pointer, "path": pointer}]) == {"a": 1, "list": [0, 1]}


def test_replace_puts_into_a_map_what_is_not_there_yet():
    """As in Kubernetes; in a list, or in what isn't there, nothing is replaced."""
    assert json_patch.apply({"a": {}}, [{"op": "replace", "path": "/a/b", "value": 1}]) == {"a": {"b": 1}}
    for path in ("/list/1", "/b/c", "/text/x"):
        with pytest.raises(json_patch.RejectedError):
            json_patch.apply({"list": [0], "text": "t"}, [{"op": "replace", "path": path, "value": 1}])


def test_copies_are_limited_in_all():
    patch = [{"op": "copy", "from": "/a", "path": "/b"}] * 2
    document = {"a": "x" * (limits.JSON_PATCH_COPIED_BYTES * 2 // 3)}
    assert json_patch.apply(document, patch[:1])
    with pytest.raises(json_patch.RejectedError, match="accumulated size"):
        json_patch.apply(document, patch)


def test_copies_are_independent():
    patch = [
        {"op": "copy", "from": "/a", "path": "/b"},
        {"op": "add", "path": "/a/x", "value": 1},
        {"op": "add", "path": "/b/y", "value": 2},
    ]
    assert json_patch.apply({"a": {}}, patch) == {"a": {"x": 1}, "b": {"y": 2}}


def test_a_patch_can_not_nest_without_end():
    patch = [{"op": "copy", "from": "", "path": "/a"}] * (limits.OBJECT_LEVELS + 1)
    with pytest.raises(json_patch.RejectedError, match="exceeded max depth"):
        json_patch.apply({}, patch)


@pytest.mark.parametrize(
    ("document", "patch", "result"),
    [
        ({"a": "b"}, {"a": "c"}, {"a": "c"}),
        ({"a": "b"}, {"b": "c"}, {"a": "b", "b": "c"}),
        ({"a": "b", "b": "c"}, {"a": None}, {"b": "c"}),
        ({"a": ["b"]}, {"a": "c"}, {"a": "c"}),
        ({"a": {"b": "c"}}, {"a": {"b": "d", "c": None}}, {"a": {"b": "d"}}),
        ({"a": [{"b": "c"}]}, {"a": [1]}, {"a": [1]}),
        ({"a": "foo"}, None, None),
        ({"e": None}, {"a": 1}, {"e": None, "a": 1}),
        ([1, 2], {"a": "b", "c": None}, {"a": "b"}),
        ({}, {"a": {"bb": {"ccc": None}}}, {"a": {"bb": {}}}),
    ],
)
def test_merge_patches(document, patch, result):
    assert merge_patch.apply(document, patch) == result


@given(st.dictionaries(KEYS, VALUES), st.dictionaries(KEYS, VALUES))
def test_a_merge_patch_leads_from_any_map_to_any_other(before, after):
    untouched = copy.deepcopy((before, after))
    assert merge_patch.apply(before, merge_patch.diff(before, after)) == after
    assert (before, after) == untouched


@pytest.mark.parametrize(
    ("before", "after", "patch"),
    [(0, False, {"a": False}), ([1], [True], {"a": [True]}), ({"b": [0]}, {"b": [False]}, {"a": {"b": [False]}}), ([1], [1.0], {})],
)
def test_a_merge_patch_tells_booleans_from_numbers(before, after, patch):
    assert repr(merge_patch.diff({"a": before}, {"a": after})) == repr(patch)
