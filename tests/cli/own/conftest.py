"""The real command, and real processes."""

import io
import os
import signal
import subprocess
import sys
import tempfile
import warnings
from pathlib import Path

import pytest

from svcsim.cli.main import main
from svcsim.cli.shared import state

ROOT = Path(__file__).resolve().parents[3]


@pytest.fixture
def svcsim(home, tmp_path):
    """Run the command, in a process of its own where it is given anything but words; what is still up at the end is taken down."""

    def svcsim(*words, **more):
        if not more:
            return ran_here(words)
        command = [sys.executable, "-m", "svcsim", *words]
        done = subprocess.run(command, check=False, capture_output=True, text=True, cwd=ROOT, timeout=60, **more)
        return done.returncode, done.stdout, done.stderr

    yield svcsim
    for cluster in state.all_clusters():
        svcsim("down", cluster.name, "--purge")


def ran_here(words):
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
            main(list(words))
        status = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
        return (status, *(stream.seek(0) or stream.read().decode() for stream in (out, err)))
