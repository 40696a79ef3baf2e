"""Topology spread: constraints that must hold, those that had better hold, and how pods are spread that say nothing of it."""

import pytest

from svcsim import limits
from svcsim.chance import Chance
from svcsim.meta.label_selectors import from_object
from svcsim.meta.types import Json, Object
from svcsim.scheduler.placement import Placement, Placer
from svcsim.scheduler.pod import PodInfo
from svcsim.scheduler.snapshot import Snapshot
from svcsim.scheduler.turns import Steps
from tests.scheduler.build import KNOWN, finished, node, place, pod, selector, snapshot

ZONE = "topology.kubernetes.io/zone"
MISSING = "node(s) didn't match pod topology spread constraints (missing required label)"
UNEVEN = "node(s) didn't match pod topology spread constraints"


def constraint(key: str = ZONE, when: str = "DoNotSchedule", **parts: Json) -> Object:
    return {"maxSkew": 1, "topologyKey": key, "whenUnsatisfiable": when, "labelSelector": selector(app="web"), **parts}


def web(name: str, *constraints: Object, **parts: Json) -> PodInfo:
    labels = {"app": "web", **parts.pop("labels", {})}
    return pod(name, labels=labels, topologySpreadConstraints=list(constraints), **parts)


def zones(*names: str, **parts: Json) -> Snapshot:
    return snapshot(*(node(f"n{number}", labels={ZONE: zone}, **parts) for number, zone in enumerate(names)))


def test_with_fewer_domains_than_there_are_to_be_none_counts_as_the_emptiest():
    on = zones("a", "b")
    for number in range(2):
        on.assume(web(f"w{number}"), f"n{number}")
    assert place(web("more", constraint()), on).node
    few = place(web("more", constraint(minDomains=3)), on).message
    assert few.startswith(f"0/2 nodes are available: 2 {UNEVEN}. no new claims to deallocate, preemption: ")
    assert place(web("more", constraint(minDomains=3, maxSkew=2)), on).node


def test_nodes_that_the_pod_s_affinity_rules_out_count_only_where_it_is_to_be_ignored():
    on = snapshot(node("in", labels={ZONE: "a", "disk": "ssd"}), node("out", labels={ZONE: "b"}))
    on.assume(web("w"), "in")
    wants = {"nodeSelector": {"disk": "ssd"}}
    assert place(web("more", constraint(), **wants), on).node == "in"
    ignored = place(web("more", constraint(nodeAffinityPolicy="Ignore"), **wants), on)
    assert ignored.node == ""
    assert UNEVEN in ignored.message


def test_tainted_nodes_count_unless_taints_are_to_be_honoured():
    taint = {"key": "k", "value": "", "effect": "NoSchedule"}
    on = snapshot(node("free", labels={ZONE: "a"}), node("tainted", labels={ZONE: "b"}, taints=[taint]))
    on.assume(web("w"), "free")
    assert place(web("more", constraint()), on).node == ""
    assert place(web("more", constraint(nodeTaintsPolicy="Honor")), on).node == "free"


def test_match_label_keys_count_only_pods_of_the_same_revision():
    on = zones("a", "b")
    on.assume(web("old", labels={"rev": "1"}), "n0")
    on.assume(pod("as-much"), "n1")
    keys = constraint(matchLabelKeys=["rev", "not-there"])
    assert {place(web("new", keys, labels={"rev": "2"}), on, seed).node for seed in range(20)} == {"n0", "n1"}
    assert place(web("same", keys, labels={"rev": "1"}), on).node == "n1"


def test_match_label_keys_count_pods_of_the_revision_that_the_selector_names_whatever_the_pod_s_own_is_by_now():
    on = zones("a", "b")
    for number in range(2):
        on.assume(web(f"old-{number}", labels={"rev": "1"}), "n0")
    for number in range(4):
        on.assume(web(f"new-{number}", labels={"rev": "2"}), "n1")
    narrowed = {"matchExpressions": [{"key": "rev", "operator": "In", "values": ["1"]}]}
    relabelled = web("relabelled", constraint(matchLabelKeys=["rev"], labelSelector=narrowed), labels={"rev": "2"})
    assert place(relabelled, on).node == "n1"


def test_pods_of_other_namespaces_and_those_on_their_way_out_count_for_nothing():
    on = zones("a", "b")
    other, going = web("other"), web("going")
    on.assume(other._replace(group=other.group._replace(namespace="elsewhere")), "n0")
    on.assume(going._replace(group=going.group._replace(terminating=True)), "n0")
    for number in range(2):
        on.assume(pod(f"as-much-{number}"), "n1")
    assert {place(web("w", constraint()), on, seed).node for seed in range(20)} == {"n0", "n1"}


def test_all_constraints_have_to_hold_and_a_node_without_a_label_is_no_domain():
    on = snapshot(node("n0", labels={ZONE: "a"}), node("n1", labels={ZONE: "b", "rack": "1"}))
    assert place(web("w", constraint(), constraint("rack")), on).node == "n1"
    assert f"1 {MISSING}" in place(web("x", constraint("rack"), nodeSelector={ZONE: "a"}), on).message


def test_a_selector_that_selects_all_counts_nobody_as_in_kubernetes():
    on = zones("a", "b")
    for number in range(5):
        on.assume(web(f"w{number}"), "n0")
    everybody = constraint(labelSelector={})
    assert place(web("w", everybody, nodeSelector={ZONE: "a"}), on).node == "n0"


def test_a_soft_constraint_decides_between_nodes_and_keeps_from_none():
    on = zones("a", "a", "b")
    on.assume(web("w"), "n0")
    soft = constraint(when="ScheduleAnyway")
    assert place(web("x", soft), on).node == "n2"
    on.remove_node("n2")
    assert place(web("x", soft), on).node in {"n0", "n1"}
    assert place(web("x", constraint("rack", "ScheduleAnyway")), on).node, "also where no node has the label"


def test_pods_without_constraints_are_spread_over_hosts_and_zones_with_those_that_are_selected_with_them():
    known = KNOWN._replace(default_selector=lambda _: from_object(selector(app="web")))
    on = zones("a", "a", "b", "b")
    chosen = []
    for number in range(8):
        one = pod(f"w{number}", labels={"app": "web"})
        chosen.append(place(one, on, number, known).node)
        on.assume(one, chosen[-1])
    assert sorted(chosen[:4]) == ["n0", "n1", "n2", "n3"]
    assert {chosen[0], chosen[1]} not in ({"n0", "n1"}, {"n2", "n3"}), "the second goes to the other zone"
    assert [len(one.pods) for one in on.nodes] == [2, 2, 2, 2]


def test_nothing_is_spread_that_nothing_selects():
    on = zones("a", "b")
    on.assume(pod("x", labels={"app": "web"}), "n0")
    on.set_node(node("n0", labels={ZONE: "a"}, cpu="64", memory="256Gi"))
    assert place(pod("y", labels={"app": "web"}), on).node == "n0"


@pytest.mark.parametrize("key", [ZONE, "kubernetes.io/hostname"])
def test_nodes_that_go_while_a_pod_is_placed_leave_each_other_node_its_own_count(key: str, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(limits, "DECIDING_STEPS_A_TURN", 1)

    def begun() -> tuple[Snapshot, Steps[Placement]]:
        on = zones("gone", "full", "full", "free", "full", "full")
        on.assume(web("here"), "n0")
        for number in (1, 2, 4, 5):
            for count in range(3):
                on.assume(web(f"w{number}-{count}"), f"n{number}")
        return on, Placer(on, KNOWN, Chance(1)).place(web("more", constraint(key, "ScheduleAnyway")))

    turns = len(list(begun()[1]))
    assert turns > 10, "it has given way often"
    for gone_after in range(turns):
        on, placing = begun()
        for _ in range(gone_after):
            next(placing)
        on.remove_node("n0")
        assert finished(placing).node == "n3", gone_after
