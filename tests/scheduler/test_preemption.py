"""Whom a pod of higher priority displaces, where, and what is told if nobody."""

import pytest

from svcsim.meta.label_selectors import from_object
from svcsim.meta.types import Json, Object
from svcsim.scheduler.cycle import Known
from svcsim.scheduler.pod import PodInfo
from svcsim.scheduler.preemption import Victims
from svcsim.scheduler.snapshot import Snapshot
from tests.calls import calls
from tests.scheduler.build import KNOWN, node, place, pod, selector, snapshot

HELP = "no new claims to deallocate, preemption: 0/{} nodes are available: {}."


def put(on: Snapshot, name: str, where: str, priority: int = 0, started: str = "2026-01-01T00:00:00Z", **parts: Json) -> None:
    on.set_pod(pod(name, priority=priority, **parts)._replace(node_name=where, started=started))


def vip(cpu: str = "4", **parts: Json) -> PodInfo:
    return pod("vip", priority=100, requests={"cpu": cpu}, **parts)


def victims(on: Snapshot, of: PodInfo, known: Known = KNOWN) -> Victims:
    found = place(of, on, known=known).victims
    assert found is not None
    return found


def names(of: Victims) -> list[str]:
    return [one.name for one in of.pods]


def budget(name: str, allowed: int, **labels: str) -> Object:
    return {"metadata": {"name": name}, "spec": {"selector": selector(**labels)}, "status": {"disruptionsAllowed": allowed}}


def test_as_few_pods_as_possible_go_the_least_important_first():
    on = snapshot(node("one"))
    for name, priority in (("a", 3), ("b", 1), ("c", 2), ("d", 4)):
        put(on, name, "one", priority, requests={"cpu": "1"})
    assert names(victims(on, vip("2"))) == ["c", "b"]


def test_of_pods_alike_those_go_that_started_last():
    on = snapshot(node("one"))
    for name, hour in (("old", 1), ("new", 9), ("older", 0), ("newer", 8)):
        put(on, name, "one", started=f"2026-01-01T0{hour}:00:00Z", requests={"cpu": "1"})
    assert names(victims(on, vip("1"))) == ["new"]


def test_the_message_says_nothing_of_preemption_while_it_is_under_way():
    on = snapshot(node("one"))
    put(on, "a", "one", requests={"cpu": "4"})
    answer = place(vip(), on)
    assert (answer.node, answer.message) == ("", "0/1 nodes are available: 1 Insufficient cpu.")


@pytest.mark.parametrize(
    ("cheaper", "dearer"),
    [
        ([(1, "1")], [(2, "1")]),
        ([(5, "1"), (1, "1")], [(5, "1"), (2, "1")]),
        ([(5, "2")], [(5, "1"), (5, "1")]),
    ],
    ids=["a less important victim", "a smaller sum of priorities", "fewer victims"],
)
def test_the_node_is_chosen_where_it_costs_least(cheaper, dearer):
    for first, second in ((cheaper, dearer), (dearer, cheaper)):
        on = snapshot(node("one", cpu="2"), node("two", cpu="2"))
        for where, there in (("one", first), ("two", second)):
            for number, (priority, cpu) in enumerate(there):
                put(on, f"{where}-{number}", where, priority, requests={"cpu": cpu})
            if sum(int(cpu) for _, cpu in there) < 2:
                put(on, f"{where}-stays", where, 100, requests={"cpu": "1"})
        wants = vip("2") if len(cheaper) == 2 or len(dearer) == 2 else vip("1")
        assert victims(on, wants).node == ("one" if first is cheaper else "two")


def test_of_nodes_alike_the_one_is_taken_whose_victims_have_run_for_the_shortest():
    on = snapshot(node("one"), node("two"))
    put(on, "a", "one", started="2026-01-01T01:00:00Z", requests={"cpu": "4"})
    put(on, "b", "two", started="2026-01-01T02:00:00Z", requests={"cpu": "4"})
    assert victims(on, vip()).node == "two"


def test_disruption_budgets_are_kept_where_that_is_possible():
    known = KNOWN._replace(budgets=lambda _: [budget("guard", 0, app="db")])
    on = snapshot(node("one"), node("two"))
    put(on, "db", "one", labels={"app": "db"}, requests={"cpu": "4"})
    put(on, "web", "two", 50, labels={"app": "web"}, requests={"cpu": "4"})
    assert names(victims(on, vip(), known)) == ["web"], "though it is more important"
    on.remove_node("two")
    broken = victims(on, vip(), known)
    assert (names(broken), broken.violating) == (["db"], 1), "a budget is broken rather than the pod left waiting"


def test_on_one_node_pods_with_a_budget_are_spared_first():
    known = KNOWN._replace(budgets=lambda _: [budget("guard", 1, app="db")])
    on = snapshot(node("one", cpu="3"))
    for number in range(2):
        put(on, f"db-{number}", "one", labels={"app": "db"}, started=f"2026-01-01T0{number}:00:00Z", requests={"cpu": "1"})
    put(on, "web", "one", 50, requests={"cpu": "1"})
    found = victims(on, vip("2"), known)
    assert (sorted(names(found)), found.violating) == (["db-0", "web"], 0), "one of the budget's pods may go, the second may not"


def test_a_pod_named_as_disrupted_already_and_an_empty_selector_count_for_no_budget():
    counted = budget("guard", 0, app="db")
    counted["status"]["disruptedPods"] = {"db": "2026-01-01T00:00:00Z"}
    known = KNOWN._replace(budgets=lambda _: [counted, budget("all", 0)])
    on = snapshot(node("one"))
    put(on, "db", "one", labels={"app": "db"}, requests={"cpu": "4"})
    assert victims(on, vip(), known).violating == 0


def test_a_search_makes_each_budgets_selector_once_however_many_nodes_and_pods_it_looks_at():
    budgets = [budget(f"guard-{number}", 1, app=f"app-{number}") for number in range(4)]
    on = snapshot(*(node(f"node-{number}") for number in range(10)))
    for number in range(40):
        put(on, f"pod-{number}", f"node-{number % 10}", labels={"app": f"app-{number % 4}"}, requests={"cpu": "1"})
    with calls(from_object) as made:
        found = victims(on, vip("2"), KNOWN._replace(budgets=lambda _: budgets))
    assert (len(found.pods), found.violating) == (2, 0)
    assert len(made) == len(budgets)


def test_nobody_of_the_same_priority_goes():
    on = snapshot(node("one"))
    put(on, "a", "one", 100, requests={"cpu": "4"})
    assert place(vip(), on).message.endswith(HELP.format(1, "1 No preemption victims found for incoming pod"))


def test_each_node_says_why_preemption_is_no_help_there():
    on = snapshot(
        node("one"), node("two"), node("three", taints=[{"key": "k", "value": "", "effect": "NoSchedule"}]), node("four", cpu="2")
    )
    put(on, "low", "one", 1, requests={"cpu": "1"})
    put(on, "high", "one", 200, requests={"cpu": "3"})
    put(on, "other", "two", 200, requests={"cpu": "4"})
    message = place(vip("2500m"), on).message
    assert message == (
        "0/4 nodes are available: 1 node(s) had untolerated taint {k: }, 3 Insufficient cpu. "
        "no new claims to deallocate, preemption: 0/4 nodes are available: "
        "1 Insufficient cpu, 1 No preemption victims found for incoming pod, 2 Preemption is not helpful for scheduling."
    )


def test_who_never_preempts_displaces_nobody():
    on = snapshot(node("one"))
    put(on, "a", "one", requests={"cpu": "4"})
    answer = place(vip(preemptionPolicy="Never"), on)
    assert answer.victims is None
    assert answer.message == (
        "0/1 nodes are available: 1 Insufficient cpu. no new claims to deallocate, preemption: not eligible due to preemptionPolicy=Never."
    )


def test_while_its_place_is_being_cleared_a_pod_displaces_nobody_else():
    on = snapshot(node("one"), node("two"))
    for where in ("one", "two"):
        put(on, f"low-{where}", where, requests={"cpu": "4"})
    on.nominate(vip(), "one")
    on.condemn("default/low-one")
    answer = place(vip(), on)
    assert answer.message.endswith("no new claims to deallocate, preemption: not eligible due to a terminating pod on the nominated node.")
    assert (answer.victims, answer.waits) == (None, True)


def test_a_nominated_pod_goes_to_its_node_without_looking_further():
    on = snapshot(node("one"), node("two", cpu="64"))
    on.nominate(vip(), "one")
    assert place(vip(), on).node == "one"


def test_a_place_kept_for_a_pod_isn_t_taken_by_one_of_lower_priority_but_by_one_of_higher():
    on = snapshot(node("one"))
    on.nominate(vip(), "one")
    low = place(pod("low", requests={"cpu": "1"}), on)
    assert low.message.startswith("0/1 nodes are available: 1 Insufficient cpu.")
    assert place(pod("higher", priority=200, requests={"cpu": "1"}), on).node == "one"
    on.denominate("default/vip")
    assert place(pod("low", requests={"cpu": "1"}), on).node == "one"


def test_room_is_made_for_host_ports_and_against_anti_affinity_too():
    port = {"containers": [{"name": "c", "image": "i", "ports": [{"containerPort": 80, "hostPort": 80}]}]}
    on = snapshot(node("one"))
    put(on, "web", "one", **port)
    put(on, "idle", "one")
    assert names(victims(on, pod("vip", priority=9, **port))) == ["web"]
    term = {"topologyKey": "kubernetes.io/hostname", "labelSelector": selector(app="db")}
    apart = {"podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [term]}}
    on = snapshot(node("one"))
    put(on, "db", "one", labels={"app": "db"})
    put(on, "idle", "one")
    assert names(victims(on, pod("vip", priority=9, affinity=apart))) == ["db"]
    on = snapshot(node("one"))
    put(on, "loner", "one", affinity=apart)
    assert names(victims(on, pod("vip", priority=9, labels={"app": "db"}))) == ["loner"], "who keeps it away goes too"


def test_room_is_made_for_an_even_spread():
    constraint = {"maxSkew": 1, "topologyKey": "zone", "whenUnsatisfiable": "DoNotSchedule", "labelSelector": selector(app="web")}
    on = snapshot(node("one", labels={"zone": "a"}), node("two", labels={"zone": "b"}, pods=0))
    put(on, "web-0", "one", labels={"app": "web"})
    found = victims(on, pod("vip", priority=9, labels={"app": "web"}, topologySpreadConstraints=[constraint]))
    assert (found.node, names(found)) == ("one", ["web-0"])
