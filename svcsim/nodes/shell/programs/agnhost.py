"""``agnhost``, the program of the conformance suites' image, as far as it looks at files and at what it is called with.

What it does for ever, such as serving, is not for a shell; what it answers at ports stands in `svcsim.nodes.streams.agnhost`.
"""

import re
from collections.abc import Awaitable, Callable, Sequence
from typing import NamedTuple

from svcsim.meta.times import format_date, parse_duration
from svcsim.nodes.shell.file_modes import permissions
from svcsim.nodes.shell.process import FOR_EVER_S, Process, Usage
from svcsim.nodes.shell.programs.simulated import SimulatedProgram
from svcsim.nodes.shell.tree import SETGID, STICKY, FileError

_NEW_FILE = b"mount-tester new file\n"
_LOOKED_AGAIN_S = 2.0
_DISK = 61267
"""The number that disks' file systems have."""
_LOOP, _RETRY_TIME, _BREAKS = "file_content_in_loop", "retry_time", "break_on_expected_content"
_TOTAL, _DURATION = "log-lines-total", "run-duration"
_SHORT = {"-t": f"--{_TOTAL}", "-d": f"--{_DURATION}"}
_METHODS = ("GET", "POST", "PUT")
_NAMESPACES = ("kube-system", "default", "ns")


class _Wish(NamedTuple):
    """What it can be asked of a file."""

    find: Callable[[Process, str], Awaitable[str]]
    """What is said of it. Raises `FileError`."""
    failure: str
    """What is said where that can't be found."""
    call: str
    """The system call that failed."""


class _Command(NamedTuple):
    """Something that it does."""

    flags: dict[str, re.Pattern[str]] | None
    """What it takes, and how the values look; None for one that takes anything."""
    run: Callable[[Process, dict[str, str]], Awaitable[int]]


def _is_understood(args: Sequence[str]) -> bool:
    """Whether it does what is simulated here, when it is called so."""
    return _read(args) is not None


async def agnhost(process: Process) -> int:
    read = _read(process.args)
    if read is None:
        raise Usage(f"only {', '.join(_COMMANDS)} are simulated here")
    command, flags = read
    return await command.run(process, flags)


def _read(args: Sequence[str]) -> tuple[_Command, dict[str, str]] | None:
    """What it is to do, and the flags for that; None where it isn't understood."""
    command = _COMMANDS.get(args[0]) if args else None
    flags = None if command is None else {} if command.flags is None else _flags(args[1:], command.flags)
    return None if command is None or flags is None else (command, flags)


def _flags(words: Sequence[str], known: dict[str, re.Pattern[str]]) -> dict[str, str] | None:
    """``--name=value`` and ``--name value``; None where one of them isn't known."""
    found: dict[str, str] = {}
    rest = iter(words)
    for word in rest:
        name, equals, value = word.partition("=")
        name = _SHORT.get(name, name).removeprefix("--")
        value = value if equals else next(rest, "")
        if name not in known or known[name].fullmatch(value) is None:
            return None
        found[name] = value
    return found


async def _say_call(process: Process, _flags: dict[str, str]) -> int:
    await process.say(f"[{' '.join((process.called, *process.args))}]\n")
    return 0


async def _pause(process: Process, _flags: dict[str, str]) -> int:
    await process.say("Paused\n")
    process.work.follows_for_ever()
    while True:
        await process.work.rest(process.world, FOR_EVER_S)


async def _generate_logs(process: Process, flags: dict[str, str]) -> int:
    """So many lines, evenly over so much time."""
    total, duration_s = int(flags.get(_TOTAL, "0")), parse_duration(flags.get(_DURATION, "0s"))
    if not total or not duration_s:
        await process.complain(f"Invalid total number of lines or duration: {total}, {duration_s}")
        return 1
    for number in range(total):
        now = process.world.now()
        moment = f"{format_date(now, '%m%d %H:%M:%S')}.{int(now % 1 * 1e6):06d}"
        path = f"/api/v1/namespaces/{_NAMESPACES[number // 3 % 3]}/pods/p{number % 97}"
        await process.say(f"I{moment}       1 logs_generator.go:76] {number} {_METHODS[number % 3]} {path} {200 + number * 37 % 400}\n")
        await process.work.rest(process.world, duration_s / total)
    return 0


async def _mount_test(process: Process, flags: dict[str, str]) -> int:
    """All that it is asked, in an order of its own; it fails where any of that does."""
    status = 0
    for name, wish in _WISHES.items():
        path = flags.get(name)
        if path:
            try:
                said = await wish.find(process, path)
            except FileError as error:
                said, status = f"{wish.failure.format(_quoted(path))}: {wish.call} {path}: {_in_small(error)}", 1
            await process.say(f"{said}\n")
    return await _look_again(process, flags, flags[_LOOP]) or status if flags.get(_LOOP) else status


async def _look_again(process: Process, flags: dict[str, str], path: str) -> int:
    """What is in a file, now and then, until that is what is expected, or for so long."""
    status, ends_at = 0, process.world.now() + float(flags.get(_RETRY_TIME, "180"))
    while process.world.now() < ends_at:
        try:
            content = await process.content(path)
        except FileError as error:
            status = 1
            await process.say(f"Error reading file {path}: open {path}: {_in_small(error)}, retrying\n")
        else:
            status = 0
            await process.say(f"{_told(path, content)}\n")
            if flags.get(_BREAKS) != "false":
                if content == _NEW_FILE:
                    break
                await process.say(f"Unexpected content. Expected: {_NEW_FILE.decode()}. Retrying")
        await process.work.rest(process.world, _LOOKED_AGAIN_S)
    return status


async def _file_system(process: Process, path: str) -> str:
    in_memory = process.world.tree.is_in_memory(process.path(path))
    return f"mount type of {_quoted(path)}: {'tmpfs' if in_memory else _DISK}"


def _new_file(mode: int) -> Callable[[Process, str], Awaitable[str]]:
    async def made(process: Process, path: str) -> str:
        tree, there = process.world.tree, process.path(path)
        tree.write(there, _NEW_FILE, process.world.now(), mode=None if tree.has(there) else mode)
        return _told(path, _NEW_FILE)

    return made


async def _mode(process: Process, path: str) -> str:
    node = process.world.tree.find(process.path(path))
    kind = "".join(letter for letter, is_so in (("d", node.is_directory), ("g", node.mode & SETGID), ("t", node.mode & STICKY)) if is_so)
    return f"mode of file {_quoted(path)}: {kind or '-'}{permissions(node.mode)}"


async def _permissions(process: Process, path: str) -> str:
    return f"perms of file {_quoted(path)}: -{permissions(process.world.tree.find(process.path(path)).mode)}"


async def _owner(process: Process, path: str) -> str:
    node = process.world.tree.find(process.path(path))
    return f"owner UID of {_quoted(path)}: {node.uid}\nowner GID of {_quoted(path)}: {node.gid}"


async def _content(process: Process, path: str) -> str:
    return _told(path, await process.content(path))


def _told(path: str, content: bytes) -> str:
    return f"content of file {_quoted(path)}: {content.decode('utf-8', 'surrogateescape')}"


def _quoted(path: str) -> str:
    return f'"{path}"'


def _in_small(error: FileError) -> str:
    words = str(error)
    return words[:1].lower() + words[1:]


_WISHES = {
    "fs_type": _Wish(_file_system, "error from statfs({})", "statfs"),
    **{f"new_file_{mode:04o}": _Wish(_new_file(mode), "error writing new file {}", "open") for mode in (0o644, 0o666, 0o660, 0o777)},
    "file_mode": _Wish(_mode, "error from Stat({})", "stat"),
    "file_perm": _Wish(_permissions, "error from Stat({})", "stat"),
    "file_owner": _Wish(_owner, "error from stat({})", "stat"),
    "file_content": _Wish(_content, "error reading file content for {}", "open"),
}
"""By the flags that ask for it, in the order in which it is done."""
_ANY, _WHOLE = re.compile(r".*", re.DOTALL), re.compile(r"\d{1,6}")
_MOUNT_TEST = "mounttest"
_OF_LOOP = {_LOOP: _ANY, _RETRY_TIME: _WHOLE, _BREAKS: re.compile(r"true|false")}
_COMMANDS = {
    "entrypoint-tester": _Command(None, _say_call),
    "logs-generator": _Command({_TOTAL: _WHOLE, _DURATION: re.compile(r"(\d{1,6}[smh]){1,3}")}, _generate_logs),
    "pause": _Command({}, _pause),
    _MOUNT_TEST: _Command({**dict.fromkeys(_WISHES, _ANY), **_OF_LOOP}, _mount_test),
}
AGNHOST: dict[str, SimulatedProgram] = dict.fromkeys(
    ("agnhost", "agnhost-2"),
    SimulatedProgram(
        agnhost,
        takes_s=None,
        image="agnhost",
        understands=_is_understood,
        changes="content",
        changes_nothing=lambda args: _MOUNT_TEST not in args[:1],
    ),
)
"""By two names, so that it can be told by which of them it was started."""
