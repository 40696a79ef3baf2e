"""``tar``, as far as `kubectl cp` needs it: an archive of files, or files of an archive, in memory and within the disk's limit."""

import io
import posixpath
import tarfile
import zlib
from collections.abc import Sequence
from typing import NamedTuple

from svcsim import limits
from svcsim.meta.times import format_date
from svcsim.nodes.shell.globs import Glob
from svcsim.nodes.shell.process import Process, Saying, Usage
from svcsim.nodes.shell.programs.listing import mode_text
from svcsim.nodes.shell.programs.options import Option, Options, read_options
from svcsim.nodes.shell.programs.renaming import standing
from svcsim.nodes.shell.programs.simulated import SimulatedProgram
from svcsim.nodes.shell.streams import Read
from svcsim.nodes.shell.tree import EXISTS, NOT_FOUND, FileError, Node

_OPTIONS = (
    Option("c", "create"), Option("x", "extract"), Option("", "get"), Option("t", "list"), Option("f", "file", takes_value=True),
    Option("C", "directory", takes_value=True), Option("v", "verbose"), Option("z", "gzip"), Option("", "gunzip"), Option("", "ungzip"),
    Option("a", "auto-compress"), Option("m", "touch"), Option("o", "no-same-owner"), Option("P", "absolute-names"),
    Option("h", "dereference"), Option("k", "keep-old-files"), Option("O", "to-stdout"), Option("", "exclude", takes_value=True),
    Option("", "strip-components", takes_value=True), Option("", "no-recursion"), Option("", "numeric-owner"),
    # What is there is overwritten, and names have nothing to warn of.
    Option("p", "preserve-permissions"), Option("", "same-permissions"), Option("", "no-same-permissions"), Option("", "same-owner"),
    Option("", "overwrite"), Option("", "warning", takes_value=True),
)  # fmt: skip
_JOBS = {"create": "c", "extract": "x", "get": "x", "list": "t"}
_BLOCK = 512
_GZIP = 31
"""What zlib calls it."""
_GZIP_MAGIC = b"\x1f\x8b"
_UNZIPPED = ("gzip", "gunzip", "ungzip")


async def tar(process: Process) -> int:
    """``tar cf - PATH…``, ``tar xf - [-C DIR] [NAME…]``, ``tar tf -``, with or without ``-``."""
    asked = _read_arguments(process)
    if asked.job == "c":
        return await _make(process, asked)
    try:
        content = await _archive(process, asked)
        with tarfile.open(fileobj=io.BytesIO(content), mode="r:") as packed:
            status = await (_list if asked.job == "t" else _unpack)(process, packed, asked)
    except (tarfile.TarError, EOFError, OSError, zlib.error):
        await process.complain("invalid tar magic")
        return 1
    for name in asked.wanted.unseen():
        await process.complain(f"{name}: not found in archive")
        status = 1
    return status


class _Wanted:
    """Which members of an archive are: those that are named, with what is in them, but what is left out."""

    def __init__(self, names: Sequence[str], left_out: Sequence[str]) -> None:
        self._names = {name.strip("/"): False for name in names}
        self._left_out = [Glob(pattern) for pattern in left_out]

    def has(self, name: str) -> bool:
        parts = name.strip("/").split("/")
        above = ["/".join(parts[:count]) for count in range(1, len(parts) + 1)]
        if any(self.leaves_out(one) for one in above):
            return False
        named = [one for one in above if one in self._names]
        self._names.update(dict.fromkeys(named, True))
        return bool(named) or not self._names

    def leaves_out(self, name: str) -> bool:
        """Whether a pattern matches it, or what of it stands behind a slash."""
        parts = name.strip("/").split("/")
        return any(glob.matches("/".join(parts[start:])) for glob in self._left_out for start in range(len(parts)))

    def unseen(self) -> list[str]:
        return [name for name, seen in self._names.items() if not seen]


class _Asked(NamedTuple):
    job: str
    archive: str
    directory: str
    paths: Sequence[str]
    strip: int
    zipped: bool
    options: Options
    wanted: _Wanted


def _read_arguments(process: Process) -> _Asked:
    """Raises `Usage`."""
    options = read_options(_modern(process.args), _OPTIONS)
    jobs = {_JOBS[word] for word in options.values if word in _JOBS}
    if len(jobs) != 1:
        raise Usage("you must specify one of 'c', 'x', 't'")
    strip, archive = options.last("strip-components", "0"), options.last("file", "-")
    if not strip.isdecimal() or len(strip) > 3:
        raise Usage(f"invalid number '{strip}'")
    if len(options.all("directory")) > 1:
        raise Usage("only one directory is simulated here")
    zipped = any(word in options for word in _UNZIPPED) or ("auto-compress" in options and archive.endswith((".gz", ".tgz")))
    job, left_out = jobs.pop(), options.all("exclude")
    wanted = _Wanted(() if job == "c" else options.rest, left_out)
    return _Asked(job, archive, process.path(options.last("directory", ".")), options.rest, int(strip), zipped, options, wanted)


def _modern(args: Sequence[str]) -> list[str]:
    """Options as others have them: letters without a sign at the beginning take their values one after the other."""
    if not args:
        raise Usage("need at least one option")
    if args[0].startswith("-"):
        return list(args)
    found, rest = list[str](), list(args[1:])
    for letter in args[0]:
        found.append(f"-{letter}")
        if any(option.letter == letter and option.takes_value for option in _OPTIONS):
            if not rest:
                raise Usage(f"option requires an argument -- '{letter}'")
            found.append(rest.pop(0))
    return [*found, *rest]


async def _make(process: Process, asked: _Asked) -> int:
    paths, archive = asked.paths, asked.archive
    if not paths:
        raise Usage("empty archive")
    packed, status = io.BytesIO(), 0
    with tarfile.open(fileobj=packed, mode="w:", format=tarfile.GNU_FORMAT) as out:
        for path in paths:
            name = path if "absolute-names" in asked.options else _member_name(path)
            try:
                await _add(process, out, asked, posixpath.normpath(posixpath.join(asked.directory, path)), name)
            except FileError as error:
                await process.complain(f"{path}: {error}")
                status = 1
    content = await _zipped(process, packed.getvalue()) if asked.zipped else packed.getvalue()
    if archive != "-":
        await process.put(archive, content)
    elif not status or len(paths) > 1:
        await process.give(content)
    if status:
        await process.complain("error exit delayed from previous errors")
    return status


def _member_name(path: str) -> str:
    """A path without what leads out of the directory in which it will be unpacked: slashes before it, and all up to its last ``../``."""
    return f"/{path}".rpartition("/../")[2].lstrip("/") or "."


async def _add(process: Process, out: tarfile.TarFile, asked: _Asked, path: str, name: str) -> None:
    """Put something into an archive, and what is in it behind it. Raises `FileError`."""
    waiting = [(path, name)]
    while waiting:
        path, name = waiting.pop()
        if asked.wanted.leaves_out(name):
            continue
        node = process.world.tree.find(path, follow="dereference" in asked.options)
        await process.work.step(process.world)
        await _add_one(process, out, node, name)
        if "verbose" in asked.options:
            await _tell_made(process, asked, f"{name.rstrip('/')}/" if node.is_directory else name)
        if "no-recursion" not in asked.options:
            inner = sorted(node.children or (), reverse=True)
            waiting += ((posixpath.join(path, child), f"{name.rstrip('/')}/{child}") for child in inner)


async def _tell_made(process: Process, asked: _Asked, name: str) -> None:
    """Say what has been put into an archive, beside that where it goes where one says things."""
    text = f"{name}\n".encode("utf-8", "surrogateescape")
    await (process.streams.complain(text) if asked.archive == "-" else process.give(text))


async def _add_one(process: Process, out: tarfile.TarFile, node: Node, name: str) -> None:
    member = tarfile.TarInfo(name)
    member.mode, member.mtime = node.mode, int(node.changed_at or process.world.now())
    member.uid, member.gid = node.uid, node.gid
    member.uname, member.gname = ("root" if number == 0 else "" for number in (node.uid, node.gid))
    if node.target:
        member.type, member.linkname = tarfile.SYMTYPE, node.target
        out.addfile(member)
    elif node.children is None:
        content = await node.read()
        member.size = len(content)
        process.hold(2 * len(content))
        await process.effort(len(content))
        out.addfile(member, io.BytesIO(content))
    else:
        member.type = tarfile.DIRTYPE
        out.addfile(member)


async def _zipped(process: Process, content: bytes) -> bytes:
    zipper, pieces = zlib.compressobj(wbits=_GZIP), list[bytes]()
    for start in range(0, len(content), limits.SHELL_PIECE_BYTES):
        pieces.append(zipper.compress(content[start : start + limits.SHELL_PIECE_BYTES]))
        await process.effort(limits.SHELL_PIECE_BYTES)
    return b"".join([*pieces, zipper.flush()])


async def _archive(process: Process, asked: _Asked) -> bytes:
    """The archive that is to be unpacked. Raises `FileError`, and `zlib.error` for one that isn't zipped as it should be."""
    if asked.archive == "-":
        return await _unzipped(process, process.streams.read) if asked.zipped else await _arriving(process)
    content = await process.content(asked.archive)
    if not asked.zipped and content[:2] != _GZIP_MAGIC:
        return content
    pieces = iter([content])

    async def read() -> bytes:
        return next(pieces, b"")

    return await _unzipped(process, read)


async def _unzipped(process: Process, read: Read) -> bytes:
    """What comes in, up to the end of what was zipped."""
    unzipper, pieces = zlib.decompressobj(wbits=_GZIP), list[bytes]()
    while not unzipper.eof and (piece := await read()):
        while piece and not unzipper.eof:
            pieces.append(unzipper.decompress(piece, limits.SHELL_PIECE_BYTES))
            process.hold(len(pieces[-1]) + limits.SHELL_PIECE_COSTS_BYTES)
            await process.effort(len(pieces[-1]))
            piece = unzipper.unconsumed_tail
    if not unzipper.eof:
        raise EOFError
    return b"".join([*pieces, unzipper.flush()])


async def _arriving(process: Process) -> bytes:
    """An archive that comes in, up to its own end: who sends it may have no way to say that there is no more."""
    content = bytearray()
    header = 0
    while piece := await process.streams.read():
        process.hold(len(piece))
        content += piece
        while len(content) >= header + 2 * _BLOCK:
            if not any(content[header : header + 2 * _BLOCK]):
                return bytes(content)
            header += _BLOCK + -(-_size(content[header : header + _BLOCK]) // _BLOCK) * _BLOCK
    return bytes(content)


def _size(header: bytes | bytearray) -> int:
    """How long the file is that a header announces; 0 for what is none."""
    try:
        return max(tarfile.TarInfo.frombuf(bytes(header), "utf-8", "surrogateescape").size, 0)
    except tarfile.HeaderError:
        return 0


async def _list(process: Process, packed: tarfile.TarFile, asked: _Asked) -> int:
    said = Saying(process)
    for member in packed:
        await process.effort()
        if asked.wanted.has(member.name):
            await said.add(f"{_long(member, asked) if 'verbose' in asked.options else _shown(member)}\n")
    await said.flush()
    return 0


def _shown(member: tarfile.TarInfo) -> str:
    return f"{member.name}{'/' if member.isdir() else ''}"


def _long(member: tarfile.TarInfo, asked: _Asked) -> str:
    """As ``tar tv`` has it."""
    node = Node(member.mode, children={} if member.isdir() else None, target=member.linkname if member.issym() else "")
    by_number = "numeric-owner" in asked.options
    user = str(member.uid) if by_number or not member.uname else member.uname
    group = str(member.gid) if by_number or not member.gname else member.gname
    moment = format_date(float(member.mtime), "%Y-%m-%d %H:%M:%S")
    arrow = f" -> {member.linkname}" if member.issym() else ""
    return f"{mode_text(node)} {user}/{group} {member.size:>9} {moment} {_shown(member)}{arrow}"


async def _unpack(process: Process, packed: tarfile.TarFile, asked: _Asked) -> int:
    tree, status, options = process.world.tree, 0, asked.options
    if not tree.has(asked.directory):
        raise Usage(f"can't change directory to '{asked.directory}': No such file or directory")
    for member in packed:
        await process.work.step(process.world)
        if not asked.wanted.has(member.name):
            continue
        parts = [part for part in member.name.split("/") if part not in {"", "."}][asked.strip :]
        if ".." in parts:
            await process.complain(f"name with '..' skipped: {member.name}")
            status = 1
            continue
        if not parts:
            continue
        if "to-stdout" in options:
            if member.isfile():
                await _say_file(process, packed, member)
            continue
        path = posixpath.join("/" if "absolute-names" in options and member.name.startswith("/") else asked.directory, *parts)
        try:
            await _unpack_one(process, packed, member, path, _umask(process, options), keeps="keep-old-files" in options)
        except FileError as error:
            await process.complain(f"can't open '{'/'.join(parts)}': {error}")
            status = 1
            continue
        made = standing(tree, path, follow=False)
        if made is not None and "touch" not in options:
            made.changed_at = float(member.mtime)
        if made is not None and process.world.user.uid == 0 and "no-same-owner" not in options:
            made.uid, made.gid = member.uid, member.gid
        if "verbose" in options:
            await process.say(f"{_shown(member)}\n")
    return status


def _umask(process: Process, options: Options) -> int:
    """What the files of an archive go without: root's go without nothing, and others' do as if they were new."""
    keeps = process.world.user.uid == 0 or "preserve-permissions" in options or "same-permissions" in options
    return 0 if keeps and "no-same-permissions" not in options else process.umask


async def _unpack_one(process: Process, packed: tarfile.TarFile, member: tarfile.TarInfo, path: str, umask: int, *, keeps: bool) -> None:
    """Raises `FileError`."""
    tree, now = process.world.tree, process.world.now()
    if member.isdir():
        tree.make_directory(path, now, parents=True, mode=(member.mode & 0o7777 or 0o755) & ~umask, umask=process.umask)
        return
    if keeps and standing(tree, path, follow=False) is not None:
        raise FileError(EXISTS)
    before = posixpath.dirname(path)
    if not tree.has(before):
        tree.make_directory(before, now, parents=True, umask=process.umask)
    if member.issym():
        _link(process, path, member.linkname)
    elif member.islnk():  # the other name of a file is a file of its own here
        if member.linkname not in packed.getnames():
            raise FileError(f"cannot hard link to '{member.linkname}'")
        await _unpack_file(process, packed, packed.getmember(member.linkname), path, umask)
    elif member.isfile():
        await _unpack_file(process, packed, member, path, umask)


async def _unpack_file(process: Process, packed: tarfile.TarFile, member: tarfile.TarInfo, path: str, umask: int) -> None:
    """Raises `FileError` for one that is too large: what isn't in the archive counts too, of a file with holes."""
    process.hold(member.size)
    try:
        process.world.tree.write(path, _content(packed, member), process.world.now(), mode=member.mode & 0o7777 & ~umask)
    finally:
        process.release(member.size)
    await process.effort(member.size)


async def _say_file(process: Process, packed: tarfile.TarFile, member: tarfile.TarInfo) -> None:
    process.hold(member.size)
    try:
        await process.give(_content(packed, member))
    finally:
        process.release(member.size)


def _content(packed: tarfile.TarFile, member: tarfile.TarInfo) -> bytes:
    source = packed.extractfile(member)
    return b"" if source is None else source.read()


def _link(process: Process, path: str, target: str) -> None:
    tree = process.world.tree
    try:
        tree.remove(path)
    except FileError as error:
        if str(error) != NOT_FOUND:
            raise FileError(EXISTS) from None
    tree.add(path, Node(0o777, process.world.now(), target=target))


TAR: dict[str, SimulatedProgram] = {
    "tar": SimulatedProgram(tar, without_end="reads on", changes="content"),
}
