"""A request that gets stuck is ended, not waited for."""

import json
from pathlib import Path

import pytest

from svcsim import limits
from svcsim.admission.chain import Chain
from svcsim.admission.plugin import ANY, Rule
from svcsim.clock import Clock
from svcsim.registry.admission import AdmissionRequest
from svcsim.storage.store import LmdbStore
from tests.server.conftest import Server
from tests.virtual import START_S


class Stuck:
    """Admission that takes an hour over everything."""

    name = "Stuck"
    rules = (Rule(("CREATE",), ("*",), ANY),)

    def __init__(self, clock: Clock) -> None:
        self._clock = clock

    async def validate(self, request: AdmissionRequest) -> None:
        await self._clock.sleep(3600)


@pytest.mark.virtual_time
async def test_a_write_that_takes_too_long_is_504_and_nobody_is_told_to_write_it_again(tmp_path: Path) -> None:
    store = LmdbStore.open(tmp_path / "store", dialect="svcapi", durability="none", threads=False)
    server = Server(store, "svcapi")
    clock = Clock(START_S)
    server.core.admission = Chain((Stuck(clock),))
    response = await server.ask("POST", "/api/v1/namespaces/default/configmaps", {"metadata": {"name": "x"}})
    assert response.status == 504
    answer = json.loads(response.body)
    assert (answer["reason"], answer["details"]) == ("Timeout", {})
    assert "Retry-After" not in response.headers, "it may still come to pass"
    assert clock.now() == START_S + limits.REQUEST_S
    await store.close()
