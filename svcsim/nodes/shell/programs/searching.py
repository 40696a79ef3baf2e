"""Where files are: ``find``, ``which``."""

import posixpath
from collections.abc import Iterator

from svcsim import limits
from svcsim.nodes.shell.execution import DEFAULT_PATH, find_program
from svcsim.nodes.shell.process import Process, Saying
from svcsim.nodes.shell.programs.finding import FoundFile, Seeker, Seeking
from svcsim.nodes.shell.programs.options import Option, read_options
from svcsim.nodes.shell.programs.simulated import SimulatedProgram
from svcsim.nodes.shell.tree import FileError, Node


async def which(process: Process) -> int:
    options, status = read_options(process.args, (Option("a", "all"),)), 0
    ways = process.environment.get("PATH", DEFAULT_PATH).split(":")[: limits.SHELL_LEVELS]
    environments = [{"PATH": way} for way in ways] if "all" in options else [{"PATH": ":".join(ways)}]
    for name in options.rest:
        await process.effort(limits.SIMULATED_FILE_COSTS_BYTES * len(ways))
        looked_in = environments[:1] if "/" in name else environments
        found = [find_program(process.world, name, environment, process.directory) for environment in looked_in]
        paths = [path for node, path in found if node is not None and not node.is_directory and node.mode & 0o111]
        await process.say("".join(f"{name if '/' in name else path}\n" for path in paths))
        status = status if paths else 1
    return status


async def find(process: Process) -> int:
    """``find [PATH…] [EXPRESSION]``."""
    starts, seeking = Seeker(process).read()
    said, status = Saying(process), 0
    for start in starts:
        try:
            node = process.world.tree.find(process.path(start), follow=start.endswith("/"))
        except FileError as error:
            await process.complain(f"{start}: {error}")
            status = 1
            continue
        waiting = [iter([FoundFile(start, node, 0)])]
        while waiting:
            found = next(waiting[-1], None)
            if found is None:
                waiting.pop()
                continue
            await process.effort()
            if found.depth >= seeking.least_depth:
                seeking.holds(found)
                for text in found.said:
                    await said.add(text)
            if found.node.children and found.depth < seeking.most_depth and not found.pruned:
                waiting.append(_in_directory(found, found.node.children, seeking))
    await said.flush()
    return status


def _in_directory(found: FoundFile, children: dict[str, Node], seeking: Seeking) -> Iterator[FoundFile]:
    inner = ((name, child) for name, child in sorted(children.items()) if not (child.mount and seeking.stays_on_disk))
    return (FoundFile(posixpath.join(found.path, name), child, found.depth + 1) for name, child in inner)


SEARCHING: dict[str, SimulatedProgram] = {
    "find": SimulatedProgram(find),
    "which": SimulatedProgram(which),
}
