"""``svcsim up`` and ``down`` in processes of their own."""

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.process import environment

pytestmark = pytest.mark.servers_from_scratch


class Home:
    """A home of its own, and the command line in it."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def start(self, *words: str) -> "subprocess.Popen[str]":
        command = [sys.executable, "-m", "svcsim", *words]
        return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment(self.path))

    def run(self, *words: str) -> tuple[int, str]:
        """The exit code, and all that was said."""
        return ended(self.start(*words))


def ended(process: "subprocess.Popen[str]") -> tuple[int, str]:
    said, complained = process.communicate()
    return process.returncode, said + complained


@pytest.fixture
def home(tmp_path: Path) -> Iterator[Home]:
    yield (made := Home(tmp_path))
    made.run("down", "lab", "--purge")


def test_of_two_that_start_one_cluster_at_once_one_serves_and_the_other_says_so(home: Home):
    """The one that comes too late must not tidy away what the other has just made."""
    both = [home.start("up", "lab", "--nodes", "0") for _ in range(2)]
    answers = sorted(ended(process) for process in both)
    assert [code for code, _ in answers] == [0, 0], answers
    assert sorted(said.split(" is ")[1].split(" at ")[0] for _, said in answers) == ["already running", "ready"]
    code, said = home.run("status", "lab", "-o", "json")
    assert code == 0, said
    assert json.loads(said)["dialect"] == "svcapi"
    assert home.run("down", "lab") == (0, 'Cluster "lab" stopped\n')
    assert home.run("up", "lab")[0] == 0


def test_looking_at_a_cluster_never_keeps_it_from_starting(home: Home):
    starting = home.start("up", "lab", "--nodes", "0")
    while starting.poll() is None:
        home.run("clusters")
    assert ended(starting)[0] == 0


@pytest.mark.parametrize("purge", [(), ("--purge",)])
def test_an_ephemeral_cluster_leaves_nothing_behind(home: Home, purge: tuple[str, ...]):
    code, said = home.run("up", "lab", "--nodes", "0", "--ephemeral")
    assert code == 0, said
    assert "nothing is kept" in said
    code, said = home.run("down", "lab", *purge)
    assert code == 0, said
    assert not (home.path / "clusters" / "lab").exists()
