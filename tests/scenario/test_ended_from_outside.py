"""A replay that is ended from outside, however that is done: what it broke in a cluster that is up is mended."""

import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from svcsim.meta.types import Object
from svcsim.wall import stopwatch, wall_sleep
from tests.process import ROOT, environment, served
from tests.scenario.replaying import HEAD
from tests.waiting import LOOK_S, WAIT_S
from tests.wire.raw import Answer, Wire

SPEC = """
  timeouts: {wall: 1h}
  webhooks: [{name: maps.example.com, deny: by nobody}]
  steps:
  - id: long
    faults: [{type: webhook-fail, mode: deny, message: on purpose, target: {name: secrets.example.com}}]
    do: [{sleep: 10m}]
"""


@pytest.fixture(scope="module")
def wire(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Wire]:
    """A cluster with webhooks that nobody answers for, and that may fail."""
    with served(tmp_path_factory.mktemp("cluster"), "svcapi", "--nodes", "1", "--ephemeral", "--clock", "x5") as server:
        wire = Wire(server)
        webhooks = [_webhook(resource) for resource in ("maps", "secrets")]
        wire.create(
            "/apis/admissionregistration.svcapi.io/v1/validatingwebhookconfigurations", {"metadata": {"name": "w"}, "webhooks": webhooks}
        )
        yield wire
        wire.close()


def _webhook(name: str) -> Object:
    resource = "configmaps" if name == "maps" else name
    return {
        "name": f"{name}.example.com",
        "clientConfig": {"service": {"namespace": "default", "name": "nowhere"}},
        "rules": [{"operations": ["CREATE"], "apiGroups": [""], "apiVersions": ["v1"], "resources": [resource]}],
        "failurePolicy": "Ignore",
        "sideEffects": "None",
        "admissionReviewVersions": ["v1"],
    }


def _until(wire: Wire, holds: Callable[[Answer], bool]) -> None:
    """Until creating either kind is answered so."""
    for resource in ("configmaps", "secrets"):
        end = stopwatch() + WAIT_S
        path = f"/api/v1/namespaces/default/{resource}"
        while not holds(answer := wire.ask("POST", path, {"metadata": {"name": "a"}}, dryRun="All")):
            assert stopwatch() < end, f"in vain: {answer}"
            wall_sleep(LOOK_S)


HEARING = """
import os, signal, sys

signal.signal(signal.SIGHUP, signal.SIG_DFL)
os.execvp(sys.argv[1], sys.argv[1:])
"""
"""Runs a command that hears when its terminal is closed, also where whoever runs the tests doesn't."""


@contextmanager
def _replaying(wire: Wire, file: Path, *before: str) -> Iterator["subprocess.Popen[str]"]:
    """A replay, whose step has begun."""
    file.write_text(HEAD + SPEC)
    command = [
        sys.executable,
        "-c",
        HEARING,
        *before,
        sys.executable,
        "-m",
        "svcsim",
        "replay",
        str(file),
        "--kubeconfig",
        str(wire.server.kubeconfig),
    ]
    environ = environment(wire.server.home)
    with subprocess.Popen(command, env=environ, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        try:
            _until(wire, lambda answer: answer.status == 400)
            yield process
        finally:
            process.kill()


@pytest.mark.parametrize(
    ("number", "code"), [(signal.SIGTERM, 143), (signal.SIGHUP, 129), (signal.SIGINT, 130), (signal.SIGKILL, -signal.SIGKILL)]
)
def test_faults_and_answers_for_webhooks_go_with_the_replay(wire, tmp_path, number, code):
    """Killed, it can't take them back itself: the cluster does."""
    with _replaying(wire, tmp_path / "s.yaml") as replaying:
        replaying.send_signal(number)
        out, err = replaying.communicate(timeout=WAIT_S)
    assert (replaying.returncode, out) == (code, "interrupted test\n" if code > 0 else ""), err
    _until(wire, lambda answer: answer.status == 201)


def test_a_hold_that_has_ended_takes_no_more_faults(wire):
    answer = wire.ask("POST", "/svcsim/v1/faults", {"type": "node-down", "target": {"name": "node-1"}, "heldBy": "hold-0"})
    assert (answer.status, answer.message) == (400, "the hold that the fault is bound to has ended")


def test_a_replay_in_the_background_of_a_script_is_ended_by_sigterm_and_not_by_ctrl_c(wire, tmp_path):
    """Shells start such with SIGINT ignored."""
    with _replaying(wire, tmp_path / "s.yaml", "sh", "-c", 'trap "" INT; exec "$@"', "sh") as replaying:
        replaying.send_signal(signal.SIGINT)
        replaying.send_signal(signal.SIGTERM)
        out, err = replaying.communicate(timeout=WAIT_S)
    assert (replaying.returncode, out) == (143, "interrupted test\n"), err
    _until(wire, lambda answer: answer.status == 201)


def test_under_nohup_a_replay_goes_on_without_its_terminal(wire, tmp_path):
    """Who ignores SIGHUP is not ended by it."""
    with _replaying(wire, tmp_path / "s.yaml", "sh", "-c", 'trap "" HUP; exec "$@"', "sh") as replaying:
        replaying.send_signal(signal.SIGHUP)
        replaying.send_signal(signal.SIGTERM)
        out, err = replaying.communicate(timeout=WAIT_S)
    assert (replaying.returncode, out) == (143, "interrupted test\n"), err
