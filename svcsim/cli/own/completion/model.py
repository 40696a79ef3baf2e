"""Everything a shell can complete, gathered from the commands themselves: names, flags, the values flags take."""

from importlib import import_module
from typing import NamedTuple

from svcsim.cli.commands import KUBECTL_LIKE, OWN
from svcsim.cli.flags import GLOBAL_FLAGS, Command
from svcsim.cli.own.app import own_command
from svcsim.cluster.settings import settings
from svcsim.cluster.spec import ClusterSpec


class FlagWord(NamedTuple):
    """A flag as a shell sees it."""

    name: str
    short: str
    doc: str
    takes_value: bool
    choices: tuple[str, ...] = ()
    values: str = ""
    """What its values are: ``file``, ``namespace``, ``cluster``, ``context``; empty where nobody knows."""


class CommandWords(NamedTuple):
    """A command, or one of a family, by the words that call it."""

    path: tuple[str, ...]
    doc: str
    flags: tuple[FlagWord, ...]
    subcommands: tuple[str, ...]
    arguments: str
    """What its arguments are: ``resource``, ``pod``, ``context``, ``cluster``, ``file``; empty where nobody knows."""


def commands() -> list[CommandWords]:
    """Every command, families before their members."""
    found: list[CommandWords] = []
    for name, entry in OWN.items():
        found += _own((name,), own_command(name), entry.doc)
    for name, entry in KUBECTL_LIKE.items():
        command: Command = getattr(import_module(entry.module), entry.attribute)
        found += _kubectl_like((name,), command)
    return found


def _kubectl_like(path: tuple[str, ...], command: Command) -> list[CommandWords]:
    own = {flag.name for flag in command.flags}
    flags = tuple(
        FlagWord(flag.name, flag.short, flag.doc, not flag.bare, flag.choices, flag.metavar)
        for flag in (*command.flags, *(flag for flag in GLOBAL_FLAGS if flag.name not in own))
    )
    doc = command.doc.splitlines()[0].rstrip(".")
    words = CommandWords(path, doc, flags, tuple(sub.name for sub in command.subcommands), command.completes)
    return [words, *(found for sub in command.subcommands for found in _kubectl_like((*path, sub.name), sub))]


_VALUES = {"FILE": "file", "DIR": "file", "FILE...": "file", "[NAME]": "cluster"}
_CHOICES = {"output": ("json",), **{one.flag.removeprefix("--"): one.value.words for one in settings(ClusterSpec)}}


def _own(path: tuple[str, ...], command, doc: str) -> list[CommandWords]:  # type: ignore[no-untyped-def] # noqa: ANN001 - click's type, which typer doesn't name
    flags: list[FlagWord] = []
    arguments = ""
    for parameter in command.params:
        if parameter.param_type_name == "argument":
            arguments = _VALUES.get(parameter.metavar or "", "")
            continue
        longs = [word[2:] for word in parameter.opts if word.startswith("--")]
        shorts = [word[1:] for word in parameter.opts if not word.startswith("--")]
        if not longs:
            continue
        values = "cluster" if longs[0] in ("cluster", "against") else _VALUES.get(parameter.metavar or "", "")
        flags.append(
            FlagWord(longs[0], (shorts or [""])[0], parameter.help or "", not parameter.is_flag, _CHOICES.get(longs[0], ()), values)
        )
    members = getattr(command, "commands", {})
    words = CommandWords(path, doc, tuple(flags), tuple(members), arguments)
    return [
        words,
        *(
            found
            for name, member in members.items()
            for found in _own((*path, name), member, (member.help or "").splitlines()[0].rstrip("."))
        ),
    ]
