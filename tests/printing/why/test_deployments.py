"""Why Deployments are as they are: rollouts that wait, are paused or make no progress."""

from tests.printing.why.explaining import condition, explained, owned_pod


def test_a_rollout_that_has_all_it_needs_and_waits_for_old_pods_says_so() -> None:
    status = {"observedGeneration": 1, "replicas": 4, "updatedReplicas": 3, "availableReplicas": 3}
    verdict = explained("apps", "Deployment", {"spec": {"replicas": 3}, "status": status})
    assert verdict.state == "is being rolled out: it has 3 of 3 replicas available"
    assert verdict.because == ("1 pod more than wanted is still there.",)


def test_a_paused_deployment_and_one_without_progress() -> None:
    stuck = condition("Progressing", "False", "ProgressDeadlineExceeded")
    status = {"observedGeneration": 1, "replicas": 2, "updatedReplicas": 1, "availableReplicas": 1, "conditions": [stuck]}
    spec = {"replicas": 2, "template": {}, "selector": {"matchLabels": {"a": "b"}}}
    verdict = explained("apps", "Deployment", {"spec": spec, "status": status}, sets=[])
    assert verdict.state == "makes no progress: it has 1 of 2 replicas available"
    assert verdict.because == ("1 replica of 2 is of its present template.", "It has no ReplicaSet yet.")
    paused = explained("apps", "Deployment", {"spec": {**spec, "paused": True}, "status": status})
    assert paused.because[0].startswith("It is paused (spec.paused)")


def test_a_paused_deployment_without_pods_says_that_none_is_made() -> None:
    paused = {"spec": {"replicas": 1, "paused": True}, "status": {"observedGeneration": 1}}
    told = "It is paused (spec.paused), so no pod is made from its present template: rollout resume lets it go on."
    assert explained("apps", "Deployment", paused, sets=[]).because[0] == told


def test_a_deployment_that_is_made_anew_waits_until_its_old_pods_have_ended() -> None:
    owner = [{"uid": "u1", "controller": True}]
    old = {"metadata": {"name": "old", "uid": "s1", "ownerReferences": owner}, "spec": {"replicas": 0, "template": {"a": 1}}}
    spec = {"replicas": 3, "strategy": {"type": "Recreate"}, "template": {"a": 2}, "selector": {"matchLabels": {"a": "b"}}}
    deployment = {"spec": spec, "status": {"observedGeneration": 1}}
    pods = [owned_pod("old-a", "s1", leaving=True), owned_pod("old-b", "s1", leaving=True)]
    waits = "No pod of it is made before all of earlier templates have ended (strategy Recreate)."
    verdict = explained("apps", "Deployment", deployment, sets=[old], pods=pods)
    assert verdict.because == ("0 replicas of 3 are of its present template.", f"{waits} old-a and old-b are being deleted.")
    assert verdict.below == tuple(pods)
    spec["strategy"] = {"type": "RollingUpdate"}
    assert len(explained("apps", "Deployment", deployment, sets=[old], pods=pods).because) == 1
