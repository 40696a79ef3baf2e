"""Where files are: ``find``, ``which``."""

import posixpath
from collections.abc import Iterator

from svcsim import limits
from svcsim.nodes.shell.globs import Glob
from svcsim.nodes.shell.process import Process, Program, Saying, Usage, base
from svcsim.nodes.shell.tree import FileError, Node


async def which(process: Process) -> int:
    status = 0
    ways = process.environment.get("PATH", "/bin:/usr/bin").split(":")[: limits.SHELL_LEVELS]
    for name in process.args:
        await process.effort()
        for way in ways:
            path = posixpath.join(way, name)
            if process.world.tree.has(path):
                await process.say(f"{path}\n")
                break
        else:
            status = 1
    return status


async def find(process: Process) -> int:
    """``find [PATH…] [-name PATTERN] [-type f|d]``."""
    args = list(process.args)
    starts = [args.pop(0) for _ in range(next((index for index, word in enumerate(args) if word.startswith("-")), len(args)))] or ["."]
    wanted = dict(zip(args[::2], args[1::2], strict=False))
    if len(args) % 2 or wanted.keys() - {"-name", "-type", "-maxdepth"}:
        raise Usage(f"unrecognized: {next((word for word in args if word not in {'-name', '-type', '-maxdepth'}), args[-1])}")
    if len(wanted.get("-name", "")) > limits.SHELL_TRIMMED_CHARS:
        raise Usage("such a long pattern isn't simulated here")
    glob = Glob(wanted["-name"]) if "-name" in wanted else None
    said, status = Saying(process), 0
    for start in starts:
        try:
            waiting = [iter([(start, process.world.tree.find(process.path(start)))])]
        except FileError as error:
            await process.complain(f"{start}: {error}")
            status = 1
            continue
        while waiting:
            entry = next(waiting[-1], None)
            if entry is None:
                waiting.pop()
                continue
            path, node = entry
            await process.effort()
            kind = "d" if node.is_directory else "l" if node.target else "f"
            if (glob is None or glob.matches(base(path))) and wanted.get("-type", kind) == kind:
                await said.add(f"{path}\n")
            if node.children:
                waiting.append(_in_directory(path, node.children))
    await said.flush()
    return status


def _in_directory(path: str, children: dict[str, Node]) -> Iterator[tuple[str, Node]]:
    return ((posixpath.join(path, name), child) for name, child in sorted(children.items()))


SEARCHING: dict[str, Program] = {"find": find, "which": which}
