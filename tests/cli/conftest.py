"""A stub server, and svcsim's command line run against it in this process."""

import shlex
import time
from typing import NamedTuple

import pytest

from svcsim.cli import main
from tests.cli.objects import LOGS, OBJECTS
from tests.cli.stub import Stub


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


@pytest.fixture
def run(capsys):
    """Run a command line, given as one text or as words."""

    def run(command):
        words = shlex.split(command) if isinstance(command, str) else command
        status = main.run(words)
        captured = capsys.readouterr()
        return Outcome(status, captured.out, captured.err)

    return run


@pytest.fixture
def cli(run, stub):
    """Run a command line against the stub."""

    def cli(command):
        words = shlex.split(command) if isinstance(command, str) else command
        return run(["--server", stub.url, *words])

    return cli
