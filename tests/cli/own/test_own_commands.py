"""What svcsim's own commands say to what they can't do."""

import os
import subprocess
import sys

import pytest

from svcsim.cli.own.completion.model import commands
from tests.process import environment, ran

BAD_HELP = 'Error: invalid argument "foo" for "-h, --help" flag: strconv.ParseBool: parsing "foo": invalid syntax'


@pytest.mark.parametrize(
    ("words", "status", "told"),
    [
        (["replay"], 2, "error: missing argument 'FILE...'\nSee 'svcsim replay --help' for usage.\n"),
        (["replay", "x.yaml", "--foo"], 2, "error: unknown flag: --foo\nSee 'svcsim replay --help' for usage.\n"),
        (["clock", "step"], 1, "error: missing argument 'TIME'\nSee 'svcsim clock --help' for usage.\n"),
        (
            ["up", "--port", "99999"],
            1,
            "error: invalid value for '--port': 99999 is not in the range 0<=x<=65535\nSee 'svcsim up --help' for usage.\n",
        ),
        (
            ["--help=foo"],
            1,
            f"{BAD_HELP}\nSee 'svcsim --help' for usage.\n",
        ),
        (["up", "--foo"], 1, "error: unknown flag: --foo\nSee 'svcsim up --help' for usage.\n"),
        (["replay", "x.yaml", "--against", "nope"], 3, 'error: there is no cluster "nope"; start it with: svcsim up nope\n'),
    ],
)
def test_a_mistake_is_told_in_one_clear_line(tmp_path, words, status, told):
    answer = ran(*words, env=environment(tmp_path))
    assert (answer.returncode, answer.stderr) == (status, told)


def test_help_about_what_is_no_command_lists_those_there_are(tmp_path):
    answer = ran("help", "foo", "bar", env=environment(tmp_path))
    assert (answer.returncode, answer.stdout) == (0, "")
    topic, *rest = answer.stderr.splitlines()
    assert topic == "Unknown help topic [`foo` `bar`]"
    assert "  get               Display one or many objects" in rest


def test_any_text_is_printed_whatever_the_terminal_is_said_to_show(stub):
    words = [sys.executable, "-m", "svcsim", "--server", stub.url, "create", "configmap", "u", "--from-literal=a=żółć", "-o", "yaml"]
    done = subprocess.run(words, check=False, capture_output=True, env={**os.environ, "PYTHONIOENCODING": "ascii"})
    assert (done.returncode, "  a: żółć\n".encode() in done.stdout, done.stderr) == (0, True, b"")


@pytest.mark.parametrize("path", [command.path for command in commands() if command.subcommands], ids="/".join)
def test_what_commands_do_is_listed_whole(tmp_path, path):
    answer = ran(*path, "--help", env={**environment(tmp_path), "COLUMNS": "80"})
    _usage, listed = answer.stdout.split("Commands:\n")
    assert "..." not in listed.partition("\n\n")[0]
