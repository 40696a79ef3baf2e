"""Files that are made, shown and taken away."""

import hashlib
import posixpath
import re

from svcsim.nodes.shell.process import Process, Program, Usage
from svcsim.nodes.shell.tree import IS_DIRECTORY, NOT_FOUND, FileError, naming


async def cat(process: Process) -> int:
    _, paths = process.flags("nu")
    status = 0
    for path in paths or ["-"]:
        if path in {"-", "/dev/stdin"}:
            while piece := await process.streams.read():
                await process.give(piece)
            continue
        try:
            await process.give(await process.content(path))
        except FileError as error:
            prefix = "read error: " if str(error) == IS_DIRECTORY else "can't open "
            shown = f"{prefix}{error}" if str(error) == IS_DIRECTORY else f"{prefix}'{path}': {error}"
            await process.complain(shown)
            status = 1
    return status


async def mkdir(process: Process) -> int:
    flags, paths = process.flags("pv", "m")
    if not paths:
        raise Usage("missing operand")
    mode = int(flags["m"], 8) if re.fullmatch(r"[0-7]{3,4}", flags.get("m", "")) else 0o755
    status = 0
    for path in paths:
        await process.effort()
        try:
            process.world.tree.make_directory(process.path(path), process.world.now(), parents="p" in flags, mode=mode)
        except FileError as error:
            await process.complain(f"can't create directory '{path}': {error}")
            status = 1
    return status


async def rm(process: Process) -> int:
    flags, paths = process.flags("rRfiv")
    recursive, force = "r" in flags or "R" in flags, "f" in flags
    if not paths and not force:
        raise Usage("missing operand")
    status = 0
    for path in paths:
        await process.effort()
        try:
            process.world.tree.remove(process.path(path), recursive=recursive)
        except FileError as error:
            if force and str(error) == NOT_FOUND:
                continue
            await process.complain(f"can't remove '{path}': {error}")
            status = 1
    return status


async def rmdir(process: Process) -> int:
    _, paths = process.flags("p")
    status = 0
    for path in paths:
        await process.effort()
        try:
            full = process.world.tree.directory(process.path(path))
            if not full:
                process.world.tree.remove(process.path(path), recursive=True)
        except FileError as error:
            await process.complain(f"'{path}': {error}")
            status = 1
            continue
        if full:
            await process.complain(f"'{path}': Directory not empty")
            status = 1
    return status


async def touch(process: Process) -> int:
    _, paths = process.flags("cam")
    now = process.world.now()
    for path in paths:
        await process.effort()
        with naming(path):
            process.world.tree.write(process.path(path), b"", now, append=True)
    return 0


async def readlink(process: Process) -> int:
    flags, paths = process.flags("fn")
    if not paths:
        raise Usage("missing operand")
    if "f" in flags:
        await process.say(f"{process.world.tree.real_path(process.path(paths[0]))}\n")
        return 0
    node = process.world.tree.find(process.path(paths[0]), follow=False)
    if not node.target:
        return 1
    await process.say(f"{node.target}\n")
    return 0


_TEMPLATE = re.compile(r"X{6,32}$")


_LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"


async def mktemp(process: Process) -> int:
    """``mktemp [-d] [-p DIRECTORY] [TEMPLATE]``."""
    flags, paths = process.flags("dqtu", "p")
    template = paths[0] if paths else "tmp.XXXXXX"
    ending = _TEMPLATE.search(template)
    if ending is None:
        raise Usage(f"invalid template '{template}'")
    if "p" in flags or not paths or "t" in flags:
        template = posixpath.join(flags.get("p") or process.environment.get("TMPDIR") or "/tmp", template)  # noqa: S108 - of a container
    process.work.thrown += 1
    words = f"{process.world.hostname} {process.world.now()} {process.work.thrown}"
    chance = hashlib.blake2b(words.encode(), digest_size=32).digest()
    name = "".join(_LETTERS[byte % len(_LETTERS)] for byte in chance[: len(ending[0])])
    path = template[: len(template) - len(ending[0])] + name
    with naming(path):
        if "u" in flags:
            pass
        elif "d" in flags:
            process.world.tree.make_directory(process.path(path), process.world.now())
            process.world.tree.find(process.path(path)).mode = 0o700
        else:
            process.world.tree.write(process.path(path), b"", process.world.now())
            process.world.tree.find(process.path(path)).mode = 0o600
    await process.say(f"{path}\n")
    return 0


async def sync(_process: Process) -> int:
    return 0


FILES: dict[str, Program] = {
    "cat": cat,
    "mkdir": mkdir,
    "rm": rm,
    "rmdir": rmdir,
    "touch": touch,
    "readlink": readlink,
    "mktemp": mktemp,
    "sync": sync,
}
