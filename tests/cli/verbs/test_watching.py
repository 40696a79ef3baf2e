"""``get -w``, ``edit``, ``apply`` and ``delete --wait`` against a server that changes meanwhile."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.objects import make

ROOT = Path(__file__).resolve().parents[3]


@pytest.fixture
def watching(stub):
    """Start a watch in a process of its own; it is ended with the test."""
    started = []

    def start(command):
        words = [sys.executable, "-m", "svcsim", "--server", stub.url, *command.split()]
        process = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=ROOT)
        started.append(process)
        return process

    yield start
    for process in started:
        process.kill()
        process.communicate()


def rows(process, count):
    return [process.stdout.readline().rstrip("\n") for _ in range(count)]


def widget(name, phase="Ready"):
    return make("Widget", name, "example.com/v1", status={"phase": phase})


def test_a_watch_prints_what_is_there_and_then_every_change(stub, watching):
    process = watching("get widgets -w")
    assert rows(process, 2) == ["NAME   STATUS", "w      Ready"]
    stub.put(widget("new", "Pending"))
    assert rows(process, 1) == ["new    Pending"]
    stub.remove(("widgets", "default", "new"))
    assert rows(process, 1) == ["new    Pending"]


def test_a_watch_says_what_happened_if_asked(stub, watching):
    process = watching("get widgets -w --output-watch-events --no-headers")
    assert rows(process, 1) == ["ADDED      w     Ready"]
    stub.put(widget("w", "Failed"))
    assert rows(process, 1) == ["MODIFIED   w     Failed"]


def test_a_watch_only_leaves_out_what_is_there(stub, watching):
    process = watching("get widgets --watch-only -o name")
    stub.wait_for_request("watch=true")
    stub.put(widget("late"))
    assert rows(process, 1) == ["widget.example.com/late"]


def test_a_watch_of_one_object_shows_that_one_alone(stub, watching):
    process = watching("get widget w -w -o name")
    assert rows(process, 1) == ["widget.example.com/w"]
    stub.wait_for_request("watch=true")
    stub.put(widget("other"))
    stub.put(widget("w", "Failed"))
    assert rows(process, 1) == ["widget.example.com/w"]


def test_a_watch_that_the_server_ends_goes_on(stub, watching):
    stub.watch_s = 0.05
    process = watching("get widgets -w --no-headers")
    assert rows(process, 1) == ["w     Ready"]
    stub.wait_for_request("watch=true", times=3)
    stub.put(widget("w", "Failed"))
    assert rows(process, 1) == ["w     Failed"]


def test_a_watch_that_is_too_old_begins_anew_and_repeats_nothing(stub, watching):
    """The next revision is the first that can be watched from: until it is written, every watch is refused and followed by a list."""
    stub.watch_s = 0.05
    process = watching("get widgets -w --no-headers")
    assert rows(process, 1) == ["w     Ready"]
    stub.oldest = stub.revision + 1
    stub.wait_for_request("widgets?limit", times=3)
    stub.put(widget("new", "Pending"))
    assert rows(process, 1) == ["new   Pending"]
    stub.put(widget("w", "Failed"))
    assert rows(process, 1) == ["w     Failed"]


def test_a_wait_gets_over_a_watch_that_is_too_old(stub, watching):
    stub.oldest = stub.revision + 1
    process = watching("wait widget/late --for=create --timeout=60s")
    stub.wait_for_request("metadata.name%3Dlate", times=3)
    stub.put(widget("late"))
    assert rows(process, 1) == ["widget.example.com/late condition met"]


def test_control_c_ends_a_watch_quietly(stub, watching):
    import signal

    process = watching("get widgets -w")
    rows(process, 2)
    process.send_signal(signal.SIGINT)
    assert process.wait(10) == 130
    assert process.stderr.read() == ""


def test_a_reader_that_leaves_ends_the_command_quietly(stub):
    program = f"{sys.executable} -m svcsim --server {stub.url} get pods -o yaml | head -1"
    done = subprocess.run(["bash", "-c", program], capture_output=True, text=True, cwd=ROOT, check=True)
    assert (done.stdout, done.stderr) == ("apiVersion: v1\n", "")


def test_watching_two_types_is_refused(cli):
    message = "watch is only supported on individual resources and resource collections - more than 1 resource was found"
    assert cli("get pods,services -w").err == f"error: {message}\n"


# --- edit ---


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


# --- apply ---


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
