"""Which changes bring a parked pod back: those that could help it past the filters that refused it, and no others."""

from svcsim.meta.types import Json, Object
from svcsim.scheduler.changes import Change
from svcsim.scheduler.filters import FILTERS
from svcsim.scheduler.hints import could_help
from svcsim.scheduler.pod import PodInfo, read_pod
from svcsim.scheduler.snapshot import Snapshot
from tests.scheduler.build import KNOWN, node, pod, pod_object, selector, snapshot

ZONE = "topology.kubernetes.io/zone"
BY_NAME = {rule.name: rule for rule in FILTERS}


def helps(of: PodInfo, by: str, changes: list[Change]) -> bool:
    return any(could_help(of, (BY_NAME[by],), change, KNOWN) for change in changes)


def bound(name: str, where: str = "one", **parts: Json) -> PodInfo:
    return read_pod(pod_object(name, nodeName=where, **parts))


def cordoned(name: str) -> Object:
    obj = node(name)
    obj["spec"]["unschedulable"] = True
    return obj


def on_one(**parts: Json) -> Snapshot:
    return snapshot(node("one", **parts))


def test_a_pod_too_big_waits_for_room_of_what_it_asks_for():
    big = pod("big", requests={"cpu": "3", "memory": "1Gi"})
    on = on_one(cpu="2")
    assert not helps(big, "NodeResourcesFit", on.set_node(node("one", cpu="2", memory="64Gi", labels={"a": "b"}))), "it lacks CPU"
    assert not helps(big, "NodeResourcesFit", on.set_node(node("two", cpu="2"))), "nor would it fit there"
    assert helps(big, "NodeResourcesFit", on.set_node(node("one", cpu="4", memory="64Gi")))
    assert helps(big, "NodeResourcesFit", on.set_node(node("three", cpu="4")))
    assert not helps(big, "NodeResourcesFit", on.set_pod(bound("a", requests={"cpu": "1", "memory": "1Gi"})))
    assert not helps(big, "NodeResourcesFit", on.set_pod(bound("a", requests={"cpu": "2", "memory": "1Gi"})))
    assert helps(big, "NodeResourcesFit", on.set_pod(bound("a", requests={"cpu": "1", "memory": "1Gi"})))
    assert helps(big, "NodeResourcesFit", on.remove_pod("default/a"))


def test_a_pod_kept_away_by_taints_waits_for_a_node_to_open_to_it():
    taint = [{"key": "k", "value": "", "effect": "NoSchedule"}]
    on = on_one(taints=taint)
    one = pod("p")
    assert not helps(one, "TaintToleration", on.set_node(node("two", taints=taint)))
    assert not helps(one, "TaintToleration", on.set_node(node("one", taints=[*taint, {"key": "l", "value": "", "effect": "NoExecute"}])))
    assert helps(one, "TaintToleration", on.set_node(node("one")))
    assert not helps(one, "NodeUnschedulable", on.set_node(cordoned("one")))
    assert helps(one, "NodeUnschedulable", on.set_node(node("one")))


def test_a_pod_that_selects_nodes_waits_for_one_with_the_labels():
    ssd = pod("p", nodeSelector={"disk": "ssd"})
    on = on_one()
    assert not helps(ssd, "NodeAffinity", on.set_node(node("one", labels={"disk": "hdd"})))
    assert not helps(ssd, "NodeAffinity", on.set_node(node("two")))
    assert helps(ssd, "NodeAffinity", on.set_node(node("one", labels={"disk": "ssd"})))
    assert not helps(ssd, "NodeAffinity", on.set_node(node("one", labels={"disk": "ssd", "more": ""}))), "it was right before"
    terms = {"nodeSelectorTerms": [{"matchFields": [{"key": "metadata.name", "operator": "In", "values": ["five"]}]}]}
    named = pod("d", affinity={"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": terms}})
    assert not helps(named, "NodeAffinity", on.set_node(node("four")))
    assert helps(named, "NodeAffinity", on.set_node(node("five")))


def test_a_pod_that_wants_a_port_waits_for_whoever_has_that_port():
    def with_port(number: int) -> Json:
        return {"containers": [{"name": "c", "image": "i", "ports": [{"containerPort": 80, "hostPort": number}]}]}

    on, wants = on_one(), pod("p", **with_port(80))
    on.set_pod(bound("other", **with_port(81)))
    on.set_pod(bound("same", **with_port(80)))
    assert not helps(wants, "NodePorts", on.remove_pod("default/other"))
    assert helps(wants, "NodePorts", on.remove_pod("default/same"))


def test_a_pod_that_would_be_unevenly_spread_waits_for_pods_and_nodes_that_count():
    constraint = {"maxSkew": 1, "topologyKey": ZONE, "whenUnsatisfiable": "DoNotSchedule", "labelSelector": selector(app="web")}
    on, web = on_one(), pod("w", labels={"app": "web"}, topologySpreadConstraints=[constraint])
    assert not helps(web, "PodTopologySpread", on.set_pod(bound("db", labels={"app": "db"})))
    assert helps(web, "PodTopologySpread", on.set_pod(bound("web", labels={"app": "web"})))
    assert helps(web, "PodTopologySpread", on.set_pod(bound("web", labels={"app": "other"}))), "its labels changed"
    assert not helps(web, "PodTopologySpread", on.remove_pod("default/web"))
    assert not helps(web, "PodTopologySpread", on.set_node(node("two")))
    assert helps(web, "PodTopologySpread", on.set_node(node("two", labels={ZONE: "a"})))
    assert helps(web, "PodTopologySpread", on.remove_node("two")), "the emptiest domain may have gone"


def test_a_pod_that_wants_others_near_or_far_waits_for_those():
    term = {"topologyKey": ZONE, "labelSelector": selector(app="db")}
    required = {"requiredDuringSchedulingIgnoredDuringExecution": [term]}
    on = on_one()
    near, apart = pod("n", affinity={"podAffinity": required}), pod("a", affinity={"podAntiAffinity": required})
    assert not helps(near, "InterPodAffinity", on.set_pod(bound("web", labels={"app": "web"})))
    came = on.set_pod(bound("db", labels={"app": "db"}))
    assert (helps(near, "InterPodAffinity", came), helps(apart, "InterPodAffinity", came)) == (True, False)
    assert helps(apart, "InterPodAffinity", on.remove_pod("default/db"))
    assert not helps(apart, "InterPodAffinity", on.remove_pod("default/web"))
    on.set_pod(bound("loner", affinity={"podAntiAffinity": required}))
    assert helps(pod("db2", labels={"app": "db"}), "InterPodAffinity", on.remove_pod("default/loner"))


def test_a_pod_that_is_kept_apart_waits_for_a_node_to_leave_the_domain():
    required = {"requiredDuringSchedulingIgnoredDuringExecution": [{"topologyKey": ZONE, "labelSelector": selector(app="db")}]}
    apart, near = pod("a", affinity={"podAntiAffinity": required}), pod("n", affinity={"podAffinity": required})
    on = on_one(labels={ZONE: "a"})
    on.set_pod(bound("db", labels={"app": "db"}))
    other = on.set_node(node("one", labels={ZONE: "a", "disk": "ssd"}))
    assert not helps(apart, "InterPodAffinity", other)
    assert not helps(near, "InterPodAffinity", other)
    elsewhere = on.set_node(node("one", labels={ZONE: "b"}))
    assert helps(apart, "InterPodAffinity", elsewhere)
    assert helps(near, "InterPodAffinity", elsewhere)
    assert helps(apart, "InterPodAffinity", on.set_node(node("one"))), "it is in no zone"
    came = on.set_node(node("one", labels={ZONE: "a"}))
    assert not helps(apart, "InterPodAffinity", came), "it could go there before"
    assert helps(near, "InterPodAffinity", came)


def test_a_pod_that_is_repelled_waits_for_a_node_to_leave_the_domain():
    required = {"requiredDuringSchedulingIgnoredDuringExecution": [{"topologyKey": ZONE, "labelSelector": selector(app="db")}]}
    on, db = snapshot(node("one", labels={ZONE: "a"}), node("two", labels={ZONE: "a", "disk": "ssd"})), pod("d", labels={"app": "db"})
    on.set_pod(bound("loner", affinity={"podAntiAffinity": required}))
    assert not helps(db, "InterPodAffinity", on.set_node(node("two", labels={ZONE: "a"})))
    assert helps(db, "InterPodAffinity", on.set_node(node("two")))
    assert not helps(db, "InterPodAffinity", on.set_node(node("two", labels={ZONE: "a"})))
    on.remove_pod("default/loner")
    assert not helps(db, "InterPodAffinity", on.set_node(node("two"))), "nobody repels it"


def test_who_found_no_nodes_waits_for_any():
    on = Snapshot("node.kubernetes.io/unschedulable")
    assert any(could_help(pod("p"), (), change, KNOWN) for change in on.set_node(node("one")))
    assert not any(could_help(pod("p"), (), change, KNOWN) for change in on.set_pod(bound("a")))


def test_a_heartbeat_is_no_change():
    on = on_one()
    version = on.version
    assert on.set_node(node("one")) == []
    on.set_pod(bound("a"))
    on.set_pod(bound("a"))
    assert on.version == version + 1
