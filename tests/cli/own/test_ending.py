"""``svcsim down`` says that a cluster is gone when its process has ended, whatever the process is still at."""

import fcntl
import os
import select
import signal

import pytest

from svcsim.cli.own import lifecycle
from svcsim.cli.shared import state
from tests.process import served

pytestmark = pytest.mark.servers_from_scratch

PIPE_BYTES = 4096
BUSY = "the process ends, although there is work under way that nobody waits for any more (aside_"


@pytest.fixture
def stuck(svcsim, home):
    """A server, started with some options, one of whose threads writes audit events to where nobody takes them, and waits for good."""

    def stuck(*options):
        server = served(home, "kubernetes", "--nodes", "0", "--audit-log-path", "-", "--audit-log-mode", "batch", *options)
        started.append(server)
        process = server.__enter__().process
        fcntl.fcntl(process.stdout, fcntl.F_SETPIPE_SZ, PIPE_BYTES)
        for _ in range(PIPE_BYTES // 200):
            assert svcsim("get", "--raw", "/version")[0] == 0
        return process

    started = []
    yield stuck
    for server in started:
        server.__exit__(None, None, None)


def test_a_thread_that_never_ends_keeps_no_process(svcsim, stuck):
    process = stuck("--ephemeral")
    assert svcsim("down") == (0, 'Cluster "default" stopped\n', "")
    assert process.poll() == 0, "it has ended by itself"
    assert not state.cluster_dir("default").path.exists()


def test_it_says_that_it_leaves_work_undone_and_what_was_answered_is_kept(svcsim, home, stuck):
    process = stuck()
    assert svcsim("create", "-f", "tests/cli/golden/manifests/cmnew.yaml")[0] == 0
    assert svcsim("down") == (0, 'Cluster "default" stopped\n', "")
    assert process.poll() == 0, "it has ended by itself"
    assert BUSY in (home / "stderr").read_text()
    assert svcsim("up")[0] == 0
    assert svcsim("get", "configmap", "new", "-o", "name") == (0, "configmap/new\n", "")


@pytest.mark.parametrize("options", [(), ("--ephemeral",)])
def test_a_process_that_hears_nothing_is_killed(svcsim_here, home, monkeypatch, options):
    monkeypatch.setattr(lifecycle, "STOPPING_S", 0.1)
    assert svcsim_here("up", "--nodes", "0", *options)[0] == 0
    pid = state.cluster_dir("default").server()["pid"]
    process = os.pidfd_open(pid)
    os.kill(pid, signal.SIGSTOP)
    code, out, err = svcsim_here("down", "--purge")
    assert select.select([process], [], [], 0)[0] == [process], "it has ended"
    os.close(process)
    assert (code, out, err) == (0, 'Cluster "default" stopped\nCluster "default" and its data are gone\n', "")
