"""Commands whose output can't be written: to a pipe that nobody reads any more, to a disk that is full."""

import os
import shlex
import subprocess
import sys

import pytest

from svcsim.cli.shared import state
from tests.cli.own.conftest import ROOT

pytestmark = pytest.mark.servers_from_scratch
UNBUFFERED, BUFFERED = {"PYTHONUNBUFFERED": "1"}, {"PYTHONUNBUFFERED": ""}
SCENARIO = """\
apiVersion: svcsim.dev/v1
kind: Scenario
metadata: {name: short}
spec:
  steps: [{id: one, do: [{sleep: 1s}]}]
"""


def ran(command, more):
    line = f"set -o pipefail; {shlex.quote(sys.executable)} -m svcsim {command}"
    done = subprocess.run(
        ["bash", "-c", line], check=False, capture_output=True, text=True, cwd=ROOT, env={**os.environ, **more}, timeout=60
    )
    return done.returncode, done.stderr


@pytest.mark.parametrize("more", [UNBUFFERED, BUFFERED])
@pytest.mark.parametrize("command", ["completion bash", "config view", "up --help"])
def test_a_full_disk_is_told_in_one_line(home, more, command):
    status, err = ran(f"{command} >/dev/full", more)
    assert (status, len(err.splitlines())) == (1, 1)
    assert err.startswith("error: ")


@pytest.mark.parametrize("more", [UNBUFFERED, BUFFERED])
def test_a_cluster_whose_greeting_goes_nowhere_is_up(svcsim, home, more):
    assert ran("up c --nodes 0 --durability process >/dev/full", more) == (1, "error: no space left on device\n")
    assert state.cluster_dir("c").record() is not None
    svcsim("down", "c", "--purge")
    status, err = ran("up c --nodes 0 --durability process | true", more)
    assert (status in (0, 1), err) == (True, "")
    assert state.cluster_dir("c").record() is not None


@pytest.mark.parametrize("more", [UNBUFFERED, BUFFERED])
@pytest.mark.parametrize(
    ("to", "status", "told"), [(">/dev/full", 3, "the report can't be written: no space left on device\n"), ("| true", 0, "")]
)
def test_all_scenarios_are_run_and_reported_though_nobody_can_be_told(home, tmp_path, more, to, status, told):
    for name in ("a", "b"):
        (tmp_path / f"{name}.yaml").write_text(SCENARIO)
    assert ran(f"replay {tmp_path}/a.yaml {tmp_path}/b.yaml --junit {tmp_path}/report.xml {to}", more) == (status, told)
    assert (tmp_path / "report.xml").read_text().count("<testsuite ") == 2
