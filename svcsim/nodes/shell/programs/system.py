"""What a container knows of itself: its user, its host, its time, its processes."""

import re

from svcsim.clock import format_micro_time
from svcsim.meta.times import format_date
from svcsim.nodes.shell.process import PIDS_APART, ListedProcess, Process, Program, Usage
from svcsim.nodes.shell.signals import NUMBERS, REAL_TIME, TERM, name_of_signal, signal_name

_METERED = re.compile(r"%([1-6]?)t")


_METER = re.compile(r"(?:[^%]|%[1-6]?t)*")


_SIGNAL_BITS = 0x7F
"""An exit code says in these what signal has ended a process."""


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


async def sysctl(process: Process) -> int:
    """``sysctl [-n] NAME…``, of those that the pod has set: of others nobody knows here what they are."""
    flags, names = process.flags("n")
    for given in names:
        name = given.replace("/", ".")
        path = f"/proc/sys/{name.replace('.', '/')}"
        if not process.world.tree.has(path):
            raise Usage(f"error: '{given}' is an unknown key")
        value = (await process.content(path)).decode().strip()
        await process.say(f"{value}\n" if "n" in flags else f"{name} = {value}\n")
    return 0


SYSTEM: dict[str, Program] = {
    "whoami": whoami,
    "id": identity,
    "date": date,
    "nmeter": nmeter,
    "hostname": hostname,
    "uname": uname,
    "kill": kill,
    "ps": ps,
    "nproc": nproc,
    "sysctl": sysctl,
}
