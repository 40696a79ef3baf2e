"""What all tests share: `@pytest.mark.virtual_time` runs a test on a virtual event loop, where an hour passes in a blink."""

from asyncio import AbstractEventLoop
from collections.abc import Callable, Mapping

import pytest

from svcsim.clock import VirtualLoop

WALL_S = 30.0
"""Real seconds after which a test on virtual time that never comes to rest is ended."""


def pytest_asyncio_loop_factories(config: pytest.Config, item: pytest.Item) -> Mapping[str, Callable[[], AbstractEventLoop]] | None:
    """The virtual loop for tests that are marked so, each with a loop of its own; pytest-asyncio's own loop for all others."""
    del config
    mark = item.get_closest_marker("virtual_time")
    if mark is None:
        return None
    wall_s = mark.kwargs.get("wall_s", WALL_S)
    return {"virtual": lambda: VirtualLoop(wall_s)}
