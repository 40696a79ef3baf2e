"""Programs that say something, or nothing, and look at no file."""

import re
from collections import deque

from svcsim.nodes.shell.durations import sleep_seconds
from svcsim.nodes.shell.escapes import unescaped
from svcsim.nodes.shell.process import Process, Program, Saying, Usage, base

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
    if not process.args:
        raise Usage("usage: printf FORMAT [ARGUMENT]...")
    pattern, values = unescaped(process.args[0]), deque(process.args[1:])
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


async def pwd(process: Process) -> int:
    await process.say(f"{process.directory}\n")
    return 0


async def env(process: Process) -> int:
    """Also ``env NAME=VALUE … COMMAND``."""
    environment, rest = dict(process.environment), list(process.args)
    if rest[:1] in (["-i"], ["-"]):
        environment, rest = {}, rest[1:]
    while rest[:1] == ["-u"] and len(rest) > 1:
        environment.pop(rest[1], None)
        rest = rest[2:]
    while rest and "=" in rest[0]:
        name, _, value = rest.pop(0).partition("=")
        environment[name] = value
    if rest:
        return await process.start(rest, process.streams, environment, process.directory)
    await process.say("".join(f"{name}={value}\n" for name, value in environment.items()))
    return 0


async def printenv(process: Process) -> int:
    if not process.args:
        return await env(process)
    found = [process.environment[name] for name in process.args if name in process.environment]
    await process.say("".join(f"{value}\n" for value in found))
    return int(len(found) < len(process.args))


async def seq(process: Process) -> int:
    words = [int(word) for word in process.args if re.fullmatch(r"-?\d{1,9}", word)]
    if len(words) != len(process.args) or not 1 <= len(words) <= 3:
        raise Usage("invalid argument")
    first, step, last = (1, 1, words[0]) if len(words) == 1 else (words[0], 1, words[1]) if len(words) == 2 else words
    if step == 0 or abs(last - first) // abs(step) > _MOST_NUMBERS:
        raise Usage("too many numbers")
    numbers = range(first, last + (1 if step > 0 else -1), step)
    for start in range(0, len(numbers), _PIECE_NUMBERS):
        await process.say("".join(f"{number}\n" for number in numbers[start : start + _PIECE_NUMBERS]))
        await process.work.step(process.world)
    return 0


async def basename(process: Process) -> int:
    if not process.args:
        raise Usage("missing operand")
    name = base(process.args[0])
    await process.say((name.removesuffix(process.args[1]) if process.args[1:] and name != process.args[1] else name) + "\n")
    return 0


async def dirname(process: Process) -> int:
    if not process.args:
        raise Usage("missing operand")
    before = process.args[0].rstrip("/").rpartition("/")
    await process.say(f"{(before[0] or '/') if before[1] else '.'}\n")
    return 0


PLAIN: dict[str, Program] = {
    "echo": echo,
    "printf": printf,
    "true": true,
    "false": false,
    "sleep": sleep,
    "pwd": pwd,
    "env": env,
    "printenv": printenv,
    "seq": seq,
    "basename": basename,
    "dirname": dirname,
}
