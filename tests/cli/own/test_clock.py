"""A cluster's clock, steered as people do it."""

import json
import re
import signal
import subprocess
import sys

import pytest

from svcsim.meta.times import parse_time
from tests.cli.own.conftest import ROOT

COMMAND = [sys.executable, "-m", "svcsim"]


def asked(told: str) -> str:
    """What a clock tells of itself, without how much of its speed a busy machine reaches."""
    return re.sub(r", x[\d.e-]+ reached\)\n$", ")\n", told)


def test_the_clock_is_steered(svcsim, home):
    svcsim("up", "--nodes", "0", "--ephemeral", "--clock", "paused")
    before = svcsim("clock")[1]
    assert before.endswith("(paused)\n")
    assert svcsim("clock", "show")[1] == before
    assert json.loads(svcsim("clock", "-o", "json")[1]).keys() == json.loads(svcsim("clock", "show", "-o", "json")[1]).keys()
    assert svcsim("clock", "-o", "json", "pause")[2] == "error: --output is for showing the clock: svcsim clock show -o json\n"
    assert asked(svcsim("clock", "speed", "real")[1]).endswith("(real time)\n")
    assert svcsim("clock", "speed", "paused")[1].endswith("(paused)\n")
    assert svcsim("clock", "step", "1h")[0] == 0
    assert asked(svcsim("clock", "speed", "x10")[1]).endswith("(x10)\n")
    told = "only a clock that stands still can be stepped: svcsim clock pause; one that runs: svcsim clock advance"
    assert svcsim("clock", "step", "1s") == (1, "", f"Error from server (Conflict): {told}\n")
    assert asked(svcsim("clock", "resume")[1]).endswith("(real time)\n")
    assert svcsim("--cluster", "default", "clock", "pause")[1].endswith("(paused)\n")
    assert svcsim("clock", "step", "1ns")[1:] == ("", 'error: the smallest step is 1us, and not "1ns"\n')
    assert svcsim("clock", "step", "soon")[2] == 'error: a step is a duration such as 30s, 1h or 30d, not "soon"\n'


def test_what_is_no_step_and_no_pace_is_refused_before_a_cluster_is_asked(svcsim, home):
    for pace in ("nan", "inf", "xnan", "fast"):
        told = f'error: a pace is a number such as 10, x10 or 0.5, or real, or paused, not "{pace}"\n'
        assert svcsim("clock", "speed", pace) == (1, "", told)
    for words in (["step", "-5s"], ["speed", "-2"]):
        told = f"error: nothing can be negative here: {words[1]}\nSee 'svcsim clock --help' for usage.\n"
        assert svcsim("clock", *words) == (1, "", told)
    assert svcsim("clock", "step", "1h", "--clster", "x")[2].startswith("error: unknown flag: --clster")


def test_a_clock_that_runs_is_advanced_and_runs_on(svcsim, home):
    svcsim("up", "--nodes", "0", "--ephemeral", "--clock", "x2")
    before = parse_time(svcsim("clock")[1].split()[0])
    code, out, err = svcsim("clock", "advance", "2h")
    assert (code, err, asked(out).split(maxsplit=1)[1]) == (0, "", "(x2)\n")
    assert 7200 <= parse_time(out.split()[0]) - before < 7200 + 600
    svcsim("clock", "pause")
    stood = parse_time(svcsim("clock")[1].split()[0])
    out = svcsim("clock", "advance", "90s")[1]
    assert (round(parse_time(out.split()[0]) - stood, 3), out.split(maxsplit=1)[1]) == (90, "(paused)\n")
    out = svcsim("clock", "step", "1d1s")[1]
    assert round(parse_time(out.split()[0]) - stood, 3) == 90 + 24 * 3600 + 1
    assert svcsim("clock", "advance", "soon")[2] == 'error: a step is a duration such as 30s, 1h or 30d, not "soon"\n'


def test_an_advance_that_is_interrupted_lets_the_clock_run_on(svcsim, home):
    svcsim("up", "--nodes", "1", "--ephemeral")
    advancing = [*COMMAND, "clock", "advance", "100000h"]
    with subprocess.Popen(advancing, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as advance:
        until(svcsim, lambda told: "steppingTo" in told)
        advance.send_signal(signal.SIGINT)
        out, err = advance.communicate()
    assert (advance.returncode, out) == (130, "")
    assert err.startswith("interrupted; the clock is at ")
    until(svcsim, lambda told: "steppingTo" not in told)
    assert asked(svcsim("clock")[1]).endswith("(real time)\n")
    with subprocess.Popen(advancing, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as advance:
        until(svcsim, lambda told: "steppingTo" in told)
        assert asked(svcsim("clock", "speed", "x3")[1]).endswith("(x3)\n")
        out, err = advance.communicate()
    assert (advance.returncode, out) == (1, "")
    assert asked(svcsim("clock")[1]).endswith("(x3)\n"), "what somebody has said meanwhile counts"


def test_a_stepped_hour_finds_healthy_nodes_healthy(svcsim, home):
    svcsim("up", "--nodes", "3", "--dialect", "kubernetes", "--clock", "paused", "--durability", "process")
    assert svcsim("clock", "step", "1h")[0] == 0
    assert set(svcsim("get", "nodes", "-o", "jsonpath={.items[*].status.conditions[?(@.type=='Ready')].status}")[1].split()) == {"True"}
    assert "NotReady" not in svcsim("get", "events", "-A")[1]


def test_an_interrupted_step_ends_and_says_where_the_clock_stands(svcsim, home):
    svcsim("up", "--nodes", "1", "--ephemeral", "--clock", "paused")
    stepping = [*COMMAND, "clock", "step", "100000h"]
    with subprocess.Popen(stepping, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as step:
        until(svcsim, lambda told: "steppingTo" in told)
        refused = svcsim("clock", "step", "1m")[2]
        assert refused.startswith("Error from server (Conflict): the clock is being stepped already, to ")
        assert refused.endswith("; to end that: svcsim clock pause\n")
        step.send_signal(signal.SIGINT)
        out, err = step.communicate()
    assert (step.returncode, out) == (130, "")
    stood = svcsim("clock", "show")[1].split()[0]
    assert err == f"interrupted; the clock stands at {stood}\n"
    with subprocess.Popen(stepping, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as step:
        until(svcsim, lambda told: "steppingTo" in told)
        stood = svcsim("clock", "pause")[1].split()[0]
        out, err = step.communicate()
    assert (step.returncode, out) == (1, "")
    assert err == f"error: the step was ended by another command; the clock stood at {stood}\n"


def test_a_step_that_ends_with_the_server_tells_no_time_at_which_the_clock_never_stood(svcsim, home):
    svcsim("up", "--nodes", "1", "--ephemeral", "--clock", "paused")
    with subprocess.Popen([*COMMAND, "clock", "advance", "100000h"], cwd=ROOT, stderr=subprocess.PIPE, text=True) as step:
        until(svcsim, lambda told: "steppingTo" in told)
        svcsim("down")
        _, err = step.communicate()
    told = "the cluster was stopped before the step was over; once it is up again, svcsim clock tells how far it got"
    assert (step.returncode, err) == (1, f"error: {told}\n")


@pytest.mark.parametrize("dialect", ["svcapi", "kubernetes"])
def test_the_clock_goes_on_until_something_holds(svcsim, home, dialect):
    svcsim("up", "--nodes", "2", "--ephemeral", "--dialect", dialect, "--start", "2026-01-01T00:00:00Z", "--clock", "paused")
    svcsim("create", "namespace", "shop")
    svcsim("create", "deployment", "web", "--image=nginx", "--replicas=2", "-n", "shop")
    available = ["--for=condition=Available", "deployment/web"]
    code, out, err = svcsim("clock", "until", *available, "-n", "shop")
    assert (code, err, out.split(maxsplit=1)[1]) == (0, "", "(paused)\n")
    assert svcsim("-n", "shop", "clock", "until", *available) == (0, out, ""), "it holds already, wherever the namespace is said"
    assert svcsim("wait", *available, "-n", "shop", "--timeout=0")[0] == 0
    assert svcsim("clock", "until", "--for=condition=Ready", "pods", "--all", "-n", "shop")[0] == 0
    code, out, err = svcsim("clock", "until", "2030-01-01T00:00:00Z", "--timeout", "1m")
    assert (code, out) == (1, "")
    assert "--timeout is for a condition (--for)" in err
    for words in ([], ["deployment/web"]):
        code, out, err = svcsim("clock", "until", "2030-01-01T00:00:00Z", "--for=delete", *words, "-n", "shop")
        assert (code, out) == (1, "")
        assert err.endswith("not both: 2030-01-01T00:00:00Z and delete\n")
    code, out, err = svcsim("clock", "until", "--for=jsonpath={.status.readyReplicas}=3", "deploy", "web", "-n", "shop", "--timeout", "1m")
    stood = svcsim("clock")[1].split()[0]
    told = f"error: not within 1m0s of the cluster's time; the clock stands at {stood}:\n"
    assert (code, out, err) == (1, "", told + "  deployments.apps/web {.status.readyReplicas} is 2\n")
    assert svcsim("clock", "until", "2026-01-01T12:00:00Z")[1] == "2026-01-01T12:00:00.000000Z (paused)\n"


def test_an_interrupted_until_stands_where_it_is(svcsim, home):
    svcsim("up", "--nodes", "1", "--ephemeral")
    going = [*COMMAND, "clock", "until", "--for=create", "configmap/never", "--timeout", "100000h"]
    with subprocess.Popen(going, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        until(svcsim, lambda told: "steppingTo" in told)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate()
    assert (process.returncode, out) == (130, "")
    assert err == f"interrupted; the clock stands at {svcsim('clock')[1].split()[0]}\n"
    assert svcsim("clock")[1].endswith("(paused)\n")


def test_what_the_clock_can_not_go_on_until_is_refused(svcsim, home):
    svcsim("up", "--nodes", "0", "--ephemeral", "--clock", "paused")
    for words, told in (
        ([], "error: say until when: a time such as 2026-01-01T12:00:00Z, or a condition of objects such as "),
        (["1h"], 'error: "1h" is no time such as 2026-01-01T12:00:00Z; to go on for so long: svcsim clock advance 1h\n'),
        (["soon"], 'error: "soon" is no time such as 2026-01-01T12:00:00Z; for a condition of objects there is --for\n'),
        (["2026-01-01T12:00:00Z"], "Error from server (Conflict): the clock is beyond that already: it is at "),
        (["--for=ready", "pod/x"], 'error: unrecognized condition: "ready"\n'),
        (
            ["--for=condition=Ready"],
            "error: You must provide one or more resources by argument.\nExample resource ",
        ),
        (["--for=condition=Ready", "pod/x"], 'Error from server (NotFound): pods "x" not found\n'),
        (["--for=condition=Ready", "pods", "--all"], "error: no matching resources found\n"),
        (["--for=create", "podz/x"], 'error: the server doesn\'t have a resource type "podz"\n'),
        (["--for=create", "pod/x", "--timeout=soon"], 'error: a timeout is a duration such as 30s, 1h or 30d, not "soon"\n'),
        (["--for=create", "pod/x", "--timeout=-1s"], 'error: a timeout is a duration such as 30s, 1h or 30d, not "-1s"\n'),
    ):
        before = svcsim("clock")[1]
        code, out, err = svcsim("clock", "until", *words)
        assert (code, out) == (1, "")
        assert err.startswith(told)
        assert svcsim("clock")[1] == before
    assert svcsim("clock", "until", "2030-01-01T00:00:00Z", "--cluster", "nowhere")[0] == 1


def until(svcsim, holds):
    """Ask for the clock until it is as it should be."""
    while not holds(svcsim("clock", "show", "-o", "json")[1]):
        pass


@pytest.mark.parametrize("speed", ["paused", "x10"])
def test_the_time_a_command_waits_is_the_users_whatever_the_clock_does(svcsim, home, speed):
    svcsim("up", "--nodes", "0", "--ephemeral", "--clock", speed)
    svcsim("create", "deployment", "web", "--image=nginx")
    paused = "The cluster's clock is paused, and nothing happens until it goes on: svcsim clock resume\n" if speed == "paused" else ""
    assert svcsim("wait", "deploy/web", "--for=condition=Available", "--timeout=1s") == (
        1,
        "",
        f"{paused}error: timed out waiting for the condition on deployments/web\n",
    )
    code, _, err = svcsim("rollout", "status", "deploy/web", "--timeout=1s")
    assert (code, err) == (1, f"{paused}error: timed out waiting for the condition\n")
    svcsim("patch", "deploy", "web", "-p", '{"metadata":{"finalizers":["example.com/stays"]}}')
    code, _, err = svcsim("delete", "deploy", "web", "--timeout=1s")
    assert (code, err) == (1, f"{paused}error: timed out waiting for the condition on deployments/web\n")


def test_a_clock_that_was_ahead_is_told_of_and_can_be_brought_back(svcsim, home):
    svcsim("up", "--nodes", "1", "--start", "2040-01-01T00:00:00Z")
    code, out, err = svcsim("clock")
    assert (code, out[:10]) == (0, "2040-01-01")
    assert "y ahead of the machine's time; to set it to that, stop the cluster, and start it with: svcsim up --start now\n" in err
    assert "y ahead of the machine's time\n" in svcsim("status")[1].split("Clock:")[1]
    svcsim("down")
    svcsim("up")
    assert svcsim("clock")[1].startswith("2040-01-01"), "by itself it never goes back"
    svcsim("down")
    svcsim("up", "--start", "now")
    code, out, err = svcsim("clock")
    assert (code, err) == (0, "")
    assert not out.startswith("2040")
    svcsim("down")
    svcsim("up")
    assert not svcsim("clock")[1].startswith("2040"), "nor does it leap ahead again"
