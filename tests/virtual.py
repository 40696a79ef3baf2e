"""Running a test's coroutine on virtual time: an hour of the cluster's life passes in a blink."""

import asyncio
from collections.abc import Coroutine
from typing import Any, TypeVar

from svcsim.virtual_loop import VirtualLoop

T = TypeVar("T")

START_S = 1_767_225_600.0
"""2026-01-01T00:00:00Z, where virtual clocks in tests begin."""


def run_virtual(main: Coroutine[Any, Any, T], wall_s: float = 120.0) -> T:
    """Run ``main`` to its end on a loop of its own; whatever it left running is cancelled."""
    with asyncio.Runner(loop_factory=lambda: VirtualLoop(wall_s)) as runner:
        return runner.run(main)
