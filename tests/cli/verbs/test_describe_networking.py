"""The networking family is described as kubectl describes it."""

import json
import shutil

import pytest

from tests.cli.verbs.test_describe_autoscaler import both
from tests.kinds.samples import networking
from tests.process import served

pytestmark = pytest.mark.skipif(not shutil.which("kubectl"), reason="kubectl is not on the PATH")

ABOUT = {"labels": {"a": "b", "c": "d"}, "annotations": {"note": "short"}}
WEB = {"service": {"name": "web", "port": {"number": 80}}}


def of(kind, name, version="networking.k8s.io/v1", **parts):
    return {"apiVersion": version, "kind": kind, "metadata": {"name": name, **ABOUT}, **parts}


def full(kind, name):
    return of(
        kind,
        name,
        **{part: value for part, value in (networking.FULL | networking.NEWER)[f"networking/v1 {kind}"].items() if part != "name"},
    )


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
NEWER = {}
NEWER["ipaddresses"] = [
    full("IPAddress", "2001:db8::1"),
    of("IPAddress", "192.0.2.1", spec={"parentRef": {"resource": "services", "name": "web"}}),
]
NEWER["servicecidrs"] = [full("ServiceCIDR", "both"), of("ServiceCIDR", "one", spec={"cidrs": ["172.21.0.0/24"]})]
"""What kubectl on the PATH may be too old to describe."""
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
    assert svcsim("explain", types, "--recursive") == kubectl("explain", types, "--recursive")
    assert "deleted" in kubectl("delete", types, "--all")


READY = {
    "type": "Ready",
    "status": "True",
    "reason": "Ready",
    "message": "Kubernetes Service CIDR is ready",
    "lastTransitionTime": "2026-01-02T03:04:05Z",
}
ADDRESSES = """\
Name:         192.0.2.1
Labels:       a=b
              c=d
Annotations:  note: short
Parent Reference:
  Group:      \n\
  Resource:   services
  Namespace:  \n\
  Name:       web
Events:       <none>


Name:         2001:db8::1
Labels:       a=b
              c=d
Annotations:  note: short
Parent Reference:
  Group:      example.com
  Resource:   gateways
  Namespace:  default
  Name:       front
Events:       <none>
"""
NETWORKS = """\
Name:         both
Labels:       a=b
              c=d
Annotations:  note: short
CIDRs:        172.20.0.0/24, 2001:db8:1::/112
Status:
Conditions:
  Type   Status  LastTransitionTime               Reason  Message
  ----   ------  ------------------               ------  -------
  Ready  True    Fri, 02 Jan 2026 03:04:05 +0000  Ready   Kubernetes Service CIDR is ready
Events:  <none>
"""


def test_addresses_and_networks_are_described(commands):
    kubectl, svcsim = commands
    items = [one for objects in NEWER.values() for one in objects]
    kubectl("create", "-f", "-", stdin=json.dumps({"apiVersion": "v1", "kind": "List", "items": items}))
    assert svcsim("describe", "ip", "192.0.2.1", "2001:db8::1") == ADDRESSES
    state = json.dumps({"status": {"conditions": [READY]}})
    svcsim("patch", "servicecidr", "both", "--subresource=status", "--type=merge", "-p", state)
    assert svcsim("describe", "servicecidr", "both") == NETWORKS
    for types in NEWER:
        assert svcsim("explain", types, "--recursive") == kubectl("explain", types, "--recursive")
    assert "deleted" in kubectl("delete", "ip", "192.0.2.1", "2001:db8::1")
    assert "deleted" in kubectl("delete", "servicecidr", "one", "--wait=false")
