"""What was found out about a JSON value is true of every value that is spelled alike.

Ten thousand pods of one template differ in a name. What takes long to find out about the rest of them is found out once, and known by a
digest of its bytes from then on, which is taken several times as quickly as the value is walked.
"""

from collections.abc import Callable
from hashlib import blake2b
from threading import Lock
from typing import Generic, TypeVar

from svcsim import limits
from svcsim.meta.codec import encode
from svcsim.meta.types import Json

T = TypeVar("T")


class FoundBefore(Generic[T]):
    """A function of a value alone, asked once about values that are alike. Who is given what it found doesn't change it."""

    def __init__(self, find: Callable[[Json], T]) -> None:
        self.find = find
        self._found: dict[bytes, tuple[T, int]] = {}
        """By digest, with what it takes; the oldest first."""
        self._bytes = 0
        self._changing = Lock()
        """Long values are looked at on threads of their own."""

    def __call__(self, value: Json) -> T:
        body = encode(value)
        digest = blake2b(body, digest_size=16).digest()
        known = self._found.get(digest)
        if known is not None:
            return known[0]
        found = self.find(value)
        self._keep(digest, found, self._kept_bytes(len(body)))
        return found

    def _kept_bytes(self, size_bytes: int) -> int:
        """What it takes to keep what was found of a value that is so long: about as much, where it isn't known better."""
        return size_bytes

    def _keep(self, digest: bytes, found: T, size_bytes: int) -> None:
        with self._changing:
            if digest in self._found or size_bytes > limits.FOUND_BEFORE_BYTES:
                return
            self._found[digest] = found, size_bytes
            self._bytes += size_bytes
            while self._bytes > limits.FOUND_BEFORE_BYTES:
                self._bytes -= self._found.pop(next(iter(self._found)))[1]


class FoundTruth(FoundBefore[bool]):
    """Whether something is so of a value, which takes little to keep, however long the value is."""

    def _kept_bytes(self, size_bytes: int) -> int:
        return min(size_bytes, limits.FOUND_TRUTH_BYTES)
