"""Addresses that are told in two ways, all of them and the first by itself: whoever writes one of the two has written both."""

import pytest

from svcsim.meta.types import Object
from tests.wire.raw import Wire

TWO: list[Object] = [{"ip": "10.1.1.5"}, {"ip": "fd00::5"}]
ADDRESS = "must be a valid IP address"


@pytest.fixture
def pod(wire: Wire, ns: str) -> str:
    pods = f"/api/v1/namespaces/{ns}/pods"
    wire.create(pods, {"metadata": {"name": "p"}, "spec": {"schedulerName": "nobody", "containers": [{"name": "c", "image": "i"}]}})
    return f"{pods}/p"


def told(wire: Wire, pod: str, **status: object) -> tuple[str | None, list[Object] | None]:
    wire.patch(f"{pod}/status", {"status": status})
    stored = wire.get(pod)["status"]
    return stored.get("podIP"), stored.get("podIPs")


def test_a_pod_tells_the_same_in_both_ways(wire: Wire, pod: str) -> None:
    assert told(wire, pod, phase="Pending") == (None, None)
    assert told(wire, pod, podIP="10.1.1.1") == ("10.1.1.1", [{"ip": "10.1.1.1"}])
    assert told(wire, pod, podIP=None, podIPs=TWO) == ("10.1.1.5", TWO)
    assert told(wire, pod, podIP=None) == ("10.1.1.5", TWO), "it is still the first of them"
    assert told(wire, pod, podIPs=None) == ("10.1.1.5", [{"ip": "10.1.1.5"}])
    assert told(wire, pod, podIP="10.1.1.5", podIPs=TWO) == ("10.1.1.5", TWO)
    assert told(wire, pod, podIP="10.1.1.6") == ("10.1.1.6", [{"ip": "10.1.1.6"}]), "of the two, the single one counts"
    assert told(wire, pod, podIP=None, podIPs=None) == (None, None)


def test_a_pod_is_found_by_the_first_of_its_addresses(wire: Wire, ns: str, pod: str) -> None:
    told(wire, pod, podIPs=TWO)
    found = wire.get(f"/api/v1/namespaces/{ns}/pods", fieldSelector="status.podIP=10.1.1.5")
    assert [one["metadata"]["name"] for one in found["items"]] == ["p"]


def test_a_single_address_is_looked_at_like_those_of_a_list(wire: Wire, pod: str) -> None:
    answer = wire.ask("PATCH", f"{pod}/status", {"status": {"podIP": "here"}}, content_type="application/merge-patch+json")
    assert answer.status == 422
    assert f'status.podIPs[0]: Invalid value: "here": {ADDRESS}' in answer.message


def test_a_node_tells_the_networks_of_its_pods_in_both_ways(wire: Wire) -> None:
    def made(**spec: object) -> Object:
        name = wire.fresh("n")
        node: Object = wire.create("/api/v1/nodes", {"metadata": {"name": name}, "spec": spec})["spec"]
        wire.delete(f"/api/v1/nodes/{name}")
        return {key: node[key] for key in ("podCIDR", "podCIDRs")}

    both = {"podCIDR": "10.9.0.0/24", "podCIDRs": ["10.9.0.0/24"]}
    assert made(podCIDR="10.9.0.0/24") == made(podCIDRs=["10.9.0.0/24"]) == both
    assert made(podCIDR="10.9.0.0/24", podCIDRs=["10.8.0.0/24", "fd00::/64"]) == both, "of the two, the single one counts"
