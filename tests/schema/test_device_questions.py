"""What selectors of devices come to."""

import pytest

from svcsim.schema.cel.device_questions import AskedDevice

DEVICE = AskedDevice("gpu.example.com", {"name": "a", "attributes": {"model": {"string": "x"}}, "capacity": {"memory": {"value": "8Gi"}}})


@pytest.mark.parametrize(
    "text",
    [
        '!has(device.attributes["nix.org"].y)',
        "!has(device.attributes.nix.y)",
        "!has(device.capacity.nix.y)",
        "device.attributes.nix == {}",
        'device.capacity["nix.org"] == {}',
        'device.attributes["gpu.example.com"].model == "x"',
        'device.attributes.exists(domain, domain == "gpu.example.com")',
        'device.driver == "gpu.example.com"',
    ],
)
def test_a_domain_of_which_a_device_says_nothing_is_empty(text: str):
    assert DEVICE.fulfils(text)
