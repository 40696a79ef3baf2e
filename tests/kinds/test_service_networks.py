"""ServiceCIDR and IPAddress: what is wrong with one, what may change, and how it looks in a table."""

import pytest

from svcsim.kinds.networking.ip_address import IP_ADDRESS
from svcsim.kinds.networking.service_cidr import SERVICE_CIDR
from tests.kinds.helpers import change_findings, created, findings, row
from tests.kinds.samples.networking import NEWER

BAD = "must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)"
ZEROS = "must not have leading 0s in IP or prefix length"
ONE_EACH = "may specify no more than one IP for each IP family, i.e 192.168.0.0/24 and 2001:db8::/64"
IMMUTABLE = "field is immutable"
V4, V6 = "10.1.0.0/16", "2001:db8::/64"


def networks(*cidrs):
    return {"spec": {"cidrs": list(cidrs)}}


WRONG = {
    "nothing": ({}, "spec.cidrs: Required value: at least one CIDR required"),
    "no network": (networks(), "spec.cidrs: Required value: at least one CIDR required"),
    "three networks": (
        networks(V4, V6, "10.2.0.0/16"),
        f'spec.cidrs: Invalid value: {{"CIDRs":["{V4}","{V6}","10.2.0.0/16"]}}: may only hold up to 2 values',
    ),
    "two of one family": (networks(V4, "10.2.0.0/16"), f'spec.cidrs: Invalid value: ["{V4}","10.2.0.0/16"]: {ONE_EACH}'),
    "two of the other": (networks(V6, "fd00::/64"), f'spec.cidrs: Invalid value: ["{V6}","fd00::/64"]: {ONE_EACH}'),
    "no CIDR": (networks("MadeUp"), f'spec.cidrs[0]: Invalid value: "MadeUp": {BAD}'),
    "an empty one": (networks(""), f'spec.cidrs[0]: Invalid value: "": {BAD}'),
    "an address": (networks("10.1.0.0"), f'spec.cidrs[0]: Invalid value: "10.1.0.0": {BAD}'),
    "a mask": (networks("10.1.0.0/255.255.0.0"), f'spec.cidrs[0]: Invalid value: "10.1.0.0/255.255.0.0": {BAD}'),
    "a length that is too large": (networks("10.1.0.0/33"), f'spec.cidrs[0]: Invalid value: "10.1.0.0/33": {BAD}'),
    "a second one that is none": (networks(V4, "MadeUp"), f'spec.cidrs[1]: Invalid value: "MadeUp": {BAD}'),
    "zeros in the address": (networks("010.001.0.0/16"), f'spec.cidrs[0]: Invalid value: "010.001.0.0/16": {ZEROS}'),
    "zeros in the length": (networks("10.1.0.0/016"), f'spec.cidrs[0]: Invalid value: "10.1.0.0/016": {ZEROS}'),
    "IPv4 in IPv6": (
        networks("::ffff:10.1.0.0/112"),
        'spec.cidrs[0]: Invalid value: "::ffff:10.1.0.0/112": must not have an IPv4-mapped IPv6 address',
    ),
    "bits beyond the length": (
        networks("10.1.2.3/16"),
        'spec.cidrs[0]: Invalid value: "10.1.2.3/16": must not have bits set after the prefix length',
    ),
    "capitals": (networks("2001:DB8::/64"), 'spec.cidrs[0]: Invalid value: "2001:DB8::/64": must be in canonical form ("2001:db8::/64")'),
    "zeros in IPv6": (
        networks("2001:db8:0:0::/64"),
        'spec.cidrs[0]: Invalid value: "2001:db8:0:0::/64": must be in canonical form ("2001:db8::/64")',
    ),
}


@pytest.mark.parametrize(("obj", "expected"), WRONG.values(), ids=WRONG)
def test_what_is_wrong_with_a_service_cidr(obj, expected):
    assert findings(SERVICE_CIDR, obj) == [expected]


@pytest.mark.parametrize("obj", [networks(V4), networks(V6), networks(V4, V6), networks(V6, V4), NEWER["networking/v1 ServiceCIDR"]])
def test_what_is_right_with_a_service_cidr(obj):
    assert findings(SERVICE_CIDR, obj) == []


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        (networks(V4), networks(V4), []),
        (networks(V4), networks(V4, V6), []),
        (networks(V6), networks(V6, V4), []),
        (networks(V4), networks("10.2.0.0/16"), [f'spec.cidrs[0]: Invalid value: "10.2.0.0/16": {IMMUTABLE}']),
        (networks(V4, V6), networks(V4), [f'spec.cidrs: Invalid value: ["{V4}"]: {IMMUTABLE}']),
        (networks(V4), networks(), [f"spec.cidrs: Invalid value: []: {IMMUTABLE}"]),
        (networks(V4), networks(V6, V4), [f'spec.cidrs[0]: Invalid value: "{V6}": {IMMUTABLE}']),
        (networks(V4, V6), networks(V6, V4), [f'spec.cidrs[{n}]: Invalid value: "{text}": {IMMUTABLE}' for n, text in enumerate((V6, V4))]),
        (networks(V4), networks(V4, "10.2.0.0/16"), [f'spec.cidrs: Invalid value: ["{V4}","10.2.0.0/16"]: {ONE_EACH}']),
        (networks(V4), networks(V4, "x"), [f'spec.cidrs[1]: Invalid value: "x": {BAD}']),
        (networks(V4), networks(V4, V6, V6), [f'spec.cidrs: Invalid value: ["{V4}","{V6}","{V6}"]: {IMMUTABLE}']),
    ],
)
def test_networks_stay_and_one_may_be_added(before, after, expected):
    assert change_findings(SERVICE_CIDR, before, after) == expected


def test_a_service_cidr_in_one_line():
    assert tuple(row(SERVICE_CIDR, networks(V4, V6)).values()) == (f"{V4},{V6}", "<unknown>")
    assert created(SERVICE_CIDR, networks(V4))["status"] == {}


# IPAddress


def address(**parent):
    return {"spec": {"parentRef": {"resource": "services", "name": "web", "namespace": "default", **parent}}}


PARENT = "spec.parentRef"
WRONG_PARENTS = {
    "none": ({}, f"{PARENT}: Required value"),
    "a bad group": (address(group="foo.$"), f'{PARENT}.group: Invalid value: "foo.$": a lowercase RFC 1123 subdomain must consist of'),
    "no resource": (address(resource=""), f"{PARENT}.resource: Required value"),
    "a bad resource": (address(resource="foo/bar"), f"{PARENT}.resource: Invalid value: \"foo/bar\": may not contain '/'"),
    "no name": (address(name=""), f"{PARENT}.name: Required value"),
    "a bad name": (address(name="a/b"), f"{PARENT}.name: Invalid value: \"a/b\": may not contain '/'"),
    "a bad namespace": (address(namespace="foo/bar"), f"{PARENT}.namespace: Invalid value: \"foo/bar\": may not contain '/'"),
}


@pytest.mark.parametrize(("obj", "expected"), WRONG_PARENTS.values(), ids=WRONG_PARENTS)
def test_what_is_wrong_with_whom_an_address_belongs_to(obj, expected):
    (found,) = findings(IP_ADDRESS, obj)
    assert found.startswith(expected)


WRONG_NAMES = {
    "no address": ("test-name", "must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)"),
    "part of an address": ("10.0.0", "must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)"),
    "an address with a zone": ("fe80::1%a", "must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)"),
    "an address with zeros": ("010.0.0.1", "must not have leading 0s"),
    "IPv4 in IPv6": ("::ffff:10.0.0.1", "must not be an IPv4-mapped IPv6 address"),
    "capitals": ("FD00::1", 'must be in canonical form ("fd00::1")'),
    "an address written out": ("fd00:0:0:0:0:0:0:1", 'must be in canonical form ("fd00::1")'),
}


@pytest.mark.parametrize(("name", "expected"), WRONG_NAMES.values(), ids=WRONG_NAMES)
def test_the_name_of_an_address_is_the_address_in_its_one_form(name, expected):
    assert IP_ADDRESS.name_rule(name) == [expected]


@pytest.mark.parametrize("name", ["10.0.0.1", "fd00::1", "::1", "2001:db8::1"])
def test_what_is_right_with_a_name(name):
    assert IP_ADDRESS.name_rule(name) == []


def test_an_address_stays_whose_it_is():
    assert change_findings(IP_ADDRESS, address(), address()) == []
    assert change_findings(IP_ADDRESS, address(), address(name="other")) == [
        f'{PARENT}: Invalid value: {{"resource":"services","namespace":"default","name":"other"}}: field is immutable'
    ]


@pytest.mark.parametrize(
    ("obj", "expected"),
    [
        (address(), "services/default/web"),
        (address(namespace=""), "services/web"),
        (address(group="example.com"), "services.example.com/default/web"),
    ],
)
def test_an_address_in_one_line(obj, expected):
    assert tuple(row(IP_ADDRESS, obj).values()) == (expected, "<unknown>")
