"""``-f``: where manifests come from."""

import io
import sys

import pytest

from svcsim.cli.failure import CommandError
from svcsim.cli.shared.files import read_manifests

DECODE = 'unable to decode "FILE": json: cannot unmarshal'
ONE = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: one}\n"
TWO = '{"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "two"}}'


def names(*filenames, recursive=False):
    return [manifest.obj["metadata"]["name"] for manifest in read_manifests([str(name) for name in filenames], recursive=recursive)]


@pytest.fixture
def directory(tmp_path):
    (tmp_path / "below").mkdir()
    for name, text in (("b.yaml", ONE), ("a.json", TWO), ("c.txt", "not read"), ("below/d.yml", ONE.replace("one", "three"))):
        (tmp_path / name).write_text(text)
    return tmp_path


def test_a_file_may_hold_many_documents(tmp_path):
    (tmp_path / "m.yaml").write_text(f"{ONE}---\n---\n# nothing\n---\n{TWO}\n")
    assert names(tmp_path / "m.yaml") == ["one", "two"]


def test_a_directory_is_read_in_order_and_only_what_is_a_manifest(directory):
    assert names(directory) == ["two", "one"]


def test_a_directory_is_read_all_the_way_down_if_asked(directory):
    assert names(directory, recursive=True) == ["two", "one", "three"]


def test_a_pattern_that_no_shell_expanded_is_expanded(directory):
    assert names(f"{directory}/*.yaml") == ["one"]


def test_a_file_address_is_a_file(directory):
    assert names(f"file://{directory}/b.yaml") == ["one"]


def test_stdin_is_called_by_a_hyphen(monkeypatch):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(ONE.encode())))
    assert names("-") == ["one"]


def test_lists_are_taken_apart(tmp_path):
    (tmp_path / "l.json").write_text(
        f'{{"apiVersion": "v1", "kind": "List", "items": [{TWO}, {{"apiVersion": "v1", "kind": "PodList", "items": [{TWO}]}}]}}'
    )
    assert names(tmp_path / "l.json") == ["two", "two"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a: b: c", "error parsing FILE: error converting YAML to JSON: yaml: line 1: mapping values are not allowed in this context"),
        ("metadata: {name: x}", 'unable to decode "FILE": Object \'Kind\' is missing in \'{"metadata":{"name":"x"}}\''),
        ("[1]", 'unable to decode "FILE": json: cannot unmarshal array into Go value of type unstructured.detector'),
        ("just text", 'unable to decode "FILE": json: cannot unmarshal string into Go value of type unstructured.detector'),
        (
            "{kind: X, metadata: {name: yes}}",
            f"{DECODE} bool into Go struct field ObjectMeta.metadata.name of type string",
        ),
        (
            "{kind: X, metadata: []}",
            f"{DECODE} array into Go struct field ObjectMeta.metadata of type map[string]interface {{}}",
        ),
    ],
)
def test_what_is_no_manifest_is_told(tmp_path, text, message):
    path = tmp_path / "m.yaml"
    path.write_text(text)
    with pytest.raises(CommandError) as error:
        names(path)
    assert str(error.value) == message.replace("FILE", str(path))


def test_what_is_not_there_is_told():
    with pytest.raises(CommandError, match='the path "/no/such/file" does not exist'):
        names("/no/such/file")


def test_an_empty_directory_is_told(tmp_path):
    with pytest.raises(CommandError, match="recognized file extensions are"):
        names(tmp_path)


def test_an_address_on_the_web_is_refused_with_a_way_out():
    with pytest.raises(CommandError, match="svcsim reads local files only; download it first"):
        names("https://example.com/x.yaml")
