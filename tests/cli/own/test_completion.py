"""Completion scripts, and the values they ask for."""

import os
import pty
import re
import select
import shlex
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from svcsim.cli.commands import KUBECTL_LIKE, OWN
from svcsim.cli.own.completion.command import SCRIPTS
from svcsim.cli.own.completion.model import commands
from tests.cli.objects import OBJECTS, make
from tests.cli.shared.clusters import config, running, stopped
from tests.cli.stub import Stub

ROOT = Path(__file__).resolve().parents[3]
DIRECTORY = ROOT / "completions"


@pytest.mark.parametrize("shell", list(SCRIPTS))
def test_the_scripts_in_the_repository_are_fresh(shell):
    is_fresh = (DIRECTORY / shell).read_text() == SCRIPTS[shell](commands())
    assert is_fresh, f"completions/{shell} is stale; make it anew with: svcsim completion {shell} > completions/{shell}"


def test_every_command_is_completed():
    found = {command.path[0] for command in commands()}
    assert found == {*OWN, *KUBECTL_LIKE}


def test_an_unknown_shell_is_told(run):
    assert run("completion tcsh") == (1, "", 'error: there is no completion for "tcsh"; there is for: bash, zsh, fish\n')


# --- what only the cluster knows ---


@pytest.fixture
def clusters(tmp_path):
    """Two clusters that run, one of them `default`, and one that is stopped."""
    root_ca = make("ConfigMap", "root-ca", metadata={"namespace": "kube-system"})
    elsewhere = make("Pod", "elsewhere", metadata={"namespace": "default"})
    with Stub([*OBJECTS, root_ca]) as stub, Stub([elsewhere]) as other, running("default", stub.url), running("lab", other.url):
        stopped("old")
        config(tmp_path / ".kube" / "config", a=other.url, b=other.url)
        yield


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("cluster --cluster ''", ["default", "lab", "old"]),
        ("cluster replay x.yaml --against ''", ["default", "lab", "old"]),
        ("context --context ''", ["a", "b"]),
        ("user --user ''", ["svcsim-default"]),
        ("user --cluster lab auth whoami --as ''", ["svcsim-lab"]),
        ("user audit lab --user ''", ["svcsim-lab"]),
        ("user user --cluster lab delete ''", ["svcsim-lab"]),
        ("name:pods --cluster lab certificate approve ''", ["elsewhere"]),
        ("name:pods --cluster lab certificate approve elsewhere ''", []),
        ("namespace get pods -n ''", ["default", "kube-system", "labelled"]),
        ("namespace ui default --namespace=ku", ["default", "kube-system", "labelled"]),
        ("resource --cluster lab delete pod ''", ["elsewhere"]),
        ("resource --context b delete pod ''", ["elsewhere"]),
        ("resource get cm -n kube-system ''", ["root-ca"]),
        ("resource --namespace=kube-system get cm ''", ["root-ca"]),
        ("resource --cluster lab get pod/", ["pod/elsewhere"]),
        ("resource --cluster lab get pod elsewhere ''", []),
        ("pod --cluster lab logs ''", ["elsewhere"]),
        ("resource:deployments,statefulsets rollout status ''", ["deployments.apps"]),
        ("scalable --cluster lab scale ''", ["deployments.apps", "replicasets.apps"]),
        ("scalable --cluster lab scale deploy,", ["deploy,deployments.apps", "deploy,replicasets.apps"]),
        ("scalable scale deploy w", ["web"]),
        ("service --cluster lab bind ''", ["services"]),
        ("service bind svc/", ["svc/headless", "svc/web"]),
        ("service bind svc w", ["headless", "web"]),
        ("service bind svc/web ''", []),
        ("service bind svc web ''", []),
        ("group api-resources --api-group ''", ["apps", "coordination.k8s.io", "discovery.k8s.io", "example.com"]),
        ("category api-resources --categories ''", ["all"]),
        ("category api-resources --categories=all,", ["all,all"]),
        ("container logs web-1 -c ''", ["app", "side", "init"]),
        ("container logs deploy/web --container=", ["app"]),
        ("copied --cluster lab cp els", ["elsewhere:"]),
        ("copied --cluster lab cp ''", ["elsewhere:", "./", "/"]),
        ("copied -n labelled cp ''", ["default/", "kube-system/", "labelled/", "./", "/"]),
        ("copied --cluster lab cp default/", ["default/elsewhere:"]),
        ("copied --cluster lab cp ./x default/e", ["default/elsewhere:"]),
        ("copied --cluster lab cp elsewhere:/x ''", []),
        ("copied --cluster lab cp elsewhere:", []),
        ("copied --cluster lab cp ./", []),
        ("copied --cluster lab cp ~", []),
        ("copied --cluster lab cp a b ''", []),
        ("container:copied cp web-1:/x . -c ''", ["app", "side", "init"]),
        ("container:copied cp x default/web-1:/y --container=", ["app", "side", "init"]),
    ],
)
def test_values_are_those_of_what_the_line_names(run, clusters, line, expected):
    assert run(["__complete", *shlex.split(line)]) == (0, "".join(f"{word}\n" for word in expected), "")


def test_types_are_offered_once_more_after_a_comma(run, clusters):
    found = run(["__complete", "resource", "get", "pods,s"]).out.split()
    assert {"pods,services", "pods,deployments.apps"} <= set(found)
    assert all(word.startswith("pods,") for word in found)


@pytest.mark.parametrize(
    "line",
    [
        "resource --cluster old get pods ''",
        "resource get nosuch ''",
        "pod --context nope logs ''",
        "resource get --nosuch ''",
        "get pods ''",
        "'' ''",
    ],
)
def test_where_nothing_can_be_found_out_nothing_is_said(run, clusters, line):
    assert run(["__complete", *shlex.split(line)]) == (1, "", "")


# --- the scripts, as their shells run them ---

LINES = [
    ("ge", ["get"]),
    ("rollout re", ["restart", "resume"]),
    ("get --show-l", ["--show-labels"]),
    ("get -o js", ["json", "jsonpath=", "jsonpath-as-json=", "jsonpath-file="]),
    ("clock st", ["step"]),
    ("clock until --for del", ["delete"]),
    ("--cluster lab clock until pod els", ["elsewhere"]),
    ("--cluster lab why pod els", ["elsewhere"]),
    ("up --dialect k", ["kubernetes"]),
    ("--cluster l", ["lab"]),
    ("--cluster lab ge", ["get"]),
    ("--cluster lab delete pod els", ["elsewhere"]),
    ("-n kube-s", ["kube-system"]),
    ("get cm -n kube-system r", ["root-ca"]),
    ("get pods,serv", ["pods,services", "pods,serviceaccounts"]),
    ("logs web-1 -c s", ["side"]),
    ("use o", ["old"]),
    ("up --disable-admission-plugins ServiceAccount,NamespaceL", ["ServiceAccount,NamespaceLifecycle"]),
    ("up --stages pod-f", ["pod-fast"]),
    ("up --stages pod-fast --stages own-", ["own-stages.yaml"]),
    ("up --scheduler-names default-s", ["default-scheduler"]),
    ("up --scheduler-names batch,default-s", ["batch,default-scheduler"]),
    ("up --authorization-mode Node,RB", ["Node,RBAC"]),
    ("up --controllers deployment-", ["deployment-controller"]),
    ("up --controllers *,-cronjob,-deployment-", ["*,-cronjob,-deployment-controller"]),
    ("cp web-1", ["web-1:"]),
    ("cp default/web-1", ["default/web-1:"]),
    ("cp ./own-", ["./own-stages.yaml"]),
    ("--cluster lab cp own-stages.yaml els", ["elsewhere:"]),
    ("cp web-1:/etc/x own-", ["own-stages.yaml"]),
    ("cp web-1:/x . -c si", ["side"]),
]
DASHED = [("up --controllers -deployment-", ["-deployment-controller"])]
"""What fish takes for a flag."""


@pytest.fixture
def command(tmp_path, monkeypatch):
    """`svcsim` on the PATH, as the scripts call it."""
    program = tmp_path / "bin" / "svcsim"
    program.parent.mkdir()
    program.write_text(f'#!/bin/sh\nPYTHONPATH="{ROOT}" exec "{sys.executable}" -m svcsim "$@"\n')
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(program.parent), prepend=":")
    (tmp_path / "here").mkdir()
    (tmp_path / "here" / "own-stages.yaml").touch()
    monkeypatch.chdir(tmp_path / "here")


@pytest.mark.skipif(not shutil.which("bash"), reason="bash is not on the PATH")
@pytest.mark.parametrize(("line", "expected"), [*LINES, *DASHED, ("--cluster = l", ["lab"]), ("get --namespace = kube-s", ["kube-system"])])
def test_bash_completes(clusters, command, line, expected):
    words = ["svcsim", *line.split(" ")]
    program = f"""source {DIRECTORY / "bash"}; COMP_WORDS=({shlex.join(words)}); COMP_CWORD={len(words) - 1}; _svcsim
        printf "%s\\n" "${{COMPREPLY[@]}}" """
    done = subprocess.run(["bash", "-c", program], capture_output=True, text=True, check=True)
    assert sorted(done.stdout.split()) == sorted(expected)


@pytest.mark.skipif(not shutil.which("bash"), reason="bash is not on the PATH")
def test_bash_runs_nothing_that_stands_in_a_word(clusters, command, tmp_path):
    config(tmp_path / ".kube" / "config", **{"$(touch gone)": "http://127.0.0.1:1", "a b": "http://127.0.0.1:1"})
    program = f"""source {DIRECTORY / "bash"}; COMP_WORDS=(svcsim --context ""); COMP_CWORD=2; _svcsim
        printf "%s\n" "${{COMPREPLY[@]}}" """
    done = subprocess.run(["bash", "-c", program], capture_output=True, text=True, check=True)
    assert (sorted(done.stdout.splitlines()), list(Path().iterdir())) == ([r"\$\(touch\ gone\)", r"a\ b"], [Path("own-stages.yaml")])


@pytest.mark.skipif(not shutil.which("fish"), reason="fish is not on the PATH")
@pytest.mark.parametrize(
    ("line", "expected"),
    [*LINES, ("--cluster=l", ["--cluster=lab"]), ("up --controllers=-deployment-", ["--controllers=-deployment-controller"])],
)
def test_fish_completes(clusters, command, line, expected):
    program = f"source {DIRECTORY / 'fish'}; complete -C {shlex.quote('svcsim ' + line)}"
    done = subprocess.run(["fish", "--no-config", "-c", program], capture_output=True, text=True, check=True)
    assert sorted(found.partition("\t")[0] for found in done.stdout.splitlines()) == sorted(expected)


class Zsh:
    """A zsh at a terminal: it completes nowhere else."""

    def __init__(self):
        self.pid, self.terminal = pty.fork()
        if self.pid == 0:
            os.execvp("zsh", ["zsh", "-f", "-i"])

    def type(self, text):
        os.write(self.terminal, text.encode())

    def wait_for(self, text):
        """Read until that was shown; the terminal's own codes don't count."""
        shown = ""
        while text not in re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]", "", shown):
            assert select.select([self.terminal], [], [], 30)[0], f"never shown: {text}; but: {shown!r}"
            shown += os.read(self.terminal, 65536).decode()

    def end(self):
        os.kill(self.pid, signal.SIGKILL)
        os.waitpid(self.pid, 0)
        os.close(self.terminal)


@pytest.fixture
def zsh(tmp_path, monkeypatch):
    """One that has our script."""
    monkeypatch.setenv("TERM", "dumb")
    (tmp_path / "_svcsim").write_text((DIRECTORY / "zsh").read_text())
    shell = Zsh()
    shell.type(f"fpath=({tmp_path} $fpath); PS1=; autoload -Uz compinit; compinit -u -D; stty cols 200; print rea''dy\n")
    shell.wait_for("ready\r\n")
    yield shell
    shell.end()


@pytest.mark.skipif(not shutil.which("zsh"), reason="zsh is not on the PATH")
def test_zsh_completes(clusters, command, zsh):
    for line, expected in [*LINES, *DASHED, ("get --namespace=kube-s", ["kube-system"]), ("get nam", ["namespaces"])]:
        if len(expected) == 1:
            zsh.type(f"svcsim {line}\t")
            zsh.wait_for(f"svcsim {line[: -len(re.split('[ =]', line)[-1])]}{expected[0]}")
            zsh.type("\x15")
