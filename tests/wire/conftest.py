"""One server a dialect for the whole session, and a namespace a test; where webhooks are asked, one a dialect for each module."""

import gc
import warnings
from collections.abc import Iterator

import pytest

from svcsim.dialect import DIALECTS
from tests.process import served
from tests.wire.admitting import Hooks, admitting
from tests.wire.raw import Wire


@pytest.fixture(scope="session")
def svcapi_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Wire]:
    yield from _wire(tmp_path_factory, "svcapi")


@pytest.fixture(scope="session")
def kubernetes_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Wire]:
    yield from _wire(tmp_path_factory, "kubernetes")


def _wire(tmp_path_factory: pytest.TempPathFactory, dialect: str) -> Iterator[Wire]:
    with served(tmp_path_factory.mktemp(dialect), dialect, "--durability", "process", "--nodes", "2", "--seed", "1") as server:
        wire = Wire(server)
        yield wire
        wire.close()
        assert wire.complaints() == [], "nothing unforeseen happened in the server"


@pytest.fixture(params=list(DIALECTS))
def wire(request: pytest.FixtureRequest) -> Wire:
    """The server, once in each dialect."""
    return request.getfixturevalue(f"{request.param}_server")


@pytest.fixture
def ns(wire: Wire) -> str:
    """A namespace of the test's own."""
    return wire.namespace()


@pytest.fixture
def maps(ns: str) -> str:
    """The path of the config maps there."""
    return f"/api/v1/namespaces/{ns}/configmaps"


@pytest.fixture(scope="module", params=list(DIALECTS))
def hooked_cluster(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Hooks]:
    with admitting(tmp_path_factory.mktemp("cluster"), request.param) as hooks:
        yield hooks


@pytest.fixture
def hooks(hooked_cluster: Hooks) -> Iterator[Hooks]:
    """A cluster that asks webhooks, of which none is there yet, once in each dialect."""
    with hooked_cluster.once() as hooks:
        yield hooks


@pytest.fixture
def left_to_the_collector() -> Iterator[None]:
    """Client libraries leave some of their sockets to the collector, which is to find them here and not in somebody else's test."""
    yield
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ResourceWarning)
        gc.collect()
