"""Commands that change the shell itself."""

import re

from svcsim.nodes.shell.expansion import ExpansionError
from svcsim.nodes.shell.fields import divided, parts_of
from svcsim.nodes.shell.interpreter import FAILED, BreakError, Builtin, ReturnError, Shell, find_program, read_script
from svcsim.nodes.shell.options import OptionError, read_options
from svcsim.nodes.shell.process import ExitError
from svcsim.nodes.shell.scanner import ShellSyntaxError
from svcsim.nodes.shell.signals import TERM, signal_name
from svcsim.nodes.shell.streams import Streams
from svcsim.nodes.shell.sums import SumError, worked_out
from svcsim.nodes.shell.tree import FileError, resolve

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_NUMBER = re.compile(r"-?[0-9]{1,9}")
_WITH_VALUE = "tpnNdu"
"""Options of ``read`` behind which a value stands."""
_LONGEST_LINE = 65536
_BACKSLASH = re.compile(r"\\(.)", re.DOTALL)
_ILLEGAL_NUMBER = 2
_NO_SUCH_JOB = 2


async def _cd(shell: Shell, args: list[str], streams: Streams) -> int:
    wanted = args[0] if args else shell.get("HOME") or "/"
    path = shell.get("OLDPWD") or "/" if wanted == "-" else wanted
    try:
        real = resolve(path, shell.directory)
        shell.world.tree.directory(real)
    except FileError as error:
        await shell.say_error(streams, f"cd: can't cd to {wanted}: {error}")
        return 1
    shell.set("OLDPWD", shell.directory)
    shell.directory = real
    shell.set("PWD", real)
    if wanted == "-":
        await streams.write(f"{real}\n".encode())
    return 0


async def _export(shell: Shell, args: list[str], streams: Streams) -> int:
    for word in args:
        name, assigned, value = word.partition("=")
        if name == "-p":
            continue
        if not _NAME.fullmatch(name):
            await shell.say_error(streams, f"export: {name}: bad variable name")
            return _ILLEGAL_NUMBER
        if assigned:
            shell.set(name, value)
        shell.exported[name] = None
    if not args or args == ["-p"]:
        lines = [f"export {name}='{value}'\n" for name, value in sorted(shell.environment().items())]
        await streams.write("".join(lines).encode("utf-8", "surrogateescape"))
    return 0


async def _unset(shell: Shell, args: list[str], _streams: Streams) -> int:
    for name in args:
        shell.unset(name)
    return 0


async def _set(shell: Shell, args: list[str], streams: Streams) -> int:
    try:
        chosen = read_options(args)
    except OptionError as error:
        raise ExpansionError(f"set: {error}") from None
    shell.options = chosen.of(shell.options)
    if chosen.ended or chosen.rest:
        shell.arguments = chosen.rest
    if not args:
        lines = [f"{name}='{value}'\n" for name, value in sorted(shell.variables.items())]
        await streams.write("".join(lines).encode("utf-8", "surrogateescape"))
    return 0


async def _exit(shell: Shell, args: list[str], streams: Streams) -> int:
    if args and not _NUMBER.fullmatch(args[0]):
        await shell.say_error(streams, f"exit: Illegal number: {args[0]}")
        raise ExitError(_ILLEGAL_NUMBER)
    raise ExitError(int(args[0]) if args else shell.status)


async def _colon(_shell: Shell, _args: list[str], _streams: Streams) -> int:
    return 0


async def _break(_shell: Shell, args: list[str], _streams: Streams) -> int:
    raise BreakError(_levels(args), goes_on=False)


async def _continue(_shell: Shell, args: list[str], _streams: Streams) -> int:
    raise BreakError(_levels(args), goes_on=True)


def _levels(args: list[str]) -> int:
    return max(int(args[0]), 1) if args and _NUMBER.fullmatch(args[0]) else 1


async def _shift(shell: Shell, args: list[str], _streams: Streams) -> int:
    count = _levels(args)
    if count > len(shell.arguments):
        return 1
    shell.arguments = shell.arguments[count:]
    return 0


async def _eval(shell: Shell, args: list[str], streams: Streams) -> int:
    return await _run_here(shell, " ".join(args), streams)


async def _source(shell: Shell, args: list[str], streams: Streams) -> int:
    if not args:
        raise ExpansionError(".: filename argument required")
    try:
        content = await shell.world.tree.find(resolve(args[0], shell.directory)).read()
    except FileError:
        raise ExpansionError(f".: can't open '{args[0]}': No such file or directory") from None
    return await _run_here(shell, content.decode("utf-8", "surrogateescape"), streams)


async def _run_here(shell: Shell, text: str, streams: Streams) -> int:
    """In this very shell, which may be doing so already."""
    await shell.effort(len(text))
    try:
        script = await read_script(text, bash=shell.is_bash)
    except ShellSyntaxError as error:
        raise ExpansionError(str(error)) from None
    with shell.deeper():
        return await shell.run(script, streams)


async def _exec(shell: Shell, args: list[str], streams: Streams) -> int:
    if not args:
        return 0
    shell.traps.clear()  # they go with the shell, in whose place the program is
    pid = None if shell.is_subshell else shell.pid
    raise ExitError(await shell.start(args, streams, shell.environment(), shell.directory, pid))


async def _command(shell: Shell, args: list[str], streams: Streams) -> int:
    if args[:1] in (["-v"], ["-V"]):
        name = args[1] if len(args) > 1 else ""
        node, path = find_program(shell.world, name, shell.environment(), shell.directory)
        if name in shell.commands.builtins:
            await streams.write(f"{name}\n".encode())
            return 0
        if node is None:
            return 127
        await streams.write(f"{path}\n".encode("utf-8", "surrogateescape"))
        return 0
    return await shell.start(args, streams, shell.environment(), shell.directory) if args else 0


async def _type(shell: Shell, args: list[str], streams: Streams) -> int:
    status = 0
    for name in args:
        node, path = find_program(shell.world, name, shell.environment(), shell.directory)
        said = f"{name} is a shell builtin" if name in shell.commands.builtins else f"{name} is {path}" if node else f"{name}: not found"
        status = status if name in shell.commands.builtins or node else 127
        await streams.write(f"{said}\n".encode("utf-8", "surrogateescape"))
    return status


_OF_BASH = (FAILED, "RETURN", "DEBUG")
"""What bash has traps for besides signals; of these the first one is heeded."""


async def _trap(shell: Shell, args: list[str], streams: Streams) -> int:
    """``trap [ACTION] SIGNAL…``: an empty action has a signal count for nothing, ``-`` or none as before."""
    words = args[1:] if args[:1] == ["--"] else args
    if not words or words == ["-p"]:
        lines = [f"trap -- '{text}' {name}\n" for name, text in shell.traps.items()]
        await streams.write("".join(lines).encode("utf-8", "surrogateescape"))
        return 0
    resets = words[0] == "-" or len(words) == 1 or words[0].isdecimal()
    action, signals = (None, words[words[0] == "-" :]) if resets else (words[0], words[1:])
    status = 0
    for word in signals:
        name = word if shell.is_bash and word in _OF_BASH else signal_name(word)
        if name is None:
            await shell.say_error(streams, f"trap: {word}: invalid signal specification")
            status = 1
        elif action is None:
            shell.traps.pop(name, None)
        else:
            shell.traps[name] = action
    return status


async def _local(shell: Shell, args: list[str], streams: Streams) -> int:
    for word in args:
        name, _, value = word.partition("=")
        if not _NAME.fullmatch(name) or not shell.in_function:
            await shell.say_error(streams, f"local: {name}: bad variable name" if shell.in_function else "local: not in a function")
            return _ILLEGAL_NUMBER
        shell.localize(name)
        shell.set(name, value)
    return 0


async def _declare(shell: Shell, args: list[str], streams: Streams) -> int:
    """``declare [-aAirx] NAME[=VALUE]…``, in a function of its own."""
    letters = "".join(word[1:] for word in args if word.startswith("-"))
    for word in args:
        name, assigned, value = word.partition("=")
        if word.startswith(("-", "+")):
            continue
        if not _NAME.fullmatch(name):
            await shell.say_error(streams, f"declare: {word}: not a valid identifier")
            return 1
        if shell.in_function and "g" not in letters:
            shell.localize(name)
        if "A" in letters or "a" in letters:
            shell.declare(name, keyed="A" in letters)
        if assigned:
            shell.set(name, value)
        if "x" in letters:
            shell.exported[name] = None
    return 0


async def _return(shell: Shell, args: list[str], _streams: Streams) -> int:
    raise ReturnError(int(args[0]) if args and _NUMBER.fullmatch(args[0]) else shell.status)


async def _number(shell: Shell, command: str, word: str, streams: Streams) -> str | None:
    """The number of the process that is meant, where a job may be called ``%1``; None where there is no such job, which is said."""
    if not word.startswith("%"):
        return word
    job = shell.job(word)
    if job is None:
        await shell.say_error(streams, f"{command}: {word}: no such job")
    return None if job is None else str(job.pid)


async def _wait(shell: Shell, args: list[str], streams: Streams) -> int:
    status = 0
    for word in args or [""]:
        pid = await _number(shell, "wait", word, streams)
        if pid is None:
            return _NO_SUCH_JOB
        status = await shell.wait(pid)
    return status


async def _kill(shell: Shell, args: list[str], streams: Streams) -> int:
    """Signals jobs and shells, itself among them; others are left to the program of that name, and what isn't about a signal to be sent."""
    options = args[: 2 if args[:1] == ["-s"] else int(args[:1] != [] and args[0].startswith("-"))]
    name = signal_name(options[-1].removeprefix("-")) if options else TERM
    if name is None or len(options) == len(args):
        return await shell.start(["kill", *args], streams, shell.environment(), shell.directory)
    others: list[str] = []
    for word in args[len(options) :]:
        pid = await _number(shell, "kill", word, streams)
        if pid is None:
            return _NO_SUCH_JOB
        if not await shell.send(pid, name, streams):
            others.append(pid)
    return await shell.start(["kill", *options, *others], streams, shell.environment(), shell.directory) if others else 0


async def _read(shell: Shell, args: list[str], streams: Streams) -> int:
    """A line of the input into variables. What comes behind it in the same piece is lost, but a loop's input comes line by line."""
    rest, letters = list(args), ""
    while rest and rest[0].startswith("-") and len(rest[0]) > 1:
        word = rest.pop(0)
        if word == "--":
            break
        letters += word[1:]
        if word[-1] in _WITH_VALUE and rest:
            rest.pop(0)
    names = [name for name in rest if _NAME.fullmatch(name)]
    line = bytearray()
    while (b"\n" not in line or ("r" not in letters and line.endswith(b"\\\n"))) and (piece := await streams.read()):
        line += piece
        if len(line) > _LONGEST_LINE:
            break
    text = line.decode("utf-8", "surrogateescape")
    if "r" not in letters and "\\" in text:
        text = _BACKSLASH.sub(lambda found: found[1].strip("\n"), text)
    text, ended, _ = text.partition("\n")
    if "a" in letters and names and shell.is_bash:
        shell.set_all(names[0], [part.text for part in parts_of(text, shell.get("IFS") or "") if part.text or part.counts])
        return 0 if ended else 1
    if not names:
        shell.set("REPLY", text)
    for name, value in zip(names, divided(text, len(names), shell.get("IFS") or ""), strict=False):
        shell.set(name, value)
    return 0 if ended else 1


async def _let(shell: Shell, args: list[str], _streams: Streams) -> int:
    value = 0
    for text in args:
        try:
            value = worked_out(text, shell)
        except SumError as error:
            raise ExpansionError(f"let: {error}") from None
    return int(value == 0)


LASTING = frozenset(
    (":", ".", "source", "break", "continue", "eval", "exec", "exit", "export", "readonly", "return", "set", "shift", "trap", "unset")
)
BUILTINS: dict[str, Builtin] = {
    "cd": _cd,
    "export": _export,
    "unset": _unset,
    "set": _set,
    "exit": _exit,
    ":": _colon,
    "break": _break,
    "continue": _continue,
    "shift": _shift,
    "eval": _eval,
    ".": _source,
    "source": _source,
    "exec": _exec,
    "command": _command,
    "type": _type,
    "read": _read,
    "readonly": _export,
    "local": _local,
    "return": _return,
    "umask": _colon,
    "wait": _wait,
    "kill": _kill,
    "trap": _trap,
    "ulimit": _colon,
    "let": _let,
    "declare": _declare,
    "typeset": _declare,
}
