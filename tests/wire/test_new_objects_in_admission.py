"""A new object gets its name, uid and time once all that may change it have seen it; those who only refuse see the whole of it."""

from concurrent.futures import ThreadPoolExecutor

import pytest

from svcsim.meta.types import Object
from tests.wire.admitting import ALLOWED, Hooks, patched
from tests.wire.policies import ABOUT_MAPS, BoundPolicies
from tests.wire.raw import APPLY, MERGE

MAPS = "/api/v1/namespaces/default/configmaps"
SERVICES = "/api/v1/namespaces/default/services"
GENERATED = {"metadata": {"generateName": "some-"}}
IDENTITY = ("uid", "creationTimestamp", "generation", "resourceVersion")


def both(hooks: Hooks) -> None:
    hooks.configure("mutating", "m", hooks.webhook(ALLOWED, "/mutating"))
    hooks.configure("validating", "v", hooks.webhook(ALLOWED, "/validating"))


def asked(hooks: Hooks, kind: str) -> Object:
    [request] = hooks.asked[f"/{kind}"]
    return request


def test_mutating_webhooks_see_no_identity(hooks: Hooks) -> None:
    both(hooks)
    made = hooks.wire.create(MAPS, GENERATED)
    first, last = asked(hooks, "mutating"), asked(hooks, "validating")
    assert first.get("name", "") == ""
    assert not {"name", *IDENTITY} & set(first["object"]["metadata"])
    assert first["object"]["metadata"]["generateName"] == "some-"
    assert last["name"] == last["object"]["metadata"]["name"] == made["metadata"]["name"]
    assert last["object"]["metadata"]["uid"] == made["metadata"]["uid"]
    assert last["object"]["metadata"]["creationTimestamp"] == made["metadata"]["creationTimestamp"]


def test_a_name_that_is_given_is_known_at_once(hooks: Hooks) -> None:
    both(hooks)
    name = hooks.wire.fresh()
    hooks.wire.create(MAPS, {"metadata": {"name": name, "uid": "mine", "creationTimestamp": "2020-01-01T00:00:00Z"}})
    first = asked(hooks, "mutating")
    assert first["name"] == first["object"]["metadata"]["name"] == name
    assert not set(IDENTITY) & set(first["object"]["metadata"])


def test_an_apply_that_creates_is_told_alike(hooks: Hooks) -> None:
    both(hooks)
    name = hooks.wire.fresh()
    applied = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name}, "data": {"a": "b"}}
    assert hooks.wire.ask("PATCH", f"{MAPS}/{name}", applied, content_type=APPLY, fieldManager="me").status == 201
    first, last = asked(hooks, "mutating"), asked(hooks, "validating")
    assert (first["operation"], first["name"]) == ("CREATE", name)
    assert not set(IDENTITY) & set(first["object"]["metadata"])
    assert last["object"]["metadata"]["uid"]


def test_an_update_that_leaves_its_identity_out_is_shown_so(hooks: Hooks) -> None:
    """Who changes it sees what was sent, who only refuses what there will be; nothing is lost."""
    made = hooks.wire.create(MAPS, GENERATED)
    both(hooks)
    name = made["metadata"]["name"]
    answer = hooks.wire.ask("PUT", f"{MAPS}/{name}", {"metadata": {"name": name}, "data": {"a": "b"}})
    first, last = asked(hooks, "mutating"), asked(hooks, "validating")
    assert not set(IDENTITY) & set(first["object"]["metadata"])
    assert first["oldObject"]["metadata"]["uid"] == made["metadata"]["uid"]
    for known in (last["object"], answer.json):
        assert known["metadata"]["uid"] == made["metadata"]["uid"]
        assert known["metadata"]["creationTimestamp"] == made["metadata"]["creationTimestamp"]


@pytest.mark.parametrize(("right", "status"), [(True, 200), (False, 422)])
def test_an_identity_that_is_put_into_such_an_update_has_to_be_the_objects(hooks: Hooks, right: bool, status: int) -> None:
    made = hooks.wire.create(MAPS, GENERATED)
    uid = made["metadata"]["uid"]
    operations = ({"op": "add", "path": "/metadata/uid", "value": uid if right else "mine"}, {"op": "add", "path": "/data/c", "value": "d"})
    hooks.configure("mutating", "m", hooks.webhook(patched(*operations), "/mutating"))
    name = made["metadata"]["name"]
    answer = hooks.wire.ask("PUT", f"{MAPS}/{name}", {"metadata": {"name": name}, "data": {"a": "b"}})
    assert answer.status == status, answer.json
    stored = hooks.wire.get(f"{MAPS}/{name}")
    assert stored["metadata"]["uid"] == uid
    assert stored.get("data") == ({"a": "b", "c": "d"} if right else None)


@pytest.mark.parametrize(("metadata", "namespaces"), [({"generateName": "some-"}, ("", "")), ({"name": "{name}"}, ("{name}", "{name}"))])
def test_a_namespace_is_in_itself_where_its_name_is_told(hooks: Hooks, metadata: Object, namespaces: tuple[str, str]) -> None:
    name = hooks.wire.fresh()
    for kind in ("mutating", "validating"):
        webhook = hooks.webhook(ALLOWED, f"/{kind}", resources=("namespaces",), operations=["CREATE"], namespaceSelector={})
        hooks.configure(kind, kind[0], webhook)
    hooks.wire.create("/api/v1/namespaces", {"metadata": {key: value.format(name=name) for key, value in metadata.items()}})
    found = (asked(hooks, "mutating").get("namespace", ""), asked(hooks, "validating").get("namespace", ""))
    assert found == tuple(expected.format(name=name) for expected in namespaces)


def test_a_change_of_what_is_going_shows_that_it_is(hooks: Hooks) -> None:
    name = hooks.wire.fresh()
    hooks.wire.create(MAPS, {"metadata": {"name": name, "finalizers": ["example.com/x"]}})
    assert hooks.wire.ask("DELETE", f"{MAPS}/{name}").status == 200
    both(hooks)
    answer = hooks.wire.ask("PATCH", f"{MAPS}/{name}", {"metadata": {"finalizers": None}}, content_type=MERGE)
    assert answer.status == 200, answer.json
    for kind in ("mutating", "validating"):
        metadata = asked(hooks, kind)["object"]["metadata"]
        assert metadata["deletionGracePeriodSeconds"] == 0
        assert metadata["deletionTimestamp"]


def test_an_update_shows_the_identity_it_has(hooks: Hooks) -> None:
    made = hooks.wire.create(MAPS, GENERATED)
    both(hooks)
    path = f"{MAPS}/{made['metadata']['name']}"
    assert hooks.wire.ask("PUT", path, {**made, "data": {"a": "b"}}).status == 200
    assert asked(hooks, "mutating")["object"]["metadata"]["uid"] == made["metadata"]["uid"]


def test_a_webhook_may_name_what_has_no_name(hooks: Hooks) -> None:
    name = hooks.wire.fresh("named")
    hooks.configure("mutating", "m", hooks.webhook(patched({"op": "add", "path": "/metadata/name", "value": name})))
    assert hooks.wire.create(MAPS, GENERATED)["metadata"]["name"] == name
    again = hooks.wire.ask("POST", MAPS, GENERATED)
    assert (again.status, again.reason) == (409, "AlreadyExists")


def test_a_webhook_may_have_a_name_generated(hooks: Hooks) -> None:
    operations = ({"op": "remove", "path": "/metadata/name"}, {"op": "add", "path": "/metadata/generateName", "value": "late-"})
    hooks.configure("mutating", "m", hooks.webhook(patched(*operations)))
    made = hooks.wire.create(MAPS, {"metadata": {"name": hooks.wire.fresh()}})
    assert made["metadata"]["name"].startswith("late-")


def test_policies_see_what_webhooks_see(hooks: Hooks) -> None:
    policies = BoundPolicies(hooks.wire, "mutating")
    told = '{"name": string(has(request.name)), "named": string(has(object.metadata.name)), "uid": string(has(object.metadata.uid))}'
    change = {"patchType": "JSONPatch", "jsonPatch": {"expression": f'[JSONPatch{{op: "add", path: "/data", value: {told}}}]'}}
    policies.bind({"matchConstraints": {"resourceRules": ABOUT_MAPS}, "reinvocationPolicy": "Never", "mutations": [change]}, {})
    made = hooks.wire.create(MAPS, GENERATED)
    policies.forget()
    assert made["data"] == {"name": "false", "named": "false", "uid": "false"}
    checking = BoundPolicies(hooks.wire, "validating")
    rules = {"matchConstraints": {"resourceRules": ABOUT_MAPS}}
    holds = "request.name == object.metadata.name && object.metadata.name.startsWith('some-') && has(object.metadata.uid)"
    checking.bind({**rules, "validations": [{"expression": holds}]}, {"validationActions": ["Deny"]})
    status = hooks.wire.ask("POST", MAPS, GENERATED).status
    checking.forget()
    assert status == 201


@pytest.mark.parametrize(("metadata", "told"), [({"generateName": "some-"}, "some-"), ({"name": "one"}, "one"), ({}, "Unknown")])
def test_who_refuses_early_tells_what_the_name_is_to_begin_with(hooks: Hooks, metadata: Object, told: str) -> None:
    spec = {"containers": [{"name": "a", "image": "a"}], "serviceAccountName": "nobody"}
    answer = hooks.wire.ask("POST", "/api/v1/namespaces/default/pods", {"metadata": metadata, "spec": spec})
    assert answer.status == 403
    assert answer.message.startswith(f'pods "{told}" is forbidden: error looking up service account default/nobody')


def test_two_services_without_names_never_get_one_address(hooks: Hooks) -> None:
    address = hooks.wire.create(SERVICES, {"metadata": {"generateName": "probe-"}, "spec": {"ports": [{"port": 80}]}})["spec"]["clusterIP"]
    head, _, last = address.rpartition(".")
    wanted = f"{head}.{int(last) ^ 1}"
    body = {"metadata": {"generateName": "some-"}, "spec": {"clusterIP": wanted, "ports": [{"port": 80}]}}
    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(lambda _: hooks.wire.ask("POST", SERVICES, body).status, range(8)))
    assert sorted(answers) == [201, *[422] * 7]


@pytest.mark.parametrize("field", ["name", "uid"])
def test_what_is_there_cannot_become_another(hooks: Hooks, field: str) -> None:
    made = hooks.wire.create(MAPS, {"metadata": {"name": hooks.wire.fresh()}})
    hooks.configure("mutating", "m", hooks.webhook(patched({"op": "replace", "path": f"/metadata/{field}", "value": "other"})))
    answer = hooks.wire.ask("PUT", f"{MAPS}/{made['metadata']['name']}", {**made, "data": {"k": "v"}})
    assert (answer.status, f'metadata.{field}: Invalid value: "other": field is immutable' in answer.message) == (422, True)


def test_a_namespace_without_a_name_is_chosen_by_its_own_labels(hooks: Hooks) -> None:
    chosen = {"namespaceSelector": {"matchLabels": {"team": "blue"}}, "resources": ("namespaces",)}
    hooks.configure("mutating", "m", hooks.webhook(ALLOWED, "/mutating", **chosen))
    for labels in ({"team": "blue"}, {"team": "red"}):
        hooks.wire.create("/api/v1/namespaces", {"metadata": {"generateName": "some-", "labels": labels}})
    assert [one["object"]["metadata"]["labels"]["team"] for one in hooks.asked["/mutating"]] == ["blue"]


def test_a_service_has_its_addresses_for_those_who_validate(hooks: Hooks) -> None:
    for kind in ("mutating", "validating"):
        hooks.configure(kind, "s", hooks.webhook(ALLOWED, f"/{kind}", resources=("services",)))
    made = hooks.wire.create(SERVICES, {"metadata": {"generateName": "s-"}, "spec": {"type": "NodePort", "ports": [{"port": 80}]}})
    assert "clusterIP" not in asked(hooks, "mutating")["object"]["spec"]
    assert asked(hooks, "validating")["object"]["spec"] == made["spec"]


def test_those_who_validate_are_asked_about_another_name_where_one_is_taken_meanwhile(hooks: Hooks) -> None:
    taken: list[str] = []

    def take(request: Object) -> Object:
        name = str(request["name"])
        if not taken and name.startswith("twice-"):
            taken.append(name)
            hooks.wire.create(MAPS, {"metadata": {"name": name}})
        return ALLOWED

    quotas, held = "/api/v1/namespaces/default/resourcequotas", len(hooks.wire.get(MAPS)["items"])
    hooks.wire.create(quotas, {"metadata": {"name": "q"}, "spec": {"hard": {"count/configmaps": str(held + 2)}}})
    hooks.configure("validating", "v", hooks.webhook(take, "/validating"))
    made = hooks.wire.ask("POST", MAPS, {"metadata": {"generateName": "twice-"}})
    hooks.wire.ask("DELETE", f"{quotas}/q")
    assert made.status == 201
    name = made.json["metadata"]["name"]
    assert [one["name"] for one in hooks.asked["/validating"]] == [*taken, *taken, name]
    assert hooks.asked["/validating"][-1]["object"]["metadata"]["name"] == name
