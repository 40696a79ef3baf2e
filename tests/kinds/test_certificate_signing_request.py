"""CertificateSigningRequests: what is wrong, who may decide and issue, and what tables show."""

import base64

import pytest

from svcsim.chance import Chance
from svcsim.dialect import KUBERNETES, SVCAPI
from svcsim.kinds.certificates.certificate_signing_request import CERTIFICATE_SIGNING_REQUEST as CSR
from svcsim.kinds.certificates.certificate_signing_request_rules import USAGES
from svcsim.meta.names import dns_label, dns_subdomain
from svcsim.meta.types import User
from svcsim.registry.kind import Context
from tests.kinds.helpers import ago, change_findings, context, created, findings, row
from tests.kinds.samples.access import CERTIFICATE, FULL, SIGNING_REQUEST

SPEC = FULL["certificates/v1 CertificateSigningRequest"]["spec"]
NO_REQUEST = "PEM block type must be CERTIFICATE REQUEST"
LISTED = ", ".join(f'"{usage}"' for usage in USAGES)
LONG = "a" * 64


def b64(pem: bytes) -> str:
    return base64.b64encode(pem).decode()


def forged() -> bytes:
    """A request of which one bit of the signature is another."""
    lines = SIGNING_REQUEST.splitlines()
    der = bytearray(base64.b64decode(b"".join(lines[1:-1])))
    der[-1] ^= 1
    return b"\n".join((lines[0], base64.b64encode(bytes(der)), lines[-1], b""))


def request_finding(pem: bytes, text: str) -> list[str]:
    return [f'spec.request: Invalid value: "{b64(pem)}": {text}']


def signer_finding(value: str, text: str) -> list[str]:
    return [f'spec.signerName: Invalid value: "{value}": {text}']


OTHER_BLOCK = b"-----BEGIN CERTIFICATE-----\nMQ==\n-----END CERTIFICATE-----\n"


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        ({}, []),
        ({"request": None}, ['spec.request: Invalid value: "": ' + NO_REQUEST]),
        ({"request": b64(b"text")}, request_finding(b"text", NO_REQUEST)),
        ({"request": b64(OTHER_BLOCK)}, request_finding(OTHER_BLOCK, NO_REQUEST)),
        ({"request": b64(forged())}, request_finding(forged(), "x509: the signature was not made with the key of the request")),
        ({"request": b64(b"first comes a text\n" + SIGNING_REQUEST)}, []),
        ({"usages": None}, ["spec.usages: Required value"]),
        ({"usages": []}, ["spec.usages: Required value"]),
        ({"usages": list(USAGES)}, []),
        ({"usages": ["odd"]}, [f'spec.usages[0]: Unsupported value: "odd": supported values: {LISTED}']),
        ({"usages": ["any", "any"]}, ['spec.usages[1]: Duplicate value: "any"']),
        ({"usages": [""]}, [f'spec.usages[0]: Unsupported value: "": supported values: {LISTED}']),
        ({"signerName": None}, ["spec.signerName: Required value"]),
        ({"signerName": "a.b/c.d"}, []),
        ({"signerName": "kubernetes.io/kube-apiserver-client"}, []),
        ({"signerName": "kubernetes.io/legacy-unknown"}, ["the legacy signerName is not allowed via this API version"]),
        ({"signerName": "example.com"}, ["must be a fully qualified domain and path of the form 'example.com/signer-name'"]),
        ({"signerName": "example.com/a/b"}, ["must be a fully qualified domain and path of the form 'example.com/signer-name'"]),
        ({"signerName": "example/a"}, signer_finding("example", "should be a domain with at least two segments separated by dots")),
        ({"signerName": "Ex.com/a"}, signer_finding("Ex.com", f'validating label "Ex": {dns_label("Ex")[0]}')),
        ({"signerName": ".com/a"}, signer_finding(".com", f'validating label "": {dns_label("")[0]}')),
        ({"signerName": f"{LONG}.com/a"}, signer_finding(f"{LONG}.com", f'validating label "{LONG}": must be no more than 63 characters')),
        ({"signerName": "a.com/"}, signer_finding("", f'validating label "": {dns_subdomain("")[0]}')),
        ({"signerName": "a.com/B"}, signer_finding("B", f'validating label "B": {dns_subdomain("B")[0]}')),
        ({"signerName": "a.com/b..c"}, signer_finding("b..c", f'validating label "": {dns_subdomain("")[0]}')),
        ({"signerName": f"{'a.' * 127}a/b"}, ["spec.signerName: Too long: may not be more than 253 bytes"]),
        ({"expirationSeconds": 600}, []),
        (
            {"expirationSeconds": 599},
            ["spec.expirationSeconds: Invalid value: 599: may not specify a duration less than 600 seconds (10 minutes)"],
        ),
        ({"expirationSeconds": -1}, ["may not specify a duration less than 600 seconds (10 minutes)"]),
    ],
)
def test_what_is_wrong_with_a_request(change, expected):
    spec = {name: value for name, value in {**SPEC, **change}.items() if value is not None}
    found = findings(CSR, {"spec": spec})
    assert len(found) == len(expected)
    assert all(text.endswith(end) for text, end in zip(found, expected, strict=True)), found


def test_the_legacy_signer_is_called_by_the_dialect():
    spec = {**SPEC, "signerName": "svcapi.io/legacy-unknown"}
    assert findings(CSR, {"spec": spec}) == []
    assert len(findings(CSR, {"spec": spec}, context(SVCAPI))) == 1


NO_REQUEST_AT_ALL = [
    'spec.request: Invalid value: "": ' + NO_REQUEST,
    "spec.usages: Required value",
    "spec.signerName: Required value",
]


def test_all_that_is_wrong_is_told_at_once():
    assert findings(CSR, {}) == NO_REQUEST_AT_ALL


def condition(kind: str, status: str = "True", **more: str) -> dict[str, str]:
    return {"type": kind, "status": status, **more}


def with_status(**status: object) -> dict[str, object]:
    return {"spec": SPEC, "status": status}


def status_findings(status: dict[str, object]) -> list[str]:
    """What is wrong with a status, whoever writes it."""
    obj = {**created(CSR, {"spec": SPEC}), "status": status}
    return [f"{found.path}: {found.message}" for rule in CSR.strategy.rules for found in rule(obj, context())]


ONE = "status.conditions[0]"
EXCLUSIVE = "Approved and Denied conditions are mutually exclusive"
ONLY_CERTIFICATES = 'only CERTIFICATE PEM blocks are allowed, found "CERTIFICATE REQUEST"'


@pytest.mark.parametrize(
    ("conditions", "expected"),
    [
        ([], []),
        ([condition("Approved"), condition("Failed"), condition("mine", "False")], []),
        ([condition("mine", "Unknown")], []),
        ([condition("", "True")], [f"{ONE}.type: Required value"]),
        ([condition("Approved", "")], [f"{ONE}.status: Required value"]),
        ([condition("Approved", "False")], [f'{ONE}.status: Unsupported value: "False": supported values: "True"']),
        ([condition("Denied", "Unknown")], [f'{ONE}.status: Unsupported value: "Unknown": supported values: "True"']),
        ([condition("Failed", "False")], [f'{ONE}.status: Unsupported value: "False": supported values: "True"']),
        ([condition("mine", "true")], [f'{ONE}.status: Unsupported value: "true": supported values: "False", "True", "Unknown"']),
        ([condition("Approved"), condition("Denied")], [f'status.conditions[1].type: Invalid value: "Denied": {EXCLUSIVE}']),
        ([condition("Denied"), condition("Approved")], [f'status.conditions[1].type: Invalid value: "Approved": {EXCLUSIVE}']),
        ([condition("mine"), condition("mine")], ['status.conditions[1].type: Duplicate value: "mine"']),
        ([condition("Approved"), condition("Approved")], ['status.conditions[1].type: Duplicate value: "Approved"']),
    ],
)
def test_what_is_wrong_with_conditions(conditions, expected):
    assert status_findings({"conditions": conditions}) == expected


HEADERS = CERTIFICATE.replace(b"CERTIFICATE-----\n", b"CERTIFICATE-----\nProc-Type: 4\n", 1)


@pytest.mark.parametrize(
    ("pem", "expected"),
    [
        (CERTIFICATE, ""),
        (b"leaf\n" + CERTIFICATE + b"root\n" + CERTIFICATE, ""),
        (b"nothing", "must contain at least one CERTIFICATE PEM block"),
        (SIGNING_REQUEST, ONLY_CERTIFICATES),
        (CERTIFICATE + SIGNING_REQUEST, ONLY_CERTIFICATES),
        (HEADERS, "no PEM block headers are permitted"),
        (b"-----BEGIN CERTIFICATE-----\n-----END CERTIFICATE-----\n", "found CERTIFICATE PEM block containing 0 certificates"),
        (OTHER_BLOCK, "x509: malformed certificate: "),
    ],
)
def test_what_is_wrong_with_a_certificate(pem, expected):
    found = status_findings({"certificate": b64(pem)})
    assert len(found) == bool(expected)
    assert all(text.startswith(f'status.certificate: Invalid value: "<certificate data>": {expected}') for text in found)


def kept(kind: str) -> str:
    return f'status.conditions: Forbidden: updates may not remove a condition of type "{kind}"'


def added(kind: str) -> str:
    return f'status.conditions: Forbidden: updates may not add a condition of type "{kind}"'


ISSUED = {"certificate": b64(CERTIFICATE)}


@pytest.mark.parametrize(
    ("subresource", "before", "after", "expected"),
    [
        ("approval", [], ["Approved"], []),
        ("approval", [], ["Denied"], []),
        ("approval", ["Approved"], ["Approved", "mine"], []),
        ("approval", ["mine"], [], []),
        ("approval", ["Approved"], [], [kept("Approved")]),
        ("approval", ["Denied"], [], [kept("Denied")]),
        ("approval", ["Failed"], [], [kept("Failed")]),
        ("approval", ["Approved"], ["Denied"], [kept("Approved")]),
        ("status", [], ["Failed"], []),
        ("status", [], ["mine"], []),
        ("status", [], ["Approved"], [added("Approved")]),
        ("status", [], ["Denied"], [added("Denied")]),
        ("status", ["Approved"], ["mine"], [kept("Approved")]),
        ("status", ["Denied"], [], [kept("Denied")]),
        ("status", ["Failed"], [], [kept("Failed")]),
    ],
)
def test_who_may_write_which_conditions(subresource, before, after, expected):
    def of(kinds):
        return {**created(CSR, {"spec": SPEC}), "status": {"conditions": [condition(kind) for kind in kinds]}}

    window = next(sub for sub in CSR.subresources if sub.name == subresource)
    found = [one for rule in window.update_rules for one in rule(of(after), of(before), context())]
    assert [f"{one.path}: {one.message}" for one in found] == expected


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        ({}, ISSUED, []),
        (ISSUED, ISSUED, []),
        (ISSUED, {}, ["status.certificate: Forbidden: updates may not modify existing certificate content"]),
        (
            ISSUED,
            {"certificate": b64(CERTIFICATE * 2)},
            ["status.certificate: Forbidden: updates may not modify existing certificate content"],
        ),
    ],
)
def test_what_was_issued_stays(before, after, expected):
    window = next(sub for sub in CSR.subresources if sub.name == "status")
    found = [one for rule in window.update_rules for one in rule({"status": after}, {"status": before}, context())]
    assert [f"{one.path}: {one.message}" for one in found] == expected


def test_an_update_leaves_the_request_as_it_was():
    new, old = {"spec": {**SPEC, "usages": ["any"]}}, {"spec": SPEC}
    CSR.strategy.update(new, old, context())
    assert new == old
    assert change_findings(CSR, {"spec": SPEC}, {"spec": {**SPEC, "signerName": "example.com/other"}}) == []


def test_whoever_asks_is_who_the_request_is_from():
    user = User("jane", ("dev",), "u-1", {"team": ("one", "two")})
    asking = Context(KUBERNETES, 0.0, ago(0), Chance(1), user)
    sent = {"spec": {**SPEC, "username": "root", "uid": "0", "groups": ["system:masters"], "extra": {"a": ["b"]}}}
    assert created(CSR, sent, asking) == {
        "spec": {**SPEC, "username": "jane", "uid": "u-1", "groups": ["dev"], "extra": {"team": ["one", "two"]}},
        "status": {},
    }
    assert created(CSR, sent)["spec"] == SPEC, "somebody without a name has none"


def test_conditions_are_timed():
    now, before = context().timestamp, ago(60)
    old = {"status": {"conditions": [condition("mine", lastUpdateTime=before, lastTransitionTime=before)]}}
    new = {"status": {"conditions": [condition("mine"), condition("Approved", lastUpdateTime=before)]}}
    window = next(sub for sub in CSR.subresources if sub.name == "approval")
    window.update(new, old, context())
    assert new["status"]["conditions"] == [
        condition("mine", lastUpdateTime=now, lastTransitionTime=before),
        condition("Approved", lastUpdateTime=before, lastTransitionTime=now),
    ]


def test_a_signer_leaves_decisions_as_they_are():
    decided = condition("Approved", reason="Looked", lastUpdateTime=ago(9), lastTransitionTime=ago(9))
    new, old = {"status": {"conditions": [condition("Approved", reason="Mine")]}}, {"status": {"conditions": [decided]}}
    CSR.status.subresource.update(new, old, context())
    assert new == old


@pytest.mark.parametrize(
    ("status", "expected"),
    [
        ({}, "Pending"),
        ({"conditions": [condition("Approved")]}, "Approved"),
        ({"conditions": [condition("Denied")]}, "Denied"),
        ({"conditions": [condition("Failed"), condition("Approved")]}, "Approved,Failed"),
        ({"conditions": [condition("Approved")], **ISSUED}, "Approved,Issued"),
        ({"conditions": [condition("Failed")]}, "Pending,Failed"),
    ],
)
def test_how_far_it_has_come_in_one_word(status, expected):
    assert row(CSR, {"spec": SPEC, "status": status})["Condition"] == expected


def test_a_request_in_one_line():
    shown = row(CSR, {"spec": {**SPEC, "username": "jane"}})
    assert shown == {
        "Age": "<unknown>",
        "SignerName": "example.com/signer",
        "Requestor": "jane",
        "RequestedDuration": "24h",
        "Condition": "Pending",
    }
    assert row(CSR, {"spec": {}})["RequestedDuration"] == "<none>"
