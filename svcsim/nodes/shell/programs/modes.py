"""Who may do what with files, and whose they are: ``chmod``, ``chown``."""

import posixpath
import re
from collections.abc import Callable, Iterator, Sequence

from svcsim.nodes.shell.file_modes import changed_mode, permissions
from svcsim.nodes.shell.process import Process, Usage
from svcsim.nodes.shell.programs.listing import owner_name
from svcsim.nodes.shell.programs.options import Option, Options, read_options
from svcsim.nodes.shell.programs.simulated import SimulatedProgram
from svcsim.nodes.shell.tree import FileError, Node, naming

_CHMOD = (
    Option("R", "recursive"), Option("v", "verbose"), Option("c", "changes"), Option("f", "silent"), Option("", "quiet"),
    Option("", "reference", takes_value=True),
)  # fmt: skip
_CHOWN = (*_CHMOD, Option("h", "no-dereference"))


def _those(process: Process, path: str, options: Options) -> Iterator[tuple[str, Node]]:
    """What stands at a path, perhaps with all that is below, as it is shown. Raises `FileError` where it may not be changed."""
    tree = process.world.tree
    with naming(path):
        node = tree.find(process.path(path), follow="no-dereference" not in options)
        tree.check_writable(process.path(path if not node.target else posixpath.dirname(path) or "."))
    waiting = [(path, node)]
    while waiting:
        path, node = waiting.pop()
        yield path, node
        if "recursive" in options:
            inner = sorted((node.children or {}).items(), reverse=True)
            waiting += ((posixpath.join(path, name), child) for name, child in inner if not child.mount)


async def _each(process: Process, paths: Sequence[str], options: Options, change: Callable[[Node], str]) -> int:
    """Change each of them, and say how: what ``change`` gives is what was before and what is now, or nothing where that is the same."""
    status = 0
    for path in paths:
        try:
            for shown, node in _those(process, path, options):
                told = change(node)
                process.world.tree.changed = True
                await process.effort()
                if told and ("verbose" in options or ("changes" in options and " retained " not in told)):
                    await process.say(told.replace("{}", f"'{shown}'", 1) + "\n")
        except FileError as error:
            status = 1
            if "silent" not in options and "quiet" not in options:
                await process.complain(f"{error.path or path}: {error}")
    return status


_MODE = re.compile(r"-[rwxXst]+(,.*)?")
"""A mode that looks like options."""


def _like(process: Process, options: Options) -> Node | None:
    """The file that others are to be like."""
    path = options.last("reference")
    if not path:
        return None
    with naming(path):
        return process.world.tree.find(process.path(path))


async def chmod(process: Process) -> int:
    at = next((place for place, word in enumerate(process.args) if _MODE.fullmatch(word)), None)
    args = process.args if at is None or "--" in process.args[:at] else [*process.args[:at], "--", *process.args[at:]]
    options = read_options(args, _CHMOD)
    like = _like(process, options)
    said = options.rest[0] if options.rest and like is None else "0"
    paths = options.rest if like is not None else options.rest[1:]
    if not paths:
        raise Usage("missing operand")
    if changed_mode(said, 0, is_directory=False, umask=process.umask) is None:
        raise Usage(f"invalid mode '{said}'")

    def change(node: Node) -> str:
        before = node.mode
        mode = like.mode if like is not None else changed_mode(said, before, is_directory=node.is_directory, umask=process.umask)
        if node.target or mode is None:  # modes of links mean nothing
            return ""
        node.mode = mode
        if mode == before:
            return f"mode of {{}} retained as {_mode(mode)}"
        return f"mode of {{}} changed from {_mode(before)} to {_mode(mode)}"

    return await _each(process, paths, options, change)


def _mode(mode: int) -> str:
    return f"{mode:04o} ({permissions(mode)})"


async def chown(process: Process) -> int:
    """``chown USER[:GROUP] FILE…``; of names only root's is known."""
    options = read_options(process.args, _CHOWN)
    like = _like(process, options)
    paths = options.rest if like is not None else options.rest[1:]
    if not paths:
        raise Usage("missing operand")
    user, _, group = (f"{like.uid}:{like.gid}" if like is not None else options.rest[0]).partition(":")

    def change(node: Node) -> str:
        before = f"{owner_name(node.uid)}:{owner_name(node.gid)}"
        node.uid, node.gid = _number(user, node.uid), _number(group, node.gid)
        now = f"{owner_name(node.uid)}:{owner_name(node.gid)}"
        return f"ownership of {{}} retained as {now}" if now == before else f"changed ownership of {{}} from {before} to {now}"

    return await _each(process, paths, options, change)


def _number(name: str, otherwise: int) -> int:
    return 0 if name == "root" else int(name) if re.fullmatch(r"[0-9]{1,10}", name) else otherwise


MODES: dict[str, SimulatedProgram] = {
    "chmod": SimulatedProgram(chmod),
    "chown": SimulatedProgram(chown),
}
