"""The arithmetic of client-side apply without a schema, and the annotation it rests on."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from svcsim.cli.shared.last_applied import parse_last_applied, with_last_applied, without_last_applied
from svcsim.cli.verbs.apply.merge_patch import merge_patch_of
from svcsim.meta import merge_patch
from tests.cli.objects import make

KEY = "kubectl.svcapi.io/last-applied-configuration"


@pytest.mark.parametrize(
    ("original", "modified", "current", "patch"),
    [
        pytest.param({}, {"a": 1}, {"b": 2}, {"a": 1}, id="what others set stays"),
        pytest.param({"a": 1}, {}, {"a": 1, "b": 2}, {"a": None}, id="what is no longer applied goes"),
        pytest.param({"a": 1}, {"a": 2}, {"a": 3}, {"a": 2}, id="what is applied wins over a change by others"),
        pytest.param({"a": {"x": 1, "y": 2}}, {"a": {"x": 1}}, {"a": {"x": 1, "z": 3}}, {"a": {"y": None}}, id="inside maps too"),
        pytest.param({}, {"a": None}, {"a": 1}, {"a": None}, id="null takes a field away"),
        pytest.param({}, {"a": None}, {}, {}, id="null asks for nothing where there is nothing"),
        pytest.param({"l": [1, 2]}, {"l": [1, 3]}, {"l": [1, 2, 9]}, {"l": [1, 3]}, id="lists are replaced"),
        pytest.param({}, {"a": True}, {"a": 1}, {"a": True}, id="true is not one"),
    ],
)
def test_the_patch_says_what_differs(original, modified, current, patch):
    assert merge_patch_of(original, modified, current) == patch


def maps(inner):
    return st.dictionaries(st.sampled_from("abcd"), inner, max_size=4)


values = st.recursive(st.integers(0, 3) | st.text("ab", max_size=2), lambda inner: maps(inner) | st.lists(inner, max_size=2), max_leaves=8)


@given(maps(values), maps(values), maps(values))
def test_after_the_patch_all_that_is_applied_holds_and_nothing_is_left_to_do(original, modified, current):
    after = merge_patch.apply(current, merge_patch_of(original, modified, current))
    assert merge_patch_of({}, modified, after) == {}
    assert merge_patch_of(modified, modified, after) == {}


@given(maps(values), maps(values), maps(values))
def test_what_was_never_applied_is_kept(original, modified, current):
    after = merge_patch.apply(current, merge_patch_of(original, modified, current))
    assert {key: value for key, value in current.items() if key not in original and key not in modified}.items() <= after.items()


def test_the_annotation_holds_the_object_without_itself():
    obj = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a", "annotations": {KEY: "old", "mine": "x"}}}
    annotated = with_last_applied(obj, KEY)
    assert annotated["metadata"]["annotations"]["mine"] == "x"
    kept = annotated["metadata"]["annotations"][KEY]
    assert kept.endswith("\n")
    assert json.loads(kept) == without_last_applied(obj, KEY) == parse_last_applied(kept)


@pytest.mark.parametrize("text", [None, "", "{", "[]", "3"])
def test_an_annotation_that_cannot_be_read_counts_as_never_applied(text):
    assert parse_last_applied(text) == {}


# --- as a command ---


def test_applying_twice_changes_nothing(cli, stub, tmp_path):
    manifest = tmp_path / "m.json"
    manifest.write_text(json.dumps(make("ConfigMap", "new", data={"a": "1"})))
    assert cli(f"apply -f {manifest}").out == "configmap/new created\n"
    assert cli(f"apply -f {manifest}").out == "configmap/new unchanged\n"


def test_applying_removes_what_was_dropped_and_keeps_what_others_set(cli, stub, tmp_path):
    manifest = tmp_path / "m.json"
    manifest.write_text(json.dumps(make("ConfigMap", "new", data={"a": "1", "b": "2"})))
    cli(f"apply -f {manifest}")
    key = ("configmaps", "default", "new")
    stub.put({**stub.objects[key], "data": {**stub.objects[key]["data"], "theirs": "3"}})
    manifest.write_text(json.dumps(make("ConfigMap", "new", data={"a": "1"})))
    assert cli(f"apply -f {manifest}").out == "configmap/new configured\n"
    assert stub.objects[key]["data"] == {"a": "1", "theirs": "3"}


def test_one_object_that_fails_does_not_stop_the_others(cli, stub, tmp_path):
    manifest = tmp_path / "m.yaml"
    manifest.write_text(
        "apiVersion: nope/v1\nkind: Nope\nmetadata: {name: x}\n---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: good}\n"
    )
    done = cli(f"apply -f {manifest}")
    assert (done.status, done.out) == (1, "configmap/good created\n")
    assert 'no matches for kind "Nope" in version "nope/v1"' in done.err
