"""An object as a run keeps it: packed.

A run follows tens of thousands of objects and keeps thousands of the states they once had. Most are alike, and few are ever looked at.
So what comes of a resource, one after the other, is packed together, in blocks: a pod's JSON takes a twelfth of its length so, and is
packed in a third of the time that it takes by itself. A block stays as long as one of its bodies does, and is unpacked as a whole.
"""

import re
import zlib

import orjson

from svcsim import limits
from svcsim.meta.types import Object

_TYPE = re.compile(rb'\{"(?:kind|apiVersion)":"[^"\\]*","(?:kind|apiVersion)":"[^"\\]*",')
"""How nearly every stored object begins: then others of its resource that begin alike are of its type."""
_LEVEL = 1
_WINDOW_BITS = -15
"""The whole block, and nothing around it."""


class _Held:
    """What all blocks of a run come to in memory, and the one that was read last, unpacked: its neighbours are often read next."""

    __slots__ = ("block", "size_bytes", "text")

    def __init__(self) -> None:
        self.size_bytes = 0
        self.block: _Block | None = None
        self.text = b""


class _Block:
    """Texts, one after the other: as they came until there are enough of them, packed from then on."""

    __slots__ = ("_held", "_packed", "_parts", "_size_bytes", "length")

    def __init__(self, held: _Held) -> None:
        self.length = 0
        self._held = held
        self._parts: list[bytes] = []
        self._packed: bytes | None = None
        self._size_bytes = 0

    def __del__(self) -> None:
        self._held.size_bytes -= self._size_bytes

    def add(self, text: bytes) -> None:
        self._parts.append(text)
        self.length += len(text)
        self._takes(self._size_bytes + len(text))

    def pack(self) -> None:
        """Nothing will be added any more."""
        self._packed = zlib.compress(b"".join(self._parts), _LEVEL, _WINDOW_BITS)
        self._parts = []
        self._takes(len(self._packed))

    def text(self) -> bytes:
        if self._packed is None:
            return b"".join(self._parts)
        held = self._held
        if held.block is not self:
            held.text = zlib.decompress(self._packed, _WINDOW_BITS, self.length)
            held.block = self
        return held.text

    def _takes(self, size_bytes: int) -> None:
        self._held.size_bytes += size_bytes - self._size_bytes
        self._size_bytes = size_bytes


class Body:
    """An object's JSON, packed, and its type, by which most are told apart without being unpacked."""

    __slots__ = ("_block", "_start", "api_version", "kind", "length")

    def __init__(self, api_version: str, kind: str, block: _Block, start: int, length: int) -> None:
        self.api_version = api_version
        self.kind = kind
        self.length = length
        """Of the JSON, in bytes."""
        self._block = block
        self._start = start

    def decode(self) -> Object:
        """The object, decoded anew: the caller's own."""
        obj: Object = orjson.loads(self._block.text()[self._start : self._start + self.length])
        return obj


class Packer:
    """Packs objects, those of a resource together."""

    def __init__(self) -> None:
        self._held = _Held()
        self._open: dict[str, _Block] = {}
        self._types: dict[str, tuple[bytes, str, str]] = {}
        """For each resource how its first object began, and its type."""

    @property
    def held_bytes(self) -> int:
        """What all that was packed takes in memory, as long as there is somebody who keeps it."""
        return self._held.size_bytes

    def pack(self, resource: str, text: bytes) -> Body:
        api_version, kind = self._type(resource, text)
        large = len(text) >= limits.PACKED_TOGETHER_BYTES
        block = (None if large else self._open.pop(resource, None)) or _Block(self._held)
        start = block.length
        block.add(text)
        if block.length < limits.PACKED_TOGETHER_BYTES:
            self._open[resource] = block
        else:
            block.pack()
        return Body(api_version, kind, block, start, len(text))

    def _type(self, resource: str, text: bytes) -> tuple[str, str]:
        known = self._types.get(resource)
        if known is not None and text.startswith(known[0]):
            return known[1], known[2]
        obj = orjson.loads(text)
        told = str(obj.get("apiVersion", "")), str(obj.get("kind", ""))
        if known is None and (begins := _TYPE.match(text)) is not None:
            self._types[resource] = (begins[0], *told)
        return told
