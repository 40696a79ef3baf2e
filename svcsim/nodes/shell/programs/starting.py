"""Programs that start others: ``timeout``, ``xargs``, ``nohup``, ``nice``."""

import re
from collections.abc import Callable, Iterator, Sequence
from typing import Final, NamedTuple

from svcsim import limits
from svcsim.nodes.shell.durations import sleep_seconds
from svcsim.nodes.shell.process import DeadlineError, Process, Program, Usage
from svcsim.nodes.shell.signals import KILL, NUMBERS, TERM, signal_name

_TIMED_OUT, _BY_SIGNAL = 124, 128
_SOME_FAILED, _STOPS, _STOPPED = 123, 255, 124
_QUOTED = re.compile(r"'([^']*)'|\"([^\"]*)\"|\\(.)|([^\s'\"\\]+)", re.DOTALL)


class _Options(NamedTuple):
    """The options of such a program, and what stands behind them."""

    given: dict[str, str]
    rest: list[str]


def _options(args: Sequence[str], plain: str, with_value: str) -> _Options:
    """Options up to the first word that is none. Raises `Usage`."""
    given, rest = dict[str, str](), list(args)
    while rest and rest[0].startswith("-") and len(rest[0]) > 1:
        word = rest.pop(0)
        if word == "--":
            break
        if word.startswith("--"):
            name, _, value = word.partition("=")
            given[name] = value
            continue
        letters = word[1:]
        while letters:
            letter, letters = letters[0], letters[1:]
            if letter in with_value:
                given[letter], letters = letters or (rest.pop(0) if rest else ""), ""
            elif letter in plain:
                given[letter] = ""
            else:
                raise Usage(f"invalid option -- '{letter}'")
    return _Options(given, rest)


def _of_timeout(args: Sequence[str]) -> _Options:
    return _options(args, "v", "sk")


def _of_xargs(args: Sequence[str]) -> _Options:
    return _options(args, "0rtx", "nILPd")


def _of_nice(args: Sequence[str]) -> _Options:
    return _options(args, "", "n")


def _behind_duration(args: Sequence[str]) -> list[str]:
    return _of_timeout(args).rest[1:]


STARTED: Final[dict[str, Callable[[Sequence[str]], list[str]]]] = {
    "timeout": _behind_duration,
    "xargs": lambda args: _of_xargs(args).rest,
    "nohup": list,
    "nice": lambda args: _of_nice(args).rest,
}
"""What each of them starts, of its arguments. Raises `Usage`."""


async def timeout(process: Process) -> int:
    """``timeout [-s SIGNAL] SECONDS COMMAND…``: what is started is ended by then."""
    given, rest = _of_timeout(process.args)
    if len(rest) < 2:
        raise Usage("missing operand")
    signal = signal_name(given.get("s") or given.get("--signal") or TERM)
    if signal is None:
        raise Usage(f"invalid signal '{given.get('s') or given.get('--signal')}'")
    seconds = sleep_seconds(rest[:1])
    if seconds == 0:
        return await process.start(rest[1:], process.streams, process.environment, process.directory)
    deadline = process.work.give_time(process.world.now() + seconds)
    try:
        return await process.start(rest[1:], process.streams, process.environment, process.directory)
    except DeadlineError as error:
        if error.deadline is not deadline:
            raise
        return _BY_SIGNAL + NUMBERS[signal] if signal == KILL or "--preserve-status" in given else _TIMED_OUT
    finally:
        process.work.deadlines.remove(deadline)


async def xargs(process: Process) -> int:
    """``xargs [-0rt] [-n NUMBER] [-L LINES] [-I TEXT] [COMMAND…]``."""
    given, words = _of_xargs(process.args)
    content = (await process.whole_input()).decode("utf-8", "surrogateescape")
    await process.effort(len(content) * limits.SHELL_PIECE_COSTS_BYTES)
    if len(content) > limits.SHELL_TEXT_CHARS:
        raise Usage("argument list too long")
    status = 0
    for arguments in _batches(words or ["echo"], content, given):
        await process.work.step(process.world)
        if "t" in given:
            await process.streams.complain((" ".join(arguments) + "\n").encode("utf-8", "surrogateescape"))
        streams = process.streams._replace(read=_nothing)
        code = await process.start(arguments, streams, process.environment, process.directory)
        if code in {126, 127}:
            return code
        if code == _STOPS:
            await process.complain(f"{arguments[0]}: exited with status 255; aborting")
            return _STOPPED
        status = _SOME_FAILED if code else status
    return status


def _batches(words: list[str], content: str, given: dict[str, str]) -> Iterator[list[str]]:
    """The command lines that are made of what comes in. Raises `Usage`."""
    placeholder = given.get("I")
    if placeholder is not None:
        for line in content.splitlines():
            if line.strip():
                made = [word.replace(placeholder, line.lstrip()) for word in words] if placeholder else words
                if sum(map(len, made)) > limits.SHELL_TEXT_CHARS:
                    raise Usage("argument list too long")
                yield made
        return
    if "L" in given:
        number, found = _number(given["L"]), [list(_words(line)) for line in content.splitlines() if line.strip()]
        for start in range(0, len(found), number):
            yield [*words, *(word for line in found[start : start + number] for word in line)]
        return
    separator = "\0" if "0" in given else given.get("d", "").replace("\\n", "\n").replace("\\t", "\t").replace("\\0", "\0")
    items = list(_words(content)) if not separator else [item for item in content.removesuffix(separator).split(separator) if content]
    number = _number(given["n"]) if "n" in given else limits.SHELL_WORDS // 2
    for start in range(0, len(items), number):
        yield [*words, *items[start : start + number]]
    if not items and "r" not in given and "--no-run-if-empty" not in given:
        yield words


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
    if not process.args:
        raise Usage("usage: nohup PROG ARGS")
    return await process.start(process.args, process.streams, process.environment, process.directory)


async def nice(process: Process) -> int:
    rest = _of_nice(process.args).rest
    if not rest:
        await process.say("0\n")
        return 0
    return await process.start(rest, process.streams, process.environment, process.directory)


STARTING: dict[str, Program] = {"timeout": timeout, "xargs": xargs, "nohup": nohup, "nice": nice}
