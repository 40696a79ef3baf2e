"""Filters and scores about single nodes: what they count, and how much it counts."""

import pytest

from svcsim.chance import Chance
from svcsim.meta.types import Json, Object
from svcsim.scheduler.cycle import Cycle, Tallies
from svcsim.scheduler.placement import Placer
from svcsim.scheduler.pod import PodInfo, read_pod
from svcsim.scheduler.questions import Questions
from svcsim.scheduler.scoring import all_points
from svcsim.scheduler.snapshot import Snapshot
from svcsim.scheduler.turns import Turn
from tests.scheduler.build import KNOWN, finished, node, place, pod, pod_object, snapshot

MEGABYTE = 1024 * 1024


def scores(of: PodInfo, on: Snapshot) -> dict[str, list[int]]:
    """What each score says of all nodes, weighted."""
    questions = Questions(Cycle(of, on, KNOWN, Tallies(), Turn()))
    finished(questions.cycle.count())
    return {points.score.name: points.values for points in finished(all_points(questions.cycle, on.nodes))}


def pinned(*names: str) -> Json:
    terms = [{"matchFields": [{"key": "metadata.name", "operator": "In", "values": [name]}]} for name in names]
    return {"affinity": {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": terms}}}}


def container(cpu: str = "", **more: Json) -> Object:
    return {"name": "c", "image": "i", "resources": {"requests": {"cpu": cpu} if cpu else {}}, **more}


def test_a_pod_pinned_to_nodes_by_name_is_told_of_those_alone():
    on = snapshot(*(node(f"n{number}") for number in range(3)))
    on.assume(pod("full", requests={"cpu": "4"}), "n1")
    assert place(pod("d", **pinned("n2")), on).node == "n2"
    assert place(pod("d", requests={"cpu": "1"}, **pinned("n1")), on).message == (
        "0/3 nodes are available: 1 Insufficient cpu, 2 node(s) didn't satisfy plugin(s) [NodeAffinity]. "
        "no new claims to deallocate, preemption: "
        "0/3 nodes are available: 1 No preemption victims found for incoming pod, 2 Preemption is not helpful for scheduling."
    )
    assert place(pod("d", **pinned("gone")), on).message.startswith(
        "0/3 nodes are available: 3 node(s) didn't satisfy plugin(s) [NodeAffinity]."
    )


def test_terms_that_name_no_node_together_are_told_so():
    fields = [{"key": "metadata.name", "operator": "In", "values": [name]} for name in ("a", "b")]
    terms = {"nodeSelectorTerms": [{"matchFields": fields}]}
    affinity = {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": terms}}
    assert place(pod("d", affinity=affinity), snapshot(node("a"))).message == (
        "0/1 nodes are available: pod affinity terms conflict. no new claims to deallocate, preemption: 0/1 nodes are available: "
        "1 Preemption is not helpful for scheduling."
    )


def test_extended_resources_and_ephemeral_storage_are_counted_like_cpu():
    on = snapshot(node("one", **{"example.com/gpu": "2", "ephemeral-storage": "10Gi"}))
    on.assume(pod("a", requests={"example.com/gpu": "1", "ephemeral-storage": "6Gi"}), "one")
    assert "1 Insufficient ephemeral-storage" in place(pod("b", requests={"ephemeral-storage": "6Gi"}), on).message
    assert "1 Insufficient example.com/gpu" in place(pod("b", requests={"example.com/gpu": "2"}), on).message
    assert place(pod("b", requests={"example.com/gpu": "1"}), on).node == "one"


def test_what_is_said_of_the_pod_as_a_whole_counts_instead_of_its_containers():
    spec = {"containers": [container("1")], "resources": {"requests": {"cpu": "3"}}, "overhead": {"cpu": "500m", "memory": "1Mi"}}
    assert dict(pod("a", **spec).needs.requests) == {"cpu": 3500, "memory": MEGABYTE}


def test_containers_that_ask_for_nothing_count_as_something_when_nodes_are_scored():
    assert pod("a", containers=[container(), container("50m")]).needs.scoring == (150, 400 * MEGABYTE)
    assert pod("a", containers=[container("1")], initContainers=[container()]).needs.scoring == (1000, 200 * MEGABYTE)


def test_a_pod_being_made_smaller_counts_as_what_it_has_until_its_node_has_done_it():
    obj = pod_object("a", containers=[container("1")])
    obj["metadata"]["generation"] = 2
    obj["status"] = {"containerStatuses": [{"name": "c", "resources": {"requests": {"cpu": "3"}}}]}
    assert dict(read_pod(obj).needs.requests) == {"cpu": 3000}


def test_the_node_with_the_most_left_and_the_best_balance_is_best():
    on = snapshot(node("a", cpu="10", memory="10Gi"), node("b", cpu="10", memory="10Gi"))
    on.assume(pod("x", requests={"cpu": "4", "memory": "2Gi"}), "b")
    said = scores(pod("p", requests={"cpu": "1", "memory": "1Gi"}), on)
    assert said["NodeResourcesFit"] == [90, (50 + 70) // 2]
    assert said["NodeResourcesBalancedAllocation"] == [100, 90]


def test_balance_says_nothing_of_pods_that_ask_for_nothing():
    assert "NodeResourcesBalancedAllocation" not in scores(pod("p"), snapshot(node("a")))


def test_taints_to_avoid_and_preferred_labels_count_in_proportion():
    soft = [{"key": key, "value": "", "effect": "PreferNoSchedule"} for key in ("x", "y")]
    on = snapshot(node("none"), node("one", taints=soft[:1]), node("two", taints=soft, labels={"disk": "ssd", "gen": "2"}))
    wish = [
        {"weight": 30, "preference": {"matchExpressions": [{"key": "disk", "operator": "Exists"}]}},
        {"weight": 10, "preference": {"matchExpressions": [{"key": "gen", "operator": "Gt", "values": ["1"]}]}},
    ]
    affinity = {"nodeAffinity": {"preferredDuringSchedulingIgnoredDuringExecution": wish}}
    said = scores(pod("p", affinity=affinity), on)
    assert said["TaintToleration"] == [300, 150, 0]
    assert said["NodeAffinity"] == [0, 0, 200]
    assert scores(pod("p", tolerations=[{"operator": "Exists"}]), on)["TaintToleration"] == [300, 300, 300]


def test_images_that_are_there_count_by_their_size_and_by_how_many_nodes_have_them():
    having, without = node("having"), node("without")
    having["status"]["images"] = [{"names": ["app:latest", "app@sha256:1"], "sizeBytes": 1000 * MEGABYTE}]
    said = scores(pod("p", containers=[{"name": "c", "image": "app"}]), snapshot(having, without))
    assert said["ImageLocality"] == [100 * (500 - 23) // (1000 - 23), 0]
    two = [{"name": "c", "image": "app:latest"}, {"name": "d", "image": "other:1"}]
    assert scores(pod("p", containers=two), snapshot(having, without))["ImageLocality"][0] == 100 * (500 - 23) // (2000 - 23)
    assert "ImageLocality" not in scores(pod("p", containers=[{"name": "c", "image": "nowhere"}]), snapshot(having, without))


@pytest.mark.parametrize("start", range(3))
def test_in_a_large_cluster_the_search_goes_round_so_that_every_node_gets_its_turn(start):
    on = snapshot(*(node(f"n{number}", cpu="1000", pods=1000) for number in range(250)))
    placer = Placer(on, KNOWN, Chance(start))
    for number in range(250):
        one = pod(f"p{number}", requests={"cpu": "1"})
        on.assume(one, finished(placer.place(one)).node)
    assert max(len(one.pods) for one in on.nodes) <= 2
