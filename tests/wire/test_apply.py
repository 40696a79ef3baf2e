"""Server-side apply, from a client's side."""

import json

import pytest

from svcsim.meta.types import Json, Object
from tests.wire.raw import APPLY, Answer, Wire

LONG_AGO = "2001-02-03T04:05:06.000000Z"


def config(name: str = "a", **data: str) -> Object:
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name}, **({"data": data} if data else {})}


class Applier:
    """One manager."""

    def __init__(self, wire: Wire, path: str, manager: str) -> None:
        self.wire, self.path, self.manager = wire, path, manager

    def ask(self, obj: Object, subresource: str = "", **query: Json) -> Answer:
        path = f"{self.path}/{obj['metadata']['name']}{subresource}"
        return self.wire.ask("PATCH", path, obj, content_type=APPLY, **{"fieldManager": self.manager, **query})

    def apply(self, obj: Object, **query: Json) -> Object:
        answer = self.ask(obj, **query)
        assert answer.status in (200, 201), answer.body
        return answer.json


@pytest.fixture
def one(wire: Wire, maps: str) -> Applier:
    return Applier(wire, maps, "one")


@pytest.fixture
def two(wire: Wire, maps: str) -> Applier:
    return Applier(wire, maps, "two")


def owners(obj: Object) -> dict[tuple[str, str, str], Json]:
    return {
        (entry["manager"], entry["operation"], entry.get("subresource", "")): entry["fieldsV1"]
        for entry in obj["metadata"]["managedFields"]
    }


def test_creation_records_who_owns_what(one: Applier):
    answer = one.ask(config(k="1"))
    assert answer.status == 201
    entry = answer.json["metadata"]["managedFields"][0]
    assert entry["time"] == answer.json["metadata"]["creationTimestamp"]
    del entry["time"]
    fields = {"f:data": {"f:k": {}}}
    assert entry == {"manager": "one", "operation": "Apply", "apiVersion": "v1", "fieldsType": "FieldsV1", "fieldsV1": fields}


def test_a_conflict_names_field_and_manager(one: Applier, two: Applier):
    one.apply(config(k="1"))
    answer = two.ask(config(k="2"))
    assert (answer.status, answer.reason) == (409, "Conflict")
    assert answer.message == 'Apply failed with 1 conflict: conflict with "one": .data.k'
    assert answer.json["details"]["causes"] == [{"reason": "FieldManagerConflict", "message": 'conflict with "one"', "field": ".data.k"}]
    forced = two.apply(config(k="2"), force="true")
    assert forced["data"] == {"k": "2"}
    assert list(owners(forced)) == [("two", "Apply", "")], "a manager that owns nothing vanishes"


def test_equal_values_are_owned_together_until_both_let_go(one: Applier, two: Applier):
    one.apply(config(k="1"))
    both = two.apply(config(k="1", own="2"))
    assert len(owners(both)) == 2
    left = one.apply(config())
    assert left["data"] == {"k": "1", "own": "2"}
    assert two.apply(config(own="2"))["data"] == {"own": "2"}
    assert "data" not in two.apply(config())


def test_nothing_new_writes_nothing(one: Applier):
    first = one.apply(config(k="1"))
    assert one.apply(config(k="1")) == first


def test_an_update_owns_too_and_conflicts(wire: Wire, maps: str, one: Applier):
    created = wire.create(maps, config(k="1"), fieldManager="editor")
    answer = one.ask(config(k="2"))
    when = created["metadata"]["creationTimestamp"]
    assert answer.message == f'Apply failed with 1 conflict: conflict with "editor" using v1 at {when}: .data.k'
    wire.patch(f"{maps}/a", {"data": {"k": "2"}}, fieldManager="patcher")
    assert ("patcher", "Update", "") in owners(wire.get(f"{maps}/a"))
    one.apply(config(k="3"), force="true")
    assert owners(wire.get(f"{maps}/a")) == {
        ("one", "Apply", ""): {"f:data": {"f:k": {}}},
        ("editor", "Update", ""): {"f:data": {}},
    }


def test_several_conflicts_are_all_told(one: Applier, two: Applier):
    one.apply(config(j="1", k="1"))
    answer = two.ask(config(j="2", k="2"))
    assert answer.message == 'Apply failed with 2 conflicts: conflicts with "one":\n- .data.j\n- .data.k'
    assert len(answer.json["details"]["causes"]) == 2


def test_a_manager_is_required_and_limited(one: Applier):
    for manager in (None, "m" * 129, "a\tb"):
        answer = one.ask(config(), fieldManager=manager)
        assert (answer.status, answer.reason) == (422, "Invalid")
    assert one.wire.ask("PATCH", f"{one.path}/a", config(), content_type=APPLY, fieldManager="m" * 128).status == 201


def test_force_is_apply_s_alone(wire: Wire, maps: str):
    wire.create(maps, config(k="1"))
    answer = wire.ask("PATCH", f"{maps}/a", {}, content_type="application/merge-patch+json", force="true")
    assert (answer.status, answer.reason) == (422, "Invalid")


def test_managed_fields_are_not_applied_but_can_be_reset(wire: Wire, maps: str, one: Applier):
    first = one.apply(config(k="1"))
    sent = config(k="1")
    sent["metadata"]["managedFields"] = first["metadata"]["managedFields"]
    answer = one.ask(sent)
    assert (answer.status, answer.message) == (400, "metadata.managedFields must be nil")
    kept = wire.patch(f"{maps}/a", {"metadata": {"managedFields": []}})
    assert owners(kept) == owners(first)
    reset = wire.patch(f"{maps}/a", {"metadata": {"managedFields": [{}]}})
    assert "managedFields" not in reset["metadata"]


def test_a_dry_run_decides_and_keeps_nothing(wire: Wire, maps: str, one: Applier, two: Applier):
    one.apply(config(k="1"))
    assert two.ask(config(k="2"), dryRun="All").status == 409
    forced = two.apply(config(k="2"), dryRun="All", force="true")
    assert forced["data"] == {"k": "2"}
    assert wire.get(f"{maps}/a")["data"] == {"k": "1"}


def test_lists_are_merged_by_their_keys(wire: Wire, ns: str):
    path = f"/apis/apps/v1/namespaces/{ns}/deployments"
    one, two = Applier(wire, path, "one"), Applier(wire, path, "two")

    def deployment(*containers: Object) -> Object:
        template = {"metadata": {"labels": {"a": "b"}}, "spec": {"containers": list(containers)}}
        spec = {"replicas": 0, "selector": {"matchLabels": {"a": "b"}}, "template": template}
        return {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "d"}, "spec": spec}

    main, side = {"name": "main", "image": "i"}, {"name": "side", "image": "s"}
    one.apply(deployment(main))
    both = two.apply(deployment(side))
    assert [container["name"] for container in both["spec"]["template"]["spec"]["containers"]] == ["main", "side"]
    fields = json.dumps(owners(both)["two", "Apply", ""])
    assert 'k:{\\"name\\":\\"side\\"}' in fields
    left = two.apply({"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "d"}})
    assert [container["name"] for container in left["spec"]["template"]["spec"]["containers"]] == ["main"]


def test_status_is_applied_through_its_own_path(wire: Wire, ns: str):
    path = f"/api/v1/namespaces/{ns}/pods"
    spec = {"schedulerName": "nobody", "containers": [{"name": "c", "image": "i"}]}
    wire.create(path, {"metadata": {"name": "p"}, "spec": spec})
    agent = Applier(wire, path, "agent")
    condition = {"type": "example.com/Tested", "status": "True"}
    answer = agent.ask({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p"}, "status": {"conditions": [condition]}}, "/status")
    assert answer.status == 200, answer.body
    assert condition in [{key: item[key] for key in condition} for item in answer.json["status"]["conditions"]]
    assert ("agent", "Apply", "status") in owners(answer.json)
    ignored = agent.apply(
        {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p", "labels": {"a": "b"}}, "status": {"phase": "Failed"}}
    )
    assert ignored["status"]["phase"] == "Pending"
    assert owners(ignored)["agent", "Apply", ""] == {"f:metadata": {"f:labels": {"f:a": {}}}}


def test_yaml_is_applied(one: Applier):
    body = b"apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\ndata:\n  k: 'yes'\n"
    answer = one.wire.ask("PATCH", f"{one.path}/a", body, content_type=APPLY, fieldManager="one")
    assert (answer.status, answer.json["data"]) == (201, {"k": "yes"})


def service(**spec: Json) -> Object:
    return {"apiVersion": "v1", "kind": "Service", "metadata": {"name": "s"}, "spec": {"ports": [{"port": 80}], **spec}}


def spec_of(obj: Object, manager: str) -> Json:
    """What a manager owns of an object's spec."""
    return owners(obj)[manager, "Apply", ""]["f:spec"]


@pytest.fixture
def services(ns: str) -> str:
    return f"/api/v1/namespaces/{ns}/services"


def test_an_applied_false_conflicts_with_true_and_is_owned(wire: Wire, services: str):
    one, two = Applier(wire, services, "one"), Applier(wire, services, "two")
    one.apply(service(publishNotReadyAddresses=True))
    refused = two.ask(service(publishNotReadyAddresses=False))
    assert refused.message == 'Apply failed with 1 conflict: conflict with "one": .spec.publishNotReadyAddresses'
    forced = two.apply(service(publishNotReadyAddresses=False), force="true")
    assert "publishNotReadyAddresses" not in forced["spec"]
    assert "f:publishNotReadyAddresses" in spec_of(forced, "two")
    assert "f:publishNotReadyAddresses" not in spec_of(forced, "one")


@pytest.mark.parametrize("nothing", [False, None])
def test_applying_a_zero_that_is_not_stored_again_writes_nothing(wire: Wire, services: str, nothing: Json):
    one = Applier(wire, services, "one")
    created = one.apply(service(publishNotReadyAddresses=nothing, externalIPs=[], selector={}))
    assert {"f:publishNotReadyAddresses", "f:externalIPs", "f:selector"} <= set(spec_of(created, "one"))
    assert one.apply(service(publishNotReadyAddresses=nothing, externalIPs=[], selector={})) == created
    assert Applier(wire, services, "two").ask(service(publishNotReadyAddresses=True)).status == 409


def test_an_applied_empty_map_or_null_is_owned(one: Applier):
    sent = config()
    sent["data"], sent["metadata"]["labels"], sent["metadata"]["annotations"] = {}, {}, None
    created = one.apply(sent)
    assert owners(created)["one", "Apply", ""] == {"f:data": {}, "f:metadata": {"f:annotations": {}, "f:labels": {}}}
    assert one.apply(sent) == created


def deployment(**spec: Json) -> Object:
    template = {"metadata": {"labels": {"a": "b"}}, "spec": {"containers": [{"name": "c", "image": "i"}]}}
    selector = {"matchLabels": {"a": "b"}}
    whole = {"replicas": 0, "selector": selector, "template": template, **spec}
    return {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "d"}, "spec": whole}


@pytest.fixture
def deployments(ns: str) -> str:
    return f"/apis/apps/v1/namespaces/{ns}/deployments"


def test_a_scale_of_zero_is_applied_like_any(wire: Wire, deployments: str):
    wire.create(deployments, deployment(replicas=2), fieldManager="maker")
    scaler = Applier(wire, deployments, "scaler")
    scale = {"apiVersion": "autoscaling/v1", "kind": "Scale", "metadata": {"name": "d"}, "spec": {"replicas": 0}}
    refused = scaler.ask(scale, "/scale")
    assert (refused.status, refused.json["details"]["causes"][0]["field"]) == (409, ".spec.replicas")
    assert scaler.ask(scale, "/scale", force="true").json["spec"] == {}
    assert wire.get(f"{deployments}/d")["spec"]["replicas"] == 0
    assert owners(wire.get(f"{deployments}/d"))["scaler", "Apply", "scale"] == {"f:spec": {"f:replicas": {}}}


def test_an_owner_that_goes_back_to_zero_still_owns(wire: Wire, deployments: str):
    one = Applier(wire, deployments, "one")
    one.apply(deployment(minReadySeconds=5))
    zero = one.apply(deployment(minReadySeconds=0))
    assert "minReadySeconds" not in zero["spec"]
    assert "f:minReadySeconds" in spec_of(zero, "one")


AUTOSCALING = pytest.mark.parametrize("version", ["v1", "v2"])
"""The second is stored, the first isn't."""


def autoscaler(version: str, metadata: Object | None = None, **spec: Json) -> Object:
    whole = {"scaleTargetRef": {"kind": "Deployment", "name": "d"}, "maxReplicas": 5, **spec}
    metadata = {"name": "a", **(metadata or {})}
    return {"apiVersion": f"autoscaling/{version}", "kind": "HorizontalPodAutoscaler", "metadata": metadata, "spec": whole}


def autoscalers(wire: Wire, ns: str, version: str, manager: str) -> Applier:
    return Applier(wire, f"/apis/autoscaling/{version}/namespaces/{ns}/horizontalpodautoscalers", manager)


@AUTOSCALING
def test_nulls_and_empty_values_are_owned_in_every_version(wire: Wire, ns: str, version: str):
    one, two = autoscalers(wire, ns, version, "one"), autoscalers(wire, ns, version, "two")
    name = "targetCPUUtilizationPercentage" if version == "v1" else "metrics"
    sent = autoscaler(version, {"labels": {}, "annotations": None}, minReplicas=None, **{name: None})
    created = one.apply(sent)
    assert owners(created)["one", "Apply", ""]["f:metadata"] == {"f:annotations": {}, "f:labels": {}}
    assert {"f:minReplicas", f"f:{name}"} <= set(spec_of(created, "one"))
    again = one.apply(sent)
    assert (owners(again), again["spec"]) == (owners(created), created["spec"])
    both = two.apply(autoscaler(version, {"annotations": None}))
    assert [owners(both)[manager, "Apply", ""]["f:metadata"]["f:annotations"] for manager in ("one", "two")] == [{}, {}]
    without = one.apply(autoscaler(version))
    assert "f:metadata" not in owners(without)["one", "Apply", ""]
    assert set(spec_of(without, "one")) == {"f:maxReplicas", "f:scaleTargetRef"}


@AUTOSCALING
def test_a_null_takes_a_value_from_its_owner_in_every_version(wire: Wire, ns: str, version: str):
    one, two = autoscalers(wire, ns, version, "one"), autoscalers(wire, ns, version, "two")
    one.apply(autoscaler(version, minReplicas=3))
    refused = two.ask(autoscaler(version, minReplicas=None))
    assert (refused.status, refused.json["details"]["causes"][0]["field"]) == (409, ".spec.minReplicas")
    forced = two.apply(autoscaler(version, minReplicas=None), force="true")
    assert forced["spec"]["minReplicas"] == 1
    assert "f:minReplicas" in spec_of(forced, "two")
    assert "f:minReplicas" not in spec_of(forced, "one")


@pytest.mark.parametrize(("version", "other"), [("v1", "v2"), ("v2", "v1")])
def test_nulls_stay_owned_where_others_apply_in_another_version(wire: Wire, ns: str, version: str, other: str):
    one, two = autoscalers(wire, ns, version, "one"), autoscalers(wire, ns, other, "two")
    one.apply(autoscaler(version, {"annotations": None, "labels": {"x": "1"}}))
    two.apply(autoscaler(other, {"annotations": None}))
    applied = one.apply(autoscaler(version, {"annotations": None, "labels": {}}))
    assert "labels" not in applied["metadata"]
    assert owners(applied)["one", "Apply", ""]["f:metadata"] == {"f:annotations": {}, "f:labels": {}}
    assert owners(applied)["two", "Apply", ""]["f:metadata"] == {"f:annotations": {}}
    moved = autoscalers(wire, ns, other, "one").apply(autoscaler(other, {"annotations": None}))
    assert [entry["apiVersion"] for entry in moved["metadata"]["managedFields"]] == [f"autoscaling/{other}"] * 2
    assert [owners(moved)[manager, "Apply", ""]["f:metadata"] for manager in ("one", "two")] == [{"f:annotations": {}}] * 2


def test_an_event_of_a_version_that_is_not_stored_is_owned_as_it_was_applied(wire: Wire, ns: str):
    group = wire.dialect.group("events")
    one = Applier(wire, f"/apis/{group}/v1/namespaces/{ns}/events", "one")
    said = {
        "action": "A",
        "reason": "R",
        "type": "Normal",
        "reportingController": "c",
        "reportingInstance": "i",
        "note": "",
        "related": None,
    }
    regarding = {"kind": "Pod", "namespace": ns, "name": "p", "uid": ""}
    sent = {"apiVersion": f"{group}/v1", "kind": "Event", "metadata": {"name": "a"}, "eventTime": LONG_AGO, "regarding": regarding, **said}
    created = one.apply(sent)
    assert owners(created)["one", "Apply", ""] == {f"f:{name}": {} for name in sorted([*said, "eventTime", "regarding"])}
    assert one.apply(sent) == created


def test_repeated_items_that_the_configuration_does_not_mention_stay(wire: Wire, deployments: str):
    twice = [{"name": "X", "value": "1"}, {"name": "X", "value": "2"}]
    ports = [{"containerPort": 80, "name": "a", "protocol": "TCP"}, {"containerPort": 80, "name": "b", "protocol": "TCP"}]
    made = deployment()
    made["spec"]["template"]["spec"]["containers"][0] |= {"env": twice, "ports": ports}
    wire.create(deployments, made)
    mine = {"name": "c", "env": [{"name": "Y", "value": "1"}], "ports": [{"containerPort": 81}]}
    sent = {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": "d"},
        "spec": {"template": {"spec": {"containers": [mine]}}},
    }
    (container,) = Applier(wire, deployments, "one").apply(sent)["spec"]["template"]["spec"]["containers"]
    assert container["env"] == [*twice, {"name": "Y", "value": "1"}]
    assert container["ports"] == [*ports, {"containerPort": 81, "protocol": "TCP"}]


def test_a_wrong_uid_is_refused_and_the_right_one_accepted(wire: Wire, maps: str, one: Applier):
    uid = one.apply(config(k="1"))["metadata"]["uid"]
    sent = config(k="2")
    sent["metadata"]["uid"] = "another"
    refused = one.ask(sent)
    assert (refused.status, refused.reason) == (422, "Invalid")
    assert refused.message.endswith('metadata.uid: Invalid value: "another": field is immutable')
    assert one.ask(sent, force="true").status == 422
    assert wire.get(f"{maps}/a")["data"] == {"k": "1"}
    sent["metadata"]["uid"] = uid
    assert one.apply(sent)["data"] == {"k": "2"}


@pytest.mark.parametrize("validation", [None, "Ignore", "Warn", "Strict"])
def test_an_unknown_field_is_refused_however_strict_the_request(one: Applier, validation: str | None):
    for _ in range(2):
        sent = {**config(), "daat": {"k": "1"}}
        refused = one.ask(sent, fieldValidation=validation)
        assert (refused.status, refused.reason) == (400, "BadRequest")
        assert refused.message == "failed to create typed patch object (/a; /v1, Kind=ConfigMap): .daat: field not declared in schema"
        one.apply(config(k="1"))
    several = one.ask({**config(), "daat": 1, "metadata": {"name": "a", "lables": {}}})
    assert several.message.endswith("errors:\n  .metadata.lables: field not declared in schema\n  .daat: field not declared in schema")


def test_an_unknown_field_of_a_subresources_body_is_refused(wire: Wire, deployments: str):
    wire.create(deployments, deployment())
    scale = {"apiVersion": "autoscaling/v1", "kind": "Scale", "metadata": {"name": "d"}, "spec": {"replica": 1}}
    refused = Applier(wire, deployments, "one").ask(scale, "/scale")
    assert (refused.status, refused.message.endswith(".spec.replica: field not declared in schema")) == (400, True)


def with_annotation(wire: Wire, obj: Object) -> Object:
    """An object as a client leaves it that applies by itself."""
    key = wire.dialect.key("last-applied-configuration", "kubectl")
    return {**obj, "metadata": {**obj["metadata"], "annotations": {key: json.dumps(obj)}}}


def noted(wire: Wire, obj: Object) -> Json:
    """The configuration that an object's annotation holds."""
    return json.loads(obj["metadata"]["annotations"][wire.dialect.key("last-applied-configuration", "kubectl")])


def test_what_kubectl_applied_from_the_client_it_may_change_from_the_server(wire: Wire, maps: str):
    wire.create(maps, with_annotation(wire, config(a="1", b="1")), fieldManager="kubectl-client-side-apply")
    other = Applier(wire, maps, "other").ask(config(a="2"))
    assert other.status == 409, "nobody else may"
    migrated = Applier(wire, maps, "kubectl").apply(config(a="2"))
    assert migrated["data"] == {"a": "2", "b": "1"}
    assert noted(wire, migrated) == config(a="2")
    assert Applier(wire, maps, "kubectl").apply(config(a="2")) == migrated, "the same again is no change"


def test_what_others_changed_since_is_still_a_conflict(wire: Wire, maps: str):
    wire.create(maps, with_annotation(wire, config(a="1", b="1")), fieldManager="kubectl-client-side-apply")
    wire.patch(f"{maps}/a", {"data": {"a": "other"}}, fieldManager="other")
    refused = Applier(wire, maps, "kubectl").ask(config(a="2", b="2"))
    assert refused.message.startswith('Apply failed with 1 conflict: conflict with "other" using v1')
    assert [cause["field"] for cause in refused.json["details"]["causes"]] == [".data.a"], "what is waived is not told"


@pytest.mark.parametrize(
    "note", ["", "no configuration", '{"apiVersion": "v2", "data": {"a": "1"}}', '{"apiVersion": "v1", "data": 5}', "[]"]
)
def test_an_annotation_that_holds_no_configuration_waives_nothing(wire: Wire, maps: str, note: str):
    made = config(a="1")
    made["metadata"]["annotations"] = {wire.dialect.key("last-applied-configuration", "kubectl"): note}
    wire.create(maps, made, fieldManager="kubectl-client-side-apply")
    assert Applier(wire, maps, "kubectl").ask(config(a="2")).status == 409
    forced = Applier(wire, maps, "kubectl").apply(config(a="2"), force="true")
    assert bool(note) == (forced["metadata"]["annotations"][next(iter(made["metadata"]["annotations"]))] != note)


def test_the_annotation_is_nobody_elses_to_renew(wire: Wire, maps: str):
    wire.create(maps, with_annotation(wire, config(a="1")))
    assert noted(wire, Applier(wire, maps, "other").apply(config(b="2"))) == config(a="1")
    assert "annotations" not in Applier(wire, maps, "kubectl").apply(config("fresh", a="1"))["metadata"], "and none is made"


def test_whoever_fills_a_struct_that_need_not_be_there_owns_it(wire: Wire, ns: str):
    labels = {"app": "a"}
    containers = [{"name": "a", "image": "a"}]
    spec = {"selector": {"matchLabels": labels}, "template": {"metadata": {"labels": labels}, "spec": {"containers": containers}}}
    made = wire.create(f"/apis/apps/v1/namespaces/{ns}/deployments", {"metadata": {"name": "a"}, "spec": {**spec, "replicas": 0}})
    owned = made["metadata"]["managedFields"][0]["fieldsV1"]["f:spec"]
    assert owned["f:strategy"] == {"f:rollingUpdate": {".": {}, "f:maxSurge": {}, "f:maxUnavailable": {}}, "f:type": {}}
    assert "." not in owned["f:template"]
    assert owned["f:template"]["f:metadata"] == {"f:labels": {".": {}, "f:app": {}}}
    assert owned["f:template"]["f:spec"]["f:securityContext"] == {}
    security = {"securityContext": {"runAsUser": 1}}
    pod = wire.create(f"/api/v1/namespaces/{ns}/pods", {"metadata": {"name": "a"}, "spec": {"containers": containers, **security}})
    assert pod["metadata"]["managedFields"][0]["fieldsV1"]["f:spec"]["f:securityContext"] == {".": {}, "f:runAsUser": {}}
