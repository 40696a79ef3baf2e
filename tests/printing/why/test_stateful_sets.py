"""Why StatefulSets are as they are: pods that come one after the other, and updates."""

import pytest

from svcsim.meta.types import Object
from tests.printing.why.explaining import NOW, condition, explained


def test_a_stateful_set_waits_for_the_first_pod_that_is_not_ready() -> None:
    owner = [{"uid": "u1", "controller": True}]
    pods = [
        {"metadata": {"name": f"it-{n}", "ownerReferences": owner}, "status": {"conditions": [condition("Ready", "False")]}}
        for n in (10, 2)
    ]
    status = {"observedGeneration": 1, "replicas": 2, "readyReplicas": 0}
    verdict = explained("apps", "StatefulSet", {"spec": {"replicas": 11}, "status": status}, pods=pods)
    assert [one["metadata"]["name"] for one in verdict.below] == ["it-2"]
    assert verdict.because == ("Its pods come one after the other: no other is made or replaced before it-2 is ready.",)
    parallel = {"spec": {"replicas": 11, "podManagementPolicy": "Parallel"}, "status": status}
    assert len(explained("apps", "StatefulSet", parallel, pods=pods).below) == 2


def test_an_update_that_is_held_back_on_purpose_is_fine_and_says_so() -> None:
    status = {
        "observedGeneration": 1,
        "replicas": 3,
        "readyReplicas": 3,
        "updatedReplicas": 1,
        "currentRevision": "a",
        "updateRevision": "b",
    }
    held = {"spec": {"replicas": 3, "updateStrategy": {"rollingUpdate": {"partition": 2}}}, "status": status}
    verdict = explained("apps", "StatefulSet", held)
    assert (verdict.fine, verdict.because) == (True, ("Pods below number 2 keep their earlier template (partition).",))
    held["spec"]["ordinals"] = {"start": 5}
    assert explained("apps", "StatefulSet", held).because == ("Pods below number 7 keep their earlier template (partition).",)


@pytest.mark.parametrize(
    ("spec", "revision", "stuck"),
    [
        ({}, "old", True),
        ({}, "new", False),
        ({"updateStrategy": {"type": "OnDelete"}}, "old", False),
        ({"updateStrategy": {"rollingUpdate": {"partition": 1}}}, "old", False),
        ({"podManagementPolicy": "Parallel"}, "old", False),
    ],
)
def test_a_broken_pod_of_an_earlier_template_has_to_be_deleted_by_hand(spec: Object, revision: str, *, stuck: bool) -> None:
    labels = {"controller-revision-hash": revision}
    broken = {
        "metadata": {"name": "it-0", "labels": labels, "ownerReferences": [{"uid": "u1", "controller": True}]},
        "status": {"phase": "Pending", "conditions": [condition("Ready", "False")]},
    }
    status = {"observedGeneration": 1, "replicas": 1, "currentRevision": "old", "updateRevision": "new"}
    verdict = explained("apps", "StatefulSet", {"spec": {"replicas": 1, **spec}, "status": status}, pods=[broken])
    assert any("has to be deleted by hand" in text and "svcsim delete pod it-0 -n default" in text for text in verdict.because) == stuck
    assert not any("no other is made" in text for text in verdict.because), "there are no others"
    assert verdict.below == (broken,)


def test_a_stateful_set_makes_no_more_pods_before_the_last_counts_as_available() -> None:
    since = condition("Ready", "True", lastTransitionTime="2026-01-01T00:59:50Z")
    ready = {"metadata": {"name": "it-0", "ownerReferences": [{"uid": "u1", "controller": True}]}, "status": {"conditions": [since]}}
    status = {"observedGeneration": 1, "replicas": 1, "readyReplicas": 1, "availableReplicas": 0}
    verdict = explained("apps", "StatefulSet", {"spec": {"replicas": 2, "minReadySeconds": 30}, "status": status}, pods=[ready])
    assert verdict.because == ("Its pods come one after the other: the next waits until the last has been ready for minReadySeconds.",)
    assert verdict.then == (("the next pod is made", NOW + 20),)
    whole = explained("apps", "StatefulSet", {"spec": {"replicas": 1, "minReadySeconds": 30}, "status": status}, pods=[ready])
    assert whole.state == "has all its pods ready, and not yet available"
