"""Programs that say something, or nothing, and look at no file."""

import re
from collections import deque
from collections.abc import Sequence
from typing import NamedTuple

from svcsim.nodes.shell.durations import sleep_seconds
from svcsim.nodes.shell.escapes import unescaped
from svcsim.nodes.shell.process import Process, Saying, Usage, base
from svcsim.nodes.shell.programs.options import Option, Options, read_options
from svcsim.nodes.shell.programs.simulated import SimulatedProgram

_FORMAT = re.compile(r"%(-?0?[0-9]{0,3})(?:\.([0-9]{1,3}))?([%a-zA-Z])")
_MOST_NUMBERS = 1_000_000
_PIECE_NUMBERS = 1_000


async def echo(process: Process) -> int:
    words, end, escapes = list(process.args), "\n", False
    while words and re.fullmatch(r"-[neE]+", words[0]):
        flags = words.pop(0)
        end, escapes = "" if "n" in flags else end, escapes or "e" in flags
    text = " ".join(words)
    if escapes:
        text, stopped, _ = text.partition("\\c")
        text, end = unescaped(text), "" if stopped else end
    await process.say(f"{text}{end}")
    return 0


async def printf(process: Process) -> int:
    """The pattern with values put in, again and again while there are any left."""
    words = process.args[1:] if process.args[:1] == ["--"] else process.args
    if not words:
        raise Usage("usage: printf FORMAT [ARGUMENT]...")
    pattern, values = unescaped(words[0]), deque(words[1:])
    said, status = Saying(process), 0
    while True:
        left, at = len(values), 0
        for found in _FORMAT.finditer(pattern):
            await said.add(pattern[at : found.start()])
            at = found.end()
            text, wrong = _formatted(found, values)
            await said.add(text)
            if wrong:
                await process.complain(wrong)
                status = 1
        await said.add(pattern[at:])
        if not values or len(values) == left:
            break
    await said.flush()
    return status


def _formatted(found: re.Match[str], values: deque[str]) -> tuple[str, str]:
    """The next value in the form that is asked for, and what is wrong with it."""
    width, precision, kind = found[1], found[2], found[3]
    if kind == "%":
        return "%", ""
    value = values.popleft() if values else ""
    if kind in "di":
        number = re.fullmatch(r"\s*([+-]?\d{1,18})", value)
        wrong = f"invalid number '{value}'" if value and number is None else ""
        return f"%{width}d" % (int(number[1]) if number else 0), wrong
    if kind in "xXo":
        return f"%{width}{kind}" % (int(value) if re.fullmatch(r"-?\d{1,18}", value) else 0), ""
    if kind == "f":
        return f"%{width}.{precision or 6}f" % (float(value) if re.fullmatch(r"-?\d{1,18}(\.\d{1,18})?", value) else 0.0), ""
    if kind not in "sbcq":
        return "", f"%{kind}: invalid format"
    value = unescaped(value) if kind == "b" else value[:1] if kind == "c" else value
    width = width.replace("0", "", 1) if width.startswith("0") else width
    return f"%{width}s" % (value if precision is None else value[: int(precision)]), ""


async def true(_process: Process) -> int:
    return 0


async def false(_process: Process) -> int:
    return 1


async def sleep(process: Process) -> int:
    await process.work.rest(process.world, sleep_seconds(process.args))
    return 0


_PWD = (Option("L", "logical"), Option("P", "physical"))


async def pwd(process: Process) -> int:
    """The working directory, with ``-L`` as the shell came to it; the builtin of shells does so by itself."""
    given = list(read_options(process.args, _PWD).values)
    path = process.directory if given[-1:] == ["logical"] else process.world.tree.real_path(process.directory)
    await process.say(f"{path}\n")
    return 0


_ENV = (
    Option("i", "ignore-environment"), Option("u", "unset", takes_value=True), Option("0", "null"), Option("C", "chdir", takes_value=True),
)  # fmt: skip


class _Starting(NamedTuple):
    """What ``env`` starts, and with what."""

    options: Options
    variables: dict[str, str]
    command: list[str]


def _of_env(args: Sequence[str]) -> _Starting:
    """Raises `Usage`."""
    options = read_options(["-i" if word == "-" else word for word in args[:1]] + list(args[1:]), _ENV, leading=True)
    variables, rest = dict[str, str](), list(options.rest)
    while rest and "=" in rest[0]:
        name, _, value = rest.pop(0).partition("=")
        variables[name] = value
    return _Starting(options, variables, rest)


async def env(process: Process) -> int:
    """Also ``env NAME=VALUE … COMMAND``."""
    options, variables, command = _of_env(process.args)
    environment = {} if "ignore-environment" in options else dict(process.environment)
    for name in options.all("unset"):
        environment.pop(name, None)
    environment |= variables
    if command:
        return await process.start(command, process.streams, environment, process.path(options.last("chdir", ".")))
    end = "\0" if "null" in options else "\n"
    await process.say("".join(f"{name}={value}{end}" for name, value in environment.items()))
    return 0


async def printenv(process: Process) -> int:
    options = read_options(process.args, (Option("0", "null"),), leading=True)
    names, end = options.rest or tuple(process.environment), "\0" if "null" in options else "\n"
    found = [name for name in names if name in process.environment]
    shown = (process.environment[name] if options.rest else f"{name}={process.environment[name]}" for name in found)
    await process.say("".join(f"{value}{end}" for value in shown))
    return int(len(found) < len(names))


_SEQ = (Option("s", "separator", takes_value=True), Option("w", "equal-width"))


async def seq(process: Process) -> int:
    negative = next((at for at, word in enumerate(process.args) if re.fullmatch(r"-\d+", word)), None)
    args = process.args if negative is None else [*process.args[:negative], "--", *process.args[negative:]]
    options = read_options(args, _SEQ)
    words = [int(word) for word in options.rest if re.fullmatch(r"-?\d{1,9}", word)]
    if len(words) != len(options.rest) or not 1 <= len(words) <= 3:
        raise Usage("invalid argument")
    first, step, last = (1, 1, words[0]) if len(words) == 1 else (words[0], 1, words[1]) if len(words) == 2 else words
    if step == 0 or abs(last - first) // abs(step) > _MOST_NUMBERS:
        raise Usage("too many numbers")
    numbers = range(first, last + (1 if step > 0 else -1), step)
    separator = options.last("separator", "\n")
    width = max(len(str(first)), len(str(last))) if "equal-width" in options else 0
    for start in range(0, len(numbers), _PIECE_NUMBERS):
        piece = numbers[start : start + _PIECE_NUMBERS]
        end = separator if piece[-1] != numbers[-1] else "\n"
        await process.say(separator.join(f"{number:0{width}d}" for number in piece) + end)
        await process.work.step(process.world)
    return 0


_BASENAME = (Option("a", "multiple"), Option("s", "suffix", takes_value=True), Option("z", "zero"))
_DIRNAME = (Option("z", "zero"),)


async def basename(process: Process) -> int:
    options = read_options(process.args, _BASENAME, leading=True)
    names, suffix = options.rest, options.last("suffix")
    if not names:
        raise Usage("missing operand")
    if "multiple" not in options and "suffix" not in options:
        if len(names) > 2:
            raise Usage(f"extra operand '{names[2]}'")
        suffix, names = "".join(names[1:]), names[:1]
    end = "\0" if "zero" in options else "\n"
    bases = [base(name) for name in names]
    await process.say("".join(f"{name if name == suffix else name.removesuffix(suffix)}{end}" for name in bases))
    return 0


async def dirname(process: Process) -> int:
    options = read_options(process.args, _DIRNAME)
    if not options.rest:
        raise Usage("missing operand")
    end = "\0" if "zero" in options else "\n"
    await process.say("".join(f"{_directory_of(path)}{end}" for path in options.rest))
    return 0


def _directory_of(path: str) -> str:
    if path and not path.strip("/"):
        return "/"
    before = path.rstrip("/").rpartition("/")
    return (before[0].rstrip("/") or "/") if before[1] else "."


PLAIN: dict[str, SimulatedProgram] = {
    "echo": SimulatedProgram(echo, takes_s=0.0, foreseen="always"),
    "printf": SimulatedProgram(printf, takes_s=0.0, foreseen="always"),
    "true": SimulatedProgram(true, foreseen="always"),
    "false": SimulatedProgram(false, takes_s=0.0, foreseen="always"),
    "sleep": SimulatedProgram(sleep, takes_s=0.0, foreseen="always"),
    "pwd": SimulatedProgram(pwd, foreseen="always"),
    "env": SimulatedProgram(env, starts=lambda args: _of_env(args).command, foreseen="alone"),
    "printenv": SimulatedProgram(printenv, foreseen="alone"),
    "seq": SimulatedProgram(seq),
    "basename": SimulatedProgram(basename),
    "dirname": SimulatedProgram(dirname),
}
