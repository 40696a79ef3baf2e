"""How a service's pods become addresses and ports."""

from svcsim.controllers.endpoints import subsets as found
from svcsim.controllers.endpoints.ports import serving_groups
from svcsim.meta.types import Object


def service(ports: list[Object] | None = None, **spec: object) -> Object:
    return {"metadata": {"name": "web"}, "spec": {"ports": [{"port": 80}] if ports is None else ports, **spec}}


def pod(name: str, ip: str, *, ready: bool = True, phase: str = "Running", ports: list[Object] | None = None, **more: Object) -> Object:
    return {
        "metadata": {"name": name, "namespace": "default", "uid": name, **more.get("metadata", {})},
        "spec": {"nodeName": "node-1", "containers": [{"ports": ports or []}], **more.get("spec", {})},
        "status": {"podIP": ip, "phase": phase, "conditions": [{"type": "Ready", "status": "True" if ready else "False"}]},
    }


def make_subsets(service: Object, pods: list[Object], family: str = "IPv4") -> list[Object]:
    return found.make_subsets(service, serving_groups(service, pods, family))


def ips(subsets: list[Object], field: str = "addresses") -> list[str]:
    return [address["ip"] for subset in subsets for address in subset.get(field, [])]


def test_ready_and_not_ready_pods_are_kept_apart_in_order_of_address():
    subsets = make_subsets(service(), [pod("b", "10.0.0.2"), pod("a", "10.0.0.1"), pod("c", "10.0.0.3", ready=False)])
    assert ips(subsets) == ["10.0.0.1", "10.0.0.2"]
    assert ips(subsets, "notReadyAddresses") == ["10.0.0.3"]
    assert subsets[0]["ports"] == [{"port": 80, "protocol": "TCP"}]


def test_pods_without_an_address_or_at_their_end_are_left_out():
    leaving = {"metadata": {"deletionTimestamp": "2026-01-01T00:00:00Z"}}
    pods = [pod("a", ""), pod("b", "10.0.0.1", phase="Succeeded"), pod("c", "10.0.0.2", **leaving)]
    assert make_subsets(service(), pods) == []
    regardless = make_subsets(service(publishNotReadyAddresses=True), [*pods, pod("d", "10.0.0.3", ready=False)])
    assert ips(regardless) == ["10.0.0.2", "10.0.0.3"]


def test_named_target_ports_are_each_pod_s_own():
    ports = [{"name": "http", "port": 80, "targetPort": "web"}]
    one = pod("a", "10.0.0.1", ports=[{"name": "web", "containerPort": 8080}])
    two = pod("b", "10.0.0.2", ports=[{"name": "web", "containerPort": 9090}])
    without = pod("c", "10.0.0.3")
    subsets = make_subsets(service(ports), [one, two, without])
    assert [(subset["ports"][0]["port"], subset["addresses"][0]["ip"]) for subset in subsets] == [(8080, "10.0.0.1"), (9090, "10.0.0.2")]


def test_a_service_without_ports_has_addresses_all_the_same():
    assert make_subsets(service([]), [pod("a", "10.0.0.1")]) == [
        {
            "addresses": [
                {"ip": "10.0.0.1", "nodeName": "node-1", "targetRef": {"kind": "Pod", "namespace": "default", "name": "a", "uid": "a"}}
            ]
        }
    ]


def crowd(first: int, count: int, port: int, *, ready: bool = True) -> list[Object]:
    named = [{"name": "web", "containerPort": port}]
    numbers = range(first, first + count)
    return [pod(f"p{number}", f"10.1.{number // 250}.{number % 250 + 1}", ready=ready, ports=named) for number in numbers]


def sizes(pods: list[Object]) -> list[tuple[int, int]]:
    """How many addresses each subset has, ready and not ready."""
    subsets = found.truncated(make_subsets(service([{"port": 80, "targetPort": "web"}]), pods))
    return [(len(subset.get("addresses", ())), len(subset.get("notReadyAddresses", ()))) for subset in subsets]


def test_of_very_many_addresses_each_subset_keeps_its_share_and_what_is_ready_goes_first():
    assert sizes(crowd(0, 600, 80) + crowd(600, 400, 81)) == [(600, 0), (400, 0)]
    assert sizes(crowd(0, 900, 80) + crowd(900, 300, 81)) == [(750, 0), (250, 0)]
    assert sizes(crowd(0, 900, 80) + crowd(900, 300, 81) + crowd(1200, 50, 80, ready=False)) == [(750, 0), (250, 0)]
    assert sizes(crowd(0, 700, 80) + crowd(700, 400, 80, ready=False) + crowd(1100, 200, 81, ready=False)) == [(700, 200), (0, 100)]
    assert sizes(crowd(0, 1000, 80) + crowd(1000, 5, 81, ready=False)) == [(1000, 0)], "a subset without addresses isn't one"


def test_a_pod_of_a_headless_service_is_known_by_its_host_name():
    named = {"spec": {"hostname": "web-0", "subdomain": "web"}}
    assert make_subsets(service(), [pod("a", "10.0.0.1", **named)])[0]["addresses"][0]["hostname"] == "web-0"
