"""The networking family over the wire, in both dialects: whole objects, what is refused, and what clients are told beside them."""

import pytest

from svcsim.meta.types import Object
from tests.admission.writes import known_as
from tests.kinds.helpers import KINDS
from tests.kinds.samples.networking import FULL, NEWER
from tests.wire.raw import Wire

BY_KEY = {known_as(kind): kind for kind in KINDS}
BACKEND = {"service": {"name": "web", "port": {"number": 80}}}


def collection(wire: Wire, key: str, ns: str) -> str:
    kind = BY_KEY[key]
    group = kind.group.name(wire.dialect)
    return "/".join(
        filter(None, ("/apis" if group else "/api", group, kind.group.version, f"namespaces/{ns}" * kind.namespaced, kind.plural))
    )


def causes(answer: Object) -> list[tuple[str, str, str]]:
    return [(cause["reason"], cause["field"], cause["message"]) for cause in answer["details"]["causes"]]


WHOLE = FULL | NEWER


@pytest.mark.parametrize("key", WHOLE)
def test_a_whole_object_is_stored_as_it_was_sent(wire: Wire, ns: str, key: str):
    path, name = collection(wire, key, ns), WHOLE[key].get("name") or wire.fresh()
    sent = {part: value for part, value in WHOLE[key].items() if part != "name"}
    wire.create(path, {"metadata": {"name": name}, **sent})
    shown = wire.get(f"{path}/{name}")
    assert {part: shown[part] for part in sent} == sent
    table = wire.ask("GET", f"{path}/{name}", headers={"Accept": "application/json;as=Table;v=v1;g=meta." + wire.dialect.group_suffix}).json
    assert [column["name"] for column in table["columnDefinitions"]] == ["Name", *(column.name for column in BY_KEY[key].columns)]
    wire.patch(f"{path}/{name}", {"metadata": {"labels": {"a": "b"}}})
    wire.delete(f"{path}/{name}")


def test_an_ingress_that_is_wrong_is_refused_with_all_causes(wire: Wire, ns: str):
    path = collection(wire, "networking/v1 Ingress", ns)
    refused = wire.ask("POST", path, {"metadata": {"name": "a"}, "spec": {"defaultBackend": {}, "rules": [{"host": "1.2.3.4"}]}})
    assert refused.status == 422
    assert causes(refused.json) == [
        ("FieldValueInvalid", "spec.defaultBackend", 'Invalid value: "": resource or service backend is required'),
        ("FieldValueInvalid", "spec.rules[0].host", 'Invalid value: "1.2.3.4": must be a DNS name, not an IP address'),
    ]


def test_the_older_annotation_for_a_class_is_warned_of(wire: Wire, ns: str):
    path, key = collection(wire, "networking/v1 Ingress", ns), wire.dialect.key("ingress.class")
    sent = {"metadata": {"name": "a", "annotations": {key: "old"}}, "spec": {"defaultBackend": BACKEND}}
    made = wire.ask("POST", path, sent)
    assert made.headers["warning"] == f'299 - "annotation \\"{key}\\" is deprecated, please use \'spec.ingressClassName\' instead"'
    assert wire.ask("PUT", f"{path}/a", sent).headers.get("warning") is None
    sent["spec"]["ingressClassName"] = "new"
    assert wire.ask("PUT", f"{path}/a", sent).status == 200, "once it is there, both may differ"
    refused = wire.ask("POST", path, {**sent, "metadata": {**sent["metadata"], "name": "b"}})
    assert causes(refused.json) == [
        ("FieldValueInvalid", f"annotations.{key}", 'Invalid value: "old": must match `ingressClassName` when both are specified')
    ]


def test_the_controller_of_an_ingress_class_stays(wire: Wire):
    path, name = collection(wire, "networking/v1 IngressClass", ""), wire.fresh("class")
    made = wire.create(path, {"metadata": {"name": name}, "spec": {"controller": "example.com/a"}})
    refused = wire.ask("PUT", f"{path}/{name}", {**made, "spec": {"controller": "example.com/b"}})
    assert causes(refused.json) == [("FieldValueInvalid", "spec.controller", 'Invalid value: "example.com/b": field is immutable')]
    parameters = {"kind": "Settings", "name": "a"}
    changed = wire.patch(f"{path}/{name}", {"spec": {"parameters": parameters}})
    assert (changed["spec"]["parameters"], changed["metadata"]["generation"]) == ({**parameters, "scope": "Cluster"}, 2)


def test_where_an_ingress_is_reached_is_its_state(wire: Wire, ns: str):
    path = collection(wire, "networking/v1 Ingress", ns)
    made = wire.create(
        path, {"metadata": {"name": "a"}, "spec": {"defaultBackend": BACKEND}, "status": {"loadBalancer": {"ingress": [{}]}}}
    )
    assert made["status"] == {"loadBalancer": {}}
    state = {"loadBalancer": {"ingress": [{"ip": "192.0.2.1", "ports": [{"port": 80, "protocol": "TCP"}]}, {"hostname": "a.example.com"}]}}
    written = wire.patch(f"{path}/a/status", {"status": state, "spec": {"ingressClassName": "b"}})
    assert (written["status"], written["spec"], written["metadata"]["generation"]) == (state, made["spec"], 1)
    refused = wire.ask(
        "PATCH", f"{path}/a/status", {"status": {"loadBalancer": {"ingress": [{"ip": "x"}]}}}, content_type="application/merge-patch+json"
    )
    assert [cause[:2] for cause in causes(refused.json)] == [("FieldValueInvalid", "status.loadBalancer.ingress[0].ip")]


def test_a_network_that_may_be_misunderstood_is_warned_of(wire: Wire, ns: str):
    path = collection(wire, "networking/v1 NetworkPolicy", ns)
    spec = {"podSelector": {}, "ingress": [{"from": [{"ipBlock": {"cidr": "192.168.1.5/24"}}]}]}
    made = wire.ask("POST", path, {"metadata": {"name": "a"}, "spec": spec})
    assert made.status == 201
    assert "is ambiguous in this context" in made.headers["warning"]
    assert made.json["spec"]["policyTypes"] == ["Ingress"]
    changed = wire.patch(f"{path}/a", {"spec": {"policyTypes": ["Egress"]}})
    assert changed["metadata"]["generation"] == 2
    refused = wire.ask("PUT", f"{path}/a", {"metadata": {"name": "a"}, "spec": {"podSelector": {}, "egress": [{"to": [{}]}]}})
    assert causes(refused.json) == [("FieldValueRequired", "spec.egress[0].to[0]", "Required value: must specify a peer")]
