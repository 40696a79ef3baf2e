"""How long a request takes is its client's matter: it goes by the machine's time, whatever the cluster's clock does."""

from collections.abc import Iterator

import pytest

from svcsim.dialect import DIALECTS
from tests.process import served
from tests.wire.raw import Wire

CLOCK = "/svcsim/v1/clock"
MAPS = "/api/v1/namespaces/default/configmaps"


@pytest.fixture(scope="module", params=list(DIALECTS))
def paused(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Wire]:
    """A server whose clock stands, once in each dialect."""
    with served(tmp_path_factory.mktemp("paused"), request.param, "--clock", "paused", "--nodes", "0", "--durability", "process") as server:
        wire = Wire(server)
        yield wire
        wire.close()


def test_a_watch_ends_when_its_time_is_over_though_the_clock_stands(paused: Wire):
    with paused.watch(MAPS, resourceVersion=paused.revision(), labelSelector="of=test", timeoutSeconds=1) as events:
        assert list(events) == []


def test_a_watch_outlives_a_step_of_the_clock(paused: Wire):
    with paused.watch(MAPS, resourceVersion=paused.revision(), labelSelector="of=test", timeoutSeconds=600) as events:
        step = paused.ask("PUT", CLOCK, {"step": 7200})
        assert step.status == 200, step.body
        paused.create(MAPS, {"metadata": {"name": paused.fresh(), "labels": {"of": "test"}}})
        assert events.take(1)[0]["type"] == "ADDED"


def test_a_list_of_a_revision_to_come_is_refused_though_the_clock_stands(paused: Wire):
    answer = paused.ask("GET", MAPS, resourceVersion=str(10**9))
    assert (answer.status, answer.reason) == (504, "Timeout")
