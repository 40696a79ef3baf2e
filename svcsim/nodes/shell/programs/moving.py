"""Files that come to stand somewhere else, or there as well: ``cp``, ``mv``, ``ln``."""

import posixpath
from collections.abc import Awaitable, Callable

from svcsim.nodes.shell.process import Process, Program, Usage, base
from svcsim.nodes.shell.tree import EXISTS, FileError, Node, naming


async def copy(process: Process) -> int:
    flags, paths = process.flags("rRafpvd")
    return await _each_into(
        process, paths, lambda source, target: _copied(process, source, target, recursive=bool(flags.keys() & set("rRa")))
    )


async def move(process: Process) -> int:
    _, paths = process.flags("fvn")

    async def moved(source: str, target: str) -> None:
        await _copied(process, source, target, recursive=True)
        process.world.tree.remove(source, recursive=True)

    return await _each_into(process, paths, moved)


async def _each_into(process: Process, paths: list[str], act: Callable[[str, str], Awaitable[None]]) -> int:
    if len(paths) < 2:
        raise Usage("missing file operand")
    *sources, target = paths
    tree, status = process.world.tree, 0
    into = tree.has(process.path(target)) and tree.find(process.path(target)).is_directory
    if len(sources) > 1 and not into:
        raise Usage(f"target '{target}' is not a directory")
    for source in sources:
        where = posixpath.join(process.path(target), base(source)) if into else process.path(target)
        try:
            await act(process.path(source), where)
        except FileError as error:
            await process.complain(f"can't copy '{source}': {error}")
            status = 1
    return status


async def _copied(process: Process, source: str, target: str, *, recursive: bool) -> None:
    await process.effort()
    node = process.world.tree.find(source)
    if node.is_directory and not recursive:
        raise FileError("omitting directory")
    if node.is_directory and f"{target}/".startswith(f"{source}/"):
        raise FileError("Invalid argument")
    if node.is_directory:
        process.world.tree.make_directory(target, process.world.now(), parents=True)
        for name, child in list((node.children or {}).items()):
            if child.load is None:
                await _copied(process, posixpath.join(source, name), posixpath.join(target, name), recursive=True)
    else:
        process.world.tree.write(target, node.data, process.world.now(), mode=node.mode)


async def link(process: Process) -> int:
    flags, paths = process.flags("sfnv")
    if len(paths) != 2:
        raise Usage("missing file operand")
    if "s" not in flags:
        with naming(paths[0]):
            node = process.world.tree.find(process.path(paths[0]))
        with naming(paths[1]):
            process.world.tree.write(process.path(paths[1]), node.data, process.world.now(), mode=node.mode)
        return 0
    target = process.path(paths[1])
    with naming(paths[1]):
        if process.world.tree.has(target) and "f" not in flags:
            raise FileError(EXISTS)
        process.world.tree.add(target, Node(0o777, process.world.now(), target=paths[0]))
    return 0


MOVING: dict[str, Program] = {"cp": copy, "mv": move, "ln": link}
