"""Programs that look at files and change them."""

import posixpath
import re
from collections.abc import Awaitable, Callable, Iterator

from svcsim import limits
from svcsim.meta.times import format_date
from svcsim.nodes.shell.file_modes import changed_mode
from svcsim.nodes.shell.globs import Glob
from svcsim.nodes.shell.process import Process, Program, Saying, Usage, base
from svcsim.nodes.shell.tree import EXISTS, IS_DIRECTORY, NOT_FOUND, SETGID, STICKY, FileError, Node, Tree, naming


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


async def ls(process: Process) -> int:
    given, paths = process.flags("laA1hdRtrFinSkL")
    flags = {**given, "l": ""} if "n" in given else given
    tree, status = process.world.tree, 0
    files: list[tuple[str, Node]] = []
    directories: list[tuple[str, Node]] = []
    for path in paths or ["."]:
        await process.effort()
        try:
            node = tree.find(process.path(path), follow="l" not in flags or "L" in flags or path.endswith("/"))
        except FileError as error:
            await process.complain(f"{path}: {error}")
            status = 1
            continue
        (directories if node.is_directory and "d" not in flags else files).append((path, node))
    await _list(process, files, flags)
    several = len(paths) > 1 or "R" in flags
    directories.reverse()
    while directories:
        path, node = directories.pop()
        await process.work.step(process.world)
        if several:
            await process.say(f"{path}:\n")
        entries = [(".", node), ("..", node)] if "a" in flags else []
        hidden = "a" in flags or "A" in flags
        entries += [(name, child) for name, child in sorted((node.children or {}).items()) if hidden or not name.startswith(".")]
        if "t" in flags:
            entries.sort(key=lambda entry: -entry[1].changed_at)
        if "r" in flags:
            entries.reverse()
        shown = entries
        if "L" in flags:
            shown = [(name, _led_to(tree, process.path(posixpath.join(path, name)), child)) for name, child in entries]
        if "l" in flags:
            await process.say(f"total {sum(_blocks(child) for _, child in shown)}\n")
        await _list(process, shown, flags)
        if "R" in flags:
            inner = ((posixpath.join(path, name), child) for name, child in entries if child.is_directory and name not in {".", ".."})
            directories += reversed(list(inner))
        if several and directories:
            await process.say("\n")
    return status


def _led_to(tree: Tree, path: str, node: Node) -> Node:
    """What a link leads to; the link itself where it leads nowhere."""
    try:
        return tree.find(path) if node.target else node
    except FileError:
        return node


def _blocks(node: Node) -> int:
    return 4 if node.is_directory else -(-len(node.data) // 4096) * 4


async def _list(process: Process, entries: list[tuple[str, Node]], flags: dict[str, str]) -> None:
    said = Saying(process)
    for name, node in entries:
        if "l" not in flags:
            await said.add(f"{name}{'/' if 'F' in flags and node.is_directory else ''}\n")
            continue
        size = len(await node.read()) if not node.is_directory and not node.target else 4096 if node.is_directory else len(node.target)
        arrow = f" -> {node.target}" if node.target else ""
        links = 2 if node.is_directory else 1
        moment = format_date(node.changed_at or process.world.now(), "%b %e %H:%M")
        user, group = (str(one) if "n" in flags else _name(one) for one in (node.uid, node.gid))
        await said.add(f"{mode_text(node)} {links:>4} {user:<8} {group:<8} {size:>9} {moment} {name}{arrow}\n")
    await said.flush()


def _name(number: int) -> str:
    """Of a user or a group."""
    return "root" if number == 0 else str(number)


def permissions(mode: int) -> str:
    """``rwxr-xr-x``."""
    return "".join(letter if mode >> (8 - index) & 1 else "-" for index, letter in enumerate("rwxrwxrwx"))


def mode_text(node: Node) -> str:
    """``drwxr-xr-x``."""
    if node.target:
        return "lrwxrwxrwx"
    owner, group, others = (permissions(node.mode)[start : start + 3] for start in (0, 3, 6))
    if node.mode & SETGID:
        group = group[:-1] + ("s" if group[-1] == "x" else "S")
    if node.mode & STICKY:
        others = others[:-1] + ("t" if others[-1] == "x" else "T")
    return ("d" if node.is_directory else "-") + owner + group + others


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


async def sysctl(process: Process) -> int:
    """``sysctl [-n] NAME…``, of those that the pod has set: of others nobody knows here what they are."""
    flags, names = process.flags("n")
    for given in names:
        name = given.replace("/", ".")
        path = f"/proc/sys/{name.replace('.', '/')}"
        if not process.world.tree.has(path):
            raise Usage(f"error: '{given}' is an unknown key")
        value = (await process.content(path)).decode().strip()
        await process.say(f"{value}\n" if "n" in flags else f"{name} = {value}\n")
    return 0


_BRACKETS = {"[": "]", "[[": "]]"}
"""Other names of ``test``, and what stands at the end of their arguments."""


async def test(process: Process) -> int:
    args = list(process.args)
    end = _BRACKETS.get(process.name)
    if end is not None:
        if args[-1:] != [end]:
            raise Usage(f"missing {end}")
        args.pop()
    return int(not await _holds(process, args))


_COMPARED: dict[str, Callable[[int, int], bool]] = {
    "-eq": lambda a, b: a == b, "-ne": lambda a, b: a != b, "-lt": lambda a, b: a < b,
    "-le": lambda a, b: a <= b, "-gt": lambda a, b: a > b, "-ge": lambda a, b: a >= b,
}  # fmt: skip
_FILE_TESTS: dict[str, Callable[[Node], bool]] = {
    "-e": lambda _: True, "-f": lambda node: not node.is_directory, "-d": lambda node: node.is_directory,
    "-r": lambda _: True, "-w": lambda node: not node.read_only, "-x": lambda node: bool(node.mode & 0o111),
}  # fmt: skip


async def _holds(process: Process, args: list[str]) -> bool:
    for word in ("-o", "-a"):
        if word in args[1:-1] and len(args) > 3:
            place = args.index(word, 1)
            left, right = await _holds(process, args[:place]), await _holds(process, args[place + 1 :])
            return left or right if word == "-o" else left and right
    if args[:1] == ["!"]:
        return not await _holds(process, args[1:])
    if len(args) < 2:
        return bool(args and args[0])
    if len(args) == 2:
        return await _one(process, *args)
    if len(args) == 3:
        one, operator, other = args
        if operator in {"=", "=="}:
            return one == other
        if operator == "!=":
            return one != other
        if operator in _COMPARED:
            for number in (one, other):
                if not re.fullmatch(r"\s*-?\d{1,18}\s*", number):
                    raise Usage(f"{number}: bad number")
            return _COMPARED[operator](int(one), int(other))
    raise Usage("syntax error")


async def _one(process: Process, operator: str, value: str) -> bool:
    if operator in {"-z", "-n"}:
        return (not value) is (operator == "-z")
    if operator == "-t":
        return False
    try:
        node = process.world.tree.find(process.path(value), follow=operator not in {"-L", "-h"})
    except FileError:
        return False
    if operator in {"-L", "-h"}:
        return bool(node.target)
    if operator == "-s":
        return node.is_directory or bool(await node.read())
    if operator not in _FILE_TESTS:
        raise Usage(f"{operator}: unary operator expected")
    return _FILE_TESTS[operator](node)


FILES: dict[str, Program] = {
    "cat": cat,
    "ls": ls,
    "mkdir": mkdir,
    "rm": rm,
    "rmdir": rmdir,
    "touch": touch,
    "cp": copy,
    "mv": move,
    "ln": link,
    "readlink": readlink,
    "chmod": chmod,
    "chown": chown,
    "which": which,
    "find": find,
    "sysctl": sysctl,
    "test": test,
    **dict.fromkeys(_BRACKETS, test),
}
