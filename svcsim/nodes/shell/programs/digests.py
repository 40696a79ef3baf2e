"""Bytes as text: ``base64``, ``hexdump``, ``sha256sum`` and its like."""

import base64 as base_64
import binascii
import hashlib
import re

from svcsim import limits
from svcsim.nodes.shell.process import Process, Program, Saying, Usage
from svcsim.nodes.shell.programs.contents import content_or_complaint
from svcsim.nodes.shell.programs.options import Option, Options, read_options
from svcsim.nodes.shell.programs.simulated import SimulatedProgram

_BASE64 = (Option("d", "decode"), Option("i", "ignore-garbage"), Option("w", "wrap", takes_value=True))
_SUM = (
    Option("c", "check"), Option("", "status"), Option("", "quiet"), Option("b", "binary"), Option("t", "text"),
    Option("", "ignore-missing"),
)  # fmt: skip
_SUMMED = re.compile(r"([0-9a-fA-F]{32,64}) [ *](.+)")


async def base64(process: Process) -> int:
    options = read_options(process.args, _BASE64)
    if len(options.rest) > 1:
        raise Usage(f"extra operand '{options.rest[1]}'")
    content = await process.content(options.rest[0] if options.rest else "-")
    if "decode" in options:
        process.hold(2 * len(content))
        try:
            await process.give(base_64.b64decode(content.replace(b"\n", b""), validate="ignore-garbage" not in options))
        except binascii.Error:
            raise Usage("invalid input") from None
        return 0
    wrap = options.last("wrap", "76")
    if not wrap.isdecimal() or len(wrap) > 5:
        raise Usage(f"invalid wrap size: '{wrap}'")
    width = int(wrap)
    # Pieces whose ends are ends of lines, and of what is encoded together.
    piece_bytes = 3 * (width or 1) * -(-limits.SHELL_PIECE_BYTES // (4 * (width or 1)))
    for start in range(0, len(content), piece_bytes):
        encoded = base_64.b64encode(content[start : start + piece_bytes]).decode()
        lines = [encoded[at : at + width] for at in range(0, len(encoded), width)] if width else [encoded]
        await process.say("\n".join(lines) + ("\n" if width else ""))
    return 0


_HEXDUMP_BYTES = 16


async def hexdump(process: Process) -> int:
    """``hexdump -C``: 16 bytes a line, and beside them what of it can be printed. Lines that say the same again are one star."""
    options = read_options(process.args, (Option("C", "canonical"),))
    if "canonical" not in options:
        raise Usage("only -C is simulated here")
    contents = [await process.content(path) for path in options.rest or ("-",)]
    process.hold(sum(map(len, contents)))
    content = b"".join(contents)
    said = Saying(process)
    before, starred = b"", False
    for start in range(0, len(content), _HEXDUMP_BYTES):
        piece = content[start : start + _HEXDUMP_BYTES]
        if piece == before:
            await said.add("" if starred else "*\n")
            starred = True
            continue
        halves = "  ".join(f"{piece[at : at + 8].hex(' '):<23}" for at in (0, 8))
        shown = "".join(chr(byte) if 0x20 <= byte < 0x7F else "." for byte in piece)
        await said.add(f"{start:08x}  {halves}  |{shown}|\n")
        before, starred = piece, False
    await said.add(f"{len(content):08x}\n" if content else "")
    await said.flush()
    return 0


def _digest(name: str) -> Program:
    async def summed(process: Process) -> int:
        options, status = read_options(process.args, _SUM), 0
        for path in options.rest or ("-",):
            content = await content_or_complaint(process, path)
            if content is None:
                status = 1
            elif "check" in options:
                status = await _check(process, options, name, path, content) or status
            else:
                await process.say(f"{_sum(name, content)} {'*' if 'binary' in options else ' '}{path}\n")
        return status

    return summed


def _sum(name: str, content: bytes) -> str:
    return hashlib.new(name, content, usedforsecurity=False).hexdigest()


async def _check(process: Process, options: Options, name: str, path: str, content: bytes) -> int:
    """Whether files have the sums that are listed."""
    found = [_SUMMED.fullmatch(line) for line in content.decode("utf-8", "surrogateescape").splitlines()]
    listed = [(one[1].lower(), one[2]) for one in found if one is not None and len(one[1]) == len(_sum(name, b""))]
    if not listed:
        await process.complain(f"{path}: no properly formatted checksum lines found")
        return 1
    wrong = unread = 0
    for expected, file in listed:
        if "ignore-missing" in options and not process.world.tree.has(process.path(file)):
            continue
        inner = await content_or_complaint(process, file)
        matches = inner is not None and _sum(name, inner) == expected
        unread, wrong = unread + (inner is None), wrong + (inner is not None and not matches)
        said = "OK" if matches else "FAILED" if inner is not None else "FAILED open or read"
        if "status" not in options and not (matches and "quiet" in options):
            await process.say(f"{file}: {said}\n")
    if wrong and "status" not in options:
        await process.complain(f"WARNING: {wrong} computed checksum{'s' if wrong > 1 else ''} did NOT match")
    return int(wrong + unread > 0)


DIGESTS: dict[str, SimulatedProgram] = {
    "base64": SimulatedProgram(base64, reads_beside=0, without_end="reads on"),
    "hexdump": SimulatedProgram(hexdump, reads_beside=0, without_end="reads on"),
    "md5sum": SimulatedProgram(_digest("md5"), reads_beside=0, without_end="reads on"),
    "sha1sum": SimulatedProgram(_digest("sha1"), reads_beside=0, without_end="reads on"),
    "sha256sum": SimulatedProgram(_digest("sha256"), reads_beside=0, without_end="reads on"),
}
