"""A server, and `svcsim webhook serve` beside it, which leaves nothing behind."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from svcsim.dialect import DIALECTS
from tests.cli.verbs.serving import Serving
from tests.process import served
from tests.wire.raw import Wire


@pytest.fixture(scope="module", params=DIALECTS)
def serving_cluster(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Wire, Path]]:
    with served(tmp_path_factory.mktemp("serving"), request.param, "--nodes", "0", "--ephemeral") as server:
        wire = Wire(server)
        yield wire, Path(server.kubeconfig)
        wire.close()


@pytest.fixture
def serving(serving_cluster: tuple[Wire, Path], tmp_path: Path) -> Iterator[Serving]:
    serving = Serving(*serving_cluster, tmp_path)
    yield serving
    for process in list(serving.running):
        serving.end(process)
    assert serving.registered() == []
