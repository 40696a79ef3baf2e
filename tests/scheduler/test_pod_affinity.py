"""Pod affinity and anti-affinity: required and preferred, seen from both sides."""

from svcsim.meta.types import Json, Object
from svcsim.scheduler.pod import PodInfo
from tests.scheduler.build import node, place, pod, selector, snapshot

ZONE = "topology.kubernetes.io/zone"
HOST = "kubernetes.io/hostname"
REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"
PREFERRED = "preferredDuringSchedulingIgnoredDuringExecution"


def term(key: str = ZONE, **parts: Json) -> Object:
    return {"topologyKey": key, "labelSelector": selector(app="db"), **parts}


def near(*terms: Object) -> Json:
    return {"affinity": {"podAffinity": {REQUIRED: list(terms)}}}


def apart(*terms: Object) -> Json:
    return {"affinity": {"podAntiAffinity": {REQUIRED: list(terms)}}}


def rather(kind: str, weight: int, of: Object) -> Json:
    return {"affinity": {kind: {PREFERRED: [{"weight": weight, "podAffinityTerm": of}]}}}


def in_namespace(one: PodInfo, namespace: str) -> PodInfo:
    return one._replace(key=f"{namespace}/{one.name}", namespace=namespace, group=one.group._replace(namespace=namespace))


def three():
    return snapshot(*(node(f"n{number}", labels={ZONE: zone}) for number, zone in enumerate("aab")))


def test_one_pod_has_to_be_meant_by_all_terms():
    on = three()
    both = near(term(), term(labelSelector=selector(tier="back")))
    on.assume(pod("db", labels={"app": "db"}), "n0")
    on.assume(pod("back", labels={"tier": "back"}), "n0")
    assert "didn't match pod affinity rules" in place(pod("web", **both), on).message
    on.assume(pod("both", labels={"app": "db", "tier": "back"}), "n2")
    assert place(pod("web", **both), on).node == "n2"


def test_a_node_without_the_label_is_near_nobody_and_no_first_of_its_kind_goes_there():
    on = snapshot(node("n0"))
    assert "didn't match pod affinity rules" in place(pod("db", labels={"app": "db"}, **near(term())), on).message
    on.set_node(node("n0", labels={ZONE: "a"}))
    assert place(pod("db", labels={"app": "db"}, **near(term())), on).node == "n0"
    assert place(pod("web", labels={"app": "web"}, **near(term())), on).node == "", "it doesn't want pods like itself"


def test_terms_mean_pods_of_the_pod_s_own_namespace_of_those_named_and_of_those_selected():
    on = three()
    on.assume(in_namespace(pod("db", labels={"app": "db"}), "data"), "n2")
    assert place(pod("web", **near(term())), on).node == ""
    assert place(pod("web", **near(term(namespaces=["data"]))), on).node == "n2"
    assert place(pod("web", **near(term(namespaceSelector=selector(**{"kubernetes.io/metadata.name": "data"})))), on).node == "n2"
    assert place(pod("web", **near(term(namespaceSelector={}))), on).node == "n2"
    assert place(pod("web", **near(term(namespaceSelector=selector(team="x")))), on).node == ""


def test_match_and_mismatch_label_keys_narrow_whom_terms_mean():
    on = three()
    on.assume(pod("db", labels={"app": "db", "tenant": "x", "rev": "1"}), "n0")
    alike = {"labels": {"app": "web", "tenant": "x", "rev": "2"}}
    assert place(pod("web", **alike, **near(term(matchLabelKeys=["tenant"]))), on).node in {"n0", "n1"}
    assert place(pod("web", **alike, **near(term(matchLabelKeys=["rev"]))), on).node == ""
    assert place(pod("web", **alike, **near(term(mismatchLabelKeys=["rev"]))), on).node in {"n0", "n1"}
    assert place(pod("web", **alike, **near(term(mismatchLabelKeys=["tenant"]))), on).node == ""


def test_what_label_keys_mean_is_what_stands_in_the_selector_whatever_labels_the_pod_has_by_now():
    on = three()
    on.assume(pod("db", labels={"app": "db", "rev": "1"}), "n2")
    narrowed = {"matchLabels": {"app": "db"}, "matchExpressions": [{"key": "rev", "operator": "In", "values": ["1"]}]}
    assert place(pod("web", labels={"rev": "2"}, **near(term(matchLabelKeys=["rev"], labelSelector=narrowed))), on).node == "n2"
    narrowed["matchExpressions"][0]["operator"] = "NotIn"
    assert place(pod("web", labels={"rev": "2"}, **near(term(mismatchLabelKeys=["rev"], labelSelector=narrowed))), on).node == ""


def test_who_is_there_keeps_others_away_from_its_whole_zone():
    on = three()
    on.assume(pod("loner", **apart(term())), "n0")
    assert place(pod("db", labels={"app": "db"}), on).node == "n2"
    on.remove_node("n2")
    message = place(pod("db", labels={"app": "db"}), on).message
    assert message.startswith("0/2 nodes are available: 2 node(s) didn't satisfy existing pods anti-affinity rules.")
    on.remove_pod("default/loner")
    assert place(pod("db", labels={"app": "db"}), on).node


def test_preferences_of_the_pod_and_of_those_that_are_there_count_both():
    on = three()
    on.assume(pod("db", labels={"app": "db"}), "n2")
    assert place(pod("web", **rather("podAffinity", 50, term(HOST))), on).node == "n2"
    assert place(pod("web", **rather("podAntiAffinity", 50, term())), on).node in {"n0", "n1"}
    on = three()
    on.assume(pod("cache", **rather("podAffinity", 50, term(HOST))), "n1")
    assert place(pod("db", labels={"app": "db"}), on).node == "n1", "the cache would like it near"
    on = three()
    on.assume(pod("app", **near(term(HOST))), "n1")
    assert place(pod("db", labels={"app": "db"}), on).node == "n1", "the app had to have one near"
    on = three()
    on.assume(pod("shy", **rather("podAntiAffinity", 50, term())), "n0")
    assert place(pod("db", labels={"app": "db"}), on).node == "n2"
