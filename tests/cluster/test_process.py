"""The process gives back what it no longer needs."""

import sys

import pytest

from svcsim.cluster.process import give_back_memory, resident_bytes

PIECE_BYTES = 50_000
"""So small that the C library takes it from its heap, where what lies above keeps it from giving back what lies below."""


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere the C library looks after that itself")
async def test_what_was_freed_is_given_back():
    pieces = [bytes([1]) * PIECE_BYTES for _ in range(4_000)]
    last = pieces[-1]
    high = resident_bytes()
    del pieces
    await give_back_memory()
    assert resident_bytes() < high - 3_000 * PIECE_BYTES
    assert last[0] == 1
