"""Expressions that select devices, and what drivers may tell of networks."""

import pytest

from svcsim.kinds.resource.device_class import DEVICE_CLASS
from svcsim.kinds.resource.resource_claim import RESOURCE_CLAIM
from tests.kinds.helpers import findings, status_findings

PATH = "spec.selectors[0].cel.expression"
MODEL = 'device.attributes["gpu.example.com"].model'
LOOPS = "device.attributes.all(a, device.attributes.all(b, device.attributes.all(c, {}))) "


def selected(expression):
    return findings(DEVICE_CLASS, {"spec": {"selectors": [{"cel": {"expression": expression}}]}})


@pytest.mark.parametrize(
    "expression",
    [
        "true",
        'device.driver == "gpu.example.com"',
        f'{MODEL} == "a"',
        f'{MODEL}.startsWith("a") && device.driver == "x"',
        f'"model" in device.attributes["gpu.example.com"] && {MODEL} == "a"',
        'device.capacity["gpu.example.com"].memory.compareTo(quantity("10Gi")) >= 0',
        'device.attributes["gpu.example.com"].version.isGreaterThan(semver("1.0.0"))',
        "device.allowMultipleAllocations",
        f"cel.bind(m, {MODEL}, m == 1)",
        MODEL,
        'device.attributes[?"gpu.example.com"].?model.orValue("") == "a"',
        "has(device.driver)",
        LOOPS.format("a == b"),
        '"device.odd" != device.driver',
        'device.attributes.exists(domain, values, domain == device.driver && "model" in values) && 1 < 1.5',
    ],
)
def test_what_may_select_devices(expression):
    assert selected(expression) == []


@pytest.mark.parametrize(
    ("expression", "told"),
    [
        ("device.driver", 'Invalid value: "device.driver": must evaluate to bool or the unknown type, not string'),
        ("1", 'Invalid value: "1": must evaluate to bool or the unknown type, not int'),
        ("noSuch()", 'Invalid value: "noSuch()": compilation failed: ERROR: <input>:1:7: undeclared reference'),
        ("device.odd == 1", "Invalid value: \"device.odd == 1\": compilation failed: ERROR: <input>:1:7: undefined field 'odd'"),
        ("device.driver == 1", 'Invalid value: "device.driver == 1": compilation failed: ERROR: <input>:1:15: found no matching overload'),
        ("device.attributes == 1", 'Invalid value: "device.attributes == 1": compilation failed: ERROR: <input>:1:19: found no matching'),
        ("device.driver.name == 1", "Invalid value: \"device.driver.name == 1\": compilation failed: ERROR: <input>:1:14: type 'string'"),
        (f"[{','.join('1' * 5_000)}]", f'Invalid value: "[{",".join("1" * 5_000)}]": compilation failed: expression has 10001 words and'),
        ("true &&", 'Invalid value: "true &&": compilation failed: ERROR: <input>:1:8: Syntax error'),
        (LOOPS.format("device.attributes.all(d, true)"), "Forbidden: too complex, exceeds cost limit"),
        (" " * 10241, "Too long: may not be more than 10240 bytes"),
    ],
)
def test_what_may_not_select_devices(expression, told):
    (found,) = selected(expression)
    assert found.startswith(f"{PATH}: {told}")


DEVICE = {"driver": "d.example.com", "pool": "p", "device": "a"}
WHERE = "status.devices[0].networkData"
CIDR = "must be a valid address in CIDR form, (e.g. 10.9.8.7/24 or 2001:db8::1/64)"


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        ({"interfaceName": "e" * 256, "hardwareAddress": "0" * 128, "ips": ["10.9.8.7/24", "2001:db8::1/64"]}, []),
        ({"interfaceName": "e" * 257}, ["interfaceName: Too long: may not be more than 256 bytes"]),
        ({"hardwareAddress": "0" * 129}, ["hardwareAddress: Too long: may not be more than 128 bytes"]),
        ({"ips": ["10.9.8.7"]}, [f'ips[0]: Invalid value: "10.9.8.7": {CIDR}']),
        ({"ips": ["10.9.8.7/33"]}, [f'ips[0]: Invalid value: "10.9.8.7/33": {CIDR}']),
        (
            {"ips": ["10.9.8.7/24", "2001:0db8::1/64"]},
            ['ips[1]: Invalid value: "2001:0db8::1/64": must be in canonical form ("2001:db8::1/64")'],
        ),
        ({"ips": ["::ffff:10.9.8.7/120"]}, ['ips[0]: Invalid value: "::ffff:10.9.8.7/120": must be in canonical form ("10.9.8.7/24")']),
        ({"ips": ["10.9.8.7/24", "10.9.8.7/24"]}, ['ips[1]: Duplicate value: "10.9.8.7/24"']),
    ],
)
def test_what_a_driver_tells_of_an_interface(data, expected):
    given = {"devices": {"results": [{"request": "r", **DEVICE}]}}
    spec = {"devices": {"requests": [{"name": "r", "exactly": {"deviceClassName": "c"}}]}}
    claim = {"metadata": {"name": "c"}, "spec": spec, "status": {"allocation": given}}
    told = {**claim, "status": {"allocation": given, "devices": [{**DEVICE, "networkData": data}]}}
    assert status_findings(RESOURCE_CLAIM, claim, told) == [f"{WHERE}.{text}" for text in expected]
