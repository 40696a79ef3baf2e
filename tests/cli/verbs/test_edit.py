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


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("metadata:\n", "metadata:  # what it is called\n"),
        ("kind: Pod\n", "\nkind:   'Pod'\n"),
    ],
)
def test_another_text_for_the_same_object_is_no_change(cli, stub, editor, before, after):
    editor(f"assert {before!r} in text\npath.write_text(text.replace({before!r}, {after!r}))")
    assert cli("edit pod web-1") == (0, "", "Edit cancelled, no changes made.\n")
    assert [method for method, _, _ in stub.requests if method != "GET"] == []


def test_an_edit_taken_back_after_a_mistake_is_cancelled(cli, editor):
    editor(
        "first = 'error converting YAML' not in text\n"
        "path.write_text(text.replace('tier: front', 'tier: [front') if first else text.replace('tier: [', 'tier: '))"
    )
    assert cli("edit pod web-1") == (0, "", 'error: pods "web-1" is invalid\nEdit cancelled, no changes made.\n')


@pytest.mark.parametrize("left", ["", "# nothing left\n"])
def test_an_empty_file_is_a_mistake(cli, editor, left):
    editor(f"path.write_text({left!r})")
    status, out, err = cli("edit pod web-1")
    assert (status, out) == (1, "")
    mistake, _, end = err.splitlines()
    assert mistake == 'error: pods "web-1" is invalid'
    assert end == "error: Edit cancelled, no valid changes were saved."


def test_json_is_opened_without_comments_and_what_is_wrong_is_told_beside_it(cli, editor):
    editor(
        "assert text[0] == '{'\n"
        'first = \'"tier": "front"\' in text\n'
        "path.write_text(text.replace('\"front\"', '\"back\",') if first else text.replace('\"back\",', '\"back\"'))"
    )
    status, out, err = cli("edit pod web-1 -o json")
    assert status == 0
    assert '"tier": "back"' in out
    mistake, why = err.splitlines()
    assert mistake == 'error: pods "web-1" is invalid'
    assert "json: offset " in why


@pytest.mark.parametrize(
    ("before", "after", "words"),
    [
        ("name: web-1\n", "name: web-2\n", "At least one of apiVersion, kind and name was changed"),
        ("kind: Pod\n", "kind: Secret\n", "At least one of apiVersion, kind and name was changed"),
        ("  uid: ", "  uid: x", "no original object found for the uid"),
        (
            "namespace: default",
            "namespace: other",
            'the namespace from the provided object "other" does not match the namespace "default". You must pass',
        ),
    ],
)
def test_an_object_does_not_become_another(cli, stub, editor, before, after, words):
    editor(f"path.write_text(text.replace({before!r}, {after!r}))")
    status, out, err = cli("edit pod web-1")
    assert (status, out) == (1, "")
    kept, end = err.splitlines()
    assert after in Path(kept.removeprefix('A copy of your changes has been stored to "').removesuffix('"')).read_text()
    assert end.startswith(f"error: {words}")
    assert [method for method, _, _ in stub.requests if method != "GET"] == []


@pytest.mark.parametrize(
    "text",
    [
        "[]",
        "3",
        "apiVersion: v1",
        "kind: List\nitems: [1]",
        "kind: List\nitems: 3",
        "apiVersion: v1\nkind: Pod\nmetadata: [1]",
        "{}\n---\n{}",
    ],
)
def test_what_holds_no_such_object_is_a_mistake(cli, editor, text):
    editor(f"path.write_text({text!r})")
    status, out, err = cli("edit pod web-1")
    assert (status, out) == (1, "")
    assert err.startswith('error: pods "web-1" is invalid\nA copy of your changes')


def test_an_object_taken_out_of_the_file_stays_as_it_is(cli, stub, editor):
    editor("path.write_text('apiVersion: v1\\nkind: List\\nitems: []\\n')")
    assert cli("edit pod web-1 web-2") == (0, "", "")
    assert [method for method, _, _ in stub.requests if method != "GET"] == []


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


@pytest.mark.parametrize("editor_words", ["/no/such/editor", "nosuch -w", "/", "vi 'x", " "])
def test_an_editor_that_is_not_there_is_told(cli, monkeypatch, editor_words):
    monkeypatch.setenv("SVCSIM_EDITOR", editor_words)
    status, _, err = cli("edit pod web-1")
    assert status == 1
    assert err.startswith(f'error: unable to launch the editor "{editor_words}"; set EDITOR to ')


@pytest.fixture
def on(cluster, run):
    """Run a command line on a real server."""
    return lambda command: run(f"--kubeconfig {cluster.kubeconfig} {command}")


MISSPELT = """
shown = 'unknown field "dta"' in text
path.write_text(text.replace('\\ndta:', '\\ndata:') if shown else text.replace('\\ndata:', '\\ndta:'))
"""


def test_a_field_that_is_not_known_is_refused_and_the_file_offered_again(on, editor):
    assert on("create configmap strict --from-literal=a=b").status == 0
    editor(MISSPELT)
    status, out, err = on("edit configmap strict")
    assert (status, out, err) == (0, "", 'error: configmaps "strict" is invalid\nEdit cancelled, no changes made.\n')
    assert on("get configmap strict -o jsonpath={.data.a}").out == "b"


def test_a_field_that_stays_unknown_leaves_the_object_and_keeps_the_file(on, editor):
    assert on("create configmap kept --from-literal=a=b").status == 0
    editor("path.write_text(text.replace('\\ndata:', '\\ndta:'))")
    status, out, err = on("edit configmap kept")
    assert (status, out) == (1, "")
    assert "A copy of your changes has been stored to" in err
    assert on("get configmap kept -o jsonpath={.data.a}").out == "b"


def test_how_strictly_an_edit_is_read_can_be_said(on, editor):
    assert on("create configmap loose --from-literal=a=b").status == 0
    editor("path.write_text(text.replace('  a: b', '  a: c').replace('kind:', 'bogus: 1\\nkind:'))")
    assert on("edit configmap loose --validate=warn") == (0, "configmap/loose edited\n", 'Warning: unknown field "bogus"\n')
    assert on("get configmap loose -o jsonpath={.data.a}").out == "c"
    assert on("edit configmap loose --validate=perhaps").status == 1
    editor("path.write_text(text.replace('  a: c', '  a: d').replace('kind:', 'bogus: 1\\nkind:'))")
    assert on("edit configmap loose --validate=ignore") == (0, "configmap/loose edited\n", "")


def test_a_subresource_is_what_is_edited(on, editor):
    assert on("create deployment scaled --image=nginx --replicas=2").status == 0
    editor("assert 'kind: Scale' in text\npath.write_text(text.replace('replicas: 2', 'replicas: 1', 1))")
    patch = 'Patch: {"spec":{"replicas":1}}\n'
    assert on("edit deploy scaled --subresource=scale --output-patch") == (0, f"{patch}scale.autoscaling/scaled edited\n", "")
    assert on("get deploy scaled -o jsonpath={.spec.replicas}").out == "1"


def test_an_object_that_went_meanwhile_is_not_offered_again(on, editor, cluster):
    assert on("create configmap going --from-literal=a=b").status == 0
    delete = [sys.executable, "-m", "svcsim", "--kubeconfig", str(cluster.kubeconfig), "delete", "cm", "going"]
    gone = f"import subprocess\nsubprocess.run({delete}, check=True, stdout=subprocess.DEVNULL)"
    editor(f"path.write_text(text.replace('a: b', 'a: c'))\n{gone}")
    status, _, err = on("edit configmap going")
    missing, kept = err.splitlines()
    assert (status, missing) == (1, 'error: configmaps "going" could not be found on the server')
    assert kept.startswith('The edits you made on deleted resources have been saved to "')
    assert "a: c" in Path(kept.split('"')[1]).read_text()


def test_what_no_other_wording_would_change_is_told_once(on, editor, cluster):
    assert on("create configmap contended --from-literal=a=b").status == 0
    editor("path.write_text(text.replace('a: b', 'a: c').replace('resourceVersion: \"', 'resourceVersion: \"1'))")
    status, out, err = on("edit configmap contended")
    refused, advice = err.splitlines()
    assert (status, out) == (1, "")
    assert refused.startswith('error: configmaps "contended" could not be patched: ')
    assert advice.startswith("You can run `svcsim replace -f ")
    assert advice.endswith("` to try this update again.")
