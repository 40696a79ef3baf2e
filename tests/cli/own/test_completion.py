"""Completion scripts."""

import shutil
import subprocess
from pathlib import Path

import pytest

from svcsim.cli.commands import KUBECTL_LIKE, OWN
from svcsim.cli.own.completion.command import SCRIPTS
from svcsim.cli.own.completion.model import commands

DIRECTORY = Path(__file__).resolve().parents[3] / "completions"


@pytest.mark.parametrize("shell", list(SCRIPTS))
def test_the_scripts_in_the_repository_are_fresh(shell):
    is_fresh = (DIRECTORY / shell).read_text() == SCRIPTS[shell](commands())
    assert is_fresh, f"completions/{shell} is stale; make it anew with: svcsim completion {shell} > completions/{shell}"


def test_every_command_is_completed():
    found = {command.path[0] for command in commands()}
    assert found == {*OWN, *KUBECTL_LIKE}


@pytest.mark.skipif(not shutil.which("bash"), reason="bash is not on the PATH")
@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["ge"], ["get"]),
        (["rollout", "re"], ["restart", "resume"]),
        (["get", "--show-l"], ["--show-labels"]),
        (["get", "-o", "js"], ["json", "jsonpath=", "jsonpath-as-json=", "jsonpath-file="]),
        (["clock", "st"], ["step"]),
        (["up", "--dialect", "k"], ["kubernetes"]),
    ],
)
def test_bash_completes(words, expected):
    line = " ".join(f"'{word}'" for word in ["svcsim", *words])
    program = f'source {DIRECTORY / "bash"}; COMP_WORDS=({line}); COMP_CWORD={len(words)}; _svcsim; printf "%s\\n" "${{COMPREPLY[@]}}"'
    done = subprocess.run(["bash", "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.split() == expected


def test_an_unknown_shell_is_told(run):
    assert run("completion tcsh") == (1, "", 'error: there is no completion for "tcsh"; there is for: bash, zsh, fish\n')
