"""Bytes as text: ``base64``, ``hexdump``, ``sha256sum`` and its like."""

import base64 as base_64
import binascii
import hashlib

from svcsim import limits
from svcsim.nodes.shell.process import Process, Program, Saying, Usage
from svcsim.nodes.shell.programs.contents import content_or_complaint


async def base64(process: Process) -> int:
    flags, paths = process.flags("d", "w")
    content = await process.content(paths[0] if paths else "-")
    if "d" in flags:
        process.hold(len(content))
        try:
            await process.give(base_64.b64decode(content, validate=False))
        except binascii.Error:
            raise Usage("invalid input") from None
        return 0
    width = int(flags["w"]) if flags.get("w", "").isdigit() and len(flags["w"]) < 6 else 76
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
    flags, paths = process.flags("C")
    if "C" not in flags:
        raise Usage("only -C is simulated here")
    contents = [await process.content(path) for path in paths or ["-"]]
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
        status = 0
        for path in process.args or ["-"]:
            content = await content_or_complaint(process, path)
            if content is None:
                status = 1
                continue
            await process.say(f"{hashlib.new(name, content, usedforsecurity=False).hexdigest()}  {path}\n")
        return status

    return summed


DIGESTS: dict[str, Program] = {
    "base64": base64,
    "hexdump": hexdump,
    "md5sum": _digest("md5"),
    "sha1sum": _digest("sha1"),
    "sha256sum": _digest("sha256"),
}
