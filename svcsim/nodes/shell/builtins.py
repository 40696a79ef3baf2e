"""The builtins: commands that read or change the shell itself."""

import re

from svcsim.nodes.shell.arithmetic import SumError, evaluate
from svcsim.nodes.shell.control_flow import BreakError, ReturnError
from svcsim.nodes.shell.execution import find_program, start_in_place
from svcsim.nodes.shell.exit_codes import NOT_FOUND
from svcsim.nodes.shell.expansion import ExpansionError
from svcsim.nodes.shell.fields import parts_of, split_line
from svcsim.nodes.shell.options import OptionError, read_letters, read_options
from svcsim.nodes.shell.pipes import PipeBuffer
from svcsim.nodes.shell.places import change_directory, tell_directory
from svcsim.nodes.shell.process import ExitError
from svcsim.nodes.shell.running_shell import Builtin, RunningShell
from svcsim.nodes.shell.scanner import NAME, ShellSyntaxError
from svcsim.nodes.shell.scripts import read_script
from svcsim.nodes.shell.signals import TERM, signal_name
from svcsim.nodes.shell.streams import Streams
from svcsim.nodes.shell.syntax import WordPart
from svcsim.nodes.shell.traps import ERR, send_signal
from svcsim.nodes.shell.tree import FileError, resolve
from svcsim.nodes.shell.umask import umask

_NUMBER = re.compile(r"-?[0-9]{1,9}")
_TARGET = re.compile(r"([A-Za-z_][A-Za-z0-9_]*)(?:\[([^\[\]]+)\])?")
"""A variable, or an element of an array."""
_WITH_VALUE = "tpnNdu"
"""Options of ``read`` that take a value."""
_LONGEST_LINE = 65536
_BACKSLASH = re.compile(r"\\(.)", re.DOTALL)
_ILLEGAL_NUMBER = 2
_NO_SUCH_JOB = 2


async def _export(shell: RunningShell, args: list[str], streams: Streams) -> int:
    for word in args:
        name, assigned, value = word.partition("=")
        if name == "-p":
            continue
        if not NAME.fullmatch(name):
            await shell.say_error(streams, f"export: {name}: bad variable name")
            return _ILLEGAL_NUMBER
        if assigned:
            shell.variables.set(name, value)
        shell.variables.exported[name] = None
    if not args or args == ["-p"]:
        lines = [f"export {name}='{value}'\n" for name, value in sorted(shell.variables.environment().items())]
        await streams.write("".join(lines).encode("utf-8", "surrogateescape"))
    return 0


async def _unset(shell: RunningShell, args: list[str], _streams: Streams) -> int:
    for name in args:
        shell.variables.unset(name)
    return 0


async def _set(shell: RunningShell, args: list[str], streams: Streams) -> int:
    try:
        chosen = read_options(args)
    except OptionError as error:
        raise ExpansionError(f"set: {error}") from None
    shell.parameters.options = chosen.of(shell.parameters.options)
    if chosen.ended or chosen.rest:
        shell.parameters.arguments = chosen.rest
    if not args:
        lines = [f"{name}='{value}'\n" for name, value in sorted(shell.variables.values.items())]
        await streams.write("".join(lines).encode("utf-8", "surrogateescape"))
    return 0


async def _exit(shell: RunningShell, args: list[str], streams: Streams) -> int:
    if args and not _NUMBER.fullmatch(args[0]):
        await shell.say_error(streams, f"exit: Illegal number: {args[0]}")
        raise ExitError(_ILLEGAL_NUMBER)
    raise ExitError(int(args[0]) if args else shell.parameters.status)


async def _colon(_shell: RunningShell, _args: list[str], _streams: Streams) -> int:
    return 0


async def _break(_shell: RunningShell, args: list[str], _streams: Streams) -> int:
    raise BreakError(_levels(args), goes_on=False)


async def _continue(_shell: RunningShell, args: list[str], _streams: Streams) -> int:
    raise BreakError(_levels(args), goes_on=True)


def _levels(args: list[str]) -> int:
    return max(int(args[0]), 1) if args and _NUMBER.fullmatch(args[0]) else 1


async def _shift(shell: RunningShell, args: list[str], _streams: Streams) -> int:
    count = _levels(args)
    if count > len(shell.parameters.arguments):
        return 1
    shell.parameters.arguments = shell.parameters.arguments[count:]
    return 0


async def _eval(shell: RunningShell, args: list[str], streams: Streams) -> int:
    return await _run_here(shell, " ".join(args), streams, lines_before=shell.parameters.line - 1)


async def _source(shell: RunningShell, args: list[str], streams: Streams) -> int:
    if not args:
        raise ExpansionError(".: filename argument required")
    try:
        content = await shell.world.tree.find(resolve(args[0], shell.parameters.directory)).read()
    except FileError:
        raise ExpansionError(f".: can't open '{args[0]}': No such file or directory") from None
    return await _run_here(shell, content.decode("utf-8", "surrogateescape"), streams, lines_before=0)


async def _run_here(shell: RunningShell, text: str, streams: Streams, *, lines_before: int) -> int:
    """Run a script in this shell, perhaps within another such script."""
    await shell.effort(len(text))
    try:
        script = await read_script(text, bash=shell.parameters.is_bash)
    except ShellSyntaxError as error:
        raise ExpansionError(str(error)) from None
    with shell.deeper(), shell.parameters.counting_lines(lines_before):
        return await shell.run(script, streams)


async def _exec(shell: RunningShell, args: list[str], streams: Streams) -> int:
    if not args:
        return 0
    shell.traps.clear()  # they go with the shell, in whose place the program is
    pid = None if shell.is_subshell else shell.parameters.pid
    raise ExitError(await start_in_place(shell, args, streams, pid))


async def _command(shell: RunningShell, args: list[str], streams: Streams) -> int:
    if args[:1] in (["-v"], ["-V"]):
        name = args[1] if len(args) > 1 else ""
        node, path = find_program(shell.world, name, shell.variables.environment(), shell.parameters.directory)
        if name in shell.commands.builtins:
            await streams.write(f"{name}\n".encode())
            return 0
        if node is None:
            return NOT_FOUND
        await streams.write(f"{path}\n".encode("utf-8", "surrogateescape"))
        return 0
    return await start_in_place(shell, args, streams) if args else 0


async def _type(shell: RunningShell, args: list[str], streams: Streams) -> int:
    status = 0
    for name in args:
        node, path = find_program(shell.world, name, shell.variables.environment(), shell.parameters.directory)
        said = f"{name} is a shell builtin" if name in shell.commands.builtins else f"{name} is {path}" if node else f"{name}: not found"
        status = status if name in shell.commands.builtins or node else NOT_FOUND
        await streams.write(f"{said}\n".encode("utf-8", "surrogateescape"))
    return status


_OF_BASH = (ERR, "RETURN", "DEBUG")
"""Traps of bash that aren't for signals. Only the first one is simulated."""


async def _trap(shell: RunningShell, args: list[str], streams: Streams) -> int:
    """``trap [ACTION] SIGNAL…``: an empty action ignores the signal; ``-`` or none restores its default."""
    words = args[1:] if args[:1] == ["--"] else args
    if not words or words == ["-p"]:
        lines = [f"trap -- '{text}' {name}\n" for name, text in shell.traps.items()]
        await streams.write("".join(lines).encode("utf-8", "surrogateescape"))
        return 0
    action: str | None = None
    signals = words
    if words[0] == "-":
        signals = words[1:]
    elif len(words) > 1 and not words[0].isdecimal():
        action, signals = words[0], words[1:]
    status = 0
    for word in signals:
        name = word if shell.parameters.is_bash and word in _OF_BASH else signal_name(word)
        if name is None:
            await shell.say_error(streams, f"trap: {word}: invalid signal specification")
            status = 1
        elif action is None:
            shell.traps.pop(name, None)
        else:
            shell.traps[name] = action
    return status


async def _local(shell: RunningShell, args: list[str], streams: Streams) -> int:
    """``local NAME[=VALUE]…``, in bash with the options of ``declare``."""
    on, off = _attributes(args) if shell.parameters.is_bash else ("", "")
    for word in args:
        name, assigned, value = word.partition("=")
        if shell.parameters.is_bash and word.startswith(("-", "+")):
            continue
        if not shell.variables.in_function:
            await shell.say_error(streams, "local: not in a function")
            return _ILLEGAL_NUMBER
        if not NAME.fullmatch(name):
            await shell.say_error(streams, f"local: {name}: bad variable name")
            return _ILLEGAL_NUMBER
        shell.variables.make_local(name)
        if not assigned:
            shell.variables.set(name, value)
        _give_attributes(shell, name, on, off)
        if assigned:
            shell.variables.set(name, value)
    return 0


async def _declare(shell: RunningShell, args: list[str], streams: Streams) -> int:
    """``declare [-aAirx] [+i] NAME[=VALUE]…``, which declares local variables in a function."""
    on, off = _attributes(args)
    for word in args:
        name, assigned, value = word.partition("=")
        if word.startswith(("-", "+")):
            continue
        appends = bool(assigned) and name.endswith("+")
        name = name.removesuffix("+") if appends else name
        if not NAME.fullmatch(name):
            await shell.say_error(streams, f"declare: {word}: not a valid identifier")
            return 1
        if shell.variables.in_function and "g" not in on:
            shell.variables.make_local(name)
        _give_attributes(shell, name, on, off)
        if assigned:
            former = shell.variables.get(name) or ""
            shell.variables.set(name, shell.variables.appended(name, former, value) if appends else value)
    return 0


def _attributes(args: list[str]) -> tuple[str, str]:
    """The letters of the attributes that variables are given (``-i``), and of those that are taken from them (``+i``)."""
    on, off = ("".join(word[1:] for word in args if word.startswith(sign)) for sign in "-+")
    return on, off


def _give_attributes(shell: RunningShell, name: str, on: str, off: str) -> None:
    if "A" in on or "a" in on:
        shell.variables.declare_array(name, associative="A" in on)
    if "i" in on or "i" in off:
        shell.variables.declare_integer(name, integer="i" not in off)
    if "x" in on:
        shell.variables.exported[name] = None


async def _return(shell: RunningShell, args: list[str], _streams: Streams) -> int:
    raise ReturnError(int(args[0]) if args and _NUMBER.fullmatch(args[0]) else shell.parameters.status)


async def _number(shell: RunningShell, command: str, word: str, streams: Streams) -> str | None:
    """The process id for a word that is one, or a job id such as ``%1``. None if there is no such job; the error has been printed."""
    if not word.startswith("%"):
        return word
    job = shell.jobs.named(word)
    if job is None:
        await shell.say_error(streams, f"{command}: {word}: no such job")
    return None if job is None else str(job.pid)


async def _wait(shell: RunningShell, args: list[str], streams: Streams) -> int:
    status = 0
    for word in args or [""]:
        pid = await _number(shell, "wait", word, streams)
        if pid is None:
            return _NO_SUCH_JOB
        status = await shell.jobs.wait(pid)
    return status


async def _kill(shell: RunningShell, args: list[str], streams: Streams) -> int:
    """``kill [-SIGNAL] PID…``. Shells and jobs are handled here; other processes, and other uses, are left to the program ``kill``."""
    has_option = bool(args) and args[0].startswith("-")
    options = args[:2] if args[:1] == ["-s"] else args[:1] if has_option else []
    name = signal_name(options[-1].removeprefix("-")) if options else TERM
    if name is None or len(options) == len(args):
        return await start_in_place(shell, ["kill", *args], streams)
    others: list[str] = []
    for word in args[len(options) :]:
        pid = await _number(shell, "kill", word, streams)
        if pid is None:
            return _NO_SUCH_JOB
        if not await send_signal(shell, pid, name, streams):
            others.append(pid)
    return await start_in_place(shell, ["kill", *options, *others], streams) if others else 0


async def _read(shell: RunningShell, args: list[str], streams: Streams) -> int:
    """``read [-r] NAME…``. The rest of the piece that a line comes in is lost, but the input of a loop comes line by line."""
    letters, rest = read_letters(args, _WITH_VALUE)
    names = [name for name in rest if NAME.fullmatch(name)]
    line = bytearray()
    while (b"\n" not in line or ("r" not in letters and line.endswith(b"\\\n"))) and (piece := await streams.read()):
        line += piece
        if len(line) > _LONGEST_LINE:
            break
    text = line.decode("utf-8", "surrogateescape")
    if "r" not in letters and "\\" in text:
        text = _BACKSLASH.sub(lambda found: found[1].strip("\n"), text)
    text, ended, _ = text.partition("\n")
    if "a" in letters and names and shell.parameters.is_bash:
        fields = parts_of(text, shell.variables.get("IFS") or "")
        shell.variables.set_array(names[0], [field.text for field in fields if field.text or field.counts])
        return 0 if ended else 1
    if not names:
        shell.variables.set("REPLY", text)
    for name, value in zip(names, split_line(text, len(names), shell.variables.get("IFS") or ""), strict=False):
        shell.variables.set(name, value)
    return 0 if ended else 1


async def _printf(shell: RunningShell, args: list[str], streams: Streams) -> int:
    """``printf -v NAME`` of bash, which sets a variable or an element of an array; anything else is left to the program ``printf``."""
    if not shell.parameters.is_bash or args[:1] != ["-v"]:
        return await start_in_place(shell, ["printf", *args], streams)
    target = _TARGET.fullmatch(args[1]) if len(args) > 1 else None
    rest = args[3:] if args[2:3] == ["--"] else args[2:]
    if target is None or not rest:
        wrong = f"{args[1]}: not a valid identifier" if target is None and len(args) > 1 else "usage: printf [-v NAME] FORMAT [ARGUMENT]..."
        await shell.say_error(streams, f"printf: {wrong}")
        return _ILLEGAL_NUMBER
    buffer = PipeBuffer(shell.work.memory)
    try:
        status = await start_in_place(shell, ["printf", "--", *rest], streams._replace(write=buffer.write))
        value = b"".join(buffer.pieces).decode("utf-8", "surrogateescape")
    finally:
        buffer.release()
    if target[2]:
        key = await shell.expander().key(target[1], (WordPart("text", target[2], True),))
        shell.variables.set_element(target[1], key, value)
    else:
        shell.variables.set(target[1], value)
    return status


async def _let(shell: RunningShell, args: list[str], _streams: Streams) -> int:
    value = 0
    for text in args:
        try:
            value = evaluate(text, shell.variables)
        except SumError as error:
            raise ExpansionError(f"let: {error}") from None
    return int(value == 0)


LASTING = frozenset(
    (":", ".", "source", "break", "continue", "eval", "exec", "exit", "export", "readonly", "return", "set", "shift", "trap", "unset")
)
BUILTINS: dict[str, Builtin] = {
    "cd": change_directory,
    "pwd": tell_directory,
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
    "umask": umask,
    "wait": _wait,
    "kill": _kill,
    "trap": _trap,
    "ulimit": _colon,
    "printf": _printf,
    "let": _let,
    "declare": _declare,
    "typeset": _declare,
}
