"""Everything a shell can complete, gathered from the commands themselves: names, flags, the values flags take."""

from importlib import import_module
from typing import NamedTuple

from svcsim.cli.commands import KUBECTL_LIKE, OWN
from svcsim.cli.flags import GLOBAL_FLAGS, Flag
from svcsim.cli.own.app import own_command
from svcsim.cli.own.audit import VERBS
from svcsim.cli.own.clock import OBJECTS
from svcsim.cli.own.completion.values import KINDS
from svcsim.cli.shared.command import Command
from svcsim.cluster.controller_choice import chosen_by_name
from svcsim.cluster.parts import CONTROLLER_NAMES, PLUGIN_NAMES
from svcsim.cluster.settings import settings
from svcsim.cluster.spec import ClusterSpec
from svcsim.cluster.values import StringList, Words
from svcsim.meta.pods import DEFAULT_SCHEDULER
from svcsim.meta.wait_condition import CHOICES
from svcsim.nodes.staged.ready_sets import shipped

OR_FILES = ("copied",)
"""The kinds of values that are files where nothing else is found."""


class FlagWord(NamedTuple):
    """A flag as a shell sees it."""

    name: str
    short: str
    doc: str
    takes_value: bool
    choices: tuple[str, ...] = ()
    values: str = ""
    """What its values are, besides the choices: ``file``, or a kind that `values` finds out; empty where nobody knows."""
    several: bool = False
    """Whether the choices may stand with commas between them."""


class CommandWords(NamedTuple):
    """A command, or one of a family, by the words that call it."""

    path: tuple[str, ...]
    doc: str
    flags: tuple[FlagWord, ...]
    subcommands: tuple[str, ...]
    arguments: str
    """What its arguments are: ``file``, or a kind that `values` finds out; empty where nobody knows."""


def global_flags() -> tuple[FlagWord, ...]:
    """The flags that may stand before a command."""
    return tuple(_word(flag) for flag in GLOBAL_FLAGS)


def asked_for(values: str) -> bool:
    """Whether such values are found out by asking."""
    return values.partition(":")[0] in KINDS


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
    flags = tuple(_word(flag) for flag in (*command.flags, *(flag for flag in GLOBAL_FLAGS if flag.name not in own)))
    doc = command.doc.splitlines()[0].rstrip(".")
    words = CommandWords(path, doc, flags, tuple(sub.name for sub in command.subcommands), command.completes)
    return [words, *(found for sub in command.subcommands for found in _kubectl_like((*path, sub.name), sub))]


def _word(flag: Flag) -> FlagWord:
    return FlagWord(flag.name, flag.short, flag.doc, not flag.bare, flag.choices, flag.metavar)


_VALUES = {"FILE": "file", "DIR": "file", "FILE...": "file", "FILE|NAME": "file", "[NAME]": "cluster", "USER": "user", OBJECTS: "resource"}
_BY_NAME = {"cluster": "cluster", "against": "cluster", "context": "context", "namespace": "namespace", "user": "user"}
_PLUGINS = ("enable-admission-plugins", "disable-admission-plugins")
_SETTINGS = {one.flag.removeprefix("--"): one.value for one in settings(ClusterSpec)}
_SEVERAL = (*(name for name, value in _SETTINGS.items() if isinstance(value, StringList | Words)), "verb")
_CHOICES = {
    "output": ("json",),
    "for": CHOICES,
    **{name: value.words for name, value in _SETTINGS.items()},
    "verb": VERBS,
    **dict.fromkeys(_PLUGINS, PLUGIN_NAMES),
    "stages": tuple(shipped()),
    "controllers": tuple(f"{sign}{name}" for sign in ("", "-") for name in chosen_by_name(CONTROLLER_NAMES)),
    "scheduler-names": (DEFAULT_SCHEDULER,),
}


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
        name = longs[0]
        values = _BY_NAME.get(name) or _VALUES.get(parameter.metavar or "", "")
        short = (shorts or [""])[0]
        choices = _CHOICES.get(name, ())
        several = bool(choices) and name in _SEVERAL
        flags.append(FlagWord(name, short, parameter.help or "", not parameter.is_flag, choices, values, several))
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
