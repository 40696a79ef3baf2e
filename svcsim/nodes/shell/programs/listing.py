"""What stands in directories, and what is known of files: ``ls``, ``stat``."""

import hashlib
import posixpath
import re
from functools import partial
from typing import NamedTuple

from svcsim.meta.times import format_date
from svcsim.nodes.shell.devices import is_character_device, is_stream, numbers_of
from svcsim.nodes.shell.file_modes import permissions
from svcsim.nodes.shell.process import Process, Saying, Usage
from svcsim.nodes.shell.programs.options import Option, Options, read_options
from svcsim.nodes.shell.programs.simulated import SimulatedProgram
from svcsim.nodes.shell.tree import SETGID, STICKY, FileError, Node, Tree

_DIRECTORY_BYTES = 4096
_UNIT = 1024
_FULL_TIME = "%Y-%m-%d %H:%M:%S.000000000 +0000"
_LS = (
    Option("l", "l"), Option("a", "all"), Option("A", "almost-all"), Option("h", "human-readable"), Option("d", "directory"),
    Option("R", "recursive"), Option("t", "t"), Option("S", "S"), Option("U", "U"), Option("r", "reverse"), Option("F", "classify"),
    Option("p", "p"), Option("i", "inode"), Option("n", "numeric-uid-gid"), Option("o", "o"), Option("g", "g"), Option("G", "no-group"),
    Option("s", "size"), Option("L", "dereference"), Option("H", "dereference-command-line"), Option("", "full-time"),
    Option("", "group-directories-first"), Option("", "color"),
    # Names are always one a line, as they are, and blocks have 1024 bytes.
    Option("1", "1"), Option("N", "literal"), Option("k", "kibibytes"),
)  # fmt: skip
_LONG = ("l", "numeric-uid-gid", "o", "g", "full-time")
_HALF_A_YEAR_S = 31_556_952 / 2


class _Entry(NamedTuple):
    """What is listed: by which name, what stands there, where that is, and how long it is."""

    name: str
    node: Node
    path: str
    size_bytes: int


async def ls(process: Process) -> int:
    options = read_options(process.args, _LS)
    if options.last("color") not in {"", "auto", "never"}:
        raise Usage("colours aren't simulated here")
    tree, status, is_long = process.world.tree, 0, not options.values.keys().isdisjoint(_LONG)
    follows = "dereference" in options or "dereference-command-line" in options
    follows = follows or not (is_long or "directory" in options or "classify" in options)
    named: list[_Entry] = []
    for path in options.rest or (".",):
        await process.effort()
        try:
            node = tree.find(process.path(path), follow=follows or path.endswith("/"))
        except FileError as error:
            await process.complain(f"{path}: {error}")
            status = 1
            continue
        named.append(_Entry(path, node, process.path(path), await _size_bytes(node)))
    opened = [one for one in named if one.node.is_directory and "directory" not in options]
    files = [one for one in named if one not in opened]
    await _list(process, _in_order(files, options), options, is_long=is_long)
    several, is_first = len(options.rest) > 1 or "recursive" in options, not files
    waiting = _in_order(opened, options)[::-1]
    while waiting:
        await process.work.step(process.world)
        directory = waiting.pop()
        if several:
            await process.say(f"{'' if is_first else chr(10)}{directory.name}:\n")
        is_first = False
        entries = _in_order(await _within(process, directory, options), options)
        if is_long or "size" in options:
            total = sum(_blocks(one.node) for one in entries)
            await process.say(f"total {_human(total * 1024) if 'human-readable' in options else total}\n")
        await _list(process, entries, options, is_long=is_long)
        if "recursive" in options:
            real = (one for one in entries if one.name not in {".", ".."} and one.node.is_directory)
            inner = [one for one in real if (directory.node.children or {}).get(one.name) is one.node]
            waiting += (one._replace(name=posixpath.join(directory.name, one.name)) for one in reversed(inner))
    return status


async def _within(process: Process, directory: _Entry, options: Options) -> list[_Entry]:
    """What of a directory is listed; of a link, with ``-L``, what that leads to."""
    found = [(".", directory.node), ("..", directory.node)] if "all" in options else []
    hidden = "all" in options or "almost-all" in options
    found += [(name, child) for name, child in (directory.node.children or {}).items() if hidden or not name.startswith(".")]
    entries: list[_Entry] = []
    for name, child in found:
        path = posixpath.join(directory.path, name)
        node = _led_to(process.world.tree, path, child) if "dereference" in options else child
        entries.append(_Entry(name, node, path, await _size_bytes(node)))
    return entries


def _in_order(entries: list[_Entry], options: Options) -> list[_Entry]:
    if "U" in options:
        return entries
    found = sorted(entries, key=lambda one: one.name)
    kind = next((word for word in reversed([*options.values]) if word in {"t", "S"}), "")
    if kind:
        found.sort(key=lambda one: -one.node.changed_at if kind == "t" else -one.size_bytes)
    if "reverse" in options:
        found.reverse()
    if "group-directories-first" in options:
        found.sort(key=lambda one: not one.node.is_directory)
    return found


def _led_to(tree: Tree, path: str, node: Node) -> Node:
    """What a link leads to; the link itself where it leads nowhere."""
    try:
        return tree.find(path) if node.target else node
    except FileError:
        return node


async def _size_bytes(node: Node) -> int:
    return _DIRECTORY_BYTES if node.is_directory else len(node.target) if node.target else len(await node.read())


def _blocks(node: Node) -> int:
    return 4 if node.is_directory else -(-len(node.data) // 4096) * 4


def _human(size: int) -> str:
    """As ``-h`` has it: ``512``, ``3.0K``, ``30K``; never less than it is."""
    if size < _UNIT:
        return str(size)
    power = next((one for one in (1, 2, 3) if size <= _UNIT**one * (_UNIT - 1)), 4)
    unit, letter = _UNIT**power, " KMGT"[power]
    tenths = -(-size * 10 // unit)
    return f"{tenths // 10}.{tenths % 10}{letter}" if tenths < 100 else f"{-(-size // unit)}{letter}"


async def _list(process: Process, entries: list[_Entry], options: Options, *, is_long: bool) -> None:
    said = Saying(process)
    for one in entries:
        node = one.node
        before = f"{_inode(node.first_path or one.path)} " if "inode" in options else ""
        if "size" in options:
            before += f"{_human(_blocks(node) * 1024) if 'human-readable' in options else _blocks(node)} "
        if not is_long:
            await said.add(f"{before}{one.name}{_sign(node, options)}\n")
            continue
        size = _size_shown(one, options)
        shown = f"{one.name} -> {node.target}" if node.target else f"{one.name}{_sign(node, options)}"
        by_number = "numeric-uid-gid" in options
        user, group = (f"{number if by_number else owner_name(number):<8} " for number in (node.uid, node.gid))
        owner = ("" if "g" in options else user) + ("" if "o" in options or "no-group" in options else group)
        links = _links(node)
        await said.add(f"{before}{mode_text(node)} {links:>4} {owner}{size:>9} {_moment(process, node, options)} {shown}\n")
    await said.flush()


def _size_shown(one: _Entry, options: Options) -> str:
    """How long it is; of a device, its numbers."""
    if is_character_device(one.node):
        major, minor = numbers_of(one.node)
        return f"{major}, {minor}"
    return _human(one.size_bytes) if "human-readable" in options else str(one.size_bytes)


def _sign(node: Node, options: Options) -> str:
    """What ``-F`` and ``-p`` put behind names."""
    if node.is_directory and ("classify" in options or "p" in options):
        return "/"
    if "classify" not in options:
        return ""
    return "@" if node.target else "*" if node.mode & 0o111 else ""


def _moment(process: Process, node: Node, options: Options) -> str:
    """When it was changed last, with the year instead of the time where that is long ago."""
    now = process.world.now()
    changed_at = node.changed_at or now
    if "full-time" in options:
        return format_date(changed_at, _FULL_TIME)
    return format_date(changed_at, "%b %e %H:%M" if now - _HALF_A_YEAR_S < changed_at <= now + 1 else "%b %e  %Y")


def owner_name(number: int) -> str:
    """The name of a user or a group."""
    return "root" if number == 0 else str(number)


def mode_text(node: Node) -> str:
    """``drwxr-xr-x``."""
    if node.target:
        return "lrwxrwxrwx"
    owner, group, others = (permissions(node.mode)[start : start + 3] for start in (0, 3, 6))
    if node.mode & SETGID:
        group = group[:-1] + ("s" if group[-1] == "x" else "S")
    if node.mode & STICKY:
        others = others[:-1] + ("t" if others[-1] == "x" else "T")
    return ("d" if node.is_directory else "p" if is_stream(node) else "c" if node.device else "-") + owner + group + others


_CONVERSION = re.compile(r"%(.)|\\n")
_BLOCK_BYTES = 512
_STAT = (Option("L", "dereference"), Option("c", "format", takes_value=True))


async def stat(process: Process) -> int:
    """``stat [-L] [-c FORMAT] FILE…``."""
    options = read_options(process.args, _STAT)
    paths, form = options.rest, options.last("format", _DEFAULT)
    if not paths:
        raise Usage("missing operand")
    status = 0
    for path in paths:
        await process.effort()
        try:
            node = process.world.tree.find(process.path(path), follow="dereference" in options)
        except FileError as error:
            await process.complain(f"can't stat '{path}': {error}")
            status = 1
            continue
        converted = partial(_converted, await _told(process, path, node))
        await process.say(_CONVERSION.sub(converted, form) + "\n")
    return status


_DEFAULT = (
    "  File: %N\n  Size: %s\tBlocks: %b\tIO Block: 4096   %F\nDevice: %D\tInode: %i\tLinks: %h\n"
    "Access: (0%a/%A)  Uid: (%u/%U)  Gid: (%g/%G)\nAccess: %x\nModify: %y\nChange: %z"
)


def _converted(told: dict[str, str], found: re.Match[str]) -> str:
    if found[1] is None:
        return "\n"
    if found[1] not in told:
        raise Usage(f"%{found[1]} is not simulated here")
    return told[found[1]]


async def _told(process: Process, path: str, node: Node) -> dict[str, str]:
    size = await _size_bytes(node)
    changed_at = node.changed_at or process.world.now()
    seconds, moment = str(int(changed_at)), format_date(changed_at, _FULL_TIME)
    return {
        "%": "%", "n": path, "N": f"'{path}' -> '{node.target}'" if node.target else path, "s": str(size), "a": f"{node.mode:o}",
        "A": mode_text(node), "F": _kind(node, size), "u": str(node.uid), "g": str(node.gid), "U": _user(node.uid), "G": _user(node.gid),
        "Y": seconds, "X": seconds, "Z": seconds, "y": moment, "x": moment, "z": moment,
        "i": str(_inode(node.first_path or process.path(path))),
        "h": str(_links(node)), "b": str(-(-size // _BLOCK_BYTES)), "B": str(_BLOCK_BYTES),
        "o": "4096", "D": "2bh", "d": "43", "t": f"{numbers_of(node)[0]:x}", "T": f"{numbers_of(node)[1]:x}",
    }  # fmt: skip


def _kind(node: Node, size_bytes: int) -> str:
    """As ``%F`` has it."""
    if node.device:
        return "fifo" if is_stream(node) else "character special file"
    if node.is_directory or node.target:
        return "directory" if node.is_directory else "symbolic link"
    return "regular file" if size_bytes else "regular empty file"


def _links(node: Node) -> int:
    return 2 if node.is_directory else max(node.links, 1)


def _inode(path: str) -> int:
    """A number that a path has for itself."""
    return int.from_bytes(hashlib.blake2b(path.encode("utf-8", "surrogateescape"), digest_size=3).digest())


def _user(number: int) -> str:
    return "root" if number == 0 else "UNKNOWN"


LISTING: dict[str, SimulatedProgram] = {
    "ls": SimulatedProgram(ls),
    "stat": SimulatedProgram(stat),
}
