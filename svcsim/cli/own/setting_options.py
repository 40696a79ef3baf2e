"""The options that follow from the settings of a specification, so that a setting is declared in its specification and nowhere else."""

import inspect
from collections.abc import Callable
from typing import Annotated

import typer

from svcsim.cli.failure import CommandError
from svcsim.cluster.settings import Setting, SettingError, settings
from svcsim.cluster.values import Boolean, FilePaths, FilesOrNames, Integer, Nullable, StringList, Words
from svcsim.meta.types import Json

ASKED = "asked"
"""The parameter of a command that takes the settings given, by name."""


def with_setting_options(spec: type, command: Callable[..., None]) -> Callable[..., None]:
    """The command as typer takes it: with an option for each setting that has one where the command has its parameter ``asked``."""
    found = {"_".join(one.path): one for one in settings(spec) if one.flag}

    def run(**given: Json) -> None:
        asked = {one.name: _read(one, given[name]) for name, one in found.items() if given[name] not in (None, [])}
        command(asked=asked, **{name: value for name, value in given.items() if name not in found})

    parameters: list[inspect.Parameter] = []
    for parameter in inspect.signature(command).parameters.values():
        parameters += [_parameter(name, one) for name, one in found.items()] if parameter.name == ASKED else [parameter]
    run.__doc__ = command.__doc__
    run.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]  # typer reads a function's parameters from there
    return run


def _read(one: Setting, given: Json) -> Json:
    try:
        return one.from_option(given)
    except SettingError as error:
        raise CommandError(str(error)) from error


def _parameter(name: str, one: Setting) -> inspect.Parameter:
    value = one.value.inner if isinstance(one.value, Nullable) else one.value
    flag, minimum, maximum = one.flag, None, None
    taken: Json = str | None
    if isinstance(value, Integer):
        taken, minimum, maximum = int | None, value.minimum, value.maximum
    elif isinstance(value, Boolean):
        taken, flag = bool | None, f"{flag}/--no-{flag[2:]}"
    elif isinstance(value, StringList | Words | FilePaths | FilesOrNames):
        taken = list[str] | None
    revoked = " none takes it back." if one.revocable else ""
    help_text = f"{one.help}{revoked} ${one.variable} says its default." if one.variable else f"{one.help}{revoked}"
    option = typer.Option(
        flag, help=help_text, metavar=one.metavar or None, show_default=one.default_text or False, min=minimum, max=maximum
    )
    return inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=None, annotation=Annotated[taken, option])
