"""What a refused request held is gone with its answer: no search for garbage is needed, which comes only every so many requests."""

import gc
import json
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler
from pathlib import Path

import pytest

from svcsim.cluster.cluster import open_cluster
from svcsim.cluster.spec import ClusterSpec
from svcsim.meta.errors import StatusError
from svcsim.meta.http import Request
from svcsim.meta.types import Object, User
from tests.waiting import until
from tests.wire.reviewing import reviewing, send

ADMIN = User("admin", ("system:masters", "system:authenticated"))
CONFIGURATIONS = "/apis/admissionregistration.svcapi.io/v1/{}webhookconfigurations"
MAPS = "/api/v1/namespaces/default/configmaps"
LONG = "x" * 100_000
QUIET = ClusterSpec(nodes=0, controllers=("-scheduler", "-nodes"))
"""Nobody but the test is refused anything meanwhile."""


@contextmanager
def no_search() -> Iterator[None]:
    """Garbage is looked for before this, and not while it lasts."""
    gc.collect()
    gc.disable()
    try:
        yield
    finally:
        gc.enable()


def left() -> list[str]:
    """Refusals that are still there."""
    return [str(one)[:100] for one in gc.get_objects() if isinstance(one, StatusError)]


def body(obj: Object) -> dict[str, bytes]:
    return {"body": json.dumps(obj).encode()}


async def test_of_what_isnt_there_or_may_not_be_nothing_is_left() -> None:
    async with open_cluster(QUIET) as cluster:
        asked = (
            (404, Request("GET", f"{MAPS}/none", user=ADMIN)),
            (403, Request("GET", MAPS, user=User("jane", ("system:authenticated",)))),
            (422, Request("POST", MAPS, user=ADMIN, **body({"metadata": {"name": "A B"}}))),
            (400, Request("POST", MAPS, user=ADMIN, body=b"no")),
        )
        with no_search():
            assert [(await cluster.pipeline.handle(request)).status for _, request in asked] == [code for code, _ in asked]
            assert left() == []


@pytest.mark.parametrize("kind", ["validating", "mutating"])
async def test_of_what_a_webhook_denies_nothing_is_left(tmp_path: Path, kind: str) -> None:
    def deny(handler: BaseHTTPRequestHandler, review: Object) -> None:
        response = {"uid": review["request"]["uid"], "allowed": False, "status": {"code": 403, "message": LONG}}
        send(handler, 200, json.dumps({**review, "request": None, "response": response}).encode())

    with reviewing(tmp_path, "127.0.0.1") as remote:
        remote.answer = deny
        webhook = remote.webhook("w.example.com")
        async with open_cluster(QUIET) as cluster:
            configuration = body({"metadata": {"name": "w"}, "webhooks": [webhook, {**webhook, "name": "v.example.com"}]})
            made = await cluster.pipeline.handle(Request("POST", CONFIGURATIONS.format(kind), user=ADMIN, **configuration))
            assert made.status == 201
            with no_search():
                answer = await cluster.pipeline.handle(Request("POST", MAPS, user=ADMIN, **body({"metadata": {"name": "m"}})))
                assert (answer.status, json.loads(answer.body)["message"].endswith(f"denied the request: {LONG}")) == (403, True)
                until(lambda: not left())  # the thread that spelled the long answer out lets go of it in its own time
