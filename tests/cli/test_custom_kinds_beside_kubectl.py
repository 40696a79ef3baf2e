"""Kinds that definitions define, shown and explained by svcsim and by kubectl: what both say must be the same."""

import re
import shutil
from collections.abc import Iterator

import pytest

from tests.process import served
from tests.wire.raw import Wire
from tests.wire.test_known_definitions import CERTIFICATES, DEFINITIONS, MONITORS, OBJECTS
from tests.wire.test_kubectl import Kubectl

pytestmark = pytest.mark.skipif(not shutil.which("kubectl"), reason="no kubectl on the PATH")
_AGE = re.compile(r"\b(\d+[smh])+\b")


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Kubectl]:
    with served(tmp_path_factory.mktemp("custom"), "kubernetes", "--durability", "process", "--nodes", "0", "--seed", "1") as server:
        wire = Wire(server)
        kubectl = Kubectl(wire, tmp_path_factory.mktemp("kubectl"), "default")
        kubectl.run("apply", "-f", CERTIFICATES, "-f", MONITORS)
        kubectl.run("wait", "--for=condition=Established", "--timeout=30s", *(f"crd/{name}" for name in DEFINITIONS))
        kubectl.run("apply", "-f", OBJECTS)
        yield kubectl
        wire.close()


@pytest.fixture(autouse=True)
def known(installed: Kubectl, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KUBECONFIG", str(installed.wire.server.kubeconfig))


def lines(text: str) -> list[str]:
    """With ages masked, which may be another second's, and columns one blank apart, since ages are in some."""
    return [re.sub(r" {2,}", " ", _AGE.sub("AGE", line)).rstrip() for line in text.splitlines()]


@pytest.mark.parametrize(
    "words",
    [
        "get cert,issuer,prom,smon,promrule -o wide",
        "get cert-manager -o name",
        "get certs.v1.cert-manager.io --show-labels",
        "get cert.v9.cert-manager.io -o yaml",
        "get cert.v1.cert-manager",
        "get cert -o custom-columns=A:.metadata.name,B:.spec.dnsNames",
        "get prom main --subresource=scale",
        "get crd",
        "describe cert web",
        "describe issuer letters",
        "describe smon,promrule",
        "describe prom main",
        "describe crd certificates.cert-manager.io",
        "explain cert",
        "explain certificate.spec.keystores --recursive",
        "explain smon --recursive",
        "explain issuer.spec.acme.solvers.http01.ingress.servicePort",
        "explain prom.spec.resources.limits",
        "explain issuer.spec.acme.solvers.http01.ingress -o plaintext-openapiv2 --recursive",
        "explain issuer.spec.acme.solvers.http01.ingress.servicePort -o plaintext-openapiv2",
        "api-resources --api-group=cert-manager.io -o wide",
        "api-resources --categories=prometheus-operator",
    ],
)
def test_both_say_the_same(installed: Kubectl, words: str, run):
    theirs, ours = installed.run(*words.split()), run(words.split())
    assert ours.status == 0, ours.err
    assert lines(ours.out) == lines(theirs)


@pytest.mark.parametrize(
    "words",
    [
        "explain cert.spec.nothing",
        "explain issuer.spec.vault.auth.x",
        "get certificates.v9.cert-manager.io",
        "get certificates.v1.cert-manager",
        "expose cert web --port=80",
        "expose crd certificates.cert-manager.io --port=80",
        "rollout status cert web",
        "rollout history cert web",
        "rollout restart cert web",
        "rollout undo cert web",
        "rollout pause cert web",
        "rollout resume cert web",
        "get nothing.cert-manager.io",
        "get cert nothing",
        "scale cert/web --replicas=2",
        "scale prom/main --replicas=2 --current-replicas=7",
    ],
)
def test_both_fail_with_the_same_words(installed: Kubectl, words: str, run):
    theirs, ours = installed.run(*words.split(), fails=True), run(words.split())
    assert ours.status == 1
    assert ours.out + ours.err == theirs


def test_a_patch_that_custom_resources_do_not_take_is_told_with_what_helps(installed: Kubectl, run):
    words = ["patch", "cert", "web", "-p", "{}"]
    told = installed.run(*words, fails=True).rstrip("\n")
    assert told.startswith("error: application/strategic-merge-patch+json is not supported by cert-manager.io/v1, Kind=Certificate: ")
    assert told.endswith("application/json-patch+json, application/merge-patch+json, application/apply-patch+yaml")
    assert run(words).err == f"{told}; use --type=merge\n"


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("resource get cer", ["certificates.cert-manager.io", "issuers.cert-manager.io"]),
        ("resource get cert w", ["web"]),
        ("scalable scale prom/", ["prom/main"]),
        ("scalable scale ", ["prometheuses.monitoring.coreos.com", "deployments.apps"]),
        ("group api-resources --api-group ", ["cert-manager.io", "monitoring.coreos.com"]),
        ("category api-resources --categories all,", ["all,cert-manager", "all,prometheus-operator"]),
        ("field explain certificates.spec.keystores.", ["certificates.spec.keystores.pkcs12"]),
        ("field explain cert.spec.issuerRef.", ["cert.spec.issuerRef.name", "cert.spec.issuerRef.kind"]),
        ("field explain smon.spec.endpoints.", ["smon.spec.endpoints.targetPort"]),
    ],
)
def test_they_are_completed(words: str, expected: list[str], run):
    assert set(expected) <= set(run(["__complete", *words.split(" ")]).out.split())
