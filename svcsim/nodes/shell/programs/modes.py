"""Who may do what with files, and whose they are: ``chmod``, ``chown``."""

import re
from collections.abc import Iterator

from svcsim.nodes.shell.file_modes import changed_mode
from svcsim.nodes.shell.process import Process, Program, Usage
from svcsim.nodes.shell.tree import Node, naming


def _those(process: Process, paths: list[str], *, below: bool) -> Iterator[Node]:
    """What stands at paths, perhaps with all that is below. Raises `FileError` where it may not be changed."""
    tree = process.world.tree
    for path in paths:
        with naming(path):
            absolute = process.path(path)
            tree.check_writable(absolute)
            found = tree.all_below(absolute) if below else (tree.find(absolute),)
        yield from found


def _takes_away(first: list[str]) -> bool:
    """Whether a mode begins like flags: ``-x``."""
    return bool(first) and re.fullmatch(r"-[rwxXst]+(,.*)?", first[0]) is not None


async def chmod(process: Process) -> int:
    flags, words = process.flags("Rvfc") if not _takes_away(process.args[:1]) else (set(), process.args)
    if len(words) < 2:
        raise Usage("missing operand")
    for node in _those(process, words[1:], below="R" in flags):
        mode = changed_mode(words[0], node.mode, is_directory=node.is_directory)
        if mode is None:
            raise Usage(f"invalid mode '{words[0]}'")
        node.mode = mode
        process.world.tree.changed = True
        await process.effort()
    return 0


async def chown(process: Process) -> int:
    """``chown USER[:GROUP] FILE…``; of names only root's is known."""
    flags, words = process.flags("Rhv")
    if len(words) < 2:
        raise Usage("missing operand")
    user, _, group = words[0].partition(":")
    for node in _those(process, words[1:], below="R" in flags):
        node.uid, node.gid = _number(user, node.uid), _number(group, node.gid)
        process.world.tree.changed = True
        await process.effort()
    return 0


def _number(name: str, otherwise: int) -> int:
    return 0 if name == "root" else int(name) if re.fullmatch(r"[0-9]{1,10}", name) else otherwise


MODES: dict[str, Program] = {"chmod": chmod, "chown": chown}
