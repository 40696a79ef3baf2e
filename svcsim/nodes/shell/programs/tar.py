"""``tar``, as far as `kubectl cp` needs it: an archive of files, or files of an archive, in memory and within the disk's limit."""

import io
import posixpath
import tarfile
import zlib
from typing import NamedTuple

from svcsim import limits
from svcsim.nodes.shell.process import Process, Program, Saying, Usage
from svcsim.nodes.shell.streams import Read
from svcsim.nodes.shell.tree import EXISTS, NOT_FOUND, FileError, Node

_MADE, _UNPACKED, _LISTED = "c", "x", "t"
_IGNORED = ("--", "--no-same-permissions", "--no-same-owner", "--touch")
_BLOCK = 512
_GZIP = 31
"""What zlib calls it."""
_GZIP_MAGIC = b"\x1f\x8b"


async def tar(process: Process) -> int:
    """``tar cf - PATH…``, ``tar xf - [-C DIR]``, ``tar tf -``, with or without ``-``; ``m``, ``p``, ``v``, and ``z`` for gzip."""
    asked = _read_arguments(process)
    job, directory, strip = asked.job, asked.directory, asked.strip
    if job == _MADE:
        return await _make(process, asked)
    try:
        content = await _archive(process, asked)
        with tarfile.open(fileobj=io.BytesIO(content), mode="r:") as packed:
            if job == _LISTED:
                return await _list(process, packed)
            return await _unpack(process, packed, directory, strip)
    except (tarfile.TarError, EOFError, OSError, zlib.error):
        await process.complain("invalid tar magic")
        return 1


class _Asked(NamedTuple):
    job: str
    archive: str
    directory: str
    paths: list[str]
    strip: int
    zipped: bool


def _read_arguments(process: Process) -> _Asked:
    words = list(process.args)
    if not words:
        raise Usage("need at least one option")
    if not words[0].startswith("-"):
        words[0] = f"-{words[0]}"
    letters, values, paths, strip = "", {"f": "-", "C": process.directory}, list[str](), 0
    while words:
        word = words.pop(0)
        if word in {"--gzip", "--gunzip"}:
            letters += "z"
        elif word.startswith("--"):
            strip = _long_option(word, strip)
        elif not word.startswith("-") or word == "-":
            paths.append(word)
        else:
            for letter in word[1:]:
                if letter not in values:
                    letters += letter
                elif words:
                    values[letter] = words.pop(0)
                else:
                    raise Usage(f"option requires an argument -- '{letter}'")
    unknown = letters.strip("cxtmpvoPhz")
    if unknown:
        raise Usage(f"invalid option -- '{unknown[0]}'")
    jobs = [letter for letter in letters if letter in {_MADE, _UNPACKED, _LISTED}]
    if len(dict.fromkeys(jobs)) != 1:
        raise Usage("you must specify one of 'c', 'x', 't'")
    return _Asked(jobs[0], values["f"], process.path(values["C"]), paths, strip, "z" in letters)


def _long_option(word: str, strip: int) -> int:
    """How many parts of names are left out, as far as an option says so."""
    name, _, value = word.partition("=")
    if name == "--strip-components" and value.isdigit() and len(value) < 4:
        return int(value)
    if word not in _IGNORED:
        raise Usage(f"unrecognized option '{word}'")
    return strip


async def _make(process: Process, asked: _Asked) -> int:
    paths, archive = asked.paths, asked.archive
    if not paths:
        raise Usage("empty archive")
    packed, status = io.BytesIO(), 0
    with tarfile.open(fileobj=packed, mode="w:", format=tarfile.GNU_FORMAT) as out:
        for path in paths:
            absolute = posixpath.normpath(posixpath.join(asked.directory, path))
            try:
                await _add(process, out, absolute, _member_name(path))
            except FileError as error:
                await process.complain(f"{path}: {error}")
                status = 1
    content = await _zipped(process, packed.getvalue()) if asked.zipped else packed.getvalue()
    if archive != "-":
        process.world.tree.write(process.path(archive), content, process.world.now())
    elif not status or len(paths) > 1:
        await process.give(content)
    if status:
        await process.complain("error exit delayed from previous errors")
    return status


def _member_name(path: str) -> str:
    """A path without what leads out of the directory in which it will be unpacked: slashes before it, and all up to its last ``../``."""
    return f"/{path}".rpartition("/../")[2].lstrip("/") or "."


async def _add(process: Process, out: tarfile.TarFile, path: str, name: str) -> None:
    node = process.world.tree.find(path, follow=False)
    await process.work.step(process.world)
    member = tarfile.TarInfo(name)
    member.mode, member.mtime = node.mode, int(node.changed_at or process.world.now())
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
        for child in sorted(node.children):
            await _add(process, out, posixpath.join(path, child), f"{name.rstrip('/')}/{child}")


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


async def _list(process: Process, packed: tarfile.TarFile) -> int:
    said = Saying(process)
    for member in packed:
        await process.effort()
        await said.add(f"{member.name}{'/' if member.isdir() else ''}\n")
    await said.flush()
    return 0


async def _unpack(process: Process, packed: tarfile.TarFile, directory: str, strip: int) -> int:
    tree, now, status = process.world.tree, process.world.now(), 0
    if not tree.has(directory):
        raise Usage(f"can't change directory to '{directory}': No such file or directory")
    for member in packed:
        await process.work.step(process.world)
        parts = [part for part in member.name.split("/") if part not in {"", "."}][strip:]
        if ".." in parts:
            await process.complain(f"name with '..' skipped: {member.name}")
            status = 1
            continue
        if not parts:
            continue
        path = posixpath.join(directory, *parts)
        try:
            if member.isdir():
                tree.make_directory(path, now, parents=True, mode=member.mode & 0o7777 or 0o755)
                continue
            before = posixpath.dirname(path)
            if not tree.has(before):
                tree.make_directory(before, now, parents=True)
            if member.issym():
                _link(process, path, member.linkname)
            elif member.isfile():
                await _unpack_file(process, packed, member, path)
        except FileError as error:
            await process.complain(f"can't open '{'/'.join(parts)}': {error}")
            status = 1
    return status


async def _unpack_file(process: Process, packed: tarfile.TarFile, member: tarfile.TarInfo, path: str) -> None:
    """Raises `FileError` for one that is too large: what isn't in the archive counts too, of a file with holes."""
    process.hold(member.size)
    try:
        source = packed.extractfile(member)
        process.world.tree.write(path, b"" if source is None else source.read(), process.world.now(), mode=member.mode & 0o7777)
    finally:
        process.release(member.size)
    await process.effort(member.size)


def _link(process: Process, path: str, target: str) -> None:
    tree = process.world.tree
    try:
        tree.remove(path)
    except FileError as error:
        if str(error) != NOT_FOUND:
            raise FileError(EXISTS) from None
    tree.add(path, Node(0o777, process.world.now(), target=target))


TAR: dict[str, Program] = {"tar": tar}
