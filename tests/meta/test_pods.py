"""What is said of pods in more than one place is said once."""

import pytest

from svcsim.meta import pods


@pytest.mark.parametrize(
    ("pod", "finished", "active"),
    [
        ({}, False, True),
        ({"status": None}, False, True),
        ({"status": {"phase": "Running"}}, False, True),
        ({"status": {"phase": "Succeeded"}}, True, False),
        ({"status": {"phase": "Failed"}}, True, False),
        ({"metadata": {"deletionTimestamp": "2026-01-01T00:00:00Z"}, "status": {"phase": "Running"}}, False, False),
    ],
)
def test_which_pods_have_finished_and_which_count(pod, finished, active):
    assert (pods.is_finished(pod), pods.is_active(pod)) == (finished, active)


def test_a_pod_is_ready_when_its_condition_says_so():
    assert pods.is_ready({"status": {"conditions": [{"type": "Ready", "status": "True"}]}})
    assert not pods.is_ready({"status": {"conditions": [{"type": "Ready", "status": "False"}]}})
    assert not pods.is_ready({})


def test_sidecars_are_the_init_containers_that_always_restart():
    stays, ends = {"name": "proxy", "restartPolicy": "Always"}, {"name": "setup"}
    assert pods.sidecars({"initContainers": [ends, stays], "containers": [{"name": "main"}]}) == [stays]
    assert pods.sidecars({}) == []


def test_a_pod_s_node():
    assert pods.node_of({"spec": {"nodeName": "node-1"}}) == "node-1"
    assert pods.node_of({}) == ""
