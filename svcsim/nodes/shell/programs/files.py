"""Files and directories that are made, and taken away: ``mkdir``, ``rm``, ``rmdir``, ``mktemp``; and ``readlink``."""

import hashlib
import posixpath
import re
from collections.abc import Iterator

from svcsim.nodes.shell.file_modes import changed_mode
from svcsim.nodes.shell.process import Process, Usage, base
from svcsim.nodes.shell.programs.asking import Asking
from svcsim.nodes.shell.programs.options import Option, Options, read_options
from svcsim.nodes.shell.programs.renaming import standing
from svcsim.nodes.shell.programs.simulated import SimulatedProgram
from svcsim.nodes.shell.tree import IS_DIRECTORY, NO_DIRECTORY, NOT_FOUND, FileError, Node, naming

_MKDIR = (Option("p", "parents"), Option("v", "verbose"), Option("m", "mode", takes_value=True))
_RM = (
    Option("r", "recursive"), Option("R", "recursive"), Option("f", "force"), Option("i", "i"), Option("I", "I"), Option("v", "verbose"),
    Option("d", "dir"), Option("", "preserve-root"),  # --preserve-root: nothing else is known here
)  # fmt: skip
_RMDIR = (Option("p", "parents"), Option("v", "verbose"), Option("", "ignore-fail-on-non-empty"))
_READLINK = (
    Option("f", "canonicalize"), Option("e", "canonicalize-existing"), Option("n", "no-newline"), Option("q", "quiet"),
    Option("s", "silent"), Option("v", "verbose"),
)  # fmt: skip
_MKTEMP = (
    Option("d", "directory"), Option("q", "quiet"), Option("t", "t"), Option("u", "dry-run"), Option("p", "tmpdir", takes_value=True),
    Option("", "suffix", takes_value=True),
)  # fmt: skip
_ALL = 0o777
_ONCE_ASKED = 3
"""How many files `rm -I` takes away without asking."""


async def mkdir(process: Process) -> int:
    options, status = read_options(process.args, _MKDIR), 0
    if not options.rest:
        raise Usage("missing operand")
    mode = changed_mode(options.last("mode"), _ALL, is_directory=True, umask=process.umask) if "mode" in options else None
    if mode is None and "mode" in options:
        raise Usage(f"invalid mode '{options.last('mode')}'")
    for path in options.rest:
        await process.effort()
        made = [one for one in _way(path) if not process.world.tree.has(process.path(one))] if "verbose" in options else []
        try:
            process.world.tree.make_directory(
                process.path(path), process.world.now(), parents="parents" in options, mode=mode, umask=process.umask
            )
        except FileError as error:
            await process.complain(f"can't create directory '{path}': {error}")
            status = 1
            continue
        for one in made:
            await process.say(f"{process.name}: created directory '{one}'\n")
    return status


def _way(path: str) -> list[str]:
    """The directories that lead to one, and itself, each as it is shown."""
    names = [name for name in path.split("/") if name]
    start = "/" if path.startswith("/") else ""
    return [start + "/".join(names[:count]) for count in range(1, len(names) + 1)]


async def rm(process: Process) -> int:
    options, asking, status = read_options(process.args, _RM), Asking(process), 0
    recursive, force = "recursive" in options, "force" in options
    if not options.rest and not force:
        raise Usage("missing operand")
    count = len(options.rest)
    if "I" in options and (recursive or count > _ONCE_ASKED):
        question = f"remove {count} argument{'s' if count > 1 else ''}{' recursively' if recursive else ''}"
        if not await asking.agrees(question):
            return 0
    for path in options.rest:
        await process.effort()
        try:
            await _removed(process, options, asking, path)
        except FileError as error:
            if force and str(error) in {NOT_FOUND, NO_DIRECTORY}:
                continue
            await process.complain(f"can't remove '{path}': {error}")
            status = 1
    return status


async def _removed(process: Process, options: Options, asking: Asking, path: str) -> None:
    """Raises `FileError`."""
    tree, recursive = process.world.tree, "recursive" in options
    node = tree.find(process.path(path), follow=False)
    if base(path) in {".", ".."} and recursive:
        raise FileError("refusing to remove '.' or '..'")
    if node.is_directory and not recursive:
        if "dir" not in options:
            raise FileError(IS_DIRECTORY)
        if node.children:
            raise FileError("Directory not empty")
    if "i" in options and "force" not in options:
        if node.children:
            raise Usage("asking about what is in directories isn't simulated here")
        if not await asking.agrees(f"remove '{path}'"):
            return
    tree.remove(process.path(path), recursive=node.is_directory)
    if "verbose" in options:
        for one, is_directory in _from_below(path, node):
            await process.say(f"removed {'directory ' if is_directory else ''}'{one}'\n")


def _from_below(path: str, node: Node) -> Iterator[tuple[str, bool]]:
    """What was taken away with something, what is in a directory before it, and whether it was a directory."""
    waiting = [(path, node, False)]
    while waiting:
        path, node, seen = waiting.pop()
        if seen or not node.is_directory:
            yield path, node.is_directory
            continue
        waiting.append((path, node, True))
        waiting += ((posixpath.join(path, name), child, False) for name, child in sorted((node.children or {}).items(), reverse=True))


async def rmdir(process: Process) -> int:
    options, status = read_options(process.args, _RMDIR), 0
    if not options.rest:
        raise Usage("missing operand")
    for path in options.rest:
        for one in reversed(_way(path)) if "parents" in options else [path]:
            await process.effort()
            if "verbose" in options:
                await process.say(f"{process.name}: removing directory, '{one}'\n")
            wrong = _why_not_removed(process, one)
            if wrong and not (wrong == "Directory not empty" and "ignore-fail-on-non-empty" in options):
                await process.complain(f"'{one}': {wrong}")
                status = 1
            if wrong:
                break
    return status


def _why_not_removed(process: Process, path: str) -> str:
    """Take an empty directory away; gives what keeps it."""
    try:
        node = process.world.tree.find(process.path(path), follow=False)
        if not node.is_directory:
            return NO_DIRECTORY
        if node.children:
            return "Directory not empty"
        process.world.tree.remove(process.path(path), recursive=True)
    except FileError as error:
        return str(error)
    return ""


async def readlink(process: Process) -> int:
    options, status = read_options(process.args, _READLINK), 0
    if not options.rest:
        raise Usage("missing operand")
    end = "" if "no-newline" in options and len(options.rest) == 1 else "\n"
    for path in options.rest:
        try:
            await process.say(f"{_target(process, options, path)}{end}")
        except FileError as error:
            if "verbose" in options:
                await process.complain(f"{path}: {error}")
            status = 1
    return status


def _target(process: Process, options: Options, path: str) -> str:
    """Raises `FileError`."""
    tree, absolute = process.world.tree, process.path(path)
    if "canonicalize" in options and standing(tree, absolute, follow=False) is None:
        return posixpath.join(tree.real_path(posixpath.dirname(absolute)), posixpath.basename(absolute))
    if "canonicalize" in options or "canonicalize-existing" in options:
        return tree.real_path(absolute)
    node = tree.find(absolute, follow=False)
    if not node.target:
        raise FileError("Invalid argument")
    return node.target


_TEMPLATE = re.compile(r"(.*?)(X{3,32})", re.DOTALL)


_LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"


async def mktemp(process: Process) -> int:
    """``mktemp [-d] [-p DIRECTORY] [TEMPLATE]``."""
    args = [f"{word}=" if word == "--tmpdir" else word for word in process.args]  # which goes without a value, too
    options = read_options(args, _MKTEMP)
    template = options.rest[0] if options.rest else "tmp.XXXXXXXXXX"
    found = _TEMPLATE.fullmatch(template)
    if found is None or len(options.rest) > 1:
        raise Usage("too many templates" if len(options.rest) > 1 else f"invalid template '{template}'")
    directory = ""
    if "tmpdir" in options or not options.rest or "t" in options:
        directory = options.last("tmpdir") or process.environment.get("TMPDIR") or "/tmp"  # noqa: S108 - of a container
    process.work.thrown += 1
    words = f"{process.world.hostname} {process.world.now()} {process.work.thrown}"
    chance = hashlib.blake2b(words.encode(), digest_size=32).digest()
    name = "".join(_LETTERS[byte % len(_LETTERS)] for byte in chance[: len(found[2])])
    path = posixpath.join(directory, f"{found[1]}{name}{options.last('suffix')}")
    try:
        with naming(path):
            _make(process, options, process.path(path))
    except FileError:
        if "quiet" in options:
            return 1
        raise
    await process.say(f"{path}\n")
    return 0


def _make(process: Process, options: Options, path: str) -> None:
    """Raises `FileError`."""
    tree, now = process.world.tree, process.world.now()
    if "dry-run" in options:
        return
    if "directory" in options:
        tree.make_directory(path, now, mode=0o700 & ~process.umask)
    else:
        tree.write(path, b"", now, mode=0o600 & ~process.umask)


async def sync(_process: Process) -> int:
    """Whatever it is asked to write to a disk: nothing has to be."""
    return 0


FILES: dict[str, SimulatedProgram] = {
    "mkdir": SimulatedProgram(mkdir, changes="names"),
    "rm": SimulatedProgram(rm, changes="names"),
    "rmdir": SimulatedProgram(rmdir, changes="names"),
    "readlink": SimulatedProgram(readlink),
    "mktemp": SimulatedProgram(mktemp, changes="names"),
    "sync": SimulatedProgram(sync),
}
