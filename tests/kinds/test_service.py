"""Service and the objects that hold the addresses behind it."""

import pytest

from svcsim.kinds.core.endpoints import ENDPOINTS
from svcsim.kinds.core.service import SERVICE
from svcsim.kinds.discovery.endpoint_slice import ENDPOINT_SLICE
from tests.kinds.helpers import change_findings, created, findings, row

PORTS = [{"port": 80}]


def service(**spec):
    return {"spec": {"ports": PORTS, **spec}}


def test_a_service_is_completed():
    assert created(SERVICE, service()) == {
        "spec": {
            "ports": [{"protocol": "TCP", "port": 80, "targetPort": 80}],
            "type": "ClusterIP",
            "sessionAffinity": "None",
            "internalTrafficPolicy": "Cluster",
        },
        "status": {"loadBalancer": {}},
    }


@pytest.mark.parametrize(
    ("spec", "expected"),
    [
        ({"type": "NodePort"}, {"externalTrafficPolicy": "Cluster", "internalTrafficPolicy": "Cluster"}),
        (
            {"type": "LoadBalancer"},
            {"externalTrafficPolicy": "Cluster", "internalTrafficPolicy": "Cluster", "allocateLoadBalancerNodePorts": True},
        ),
        ({"type": "ClusterIP", "externalIPs": ["1.2.3.4"]}, {"externalTrafficPolicy": "Cluster", "internalTrafficPolicy": "Cluster"}),
        ({"type": "ExternalName", "externalName": "a.b"}, {}),
        (
            {"sessionAffinity": "ClientIP"},
            {"sessionAffinityConfig": {"clientIP": {"timeoutSeconds": 10800}}, "internalTrafficPolicy": "Cluster"},
        ),
    ],
)
def test_policies_of_a_service_follow_from_its_type(spec, expected):
    done = created(SERVICE, service(**spec))["spec"]
    names = ("externalTrafficPolicy", "internalTrafficPolicy", "allocateLoadBalancerNodePorts", "sessionAffinityConfig")
    assert {name: done[name] for name in names if name in done} == expected


@pytest.mark.parametrize(
    ("spec", "expected"),
    [
        ({}, []),
        ({"ports": []}, ["ports: Required value"]),
        ({"ports": [], "clusterIP": "None"}, []),
        (
            {"ports": [{"port": 70000, "targetPort": "x"}]},
            ["ports[0].port: Invalid value: 70000: must be between 1 and 65535, inclusive"],
        ),
        ({"ports": [{"port": 1}, {"port": 2}]}, ["ports[0].name: Required value", "ports[1].name: Required value"]),
        ({"ports": [{"name": "a", "port": 1}, {"name": "a", "port": 2}]}, ['ports[1].name: Duplicate value: "a"']),
        (
            {"ports": [{"name": "a", "port": 1}, {"name": "b", "port": 1}]},
            ['ports[1]: Duplicate value: {"Name":"","Protocol":"TCP","AppProtocol":null,"Port":1,"TargetPort":0,"NodePort":0}'],
        ),
        ({"ports": [{"port": 1, "nodePort": 30000}]}, ["ports[0].nodePort: Forbidden: may not be used when `type` is 'ClusterIP'"]),
        (
            {"type": "Odd"},
            ['type: Unsupported value: "Odd": supported values: "ClusterIP", "ExternalName", "LoadBalancer", "NodePort"'],
        ),
        ({"type": "ExternalName"}, ["externalName: Required value"]),
        (
            {"type": "NodePort", "clusterIP": "None"},
            ["clusterIPs[0]: Invalid value: \"None\": may not be set to 'None' for NodePort services"],
        ),
        (
            {"clusterIP": "nowhere"},
            ['clusterIPs[0]: Invalid value: "nowhere": must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)'],
        ),
        (
            {"externalIPs": ["127.0.0.1"]},
            ['externalIPs[0]: Invalid value: "127.0.0.1": may not be in the loopback range (127.0.0.0/8, ::1/128)'],
        ),
        (
            {"externalTrafficPolicy": "Local"},
            ['externalTrafficPolicy: Invalid value: "Local": may only be set for externally-accessible services'],
        ),
        (
            {"sessionAffinity": "ClientIP", "sessionAffinityConfig": {"clientIP": {"timeoutSeconds": 86401}}},
            ["sessionAffinityConfig.clientIP.timeoutSeconds: Invalid value: 86401: must be greater than 0 and less than 86400"],
        ),
        ({"loadBalancerClass": "a/b"}, ["loadBalancerClass: Forbidden: may only be used when `type` is 'LoadBalancer'"]),
        ({"selector": {"a": "-"}}, None),
    ],
)
def test_what_is_wrong_with_a_service(spec, expected):
    found = findings(SERVICE, service(**spec))
    if expected is None:
        assert found[0].startswith('spec.selector: Invalid value: "-": a valid label must be')
    else:
        assert found == [f"spec.{text}" for text in expected]


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        ({"clusterIPs": ["10.0.0.1"]}, {"clusterIPs": ["10.0.0.1"]}, []),
        (
            {"clusterIPs": ["10.0.0.1"]},
            {"clusterIPs": ["10.0.0.2"]},
            ['spec.clusterIPs[0]: Invalid value: ["10.0.0.2"]: may not change once set'],
        ),
        ({"clusterIPs": ["10.0.0.1"]}, {}, ["spec.clusterIPs[0]: Invalid value: []: primary clusterIP can not be unset"]),
        ({"clusterIPs": ["10.0.0.1"]}, {"type": "ExternalName", "externalName": "a.b"}, []),
    ],
)
def test_a_service_keeps_its_address(before, after, expected):
    assert change_findings(SERVICE, service(**before), service(**after)) == expected


@pytest.mark.parametrize(
    ("spec", "status", "expected"),
    [
        (
            {"type": "ClusterIP", "clusterIPs": ["10.0.0.1"], "ports": [{"port": 80, "protocol": "TCP"}]},
            {},
            ("ClusterIP", "10.0.0.1", "<none>", "80/TCP"),
        ),
        (
            {
                "type": "NodePort",
                "clusterIPs": ["10.0.0.1"],
                "ports": [{"port": 80, "nodePort": 30080, "protocol": "TCP"}, {"port": 53, "protocol": "UDP"}],
            },
            {},
            ("NodePort", "10.0.0.1", "<none>", "80:30080/TCP,53/UDP"),
        ),
        ({"type": "LoadBalancer", "clusterIPs": ["10.0.0.1"]}, {}, ("LoadBalancer", "10.0.0.1", "<pending>", "<none>")),
        (
            {"type": "LoadBalancer", "clusterIPs": ["10.0.0.1"], "externalIPs": ["9.9.9.9"]},
            {"loadBalancer": {"ingress": [{"ip": "2.2.2.2"}, {"hostname": "a.b"}]}},
            ("LoadBalancer", "10.0.0.1", "2.2.2.2,a.b,9.9.9.9", "<none>"),
        ),
        ({"type": "ExternalName", "externalName": "a.b"}, {}, ("ExternalName", "<none>", "a.b", "<none>")),
        ({"type": "ClusterIP", "clusterIPs": ["None"]}, {}, ("ClusterIP", "None", "<none>", "<none>")),
    ],
)
def test_a_service_in_one_line(spec, status, expected):
    shown = row(SERVICE, {"spec": {**spec, "selector": {"b": "2", "a": "1"}}, "status": status}, wide=True)
    assert (*expected, "<unknown>", "a=1,b=2") == tuple(shown.values())


def addresses(*ips):
    return [{"ip": ip} for ip in ips]


@pytest.mark.parametrize(
    ("subset", "expected"),
    [
        ({"addresses": addresses("10.0.0.1"), "ports": [{"port": 80}]}, []),
        ({"ports": [{"port": 80}]}, [": Required value: must specify `addresses` or `notReadyAddresses`"]),
        (
            {"addresses": addresses("x")},
            ['.addresses[0].ip: Invalid value: "x": must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)'],
        ),
        ({"addresses": addresses("0.0.0.0")}, ['.addresses[0].ip: Invalid value: "0.0.0.0": may not be unspecified (0.0.0.0)']),
        (
            {"addresses": addresses("10.0.0.1"), "ports": [{"port": 80}, {"port": 81, "name": "a"}]},
            [".ports[0].name: Required value"],
        ),
        (
            {"addresses": addresses("10.0.0.1"), "ports": [{"port": 80, "protocol": "X"}]},
            ['.ports[0].protocol: Unsupported value: "X": supported values: "SCTP", "TCP", "UDP"'],
        ),
    ],
)
def test_what_is_wrong_with_endpoints(subset, expected):
    assert findings(ENDPOINTS, {"subsets": [subset]}) == [f"subsets[0]{text}" for text in expected]


@pytest.mark.parametrize(
    ("subsets", "expected"),
    [
        ([], "<none>"),
        ([{"addresses": addresses("10.0.0.1", "::1"), "ports": [{"port": 80}]}], "10.0.0.1:80,[::1]:80"),
        (
            [{"addresses": addresses("1.0.0.1", "1.0.0.2"), "ports": [{"port": 1}, {"port": 2}]}],
            "1.0.0.1:1,1.0.0.2:1,1.0.0.1:2 + 1 more...",
        ),
        ([{"addresses": addresses("1.0.0.1")}], "1.0.0.1"),
        ([{"notReadyAddresses": addresses("1.0.0.1"), "ports": [{"port": 1}]}], ""),
    ],
)
def test_endpoints_in_one_line(subsets, expected):
    assert row(ENDPOINTS, {"subsets": subsets})["Endpoints"] == expected


def test_an_endpoint_slice_is_completed_checked_and_shown():
    good = {"addressType": "IPv4", "endpoints": [{"addresses": ["10.0.0.1"]}], "ports": [{"port": 80}]}
    done = created(ENDPOINT_SLICE, good)
    assert done["ports"] == [{"name": "", "protocol": "TCP", "port": 80}]
    assert findings(ENDPOINT_SLICE, good) == []
    assert findings(ENDPOINT_SLICE, {**good, "addressType": "IPX", "endpoints": [{"addresses": []}]}) == [
        'addressType: Unsupported value: "IPX": supported values: "FQDN", "IPv4", "IPv6"',
        "endpoints[0].addresses: Required value: must contain at least 1 address",
    ]
    assert change_findings(ENDPOINT_SLICE, good, {**good, "addressType": "IPv6"}) == [
        'addressType: Invalid value: "IPv6": field is immutable'
    ]
    assert row(ENDPOINT_SLICE, done) == {"AddressType": "IPv4", "Ports": "80", "Endpoints": "10.0.0.1", "Age": "<unknown>"}
