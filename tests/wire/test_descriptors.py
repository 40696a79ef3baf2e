"""A server that may open few files: whoever else is connected to, and however many clients there are, it goes on."""

import resource
import socket
import threading
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from svcsim.dialect import DIALECTS
from tests.process import served
from tests.wire.raw import Wire

DESCRIPTORS = 256
MAPS = "/api/v1/namespaces/default/configmaps"


@pytest.fixture(params=list(DIALECTS))
def wire(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Wire]:
    options = ("--nodes", "0", "--durability", "process")
    with served(tmp_path, request.param, *options, limits={resource.RLIMIT_NOFILE: DESCRIPTORS}) as server:
        wire = Wire(server)
        yield wire
        wire.close()


def test_webhooks_that_never_answer_leave_some_for_clients(wire: Wire) -> None:
    """Six requests that hundred webhooks each are asked about, all of which would take more than there are."""
    group = wire.dialect.group("admissionregistration")
    with ExitStack() as stack:
        silent = [stack.enter_context(socket.create_server(("127.0.0.1", 0), backlog=1_000)) for _ in range(10)]
        webhooks = [
            {
                "name": f"w{number}.example.com",
                "clientConfig": {"url": f"https://127.0.0.1:{silent[number % 10].getsockname()[1]}/"},
                "rules": [{"operations": ["CREATE"], "apiGroups": [""], "apiVersions": ["v1"], "resources": ["configmaps"]}],
                "failurePolicy": "Ignore",
                "timeoutSeconds": 1,
                "sideEffects": "None",
                "admissionReviewVersions": ["v1"],
            }
            for number in range(100)
        ]
        wire.create(f"/apis/{group}/v1/validatingwebhookconfigurations", {"metadata": {"name": "silent"}, "webhooks": webhooks})
        made: list[int] = []

        def make(number: int) -> None:
            own = Wire(wire.server)
            made.append(own.ask("POST", MAPS, {"metadata": {"name": f"m{number}"}}).status)
            own.close()

        threads = [threading.Thread(target=make, args=(number,)) for number in range(6)]
        for thread in threads:
            thread.start()
        while any(thread.is_alive() for thread in threads):
            newcomer = Wire(wire.server)
            assert newcomer.ask("GET", "/readyz").status == 200
            newcomer.close()
        assert made == [201] * 6
    assert "context deadline exceeded: its failure policy lets the request through" in wire.server.log
    assert "too many open files" not in wire.server.log.lower()
    assert wire.complaints() == []


def test_clients_that_take_them_all_keep_others_out_only_while_they_stay(wire: Wire) -> None:
    with ExitStack() as stack:
        for _ in range(2 * DESCRIPTORS):
            stack.enter_context(socket.create_connection(("127.0.0.1", wire.server.port)))
    while True:  # the server hears of it as soon as it gets round to that
        newcomer = Wire(wire.server)
        try:
            assert newcomer.ask("GET", "/readyz").status == 200
        except OSError:
            continue
        finally:
            newcomer.close()
        break
    assert wire.ask("POST", MAPS, {"metadata": {"name": "m"}}).status == 201
    assert wire.complaints() == []
