"""`svcsim webhook serve`: whatever ends it, it leaves nothing registered that it can take back, and nothing running."""

import os
import pty
import signal
import sys
from concurrent.futures import ThreadPoolExecutor

import pytest

from tests.cli.verbs.serving import PATIENCE_S, Serving, is_running

CLOSED = 'RESOURCES = "configmaps"\ndef validate(request): return "closed"\n'


@pytest.mark.parametrize("number", [signal.SIGQUIT, signal.SIGUSR1, signal.SIGHUP])
def test_what_would_end_it_takes_back_what_was_registered(serving: Serving, number: signal.Signals) -> None:
    serving.write(CLOSED)
    process = serving.begin("team.py")
    assert serving.registered() == ["validating svcsim-team"]
    serving.end(process, number)
    assert serving.registered() == []


def test_a_terminal_that_is_closed_ends_it_after_the_answer(serving: Serving) -> None:
    """Also where nobody sends SIGHUP, and what the function prints can't be printed."""
    serving.write(CLOSED.replace("return", "print('asked'); return"))
    master, terminal = pty.openpty()
    process = serving.start("team.py", out=terminal, err=terminal)
    os.close(terminal)
    serving.until(lambda: serving.registered() == ["validating svcsim-team"])
    os.close(master)
    assert serving.make().message.endswith("denied the request: closed")
    assert process.wait(PATIENCE_S) == 0
    assert serving.registered() == []


LOADED_ONCE = (
    CLOSED
    + """
import os, pathlib, subprocess, time
first = not pathlib.Path("again").exists()
pathlib.Path("again").touch()

def hang():
    print(subprocess.Popen(["sleep", "1234"]).pid, file=open("child", "w"), flush=True)
    print(os.getpid(), file=open("hanging", "w"), flush=True)
    time.sleep(1234)
"""
)


@pytest.mark.parametrize("hangs", ["def validate(request): hang()", "if not first: hang()"])
def test_what_hangs_is_over_when_who_serves_it_was_killed(serving: Serving, hangs: str) -> None:
    """A function, or the file as it is loaded once more."""
    serving.write(f"{LOADED_ONCE}{hangs}\n")
    process = serving.begin("team.py", "--timeout=30s", "--failure-policy=Ignore")
    serving.write(f"{LOADED_ONCE}{hangs}  # changed\n")
    with ThreadPoolExecutor() as pool:
        asked = pool.submit(serving.make)
        serving.until(lambda: serving.read("hanging").endswith("\n"))
        process.kill()
        serving.until(lambda: not is_running(serving.read("hanging")) and not is_running(serving.read("child")))
        assert asked.result().status in {201, 403}  # by the file before, if it came first
    assert "Traceback" not in process.communicate()[1]
    serving.running.remove(process)
    serving.end(serving.begin("--name=svcsim-team", "--resources=configmaps", "--", "true"))


SLOW = """
import pathlib, time

RESOURCES = "configmaps"

def validate(request):
    pathlib.Path("asked").touch()
    while not pathlib.Path("go").exists():
        time.sleep(0.02)
    return "after all"
"""
WAITS = "Reviews under way are answered before it ends, for up to 5 seconds; Ctrl-C ends it at once.\n"
CUT = "svcsim webhook serve was ended before there was an answer"


@pytest.mark.parametrize("way", ["file", "command"])
def test_a_review_that_is_under_way_is_answered_before_it_ends(serving: Serving, way: str) -> None:
    """By then it is registered no longer, and nobody else waits for it."""
    serving.write(SLOW)
    serving.write("import json, team\nprint(json.dumps({'allowed': False, 'status': {'message': team.validate({})}}))\n", "command.py")
    words = ("team.py",) if way == "file" else ("--resources=configmaps", "--", sys.executable, "command.py")
    process = serving.begin("--timeout=30s", *words)
    with ThreadPoolExecutor() as pool:
        asked = pool.submit(serving.svcsim, "create", "configmap", "slow")
        serving.until((serving.directory / "asked").exists)
        process.send_signal(signal.SIGINT)
        serving.until(lambda: serving.registered() == [])
        assert serving.make().status == 201
        serving.write("", "go")
        assert "denied the request: after all" in asked.result().stderr
    out, err = process.communicate(timeout=PATIENCE_S)
    serving.running.remove(process)
    assert (process.returncode, err) == (0, WAITS)
    assert ": denied: after all (" in out


@pytest.mark.parametrize("times", [1, 2])
def test_a_review_without_an_answer_at_the_end_is_told_why(serving: Serving, times: int) -> None:
    """Soon, or at once where somebody insists."""
    serving.write(SLOW)
    process = serving.begin("team.py", "--timeout=30s")
    assert process.stderr is not None
    with ThreadPoolExecutor() as pool:
        asked = pool.submit(serving.make)
        serving.until((serving.directory / "asked").exists)
        process.send_signal(signal.SIGINT)
        assert process.stderr.readline() == WAITS
        if times > 1:
            process.send_signal(signal.SIGINT)
        assert (asked.result().status, CUT in asked.result().message) == (500, True)
    out, err = process.communicate(timeout=PATIENCE_S)
    serving.running.remove(process)
    assert (process.returncode, err) == (0, "")
    assert f": failed: {CUT} (" in out
    assert serving.registered() == []
