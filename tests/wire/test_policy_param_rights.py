"""Nobody reads by a policy what he may not read himself: the rights that parameters of policies take."""

from collections.abc import Iterator

import pytest

from svcsim.dialect import DIALECTS
from svcsim.meta.types import Object
from tests.process import served
from tests.wire.granting import allowed
from tests.wire.raw import MERGE, Wire

RULES = {"resourceRules": [{"apiGroups": [""], "apiVersions": ["v1"], "operations": ["CREATE"], "resources": ["configmaps"]}]}
SECRETS = {"apiVersion": "v1", "kind": "Secret"}
MUTATION = {"patchType": "JSONPatch", "jsonPatch": {"expression": "[JSONPatch{}]"}}
SPECS: dict[str, Object] = {
    "validating": {"validations": [{"expression": "true"}]},
    "mutating": {"mutations": [MUTATION], "reinvocationPolicy": "Never"},
}


@pytest.fixture(scope="module", params=list(DIALECTS))
def wire(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Wire]:
    with served(tmp_path_factory.mktemp("home"), request.param, "--nodes", "0", "--durability", "process") as server:
        wire = Wire(server)
        yield wire
        wire.close()
        assert wire.complaints() == []


def root(wire: Wire, type_: str) -> str:
    return f"/apis/{wire.dialect.group('admissionregistration')}/v1/{type_}admissionpolic"


def author(wire: Wire, *rules: Object) -> dict[str, str]:
    """Somebody who may write policies, and besides only this."""
    return allowed(wire, {"apiGroups": [wire.dialect.group("admissionregistration")], "resources": ["*"], "verbs": ["*"]}, *rules)


def policy(wire: Wire, type_: str, kind: Object | None) -> Object:
    spec = {"matchConstraints": RULES, **SPECS[type_], **({"paramKind": kind} if kind else {})}
    return {"metadata": {"name": wire.fresh("policy")}, "spec": spec}


def binding(wire: Wire, type_: str, of: str, **ref: object) -> Object:
    actions = {"validationActions": ["Warn"]} if type_ == "validating" else {}
    spec = {"policyName": of, **actions, "paramRef": {"parameterNotFoundAction": "Deny", **ref}}
    return {"metadata": {"name": wire.fresh("binding")}, "spec": spec}


GET = {"apiGroups": [""], "resources": ["secrets"], "verbs": ["get"]}


@pytest.mark.parametrize("type_", list(SPECS))
def test_a_kind_is_named_by_who_may_get_all_of_it(wire: Wire, type_: str) -> None:
    path = f"{root(wire, type_)}ies"
    nobody, reader = author(wire), author(wire, GET)
    refused = wire.ask("POST", path, policy(wire, type_, SECRETS), headers=nobody)
    assert (refused.status, refused.json["details"]["causes"][0]["field"]) == (422, "spec.paramKind")
    user = nobody["Impersonate-User"]
    named = "kind=Secret, apiVersion=v1"
    assert f'user "{user}" must have "get" permission on all objects of the referenced paramKind ({named})' in refused.message
    some = author(wire, {**GET, "resourceNames": ["mine"]})
    assert wire.ask("POST", path, policy(wire, type_, SECRETS), headers=some).status == 422
    unknown = policy(wire, type_, {"apiVersion": "example.com/v1", "kind": "Nope"})
    assert wire.ask("POST", path, unknown, headers=reader).status == 422
    made = wire.ask("POST", path, policy(wire, type_, SECRETS), headers=reader)
    assert made.status == 201
    other = wire.ask("POST", path, policy(wire, type_, None), headers=nobody)
    assert other.status == 201
    where = f"{path}/{other.json['metadata']['name']}"
    assert wire.ask("PATCH", where, {"spec": {"paramKind": SECRETS}}, content_type=MERGE, headers=nobody).status == 422
    unchanged = f"{path}/{made.json['metadata']['name']}"
    assert wire.ask("PATCH", unchanged, {"spec": {"failurePolicy": "Ignore"}}, content_type=MERGE, headers=nobody).status == 200


@pytest.mark.parametrize("type_", list(SPECS))
def test_objects_are_referred_to_by_who_may_get_them(wire: Wire, type_: str) -> None:
    path = f"{root(wire, type_)}ybindings"
    name = wire.create(f"{root(wire, type_)}ies", policy(wire, type_, SECRETS))["metadata"]["name"]
    nobody, one = author(wire), author(wire, {**GET, "resourceNames": ["mine"]})
    for ref in ({"name": "db", "namespace": "default"}, {"name": "db"}, {"selector": {}, "namespace": "default"}):
        refused = wire.ask("POST", path, binding(wire, type_, name, **ref), headers=nobody)
        assert (refused.status, refused.json["details"]["causes"][0]["field"]) == (422, "spec.paramRef")
        assert 'does not have "get" permission on the object referenced by paramRef' in refused.message
        assert wire.ask("POST", path, binding(wire, type_, name, **ref), headers=one).status == 422
    assert wire.ask("POST", path, binding(wire, type_, name, name="mine", namespace="default"), headers=one).status == 201
    assert wire.ask("POST", path, binding(wire, type_, "nowhere", name="mine", namespace="default"), headers=one).status == 422
    assert wire.ask("POST", path, binding(wire, type_, name, name="db", namespace="default")).status == 201
