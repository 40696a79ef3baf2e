"""Definitions in the manner of two projects that nearly every cluster has, used with unmodified kubectl as their users do."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from svcsim.meta.types import Object
from tests.wire.raw import APPLY, JSON_PATCH, MERGE, STRATEGIC, Wire
from tests.wire.test_kubectl import KUBECTL, Kubectl

pytestmark = pytest.mark.skipif(KUBECTL is None, reason="no kubectl on the PATH")
HERE = Path(__file__).with_name("definitions")
CERTIFICATES, MONITORS, OBJECTS = (str(HERE / f"{name}.yaml") for name in ("certificates", "monitors", "objects"))
KINDS = {
    "certificates.cert-manager.io": "web",
    "issuers.cert-manager.io": "letters",
    "servicemonitors.monitoring.coreos.com": "web",
    "prometheusrules.monitoring.coreos.com": "web",
    "prometheuses.monitoring.coreos.com": "main",
}
DEFINITIONS = (*KINDS, "clusterissuers.cert-manager.io")


@pytest.fixture(scope="module")
def installed(kubernetes_server: Wire, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Kubectl]:
    """The definitions, each project's in one of the two ways of applying, and an object of each."""
    kubectl = Kubectl(kubernetes_server, tmp_path_factory.mktemp("kubectl"), kubernetes_server.namespace())
    assert kubectl.run("apply", "-f", CERTIFICATES).count(" created\n") == 3
    assert kubectl.run("apply", "--server-side", "-f", MONITORS).count(" serverside-applied\n") == 3
    waited = kubectl.run("wait", "--for=condition=Established", "--timeout=30s", *(f"crd/{name}" for name in DEFINITIONS))
    assert waited.count(" condition met\n") == 6
    assert kubectl.run("apply", "-f", OBJECTS).count(" created\n") == 5
    yield kubectl
    kubectl.run("delete", "-f", CERTIFICATES, "-f", MONITORS)


def refused(kubectl: Kubectl, resource: str, patch: Object) -> list[str]:
    """The causes for which a change isn't taken."""
    told = kubectl.run("patch", resource, "--type=merge", "-p", json.dumps(patch), fails=True)
    first, *more = told.splitlines()
    return [line.removeprefix("* ") for line in more] or [first.partition(" is invalid: ")[2]]


def test_definitions_and_objects_are_applied_again_without_a_change(installed: Kubectl):
    assert installed.run("apply", "-f", CERTIFICATES).count(" unchanged\n") == 3
    assert installed.run("apply", "--server-side", "-f", MONITORS).count(" serverside-applied\n") == 3
    again = installed.run("apply", "-f", OBJECTS).splitlines()
    # A list without keys is sent as a whole, and so without what was filled in within it.
    assert [line for line in again if not line.endswith(" unchanged")] == ["servicemonitor.monitoring.coreos.com/web configured"]
    assert installed.run("diff", "-f", OBJECTS) == ""


@pytest.mark.parametrize("resource", KINDS)
def test_an_object_is_found_by_all_its_names_and_described(installed: Kubectl, resource: str):
    name = KINDS[resource]
    kind = json.loads(installed.run("get", resource, name, "-o", "json"))["kind"]
    described = installed.run("describe", resource, name)
    assert f"Kind:         {kind}\n" in described
    assert "Events:" in described
    assert name in installed.run("get", kind.lower(), "--no-headers")
    assert f"KIND:       {kind}\n" in installed.run(
        "explain", f"{resource.partition('.')[0]}.spec", f"--api-version={api_version(resource)}"
    )


def api_version(resource: str) -> str:
    return f"{resource.partition('.')[2]}/v1"


def test_tables_have_the_columns_of_the_definition(installed: Kubectl):
    header, row = installed.run("get", "cert", "-o", "wide").splitlines()
    assert header.split() == ["NAME", "READY", "SECRET", "ISSUER", "STATUS", "AGE"]
    assert row.split()[:3] == ["web", "web-tls", "letters"]
    header, row = installed.run("get", "prom").splitlines()
    assert header.split() == ["NAME", "VERSION", "DESIRED", "READY", "AGE"]
    assert row.split()[:3] == ["main", "v3.1.0", "2"]
    assert installed.run("get", "cert-manager", "-o", "name").split() == [
        "certificate.cert-manager.io/web",
        "issuer.cert-manager.io/letters",
    ]
    assert (
        installed.run("get", "certs", "--field-selector=spec.issuerRef.name=letters", "-o", "name") == "certificate.cert-manager.io/web\n"
    )
    assert installed.run("get", "certs", "--field-selector=spec.issuerRef.name=other", "-o", "name") == ""
    listed = installed.run("api-resources", "--api-group=monitoring.coreos.com", "--no-headers")
    assert [line.split()[:2] for line in listed.splitlines()] == [
        ["prometheuses", "prom"],
        ["prometheusrules", "promrule"],
        ["servicemonitors", "smon"],
    ]


def test_defaults_are_filled_in_and_what_may_be_anything_is_kept(installed: Kubectl):
    spec = json.loads(installed.run("get", "cert", "web", "-o", "json"))["spec"]
    assert spec["issuerRef"] == {"name": "letters", "kind": "Issuer", "group": "cert-manager.io"}
    assert spec["privateKey"] == {"algorithm": "RSA", "encoding": "PKCS1", "rotationPolicy": "Never"}
    first, second = json.loads(installed.run("get", "issuer", "letters", "-o", "json"))["spec"]["acme"]["solvers"]
    assert first["http01"]["ingress"]["podTemplate"] == {"spec": {"nodeSelector": {"disk": "fast"}}}
    assert second["dns01"]["webhook"]["config"] == {"ttl": 60, "deep": [1, {"a": "b"}]}
    endpoints = json.loads(installed.run("get", "smon", "web", "-o", "json"))["spec"]["endpoints"]
    assert [(one["path"], one.get("targetPort")) for one in endpoints] == [("/metrics", None), ("/more", 9090), ("/metrics", "admin")]
    template = json.loads(installed.run("get", "prom", "main", "-o", "json"))["spec"]["storage"]["volumeClaimTemplate"]
    assert template["spec"]["resources"]["requests"] == {"storage": "40Gi"}


REFUSED = [
    ("cert/web", {"spec": {"secretName": "other"}}, ["spec.secretName: Forbidden: the secret stays where it is"]),
    (
        "cert/web",
        {"spec": {"renewBefore": "2160h"}},
        ['spec.renewBefore: Invalid value: "object": renewBefore has to be shorter than duration'],
    ),
    (
        "cert/web",
        {"spec": {"dnsNames": ["a.example", "a.example"]}},
        ['spec.dnsNames[1]: Duplicate value: "a.example"'],
    ),
    (
        "cert/web",
        {"spec": {"usages": ["flying"], "revisionHistoryLimit": 0}},
        [
            "spec.revisionHistoryLimit: Invalid value: 0: spec.revisionHistoryLimit in body should be greater than or equal to 1",
            'spec.usages[0]: Unsupported value: "flying": supported values: "signing", "digital signature", "server auth", "client auth"',
        ],
    ),
    (
        "cert/web",
        {"spec": {"dnsNames": None}},
        ['spec: Invalid value: "object": at least one of commonName, dnsNames, ipAddresses and uris has to be given'],
    ),
    (
        "cert/web",
        {"spec": {"privateKey": {"algorithm": "Ed25519", "size": 2048}}},
        ['spec.privateKey: Invalid value: "object": keys of Ed25519 have one size'],
    ),
    ("issuer/letters", {"spec": {"selfSigned": {}}}, ["spec: Too many: 2: must have at most 1 items"]),
    (
        "issuer/letters",
        {"spec": {"acme": {"solvers": [{}]}}},
        ['<nil>: Invalid value: "": "spec.acme.solvers[0]" must validate one and only one schema (oneOf). Found none valid'],
    ),
    (
        "smon/web",
        {"spec": {"endpoints": [{"targetPort": True}]}},
        ['spec.endpoints[0].targetPort: Invalid value: "boolean": spec.endpoints[0].targetPort in body must be of type integer,string'],
    ),
    ("promrule/web", {"spec": {"groups": [{"name": "a"}, {"name": "a"}]}}, ['spec.groups[1]: Duplicate value: {"name":"a"}']),
    (
        "prom/main",
        {"spec": {"storage": {"volumeClaimTemplate": {"kind": None}}}},
        ["spec.storage.volumeClaimTemplate.kind: Required value"],
    ),
]


@pytest.mark.parametrize(("resource", "patch", "causes"), REFUSED, ids=[json.dumps(patch) for _, patch, _ in REFUSED])
def test_what_is_wrong_is_refused_field_by_field(installed: Kubectl, resource: str, patch: Object, causes: list[str]):
    told = refused(installed, resource, patch)
    assert all(any(line.startswith(cause) for line in told) for cause in causes), told


def test_unknown_fields_are_told_of(installed: Kubectl):
    wrong = {"apiVersion": "cert-manager.io/v1", "kind": "Certificate", "metadata": {"name": "typo"}}
    spec = {"secretName": "a", "dnsNames": ["a"], "issuerRef": {"name": "a", "knid": "Issuer"}}
    told = installed.run("apply", "-f", "-", sent={**wrong, "spec": spec}, fails=True)
    assert 'unknown field "spec.issuerRef.knid"' in told


def test_fields_are_explained(installed: Kubectl):
    told = installed.run("explain", "certificate.spec.issuerRef")
    assert "FIELD: issuerRef <Object>" in told
    assert "  kind\t<string>\n  enum: Issuer, ClusterIssuer\n    Whether it is an issuer of the namespace or of the cluster\n" in told
    assert "  name\t<string> -required-\n" in told
    assert "passwordSecretRef\t<Object>" in installed.run("explain", "cert", "--recursive")


def test_it_is_scaled_and_its_status_written_by_itself(installed: Kubectl):
    assert installed.run("scale", "prom/main", "--replicas=3") == "prometheus.monitoring.coreos.com/main scaled\n"
    status = {"status": {"shards": 3, "selector": "app=main", "availableReplicas": 6}, "spec": {"version": "ignored"}}
    installed.run("patch", "prom/main", "--subresource=status", "--type=merge", "-p", json.dumps(status))
    main = json.loads(installed.run("get", "prom/main", "-o", "json"))
    assert (main["spec"]["shards"], main["spec"]["version"], main["metadata"]["generation"]) == (3, "v3.1.0", 2)
    scale = json.loads(installed.run("get", "prom/main", "--subresource=scale", "-o", "json"))
    assert (scale["kind"], scale["spec"], scale["status"]) == ("Scale", {"replicas": 3}, {"replicas": 3, "selector": "app=main"})
    assert installed.run("get", "prom/main", "--no-headers").split()[3] == "6"
    ready = {"status": {"conditions": [{"type": "Ready", "status": "True", "message": "here it is"}]}}
    installed.run("patch", "cert/web", "--subresource=status", "--type=merge", "-p", json.dumps(ready))
    assert "condition met" in installed.run("wait", "--for=condition=Ready", "cert/web", "--timeout=10s")
    assert installed.run("get", "cert/web", "--no-headers").split()[:3] == ["web", "True", "web-tls"]


def test_appliers_share_a_list_by_its_keys(installed: Kubectl):
    rule = {"apiVersion": "monitoring.coreos.com/v1", "kind": "PrometheusRule", "metadata": {"name": "shared"}}
    for manager in ("one", "two"):
        group = {"name": manager, "rules": [{"record": manager, "expr": 1}]}
        installed.run("apply", "--server-side", f"--field-manager={manager}", "-f", "-", sent={**rule, "spec": {"groups": [group]}})
    assert installed.run("get", "promrule/shared", "-o", "jsonpath={.spec.groups[*].name}") == "one two"
    changed = {**rule, "spec": {"groups": [{"name": "one", "rules": []}]}}
    told = installed.run("apply", "--server-side", "--field-manager=two", "-f", "-", sent=changed, fails=True)
    assert 'conflict with "one": .spec.groups[name="one"].rules' in told
    assert installed.run("delete", "promrule", "shared") == 'prometheusrule.monitoring.coreos.com "shared" deleted\n'


def test_definitions_go_with_their_objects(kubernetes_server: Wire, tmp_path: Path):
    kubectl = Kubectl(kubernetes_server, tmp_path, kubernetes_server.namespace())
    renamed = tmp_path / "renamed.yaml"
    renamed.write_text(Path(CERTIFICATES).read_text().replace("cert-manager.io", "going.example.com"))
    kubectl.run("apply", "-f", str(renamed))
    kubectl.run("wait", "--for=condition=Established", "crd/issuers.going.example.com", "--timeout=30s")
    obj = {"apiVersion": "going.example.com/v1", "kind": "Issuer", "metadata": {"name": "a"}, "spec": {"selfSigned": {}}}
    kubectl.run("create", "-f", "-", sent=obj)
    assert kubectl.run("delete", "-f", str(renamed)).count(" deleted\n") == 3
    assert "the server doesn't have a resource type" in kubectl.run("get", "issuers.going.example.com", fails=True)


@pytest.mark.parametrize("content_type", [STRATEGIC, "text/plain", "application/yaml", "application/cbor"])
@pytest.mark.parametrize("path", ["certificates/web", "certificates/web/status"])
def test_a_patch_of_a_kind_nobody_takes_is_told_which_are_taken(installed: Kubectl, content_type: str, path: str):
    answer = installed.wire.ask(
        "PATCH", f"/apis/cert-manager.io/v1/namespaces/{installed.namespace}/{path}", {"spec": {}}, content_type=content_type
    )
    told = "the body of the request was in an unknown format - accepted media types include: "
    assert (answer.status, answer.reason) == (415, "UnsupportedMediaType")
    assert answer.message == f"{told}{JSON_PATCH}, {MERGE}, {APPLY}"


def test_what_is_created_while_its_definition_goes_is_told_so(installed: Kubectl):
    wire = installed.wire
    names = {"plural": "leavers", "kind": "Leaver"}
    schema = {"openAPIV3Schema": {"type": "object"}}
    version = {"name": "v1", "served": True, "storage": True, "schema": schema}
    definition = {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": "leavers.example.com"},
        "spec": {"group": "example.com", "scope": "Namespaced", "names": names, "versions": [version]},
    }
    installed.run("create", "-f", "-", sent=definition)
    installed.run("wait", "crd/leavers.example.com", "--for=condition=Established", "--timeout=30s")
    leaver: Object = {"apiVersion": "example.com/v1", "kind": "Leaver", "metadata": {"name": "a", "finalizers": ["example.com/stay"]}}
    installed.run("create", "-f", "-", sent=leaver)
    installed.run("delete", "crd", "leavers.example.com", "--wait=false")
    installed.run("wait", "crd/leavers.example.com", "--for=condition=Terminating", "--timeout=30s")
    answer = wire.ask("POST", f"/apis/example.com/v1/namespaces/{installed.namespace}/leavers", {**leaver, "metadata": {"name": "b"}})
    assert (answer.status, answer.reason) == (405, "MethodNotAllowed")
    assert answer.message == "create not allowed while custom resource definition is terminating"
    assert answer.json["details"] == {"group": "example.com", "kind": "leavers"}
    installed.run("patch", "leaver", "a", "--type=merge", "-p", '{"metadata": {"finalizers": null}}')
    with wire.hurried():
        installed.run("wait", "crd/leavers.example.com", "--for=delete", "--timeout=30s")
