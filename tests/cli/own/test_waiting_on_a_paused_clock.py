"""Whoever waits for what a paused clock keeps from coming is told so, once, on standard error."""

import os
import pty
import subprocess

import pytest

from svcsim import limits
from tests.process import SVCSIM, started

TOLD = "The cluster's clock is paused, and nothing happens until it goes on: svcsim clock resume\r\n"
PIPED = TOLD.replace("\r", "")
WAITING = [
    ("delete", "pod/one", "pod/two", "--timeout=200ms"),
    ("delete", "pods", "--all", "--timeout=200ms"),
    ("wait", "pods", "--all", "--for=condition=Never", "--timeout=200ms"),
    ("rollout", "status", "deployment/web", "--timeout=200ms"),
    ("drain", "node-1", "--force", "--timeout=200ms"),
    ("drain", "node-1", "--force", "--timeout=200ms", "--disable-eviction"),
]
CUT_OFF = [
    ("logs", "-f", "one"),
    ("exec", "one", "--", "sleep", "5"),
    ("attach", "one"),
    ("get", "pods", "-w"),
    ("events", "-w"),
    ("run", "three", "--image=busybox", "--attach", "--restart=Never", "--", "echo", "hi"),
]
"""They wait for ever."""
NOT_WAITING = [
    ("wait", "pod/one", "--for=condition=Never", "--timeout=0"),
    ("wait", "pod/one", "--for=condition=Ready"),
    ("delete", "configmap", "settings"),
    ("get", "pods"),
    ("logs", "one"),
    ("exec", "one", "--", "echo", "hi"),
    ("delete", "pod/one", "--wait=false"),
]


@pytest.fixture
def shop(svcsim, home):
    """A cluster whose clock is paused, with two pods, and a deployment that has not begun."""
    svcsim("up", "--nodes", "1", "--ephemeral", "--clock", "paused", "--seed", "1")
    svcsim("clock", "step", "5s")
    for name in ("one", "two"):
        svcsim("run", name, "--image=nginx")
    svcsim("create", "configmap", "settings")
    svcsim("clock", "step", "10s")
    assert svcsim("create", "deployment", "web", "--image=nginx")[0] == 0
    return svcsim


def at_a_terminal(svcsim, *words):
    """What a command says on standard error where that is a terminal."""
    outer, inner = pty.openpty()
    try:
        svcsim(*words, preexec_fn=lambda: os.dup2(inner, 2))
        os.write(inner, b"\0")  # so that there is something to read in any case
        told = b""
        while not told.endswith(b"\0"):
            told += os.read(outer, 65536)
        return told[:-1].decode()
    finally:
        os.close(inner)
        os.close(outer)


def test_who_waits_is_told_once_how_the_clock_goes_on_and_who_does_not_is_not(shop):
    for words in NOT_WAITING:
        assert "clock" not in at_a_terminal(shop, *words), words
    for words in WAITING:
        assert at_a_terminal(shop, *words).count(TOLD) == 1, words
        assert shop(*words)[2].count(PIPED) == 1, words


def test_who_waits_for_what_containers_say_or_others_do_is_told_when_it_has_been_a_while(shop):
    waiting = {words: started([SVCSIM, *words], os.environ) for words in CUT_OFF}
    try:
        for words, process in waiting.items():
            assert PIPED in process.stderr, words
        with pytest.raises(subprocess.TimeoutExpired):
            process.wait(2 * limits.PAUSED_TOLD_S)
    finally:
        for process in waiting.values():
            process.kill()
    for words, process in waiting.items():
        assert PIPED not in process.communicate()[1], f"{words}: told once"


def test_a_clock_that_goes_or_that_nobody_has_needs_no_word(shop, stub):
    words = ("wait", "pod/one", "--for=condition=Never", "--timeout=200ms")
    assert "clock" not in at_a_terminal(shop, *words, "--server", stub.url)
    assert at_a_terminal(shop, *words, "--cluster", "default").count(TOLD.replace("clock resume", "clock --cluster default resume")) == 1
    shop("clock", "resume")
    assert "clock" not in at_a_terminal(shop, *words)
