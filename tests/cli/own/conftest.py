"""The real command, and real processes."""

import io
import os
import signal
import sys
import tempfile
import warnings
from pathlib import Path

import pytest

from svcsim.cli.main import main
from svcsim.cli.own import starting
from svcsim.cli.shared import state
from tests.copied_servers import copying
from tests.nursery import load
from tests.process import ran

ROOT = Path(__file__).resolve().parents[3]


@pytest.fixture
def svcsim(request, home, tmp_path):
    """Run the command, as ``preexec_fn`` leaves its process; what is still up at the end is taken down."""
    copies = are_copies(request)

    def svcsim(*words, preexec_fn=None):
        if preexec_fn is not None:
            return ran_here(*words, preexec_fn=preexec_fn)
        done = ran(*words, env=os.environ, copies=copies)
        return done.returncode, done.stdout, done.stderr

    yield svcsim
    for cluster in state.all_clusters():
        svcsim("down", cluster.name, "--purge")


@pytest.fixture
def svcsim_here(svcsim):
    """The same, with what the test has changed in this process: takes longer, for this process is large."""
    return ran_here


def are_copies(request):
    """Servers that ``up`` starts begin as copies of its process, too, but where it matters how a process comes up and ends."""
    return request.node.get_closest_marker("servers_from_scratch") is None


def ran_here(*words, preexec_fn=lambda: None):
    """What the command does in a copy of this process, which saves the time that another interpreter takes to come up."""
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)  # the other threads of a test run are of no use to a command
            pid = os.fork()
        if not pid:
            signal.alarm(60)
            for stream, descriptor in ((out, 1), (err, 2)):
                os.dup2(stream.fileno(), descriptor)
            sys.stdout, sys.stderr = (
                io.TextIOWrapper(io.FileIO(descriptor, "w", closefd=False), encoding="utf-8") for descriptor in (1, 2)
            )
            os.chdir(ROOT)
            preexec_fn()
            main(list(words))
        status = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
        return (status, *(stream.seek(0) or stream.read().decode() for stream in (out, err)))


@pytest.fixture(scope="session")
def loaded():
    """What a server needs is there before the first copy is made."""
    load()


@pytest.fixture(autouse=True)
def servers_are_copies(request, monkeypatch, loaded):
    """Also those that commands start which are copies of this process."""
    if are_copies(request):
        monkeypatch.setattr(starting, "subprocess", copying())
