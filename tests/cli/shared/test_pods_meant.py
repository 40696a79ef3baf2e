"""Which of a workload's pods is asked where the workload is named."""

import io

import pytest

from svcsim.cli.flags import GLOBAL_FLAGS, parse
from svcsim.cli.shared.pods_meant import pod_meant
from svcsim.cli.shared.session import Session
from tests.cli.objects import make

NOON, LATER = "2026-01-01T12:00:00Z", "2026-01-01T13:00:00Z"


def pod(name, *, ready_since=None, going=False, node="n1", phase="Running", restarts=0):
    metadata = {"namespace": "default", "labels": {"app": "shop"}, "creationTimestamp": NOON}
    if going:
        metadata["deletionTimestamp"] = LATER
    ready = {"type": "Ready", "status": "True" if ready_since else "False", "lastTransitionTime": ready_since or NOON}
    status = {"phase": phase, "conditions": [ready], "containerStatuses": [{"name": "a", "restartCount": restarts}]}
    return make("Pod", name, metadata=metadata, spec={"nodeName": node, "containers": [{"name": "a"}]}, status=status)


@pytest.fixture
def meant(stub):
    def ask(*pods):
        selector = {"matchLabels": {"app": "shop"}}
        stub.put(make("Deployment", "shop", "apps/v1", metadata={"namespace": "default"}, spec={"selector": selector}))
        for one in pods:
            stub.put(one)
        _, options = parse(GLOBAL_FLAGS, ["--server", stub.url])
        session = Session(options, err=io.StringIO())
        found = pod_meant(session, "deployment/shop", 1.0)[1]["metadata"]["name"]
        session.close()
        return found

    return ask


def test_the_one_that_is_ready_and_that_for_long(meant):
    assert meant(pod("a-new", ready_since=LATER), pod("b-starting"), pod("c-old", ready_since=NOON)) == "c-old"


def test_not_one_that_is_on_its_way_out_after_a_rollout_where_another_is_ready(meant):
    assert meant(pod("a-old", ready_since=NOON, going=True), pod("b-new", ready_since=LATER)) == "b-new"


def test_one_on_its_way_out_where_no_other_is_ready(meant):
    assert meant(pod("a-new", restarts=3), pod("b-old", ready_since=NOON, going=True)) == "b-old"


def test_one_that_is_placed_before_one_that_waits(meant):
    assert meant(pod("a-waits", node="", phase="Pending"), pod("b-pulls", phase="Pending")) == "b-pulls"
