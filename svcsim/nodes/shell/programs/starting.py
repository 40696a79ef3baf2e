"""Programs that start others: ``timeout``, ``xargs``, ``nohup``, ``nice``."""

import re
from collections.abc import Iterator, Sequence

from svcsim import limits
from svcsim.nodes.shell.durations import sleep_seconds
from svcsim.nodes.shell.exit_codes import NOT_EXECUTABLE, NOT_FOUND
from svcsim.nodes.shell.process import DeadlineError, Process, Usage
from svcsim.nodes.shell.programs.options import Option, Options, read_options
from svcsim.nodes.shell.programs.simulated import ANYTHING, SimulatedProgram
from svcsim.nodes.shell.signals import KILL, TERM, exit_code_of, signal_name

_TIMED_OUT = 124
_SOME_FAILED, _STOPS, _STOPPED = 123, 255, 124
_QUOTED = re.compile(r"'([^']*)'|\"([^\"]*)\"|\\(.)|([^\s'\"\\]+)", re.DOTALL)
_TIMEOUT = (
    Option("s", "signal", takes_value=True), Option("k", "kill-after", takes_value=True), Option("v", "verbose"),
    Option("", "preserve-status"), Option("", "foreground"),  # --foreground: nobody can tell here what has the terminal
)  # fmt: skip
_XARGS = (
    Option("0", "null"), Option("r", "no-run-if-empty"), Option("t", "verbose"), Option("x", "exit"), Option("", "replace"),
    Option("n", "max-args", takes_value=True), Option("I", "I", takes_value=True), Option("L", "max-lines", takes_value=True),
    Option("d", "delimiter", takes_value=True), Option("a", "arg-file", takes_value=True), Option("s", "max-chars", takes_value=True),
    # One command runs after the other here, however many may run at once.
    Option("P", "max-procs", takes_value=True),
)  # fmt: skip
_NICE = (Option("n", "adjustment", takes_value=True),)


def _of_timeout(args: Sequence[str]) -> Options:
    return read_options(args, _TIMEOUT, leading=True)


def _of_xargs(args: Sequence[str]) -> Options:
    return read_options(args, _XARGS, leading=True)


def _of_nice(args: Sequence[str]) -> Options:
    return read_options(
        [f"-n{word[1:]}" if re.fullmatch(r"--?\d+", word) else word for word in args[:1]] + list(args[1:]), _NICE, leading=True
    )


def _of_nohup(args: Sequence[str]) -> Options:
    return read_options(args, (), leading=True)


def _behind_duration(args: Sequence[str]) -> list[str]:
    return list(_of_timeout(args).rest[1:])


async def timeout(process: Process) -> int:
    """``timeout [-v] [-s SIGNAL] SECONDS COMMAND…``: what is started is ended by then."""
    options = _of_timeout(process.args)
    rest = list(options.rest)
    if len(rest) < 2:
        raise Usage("missing operand")
    signal = signal_name(options.last("signal") or TERM)
    if signal is None:
        raise Usage(f"invalid signal '{options.last('signal')}'")
    sleep_seconds([options.last("kill-after", "0")])  # nothing has to be killed that was asked to end already
    seconds = sleep_seconds(rest[:1])
    if seconds == 0:
        return await process.start(rest[1:], process.streams, process.environment, process.directory)
    deadline = process.work.give_time(process.world.now() + seconds)
    try:
        return await process.start(rest[1:], process.streams, process.environment, process.directory)
    except DeadlineError as error:
        if error.deadline is not deadline:
            raise
        if "verbose" in options:
            await process.complain(f"sending signal {signal} to command '{rest[1]}'")
        return exit_code_of(signal) if signal == KILL or "preserve-status" in options else _TIMED_OUT
    finally:
        process.work.deadlines.remove(deadline)


async def xargs(process: Process) -> int:
    """``xargs [-0rt] [-n NUMBER] [-L LINES] [-I TEXT] [COMMAND…]``."""
    options = _of_xargs(process.args)
    words = list(options.rest) or ["echo"]
    taken = await process.content(options.last("arg-file", "-"))
    content = taken.decode("utf-8", "surrogateescape")
    await process.effort(len(content) * limits.SHELL_PIECE_COSTS_BYTES)
    if len(content) > limits.SHELL_TEXT_CHARS:
        raise Usage("argument list too long")
    status = 0
    for arguments in _batches(words, content, options):
        await process.work.step(process.world)
        if "verbose" in options:
            await process.streams.complain((" ".join(arguments) + "\n").encode("utf-8", "surrogateescape"))
        streams = process.streams if "arg-file" in options else process.streams._replace(read=_nothing)
        code = await process.start(arguments, streams, process.environment, process.directory)
        if code in {NOT_EXECUTABLE, NOT_FOUND}:
            return code
        if code == _STOPS:
            await process.complain(f"{arguments[0]}: exited with status 255; aborting")
            return _STOPPED
        status = _SOME_FAILED if code else status
    return status


def _batches(words: list[str], content: str, options: Options) -> Iterator[list[str]]:
    """The command lines that are made of what comes in. Raises `Usage`."""
    separator = "\0" if "null" in options else _separator(options.last("delimiter"))
    placeholder = options.last("I") or (options.last("replace") or "{}" if "replace" in options else "")
    if placeholder:
        lines = _items(content, separator) if separator else [line.lstrip() for line in content.splitlines() if line.strip()]
        for line in lines:
            made = [word.replace(placeholder, line) for word in words]
            if sum(map(len, made)) > limits.SHELL_TEXT_CHARS:
                raise Usage("argument list too long")
            yield made
        return
    if "max-lines" in options:
        number, found = _number(options.last("max-lines")), [list(_words(line)) for line in content.splitlines() if line.strip()]
        for start in range(0, len(found), number):
            yield [*words, *(word for line in found[start : start + number] for word in line)]
        return
    items = _items(content, separator) if separator else list(_words(content))
    number = _number(options.last("max-args")) if "max-args" in options else limits.SHELL_WORDS // 2
    yield from _filled(words, items, number, _number(options.last("max-chars")) if "max-chars" in options else limits.SHELL_TEXT_CHARS)
    if not items and "no-run-if-empty" not in options:
        yield words


def _filled(words: list[str], items: list[str], most: int, most_chars: int) -> Iterator[list[str]]:
    """Command lines with so many of the items, and so many characters, at most. Raises `Usage` for one that is too long alone."""
    first_chars = sum(len(word) + 1 for word in words)
    taken, chars = list[str](), first_chars
    for item in items:
        if taken and (len(taken) == most or chars + len(item) + 1 > most_chars):
            yield [*words, *taken]
            taken, chars = [], first_chars
        chars += len(item) + 1
        if chars > most_chars:
            raise Usage("argument line too long")
        taken.append(item)
    if taken:
        yield [*words, *taken]


def _separator(text: str) -> str:
    """Raises `Usage`."""
    plain = text.replace("\\n", "\n").replace("\\t", "\t").replace("\\0", "\0")
    if len(plain) > 1:
        raise Usage(f"invalid input delimiter specification {text}: it is either one character or an escape that begins with \\")
    return plain


def _items(content: str, separator: str) -> list[str]:
    return content.removesuffix(separator).split(separator) if content else []


def _number(text: str) -> int:
    if not re.fullmatch(r"\d{1,9}", text) or int(text) == 0:
        raise Usage(f"invalid number '{text}'")
    return int(text)


def _words(text: str) -> Iterator[str]:
    """The words of a text, in which what is quoted is one."""
    parts: list[str] = []
    end = 0
    for found in _QUOTED.finditer(text):
        if parts and found.start() > end:
            yield "".join(parts)
            parts.clear()
        parts.append(next((part for part in found.groups() if part is not None), ""))
        end = found.end()
    if parts:
        yield "".join(parts)


async def _nothing() -> bytes:
    return b""


async def nohup(process: Process) -> int:
    rest = list(_of_nohup(process.args).rest)
    if not rest:
        raise Usage("usage: nohup PROG ARGS")
    return await process.start(rest, process.streams, process.environment, process.directory)


async def nice(process: Process) -> int:
    rest = list(_of_nice(process.args).rest)
    if not rest:
        await process.say("0\n")
        return 0
    return await process.start(rest, process.streams, process.environment, process.directory)


STARTING: dict[str, SimulatedProgram] = {
    "timeout": SimulatedProgram(timeout, takes_s=0.0, starts=_behind_duration),
    "xargs": SimulatedProgram(xargs, reads_beside=ANYTHING, without_end="reads on", starts=lambda args: list(_of_xargs(args).rest)),
    "nohup": SimulatedProgram(nohup, takes_s=0.0, starts=lambda args: list(_of_nohup(args).rest)),
    "nice": SimulatedProgram(nice, takes_s=0.0, starts=lambda args: list(_of_nice(args).rest)),
}
