"""``edit``, with programs in the editor's place."""

import sys
from pathlib import Path

import pytest


@pytest.fixture
def editor(tmp_path, monkeypatch):
    """Set a program for the editor, which gets the file's name as its argument."""

    def use(program):
        path = tmp_path / "editor.py"
        path.write_text(f"import sys, pathlib\npath = pathlib.Path(sys.argv[1])\ntext = path.read_text()\n{program}\n")
        monkeypatch.setenv("SVCSIM_EDITOR", f"{sys.executable} {path}")

    return use


def test_an_edit_sends_what_was_changed(cli, stub, editor):
    editor("path.write_text(text.replace('tier: front', 'tier: back'))")
    assert cli("edit pod web-1") == (0, "pod/web-1 edited\n", "")
    patches = [body for method, _, body in stub.requests if method == "PATCH"]
    assert patches == [{"metadata": {"labels": {"tier": "back"}}}]


def test_an_object_is_edited_as_json_where_that_is_asked_for(cli, stub, editor):
    editor('assert path.suffix == \'.json\'\npath.write_text(text.replace(\'"tier": "front"\', \'"tier": "back"\'))')
    assert cli("edit pod web-1 -o json").status == 0
    patches = [body for method, _, body in stub.requests if method == "PATCH"]
    assert patches == [{"metadata": {"labels": {"tier": "back"}}}]


def test_an_edit_that_changes_nothing_sends_nothing(cli, stub, editor):
    editor("pass")
    assert cli("edit pod web-1") == (0, "", "Edit cancelled, no changes made.\n")
    assert [method for method, _, _ in stub.requests if method != "GET"] == []


def test_an_empty_file_ends_an_edit(cli, editor):
    editor("path.write_text('# nothing left\\n')")
    assert cli("edit pod web-1") == (0, "", "Edit cancelled, saved file was empty.\n")


def test_an_edit_that_cannot_be_read_is_shown_again_with_the_reason(cli, editor):
    editor(
        "first = 'error converting YAML' not in text\n"
        "path.write_text(text.replace('tier: front', 'tier: [back') if first else text.replace('tier: [', 'tier: '))"
    )
    assert cli("edit pod web-1") == (0, "pod/web-1 edited\n", 'error: pods "web-1" is invalid\n')


def test_an_edit_given_up_after_a_mistake_keeps_what_was_written(cli, editor):
    editor("path.write_text(text.replace('tier: front', 'tier: [back'))")
    status, out, err = cli("edit pod web-1")
    assert (status, out) == (1, "")
    mistake, kept, end = err.splitlines()
    assert mistake == 'error: pods "web-1" is invalid'
    assert "tier: [back" in Path(kept.removeprefix('A copy of your changes has been stored to "').removesuffix('"')).read_text()
    assert end == "error: Edit cancelled, no valid changes were saved."


def test_an_editor_that_is_not_there_is_told(cli, monkeypatch):
    monkeypatch.setenv("SVCSIM_EDITOR", "/no/such/editor")
    assert cli("edit pod web-1").err == 'error: unable to launch the editor "/no/such/editor"; set EDITOR to one you have\n'
