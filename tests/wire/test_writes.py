"""What creates, updates, patches and deletes mean: what they may assume, what they may say of themselves, and what is the server's."""

import pytest

from svcsim.meta.types import Json, Object
from tests.wire.raw import APPLY, JSON_PATCH, MERGE, STRATEGIC, Answer, Wire

LONG_AGO = "2001-02-03T04:05:06Z"


def config(**metadata: Json) -> Object:
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a", **metadata}, "data": {"k": "1"}}


@pytest.fixture
def deployments(ns: str) -> str:
    return f"/apis/apps/v1/namespaces/{ns}/deployments"


def deployment(name: str = "d", **spec: Json) -> Object:
    template = {"metadata": {"labels": {"a": "b"}}, "spec": {"containers": [{"name": "c", "image": "i"}]}}
    whole = {"replicas": 0, "selector": {"matchLabels": {"a": "b"}}, "template": template, **spec}
    return {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": name}, "spec": whole}


def causes(answer: Answer) -> list[tuple[str, str]]:
    """Field and reason of every cause of a refusal."""
    return [(cause["field"], cause["reason"]) for cause in answer.json["details"]["causes"]]


def test_the_time_of_creation_is_the_servers_whatever_an_update_says(wire: Wire, maps: str) -> None:
    born = wire.create(maps, config(creationTimestamp=LONG_AGO))["metadata"]["creationTimestamp"]
    assert born != LONG_AGO
    replaced = wire.ask("PUT", f"{maps}/a", config(creationTimestamp=LONG_AGO))
    assert (replaced.status, replaced.json["metadata"]["creationTimestamp"]) == (200, born)
    for media, patch in (
        (MERGE, {"metadata": {"creationTimestamp": LONG_AGO}}),
        (STRATEGIC, {"metadata": {"creationTimestamp": LONG_AGO}}),
        (JSON_PATCH, [{"op": "replace", "path": "/metadata/creationTimestamp", "value": LONG_AGO}]),
    ):
        assert wire.patch(f"{maps}/a", patch, media)["metadata"]["creationTimestamp"] == born


@pytest.mark.parametrize("version", ["0", "00", "v1", "-1", ""])
def test_a_resource_version_that_means_none_is_no_reason_to_refuse_a_create(wire: Wire, maps: str, version: str) -> None:
    assert wire.create(maps, config(resourceVersion=version))["metadata"]["resourceVersion"] not in (version, "")


def test_a_new_object_has_no_version_yet(wire: Wire, maps: str) -> None:
    refused = wire.ask("POST", maps, config(resourceVersion="5"))
    assert (refused.status, refused.message) == (400, "resourceVersion should not be set on objects to be created")


def test_version_0_makes_no_condition(wire: Wire, maps: str) -> None:
    wire.create(maps, config())
    assert wire.ask("PUT", f"{maps}/a", {**config(resourceVersion="0"), "data": {"k": "2"}}).json["data"] == {"k": "2"}
    assert wire.patch(f"{maps}/a", {"metadata": {"resourceVersion": "0"}, "data": {"k": "3"}})["data"] == {"k": "3"}
    for version in ("1", "v1"):
        assert wire.ask("PUT", f"{maps}/a", config(resourceVersion=version)).status == 409


def test_what_was_read_is_not_created_again_once_it_is_deleted(wire: Wire, ns: str) -> None:
    path = f"/apis/{wire.dialect.group('coordination')}/v1/namespaces/{ns}/leases"
    read = wire.create(path, {"metadata": {"name": "a"}, "spec": {"holderIdentity": "me"}})
    wire.delete(f"{path}/a")
    for version in ({"resourceVersion": read["metadata"]["resourceVersion"]}, {}):
        uid = read["metadata"]["uid"]
        again = wire.ask("PUT", f"{path}/a", {**read, "metadata": {"name": "a", "uid": uid, **version}})
        assert (again.status, again.reason) == (409, "Conflict")
        assert again.message.endswith(f": Precondition failed: UID in precondition: {uid}, UID in object meta: ")
    fresh = wire.ask("PUT", f"{path}/a", {**read, "metadata": {"name": "a"}})
    assert fresh.status == 201


def test_a_dry_run_of_a_create_makes_no_version(wire: Wire, maps: str) -> None:
    made = wire.create(maps, config(), dryRun="All")
    assert "resourceVersion" not in made["metadata"]
    assert made["data"] == {"k": "1"}


def test_a_strategic_patch_need_not_name_the_kind_it_is_for(wire: Wire, deployments: str) -> None:
    wire.create(deployments, deployment())
    scaled = wire.patch(f"{deployments}/d/scale", {"kind": "Deployment", "metadata": {"name": "d"}, "spec": {"replicas": 1}}, STRATEGIC)
    assert (scaled["kind"], scaled["spec"]) == ("Scale", {"replicas": 1})
    for said in ({"kind": "ReplicaSet"}, {"apiVersion": "v7"}, {"kind": None, "apiVersion": None}):
        seen = wire.patch(f"{deployments}/d", said, STRATEGIC)
        assert (seen["kind"], seen["apiVersion"]) == ("Deployment", "apps/v1")


@pytest.mark.parametrize("said", [{"kind": "ReplicaSet"}, {"apiVersion": "v7"}])
def test_a_merge_patch_may_not_make_another_kind(wire: Wire, deployments: str, said: Object) -> None:
    wire.create(deployments, deployment())
    refused = wire.ask("PATCH", f"{deployments}/d", said, content_type=MERGE)
    assert (refused.status, refused.reason, causes(refused)) == (422, "Invalid", [("patch", "FieldValueInvalid")])


@pytest.mark.parametrize(
    ("media", "patch", "quoted"),
    [
        (MERGE, {"metadata": {"labels": "invalid"}}, '"{\\"metadata\\": {\\"labels\\": \\"invalid\\"}}"'),
        (JSON_PATCH, [{"op": "add", "path": "/metadata/labels", "value": "invalid"}], '"[{\\"op\\": \\"add\\", '),
        (JSON_PATCH, [{"op": "replace", "path": "/metadata", "value": "invalid"}], '"[{\\"op\\": \\"replace\\", '),
        (MERGE, {"metadata": "invalid"}, '"{\\"metadata\\": \\"invalid\\"}"'),
    ],
)
@pytest.mark.parametrize("window", ["", "/status"])
def test_a_patch_that_gives_a_field_a_wrong_type_is_invalid(
    wire: Wire, deployments: str, media: str, patch: Json, quoted: str, window: str
) -> None:
    wire.create(deployments, deployment())
    refused = wire.ask("PATCH", f"{deployments}/d{window}", patch, content_type=media)
    assert (refused.status, refused.reason, causes(refused)) == (422, "Invalid", [("patch", "FieldValueInvalid")])
    assert refused.message.startswith(f' "" is invalid: patch: Invalid value: {quoted}')
    assert "cannot unmarshal string" in refused.message


@pytest.mark.parametrize(
    ("patch", "quoted", "why"),
    [
        ({"metadata": {"labels": "invalid"}}, "map[metadata:map[labels:invalid]]", "cannot restore map from string"),
        ({"metadata": "invalid"}, "map[metadata:invalid]", "cannot restore struct from: string"),
        ({"spec": 7}, "map[spec:7]", "cannot restore struct from: int64"),
        (
            {"spec": {"template": {"spec": {"containers": {"a": 1}}}}},
            "map[spec:map[template:map[spec:map[containers:map[a:1]]]]]",
            "cannot restore slice from map",
        ),
        ({"metadata": {"labels": {"a": 1}}}, "map[metadata:map[labels:map[a:1]]]", "cannot convert int64 to string"),
        ({"metadata": {"labels": {"a": True}}}, "map[metadata:map[labels:map[a:true]]]", "unrecognized type: string"),
        ({"spec": {"replicas": "x"}}, "map[spec:map[replicas:x]]", "unrecognized type: int32"),
        ({"spec": {"replicas": 1.5}}, "map[spec:map[replicas:1.5]]", "cannot convert float64 to int32"),
        ({"spec": {"paused": "x"}}, "map[spec:map[paused:x]]", "unrecognized type: bool"),
    ],
)
def test_of_a_wrong_type_in_a_strategic_patch_clients_are_told_in_their_words(
    wire: Wire, deployments: str, patch: Json, quoted: str, why: str
) -> None:
    wire.create(deployments, deployment())
    refused = wire.ask("PATCH", f"{deployments}/d", patch, content_type=STRATEGIC)
    assert (refused.status, refused.reason, causes(refused)) == (422, "Invalid", [("patch", "FieldValueInvalid")])
    assert refused.message == f' "" is invalid: patch: Invalid value: "{quoted}": {why}'


def test_a_patch_of_a_subresources_body_with_a_wrong_type_is_invalid(wire: Wire, deployments: str) -> None:
    wire.create(deployments, deployment())
    refused = wire.ask("PATCH", f"{deployments}/d/scale", {"spec": {"replicas": "many"}}, content_type=MERGE)
    assert (refused.status, causes(refused)) == (422, [("patch", "FieldValueInvalid")])


def test_a_patch_into_another_namespace_is_refused_like_a_create(wire: Wire, maps: str) -> None:
    wire.create(maps, config())
    whole = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a", "namespace": "another"}}
    for media, patch, query in ((MERGE, {"metadata": {"namespace": "another"}}, {}), (APPLY, whole, {"fieldManager": "ann"})):
        refused = wire.ask("PATCH", f"{maps}/a", patch, content_type=media, **query)
        assert refused.status == 400
        assert refused.message == "the namespace of the provided object does not match the namespace sent on the request"


@pytest.mark.parametrize(
    ("patch", "status", "message"),
    [
        ({}, 400, "error decoding patch: json: cannot unmarshal object into Go value of type []handlers.jsonPatchOp"),
        ("x", 400, "error decoding patch: json: cannot unmarshal string into Go value of type []handlers.jsonPatchOp"),
    ],
)
def test_what_is_no_json_patch_is_told_so(wire: Wire, maps: str, patch: Json, status: int, message: str) -> None:
    wire.create(maps, config())
    refused = wire.ask("PATCH", f"{maps}/a", patch, content_type=JSON_PATCH)
    assert (refused.status, refused.message) == (status, message)


@pytest.mark.parametrize(
    "operation",
    [
        {"op": "increase", "path": "/data"},
        {"path": "/data"},
        {"op": "remove", "path": "/data/nope"},
        {"op": "replace", "path": "/nope/nope", "value": "1"},
        {"op": "test", "path": "/metadata/name", "value": "b"},
    ],
)
def test_a_json_patch_that_does_not_apply_is_rejected_without_a_cause(wire: Wire, maps: str, operation: Object) -> None:
    wire.create(maps, config())
    refused = wire.ask("PATCH", f"{maps}/a", [operation], content_type=JSON_PATCH)
    assert (refused.status, refused.reason, refused.json["details"]) == (422, "Invalid", {})
    assert refused.message == "the server rejected our request due to an error in our request"


def test_a_delete_of_what_was_recreated_says_what_happened(wire: Wire, maps: str) -> None:
    metadata = wire.create(maps, config())["metadata"]
    refused = wire.ask("DELETE", f"{maps}/a", {"preconditions": {"uid": "old"}})
    assert refused.status == 409
    assert refused.message == (
        'Operation cannot be fulfilled on configmaps "a": the UID in the precondition (old) does not match the UID in record '
        f"({metadata['uid']}). The object might have been deleted and then recreated"
    )
    refused = wire.ask("DELETE", f"{maps}/a", {"preconditions": {"resourceVersion": "1"}})
    assert refused.message.endswith(
        f"the ResourceVersion in the precondition (1) does not match the ResourceVersion in record ({metadata['resourceVersion']}). "
        "The object might have been modified"
    )


def owner(**fields: str) -> Object:
    return {"apiVersion": "v1", "kind": "Pod", "name": "p", "uid": "1", **fields}


def test_an_owner_is_named_once(wire: Wire, maps: str) -> None:
    """Dry runs, because owners that aren't there take what they own with them."""
    made = wire.ask("POST", maps, config(ownerReferences=[owner(), owner(uid="2"), owner()]), dryRun="All")
    assert made.json["metadata"]["ownerReferences"] == [owner(), owner(uid="2")]
    told = "API server dedups owner references in 1.20+, and may reject such requests as early as 1.24; please fix your requests"
    assert f".metadata.ownerReferences contains duplicate entries; {told}; duplicate UID(s) observed: 1" in made.headers["warning"]
    wire.create(maps, config())
    patched = wire.ask("PATCH", f"{maps}/a", {"metadata": {"ownerReferences": [owner(), owner()]}}, content_type=MERGE, dryRun="All")
    assert patched.json["metadata"]["ownerReferences"] == [owner()]
    assert f"duplicate entries after mutating admission happens; {told}; duplicate UID(s) observed: 1" in patched.headers["warning"]


def test_an_event_owns_nothing(wire: Wire, maps: str) -> None:
    refused = wire.ask("POST", maps, config(ownerReferences=[owner(kind="Event")]))
    assert (refused.status, causes(refused)) == (422, [("metadata.ownerReferences[0]", "FieldValueInvalid")])


@pytest.mark.parametrize("name", ["apiVersion", "kind", "name", "uid"])
def test_what_an_owner_reference_lacks_is_told_once(wire: Wire, maps: str, name: str) -> None:
    missing = {key: value for key, value in owner().items() if key != name}
    where = f"metadata.ownerReferences[0].{name}"
    assert causes(wire.ask("POST", maps, config(ownerReferences=[owner(**{name: ""})]))) == [(where, "FieldValueInvalid")]
    assert causes(wire.ask("POST", maps, config(ownerReferences=[missing]))) == [(where, "FieldValueRequired")]


def test_a_workload_without_a_selector_selects_nothing(wire: Wire, deployments: str) -> None:
    refused = wire.ask("POST", deployments, deployment(selector=None))
    assert causes(refused) == [("spec.selector", "FieldValueRequired"), ("spec.template.metadata.labels", "FieldValueInvalid")]


def test_a_new_volume_says_since_when_it_is_pending(wire: Wire) -> None:
    spec = {"capacity": {"storage": "1Gi"}, "accessModes": ["ReadWriteOnce"], "hostPath": {"path": "/x"}}
    made = wire.create("/api/v1/persistentvolumes", {"metadata": {"name": wire.fresh()}, "spec": spec})
    assert made["status"] == {"phase": "Pending", "lastPhaseTransitionTime": made["metadata"]["creationTimestamp"]}


def test_a_pod_is_replaced_by_a_manifest_that_names_no_tolerations(wire: Wire, ns: str) -> None:
    """Its account it has to name, and that it wants no token: what it was given when it was created may not be taken out."""
    path = f"/api/v1/namespaces/{ns}/pods"
    spec = {"schedulerName": "nobody", "serviceAccountName": "default", "containers": [{"name": "c", "image": "i"}]}
    # Its class, too: there may be one for pods that name none, at times.
    spec |= {"automountServiceAccountToken": False, "priorityClassName": "system-cluster-critical"}
    tolerations = wire.create(path, {"metadata": {"name": "a"}, "spec": spec})["spec"]["tolerations"]
    manifest = {"metadata": {"name": "a"}, "spec": {**spec, "containers": [{"name": "c", "image": "j"}]}}
    replaced = wire.ask("PUT", f"{path}/a", manifest)
    assert replaced.status == 200, replaced.json
    assert replaced.json["spec"]["tolerations"] == tolerations


def test_an_address_that_may_not_change_is_not_looked_for(wire: Wire, ns: str) -> None:
    path = f"/api/v1/namespaces/{ns}/services"
    ports = [{"port": 80}]
    for name, address in (("none", "None"), ("some", None)):
        wire.create(path, {"metadata": {"name": name}, "spec": {"clusterIP": address, "ports": ports}})
        refused = wire.ask("PATCH", f"{path}/{name}", {"spec": {"clusterIP": "192.0.2.1", "clusterIPs": ["192.0.2.1"]}}, content_type=MERGE)
        assert (refused.status, causes(refused)) == (422, [("spec.clusterIPs[0]", "FieldValueInvalid")])
        assert refused.message.endswith("may not change once set")


def test_what_is_always_there_is_nobodys(wire: Wire, ns: str) -> None:
    for entry in wire.get(f"/api/v1/namespaces/{ns}")["metadata"]["managedFields"]:
        assert "f:spec" not in entry["fieldsV1"]
