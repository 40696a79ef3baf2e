"""What a container knows of itself: its user, its host, its time, its processes."""

import re

from svcsim.clock import format_micro_time
from svcsim.meta.times import format_date
from svcsim.nodes.shell.process import PIDS_APART, ListedProcess, Process, ProcessUser, Usage
from svcsim.nodes.shell.programs.moments import read_moment
from svcsim.nodes.shell.programs.options import Option, read_options
from svcsim.nodes.shell.programs.simulated import SimulatedProgram
from svcsim.nodes.shell.signals import NUMBERS, REAL_TIME, TERM, name_of_signal, signal_name
from svcsim.nodes.shell.tree import naming

_METERED = re.compile(r"%([1-6]?)t")


_METER = re.compile(r"(?:[^%]|%[1-6]?t)*")


_SIGNAL_BITS = 0x7F
"""An exit code says in these what signal has ended a process."""


async def whoami(process: Process) -> int:
    read_options(process.args, ())
    user = process.world.user
    if not user.name:
        raise Usage(f"unknown uid {user.uid}")
    await process.say(f"{user.name}\n")
    return 0


_ID = (
    Option("u", "user"), Option("g", "group"), Option("G", "groups"), Option("n", "name"),
    Option("r", "real"), Option("a", "a"),  # -r: who runs something is who has started it; -a: GNU ignores it
)  # fmt: skip
_DATE = (
    Option("u", "utc"), Option("", "universal"), Option("d", "date", takes_value=True), Option("r", "reference", takes_value=True),
    Option("R", "rfc-email"), Option("I", "iso-8601"), Option("", "rfc-3339", takes_value=True),
)  # fmt: skip
_ISO = {"date": "%Y-%m-%d", "hours": "%Y-%m-%dT%H+00:00", "minutes": "%Y-%m-%dT%H:%M+00:00", "seconds": "%Y-%m-%dT%H:%M:%S+00:00"}
_ISO_LETTERS = {"d": "date", "h": "hours", "m": "minutes", "s": "seconds"}


async def identity(process: Process) -> int:
    user = process.world.user
    flags = read_options(process.args, _ID)
    if flags.rest and flags.rest[0] != "root":
        raise Usage(f"'{flags.rest[0]}': no such user")
    if flags.rest:
        user = ProcessUser()
    if "name" in flags and flags.values.keys().isdisjoint(("user", "group", "groups")):
        raise Usage("cannot print only names or real IDs in default format")
    shown = user.name or str(user.uid)
    if "user" in flags:
        await process.say(f"{shown if 'name' in flags else user.uid}\n")
    elif "group" in flags:
        await process.say(f"{'root' if 'name' in flags and user.gid == 0 else user.gid}\n")
    else:
        groups = sorted({user.gid, *user.groups})  # as the kernel keeps them
        if "groups" in flags:
            own_first = dict.fromkeys((user.gid, *groups))
            await process.say(" ".join("root" if "name" in flags and one == 0 else str(one) for one in own_first) + "\n")
        else:
            await process.say(f"uid={_id(user.uid)} gid={_id(user.gid)} groups={','.join(map(_id, groups))}\n")
    return 0


def _id(number: int) -> str:
    return "0(root)" if number == 0 else str(number)


async def date(process: Process) -> int:
    """In UTC, whether that is asked for or not: containers have no other time."""
    iso = re.compile(r"-I(date|hours|minutes|seconds|[dhms])")
    options = read_options([iso.sub(r"--iso-8601=\1", word) for word in process.args], _DATE)
    now, form = process.world.now(), "+%a %b %e %H:%M:%S UTC %Y"
    if "date" in options:
        now = read_moment(options.last("date"), now)
    if "reference" in options:
        with naming(options.last("reference")):
            now = process.world.tree.find(process.path(options.last("reference"))).changed_at or now
    if "iso-8601" in options:
        given = options.last("iso-8601") or "date"
        form = f"+{_ISO.get(_ISO_LETTERS.get(given, given), '')}"
    elif "rfc-email" in options:
        form = "+%a, %d %b %Y %H:%M:%S +0000"
    elif "rfc-3339" in options:
        form = f"+{_ISO.get(options.last('rfc-3339'), '').replace('T', ' ')}"
    elif options.rest:
        form = options.rest[0]
    if len(options.rest) > 1 or not form.startswith("+") or form == "+":
        raise Usage(f"invalid date '{options.rest[-1] if options.rest else process.args[0]}'")
    text = form[1:].replace("%s", str(int(now))).replace("%N", format_micro_time(now)[20:26] + "000")
    await process.say(f"{format_date(now, text)}\n")
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


_HOSTNAME = (
    Option("s", "short"), Option("f", "fqdn"), Option("", "long"), Option("d", "domain"), Option("i", "ip-address"),
    Option("I", "all-ip-addresses"),
)  # fmt: skip


async def hostname(process: Process) -> int:
    options, host = read_options(process.args, _HOSTNAME), process.world.hostname
    if options.rest:
        raise Usage("sethostname: Operation not permitted")
    asked = next(iter(options.values), "")
    told = host if not asked else host.partition(".")[0]
    if asked not in {"", "short"}:
        told = _in_network(host, (await process.content("/etc/hosts")).decode().splitlines())[asked]
    await process.say(f"{told}\n")
    return 0


def _in_network(host: str, hosts: list[str]) -> dict[str, str]:
    """What a host is called there, in which domain that is, and which addresses it has, as the file of hosts knows it."""
    own = [words for words in map(str.split, hosts) if host in words[1:]]
    full = own[0][1] if own else host
    addresses = [words[0] for words in own]
    return {
        "fqdn": full, "long": full, "domain": full.partition(".")[2], "ip-address": " ".join(addresses) or "127.0.0.1",
        "all-ip-addresses": "".join(f"{one} " for one in addresses),
    }  # fmt: skip


_UNAME = (
    Option("s", "kernel-name"), Option("n", "nodename"), Option("r", "kernel-release"), Option("v", "kernel-version"),
    Option("m", "machine"), Option("o", "operating-system"), Option("a", "all"), Option("p", "processor"), Option("i", "hardware-platform"),
)  # fmt: skip


async def uname(process: Process) -> int:
    parts = {
        "s": "Linux", "n": process.world.hostname, "r": "6.12.0-svcsim", "v": "#1 SMP", "m": "x86_64", "o": "GNU/Linux",
    }  # fmt: skip
    options = read_options(process.args, _UNAME)
    if options.rest:
        raise Usage(f"extra operand '{options.rest[0]}'")
    known = {**parts, "p": "unknown", "i": "unknown"}
    asked = [option.letter for option in _UNAME if option.word in options] or ["s"]
    chosen = parts if "a" in asked else {letter: known[letter] for letter in "snrvmpio" if letter in asked}
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
        signal = NUMBERS[TERM] if word == "-" else _signal(word, f"bad signal name '{word}'")
        args = args[1:] if args[:1] == ["--"] else args
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


_ALL_PROCESSES = re.compile(r"-?[aAefuwWxlT]+")


async def ps(process: Process) -> int:
    """All there are, in the columns of busybox, whichever letters of others ask for all: a container has few."""
    if any(not _ALL_PROCESSES.fullmatch(word) for word in process.args):
        raise Usage("only a list of all processes is simulated here")
    world = process.world
    user = world.user.name or str(world.user.uid)
    mine = ListedProcess(world.processes[-1].pid + PIDS_APART, user, " ".join((process.name, *process.args)))
    lines = (f"{one.pid:>5} {one.user:<8}  0:00 {one.command}\n" for one in (*world.processes, mine))
    await process.say("".join(("PID   USER     TIME  COMMAND\n", *lines)))
    return 0


_PROCESSORS = 8


async def nproc(process: Process) -> int:
    options = read_options(process.args, (Option("", "all"), Option("", "ignore", takes_value=True)))
    ignored = options.last("ignore", "0")
    if not ignored.isdecimal() or len(ignored) > 3:
        raise Usage(f"invalid number '{ignored}'")
    await process.say(f"{max(_PROCESSORS - int(ignored), 1)}\n")
    return 0


async def sysctl(process: Process) -> int:
    """``sysctl [-n] NAME…``, of those that the pod has set: of others nobody knows here what they are."""
    flags = read_options(process.args, (Option("n", "n"), Option("", "values"), Option("e", "ignore")))
    for given in flags.rest:
        name = given.replace("/", ".")
        path = f"/proc/sys/{name.replace('.', '/')}"
        if not process.world.tree.has(path):
            if "ignore" in flags:
                continue
            raise Usage(f"error: '{given}' is an unknown key")
        value = (await process.content(path)).decode().strip()
        await process.say(f"{value}\n" if "n" in flags or "values" in flags else f"{name} = {value}\n")
    return 0


SYSTEM: dict[str, SimulatedProgram] = {
    "whoami": SimulatedProgram(whoami),
    "id": SimulatedProgram(identity, foreseen="always"),
    "date": SimulatedProgram(date, foreseen="always"),
    "nmeter": SimulatedProgram(nmeter),
    "hostname": SimulatedProgram(hostname, foreseen="always"),
    "uname": SimulatedProgram(uname, foreseen="always"),
    "kill": SimulatedProgram(kill),
    "ps": SimulatedProgram(ps),
    "nproc": SimulatedProgram(nproc),
    "sysctl": SimulatedProgram(sysctl),
}
