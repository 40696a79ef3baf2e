"""Runs simple commands: expands their words, assigns variables, and calls a function, a builtin or a program."""

from collections.abc import Mapping
from contextlib import nullcontext

from svcsim import limits
from svcsim.nodes.shell.expansion import Expander
from svcsim.nodes.shell.functions import call_function
from svcsim.nodes.shell.options import XTRACE
from svcsim.nodes.shell.redirections import Redirected
from svcsim.nodes.shell.running_shell import Builtin, RunningShell
from svcsim.nodes.shell.streams import Streams
from svcsim.nodes.shell.syntax import Assignment, SimpleCommand, Word
from svcsim.nodes.shell.tracing import trace_simple_command
from svcsim.nodes.shell.tree import FileError


async def run_simple_command(shell: RunningShell, command: SimpleCommand, streams: Streams) -> int:
    """Run a simple command; returns its exit code."""
    shell.stderr = streams.complain
    expander = shell.expander()
    words = await expander.words(command.words)
    values = await _values_of(shell, command, expander, persist=not words)
    if XTRACE in shell.parameters.options:
        await trace_simple_command(shell, streams, values, words)
    async with Redirected(shell, command, streams) as redirected:
        if redirected.streams is None:
            return 1
        if words:
            return await _run_words(shell, words, values, redirected.streams)
        for assignment in command.assignments:
            await _assign_to_array(shell, assignment)
        # The exit code of a command substitution is that of an assignment.
        return shell.parameters.status if any(_has_command(one.value) for one in command.assignments) else 0


async def _run_words(shell: RunningShell, words: list[str], values: Mapping[str, str], streams: Streams) -> int:
    """Run the function, the builtin or the program that the first word names, with these variables set before it."""
    variables = shell.variables
    function, builtin = shell.functions.get(words[0]), shell.commands.builtins.get(words[0])
    if function is not None:
        with variables.temporarily(values) if values else nullcontext():
            return await call_function(shell, function, words, streams)
    if builtin is None:
        return await shell.start(words, streams, {**variables.environment(), **values}, shell.parameters.directory)
    if words[0] not in shell.commands.special_builtins:
        with variables.temporarily(values) if values else nullcontext():
            return await _run_builtin(shell, builtin, words, streams)
    for name, value in values.items():
        variables.set(name, value)
    return await _run_builtin(shell, builtin, words, streams)


async def _run_builtin(shell: RunningShell, builtin: Builtin, words: list[str], streams: Streams) -> int:
    try:
        return await builtin(shell, words[1:], streams)
    except FileError as error:
        await shell.say_error(streams, f"{words[0]}: {error}")
        return 1


async def _values_of(shell: RunningShell, command: SimpleCommand, expander: Expander, *, persist: bool) -> dict[str, str]:
    """The values that a command assigns to variables that aren't arrays. If they ``persist``, later ones see the earlier ones."""
    values: dict[str, str] = {}
    for one in command.assignments:
        if one.elements is not None or one.subscript:
            continue
        value = await expander.text(one.value)
        if one.appends:
            value = shell.variables.appended(one.name, shell.variables.get(one.name) or "", value)
        values[one.name] = value
        if persist:
            shell.variables.set(one.name, value)
    return values


async def _assign_to_array(shell: RunningShell, one: Assignment) -> None:
    """``name[key]=value`` and ``name=(values)``; other assignments have been made."""
    expander, variables = shell.expander(), shell.variables
    if one.subscript:
        key, value = await expander.key(one.name, one.subscript), await expander.text(one.value)
        if one.appends:
            value = variables.appended(one.name, variables.elements(one.name).get(key, ""), value)
        variables.set_element(one.name, key, value)
    if one.elements is None:
        return
    found: list[tuple[str | None, str]] = []
    for subscript, word in one.elements:
        await shell.effort(limits.SHELL_WORD_COSTS_BYTES)
        if subscript:
            found.append((await expander.key(one.name, subscript), await expander.text(word)))
        else:
            found += [(None, value) for value in await expander.words([word])]
    variables.assign_elements(one.name, found, appends=one.appends)


def _has_command(word: Word) -> bool:
    return any(part.kind == "command" for part in word)
