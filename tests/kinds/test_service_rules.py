"""What is wrong with a Service, its Endpoints and its EndpointSlices: every mistake by itself, with its place and what is said of it."""

import pytest

from svcsim.kinds.core.endpoints import ENDPOINTS
from svcsim.kinds.core.service import SERVICE
from svcsim.kinds.discovery.endpoint_slice import ENDPOINT_SLICE
from tests.kinds.helpers import change_findings, findings, status_findings

IP = "must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)"
CIDR = "must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)"
PORT = "must be between 1 and 65535, inclusive"
LABEL = "a lowercase RFC 1123 label must consist of"
SUBDOMAIN = "a lowercase RFC 1123 subdomain must consist of"
LOOPBACK = "may not be in the loopback range (127.0.0.0/8, ::1/128)"
LINK_LOCAL = "may not be in the link-local range (169.254.0.0/16, fe80::/10)"
MULTICAST = "may not be in the link-local multicast range (224.0.0.0/24, ff02::/10)"
ONLY_BALANCER = "Forbidden: may only be used when `type` is 'LoadBalancer'"
POLICIES = 'supported values: "Cluster", "Local"'
FAMILIES = 'supported values: "IPv4", "IPv6"'
V4, V6 = "10.0.0.1", "2001:db8::1"


def service(*ports, **spec):
    return {"spec": {"ports": list(ports) or [{"port": 80}], **spec}}


def port(**parts):
    return service({"port": 80, **parts})


def balancer(**spec):
    return service(type="LoadBalancer", **spec)


def affine(seconds):
    return service(sessionAffinity="ClientIP", sessionAffinityConfig={"clientIP": {"timeoutSeconds": seconds}})


WRONG = {
    "no ports": ({"spec": {}}, "ports: Required value"),
    "a port that is zero": (port(port=0, targetPort=1), f"ports[0].port: Invalid value: 0: {PORT}"),
    "a port that is too large": (port(port=65536, targetPort=1), f"ports[0].port: Invalid value: 65536: {PORT}"),
    "a port with a bad name": (port(name="A"), f'ports[0].name: Invalid value: "A": {LABEL}'),
    "a port with a dot in its name": (port(name="a.b"), 'ports[0].name: Invalid value: "a.b": must not contain dots'),
    "a protocol that isn't known": (
        port(protocol="INVALID"),
        'ports[0].protocol: Unsupported value: "INVALID": supported values: "SCTP", "TCP", "UDP"',
    ),
    "a target that is too large": (port(targetPort=65536), f"ports[0].targetPort: Invalid value: 65536: {PORT}"),
    "a target with a bad name": (port(targetPort="a@1"), 'ports[0].targetPort: Invalid value: "a@1": must contain only'),
    "a bad application protocol": (port(appProtocol="a:b"), 'ports[0].appProtocol: Invalid value: "a:b": name part must consist of'),
    "a second port without a name": (service({"port": 1, "name": "a"}, {"port": 2}), "ports[1].name: Required value"),
    "a name twice": (service({"port": 1, "name": "a"}, {"port": 2, "name": "a"}), 'ports[1].name: Duplicate value: "a"'),
    "a port twice": (
        service({"port": 1, "name": "a"}, {"port": 1, "name": "b"}),
        'ports[1]: Duplicate value: {"Name":"","Protocol":"TCP"',
    ),
    "a node port twice": (
        service({"port": 1, "name": "a", "nodePort": 30000}, {"port": 2, "name": "b", "nodePort": 30000}, type="NodePort"),
        "ports[1].nodePort: Duplicate value: 30000",
    ),
    "a node port inside": (port(nodePort=30000), "ports[0].nodePort: Forbidden: may not be used when `type` is 'ClusterIP'"),
    "a type that isn't known": (
        service(type="Odd"),
        'type: Unsupported value: "Odd": supported values: "ClusterIP", "ExternalName", "LoadBalancer", "NodePort"',
    ),
    "an affinity that isn't known": (
        service(sessionAffinity="Odd"),
        'sessionAffinity: Unsupported value: "Odd": supported values: "ClientIP", "None"',
    ),
    "an affinity that never lasts": (affine(0), "sessionAffinityConfig.clientIP.timeoutSeconds: Invalid value: 0: must be greater than 0"),
    "an affinity from before": (affine(-1), "sessionAffinityConfig.clientIP.timeoutSeconds: Invalid value: -1: must be greater than 0"),
    "an affinity that lasts too long": (
        affine(86401),
        "sessionAffinityConfig.clientIP.timeoutSeconds: Invalid value: 86401: must be greater",
    ),
    "no node is behind a bad selector": (service(selector={"a b": "c"}), 'selector: Invalid value: "a b": name part must consist of'),
    "an address that is none": (service(clusterIP="1.2.3"), f'clusterIPs[0]: Invalid value: "1.2.3": {IP}'),
    "another first address": (
        service(clusterIP=V4, clusterIPs=["10.0.0.2"]),
        'clusterIPs[0]: Invalid value: "10.0.0.2": first value must match `clusterIP`',
    ),
    "an address and none": (
        service(clusterIPs=["None", V4]),
        f'clusterIPs: Invalid value: ["None","{V4}"]: \'None\' must be the first and only value',
    ),
    "a second address that is none": (service(clusterIPs=[V4, "x"]), f'clusterIPs[1]: Invalid value: "x": {IP}'),
    "three addresses": (
        service(clusterIPs=[V4, V6, "10.0.0.2"]),
        f'clusterIPs: Invalid value: ["{V4}","{V6}","10.0.0.2"]: may only hold up to 2 values',
    ),
    "two addresses of a family": (
        service(clusterIPs=[V4, "10.0.0.2"]),
        f'clusterIPs: Invalid value: ["{V4}","10.0.0.2"]: may specify no more than one IP for each IP family',
    ),
    "an address of the other family": (
        service(clusterIPs=[V6], ipFamilies=["IPv4"]),
        f'clusterIPs[0]: Invalid value: "{V6}": expected an IPv4 value as indicated by `ipFamilies[0]`',
    ),
    "a family that isn't known": (service(ipFamilies=["IPv8"]), f'ipFamilies[0]: Unsupported value: "IPv8": {FAMILIES}'),
    "a family twice": (service(ipFamilies=["IPv4", "IPv4"]), 'ipFamilies[1]: Duplicate value: "IPv4"'),
    "a policy of families that isn't known": (
        service(ipFamilyPolicy="Odd"),
        'ipFamilyPolicy: Unsupported value: "Odd": supported values: "PreferDualStack", "RequireDualStack", "SingleStack"',
    ),
    "an outer address that is none": (service(externalIPs=["myhost.mydomain"]), f'externalIPs[0]: Invalid value: "myhost.mydomain": {IP}'),
    "an outer address of nobody": (
        service(externalIPs=["0.0.0.0"]),
        'externalIPs[0]: Invalid value: "0.0.0.0": may not be unspecified (0.0.0.0)',
    ),
    "an outer address of oneself": (service(externalIPs=["127.0.0.1"]), f'externalIPs[0]: Invalid value: "127.0.0.1": {LOOPBACK}'),
    "an outer address of a neighbour": (
        service(externalIPs=["169.254.1.1"]),
        f'externalIPs[0]: Invalid value: "169.254.1.1": {LINK_LOCAL}',
    ),
    "an outer address of several": (service(externalIPs=["224.0.0.1"]), f'externalIPs[0]: Invalid value: "224.0.0.1": {MULTICAST}'),
    "no external name": (service(type="ExternalName"), "externalName: Required value"),
    "an external name that is none": (
        service(type="ExternalName", externalName="-123"),
        f'externalName: Invalid value: "-123": {SUBDOMAIN}',
    ),
    "an external name and addresses": (
        service(type="ExternalName", externalName="a.b", clusterIPs=[V4]),
        "clusterIPs: Forbidden: may not be set for ExternalName services",
    ),
    "an external name and families": (
        service(type="ExternalName", externalName="a.b", ipFamilies=["IPv4"]),
        "ipFamilies: Forbidden: may not be set for ExternalName services",
    ),
    "an external name and a policy": (
        service(type="ExternalName", externalName="a.b", ipFamilyPolicy="SingleStack"),
        "ipFamilyPolicy: Forbidden: may not be set for ExternalName services",
    ),
    "no address on nodes": (
        service(type="NodePort", clusterIP="None"),
        "clusterIPs[0]: Invalid value: \"None\": may not be set to 'None' for NodePort services",
    ),
    "no address behind a balancer": (
        balancer(clusterIP="None"),
        "clusterIPs[0]: Invalid value: \"None\": may not be set to 'None' for LoadBalancer services",
    ),
    "the node agent's port": (
        service({"port": 10250}, type="LoadBalancer"),
        "ports[0]: Invalid value: 10250: may not expose port 10250 externally since it is used by kubelet",
    ),
    "a source that is no network": (
        balancer(loadBalancerSourceRanges=["foo/bar"]),
        f'loadBalancerSourceRanges[0]: Invalid value: "foo/bar": {CIDR}',
    ),
    "a source without a length": (
        balancer(loadBalancerSourceRanges=["1.2.3.4"]),
        f'loadBalancerSourceRanges[0]: Invalid value: "1.2.3.4": {CIDR}',
    ),
    "a source that is too large": (
        balancer(loadBalancerSourceRanges=["1.2.3.4/33"]),
        f'loadBalancerSourceRanges[0]: Invalid value: "1.2.3.4/33": {CIDR}',
    ),
    "sources of something else": (service(loadBalancerSourceRanges=["1.2.3.0/24"]), f"LoadBalancerSourceRanges: {ONLY_BALANCER}"),
    "a class of something else": (service(loadBalancerClass="a.b/c"), f"loadBalancerClass: {ONLY_BALANCER}"),
    "a class with a bad name": (balancer(loadBalancerClass="Bad Name"), 'loadBalancerClass: Invalid value: "Bad Name": name part must'),
    "ports of something else": (service(allocateLoadBalancerNodePorts=True), f"allocateLoadBalancerNodePorts: {ONLY_BALANCER}"),
    "a way from outside that isn't known": (
        balancer(externalTrafficPolicy="Odd"),
        f'externalTrafficPolicy: Unsupported value: "Odd": {POLICIES}',
    ),
    "a way from outside to something inside": (
        service(externalTrafficPolicy="Local"),
        'externalTrafficPolicy: Invalid value: "Local": may only be set for externally-accessible services',
    ),
    "a way inside that isn't known": (
        service(internalTrafficPolicy="Odd"),
        f'internalTrafficPolicy: Unsupported value: "Odd": {POLICIES}',
    ),
    "health checks of something inside": (
        service(healthCheckNodePort=30000),
        "healthCheckNodePort: Invalid value: 30000: may only be set when `type` is 'LoadBalancer' and `externalTrafficPolicy` is 'Local'",
    ),
    "health checks of what is spread": (
        balancer(healthCheckNodePort=30000),
        "healthCheckNodePort: Invalid value: 30000: may only be set when `type` is 'LoadBalancer' and `externalTrafficPolicy` is 'Local'",
    ),
    "a preference that isn't known": (
        service(trafficDistribution="Odd"),
        'trafficDistribution: Unsupported value: "Odd": supported values: "PreferClose", "PreferSameNode", "PreferSameZone"',
    ),
}


@pytest.mark.parametrize(("obj", "expected"), WRONG.values(), ids=WRONG)
def test_what_is_wrong_with_a_service(obj, expected):
    (found,) = findings(SERVICE, obj)
    assert found.startswith(f"spec.{expected}")


RIGHT = {
    "a port of two protocols": service({"port": 1, "name": "a"}, {"port": 1, "name": "b", "protocol": "UDP"}),
    "a node port of two protocols": service(
        {"port": 1, "name": "a", "nodePort": 30000}, {"port": 1, "name": "b", "protocol": "UDP", "nodePort": 30000}, type="NodePort"
    ),
    "headless without ports": {"spec": {"clusterIP": "None"}},
    "both families": service(clusterIPs=[V4, V6], ipFamilies=["IPv4", "IPv6"], ipFamilyPolicy="RequireDualStack"),
    "a local balancer": balancer(externalTrafficPolicy="Local", healthCheckNodePort=30000),
    "a balancer with all it can have": balancer(
        loadBalancerClass="example.com/fast",
        loadBalancerSourceRanges=["1.2.3.0/24", " 2001:db8::/64 "],
        allocateLoadBalancerNodePorts=False,
    ),
    "an external name with a dot at the end": {"spec": {"type": "ExternalName", "externalName": "a.b."}},
    "a day of affinity": affine(86400),
    "a named target": port(targetPort="http", appProtocol="example.com/x"),
}


@pytest.mark.parametrize("obj", RIGHT.values(), ids=RIGHT)
def test_what_is_right_with_a_service(obj):
    assert findings(SERVICE, obj) == []


WRONG_STATES = {
    "a bad address": ({"ip": "1.2.3"}, f'ip: Invalid value: "1.2.3": {IP}'),
    "a bad name": ({"hostname": "a_b"}, f'hostname: Invalid value: "a_b": {SUBDOMAIN}'),
    "a name that is an address": ({"hostname": "1.2.3.4"}, 'hostname: Invalid value: "1.2.3.4": must be a DNS name, not an IP address'),
    "a mode that isn't known": ({"ip": V4, "ipMode": "Odd"}, 'ipMode: Unsupported value: "Odd": supported values: "Proxy", "VIP"'),
    "a mode of no address": ({"hostname": "a.b", "ipMode": "VIP"}, "ipMode: Forbidden: may not be specified when `ip` is not set"),
}


@pytest.mark.parametrize(("item", "expected"), WRONG_STATES.values(), ids=WRONG_STATES)
def test_what_is_wrong_with_the_state_of_a_load_balancer(item, expected):
    (found,) = status_findings(SERVICE, balancer(), {**balancer(), "status": {"loadBalancer": {"ingress": [item]}}})
    assert found.startswith(f"status.loadBalancer.ingress[0].{expected}")


@pytest.mark.parametrize("kind", ["ClusterIP", "NodePort", "ExternalName"])
def test_only_load_balancers_have_the_state_of_one(kind):
    spec = service(type=kind, externalName="a.b" if kind == "ExternalName" else None)
    assert status_findings(SERVICE, spec, {**spec, "status": {"loadBalancer": {"ingress": [{"ip": V4}]}}}) == [
        'status.loadBalancer.ingress: Forbidden: may only be used when `spec.type` is "LoadBalancer"'
    ]
    assert status_findings(SERVICE, spec, {**spec, "status": {"loadBalancer": {"ingress": []}}}) == []


LOCAL = {"externalTrafficPolicy": "Local"}
CHANGES = {
    "another address": (
        service(clusterIPs=[V4]),
        service(clusterIPs=["10.0.0.2"]),
        'clusterIPs[0]: Invalid value: ["10.0.0.2"]: may not change',
    ),
    "no address any more": (service(clusterIPs=[V4]), service(), "clusterIPs[0]: Invalid value: []: primary clusterIP can not be unset"),
    "another family": (
        service(ipFamilies=["IPv4"]),
        service(ipFamilies=["IPv6"]),
        'ipFamilies[0]: Invalid value: ["IPv6"]: may not change once set',
    ),
    "another class": (
        balancer(loadBalancerClass="a/b"),
        balancer(loadBalancerClass="a/c"),
        'loadBalancerClass: Invalid value: "a/c": may not change once set',
    ),
    "a class for one without": (
        balancer(),
        balancer(loadBalancerClass="a/c"),
        'loadBalancerClass: Invalid value: "a/c": may not change once set',
    ),
    "no class any more": (balancer(loadBalancerClass="a/b"), balancer(), "loadBalancerClass: Invalid value: null: may not change once set"),
    "another port for health checks": (
        balancer(**LOCAL, healthCheckNodePort=30000),
        balancer(**LOCAL, healthCheckNodePort=30001),
        "healthCheckNodePort: Invalid value: 30001: cannot change healthCheckNodePort on loadBalancer service with externalTraffic=Local",
    ),
}


@pytest.mark.parametrize(("before", "after", "expected"), CHANGES.values(), ids=CHANGES)
def test_what_may_not_change_in_a_service(before, after, expected):
    (found,) = change_findings(SERVICE, before, after)
    assert found.startswith(f"spec.{expected}")


# Endpoints


def subset(*addresses, ports=(), **parts):
    return {"subsets": [{"addresses": list(addresses), "ports": list(ports), **parts}]}


ADDRESS = "subsets[0].addresses[0]"
WRONG_SUBSETS = {
    "nothing": (subset(), "subsets[0]: Required value: must specify `addresses` or `notReadyAddresses`"),
    "no address": (subset({"ip": ""}), f"{ADDRESS}.ip: Required value"),
    "part of an address": (subset({"ip": "1.2.3"}), f'{ADDRESS}.ip: Invalid value: "1.2.3": {IP}'),
    "the address of nobody": (subset({"ip": "0.0.0.0"}), f'{ADDRESS}.ip: Invalid value: "0.0.0.0": may not be unspecified (0.0.0.0)'),
    "the address of nobody in IPv6": (subset({"ip": "::"}), f'{ADDRESS}.ip: Invalid value: "::": may not be unspecified (::)'),
    "one's own address": (subset({"ip": "127.0.0.1"}), f'{ADDRESS}.ip: Invalid value: "127.0.0.1": {LOOPBACK}'),
    "one's own address in IPv6": (subset({"ip": "::1"}), f'{ADDRESS}.ip: Invalid value: "::1": {LOOPBACK}'),
    "a neighbour's address": (subset({"ip": "169.254.169.254"}), f'{ADDRESS}.ip: Invalid value: "169.254.169.254": {LINK_LOCAL}'),
    "a neighbour's address in IPv6": (subset({"ip": "fe80::9656"}), f'{ADDRESS}.ip: Invalid value: "fe80::9656": {LINK_LOCAL}'),
    "the address of several": (subset({"ip": "224.0.0.1"}), f'{ADDRESS}.ip: Invalid value: "224.0.0.1": {MULTICAST}'),
    "a bad host name": (subset({"ip": V4, "hostname": "a.b"}), f'{ADDRESS}.hostname: Invalid value: "a.b": must not contain dots'),
    "a bad node": (subset({"ip": V4, "nodeName": "a_b"}), f'{ADDRESS}.nodeName: Invalid value: "a_b": {SUBDOMAIN}'),
    "an address that isn't ready and none": (
        {"subsets": [{"notReadyAddresses": [{"ip": "x"}]}]},
        f'subsets[0].notReadyAddresses[0].ip: Invalid value: "x": {IP}',
    ),
    "a port that is too large": (subset({"ip": V4}, ports=[{"port": 66000}]), f"subsets[0].ports[0].port: Invalid value: 66000: {PORT}"),
    "a port with a bad name": (
        subset({"ip": V4}, ports=[{"name": "A", "port": 1}]),
        f'subsets[0].ports[0].name: Invalid value: "A": {LABEL}',
    ),
    "a second port without a name": (
        subset({"ip": V4}, ports=[{"name": "a", "port": 1}, {"port": 2}]),
        "subsets[0].ports[1].name: Required value",
    ),
    "a protocol that isn't known": (
        subset({"ip": V4}, ports=[{"port": 1, "protocol": "Protocol"}]),
        'subsets[0].ports[0].protocol: Unsupported value: "Protocol": supported values: "SCTP", "TCP", "UDP"',
    ),
    "a bad application protocol": (
        subset({"ip": V4}, ports=[{"port": 1, "appProtocol": "a:b"}]),
        'subsets[0].ports[0].appProtocol: Invalid value: "a:b": name part must consist of',
    ),
}


@pytest.mark.parametrize(("obj", "expected"), WRONG_SUBSETS.values(), ids=WRONG_SUBSETS)
def test_what_is_wrong_with_endpoints(obj, expected):
    (found,) = findings(ENDPOINTS, obj)
    assert found.startswith(expected)


# EndpointSlice


def piece(address_type="IPv4", *, addresses=(V4,), ports=(), **endpoint):
    return {"addressType": address_type, "endpoints": [{"addresses": list(addresses), **endpoint}], "ports": list(ports)}


def many(count, **parts):
    return {"addressType": "IPv4", "endpoints": [{"addresses": [V4]}] * count, **parts}


ENDPOINT = "endpoints[0].addresses"
WRONG_SLICES = {
    "no type": ({"endpoints": []}, "addressType: Required value"),
    "a type that isn't known": (piece("Odd"), 'addressType: Unsupported value: "Odd": supported values: "FQDN", "IPv4", "IPv6"'),
    "no addresses": (piece(addresses=()), f"{ENDPOINT}: Required value: must contain at least 1 address"),
    "too many addresses": (
        piece(addresses=[f"10.0.0.{n}" for n in range(1, 102)]),
        f"{ENDPOINT}: Too many: 101: must have at most 100 items",
    ),
    "too many endpoints": (many(1001), "endpoints: Too many: 1001: must have at most 1000 items"),
    "an address that is none": (piece(addresses=["x"]), f'{ENDPOINT}[0]: Invalid value: "x": {IP}'),
    "an address of IPv6": (piece(addresses=[V6]), f'{ENDPOINT}[0]: Invalid value: "{V6}": must be a valid IPv4 address'),
    "an address of IPv4": (piece("IPv6"), f'{ENDPOINT}[0]: Invalid value: "{V4}": must be a valid IPv6 address'),
    "one's own address": (piece(addresses=["127.0.0.1"]), f'{ENDPOINT}[0]: Invalid value: "127.0.0.1": {LOOPBACK}'),
    "a name that is none": (piece("FQDN", addresses=["a_b.c"]), f'{ENDPOINT}[0]: Invalid value: "a_b.c": {SUBDOMAIN}'),
    "a name without a domain": (piece("FQDN", addresses=["a"]), f'{ENDPOINT}[0]: Invalid value: "a": should be a domain with at least two'),
    "a bad host name": (piece(hostname="a.b"), 'endpoints[0].hostname: Invalid value: "a.b": must not contain dots'),
    "a bad node": (piece(nodeName="a_b"), f'endpoints[0].nodeName: Invalid value: "a_b": {SUBDOMAIN}'),
    "bad topology": (piece(deprecatedTopology={"a b": "c"}), 'endpoints[0].deprecatedTopology: Invalid value: "a b": name part must'),
    "a zone twice": (
        piece(hints={"forZones": [{"name": "a"}, {"name": "a"}]}),
        'endpoints[0].hints.forZones[1].name: Duplicate value: "a"',
    ),
    "a bad zone": (
        piece(hints={"forZones": [{"name": "a b"}]}),
        'endpoints[0].hints.forZones[0].name: Invalid value: "a b": a valid label must',
    ),
    "too many zones": (
        piece(hints={"forZones": [{"name": f"z{n}"} for n in range(9)]}),
        "endpoints[0].hints.forZones: Too many: 9: must have at most 8 items",
    ),
    "a node twice": (
        piece(hints={"forNodes": [{"name": "a"}, {"name": "a"}]}),
        'endpoints[0].hints.forNodes[1].name: Duplicate value: "a"',
    ),
    "too many nodes": (
        piece(hints={"forNodes": [{"name": f"n{n}"} for n in range(9)]}),
        "endpoints[0].hints.forNodes: Too many: 9: must have at most 8 items",
    ),
    "a port with a bad name": (piece(ports=[{"name": "A"}]), f'ports[0].name: Invalid value: "A": {LABEL}'),
    "a port with a long name": (piece(ports=[{"name": "a" * 64}]), f'ports[0].name: Invalid value: "{"a" * 64}": must be no more than 63'),
    "a name twice": (piece(ports=[{"name": "a", "port": 1}, {"name": "a", "port": 2}]), 'ports[1].name: Duplicate value: "a"'),
    "no name twice": (piece(ports=[{"port": 1}, {"port": 2}]), 'ports[1].name: Duplicate value: ""'),
    "a protocol that isn't known": (
        piece(ports=[{"protocol": "foo"}]),
        'ports[0].protocol: Unsupported value: "foo": supported values: "SCTP", "TCP", "UDP"',
    ),
    "a bad application protocol": (piece(ports=[{"appProtocol": "--"}]), 'ports[0].appProtocol: Invalid value: "--": name part must'),
}


@pytest.mark.parametrize(("obj", "expected"), WRONG_SLICES.values(), ids=WRONG_SLICES)
def test_what_is_wrong_with_an_endpoint_slice(obj, expected):
    (found,) = findings(ENDPOINT_SLICE, obj)
    assert found.startswith(expected)


@pytest.mark.parametrize(
    "obj",
    [
        piece(),
        piece("IPv6", addresses=[V6]),
        piece("FQDN", addresses=["a.example.com"]),
        many(1000),
        piece(hints={"forZones": [{"name": "a"}], "forNodes": [{"name": "n"}]}, zone="a", nodeName="n"),
        {"addressType": "IPv4"},
    ],
)
def test_what_is_right_with_an_endpoint_slice(obj):
    assert findings(ENDPOINT_SLICE, obj) == []
