"""Bundles of certificates to trust: which are right, and who may write those of a signer."""

import base64
from collections.abc import Iterator

import pytest

from svcsim.dialect import DIALECTS
from svcsim.meta.types import Object
from tests.process import served
from tests.wire.granting import allowed
from tests.wire.raw import MERGE, Answer, Wire
from tests.wire.test_certificates import pem

OWN, OTHER = "example.com/one", "example.org/one"
CAN: dict[str, tuple[str, ...] | None] = {
    "nobody": None,
    "one": (OWN,),
    "domain": ("example.com/*",),
    "everything": (),
    "odd": ("example.com", "*", "*/one", "example.com/", "EXAMPLE.COM/*"),
}
"""Users, and the names of the signers they may attest for; none is any, None isn't even that."""
MAY = {"nobody": (), "one": (OWN,), "domain": (OWN,), "everything": (OWN, OTHER), "odd": ()}


@pytest.fixture(scope="module", params=list(DIALECTS))
def wire(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Wire]:
    version = f"certificates.{DIALECTS[request.param].group_suffix}/v1beta1=true"
    options = ("--durability", "process", "--nodes", "0", "--runtime-config", version)
    with served(tmp_path_factory.mktemp("home"), request.param, *options) as server:
        wire = Wire(server)
        yield wire
        wire.close()
        assert wire.complaints() == []


def path(wire: Wire) -> str:
    return f"/apis/{wire.dialect.group('certificates')}/v1beta1/clustertrustbundles"


def bundle(wire: Wire, signer: str = "", name: str = "", anchors: str = "") -> Object:
    prefix = f"{signer.replace('/', ':')}:" if signer else ""
    spec: Object = {"trustBundle": anchors or wire.server.ca_pem, **({"signerName": signer} if signer else {})}
    return {"metadata": {"name": name or f"{prefix}{wire.fresh('bundle')}"}, "spec": spec}


def user_of(wire: Wire, who: str) -> dict[str, str]:
    group, names = wire.dialect.group("certificates"), CAN[who]
    writing = {"apiGroups": [group], "resources": ["clustertrustbundles"], "verbs": ["create", "update", "patch", "delete"]}
    attesting: Object = {"apiGroups": [group], "resources": ["signers"], "verbs": ["attest"]}
    if names:
        attesting["resourceNames"] = list(names)
    return allowed(wire, writing, *([] if names is None else [attesting]))


def refused(answer: Answer, name: str, group: str, signer: str) -> None:
    why = f'user not permitted to attest for signerName "{signer}"'
    assert (answer.status, answer.message) == (403, f'clustertrustbundles.{group} "{name}" is forbidden: {why}')


@pytest.mark.parametrize("who", list(CAN))
def test_a_bundle_of_a_signer_takes_a_right_on_the_signer(wire: Wire, who: str) -> None:
    headers, group = user_of(wire, who), wire.dialect.group("certificates")
    for signer in (OWN, OTHER):
        wanted = bundle(wire, signer)
        name = wanted["metadata"]["name"]
        answer = wire.ask("POST", path(wire), wanted, headers=headers)
        if signer in MAY[who]:
            assert answer.status == 201, answer.message
        else:
            refused(answer, name, group, signer)
            wire.create(path(wire), wanted)
        there, labelled = f"{path(wire)}/{name}", {"metadata": {"labels": {"a": who}}}
        changed = wire.ask("PATCH", there, labelled, content_type=MERGE, headers=headers)
        if signer in MAY[who]:
            assert changed.status == 200, changed.message
        else:
            refused(changed, name, group, signer)
        held = {"metadata": {"finalizers": ["example.com/hold"]}}
        assert wire.ask("PATCH", there, held, content_type=MERGE, headers=headers).status == 200, "the garbage collector's part is free"
        assert wire.ask("PATCH", there, {"metadata": {"finalizers": []}}, content_type=MERGE, headers=headers).status == 200
        assert wire.ask("DELETE", there, headers=headers).status == 200


def test_a_bundle_of_nobodys_takes_none(wire: Wire) -> None:
    wanted = bundle(wire)
    headers = user_of(wire, "nobody")
    assert wire.ask("POST", path(wire), wanted, headers=headers).status == 201
    labelled = {"metadata": {"labels": {"a": "b"}}}
    there = f"{path(wire)}/{wanted['metadata']['name']}"
    assert wire.ask("PATCH", there, labelled, content_type=MERGE, headers=headers).status == 200


def test_what_makes_a_bundle_right(wire: Wire) -> None:
    def told(wanted: Object) -> str:
        answer = wire.ask("POST", path(wire), wanted)
        assert (answer.status, answer.reason) == (422, "Invalid")
        return "; ".join(f"{cause['field']}: {cause['message']}" for cause in answer.json["details"]["causes"])

    ca = wire.server.ca_pem
    assert "spec.trustBundle: Required value" in told({"metadata": {"name": "a"}, "spec": {}})
    assert "at least one trust anchor must be provided" in told(bundle(wire, anchors="nothing"))
    assert "duplicate trust anchor (indices [0 1])" in told(bundle(wire, anchors=f"{ca}\n{ca}"))
    assert "entry 1 has bad block type: CERTIFICATE REQUEST" in told(bundle(wire, anchors=f"{ca}\n{signing_request()}"))
    assert f"must be named with prefix {OWN.replace('/', ':')}:" in told(bundle(wire, OWN, name="other"))
    assert 'without signer name must not have ":" in its name' in told(bundle(wire, name="example.com:one:a"))
    assert "must be a fully qualified domain" in told(bundle(wire, "example", name="example:a"))
    made = wire.create(path(wire), bundle(wire, OWN))
    made["spec"]["signerName"] = "example.com/two"
    answer = wire.ask("PUT", f"{path(wire)}/{made['metadata']['name']}", made)
    assert answer.status == 422
    assert "spec.signerName: Invalid value" in answer.message
    assert "field is immutable" in answer.message


def signing_request() -> str:
    return base64.b64decode(pem("a", "b")).decode()


def test_bundles_are_selected_by_their_signer(wire: Wire) -> None:
    wanted = bundle(wire, "selected.example.com/one")
    wire.create(path(wire), wanted)
    found = wire.get(path(wire), fieldSelector="spec.signerName=selected.example.com/one")["items"]
    assert [one["metadata"]["name"] for one in found] == [wanted["metadata"]["name"]]


def test_they_are_not_served_unless_they_are_switched_on(svcapi_server: Wire, kubernetes_server: Wire) -> None:
    for server in (svcapi_server, kubernetes_server):
        assert server.ask("GET", path(server)).status == 404
