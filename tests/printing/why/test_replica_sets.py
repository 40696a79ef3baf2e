"""Why ReplicaSets are as they are."""

from tests.printing.why.explaining import explained, owned_pod


def test_a_replica_set_that_has_all_it_needs_tells_of_pods_that_are_still_on_their_way_out() -> None:
    leaving = owned_pod("it-b", leaving=True)
    status = {"observedGeneration": 1, "replicas": 1, "readyReplicas": 1}
    verdict = explained("apps", "ReplicaSet", {"spec": {"replicas": 1}, "status": status}, pods=[owned_pod("it-a"), leaving])
    assert (verdict.state, verdict.fine, verdict.below) == ("has 1 of 1 pod ready", True, (leaving,))


def test_more_pods_than_are_wanted_are_told_as_such() -> None:
    status = {"observedGeneration": 1, "replicas": 3, "readyReplicas": 3}
    verdict = explained("apps", "ReplicaSet", {"spec": {"replicas": 1}, "status": status})
    assert (verdict.state, verdict.because) == ("has 3 pods ready, and 1 wanted", ("2 pods more than wanted are still there.",))
