"""A stream of pieces re-cut into lines: watches and followed logs are read line by line, however the bytes were dealt out."""

from collections.abc import AsyncGenerator, AsyncIterator


async def cut_lines(pieces: AsyncIterator[bytes]) -> AsyncGenerator[bytes, None]:
    """Lines without their line ends, as soon as each is complete; what follows the last line end comes as a last line."""
    held: list[bytes] = []
    async for piece in pieces:
        if b"\n" not in piece:
            held.append(piece)
            continue
        first, *others = piece.split(b"\n")
        rest = others.pop()
        yield b"".join((*held, first)) if held else first
        for line in others:
            yield line
        held = [rest] if rest else []
    if held:
        yield b"".join(held)
