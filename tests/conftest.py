"""What all tests share: `@pytest.mark.virtual_time` runs a test on a virtual event loop, where an hour passes in a blink."""

from asyncio import AbstractEventLoop, new_event_loop
from collections.abc import Callable, Mapping

import pytest

from svcsim.clock import VirtualLoop

WALL_S = 30.0
"""Real seconds after which a test on virtual time that never comes to rest is ended."""


def pytest_asyncio_loop_factories(config: pytest.Config, item: pytest.Item) -> Mapping[str, Callable[[], AbstractEventLoop]]:
    """A virtual loop for tests that are marked so, the usual one for all others; each test has its own."""
    del config
    mark = item.get_closest_marker("virtual_time")
    if mark is None:
        return {"real": new_event_loop}
    wall_s = mark.kwargs.get("wall_s", WALL_S)
    return {"virtual": lambda: VirtualLoop(wall_s)}
