"""Namespaces that come with their first object."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

from svcsim.dialect import DIALECTS
from tests.process import served
from tests.wire.raw import Wire


@pytest.fixture(scope="module", params=list(DIALECTS))
def wire(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Wire]:
    options = ("--durability", "process", "--nodes", "0", "--enable-admission-plugins", "NamespaceAutoProvision")
    with served(tmp_path_factory.mktemp("home"), request.param, *options) as server:
        wire = Wire(server)
        yield wire
        wire.close()
        assert wire.complaints() == []


def test_the_first_object_makes_its_namespace(wire: Wire) -> None:
    name = wire.fresh("new")
    path = f"/api/v1/namespaces/{name}"
    assert wire.ask("POST", f"{path}/configmaps?dryRun=All", {"metadata": {"name": "a"}}).status == 404
    assert wire.ask("PUT", f"{path}/secrets/s", {"metadata": {"name": "s"}}).status == 404
    assert wire.ask("GET", path).status == 404
    assert wire.ask("POST", f"{path}/configmaps", {"metadata": {"name": "a"}}).status == 201
    assert wire.get(path)["status"]["phase"] == "Active"
    assert (
        wire.ask("POST", f"{path}/pods", {"metadata": {"name": "p"}, "spec": {"containers": [{"name": "c", "image": "i"}]}}).status == 201
    )


def test_many_first_objects_make_it_once(wire: Wire) -> None:
    path = f"/api/v1/namespaces/{wire.fresh('crowd')}/configmaps"
    with ThreadPoolExecutor(20) as pool:
        statuses = list(pool.map(lambda number: wire.ask("POST", path, {"metadata": {"name": f"m{number}"}}).status, range(40)))
    assert statuses == [201] * 40


def test_who_asks_for_a_namespace_that_can_not_be_is_forbidden_the_object(wire: Wire) -> None:
    answer = wire.ask("POST", "/api/v1/namespaces/No_Name/configmaps", {"metadata": {"name": "a"}})
    assert (answer.status, answer.reason, answer.json["details"]) == (403, "Forbidden", {"name": "a", "kind": "configmaps"})
    told = 'configmaps "a" is forbidden: Namespace "No_Name" is invalid: metadata.name: Invalid value: "No_Name": '
    assert answer.message.startswith(told)


def test_a_refusal_of_the_namespace_is_told_as_it_is(wire: Wire) -> None:
    group, name = wire.dialect.group("admissionregistration"), wire.fresh("refused")
    rule = {"apiGroups": [""], "apiVersions": ["v1"], "operations": ["CREATE"], "resources": ["namespaces"]}
    policy = {
        "matchConstraints": {"resourceRules": [rule]},
        "validations": [{"expression": f"object.metadata.name != '{name}'", "message": "not this one", "reason": "Forbidden"}],
    }
    root = f"/apis/{group}/v1/validatingadmissionpolicies"
    wire.create(root, {"metadata": {"name": name}, "spec": policy})
    wire.create(f"{root[:-3]}ybindings", {"metadata": {"name": name}, "spec": {"policyName": name, "validationActions": ["Deny"]}})
    answer = wire.ask("POST", f"/api/v1/namespaces/{name}/configmaps", {"metadata": {"name": "a"}})
    assert (answer.status, answer.reason) == (403, "Forbidden")
    assert answer.message.startswith(f'namespaces "{name}" is forbidden: ')
    assert answer.message.endswith(" denied request: not this one")


def test_a_binding_makes_its_namespace_too(wire: Wire) -> None:
    name = wire.fresh("bound")
    binding = {"metadata": {"name": "p"}, "target": {"kind": "Node", "name": "n"}}
    assert wire.ask("POST", f"/api/v1/namespaces/{name}/bindings", binding).status == 404
    assert wire.get(f"/api/v1/namespaces/{name}")["status"]["phase"] == "Active"


def test_a_question_about_access_is_answered_and_makes_no_namespace(wire: Wire) -> None:
    name = wire.fresh("asked")
    path = f"/apis/{wire.dialect.group('authorization')}/v1/namespaces/{name}/localsubjectaccessreviews"
    spec = {"user": "somebody", "resourceAttributes": {"verb": "get", "resource": "pods", "namespace": name}}
    answer = wire.ask("POST", path, {"metadata": {"namespace": name}, "spec": spec})
    assert (answer.status, answer.json["status"]["allowed"]) == (201, False)
    assert wire.ask("GET", f"/api/v1/namespaces/{name}").status == 404
