"""Every command's help has examples, and they can be read."""

import shlex
from importlib import import_module

import pytest

from svcsim.cli.commands import KUBECTL_LIKE, OWN
from svcsim.cli.examples import EXAMPLES, OWN_EXAMPLES
from svcsim.cli.flags import GLOBAL_FLAGS, parse
from svcsim.cli.own.app import own_command


def commands():
    """The commands that do something, by path."""
    found = {}
    todo = [(name, getattr(import_module(entry.module), entry.attribute)) for name, entry in KUBECTL_LIKE.items()]
    while todo:
        path, command = todo.pop()
        if command.run is not None:
            found[path] = command
        todo += [(f"{path} {sub.name}", sub) for sub in command.subcommands]
    return found


COMMANDS = commands()
ALIKE = {
    "create secret docker-registry", "create secret tls", "create service externalname", "create service loadbalancer",
    "create service nodeport",
}  # fmt: skip
"""Read like the first of their family, which has one."""


def test_every_command_has_examples_and_there_are_no_others():
    assert set(COMMANDS) - ALIKE == set(EXAMPLES)


@pytest.mark.parametrize(("path", "example"), [(path, line) for path, lines in EXAMPLES.items() for line in lines])
def test_an_example_can_be_read(path, example, run):
    assert f"  svcsim {example}\n" in run(f"{path} --help").out
    words = shlex.split(example)
    assert words[: len(path.split())] == path.split()
    command = COMMANDS[path]
    sub = next((sub for sub in command.subcommands if sub.name == words[1]), None) if len(words) > 1 else None
    skipped = len(path.split()) + (sub is not None)
    parse((*(sub or command).flags, *GLOBAL_FLAGS), words[skipped:])


def test_every_command_of_svcsims_own_has_examples():
    assert set(OWN_EXAMPLES) == set(OWN)


@pytest.mark.parametrize("example", [line for lines in OWN_EXAMPLES.values() for line in lines])
def test_an_example_of_svcsims_own_commands_can_be_read(example, run):
    name, *words = shlex.split(example.partition(" > ")[0])
    assert f"  svcsim {example}\n" in run(f"{name} --help").out
    command = own_command(name)
    if words and words[0] in getattr(command, "commands", {}):
        command = command.commands[words.pop(0)]
    command.make_context(name, words)


@pytest.mark.parametrize("name", list(OWN))
def test_help_speaks_of_a_name_where_one_can_be_given(name, run):
    told = run(f"{name} --help").out
    assert ("the same as NAME" in told) <= ("[NAME]" in told.partition("\n")[0])
