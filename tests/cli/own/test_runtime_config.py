"""``svcsim up --runtime-config``, in processes of its own and over the wire."""

import json
import os
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.process import ran

ROOT = Path(__file__).resolve().parents[3]
Run = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def svcsim(tmp_path: Path) -> Iterator[Run]:
    """The command line with a home of its own, where no cluster is left running."""

    def run(*words: str, **changed: str) -> subprocess.CompletedProcess[str]:
        return ran(*words, env={**os.environ, "SVCSIM_HOME": str(tmp_path), "PYTHONPATH": str(ROOT), **changed})

    yield run
    run("down", "rc", "--purge")


def versions(svcsim: Run) -> list[str]:
    answer = svcsim("--cluster", "rc", "get", "--raw", "/apis/autoscaling")
    assert answer.returncode == 0, answer.stderr
    return [version["version"] for version in json.loads(answer.stdout)["versions"]]


def test_what_is_served_is_told_anew_at_each_start(svcsim: Run):
    started = svcsim("up", "rc", "--nodes", "0", "--runtime-config", "autoscaling/v2=false")
    assert started.returncode == 0, started.stderr
    assert versions(svcsim) == ["v1"]
    other = svcsim("up", "rc", "--runtime-config", "autoscaling/v1=false")
    assert (other.returncode, other.stderr) == (
        1,
        'error: cluster "rc" is already running, with another --runtime-config; stop it first: svcsim down rc\n',
    )
    svcsim("down", "rc")
    assert svcsim("up", "rc").returncode == 0
    assert versions(svcsim) == ["v2", "v1"]


def test_what_means_nothing_is_told_in_one_line_and_leaves_nothing_behind(svcsim: Run, tmp_path: Path):
    refused = svcsim("up", "rc", "--runtime-config", "nope/v1=false")
    assert (refused.returncode, refused.stderr) == (1, 'error: --runtime-config: "nope/v1" is no version or resource this server has\n')
    assert not (tmp_path / "clusters" / "rc").exists()
