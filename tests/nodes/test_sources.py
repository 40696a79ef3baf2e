"""What pods are told of themselves."""

import pytest

from svcsim.meta.types import Object
from svcsim.nodes.streams.sources import Keys, Sources


async def nothing(_plural: str, _name: str) -> Keys:
    return {}


def sources(pod: Object) -> Sources:
    return Sources(pod, nothing, {"cpu": "8", "memory": "16Gi"})


def amount(given: dict[str, str], resource: str, divisor: str) -> str:
    container = {"name": "main", "resources": {"limits": given, "requests": given}}
    return sources({"spec": {"containers": [container]}}).amount(container, {"resource": resource, "divisor": divisor})


def test_thousandths_of_a_cpu_are_counted_exactly():
    counted = [amount({"cpu": f"{count}m"}, part, "1m") for count in range(1, 2001) for part in ("limits.cpu", "requests.cpu")]
    assert counted == [str(count) for count in range(1, 2001) for _ in range(2)]


@pytest.mark.parametrize(
    ("given", "resource", "divisor", "told"),
    [
        ({"cpu": "0.2"}, "limits.cpu", "1m", "200"),
        ({"cpu": "1001m"}, "limits.cpu", "1", "2"),
        ({"cpu": "50m"}, "limits.cpu", "0", "1"),
        ({}, "limits.cpu", "1m", "8000"),
        ({}, "requests.cpu", "1m", "0"),
        ({"memory": "64Mi"}, "limits.memory", "1Mi", "64"),
        ({"memory": "64Mi"}, "limits.memory", "1M", "68"),
        ({"memory": str(2**60 + 1)}, "limits.memory", "1", str(2**60 + 1)),
        ({"memory": str(2**60 + 1)}, "limits.memory", "1Ki", str(2**50 + 1)),
    ],
)
def test_amounts_are_rounded_up_to_whole_units(given, resource, divisor, told):
    assert amount(given, resource, divisor) == told
