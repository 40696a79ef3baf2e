"""However many wait for a webhook that hangs, whom it doesn't concern is served."""

import json
import threading

from svcsim import limits
from svcsim.meta.types import Object
from tests.waiting import WAIT_S, until
from tests.wire.admitting import ALLOWED, Hooks

MAPS = "/api/v1/namespaces/default/configmaps"


def test_more_writes_than_may_be_under_way_wait_for_a_webhook_and_others_go_on(hooks: Hooks) -> None:
    go_on = threading.Event()

    def answer(_: Object) -> Object:
        assert go_on.wait(WAIT_S)
        return dict(ALLOWED)

    hooks.configure("validating", "slow", hooks.webhook(answer, timeoutSeconds=30))
    wire = hooks.wire
    headers = {"Authorization": f"Bearer {wire.token}", "Content-Type": "application/json"}
    waiting = [wire.connect() for _ in range(limits.WRITES_IN_FLIGHT + 20)]
    for connection in waiting:
        connection.request("POST", MAPS, json.dumps({"metadata": {"name": wire.fresh()}}).encode(), headers)
    until(lambda: len(hooks.reviews) >= limits.OUTBOUND_CALLS)
    secrets = MAPS.replace("configmaps", "secrets")
    answers = [wire.ask("POST", secrets, {"metadata": {"name": wire.fresh()}}).status for _ in range(20)]
    go_on.set()
    assert answers == [201] * 20
    assert [connection.getresponse().status for connection in waiting] == [201] * len(waiting)
    for connection in waiting:
        connection.close()
