"""Files that come to stand somewhere else, or there as well: ``cp``, ``mv``, ``ln``."""

import posixpath
from collections.abc import Awaitable, Callable, Sequence
from typing import NamedTuple

from svcsim.nodes.shell.process import Process, Usage, base
from svcsim.nodes.shell.programs.asking import Asking
from svcsim.nodes.shell.programs.options import Option, Options, read_options
from svcsim.nodes.shell.programs.renaming import is_within, rename, standing
from svcsim.nodes.shell.programs.simulated import SimulatedProgram
from svcsim.nodes.shell.tree import EXISTS, NO_DIRECTORY, FileError, Node

_ANY = (
    Option("f", "force"), Option("i", "interactive"), Option("v", "verbose"), Option("T", "no-target-directory"),
    Option("t", "target-directory", takes_value=True),
)  # fmt: skip
_MV = (*_ANY, Option("n", "no-clobber"), Option("u", "update"))
_CP = (
    *_MV, Option("r", "recursive"), Option("R", "recursive"), Option("a", "archive"), Option("p", "preserve"), Option("d", "d"),
    Option("L", "dereference"), Option("P", "no-dereference"), Option("H", "H"),
)  # fmt: skip
_LN = (*_ANY, Option("s", "symbolic"), Option("n", "no-dereference"))


class _Way(NamedTuple):
    """From where to where, as the paths are shown."""

    source: str
    target: str
    named: bool = True
    """Whether the command line says so; what is in directories is copied with them."""


def _ways(process: Process, options: Options, *, alone: str = "", follow: bool = True) -> list[_Way]:
    """What is to become of each operand. Raises `Usage`.

    ``alone``: the target of one that stands there without any. ``follow``: a link to a directory, as a target, counts as that.
    """
    given, operands = options.last("target-directory"), list(options.rest)
    if not operands:
        raise Usage("missing file operand")
    if not given and len(operands) == 1 and not alone:
        raise Usage(f"missing destination file operand after '{operands[0]}'")
    into = given or (operands.pop() if len(operands) > 1 else alone)
    there = standing(process.world.tree, process.path(into), follow=follow)
    is_directory = there is not None and there.is_directory and "no-target-directory" not in options
    if not is_directory and (given or len(operands) > 1):
        raise Usage(f"target '{into}' is not a directory")
    return [_Way(source, posixpath.join(into, base(source)) if is_directory else into) for source in operands]


async def _each(process: Process, ways: Sequence[_Way], act: Callable[[_Way], Awaitable[Sequence[_Way]]]) -> int:
    """Do something with each of them, and with those that come of that; what is raised is said."""
    waiting, status = list(reversed(ways)), 0
    while waiting:
        await process.effort()
        try:
            waiting += reversed(await act(waiting.pop()))
        except FileError as error:
            await process.complain(str(error))
            status = 1
    return status


async def _stays(process: Process, options: Options, asking: Asking, way: _Way, node: Node) -> bool:
    """Whether what stands at the target is left alone."""
    before = standing(process.world.tree, process.path(way.target), follow=True)
    if before is None:
        return False
    if "no-clobber" in options or ("update" in options and before.changed_at >= node.changed_at):
        return True
    return "interactive" in options and "force" not in options and not await asking.agrees(f"overwrite '{way.target}'")


async def _tell(process: Process, options: Options, text: str) -> None:
    if "verbose" in options:
        await process.say(f"{text}\n")


def _same(way: _Way) -> FileError:
    return FileError(f"'{way.source}' and '{way.target}' are the same file")


async def move(process: Process) -> int:
    options, tree, asking = read_options(process.args, _MV), process.world.tree, Asking(process)

    async def moved(way: _Way) -> Sequence[_Way]:
        source, target = process.path(way.source), process.path(way.target)
        node, before = standing(tree, source, follow=False), standing(tree, target, follow=False)
        if before is not None and before in {node, standing(tree, source, follow=True)}:
            raise _same(way)
        if node is not None and await _stays(process, options, asking, way, node):
            return ()
        if before is None and way.target.endswith("/") and node is not None and not node.is_directory:
            raise FileError(f"can't rename '{way.source}': {NO_DIRECTORY}")
        try:
            rename(tree, source, target)
        except FileError as error:
            raise FileError(f"can't rename '{way.source}': {error}") from None
        await _tell(process, options, f"renamed '{way.source}' -> '{way.target}'")
        return ()

    return await _each(process, _ways(process, options), moved)


async def copy(process: Process) -> int:
    options = read_options(process.args, _CP)
    return await _each(process, _ways(process, options), _Copying(process, options).copy)


class _Copying:
    """How files are copied. ``-f`` makes no difference: nobody is kept from writing into a file that they may take away."""

    def __init__(self, process: Process, options: Options) -> None:
        self._process = process
        self._tree = process.world.tree
        self._options = options
        self._asking = Asking(process)
        self._recursive = "recursive" in options or "archive" in options
        self._keeps = "preserve" in options or "archive" in options

    def _follows(self, way: _Way) -> bool:
        """Whether what a link leads to is copied, and not the link."""
        if "dereference" in self._options or ("H" in self._options and way.named):
            return True
        return not self._recursive and "no-dereference" not in self._options and "d" not in self._options

    async def copy(self, way: _Way) -> Sequence[_Way]:
        """Copy a file, or make a directory, of which what is in it is left to be copied. Raises `FileError`."""
        try:
            node = self._tree.find(self._process.path(way.source), follow=self._follows(way))
        except FileError as error:
            raise FileError(f"can't stat '{way.source}': {error}") from None
        if node.is_directory and not self._recursive:
            raise FileError(f"omitting directory '{way.source}'")
        before = standing(self._tree, self._process.path(way.target), follow=not node.target)
        if before is node:
            raise _same(way)
        if node.is_directory and way.named and _is_within_itself(self._process, way):
            raise FileError(f"cannot copy a directory, '{way.source}', into itself, '{way.target}'")
        if before is not None and before.is_directory is not node.is_directory:
            kinds = ("directory", "non-directory") if before.is_directory else ("non-directory", "directory")
            raise FileError(f"cannot overwrite {kinds[0]} '{way.target}' with {kinds[1]}")
        if not node.is_directory and await _stays(self._process, self._options, self._asking, way, node):
            return ()
        try:
            await self._put(way, node, before)
        except FileError as error:
            raise FileError(f"can't create '{way.target}': {error}") from None
        await _tell(self._process, self._options, f"'{way.source}' -> '{way.target}'")
        join = posixpath.join
        return [_Way(join(way.source, name), join(way.target, name), named=False) for name in sorted(node.children or ())]

    async def _put(self, way: _Way, node: Node, before: Node | None) -> None:
        """Raises `FileError`."""
        tree, target, now = self._tree, self._process.path(way.target), self._process.world.now()
        mode = node.mode if self._keeps else node.mode & 0o777 & ~self._process.umask
        if node.target:
            tree.add(target, Node(0o777, now, target=node.target))
        elif node.device and self._recursive:
            tree.add(target, Node(mode, now, device=node.device))
        elif node.is_directory:
            if before is None:
                tree.make_directory(target, now, mode=mode)
        elif before is None and way.target.endswith("/"):
            raise FileError(NO_DIRECTORY)
        else:
            content = await (self._process.content(way.source) if node.device else node.read())
            await self._process.effort(len(content))
            if before is not None and before.device:
                await self._process.put(way.target, content)
                return
            mode = 0o644 if node.device else mode
            tree.write(target, content, now, mode=mode if before is None or self._keeps else None)
        made = standing(tree, target, follow=not node.target)
        if made is not None and self._keeps:
            made.mode, made.uid, made.gid, made.changed_at = node.mode, node.uid, node.gid, node.changed_at
        if made is not None and before is None:
            made.program = node.program


def _is_within_itself(process: Process, way: _Way) -> bool:
    """Whether the target is in the directory that is to be copied; where nothing can be made there is told when it is made."""
    try:
        return is_within(process.world.tree, process.path(way.target), process.path(way.source))
    except FileError:
        return False


async def link(process: Process) -> int:
    """``ln [-sfn] TARGET [LINK]``."""
    options, tree, asking = read_options(process.args, _LN), process.world.tree, Asking(process)
    symbolic = "symbolic" in options

    async def linked(way: _Way) -> Sequence[_Way]:
        target = process.path(way.target)
        before = standing(tree, target, follow=False)
        if before is not None:
            if "force" in options and before is standing(tree, process.path(way.source), follow=not symbolic):
                raise _same(way)
            agreed = "interactive" in options and "force" not in options and await asking.agrees(f"replace '{way.target}'")
            if "force" not in options and not agreed:
                raise FileError(f"{way.target}: {EXISTS}")
        try:
            if symbolic:
                tree.add(target, Node(0o777, process.world.now(), target=way.source))
            else:
                tree.link(target, process.path(way.source))
        except FileError as error:
            raise FileError(f"{way.target if symbolic else way.source}: {error}") from None
        await _tell(process, options, f"'{way.target}' {'->' if symbolic else '=>'} '{way.source}'")
        return ()

    return await _each(process, _ways(process, options, alone=".", follow="no-dereference" not in options), linked)


MOVING: dict[str, SimulatedProgram] = {
    "cp": SimulatedProgram(copy, without_end="reads on", changes="content"),
    "mv": SimulatedProgram(move, changes="content"),
    "ln": SimulatedProgram(link, changes="names"),
}
