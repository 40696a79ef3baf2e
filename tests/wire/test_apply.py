"""Server-side apply, from a client's side."""

import json

import pytest

from svcsim.meta.types import Json, Object
from tests.wire.raw import APPLY, Answer, Wire


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
