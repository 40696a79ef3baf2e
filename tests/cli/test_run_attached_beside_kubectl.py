"""svcsim and kubectl run pods and are attached to them: what they print, how they end and what they leave must be the same."""

import fcntl
import json
import os
import pty
import re
import shlex
import shutil
import signal
import subprocess
import sys
import termios
from contextlib import suppress

import pytest

from tests.process import SVCSIM, environment, served, started
from tests.waiting import until

pytestmark = pytest.mark.skipif(not shutil.which("kubectl"), reason="no kubectl on the PATH")

COMMANDS = """
run x --image=busybox -t
run x --image=busybox -t --attach
run x --image=busybox -t --restart=nope
run x --image=busybox -t --dry-run=nope
run x --image=busybox -it --restart=nope
run x --image=busybox -it --attach=false --rm
run x --image=busybox --rm
run x --image=busybox --rm --restart=nope
run x --image=busybox --rm --expose
run x --image=busybox --rm --image-pull-policy=nope
run x --image=busybox -i --dry-run=client
run x --image=busybox -i --dry-run=client --image-pull-policy=nope
run x --image=busybox --attach --dry-run=server
run x --image=busybox --pod-running-timeout=0
run x --image= --pod-running-timeout=0
run --image=busybox --pod-running-timeout=0
run x --image=busybox --pod-running-timeout=-1s --rm
run x --image=busybox --pod-running-timeout=x
run x --image=busybox -i --attach=false --dry-run=client -o yaml
run x --image=busybox -i --attach=false --dry-run=client -o json
run x --image=busybox -it --attach=false --leave-stdin-open --dry-run=client -o yaml
run x --image=busybox --leave-stdin-open --dry-run=client -o yaml
"""

_SECOND_FAILS = """{"spec": {"containers": [
  {"name": "a", "image": "busybox", "args": ["sleep", "20"]},
  {"name": "b", "image": "busybox", "args": ["sh", "-c", "sleep 20; exit 1"]}]}}"""
_NEVER_READY = """{"spec": {"containers": [{
  "name": "a", "image": "busybox", "args": ["sh", "-c", "echo said; sleep 20; exit 5"],
  "readinessProbe": {"exec": {"command": ["false"]}}}]}}"""

ATTACHED = [
    ("echo hi\n", "-i --rm --restart=Never --image=busybox NAME -- sh"),
    ("echo hi; exit 3\n", "-i --rm --restart=Never --image=busybox NAME -- sh"),
    ("exit\n", "-it --rm --restart=Never --image=busybox NAME"),
    ("exit\n", "-itq --rm --restart=Never --image=busybox NAME"),
    ("exit 3\n", "-i --rm --image=busybox NAME"),
    ("exit 3\n", "-i --leave-stdin-open --restart=Never --image=busybox NAME"),
    ("", "--attach --restart=Never --image=busybox NAME -- sh -c 'echo a; sleep 20; echo b; echo c >&2; exit 4'"),
    ("", "--attach --restart=Never --image=busybox NAME -- sh -c 'sleep 20; echo last words > /dev/termination-log; exit 4'"),
    ("", "--attach -q --rm --image=busybox NAME --expose --port=80 -o yaml -- sh -c 'sleep 20'"),
    ("", "--attach --rm --image=busybox NAME --expose --port=80 -- sh -c 'sleep 20'"),
    ("", "--attach --rm --restart=OnFailure --pod-running-timeout=4s --image=busybox NAME -- sh -c 'sleep 20; exit 1'"),
    ("", "-i --rm --pod-running-timeout=2s --image=registry.invalid/x NAME"),
    ("", f"--attach --rm --restart=Never --image=a NAME --overrides='{_SECOND_FAILS}'"),
    ("", f"--attach --restart=Never --image=a NAME --overrides='{_NEVER_READY}'"),
]
"""What comes in, and what follows ``run``. The last is never ready, so that its log is printed once it has ended."""

_OWN_LOG = r"(?m)^E\d{4} .*\n"
"""kubectl's own log."""
_WHY = r"(?m)^\(pod .*\)\n"
"""What svcsim says besides of a pod that hasn't got on."""


@pytest.fixture(scope="module")
def cluster(tmp_path_factory):
    """One whose time passes ten times as fast as that of who is attached."""
    with served(tmp_path_factory.mktemp("cluster"), "kubernetes", "--nodes", "1", "--ephemeral", "--clock", "x10") as server:
        yield server


@pytest.fixture(scope="module")
def lines(cluster):
    """How each is called, by the name that the pods of its own have."""
    return {whose: [program, "--kubeconfig", str(cluster.kubeconfig)] for whose, program in (("ours", SVCSIM), ("theirs", "kubectl"))}


@pytest.fixture
def begin(cluster, lines):
    """Start svcsim or kubectl, with pipes to talk to it."""

    def begin(whose, *words):
        return started([*lines[whose], *words], environment(cluster.home), stdin=subprocess.PIPE)

    return begin


@pytest.fixture
def ran(begin):
    """What svcsim or kubectl come to."""

    def ran(whose, *words, text=""):
        process = begin(whose, *words)
        out, err = process.communicate(text, timeout=60)
        return process.returncode, out, err

    return ran


@pytest.fixture
def phase(ran):
    """The phase of a pod; empty where it isn't there or on its way out."""

    def phase(name):
        status, out, _ = ran("theirs", "get", "pod", name, "-o", "json")
        pod = {} if status else json.loads(out)
        return "" if "deletionTimestamp" in pod.get("metadata", {}) else pod.get("status", {}).get("phase", "")

    return phase


def _same(said: tuple[int, str, str], name: str) -> tuple[int, str, str]:
    """Without what can't be the same: names, moments, and whose command it was."""
    status, out, err = said
    out = re.sub(r"(creationTimestamp|resourceVersion|uid|clusterIP): .*|- \d+\.\d+\.\d+\.\d+", "…", out.replace(name, "NAME"))
    err = re.sub(_OWN_LOG, "", err.replace(name, "NAME")).replace("'kubectl ", "'svcsim ")
    return status, out, re.sub(_WHY, "", err)


@pytest.mark.parametrize("command", COMMANDS.strip().splitlines())
def test_both_refuse_the_same_and_make_the_same(command, ran):
    words = shlex.split(command)
    assert _same(ran("ours", *words), "x") == _same(ran("theirs", *words), "x")


@pytest.mark.parametrize(("number", "text", "command"), [(number, *case) for number, case in enumerate(ATTACHED)])
def test_both_run_and_are_attached_to_the_same(number, text, command, begin, phase):
    names = {whose: f"{whose}{number}" for whose in ("ours", "theirs")}
    running = {whose: begin(whose, "run", *shlex.split(command.replace("NAME", name))) for whose, name in names.items()}
    for process in running.values():
        process.stdin.write(text)
        process.stdin.close()
        process.stdin = None
    said = {whose: (*process.communicate(timeout=60), process.returncode) for whose, process in running.items()}
    ours, theirs = (_same((status, out, err), names[whose]) for whose, (out, err, status) in said.items())
    assert ours == theirs
    assert phase(names["ours"]) == phase(names["theirs"])


def test_of_an_image_that_cannot_be_pulled_it_is_told(ran):
    status, out, err = ran("ours", "run", "-i", "--rm", "--pod-running-timeout=3s", "--image=registry.invalid/x", "stuck")
    assert (status, out) == (1, 'pod "stuck" deleted\n')
    first, why = err.splitlines()
    assert first == "error: timed out waiting for the condition"
    assert re.match(r"\(pod default/stuck: (ErrImagePull|ImagePullBackOff): .*registry\.invalid/x", why)


def test_who_makes_a_pod_that_is_there_already_makes_and_removes_nothing(ran, phase):
    assert ran("ours", "run", "there", "--image=nginx")[0] == 0
    words = ("run", "there", "--image=nginx", "--attach", "--rm", "--expose", "--port=80")
    assert ran("ours", *words) == ran("theirs", *words) == (1, "", 'Error from server (AlreadyExists): pods "there" already exists\n')
    assert ran("ours", "get", "service", "there")[0] == 1
    assert phase("there")


@pytest.mark.parametrize(("name", "image"), [("pending", "registry.invalid/x"), ("working", "nginx")])
def test_a_pod_that_is_deleted_meanwhile_is_told_of_by_its_name(name, image, begin, ran, phase):
    process = begin("ours", "run", name, "--attach", "-q", "--restart=Never", f"--image={image}")
    until(lambda: phase(name) == ("Running" if image == "nginx" else "Pending"))
    assert ran("theirs", "delete", "pod", name, "--now")[0] == 0
    assert process.communicate(timeout=60)[1] == f'Error from server (NotFound): pods "{name}" not found\n'
    assert process.returncode == 1


@pytest.mark.parametrize("image", ["registry.invalid/x", "busybox"])
@pytest.mark.parametrize(("number", "status"), [(signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGHUP, 129)])
def test_what_is_to_be_removed_is_removed_by_who_is_interrupted(image, number, status, begin, phase):
    name = f"left-{int(number)}-{image[:4]}"
    process = begin("ours", "run", name, "-i", "--rm", f"--image={image}")
    until(lambda: phase(name) == ("Running" if image == "busybox" else "Pending"))
    process.send_signal(number)
    out, err = process.communicate(timeout=60)
    assert (process.returncode, out, err.replace("If you don't see a command prompt, try pressing enter.\n", "")) == (
        status,
        f'pod "{name}" deleted\n',
        "",
    )
    assert not phase(name)


def test_who_is_attached_when_the_server_goes_is_told_so(tmp_path):
    with served(tmp_path, "kubernetes", "--nodes", "1", "--ephemeral") as server:
        words = shlex.split("run x --attach -q --image=busybox -- sh -c 'echo on; sleep inf'")
        process = started([SVCSIM, "--kubeconfig", str(server.kubeconfig), *words], environment(server.home))
        assert process.stdout.readline() == "on\n"
    err = process.communicate(timeout=60)[1].splitlines()
    assert err[0] == "warning: couldn't attach to pod/x, falling back to streaming logs: the connection to the server broke off"
    assert re.fullmatch("The connection to the server .* was refused - did you specify the right host or port\\?", err[1])
    assert process.returncode == 1


@pytest.fixture
def at_a_terminal(cluster, lines):
    """Start svcsim or kubectl at a terminal of its own; gives it and our end."""
    open_ends = []

    def at_a_terminal(whose, *words, **streams):
        ours, theirs = pty.openpty()
        open_ends.append(ours)
        there = {**dict.fromkeys(("stdin", "stdout", "stderr"), theirs), **streams}
        take = lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0)  # noqa: E731
        program, *where = lines[whose]
        line = [*((sys.executable, "-m", SVCSIM) if program == SVCSIM else (program,)), *where, *words]
        process = subprocess.Popen(line, env=environment(cluster.home), **there, start_new_session=True, preexec_fn=take)  # noqa: PLW1509
        os.close(theirs)
        return process, ours

    yield at_a_terminal
    for end in open_ends:
        with suppress(OSError):
            os.close(end)


def _read_to(end: int, wanted: str = "") -> str:
    """What comes at our end of a terminal, up to some text, or to its end."""
    said = b""
    while not wanted or wanted.encode() not in said:
        try:
            data = os.read(end, 4096)
        except OSError:  # nobody is at the other end any more
            break
        if not data:
            break
        said += data
    return said.decode()


@pytest.mark.parametrize("flags", [("--restart=Never",), (), ("-q",)], ids=" ".join)
def test_both_talk_to_a_shell_at_a_terminal(flags, at_a_terminal):
    said = {}
    for whose in ("ours", "theirs"):
        name = f"{whose}-tty-{len(flags)}{'q' if '-q' in flags else ''}"
        process, end = at_a_terminal(whose, "run", name, "-it", "--rm", "--image=busybox", *flags)
        told = _read_to(end, "/ # ")
        os.write(end, b"echo $((6*7)); exit 5\n")
        told += _read_to(end)
        assert process.wait(timeout=60) == (5 if "--restart=Never" in flags else 0)
        said[whose] = told.replace(name, "NAME").replace("kubectl", "svcsim")
    assert said["ours"] == said["theirs"]
    assert "42" in said["ours"]


def test_who_loses_the_terminal_is_told_so_and_leaves_nothing(at_a_terminal, phase, tmp_path):
    errors = tmp_path / "errors"
    with errors.open("w") as file:
        process, end = at_a_terminal("ours", "run", "lost", "-itq", "--rm", "--image=busybox", stderr=file)
        _read_to(end, "/ # ")
        os.close(end)
        assert process.wait(timeout=60) == 1
    assert errors.read_text() == "error: the terminal is gone\n"
    assert not phase("lost")


def test_who_is_attached_to_a_terminal_without_asking_for_it_gets_it(ran):
    for whose in ("ours", "theirs"):
        assert ran(whose, "run", f"{whose}-shell", "-it", "--attach=false", "--image=busybox")[0] == 0
        assert ran("theirs", "wait", "pod", f"{whose}-shell", "--for=condition=Ready")[0] == 0
    said = [_same(ran(whose, "attach", f"{whose}-shell", "-i", text="exit\n"), f"{whose}-shell") for whose in ("ours", "theirs")]
    assert said[0] == said[1]
    assert "Unable to use a TTY" in said[0][2]
