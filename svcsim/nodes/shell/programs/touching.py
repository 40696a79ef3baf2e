"""``touch``: files that are there from now on, and when they were changed."""

from datetime import UTC, datetime

from svcsim.nodes.shell.process import Process, Program, Usage
from svcsim.nodes.shell.programs.options import Option, Options, read_options
from svcsim.nodes.shell.programs.renaming import standing
from svcsim.nodes.shell.tree import FileError, naming

_OPTIONS = (
    Option("c", "no-create"), Option("a", "a"), Option("m", "m"), Option("h", "no-dereference"), Option("f", "f"),  # -f: GNU ignores it
    Option("d", "date", takes_value=True), Option("r", "reference", takes_value=True), Option("t", "t", takes_value=True),
)  # fmt: skip
_DATES = ("%Y-%m-%d", "%Y-%m-%d %H:%M", "%Y-%m-%d %H:%M:%S", "%Y-%m-%dT%H:%M:%S", "%Y-%m-%dT%H:%M:%SZ")
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
        tree.write(path, b"", moment)
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
        return _read(options.last("t"), _STAMPS)
    text = options.last("date", "now").strip()
    if text.startswith("@") and text[1:].isdecimal() and len(text) <= len(str(int(now))) + 1:
        return float(text[1:])
    return now if text in {"", "now"} else _read(text, _DATES)


def _read(text: str, forms: tuple[str, ...]) -> float:
    for form in forms:
        try:
            return datetime.strptime(text, form).replace(tzinfo=UTC).timestamp()
        except ValueError:
            continue
    raise Usage(f"invalid date '{text}'")


TOUCHING: dict[str, Program] = {"touch": touch}
