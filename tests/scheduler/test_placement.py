"""Where pods go, and the words in which they are told why they can't go anywhere."""

import pytest

from svcsim.scheduler.explain import NO_NODES
from svcsim.scheduler.fit import NODE_RESOURCES_FIT
from svcsim.scheduler.placement import nodes_enough
from tests.scheduler.build import node, place, pod, selector, snapshot

NO_HELP = "Preemption is not helpful for scheduling"
NO_VICTIMS = "No preemption victims found for incoming pod"


def taint(key: str, value: str = "", effect: str = "NoSchedule") -> dict[str, str]:
    return {"key": key, "value": value, "effect": effect}


def near(key: str, **labels: str) -> dict[str, object]:
    return {"requiredDuringSchedulingIgnoredDuringExecution": [{"topologyKey": key, "labelSelector": selector(**labels)}]}


def placed(on, name, where, **parts):
    on.assume(pod(name, **parts), where)


def required(*terms):
    return {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": list(terms)}}}


def expression(key, operator, *values):
    return {"matchExpressions": [{"key": key, "operator": operator, "values": list(values)}]}


CAN_GO = {
    "asks for nothing": {},
    "takes all there is": {"requests": {"cpu": "4", "memory": "8Gi"}},
    "selects the node": {"nodeSelector": {"zone": "a"}},
    "wants one of its zones": {"affinity": required(expression("zone", "In", "a", "b"))},
    "one of two terms fits": {"affinity": required(expression("zone", "In", "b"), expression("gen", "Gt", "3"))},
    "one of two terms is no number": {"affinity": required(expression("gen", "Gt", "x"), expression("zone", "In", "a"))},
    "prefers what is no number": {
        "affinity": {
            "nodeAffinity": {"preferredDuringSchedulingIgnoredDuringExecution": [{"weight": 1, "preference": expression("gen", "Lt", "x")}]}
        }
    },
    "names it by field": {"affinity": required({"matchFields": [{"key": "metadata.name", "operator": "In", "values": ["one"]}]})},
}


@pytest.mark.parametrize("parts", CAN_GO.values(), ids=CAN_GO.keys())
def test_a_pod_the_node_is_right_for_goes_there(parts):
    on = snapshot(node("one", labels={"zone": "a", "gen": "5"}))
    assert place(pod("p", **parts), on).node == "one"


CAN_NOT_GO = {
    "cpu": ({"requests": {"cpu": "5"}}, "1 Insufficient cpu", NO_HELP),
    "several resources": ({"requests": {"cpu": "5", "memory": "9Gi"}}, "1 Insufficient cpu, 1 Insufficient memory", NO_HELP),
    "a resource no node has": ({"requests": {"example.com/gpu": "1"}}, "1 Insufficient example.com/gpu", NO_HELP),
    "node selector": ({"nodeSelector": {"zone": "b"}}, "1 node(s) didn't match Pod's node affinity/selector", NO_HELP),
    "node affinity": (
        {"affinity": required(expression("zone", "NotIn", "a"))},
        "1 node(s) didn't match Pod's node affinity/selector",
        NO_HELP,
    ),
    **{
        f"more than {bound}": (
            {"affinity": required(expression("gen", "Gt", bound))},
            "1 node(s) didn't match Pod's node affinity/selector",
            NO_HELP,
        )
        for bound in ("x", "4.5", "", "9223372036854775808")
    },
    "an empty term": ({"affinity": required({})}, "1 node(s) didn't match Pod's node affinity/selector", NO_HELP),
    "affinity to nobody": ({"affinity": {"podAffinity": near("zone", app="db")}}, "1 node(s) didn't match pod affinity rules", NO_HELP),
}


@pytest.mark.parametrize(("parts", "why", "preemption"), CAN_NOT_GO.values(), ids=CAN_NOT_GO.keys())
def test_a_pod_the_node_is_wrong_for_is_told_why(parts, why, preemption):
    on = snapshot(node("one", labels={"zone": "a"}))
    answer = place(pod("p", **parts), on)
    assert answer.node == ""
    assert (
        answer.message
        == f"0/1 nodes are available: {why}. no new claims to deallocate, preemption: 0/1 nodes are available: 1 {preemption}."
    )


def test_reasons_are_counted_over_all_nodes_and_sorted():
    on = snapshot(
        node("one", taints=[taint("node.kubernetes.io/unreachable", effect="NoExecute")]),
        node("two"),
        node("three"),
    )
    for where in ("two", "three"):
        placed(on, f"full-{where}", where, requests={"cpu": "4"})
    assert place(pod("p", requests={"cpu": "1"}), on).message == (
        "0/3 nodes are available: 1 node(s) had untolerated taint {node.kubernetes.io/unreachable: }, 2 Insufficient cpu. "
        "no new claims to deallocate, preemption: 0/3 nodes are available: 1 Preemption is not helpful for scheduling, "
        "2 No preemption victims found for incoming pod."
    )


def test_a_taint_is_told_with_its_value_and_a_toleration_lets_in():
    on = snapshot(node("one", taints=[taint("dedicated", "db")]))
    assert "1 node(s) had untolerated taint {dedicated: db}." in place(pod("p"), on).message
    for toleration in ({"key": "dedicated", "value": "db"}, {"key": "dedicated", "operator": "Exists"}, {"operator": "Exists"}):
        assert place(pod("p", tolerations=[toleration]), on).node == "one"


def test_a_cordoned_node_takes_nobody():
    cordoned = node("one")
    cordoned["spec"]["unschedulable"] = True
    assert "1 node(s) were unschedulable." in place(pod("p"), snapshot(cordoned)).message


def test_a_node_takes_only_so_many_pods():
    on = snapshot(node("one", pods=1))
    placed(on, "first", "one")
    assert place(pod("p"), on).message.startswith("0/1 nodes are available: 1 Too many pods. no new claims to deallocate, preemption: ")


def test_a_host_port_is_taken_only_once_per_node():
    port = {"containers": [{"name": "c", "image": "i", "ports": [{"containerPort": 80, "hostPort": 80}]}]}
    on = snapshot(node("one"), node("two"))
    assert {place(pod("a", **port), on).node} <= {"one", "two"}
    placed(on, "a", "one", **port)
    assert place(pod("b", **port), on).node == "two"
    placed(on, "b", "two", **port)
    assert place(pod("c", **port), on).message.startswith(
        "0/2 nodes are available: 2 node(s) didn't have free ports for the requested pod ports."
    )


def test_a_host_port_collides_with_itself_at_the_same_address_or_at_all_of_them():
    def at(ip: str) -> dict[str, object]:
        port = {"containerPort": 80, "hostPort": 80, **({"hostIP": ip} if ip else {})}
        return {"containers": [{"name": "c", "image": "i", "ports": [port]}]}

    for held, wanted, fits in (
        ("10.0.0.1", "10.0.0.1", False),
        ("10.0.0.1", "10.0.0.2", True),
        ("10.0.0.1", "", False),
        ("", "10.0.0.1", False),
    ):
        on = snapshot(node("one"))
        placed(on, "a", "one", **at(held))
        assert (place(pod("b", **at(wanted)), on).node == "one") is fits
        on.remove_pod("default/a")
        assert place(pod("b", **at(wanted)), on).node == "one"


def test_anti_affinity_keeps_away_from_others_and_others_away():
    apart = {"labels": {"app": "web"}, "affinity": {"podAntiAffinity": near("kubernetes.io/hostname", app="web")}}
    on = snapshot(node("one"), node("two"))
    placed(on, "a", "one", **apart)
    assert place(pod("b", **apart), on).node == "two"
    placed(on, "b", "two", **apart)
    assert "2 node(s) didn't match pod anti-affinity rules." in place(pod("c", **apart), on).message
    assert "2 node(s) didn't satisfy existing pods anti-affinity rules." in place(pod("d", labels={"app": "web"}), on).message


def test_affinity_follows_the_pods_it_wants_and_the_first_of_a_group_may_go_anywhere():
    together = {"labels": {"app": "web"}, "affinity": {"podAffinity": near("zone", app="web")}}
    on = snapshot(node("one", labels={"zone": "a"}), node("two", labels={"zone": "b"}), node("three", labels={"zone": "b"}))
    first = place(pod("a", **together), on).node
    assert first
    placed(on, "a", "two", **together)
    assert {place(pod("b", **together), on, seed).node for seed in range(10)} <= {"two", "three"}


def test_a_spread_constraint_fills_the_emptiest_zone_first():
    constraint = {"maxSkew": 1, "topologyKey": "zone", "whenUnsatisfiable": "DoNotSchedule", "labelSelector": selector(app="web")}
    web = {"labels": {"app": "web"}, "topologySpreadConstraints": [constraint]}
    on = snapshot(node("one", labels={"zone": "a"}), node("two", labels={"zone": "b"}), node("three"))
    placed(on, "a", "one", **web)
    assert place(pod("b", **web), on).node == "two"
    on.remove_node("two")
    on.set_node(node("two", labels={"zone": "b"}, pods=0))
    assert place(pod("b", **web), on).message.startswith(
        "0/3 nodes are available: 1 Too many pods, "
        "1 node(s) didn't match pod topology spread constraints, "
        "1 node(s) didn't match pod topology spread constraints (missing required label)."
    )


def test_replicas_of_one_owner_spread_over_the_nodes():
    on = snapshot(*(node(f"n{number}") for number in range(4)))
    for index in range(8):
        replica = pod(f"web-{index}", owner="rs", labels={"app": "web"})
        on.assume(replica, place(replica, on, index).node)
    assert [len(info.pods) for info in on.nodes] == [2, 2, 2, 2]


def test_preferences_decide_between_nodes_that_are_both_possible():
    wish = {"weight": 100, "preference": expression("disk", "In", "ssd")}
    affinity = {"nodeAffinity": {"preferredDuringSchedulingIgnoredDuringExecution": [wish]}}
    on = snapshot(node("one"), node("two", labels={"disk": "ssd"}), node("three", taints=[taint("slow", effect="PreferNoSchedule")]))
    assert place(pod("p", affinity=affinity), on).node == "two"
    on.remove_node("one")
    assert place(pod("p"), on).node == "two"


def test_without_any_node_there_is_nothing_to_count():
    assert place(pod("p"), snapshot()).message == NO_NODES


def test_a_pod_that_never_preempts_says_so():
    on = snapshot(node("one"))
    message = place(pod("p", requests={"cpu": "9"}, preemptionPolicy="Never"), on).message
    assert message == (
        "0/1 nodes are available: 1 Insufficient cpu. no new claims to deallocate, preemption: not eligible due to preemptionPolicy=Never."
    )


def test_a_refused_pod_is_told_by_which_filters():
    on = snapshot(node("one"))
    placed(on, "full", "one", requests={"cpu": "4"})
    assert place(pod("p", requests={"cpu": "1"}), on).refused_by == (NODE_RESOURCES_FIT,)


def test_equal_nodes_are_told_apart_by_chance_alone_and_the_same_seed_chooses_the_same():
    on = snapshot(*(node(f"n{number}") for number in range(5)))
    chosen = [place(pod("p"), on, seed).node for seed in range(30)]
    assert chosen == [place(pod("p"), on, seed).node for seed in range(30)]
    assert len(dict.fromkeys(chosen)) == 5


def test_in_a_large_cluster_not_every_node_is_looked_at():
    assert [nodes_enough(count) for count in (3, 100, 1000, 5000, 20_000)] == [3, 100, 420, 500, 1000]
