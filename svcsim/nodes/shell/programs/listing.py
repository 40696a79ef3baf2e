"""What stands in directories, and what is known of files: ``ls``, ``stat``."""

import hashlib
import posixpath
import re
from functools import partial

from svcsim.meta.times import format_date
from svcsim.nodes.shell.process import Process, Program, Saying, Usage
from svcsim.nodes.shell.tree import SETGID, STICKY, FileError, Node, Tree


async def ls(process: Process) -> int:
    given, paths = process.flags("laA1hdRtrFinSkL")
    flags = {**given, "l": ""} if "n" in given else given
    tree, status = process.world.tree, 0
    files: list[tuple[str, Node]] = []
    directories: list[tuple[str, Node]] = []
    for path in paths or ["."]:
        await process.effort()
        try:
            node = tree.find(process.path(path), follow="l" not in flags or "L" in flags or path.endswith("/"))
        except FileError as error:
            await process.complain(f"{path}: {error}")
            status = 1
            continue
        (directories if node.is_directory and "d" not in flags else files).append((path, node))
    await _list(process, files, flags)
    several = len(paths) > 1 or "R" in flags
    directories.reverse()
    while directories:
        path, node = directories.pop()
        await process.work.step(process.world)
        if several:
            await process.say(f"{path}:\n")
        entries = [(".", node), ("..", node)] if "a" in flags else []
        hidden = "a" in flags or "A" in flags
        entries += [(name, child) for name, child in sorted((node.children or {}).items()) if hidden or not name.startswith(".")]
        if "t" in flags:
            entries.sort(key=lambda entry: -entry[1].changed_at)
        if "r" in flags:
            entries.reverse()
        shown = entries
        if "L" in flags:
            shown = [(name, _led_to(tree, process.path(posixpath.join(path, name)), child)) for name, child in entries]
        if "l" in flags:
            await process.say(f"total {sum(_blocks(child) for _, child in shown)}\n")
        await _list(process, shown, flags)
        if "R" in flags:
            inner = ((posixpath.join(path, name), child) for name, child in entries if child.is_directory and name not in {".", ".."})
            directories += reversed(list(inner))
        if several and directories:
            await process.say("\n")
    return status


def _led_to(tree: Tree, path: str, node: Node) -> Node:
    """What a link leads to; the link itself where it leads nowhere."""
    try:
        return tree.find(path) if node.target else node
    except FileError:
        return node


def _blocks(node: Node) -> int:
    return 4 if node.is_directory else -(-len(node.data) // 4096) * 4


async def _list(process: Process, entries: list[tuple[str, Node]], flags: dict[str, str]) -> None:
    said = Saying(process)
    for name, node in entries:
        if "l" not in flags:
            await said.add(f"{name}{'/' if 'F' in flags and node.is_directory else ''}\n")
            continue
        size = len(await node.read()) if not node.is_directory and not node.target else 4096 if node.is_directory else len(node.target)
        arrow = f" -> {node.target}" if node.target else ""
        links = 2 if node.is_directory else 1
        moment = format_date(node.changed_at or process.world.now(), "%b %e %H:%M")
        user, group = (str(one) if "n" in flags else _name(one) for one in (node.uid, node.gid))
        await said.add(f"{mode_text(node)} {links:>4} {user:<8} {group:<8} {size:>9} {moment} {name}{arrow}\n")
    await said.flush()


def _name(number: int) -> str:
    """Of a user or a group."""
    return "root" if number == 0 else str(number)


def permissions(mode: int) -> str:
    """``rwxr-xr-x``."""
    return "".join(letter if mode >> (8 - index) & 1 else "-" for index, letter in enumerate("rwxrwxrwx"))


def mode_text(node: Node) -> str:
    """``drwxr-xr-x``."""
    if node.target:
        return "lrwxrwxrwx"
    owner, group, others = (permissions(node.mode)[start : start + 3] for start in (0, 3, 6))
    if node.mode & SETGID:
        group = group[:-1] + ("s" if group[-1] == "x" else "S")
    if node.mode & STICKY:
        others = others[:-1] + ("t" if others[-1] == "x" else "T")
    return ("d" if node.is_directory else "-") + owner + group + others


_CONVERSION = re.compile(r"%(.)|\\n")


_BLOCK_BYTES = 512


async def stat(process: Process) -> int:
    """``stat [-L] [-c FORMAT] FILE…``."""
    process.args = ["-c" if word == "--format" else word.replace("--format=", "-c", 1) for word in process.args]
    flags, paths = process.flags("L", "c")
    if not paths:
        raise Usage("missing operand")
    status = 0
    for path in paths:
        await process.effort()
        try:
            node = process.world.tree.find(process.path(path), follow="L" in flags)
        except FileError as error:
            await process.complain(f"can't stat '{path}': {error}")
            status = 1
            continue
        converted = partial(_converted, await _told(process, path, node))
        await process.say(_CONVERSION.sub(converted, flags.get("c", _DEFAULT)) + "\n")
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
    size = 4096 if node.is_directory else len(node.target) if node.target else len(await node.read())
    changed_at = node.changed_at or process.world.now()
    seconds, moment = str(int(changed_at)), format_date(changed_at, "%Y-%m-%d %H:%M:%S.000000000 +0000")
    kind = "directory" if node.is_directory else "symbolic link" if node.target else "regular file" if size else "regular empty file"
    inode = int.from_bytes(hashlib.blake2b(process.path(path).encode("utf-8", "surrogateescape"), digest_size=3).digest())
    return {
        "%": "%", "n": path, "N": f"'{path}' -> '{node.target}'" if node.target else path, "s": str(size), "a": f"{node.mode:o}",
        "A": mode_text(node), "F": kind, "u": str(node.uid), "g": str(node.gid), "U": _user(node.uid), "G": _user(node.gid),
        "Y": seconds, "X": seconds, "Z": seconds, "y": moment, "x": moment, "z": moment, "i": str(inode),
        "h": "2" if node.is_directory else "1", "b": str(-(-size // _BLOCK_BYTES)), "B": str(_BLOCK_BYTES), "o": "4096",
        "D": "2bh", "d": "43",
    }  # fmt: skip


def _user(number: int) -> str:
    return "root" if number == 0 else "UNKNOWN"


LISTING: dict[str, Program] = {"ls": ls, "stat": stat}
