"""The real command, and real processes."""

import subprocess
import sys
from pathlib import Path

import pytest

from svcsim.cli.shared import state

ROOT = Path(__file__).resolve().parents[3]


@pytest.fixture
def svcsim(home, tmp_path):
    """Run the command; what is still up at the end is taken down."""

    def svcsim(*words, **more):
        command = [sys.executable, "-m", "svcsim", *words]
        done = subprocess.run(command, check=False, capture_output=True, text=True, cwd=ROOT, timeout=60, **more)
        return done.returncode, done.stdout, done.stderr

    yield svcsim
    for cluster in state.all_clusters():
        svcsim("down", cluster.name, "--purge")
