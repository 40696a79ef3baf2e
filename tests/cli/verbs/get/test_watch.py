"""``get -w`` against a server that changes meanwhile."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.objects import make
from tests.process import SVCSIM, started

ROOT = Path(__file__).resolve().parents[4]


@pytest.fixture
def watching(stub):
    """Start a watch in a process of its own; it is ended with the test."""
    begun = []

    def start(command):
        begun.append(started([SVCSIM, "--server", stub.url, *command.split()], os.environ))
        return begun[-1]

    yield start
    for process in begun:
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


def test_a_watch_of_one_object_begins_now_however_old_the_object_is(stub, watching):
    """The revision of an object that nobody has changed for long can't be watched from."""
    stub.oldest = stub.revision
    process = watching("get widget w -w -o name")
    assert rows(process, 1) == ["widget.example.com/w"]
    stub.wait_for_request("watch=true")
    stub.put(widget("w", "Failed"))
    assert rows(process, 1) == ["widget.example.com/w"]
    assert len([path for _, path, _ in stub.requests if "watch=true" in path]) == 1


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
