"""Who may approve, deny and sign: rights on signers, by their names or by their domain."""

import pytest

from svcsim.meta.types import Object
from tests.wire.raw import Wire
from tests.wire.test_certificates import CLIENT, ask_for, ended, pem

SIGNERS = ("example.com/one", "example.com/two", "example.org/one")
BOTH = ["certificatesigningrequests/approval", "certificatesigningrequests/status"]
CAN: dict[str, tuple[str, ...] | None] = {
    "nobody": None,
    "one": ("example.com/one",),
    "domain": ("example.com/*",),
    "everything": (),
    "odd": ("example.com", "*", "*/one", "example.com/", "EXAMPLE.COM/*"),
}
"""Users, and the names of the signers they may approve and sign for; none is any, None isn't even that."""
MAY = {
    "nobody": (),
    "one": SIGNERS[:1],
    "domain": SIGNERS[:2],
    "everything": SIGNERS,
    "odd": (),
}


def rights(names: tuple[str, ...] | None, group: str) -> list[Object]:
    write = {"apiGroups": [group], "resources": [*BOTH, "certificatesigningrequests"], "verbs": ["get", "update", "patch"]}
    if names is None:
        return [write]
    on_signers: Object = {"apiGroups": [group], "resources": ["signers"], "verbs": ["approve", "sign"]}
    return [write, {**on_signers, "resourceNames": list(names)} if names else on_signers]


def user_of(wire: Wire, who: str) -> dict[str, str]:
    """The headers to ask as somebody with these rights."""
    name, rbac, group = wire.fresh(who), wire.dialect.group("rbac.authorization"), wire.dialect.group("certificates")
    roles = f"/apis/{rbac}/v1"
    wire.create(f"{roles}/clusterroles", {"metadata": {"name": name}, "rules": rights(CAN[who], group)})
    subjects = [{"kind": "User", "name": name, "apiGroup": rbac}]
    role = {"apiGroup": rbac, "kind": "ClusterRole", "name": name}
    wire.create(f"{roles}/clusterrolebindings", {"metadata": {"name": name}, "roleRef": role, "subjects": subjects})
    return {"Impersonate-User": name}


@pytest.mark.parametrize("kind", ["Approved", "Denied"])
@pytest.mark.parametrize("who", list(CAN))
def test_approval_takes_a_right_on_the_signer(wire: Wire, who: str, kind: str) -> None:
    headers = user_of(wire, who)
    for signer in SIGNERS:
        path = ask_for(wire, signer, pem("alice", "dev"), ["client auth"])
        csr = wire.get(path)
        csr["status"] = {"conditions": [{"type": kind, "status": "True", "reason": "Test"}]}
        answer = wire.ask("PUT", f"{path}/approval", csr, headers=headers)
        if signer in MAY[who]:
            assert answer.status == 200
        else:
            assert answer.status == 403
            assert f'user not permitted to approve requests with signerName "{signer}"' in answer.json["message"]
            assert "conditions" not in (wire.get(path).get("status") or {})


@pytest.mark.parametrize("who", list(CAN))
def test_what_was_issued_takes_a_right_on_the_signer(wire: Wire, who: str) -> None:
    headers = user_of(wire, who)
    for signer in SIGNERS:
        path = ask_for(wire, signer, pem("alice", "dev"), ["client auth"])
        csr = wire.get(path)
        csr["status"] = {"conditions": [{"type": "Failed", "status": "True", "reason": "Test"}]}
        answer = wire.ask("PUT", f"{path}/status", csr, headers=headers)
        assert answer.status == (200 if signer in MAY[who] else 403)
        if answer.status == 403:
            assert f'user not permitted to sign requests with signerName "{signer}"' in answer.json["message"]
        assert wire.ask("PUT", f"{path}/status", wire.get(path), headers=headers).status == 200, "it changes nothing"


@pytest.mark.parametrize(
    ("right", "own", "others"), [("selfnodeclient", True, False), ("nodeclient", True, True), ("", False, False)], ids=str
)
def test_nodes_certificates_are_approved_for_whom_may_have_them(wire: Wire, right: str, own: bool, others: bool) -> None:
    name, group, rbac = f"system:node:{wire.fresh('agent')}", wire.dialect.group("certificates"), wire.dialect.group("rbac.authorization")
    version, subject = f"{group}/v1", {"kind": "User", "name": name, "apiGroup": rbac}
    role = wire.fresh("joining")
    resources = ["certificatesigningrequests", *([f"certificatesigningrequests/{right}"] if right else [])]
    wire.create(
        f"/apis/{rbac}/v1/clusterroles",
        {"metadata": {"name": role}, "rules": [{"apiGroups": [group], "resources": resources, "verbs": ["create"]}]},
    )
    reference = {"apiGroup": rbac, "kind": "ClusterRole", "name": role}
    binding = {"metadata": {"name": role}, "roleRef": reference, "subjects": [subject]}
    wire.create(f"/apis/{rbac}/v1/clusterrolebindings", binding)

    def asked(node: str) -> str:
        path, csr = f"/apis/{version}/certificatesigningrequests", wire.fresh("csr")
        spec = {"signerName": wire.dialect.signer_node_client, "request": pem(node, "system:nodes"), "usages": CLIENT}
        answer = wire.ask("POST", path, {"metadata": {"name": csr}, "spec": spec}, headers={"Impersonate-User": name})
        assert answer.status == 201, answer.message
        return f"{path}/{csr}"

    mine, anothers = asked(name), asked("system:node:another")
    last = ask_for(wire, wire.dialect.signer_node_client, pem("system:node:last", "system:nodes"), CLIENT)
    wire.until(last, ended)  # requests are looked at one after the other
    for path, wanted in ((mine, own), (anothers, others)):
        conditions = (wire.get(path).get("status") or {}).get("conditions") or []
        assert [one["reason"] for one in conditions if one["type"] == "Approved"] == (["AutoApproved"] if wanted else [])
