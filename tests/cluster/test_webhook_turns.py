"""However much webhooks answer, others have their turn in between."""

import asyncio
import json
import sys
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import NamedTuple

import pytest

from svcsim.cluster.cluster import open_cluster
from svcsim.cluster.process import bound_threads
from svcsim.cluster.spec import ClusterSpec
from svcsim.meta.http import Request
from svcsim.meta.types import Object, User
from tests.turns import MOST_UNITS, MeasuredLoop, units
from tests.wire.admitting import patched
from tests.wire.reviewing import reviewing, send

ADMIN = User("admin", ("system:masters", "system:authenticated"))
MAPS = "/api/v1/namespaces/default/configmaps"
CONFIGURATIONS = "/apis/admissionregistration.k8s.io/v1/{}webhookconfigurations"
LONG_PATCH = patched(
    {"op": "add", "path": "/data", "value": {}},
    *({"op": "add", "path": f"/data/k{number}", "value": "v" * 2_000} for number in range(3_000)),
)


class Asked(NamedTuple):
    """A webhook of one kind that always answers the same, and requests it is asked about at once."""

    kind: str
    requests: int
    response: Object
    status: int


ASKED = {
    "a patch of megabytes": Asked("mutating", 1, LONG_PATCH, 422),
    "patches of megabytes for many": Asked("mutating", 5, LONG_PATCH, 422),
    "long warnings": Asked("validating", 1, {"allowed": True, "warnings": ["w" * 2_000] * 3_000}, 201),
}


def created(path: str, obj: Object) -> Request:
    return Request("POST", path, user=ADMIN, body=json.dumps(obj).encode())


def longest_turn(asked: Asked, directory: Path) -> float:
    """Processor time of the longest turn of the loop."""

    def answer(handler: BaseHTTPRequestHandler, review: Object) -> None:
        response = {"uid": review["request"]["uid"], **asked.response}
        send(handler, 200, json.dumps({**review, "request": None, "response": response}).encode())

    async def main() -> float:
        bound_threads()
        loop = asyncio.get_running_loop()
        assert isinstance(loop, MeasuredLoop)
        async with open_cluster(ClusterSpec(dialect="kubernetes", nodes=0)) as cluster:
            configuration = {"metadata": {"name": "w"}, "webhooks": [webhook]}
            made = await cluster.pipeline.handle(created(CONFIGURATIONS.format(asked.kind), configuration))
            assert made.status == 201
            assert (await cluster.pipeline.handle(created(MAPS, {"metadata": {"name": "first"}}))).status == asked.status
            loop.longest_s = 0.0
            requests = [created(MAPS, {"metadata": {"name": f"m{number}"}}) for number in range(asked.requests)]
            answers = await asyncio.gather(*map(cluster.pipeline.handle, requests))
            assert {answer.status for answer in answers} == {asked.status}
            return loop.longest_s

    with reviewing(directory, "127.0.0.1") as remote:
        remote.answer = answer
        webhook = remote.webhook("w.example.com")
        with asyncio.Runner(loop_factory=MeasuredLoop) as runner:
            return runner.run(main())


@pytest.mark.skipif(sys.platform != "linux", reason="no processor time of one thread elsewhere")
@pytest.mark.parametrize("name", list(ASKED))
@pytest.mark.usefixtures("tuned_process")
def test_no_webhooks_keep_the_loop_for_long(name: str, tmp_path: Path) -> None:
    assert units(lambda: longest_turn(ASKED[name], tmp_path), MOST_UNITS) < MOST_UNITS
