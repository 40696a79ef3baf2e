"""``certificate approve`` and ``deny``: over the wire in both dialects, and beside kubectl."""

import json
import shlex
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from svcsim.dialect import DIALECTS
from tests.process import served
from tests.wire.raw import Wire
from tests.wire.test_certificates import pem
from tests.wire.test_kubectl import Kubectl


@pytest.fixture(scope="module", params=list(DIALECTS))
def wire(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Wire]:
    with served(tmp_path_factory.mktemp("home"), request.param, "--nodes", "0") as server:
        connected = Wire(server)
        yield connected
        connected.close()


@pytest.fixture(autouse=True)
def known(wire: Wire, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KUBECONFIG", str(wire.server.kubeconfig))


def asked(wire: Wire, file: Path | None = None) -> str:
    """The name of a new request, written to a file first where there is one."""
    version = f"{wire.dialect.group('certificates')}/v1"
    spec = {"signerName": wire.dialect.signer_client, "request": pem("alice", "dev"), "usages": ["client auth"]}
    obj = {"apiVersion": version, "kind": "CertificateSigningRequest", "metadata": {"name": wire.fresh("csr")}, "spec": spec}
    if file is not None:
        file.write_text(json.dumps(obj))
    name: str = wire.create(f"/apis/{version}/certificatesigningrequests", obj)["metadata"]["name"]
    return name


def decision(wire: Wire, name: str) -> list[str]:
    found = wire.get(f"/apis/{wire.dialect.group('certificates')}/v1/certificatesigningrequests/{name}")
    return [one["type"] for one in (found.get("status") or {}).get("conditions") or ()]


def test_requests_are_named_in_every_way(wire: Wire, run, tmp_path: Path) -> None:
    kind = f"certificatesigningrequest.{wire.dialect.group('certificates')}"
    by_name, by_type, by_file, denied = asked(wire), asked(wire), asked(wire, tmp_path / "csr.json"), asked(wire)
    assert run(f"certificate approve {by_name} csr/{by_type}").out == f"{kind}/{by_name} approved\n{kind}/{by_type} approved\n"
    assert run(f"certificate approve -f {tmp_path}/csr.json -o name").out == f"{kind}/{by_file}\n"
    assert run(f"certificate deny {denied}").out == f"{kind}/{denied} denied\n"
    assert [decision(wire, name) for name in (by_name, by_type, by_file, denied)] == [*[["Approved"]] * 3, ["Denied"]]


@pytest.mark.skipif(not shutil.which("kubectl"), reason="no kubectl on the PATH")
@pytest.mark.parametrize(
    "words",
    [
        "certificate approve {}",
        "certificate approve {} -o name",
        "certificate approve {} -o jsonpath={{.status}}",
        "certificate deny {} -o jsonpath={{.metadata.uid}}{{.status}}",
        "certificate deny {} --force",
        "certificate approve nowhere",
        "certificate approve",
        "certificate approve {} {} nowhere",
        "certificate approve -f /nowhere",
        "auth whoami --as=system:anonymous",
    ],
)
def test_both_say_the_same(wire: Wire, words: str, run, tmp_path: Path) -> None:
    if wire.dialect.name != "kubernetes":
        return  # kubectl knows no other
    kubectl = Kubectl(wire, tmp_path, "default")
    name = asked(wire)
    ours = run(shlex.split(words.format(name, name)))
    uid = wire.get(f"/apis/certificates.k8s.io/v1/certificatesigningrequests/{name}")["metadata"]["uid"]
    again = asked(wire)
    uid_again = wire.get(f"/apis/certificates.k8s.io/v1/certificatesigningrequests/{again}")["metadata"]["uid"]
    theirs = kubectl.run(*shlex.split(words.format(again, again)), fails=ours.status != 0)
    assert (ours.out + ours.err).replace(name, again).replace(uid, uid_again) == theirs
