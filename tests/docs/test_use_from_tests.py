"""docs/how-to/use-from-tests.md: its tests run, and pass."""

import os
import re
import subprocess
import sys

import pytest

from tests.process import ROOT, environment

PAGE = (ROOT / "docs" / "how-to" / "use-from-tests.md").read_text()


@pytest.fixture
def place(tmp_path):
    """A directory with `svcsim` on the PATH, and the environment to go with it."""
    program = tmp_path / "bin" / "svcsim"
    program.parent.mkdir()
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m svcsim "$@"\n')
    program.chmod(0o755)
    env = environment(tmp_path / "home")
    return tmp_path, {**env, "PATH": f"{program.parent}{os.pathsep}{env['PATH']}"}


def test_the_example_for_pytest_passes(place):
    path, env = place
    (path / "test_shop.py").write_text(re.search(r"```python\n(.*?)```", PAGE, re.DOTALL)[1])
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "test_shop.py"]
    done = subprocess.run(command, cwd=path, env=env, capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "1 passed" in done.stdout


def test_the_lines_for_go_run_with_whatever_reads_the_configuration(place):
    path, env = place
    lines = re.search(r"```sh\n(.*?)```", PAGE, re.DOTALL)[1].replace("go test ./...", "svcsim get namespace kube-system -o name")
    done = subprocess.run(["sh", "-ec", lines], cwd=path, env=env, capture_output=True, text=True, check=False, timeout=60)
    assert (done.returncode, done.stderr) == (0, "")
    assert "namespace/kube-system\n" in done.stdout
