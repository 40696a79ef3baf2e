"""NetworkPolicy: what is wrong with one, what it is about, and how it looks in a table."""

import pytest

from svcsim.kinds.networking.network_policy import NETWORK_POLICY
from tests.kinds.helpers import created, findings, row, warned
from tests.kinds.samples.networking import FULL

BAD_NETWORK = "must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)"
SHOULD = '(should be "192.168.1.0/24" or "192.168.1.5/32"?)'
STRICT = "must be a strict subset of `cidr`"
PORT = "must be between 1 and 65535, inclusive"
PEER, PORTS = "spec.ingress[0].from[0]", "spec.ingress[0].ports[0]"
LABEL = "a valid label must be an empty string or consist of alphanumeric characters"


def policy(**spec):
    return {"spec": {"podSelector": {}, **spec}}


def peer(**parts):
    return policy(ingress=[{"from": [parts]}])


def port(**parts):
    return policy(ingress=[{"ports": [parts]}])


def block(cidr, *left_out):
    return peer(ipBlock={"cidr": cidr, "except": list(left_out)})


def expression(key="a", operator="In", values=("b",)):
    return {"matchExpressions": [{"key": key, "operator": operator, "values": list(values)}]}


WRONG = {
    "a protocol that isn't known": (
        port(protocol="ICMP"),
        f'{PORTS}.protocol: Unsupported value: "ICMP": supported values: "TCP", "UDP", "SCTP"',
    ),
    "no protocol's name": (port(protocol=""), f'{PORTS}.protocol: Unsupported value: "": supported values: "TCP", "UDP", "SCTP"'),
    "a port that is too large": (port(port=123456), f"{PORTS}.port: Invalid value: 123456: {PORT}"),
    "a port that is zero": (port(port=0), f"{PORTS}.port: Invalid value: 0: {PORT}"),
    "a port that is negative": (port(port=-1), f"{PORTS}.port: Invalid value: -1: {PORT}"),
    "a port with a bad name": (port(port="a@1"), f'{PORTS}.port: Invalid value: "a@1": must contain only alpha-numeric characters'),
    "a port with a long name": (port(port="a" * 16), f'{PORTS}.port: Invalid value: "{"a" * 16}": must be no more than 15 characters'),
    "a range that goes down": (
        port(port=32768, endPort=32000),
        f"{PORTS}.endPort: Invalid value: 32000: must be greater than or equal to `port`",
    ),
    "a range from a name": (
        port(port="http", endPort=80),
        f"{PORTS}.endPort: Invalid value: 80: may not be specified when `port` is non-numeric",
    ),
    "a range from nowhere": (port(endPort=80), f"{PORTS}.endPort: Invalid value: 80: may not be specified when `port` is not specified"),
    "a range that goes too far": (port(port=80, endPort=65537), f"{PORTS}.endPort: Invalid value: 65537: {PORT}"),
    "a peer that is none": (peer(), f"{PEER}: Required value: must specify a peer"),
    "a peer that is none, of what is sent": (policy(egress=[{"to": [{}]}]), "spec.egress[0].to[0]: Required value: must specify a peer"),
    "a network and pods": (
        peer(ipBlock={"cidr": "1.2.3.0/24"}, podSelector={}),
        f"{PEER}: Forbidden: may not specify both ipBlock and another peer",
    ),
    "a network and namespaces": (
        peer(ipBlock={"cidr": "1.2.3.0/24"}, namespaceSelector={}),
        f"{PEER}: Forbidden: may not specify both ipBlock and another peer",
    ),
    "a network without a CIDR": (peer(ipBlock={}), f"{PEER}.ipBlock.cidr: Required value"),
    "a network with an empty CIDR": (block("", "1.2.3.4/32"), f"{PEER}.ipBlock.cidr: Required value"),
    "a network without a length": (block("192.168.5.6"), f'{PEER}.ipBlock.cidr: Invalid value: "192.168.5.6": {BAD_NETWORK}'),
    "a network that is too short": (block("192.168/16"), f'{PEER}.ipBlock.cidr: Invalid value: "192.168/16": {BAD_NETWORK}'),
    "a network with a mask": (
        block("1.2.3.0/255.255.255.0"),
        f'{PEER}.ipBlock.cidr: Invalid value: "1.2.3.0/255.255.255.0": {BAD_NETWORK}',
    ),
    "a network with a length that is too large": (block("1.2.3.0/33"), f'{PEER}.ipBlock.cidr: Invalid value: "1.2.3.0/33": {BAD_NETWORK}'),
    "a network of IPv6 that is none": (block("fd00:192:168::"), f'{PEER}.ipBlock.cidr: Invalid value: "fd00:192:168::": {BAD_NETWORK}'),
    "left out what is no network": (
        block("192.168.8.0/24", "-192.168.9.0/24"),
        f'{PEER}.ipBlock.except[0]: Invalid value: "-192.168.9.0/24": {BAD_NETWORK}',
    ),
    "left out nothing": (block("192.168.8.0/24", ""), f'{PEER}.ipBlock.except[0]: Invalid value: "": {BAD_NETWORK}'),
    "left out what is elsewhere": (
        block("192.168.8.0/24", "192.168.9.0/28"),
        f'{PEER}.ipBlock.except[0]: Invalid value: "192.168.9.0/28": {STRICT}',
    ),
    "left out all": (block("192.168.8.0/24", "192.168.8.0/24"), f'{PEER}.ipBlock.except[0]: Invalid value: "192.168.8.0/24": {STRICT}'),
    "left out more than all": (
        block("192.168.8.0/24", "192.168.0.0/16"),
        f'{PEER}.ipBlock.except[0]: Invalid value: "192.168.0.0/16": {STRICT}',
    ),
    "left out of another family": (block("192.168.8.0/24", "fd00::/64"), f'{PEER}.ipBlock.except[0]: Invalid value: "fd00::/64": {STRICT}'),
    "left out of IPv6 what is elsewhere": (
        block("fd00:192:168::/48", "fd00:192:169::/64"),
        f'{PEER}.ipBlock.except[0]: Invalid value: "fd00:192:169::/64": {STRICT}',
    ),
    "pods with a bad label": (
        policy(podSelector={"matchLabels": {"invalid key": "a"}}),
        'spec.podSelector.matchLabels: Invalid value: "invalid key": ',
    ),
    "pods with a bad value": (
        policy(podSelector={"matchLabels": {"a": "!"}}),
        f'spec.podSelector.matchLabels: Invalid value: "!": {LABEL}',
    ),
    "a peer with a bad label": (peer(podSelector={"matchLabels": {"a b": "c"}}), f'{PEER}.podSelector.matchLabels: Invalid value: "a b": '),
    "namespaces with a bad label": (
        peer(namespaceSelector={"matchLabels": {"a b": "c"}}),
        f'{PEER}.namespaceSelector.matchLabels: Invalid value: "a b": ',
    ),
    "pods by a bad operator": (
        policy(podSelector=expression(operator="in")),
        'spec.podSelector.matchExpressions[0].operator: Invalid value: "in": not a valid selector operator',
    ),
    "pods by no values": (
        policy(podSelector=expression(values=())),
        "spec.podSelector.matchExpressions[0].values: Required value: must be specified when `operator` is 'In' or 'NotIn'",
    ),
    "pods by values that nobody asks for": (
        policy(podSelector=expression(operator="Exists")),
        "spec.podSelector.matchExpressions[0].values: Forbidden: may not be specified when `operator` is 'Exists' or 'DoesNotExist'",
    ),
    "a type that isn't known": (
        policy(policyTypes=["Ingress", "foo"]),
        'spec.policyTypes[1]: Unsupported value: "foo": supported values: "Ingress", "Egress"',
    ),
    "three types": (
        policy(policyTypes=["Ingress", "Egress", "Egress"]),
        'spec.policyTypes: Invalid value: ["Ingress","Egress","Egress"]: may not specify more than two policyTypes',
    ),
}


@pytest.mark.parametrize(("obj", "expected"), WRONG.values(), ids=WRONG)
def test_what_is_wrong_with_a_network_policy(obj, expected):
    (found,) = findings(NETWORK_POLICY, obj)
    assert found.startswith(expected)


RIGHT = {
    "all pods, nothing allowed": policy(),
    "no selector": {"spec": {}},
    "everything": policy(ingress=[{}], egress=[{}]),
    "all there is": FULL["networking/v1 NetworkPolicy"],
    "a range of one port": port(port=80, endPort=80),
    "all ports of a protocol": port(protocol="SCTP"),
    "IPv6": block("fd00:192:168::/48", "fd00:192:168:3::/64", "fd00:192:168:4::/64"),
    "one address left out": block("0.0.0.0/0", "10.0.0.1/32"),
    "both types": policy(policyTypes=["Egress", "Ingress"]),
    "one type twice": policy(policyTypes=["Egress", "Egress"]),
}


@pytest.mark.parametrize("obj", RIGHT.values(), ids=RIGHT)
def test_what_is_right(obj):
    assert findings(NETWORK_POLICY, obj) == []


def test_all_that_is_wrong_is_told_at_once():
    obj = policy(ingress=[{"ports": [{"port": 0}], "from": [{}]}], egress=[{"to": [{"ipBlock": {"cidr": "x"}}]}], policyTypes=["x"])
    assert [text.partition(":")[0] for text in findings(NETWORK_POLICY, obj)] == [
        "spec.ingress[0].ports[0].port",
        "spec.ingress[0].from[0]",
        "spec.egress[0].to[0].ipBlock.cidr",
        "spec.policyTypes[0]",
    ]


@pytest.mark.parametrize(
    ("spec", "expected"),
    [
        ({}, ["Ingress"]),
        ({"policyTypes": []}, ["Ingress"]),
        ({"ingress": [{}]}, ["Ingress"]),
        ({"egress": [{}]}, ["Ingress", "Egress"]),
        ({"egress": [], "ingress": [{}]}, ["Ingress"]),
        ({"egress": [{}], "policyTypes": ["Egress"]}, ["Egress"]),
    ],
)
def test_what_a_policy_is_about_follows_from_its_rules(spec, expected):
    assert created(NETWORK_POLICY, policy(**spec))["spec"]["policyTypes"] == expected


def test_ports_are_those_of_tcp_unless_they_say():
    assert created(NETWORK_POLICY, port(port=80))["spec"]["ingress"][0]["ports"] == [{"protocol": "TCP", "port": 80}]


@pytest.mark.parametrize(
    ("obj", "expected"),
    [
        (block("192.168.8.0/24", "192.168.8.128/25"), []),
        (
            block("192.168.1.5/24"),
            [f'{PEER}.ipBlock.cidr: CIDR value "192.168.1.5/24" is ambiguous in this context {SHOULD}'],
        ),
        (
            policy(egress=[{"to": [{"ipBlock": {"cidr": "fd00::/48", "except": ["FD00::/64"]}}]}]),
            ['spec.egress[0].to[0].ipBlock.except[0]: IPv6 CIDR value "FD00::/64" should be in RFC 5952 canonical format ("fd00::/64")'],
        ),
    ],
)
def test_networks_that_may_be_misunderstood_are_warned_of(obj, expected):
    assert warned(NETWORK_POLICY, obj) == expected


@pytest.mark.parametrize(
    ("selector", "expected"),
    [
        ({}, "<none>"),
        ({"matchLabels": {"b": "1", "a": "2"}}, "a=2,b=1"),
        (FULL["networking/v1 NetworkPolicy"]["spec"]["podSelector"], "app=web,!old,tier in (front)"),
    ],
)
def test_a_policy_in_one_line(selector, expected):
    assert tuple(row(NETWORK_POLICY, policy(podSelector=selector)).values()) == (expected, "<unknown>")
