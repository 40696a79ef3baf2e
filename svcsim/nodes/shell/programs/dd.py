"""``dd``: so many blocks of a file, of what comes in, of zeros or of chance, into another file."""

import re
from typing import NamedTuple

from svcsim.nodes.shell.devices import Endless
from svcsim.nodes.shell.process import Process, Usage
from svcsim.nodes.shell.programs.simulated import SimulatedProgram
from svcsim.nodes.shell.tree import NO_MEMORY, FileError

_BLOCK_BYTES = 512
_NUMBER = re.compile(r"(\d{1,15})([cwbkKMG]?)B?")
_UNITS = {"": 1, "c": 1, "w": 2, "b": 512, "k": 1024, "K": 1024, "M": 1024**2, "G": 1024**3}
_CONVERSIONS = ("", "notrunc", "fsync", "fdatasync", "noerror")
"""All but the first two are about disks that fail, or haven't written all yet: here none does."""
_STATUSES = ("", "none", "noxfer", "progress")
_KNOWN = {"if": "", "of": "", "bs": str(_BLOCK_BYTES), "count": "", "skip": "0", "seek": "0", "conv": "", "status": ""}


class _Copying(NamedTuple):
    source: str
    target: str
    block_bytes: int
    most_bytes: int | None
    """None: to the end."""
    skipped_bytes: int
    sought_bytes: int
    truncates: bool
    status: str


async def dd(process: Process) -> int:
    copying = _read(process)
    doing = f"can't open '{copying.source}'"
    try:
        content = await _taken(process, copying)
        doing = f"writing '{copying.target}'"
        if copying.target:
            await _put(process, copying, content)
        else:
            await process.streams.write(content)
    except FileError as error:
        await process.complain(str(error) if str(error) == NO_MEMORY else f"{doing}: {error}")
        return 1
    if copying.status != "none":
        whole, part = divmod(len(content), copying.block_bytes)
        records = f"{whole}+{int(part > 0)} records"
        copied = "" if copying.status == "noxfer" else f"{len(content)} bytes copied\n"
        await process.streams.complain(f"{records} in\n{records} out\n{copied}".encode())
    return 0


def _read(process: Process) -> _Copying:
    """Raises `Usage`."""
    given = dict(_KNOWN)
    for word in process.args:
        name, equals, value = word.partition("=")
        if not equals or name not in _KNOWN:
            raise Usage(f"unrecognized operand '{word}'")
        given[name] = value
    block = _number(given["bs"])
    if block == 0:
        raise Usage(f"invalid number '{given['bs']}'")
    most = _number(given["count"]) * block if given["count"] else None
    skipped, sought = _number(given["skip"]) * block, _number(given["seek"]) * block
    conversions = given["conv"].split(",")
    unknown = next((one for one in conversions if one not in _CONVERSIONS), "")
    if unknown:
        raise Usage(f"invalid conversion: '{unknown}'")
    if given["status"] not in _STATUSES:
        raise Usage(f"invalid status level: '{given['status']}'")
    keeps = "notrunc" in conversions
    return _Copying(given["if"], given["of"], block, most, skipped, sought, not keeps, given["status"])


def _number(text: str) -> int:
    found = _NUMBER.fullmatch(text)
    if found is None:
        raise Usage(f"invalid number '{text}'")
    return int(found[1]) * _UNITS[found[2]]


async def _taken(process: Process, copying: _Copying) -> bytes:
    """What is read. Raises `FileError`."""
    coming = process.input(copying.source or "-")
    if isinstance(coming, Endless):
        if copying.most_bytes is None:
            raise FileError(NO_MEMORY)
        return await process.beginning(coming, copying.most_bytes)
    content = await process.content(copying.source or "-")
    end = None if copying.most_bytes is None else copying.skipped_bytes + copying.most_bytes
    return content[copying.skipped_bytes : end]


async def _put(process: Process, copying: _Copying, content: bytes) -> None:
    """Raises `FileError`."""
    tree, path = process.world.tree, process.path(copying.target)
    if copying.sought_bytes or not copying.truncates:
        before = await process.content(copying.target) if tree.has(path) else b""
        gap = copying.sought_bytes - len(before)
        process.hold(max(gap, 0) + len(before) + len(content))
        start = before[: copying.sought_bytes] + bytes(max(gap, 0))
        content = start + content + (b"" if copying.truncates else before[copying.sought_bytes + len(content) :])
    await process.put(copying.target, content)


DD: dict[str, SimulatedProgram] = {
    "dd": SimulatedProgram(
        dd, without_end="reads on", changes="content", changes_nothing=lambda args: not any(word.startswith("of=") for word in args)
    ),
}
