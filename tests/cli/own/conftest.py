"""The real command, and real processes."""

import asyncio
import io
import logging
import os
import signal
import sys
import tempfile
import traceback
import warnings
from pathlib import Path
from subprocess import DEVNULL
from types import SimpleNamespace

import pytest

from svcsim.cli.main import main
from svcsim.cli.own import daemon, starting
from svcsim.cli.shared import state
from tests.nursery import FAILED, Child, load

ROOT = Path(__file__).resolve().parents[3]


@pytest.fixture
def svcsim(home, tmp_path):
    """Run the command, as ``preexec_fn`` leaves its process; what is still up at the end is taken down."""
    yield ran_here
    for cluster in state.all_clusters():
        ran_here("down", cluster.name, "--purge")


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
    """Servers that ``up`` starts begin as copies of its process, too, but where it matters how a process comes up and ends."""
    if request.node.get_closest_marker("servers_from_scratch"):
        return
    copying = SimpleNamespace(**{**vars(starting.subprocess), "Popen": copied_server})
    monkeypatch.setattr(starting, "subprocess", copying)


class _OwnChildren:
    def status_of(self, pid):
        return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])


def copied_server(words, *, stdin, stdout, stderr, pass_fds, start_new_session, cwd, env):
    """What ``Popen`` makes of the command of a server, but for the interpreter that comes up."""
    assert (words[:3], stdin, start_new_session) == ([sys.executable, "-m", "svcsim.cli.own.daemon"], DEVNULL, True)
    pid = os.fork()
    if pid:
        return Child(_OwnChildren(), pid, None, None)
    status = FAILED
    try:
        os.setsid()
        for number, stream in enumerate((os.open(os.devnull, os.O_RDONLY), stdout.fileno(), stderr.fileno())):
            os.dup2(stream, number)
        for kept, following in zip((2, *pass_fds), (*pass_fds, os.sysconf("SC_OPEN_MAX")), strict=True):
            os.closerange(kept + 1, following)
        os.chdir(cwd)
        os.environ.clear()
        os.environ.update(env)
        logging.getLogger().handlers.clear()  # the tests' own
        asyncio._set_running_loop(None)
        sys.argv = words[2:]
        status = daemon.main()
    finally:
        if sys.exc_info()[0] is not None:
            traceback.print_exc()
        sys.stderr.flush()
        os._exit(status)
