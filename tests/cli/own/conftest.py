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
from svcsim.cli.shared import state

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
