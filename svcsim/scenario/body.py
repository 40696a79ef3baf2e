"""An object as a run keeps it: packed.

A run follows tens of thousands of objects and keeps thousands of the states they once had. Most are alike, and few are ever looked at: a
pod's JSON packs into an eighth of its length where another pod's is the dictionary, and holds nothing that a garbage collector would have
to look through again and again.
"""

import re
import zlib
from typing import NamedTuple

import orjson

from svcsim.meta.types import Object

_TYPE = re.compile(rb'\{"(?:kind|apiVersion)":"[^"\\]*","(?:kind|apiVersion)":"[^"\\]*",')
"""How nearly every stored object begins: then others of its resource that begin alike are of its type."""
_LEVEL = 1
_WINDOW_BITS = 13
_MEMORY_LEVEL = 5
"""Small tables, which are quickly made, for small texts."""


class Body:
    """An object's JSON, packed, and its type, by which most are told apart without being unpacked."""

    __slots__ = ("_dictionary", "_packed", "api_version", "kind")

    def __init__(self, api_version: str, kind: str, text: bytes, dictionary: bytes) -> None:
        self.api_version = api_version
        self.kind = kind
        packer = zlib.compressobj(_LEVEL, zlib.DEFLATED, -_WINDOW_BITS, _MEMORY_LEVEL, zdict=dictionary)
        self._packed = packer.compress(text) + packer.flush()
        self._dictionary = dictionary

    @property
    def size_bytes(self) -> int:
        """What it takes in memory, nearly."""
        return len(self._packed)

    def decode(self) -> Object:
        """The object, decoded anew: the caller's own."""
        unpacker = zlib.decompressobj(-_WINDOW_BITS, self._dictionary)
        obj: Object = orjson.loads(unpacker.decompress(self._packed) + unpacker.flush())
        return obj


class _First(NamedTuple):
    """The first object of a resource: how it begins, of which type it is, and the dictionary it is for others."""

    beginning: bytes
    api_version: str
    kind: str
    dictionary: bytes


class Packer:
    """Packs objects, with the first of each resource as the dictionary of all the others."""

    def __init__(self) -> None:
        self._first: dict[str, _First] = {}

    def pack(self, resource: str, text: bytes) -> Body:
        first = self._first.get(resource)
        if first is None or not text.startswith(first.beginning):
            begins = _TYPE.match(text)
            obj = orjson.loads(text)
            told = str(obj.get("apiVersion", "")), str(obj.get("kind", ""))
            if first is not None or begins is None:
                return Body(*told, text, b"" if first is None else first.dictionary)
            first = self._first[resource] = _First(begins[0], *told, text[: 1 << _WINDOW_BITS])
        return Body(first.api_version, first.kind, text, first.dictionary)
