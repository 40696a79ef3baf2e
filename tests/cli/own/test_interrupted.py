"""Commands that end before their time, and clusters whose files or commands go away: nothing runs on that nobody knows of."""

import os
import shlex
import shutil
import signal
import subprocess
import sys
import threading

import orjson
import pytest

from svcsim.cli.own import lifecycle
from svcsim.cli.shared import state
from svcsim.cluster.settings import to_json
from svcsim.cluster.spec import ClusterSpec
from svcsim.meta.locks import hold
from tests.cli.own.conftest import ROOT

UP = [sys.executable, "-m", "svcsim", "up", "c", "--nodes", "0", "--durability", "process"]
INTERRUPT_WHILE = """
import importlib.abc, os, signal, sys
signal.signal(signal.SIGINT, signal.default_int_handler)
class Interrupt(importlib.abc.MetaPathFinder):
    def find_spec(self, name, path, target=None):
        if name == wanted:
            os.kill(os.getpid(), signal.SIGINT)
import runpy
wanted = sys.argv.pop(1)
sys.meta_path.insert(0, Interrupt())
runpy.run_module("svcsim", run_name="__main__")
"""

pytestmark = pytest.mark.servers_from_scratch


@pytest.mark.parametrize(
    "module", ["orjson", "svcsim.cli.main", "svcsim.cli.flags", "svcsim.client.kubeconfig", "svcsim.cli.shared.session"]
)
def test_control_c_ends_a_command_quietly_while_it_is_loaded(home, module):
    words = [sys.executable, "-c", INTERRUPT_WHILE, module, "get", "pods"]
    done = subprocess.run(words, check=False, capture_output=True, text=True, cwd=ROOT)
    assert (done.stdout, done.stderr) == ("", "")
    assert done.returncode in (-signal.SIGINT, 130), "a shell says 130 of both"


def test_nothing_is_loaded_before_control_c_is_quiet_but_what_is_built_in(home):
    loaded = "import sys; before = set(sys.modules); import svcsim.cli.start; print(*sorted(set(sys.modules) - before))"
    words = [sys.executable, "-S", "-c", loaded]
    done = subprocess.run(words, check=True, capture_output=True, text=True, cwd=ROOT)
    assert set(done.stdout.split()) - set(sys.builtin_module_names) == {"svcsim", "svcsim.cli", "svcsim.cli.start"}


def test_who_has_control_c_ignored_keeps_it_so(home):
    ignoring = INTERRUPT_WHILE.replace("signal.default_int_handler", "signal.SIG_IGN")
    words = [sys.executable, "-c", ignoring, "svcsim.cli.main", "--version"]
    done = subprocess.run(words, check=False, capture_output=True, text=True, cwd=ROOT)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize("there_before", [False, True])
def test_control_c_during_up_leaves_nothing_running(svcsim, home, there_before):
    cluster = state.cluster_dir("c")
    if there_before:
        svcsim(*UP[3:])
        svcsim("down", "c")
    words = [sys.executable, "-c", INTERRUPT_WHILE, "nothing", *UP[3:]]  # where Ctrl-C counts, whoever runs the tests
    while True:
        with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=ROOT) as process:
            while not cluster.running() and process.poll() is None:
                pass
            process.send_signal(signal.SIGINT)
            out, err = process.communicate()
        if process.returncode:
            break
        svcsim("down", "c", *([] if there_before else ["--purge"]))  # it was ready before it could be interrupted: once more
    assert (process.returncode, out, err) == (130, "", 'interrupted: cluster "c" was not started\n')
    assert not cluster.running()
    assert cluster.path.exists() == there_before
    assert svcsim(*UP[3:])[0] == 0


def test_a_server_whose_starter_is_gone_ends(svcsim, home):
    cluster = state.cluster_dir("c")
    cluster.path.mkdir(parents=True)
    spec = to_json(ClusterSpec(nodes=0, durability="process", data_dir=cluster.path))
    ours, theirs = os.pipe()
    os.close(ours)
    words = [sys.executable, "-m", "svcsim.cli.own.daemon", "c", orjson.dumps(spec).decode(), str(theirs)]
    done = subprocess.run(words, check=False, pass_fds=(theirs,), cwd=ROOT)
    os.close(theirs)
    assert done.returncode == 1
    assert not cluster.running()
    assert "the command that started it was interrupted" in cluster.log_file.read_text()
    assert svcsim("up", "c")[0] == 0


def log_handle(cluster):
    """The log, which can be read on when it has no name any more."""
    return cluster.log_file.open()


def wait_for_end(log, words):
    """Wait until the server has said so and is about to end."""
    told = ""
    while words not in told:
        told += log.read()


@pytest.mark.parametrize("what", ["home", "cluster", "lock", "store"])
def test_a_server_whose_files_are_taken_away_ends(svcsim, home, what):
    svcsim(*UP[3:])
    cluster = state.cluster_dir("c")
    address = cluster.server()["url"]
    held = os.open(cluster.lock_file, os.O_RDWR)
    with log_handle(cluster) as log:
        gone = {"home": home, "cluster": cluster.path, "lock": cluster.lock_file, "store": cluster.path / "store"}[what]
        if gone.is_dir():
            shutil.rmtree(gone)
        else:
            gone.unlink()
        wait_for_end(log, "cluster c stops")
    import fcntl

    fcntl.flock(held, fcntl.LOCK_EX)  # comes when the server has ended
    os.close(held)
    assert svcsim("--server", address, "get", "--raw", "/readyz")[0] == 1
    assert svcsim("up", "c", "--nodes", "0")[0] == (1 if what == "store" else 0), "what is left says that there were data"


def test_a_new_cluster_in_the_place_of_one_that_ends_is_left_alone(svcsim, home):
    svcsim(*UP[3:])
    cluster = state.cluster_dir("c")
    with log_handle(cluster) as log:
        shutil.rmtree(home)
        assert svcsim(*UP[3:])[0] == 0
        record = cluster.server()
        wait_for_end(log, "cluster c stops")
    assert cluster.server() == record
    assert svcsim("--cluster", "c", "get", "--raw", "/readyz") == (0, "ok", "")


def test_down_ends_the_server_it_found_and_not_the_next_one(home, capsys):
    cluster = state.cluster_dir("c")
    cluster.path.mkdir(parents=True)
    lock = hold(cluster.lock_file)
    sleeper = [sys.executable, "-c", "import signal; signal.pause()"]
    with subprocess.Popen(sleeper) as first, subprocess.Popen(sleeper) as second:
        state.note_holder(lock, first.pid)

        def started_again():
            first.wait()
            state.note_holder(lock, second.pid)

        waiting = threading.Thread(target=started_again)
        waiting.start()
        lifecycle.down("c")
        waiting.join()
        assert second.poll() is None
        second.kill()
    os.close(lock)
    assert capsys.readouterr().out == 'Cluster "c" stopped\n'


def test_what_a_server_left_behind_that_was_killed_is_not_taken_for_the_next_ones(svcsim, home):
    svcsim(*UP[3:])
    cluster = state.cluster_dir("c")
    os.kill(cluster.holder(), signal.SIGKILL)
    while cluster.running():
        pass
    assert cluster.record() is not None
    assert cluster.lock_file.read_text().strip() == "", "nobody is named whose number may be another's by now"
    with subprocess.Popen(UP, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd=ROOT) as process:
        while not cluster.holder():
            pass
        assert cluster.record() is None or cluster.record()["pid"] == cluster.holder()
        assert process.wait() == 0


@pytest.mark.parametrize("closed", [">&-", "2>&-", "<&-", ">&- 2>&- <&-"])
def test_a_stream_that_is_closed_is_written_to_by_nobody(home, closed):
    command = f"{shlex.quote(sys.executable)} -m svcsim clusters {closed}"
    done = subprocess.run(["/bin/sh", "-c", command], check=False, capture_output=True, text=True, cwd=ROOT)
    assert (done.returncode, "Traceback" in done.stderr) == (0, False)
