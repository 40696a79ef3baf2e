"""``touch``: files that are there from now on, and when they were changed."""

from svcsim.nodes.shell.process import Process, Usage
from svcsim.nodes.shell.programs.moments import read_moment, read_stamp
from svcsim.nodes.shell.programs.options import Option, Options, read_options
from svcsim.nodes.shell.programs.renaming import standing
from svcsim.nodes.shell.programs.simulated import SimulatedProgram
from svcsim.nodes.shell.tree import FileError, naming

_OPTIONS = (
    Option("c", "no-create"), Option("a", "a"), Option("m", "m"), Option("h", "no-dereference"), Option("f", "f"),  # -f: GNU ignores it
    Option("d", "date", takes_value=True), Option("r", "reference", takes_value=True), Option("t", "t", takes_value=True),
)  # fmt: skip
_STAMPS = ("%Y%m%d%H%M", "%Y%m%d%H%M.%S", "%y%m%d%H%M", "%y%m%d%H%M.%S")


async def touch(process: Process) -> int:
    options, status = read_options(process.args, _OPTIONS), 0
    if not options.rest:
        raise Usage("missing file operand")
    moment = _moment(process, options)
    for path in options.rest:
        await process.effort()
        try:
            _touch(process, options, process.path(path), moment)
        except FileError as error:
            await process.complain(f"{path}: {error}")
            status = 1
    return status


def _touch(process: Process, options: Options, path: str, moment: float) -> None:
    """Raises `FileError`."""
    tree = process.world.tree
    node = standing(tree, path, follow="no-dereference" not in options)
    if node is None:
        if "no-create" in options or "no-dereference" in options:
            return
        tree.write(path, b"", moment, umask=process.umask)
        return
    tree.check_writable(path)
    if "a" not in options or "m" in options:  # nobody knows when something was read last
        node.changed_at, tree.changed = moment, True


def _moment(process: Process, options: Options) -> float:
    """Raises `Usage`, and `FileError` where there is no file whose time is wanted."""
    now = process.world.now()
    if "reference" in options:
        with naming(options.last("reference")):
            return process.world.tree.find(process.path(options.last("reference"))).changed_at
    if "t" in options:
        return read_stamp(options.last("t"), _STAMPS)
    return read_moment(options.last("date", "now"), now)


TOUCHING: dict[str, SimulatedProgram] = {
    "touch": SimulatedProgram(touch, changes="names"),
}
