"""What mutating webhooks and policies may say of an object that is the server's to say: as little as in Kubernetes, and not in silence."""

from collections.abc import Callable, Iterator

import pytest

from svcsim.meta.types import Json, Object
from tests.wire.admitting import Hooks, patched
from tests.wire.policies import MAPS, BoundPolicies
from tests.wire.raw import APPLY, MERGE, Answer

LONG_AGO = "2020-01-01T00:00:00Z"
DEPLOYMENTS = "/apis/apps/v1/namespaces/default/deployments"
VERSIONED = "resourceVersion should not be set on objects to be created"
MODIFIED = "the object has been modified; please apply your changes to the latest version and try again"


Puts = Callable[..., None]
"""Has something of the metadata of config maps, or of whatever else is named, said by a mutating webhook, or by a policy."""


@pytest.fixture(params=["webhook", "policy"])
def puts(request: pytest.FixtureRequest, hooks: Hooks) -> Iterator[Puts]:
    policies = BoundPolicies(hooks.wire, "mutating")

    def by_webhook(resource: str = "configmaps", **said: Json) -> None:
        operations = [{"op": "add", "path": f"/metadata/{name}", "value": value} for name, value in said.items()]
        hooks.configure("mutating", "m", hooks.webhook(patched(*operations), resources=(resource,)))

    def by_policy(resource: str = "configmaps", **said: Json) -> None:
        policies.forget()
        told = ", ".join(f'JSONPatch{{op: "add", path: "/metadata/{name}", value: {text(value)}}}' for name, value in said.items())
        rule = {"apiGroups": ["*"], "apiVersions": ["*"], "operations": ["CREATE", "UPDATE"], "resources": [resource]}
        spec = {
            "matchConstraints": {"resourceRules": [rule]},
            "mutations": [{"patchType": "JSONPatch", "jsonPatch": {"expression": f"[{told}]"}}],
            "reinvocationPolicy": "Never",
        }
        policies.bind(spec, {})

    yield by_webhook if request.param == "webhook" else by_policy
    policies.forget()


def text(value: Json) -> str:
    return f'"{value}"' if isinstance(value, str) else str(value)


def make(hooks: Hooks, **query: str) -> Answer:
    return hooks.wire.ask("POST", MAPS, {"metadata": {"name": hooks.wire.fresh("map")}}, **query)


def made(hooks: Hooks, **metadata: Json) -> Object:
    return hooks.wire.create(MAPS, {"metadata": {"name": hooks.wire.fresh("map"), **metadata}})


def ways(hooks: Hooks, obj: Object) -> Iterator[Answer]:
    """Every way to change it: replaced with its version and without, patched, applied."""
    path = f"{MAPS}/{obj['metadata']['name']}"
    metadata = {name: value for name, value in obj["metadata"].items() if name in ("name", "finalizers")}
    yield hooks.wire.ask("PUT", path, {**obj, "data": {"a": "1"}})
    yield hooks.wire.ask("PUT", path, {"metadata": metadata, "data": {"a": "1"}})
    yield hooks.wire.ask("PATCH", path, {"data": {"a": "1"}}, content_type=MERGE)
    applied = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, "data": {"a": "1"}}
    yield hooks.wire.ask("PATCH", path, applied, content_type=APPLY, fieldManager="me")


# --- Of new objects ---


def test_uid_and_time_of_a_new_object_are_the_servers(hooks: Hooks, puts: Puts) -> None:
    puts(uid="mine", creationTimestamp=LONG_AGO)
    answer = make(hooks)
    assert answer.status == 201
    assert answer.json["metadata"]["uid"] != "mine"
    assert answer.json["metadata"]["creationTimestamp"] != LONG_AGO


@pytest.mark.parametrize("query", [{}, {"dryRun": "All"}])
def test_a_new_object_has_no_version(hooks: Hooks, puts: Puts, query: dict[str, str]) -> None:
    puts(resourceVersion="5")
    answer = make(hooks, **query)
    assert (answer.status, answer.reason, answer.message) == (500, "", VERSIONED)


def test_whoever_validates_is_asked_before_that_is_told(hooks: Hooks, puts: Puts) -> None:
    puts(resourceVersion="5")
    refusing = hooks.webhook({"allowed": False, "status": {"message": "no"}}, "/refuse")
    hooks.configure("validating", "v", refusing)
    assert make(hooks).message == 'admission webhook "refuse.hooks.example.com" denied the request: no'
    [asked] = hooks.asked["/refuse"]
    assert asked["object"]["metadata"]["resourceVersion"] == "5"


@pytest.mark.parametrize("version", ["0", "v1"])
def test_a_version_that_means_none_is_no_reason_to_refuse_it(hooks: Hooks, puts: Puts, version: str) -> None:
    puts(resourceVersion=version)
    assert make(hooks).status == 201


def test_nor_is_any_where_the_object_might_have_been_there(hooks: Hooks, puts: Puts) -> None:
    puts(resourceVersion="5")
    name = hooks.wire.fresh("map")
    applied = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name}, "data": {"a": "1"}}
    answer = hooks.wire.ask("PATCH", f"{MAPS}/{name}", applied, content_type=APPLY, fieldManager="me")
    assert (answer.status, answer.json["metadata"]["resourceVersion"] != "5") == (201, True)


def test_a_new_object_may_be_on_its_way_out(hooks: Hooks, puts: Puts) -> None:
    """It waits for whoever touches it next."""
    puts(deletionTimestamp=LONG_AGO)
    obj = make(hooks).json
    assert obj["metadata"]["deletionTimestamp"] == LONG_AGO
    path = f"{MAPS}/{obj['metadata']['name']}"
    assert hooks.wire.get(path)["metadata"]["deletionTimestamp"] == LONG_AGO
    assert hooks.wire.ask("PATCH", path, {"data": {"a": "1"}}, content_type=MERGE).status == 200
    assert hooks.wire.ask("GET", path).status == 404
    obj = make(hooks).json
    path = f"{MAPS}/{obj['metadata']['name']}"
    assert hooks.wire.ask("DELETE", path).status == 200
    assert hooks.wire.ask("GET", path).status == 404


# --- Of objects that are there ---


def test_the_time_of_creation_stays(hooks: Hooks, puts: Puts) -> None:
    obj = made(hooks)
    puts(creationTimestamp=LONG_AGO)
    for answer in ways(hooks, obj):
        assert (answer.status, answer.json["metadata"]["creationTimestamp"]) == (200, obj["metadata"]["creationTimestamp"])
        obj["metadata"]["resourceVersion"] = answer.json["metadata"]["resourceVersion"]


FIXED: tuple[tuple[Object, str], ...] = (
    ({"uid": "mine"}, 'metadata.uid: Invalid value: "mine": field is immutable'),
    ({"deletionTimestamp": LONG_AGO}, f'metadata.deletionTimestamp: Invalid value: "{LONG_AGO}": field is immutable'),
    ({"deletionGracePeriodSeconds": 7}, "metadata.deletionGracePeriodSeconds: Invalid value: 7: field is immutable"),
)


@pytest.mark.parametrize(("said", "words"), FIXED)
def test_what_is_there_is_neither_another_object_nor_on_its_way_out(hooks: Hooks, puts: Puts, said: Object, words: str) -> None:
    obj = made(hooks)
    puts(**said)
    for answer in ways(hooks, obj):
        assert (answer.status, answer.reason) == (422, "Invalid")
        assert answer.message == f'ConfigMap "{obj["metadata"]["name"]}" is invalid: {words}'
    assert hooks.wire.get(f"{MAPS}/{obj['metadata']['name']}") == obj


def test_what_is_on_its_way_out_stays_so(hooks: Hooks, puts: Puts) -> None:
    obj = made(hooks, finalizers=["example.com/x"])
    path = f"{MAPS}/{obj['metadata']['name']}"
    assert hooks.wire.ask("DELETE", path).status == 200
    going = hooks.wire.get(path)
    puts(deletionTimestamp=LONG_AGO)
    for answer in ways(hooks, going):
        assert answer.status == 200
        assert answer.json["metadata"]["deletionTimestamp"] == going["metadata"]["deletionTimestamp"]
        going["metadata"]["resourceVersion"] = answer.json["metadata"]["resourceVersion"]
    puts(deletionGracePeriodSeconds=7)
    assert [answer.status for answer in ways(hooks, going)] == [422] * 4
    hooks.forget()


@pytest.mark.parametrize("version", ["1", "v1"])
def test_another_version_is_one_that_is_no_longer(hooks: Hooks, puts: Puts, version: str) -> None:
    obj = made(hooks)
    name = obj["metadata"]["name"]
    puts(resourceVersion=version)
    for answer in ways(hooks, obj):
        assert (answer.status, answer.reason) == (409, "Conflict")
        assert answer.message == f'Operation cannot be fulfilled on configmaps "{name}": {MODIFIED}'
    assert hooks.wire.get(f"{MAPS}/{name}") == obj


def test_none_is_that_of_today_where_an_update_may_do_without(hooks: Hooks, puts: Puts) -> None:
    obj = made(hooks)
    puts(resourceVersion="0")
    assert [answer.status for answer in ways(hooks, obj)] == [200] * 4
    leases = f"/apis/{hooks.wire.dialect.group('coordination')}/v1/namespaces/default/leases"
    lease = hooks.wire.create(leases, {"metadata": {"name": hooks.wire.fresh("lease")}})
    puts("leases", resourceVersion="")
    answer = hooks.wire.ask("PUT", f"{leases}/{lease['metadata']['name']}", {**lease, "spec": {"holderIdentity": "me"}})
    assert (answer.status, answer.reason) == (422, "Invalid")
    assert answer.message.endswith("metadata.resourceVersion: Invalid value: 0x0: must be specified for an update")


@pytest.mark.parametrize(
    ("said", "words"),
    [({"resourceVersion": "1"}, MODIFIED), ({"uid": "mine"}, "Precondition failed: UID in precondition: mine, UID in object meta: {uid}")],
)
def test_a_scale_is_that_of_the_object_as_it_is(hooks: Hooks, puts: Puts, said: Object, words: str) -> None:
    template = {"metadata": {"labels": {"a": "b"}}, "spec": {"containers": [{"name": "c", "image": "i"}]}}
    spec = {"replicas": 0, "selector": {"matchLabels": {"a": "b"}}, "template": template}
    obj = hooks.wire.create(DEPLOYMENTS, {"metadata": {"name": hooks.wire.fresh("web")}, "spec": spec})
    name, uid = obj["metadata"]["name"], obj["metadata"]["uid"]
    puts("deployments/scale", **said)
    answer = hooks.wire.ask("PATCH", f"{DEPLOYMENTS}/{name}/scale", {"spec": {"replicas": 0}}, content_type=MERGE)
    assert (answer.status, answer.reason) == (409, "Conflict")
    assert answer.message.endswith(f'"{name}": {words.format(uid=uid)}')


# --- And what clients may ---


@pytest.mark.parametrize(("said", "words"), FIXED[1:])
def test_a_client_can_no_more_say_that_an_object_is_on_its_way_out(hooks: Hooks, said: Object, words: str) -> None:
    obj = made(hooks)
    name = obj["metadata"]["name"]
    for answer in (
        hooks.wire.ask("PUT", f"{MAPS}/{name}", {**obj, "metadata": {**obj["metadata"], **said}}),
        hooks.wire.ask("PATCH", f"{MAPS}/{name}", {"metadata": said}, content_type=MERGE),
    ):
        assert (answer.status, answer.message) == (422, f'ConfigMap "{name}" is invalid: {words}')
