"""Why DaemonSets are as they are."""

from tests.printing.why.explaining import NOW, explained, owned_pod

STATUS = {"observedGeneration": 1, "desiredNumberScheduled": 1, "numberReady": 1, "updatedNumberScheduled": 1}


def test_a_daemon_set_whose_pods_are_not_ready_for_long_enough_is_not_fine() -> None:
    one = {"spec": {"minReadySeconds": 600}, "status": STATUS}
    verdict = explained("apps", "DaemonSet", one, pods=[owned_pod("it-a")])
    assert (verdict.state, verdict.fine) == ("has all its pods ready, and not yet available", False)
    assert verdict.because == ("Pods count as available once they have been ready for 600s: 0 of 1 have.",)
    assert [coming.at for coming in verdict.then] == [NOW + 590]
    assert explained("apps", "DaemonSet", {**one, "status": {**STATUS, "numberAvailable": 1}}).fine


def test_a_daemon_set_says_that_a_pod_on_its_way_out_is_waited_for() -> None:
    leaving = owned_pod("it-a", leaving=True, nodeName="node-1")
    one = {"spec": {}, "status": {**STATUS, "updatedNumberScheduled": 0}}
    verdict = explained("apps", "DaemonSet", one, pods=[leaving])
    assert verdict.state == "has 1 of 1 pod ready, one for each node that fits (1 of them on its way out)"
    assert verdict.because[1] == "it-a is being deleted: no other is made on its node before it is gone."
    assert verdict.below == (leaving,)
    beside = explained("apps", "DaemonSet", {"status": STATUS}, pods=[leaving, owned_pod("it-b", nodeName="node-1")])
    assert (beside.fine, beside.below) == (True, (leaving,)), "where another is there already, nothing waits for it"


def test_a_daemon_set_says_that_a_new_pod_has_to_be_ready_for_a_while_before_the_next_is_made() -> None:
    one = {"spec": {"minReadySeconds": 60}, "status": {**STATUS, "updatedNumberScheduled": 0, "numberAvailable": 1}}
    verdict = explained("apps", "DaemonSet", one, pods=[owned_pod("it-new")])
    assert verdict.because[1:] == ("it-new is ready, and counts as available after 60s of that.",)
    assert [(coming.text, coming.at) for coming in verdict.then] == [("it is available", NOW + 50)]
