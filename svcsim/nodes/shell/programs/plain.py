"""Programs that say something, or nothing, and look at no file."""

import re
from collections import deque

from svcsim.clock import format_micro_time
from svcsim.meta.times import format_date
from svcsim.nodes.shell.durations import sleep_seconds
from svcsim.nodes.shell.escapes import unescaped
from svcsim.nodes.shell.process import PIDS_APART, ListedProcess, Process, Program, Saying, Usage, base
from svcsim.nodes.shell.signals import NUMBERS, REAL_TIME, TERM, name_of_signal, signal_name

_FORMAT = re.compile(r"%(-?0?[0-9]{0,3})(?:\.([0-9]{1,3}))?([%a-zA-Z])")
_METERED = re.compile(r"%([1-6]?)t")
_METER = re.compile(r"(?:[^%]|%[1-6]?t)*")
_MOST_NUMBERS = 1_000_000
_PIECE_NUMBERS = 1_000
_SIGNAL_BITS = 0x7F
"""An exit code says in these what signal has ended a process."""


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


async def whoami(process: Process) -> int:
    user = process.world.user
    if not user.name:
        raise Usage(f"unknown uid {user.uid}")
    await process.say(f"{user.name}\n")
    return 0


async def identity(process: Process) -> int:
    user = process.world.user
    flags, _ = process.flags("ungG")
    shown = user.name or str(user.uid)
    if "u" in flags:
        await process.say(f"{shown if 'n' in flags else user.uid}\n")
    elif "g" in flags:
        await process.say(f"{'root' if 'n' in flags and user.gid == 0 else user.gid}\n")
    else:
        groups = dict.fromkeys((user.gid, *user.groups))
        if "G" in flags:
            await process.say(" ".join(map(str, groups)) + "\n")
        else:
            await process.say(f"uid={_id(user.uid)} gid={_id(user.gid)} groups={','.join(map(_id, groups))}\n")
    return 0


def _id(number: int) -> str:
    return "0(root)" if number == 0 else str(number)


async def date(process: Process) -> int:
    now, args = process.world.now(), [word for word in process.args if word not in {"-u", "--utc"}]
    if not args:
        await process.say(f"{format_date(now, '%a %b %e %H:%M:%S UTC %Y')}\n")
    elif args[0].startswith("+"):
        text = args[0][1:].replace("%s", str(int(now))).replace("%N", format_micro_time(now)[20:26] + "000")
        await process.say(f"{format_date(now, text)}\n")
    elif args[0] in {"-Iseconds", "-Is"}:
        await process.say(f"{format_date(now, '%Y-%m-%dT%H:%M:%S+00:00')}\n")
    elif args[0] in {"-R", "--rfc-email"}:
        await process.say(f"{format_date(now, '%a, %d %b %Y %H:%M:%S +0000')}\n")
    else:
        raise Usage(f"invalid date '{args[0]}'")
    return 0


async def nmeter(process: Process) -> int:
    """The time with so many decimals (``%3t``), once (``-d0``): what ``date`` of busybox doesn't tell."""
    flags, words = process.flags("", "d")
    if flags.get("d") != "0" or len(words) != 1 or not _METER.fullmatch(words[0]):
        raise Usage("only the time, once, is simulated here: nmeter -d0 %3t")
    now = process.world.now()
    seconds = format_micro_time(now)

    def told(found: re.Match[str]) -> str:
        decimals = int(found[1] or 0)
        return seconds[11 : 20 + decimals] if decimals else seconds[11:19]

    await process.say(f"{_METERED.sub(told, words[0])}\n")
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


async def hostname(process: Process) -> int:
    host = process.world.hostname
    match process.args[:1]:
        case []:
            told = host
        case ["-s"]:
            told = host.partition(".")[0]
        case ["-f" | "-d" | "-i" as asked]:
            told = _in_network(host, (await process.content("/etc/hosts")).decode().splitlines())[asked]
        case _:
            raise Usage("sethostname: Operation not permitted")
    await process.say(f"{told}\n")
    return 0


def _in_network(host: str, hosts: list[str]) -> dict[str, str]:
    """What a host is called there, in which domain that is, and which addresses it has, as the file of hosts knows it."""
    own = [words for words in map(str.split, hosts) if host in words[1:]]
    full = own[0][1] if own else host
    return {"-f": full, "-d": full.partition(".")[2], "-i": " ".join(words[0] for words in own) or "127.0.0.1"}


async def uname(process: Process) -> int:
    parts = {
        "s": "Linux", "n": process.world.hostname, "r": "6.12.0-svcsim", "v": "#1 SMP", "m": "x86_64", "o": "GNU/Linux",
    }  # fmt: skip
    flags, _ = process.flags("snrvmoa")
    chosen = parts if "a" in flags else {letter: parts[letter] for letter in parts if letter in (flags or "s")}
    await process.say(" ".join(chosen.values()) + "\n")
    return 0


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


async def kill(process: Process) -> int:
    """Also ``kill -l [SIGNAL…]``, which tells numbers of names, and names of numbers and of exit codes."""
    signal, args = NUMBERS[TERM], list(process.args)
    if args[:1] == ["-l"]:
        return await _tell_signals(process, args[1:])
    if args and args[0].startswith("-"):
        word = args.pop(0)[1:]
        if word == "s" and args:
            word = args.pop(0)
        signal = _signal(word, f"bad signal name '{word}'")
    if not args:
        raise Usage("you need to specify whom to kill")
    known, status = {str(one.pid): one.pid for one in process.world.processes}, 0
    for pid in args:
        if pid not in known:
            await process.complain(f"can't kill pid {pid}: No such process")
            status = 1
        elif signal:
            process.world.kill(known[pid], signal)
    return status


async def _tell_signals(process: Process, asked: list[str]) -> int:
    if not asked:
        lines = (f"{number:>2}) {name}\n" for name, number in (*NUMBERS.items(), *REAL_TIME.items()))
        await process.say("".join(lines))
    for word in asked:
        number = _signal(word, f"unknown signal '{word}'")
        await process.say(f"{(name_of_signal(number & _SIGNAL_BITS) or number & _SIGNAL_BITS) if word.isdecimal() else number}\n")
    return 0


def _signal(word: str, wrong: str) -> int:
    """The number that is meant, also by itself. Raises `Usage`."""
    if word.isdecimal():
        return int(word[:3])
    name = signal_name(word)
    if name is None:
        raise Usage(wrong)
    return NUMBERS.get(name, 0)


async def ps(process: Process) -> int:
    world = process.world
    user = world.user.name or str(world.user.uid)
    mine = ListedProcess(world.processes[-1].pid + PIDS_APART, user, " ".join((process.name, *process.args)))
    lines = (f"{one.pid:>5} {one.user:<8}  0:00 {one.command}\n" for one in (*world.processes, mine))
    await process.say("".join(("PID   USER     TIME  COMMAND\n", *lines)))
    return 0


async def nproc(process: Process) -> int:
    await process.say("8\n")
    return 0


PLAIN: dict[str, Program] = {
    "echo": echo,
    "printf": printf,
    "true": true,
    "false": false,
    "sleep": sleep,
    "pwd": pwd,
    "whoami": whoami,
    "id": identity,
    "date": date,
    "nmeter": nmeter,
    "env": env,
    "printenv": printenv,
    "hostname": hostname,
    "uname": uname,
    "seq": seq,
    "basename": basename,
    "dirname": dirname,
    "kill": kill,
    "ps": ps,
    "nproc": nproc,
}
