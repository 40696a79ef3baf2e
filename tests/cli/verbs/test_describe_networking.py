"""The networking family is described as kubectl describes it."""

import json
import shutil

import pytest

from tests.cli.verbs.test_describe_autoscaler import both
from tests.kinds.samples.networking import FULL
from tests.process import served

pytestmark = pytest.mark.skipif(not shutil.which("kubectl"), reason="kubectl is not on the PATH")

ABOUT = {"labels": {"a": "b", "c": "d"}, "annotations": {"note": "short"}}
WEB = {"service": {"name": "web", "port": {"number": 80}}}


def of(kind, name, version="networking.k8s.io/v1", **parts):
    return {"apiVersion": version, "kind": kind, "metadata": {"name": name, **ABOUT}, **parts}


def full(kind, name):
    return of(kind, name, **FULL[f"networking/v1 {kind}"])


SERVICE = of("Service", "web", "v1", spec={"ports": [{"name": "http", "port": 80}, {"name": "other", "port": 81}]})
SLICE = {
    "apiVersion": "discovery.k8s.io/v1",
    "kind": "EndpointSlice",
    "metadata": {"name": "web", "labels": {"kubernetes.io/service-name": "web"}},
    "addressType": "IPv4",
    "endpoints": [{"addresses": [f"10.9.0.{number}"]} for number in range(1, 6)],
    "ports": [{"name": "http", "port": 8080}],
}
OBJECTS = {
    "ingressclasses": [
        full("IngressClass", "rich"),
        of("IngressClass", "plain", spec={"controller": "example.com/a"}),
        of("IngressClass", "core", spec={"controller": "example.com/a", "parameters": {"kind": "ConfigMap", "name": "a"}}),
    ],
    "ingresses": [
        SERVICE,
        SLICE,
        full("Ingress", "rich"),
        of("Ingress", "plain", spec={"defaultBackend": WEB, "tls": [{"hosts": ["a", "b"]}]}),
        of(
            "Ingress",
            "lost",
            spec={
                "rules": [
                    {
                        "http": {
                            "paths": [{"path": "/a", "pathType": "Exact", "backend": {"service": {"name": "no", "port": {"name": "x"}}}}]
                        }
                    }
                ]
            },
        ),
    ],
}
OBJECTS["networkpolicies"] = [
    full("NetworkPolicy", "rich"),
    of("NetworkPolicy", "plain", spec={"podSelector": {}}),
    of("NetworkPolicy", "closed", spec={"podSelector": {}, "policyTypes": ["Egress", "Ingress"]}),
    of("NetworkPolicy", "sending", spec={"podSelector": {"matchLabels": {"a": "b"}}, "egress": [{}], "policyTypes": ["Egress"]}),
]
STATES = {"ingresses": ("rich", {"loadBalancer": {"ingress": [{"ip": "192.0.2.7"}, {"hostname": "a.example.com"}]}})}


@pytest.fixture(scope="module")
def commands(tmp_path_factory):
    with served(tmp_path_factory.mktemp("networking"), "kubernetes", "--nodes", "0", "--ephemeral") as server:
        yield both(server)


@pytest.mark.parametrize("types", OBJECTS)
def test_both_describe_the_same(commands, types):
    kubectl, svcsim = commands
    svcsim("create", "-f", "-", stdin=json.dumps({"apiVersion": "v1", "kind": "List", "items": OBJECTS[types]}))
    if types in STATES:
        name, state = STATES[types]
        kubectl("patch", types, name, "--subresource=status", "--type=merge", "-p", json.dumps({"status": state}))
    told = kubectl("describe", types)
    assert told.count("Name:  ") >= 2
    assert svcsim("describe", types) == told


@pytest.mark.parametrize("types", OBJECTS)
def test_both_explain_and_delete_them(commands, types):
    kubectl, svcsim = commands
    assert svcsim("explain", types, "--recursive") == kubectl("explain", types, "--recursive")
    assert "deleted" in kubectl("delete", types, "--all")
