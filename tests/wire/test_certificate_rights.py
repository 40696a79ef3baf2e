"""Who may approve, deny and sign: rights on signers, by their names or by their domain."""

import pytest

from svcsim.meta.types import Object
from tests.wire.raw import Wire
from tests.wire.test_certificates import ask_for, pem

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
