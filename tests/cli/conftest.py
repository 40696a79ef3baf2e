"""A stub server, and svcsim's command line run against it in this process."""

import shlex
import time
from typing import NamedTuple

import pytest

from svcsim.cli import main
from tests.cli.objects import LOGS, OBJECTS
from tests.cli.stub import Stub
from tests.process import served


class Outcome(NamedTuple):
    """What a command line came to."""

    status: int
    out: str
    err: str


@pytest.fixture(autouse=True)
def home(tmp_path, monkeypatch):
    """A home of the test's own, with no configuration in it, in a time zone everybody knows."""
    monkeypatch.setenv("SVCSIM_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("HOME", str(tmp_path))
    for variable in ("KUBECONFIG", "SVCSIM_CLUSTER", "SVCSIM_DIALECT"):
        monkeypatch.delenv(variable, raising=False)
    monkeypatch.setenv("TZ", "UTC")
    time.tzset()
    return tmp_path / "home"


@pytest.fixture
def stub():
    """A server with the fixed objects."""
    with Stub(OBJECTS, LOGS) as server:
        yield server


@pytest.fixture(scope="module")
def cluster(tmp_path_factory):
    """A real one with Kubernetes' names and a node."""
    with served(tmp_path_factory.mktemp("cluster"), "kubernetes", "--nodes", "1", "--ephemeral") as server:
        yield server


@pytest.fixture
def work_among(tmp_path, monkeypatch):
    """Make a directory with files of these names and texts the one that commands are run in."""

    def work_among(files):
        for name, text in files.items():
            (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / name).write_text(text)
        monkeypatch.chdir(tmp_path)

    return work_among


@pytest.fixture
def run(capsys):
    """Run a command line, given as one text or as words."""
    return lambda command: outcome(command, capsys)


@pytest.fixture
def run_with_children(capfd):
    """The same, with what the programs print that the command starts."""
    return lambda command: outcome(command, capfd)


def outcome(command, capture):
    """What a command line comes to in this process."""
    status = main.run(shlex.split(command) if isinstance(command, str) else command)
    captured = capture.readouterr()
    return Outcome(status, captured.out, captured.err)


@pytest.fixture
def cli(run, stub):
    """Run a command line against the stub."""

    def cli(command):
        words = shlex.split(command) if isinstance(command, str) else command
        return run(["--server", stub.url, *words])

    return cli
