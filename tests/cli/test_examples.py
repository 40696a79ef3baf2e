"""Every command's help has examples, and they can be read."""

import shlex
from importlib import import_module

import pytest

from svcsim.cli.commands import KUBECTL_LIKE
from svcsim.cli.examples import EXAMPLES
from svcsim.cli.flags import GLOBAL_FLAGS, parse


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
