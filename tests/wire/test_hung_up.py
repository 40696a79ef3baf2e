"""Who hangs up wants nothing any more: what waits for a webhook ends, is not written, and is recorded."""

import json
import threading

import pytest

from svcsim.meta.types import Object
from tests.waiting import WAIT_S, until
from tests.wire.admitting import ALLOWED, Hooks

MAPS = "/api/v1/namespaces/default/configmaps"


def given_up(hooks: Hooks) -> int:
    """How many creations of config maps ended without an answer."""
    lines = hooks.wire.ask("GET", "/metrics").body.decode().splitlines()
    found = [line for line in lines if line.startswith("apiserver_request_total{") and 'code="504"' in line and '"configmaps"' in line]
    return sum(int(float(line.rpartition(" ")[2])) for line in found)


@pytest.mark.parametrize("kind", ["mutating", "validating"])
@pytest.mark.parametrize("policy", ["Fail", "Ignore"])
def test_what_waits_for_a_webhook_ends_with_who_asked(hooks: Hooks, kind: str, policy: str) -> None:
    go_on = threading.Event()

    def answer(_: Object) -> Object:
        assert go_on.wait(WAIT_S)
        return dict(ALLOWED)

    hooks.configure(kind, "slow", hooks.webhook(answer, failurePolicy=policy, timeoutSeconds=30))
    wire, name = hooks.wire, hooks.wire.fresh()
    before = given_up(hooks)
    connection = wire.connect()
    headers = {"Authorization": f"Bearer {wire.token}", "Content-Type": "application/json"}
    connection.request("POST", MAPS, json.dumps({"metadata": {"name": name}}).encode(), headers)
    until(lambda: bool(hooks.asked))
    connection.close()
    until(lambda: given_up(hooks) == before + 1)
    go_on.set()
    assert wire.ask("GET", f"{MAPS}/{name}").status == 404
