"""What all tests share: `@pytest.mark.virtual_time` runs a test on a virtual event loop, where an hour passes in a blink."""

import gc
import logging
import os
import signal
from asyncio import AbstractEventLoop, new_event_loop
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from importlib import import_module

import pytest
from hypothesis import HealthCheck, settings
from xdist.remote import Producer
from xdist.scheduler import WorkStealingScheduling

from svcsim.virtual_loop import VirtualLoop
from tests.turns import tuned

WALL_S = 120.0
"""Real seconds after which a test on virtual time that never comes to rest is ended."""

GARBAGE_THRESHOLDS = (50_000, 5, 5)
"""A server looks ten times as often, since what it waits for meanwhile is noticed; here only the time that all of it takes counts."""

# How long the machine takes over an example is no property of what is tested.
settings.register_profile("svcsim", deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
settings.load_profile("svcsim")

# A shell that runs the tests in the background has interrupts ignored, and nohup that the terminal is gone: the commands that tests start
# would ignore them too.
signal.signal(signal.SIGINT, signal.default_int_handler)
signal.signal(signal.SIGHUP, signal.SIG_DFL)

# kubectl and its like end before what they leave is worth looking for: that is a quarter of what they take.
os.environ["GOGC"] = "off"

# They do one thing after the other, and threads of theirs that look for work are another fifth.
os.environ["GOMAXPROCS"] = "1"

# Sixteen thousand tests and all kinds are made while tests are collected, none of it is garbage, and all of it stays to the end.
gc.disable()


class _Refusals(logging.Handler):
    """What the server says when a component of the cluster may not do its work."""

    def __init__(self) -> None:
        super().__init__(logging.ERROR)
        self.told: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.told.append(record.getMessage())


_refusals = _Refusals()
logging.getLogger("svcsim.server.filters.authorization").addHandler(_refusals)


@pytest.fixture(autouse=True)
def every_component_may_do_its_work(request: pytest.FixtureRequest) -> Iterator[None]:
    """No controller, node or scheduler of a cluster in this process lacks a right, but where a test takes it away: `refused_components`."""
    _refusals.told.clear()
    yield
    if request.node.get_closest_marker("refused_components") is None:
        assert list(dict.fromkeys(_refusals.told)) == []


@pytest.fixture
def tuned_process() -> Iterator[None]:
    """The process is set up as a server's is."""
    with tuned():
        yield


def pytest_collection(session: pytest.Session) -> None:
    """Of what nobody has loaded before, each worker loads another part, and reads what the others have made of theirs.

    All workers collect all tests. To rewrite assertions, and to compile, takes several times as long as to read what came of it, and
    workers that begin with the same file at the same time would each do it for themselves.
    """
    worker = getattr(session.config, "workerinput", None)
    if worker is None:
        return
    root, asked = session.config.rootpath, session.config.args
    paths = [path for name in asked for path in sorted((session.config.invocation_params.dir / name).rglob("test_*.py"))]
    first = len(paths) * int(worker["workerid"].removeprefix("gw")) // worker["workercount"]
    for path in (*paths[first:], *paths[:first]):
        with suppress(Exception, pytest.skip.Exception):  # whatever is wrong with it is told when its tests are collected
            import_module(".".join(path.relative_to(root).with_suffix("").parts))


def pytest_collection_finish() -> None:
    """What is there from here on is looked at by the garbage collection no more, and the rest seldom: clusters come and go as a whole."""
    gc.freeze()
    gc.set_threshold(*GARBAGE_THRESHOLDS)
    gc.enable()


def pytest_xdist_auto_num_workers() -> int:
    """Three for two processors: a third of the time tests wait, for servers that start, for disks and for clocks."""
    return max(1, (os.cpu_count() or 1) * 3 // 2)


def pytest_xdist_make_scheduler(config: pytest.Config, log: Producer) -> WorkStealingScheduling:
    """Tests that stand together run on the same worker, which so starts the servers that they share once."""
    return WorkStealingScheduling(config, log)


def pytest_asyncio_loop_factories(config: pytest.Config, item: pytest.Item) -> Mapping[str, Callable[[], AbstractEventLoop]]:
    """A virtual loop for tests that are marked so, the usual one for all others; each test has its own."""
    del config
    if item.get_closest_marker("virtual_time") is None:
        return {"real": new_event_loop}
    return {"virtual": lambda: VirtualLoop(WALL_S)}
