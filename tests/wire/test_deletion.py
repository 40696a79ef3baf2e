"""Deletion in its two phases, what holds it up, what goes with it; and the end of namespaces."""

import pytest

from svcsim.meta.types import Json, Object
from tests.wire.raw import JSON_PATCH, Wire


def test_what_is_gone_is_told_by_a_status(wire: Wire, maps: str):
    created = wire.create(maps, {"metadata": {"name": "a"}})
    assert wire.delete(f"{maps}/a") == {
        "kind": "Status",
        "apiVersion": "v1",
        "metadata": {},
        "status": "Success",
        "details": {"name": "a", "kind": "configmaps", "uid": created["metadata"]["uid"]},
    }


def test_what_is_held_while_it_is_deleted_says_so_to_who_would_have_its_name(wire: Wire, maps: str):
    wire.create(maps, {"metadata": {"name": "held", "finalizers": ["example.com/one"]}})
    assert wire.ask("POST", maps, {"metadata": {"name": "held"}}).message == 'configmaps "held" already exists'
    wire.delete(f"{maps}/held")
    answer = wire.ask("POST", maps, {"metadata": {"name": "held"}})
    assert (answer.status, answer.reason) == (409, "AlreadyExists")
    assert answer.message == 'object is being deleted: configmaps "held" already exists'
    wire.patch(f"{maps}/held", {"metadata": {"finalizers": None}})
    wire.create(maps, {"metadata": {"name": "held"}})


def test_finalizers_hold_it_until_the_last_is_gone(wire: Wire, maps: str):
    wire.create(maps, {"metadata": {"name": "a", "finalizers": ["example.com/one", "example.com/two"]}})
    held = wire.delete(f"{maps}/a")
    assert held["metadata"]["deletionTimestamp"]
    assert held["metadata"]["deletionGracePeriodSeconds"] == 0
    again = wire.delete(f"{maps}/a")
    assert again == held, "asked for twice changes nothing"
    wire.patch(f"{maps}/a", [{"op": "remove", "path": "/metadata/finalizers/0"}], JSON_PATCH)
    changed = wire.patch(f"{maps}/a", {"data": {"still": "here"}})
    assert changed["metadata"]["finalizers"] == ["example.com/two"]
    answer = wire.ask(
        "PATCH",
        f"{maps}/a",
        {"metadata": {"finalizers": ["example.com/two", "example.com/new"]}},
        content_type="application/merge-patch+json",
    )
    assert (answer.status, answer.reason) == (422, "Invalid")
    assert "no new finalizers can be added if the object is being deleted" in answer.message
    undone = wire.patch(f"{maps}/a", {"metadata": {"deletionTimestamp": None, "deletionGracePeriodSeconds": None}})
    assert undone["metadata"]["deletionTimestamp"] == held["metadata"]["deletionTimestamp"], "deletion is never undone"
    with wire.watch(maps, resourceVersion=undone["metadata"]["resourceVersion"], fieldSelector="metadata.name=a") as events:
        last = wire.patch(f"{maps}/a", {"metadata": {"finalizers": None}})
        assert events.take(1)[0]["type"] == "DELETED"
    assert "finalizers" not in last["metadata"]
    assert wire.ask("GET", f"{maps}/a").status == 404


@pytest.mark.parametrize(
    ("preconditions", "status"),
    [({"uid": "other"}, 409), ({"resourceVersion": "1"}, 409), ({"uid": "{uid}"}, 200), ({"uid": "{uid}", "resourceVersion": "{rv}"}, 200)],
)
def test_preconditions(wire: Wire, maps: str, preconditions: dict[str, str], status: int):
    metadata = wire.create(maps, {"metadata": {"name": "a"}})["metadata"]
    filled = {name: value.format(uid=metadata["uid"], rv=metadata["resourceVersion"]) for name, value in preconditions.items()}
    answer = wire.ask("DELETE", f"{maps}/a", {"kind": "DeleteOptions", "apiVersion": "v1", "preconditions": filled})
    assert answer.status == status
    if status == 409:
        assert answer.message.startswith('Operation cannot be fulfilled on configmaps "a": the ')
        assert wire.ask("GET", f"{maps}/a").status == 200


def pod(name: str, **spec: Json) -> Object:
    return {"metadata": {"name": name}, "spec": {"containers": [{"name": "c", "image": "nginx:1.29"}], **spec}}


def test_a_running_pod_is_given_its_grace(wire: Wire, ns: str):
    pods = f"/api/v1/namespaces/{ns}/pods"
    created = wire.create(pods, pod("p", terminationGracePeriodSeconds=77))
    with wire.watch(pods, resourceVersion=created["metadata"]["resourceVersion"]) as events:
        with wire.hurried():
            events.until(lambda event: event["object"]["status"]["phase"] == "Running")
        dying = wire.delete(f"{pods}/p")
        assert dying["metadata"]["deletionGracePeriodSeconds"] == 77
        sooner = wire.delete(f"{pods}/p", gracePeriodSeconds=5)
        assert sooner["metadata"]["deletionGracePeriodSeconds"] == 5
        assert sooner["metadata"]["deletionTimestamp"] < dying["metadata"]["deletionTimestamp"]
        later = wire.delete(f"{pods}/p", gracePeriodSeconds=60)
        assert later["metadata"]["deletionGracePeriodSeconds"] == 5, "never put off"
        wire.delete(f"{pods}/p", {"gracePeriodSeconds": 0})
        assert events.until(lambda event: event["type"] == "DELETED")
    assert wire.ask("GET", f"{pods}/p").status == 404


def test_a_pod_that_was_never_placed_goes_at_once(wire: Wire, ns: str):
    pods = f"/api/v1/namespaces/{ns}/pods"
    wire.create(pods, pod("p", schedulerName="nobody"))
    wire.delete(f"{pods}/p")
    assert wire.ask("GET", f"{pods}/p").status == 404


def owner_of(obj: Object, **more: Json) -> Object:
    return {"apiVersion": "v1", "kind": "ConfigMap", "name": obj["metadata"]["name"], "uid": obj["metadata"]["uid"], **more}


@pytest.mark.parametrize("policy", ["Background", None])
def test_dependents_follow(wire: Wire, maps: str, policy: str | None):
    owner = wire.create(maps, {"metadata": {"name": "owner"}})
    dependent = wire.create(maps, {"metadata": {"name": "dependent", "ownerReferences": [owner_of(owner)]}})
    assert wire.delete(f"{maps}/owner", propagationPolicy=policy)["kind"] == "Status"
    wire.gone(f"{maps}/dependent", dependent)


def test_orphans_stay(wire: Wire, maps: str):
    owner = wire.create(maps, {"metadata": {"name": "owner"}})
    wire.create(maps, {"metadata": {"name": "dependent", "ownerReferences": [owner_of(owner)]}})
    dying = wire.delete(f"{maps}/owner", {"propagationPolicy": "Orphan"})
    assert dying["metadata"]["finalizers"] == ["orphan"]
    wire.gone(f"{maps}/owner", dying)
    assert "ownerReferences" not in wire.get(f"{maps}/dependent")["metadata"]


def test_in_the_foreground_dependents_go_first(wire: Wire, maps: str):
    owner = wire.create(maps, {"metadata": {"name": "owner"}})
    reference = owner_of(owner, blockOwnerDeletion=True)
    dependent = wire.create(maps, {"metadata": {"name": "dependent", "ownerReferences": [reference], "finalizers": ["example.com/slow"]}})
    answer = wire.ask("DELETE", f"{maps}/owner", {"propagationPolicy": "Foreground"})
    assert (answer.status, answer.json["metadata"]["finalizers"]) == (200, ["foregroundDeletion"])
    with wire.watch(maps, resourceVersion=dependent["metadata"]["resourceVersion"], fieldSelector="metadata.name=dependent") as events:
        events.until(lambda event: "deletionTimestamp" in event["object"]["metadata"])
    assert wire.ask("GET", f"{maps}/owner").status == 200
    with wire.watch(maps, resourceVersion=answer.json["metadata"]["resourceVersion"]) as events:
        wire.patch(f"{maps}/dependent", {"metadata": {"finalizers": None}})
        gone = [
            event["object"]["metadata"]["name"]
            for event in events.until(lambda event: (event["type"], event["object"]["metadata"]["name"]) == ("DELETED", "owner"))
            if event["type"] == "DELETED"
        ]
    assert gone == ["dependent", "owner"]


def test_a_dependent_of_nobody_is_collected(wire: Wire, maps: str):
    absent = {"apiVersion": "v1", "kind": "ConfigMap", "name": "never", "uid": "00000000-0000-0000-0000-000000000000"}
    wire.gone(f"{maps}/a", wire.create(maps, {"metadata": {"name": "a", "ownerReferences": [absent]}}))


def test_a_namespace_is_emptied_and_then_goes(wire: Wire, ns: str):
    maps, path = f"/api/v1/namespaces/{ns}/configmaps", f"/api/v1/namespaces/{ns}"
    held = wire.create(maps, {"metadata": {"name": "held", "finalizers": ["example.com/slow"]}})
    wire.create(maps, {"metadata": {"name": "free"}})
    dying = wire.delete(path)
    assert dying["status"]["phase"] == "Terminating"
    with wire.watch(
        "/api/v1/namespaces", resourceVersion=dying["metadata"]["resourceVersion"], fieldSelector=f"metadata.name={ns}"
    ) as events:
        told = events.until(lambda event: conditions(event["object"]).get("NamespaceFinalizersRemaining") == "True")[-1]["object"]
        assert conditions(told)["NamespaceContentRemaining"] == "True"
        assert [item["metadata"]["name"] for item in wire.get(maps)["items"]] == ["held"]

        answer = wire.ask("POST", maps, {"metadata": {"name": "new"}})
        assert (answer.status, answer.reason) == (403, "Forbidden")
        assert answer.message == (
            f'configmaps "new" is forbidden: unable to create new content in namespace {ns} because it is being terminated'
        )
        assert answer.json["details"]["causes"][0]["reason"] == "NamespaceTerminating"

        assert held["metadata"]["finalizers"]
        wire.patch(f"{maps}/held", {"metadata": {"finalizers": None}})
        with wire.hurried():  # it looks again after a while
            events.until(lambda event: event["type"] == "DELETED")
    assert wire.ask("GET", path).status == 404
    missing = wire.ask("POST", maps, {"metadata": {"name": "new"}})
    assert (missing.status, missing.message) == (404, f'namespaces "{ns}" not found')


def conditions(namespace: Object) -> dict[str, str]:
    return {condition["type"]: condition["status"] for condition in namespace["status"].get("conditions", [])}


def test_the_first_namespaces_stay(wire: Wire):
    for name in ("default", wire.dialect.system_namespace, wire.dialect.public_namespace):
        answer = wire.ask("DELETE", f"/api/v1/namespaces/{name}")
        assert (answer.status, answer.reason) == (403, "Forbidden")
        assert answer.message == f'namespaces "{name}" is forbidden: this namespace may not be deleted'
