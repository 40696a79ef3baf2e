"""What the slices of a service are to be, and that they come to be."""

import pytest

from svcsim import limits
from svcsim.controllers.endpoints.families import families_of
from svcsim.controllers.endpoints.mirroring import mirrored_slices
from svcsim.controllers.endpoints.ports import serving_groups
from svcsim.controllers.endpoints.slices import SlicesPlan, Surroundings, slice_metadata, slices_of_service
from svcsim.controllers.endpoints.slices import make_plan as plan_of
from svcsim.controllers.endpoints.words import endpoint_words
from svcsim.dialect import KUBERNETES
from svcsim.meta.codec import encode
from svcsim.meta.http import Request
from svcsim.meta.objects import name_of
from svcsim.meta.types import Object
from tests.controllers.running import running

LABELS = {"a": "b"}
SERVICE: Object = {
    "metadata": {"name": "web", "namespace": "default", "uid": "u"},
    "spec": {
        "selector": {"app": "web"},
        "ipFamilies": ["IPv4"],
        "ports": [{"name": "http", "port": 80, "targetPort": "web", "protocol": "TCP"}],
    },
}


def pod(number: int, *, ready: bool = True, port: int = 8080, **metadata: str) -> Object:
    return {
        "metadata": {"name": f"p{number:04}", "namespace": "default", "uid": f"u{number}", **metadata},
        "spec": {"nodeName": "node-1", "containers": [{"ports": [{"name": "web", "containerPort": port, "protocol": "TCP"}]}]},
        "status": {
            "phase": "Running",
            "podIP": f"10.244.{number // 250}.{number % 250 + 1}",
            "conditions": [{"type": "Ready", "status": "True" if ready else "False"}],
        },
    }


def make_plan(service: Object, pods: list[Object], present: list[Object], labels: dict[str, str], changed: str = "then") -> SlicesPlan:
    serving = {family: serving_groups(service, pods, family) for family in families_of(service)}
    metadata = slice_metadata(service, "v1", "Service", labels, {"changed": changed})
    return plan_of(slices_of_service(service, serving, metadata, Surroundings({}, ())), present, trigger_key="changed")


def stored(slices: list[Object]) -> list[Object]:
    return [{**item, "metadata": {**item["metadata"], "name": f"web-{number}"}} for number, item in enumerate(slices)]


def test_a_slice_tells_how_each_pod_is() -> None:
    pods = [pod(1), pod(2, ready=False), pod(3, deletionTimestamp="2026-01-01T00:00:00Z")]
    (made,) = make_plan(SERVICE, pods, [], LABELS).create
    assert made["ports"] == [{"name": "http", "port": 8080, "protocol": "TCP"}]
    assert [endpoint["conditions"] for endpoint in made["endpoints"]] == [
        {"ready": True, "serving": True, "terminating": False},
        {"ready": False, "serving": False, "terminating": False},
        {"ready": False, "serving": True, "terminating": True},
    ]
    assert made["metadata"]["ownerReferences"][0]["name"] == "web"


def test_what_is_published_though_not_ready_is_ready_and_serves_if_its_pod_does() -> None:
    pods = [pod(1), pod(2, ready=False), pod(3, deletionTimestamp="2026-01-01T00:00:00Z")]
    (made,) = make_plan({**SERVICE, "spec": {**SERVICE["spec"], "publishNotReadyAddresses": True}}, pods, [], LABELS).create
    assert [endpoint["conditions"] for endpoint in made["endpoints"]] == [
        {"ready": True, "serving": True, "terminating": False},
        {"ready": True, "serving": False, "terminating": False},
        {"ready": True, "serving": True, "terminating": True},
    ]


def test_an_old_service_has_the_family_of_its_address_or_all_where_it_has_none() -> None:
    def types(**spec: str) -> list[str]:
        of_old = {name: value for name, value in SERVICE["spec"].items() if name != "ipFamilies"}
        return [item["addressType"] for item in make_plan({**SERVICE, "spec": {**of_old, **spec}}, [pod(1)], [], LABELS).create]

    assert types(clusterIP="10.96.0.9") == ["IPv4"]
    assert types(clusterIP="fd00::9") == ["IPv6"]
    assert types(clusterIP="None") == ["IPv4", "IPv6"]


def test_many_pods_are_told_in_several_slices() -> None:
    count = 2 * limits.SLICE_ENDPOINTS + 1
    made = make_plan(SERVICE, [pod(number) for number in range(count)], [], LABELS).create
    assert [len(item["endpoints"]) for item in made] == [limits.SLICE_ENDPOINTS, limits.SLICE_ENDPOINTS, 1]


def test_each_family_has_as_many_slices_as_it_needs() -> None:
    def of_two(number: int) -> Object:
        made = pod(number)
        first = made["status"]["podIP"]
        return {**made, "status": {**made["status"], "podIPs": [{"ip": first}, {"ip": f"fd00:9::{number + 1:x}"}]}}

    one, more = pod(0), [of_two(number) for number in range(1, limits.SLICE_ENDPOINTS + 1)]
    service = {**SERVICE, "spec": {**SERVICE["spec"], "ipFamilies": ["IPv6", "IPv4"]}}
    made = make_plan(service, [one, *more], [], LABELS).create
    assert [(item["addressType"], len(item["endpoints"])) for item in made] == [
        ("IPv6", limits.SLICE_ENDPOINTS),
        ("IPv4", limits.SLICE_ENDPOINTS),
        ("IPv4", 1),
    ]


def test_pods_that_serve_at_other_ports_have_slices_of_their_own() -> None:
    made = make_plan(SERVICE, [pod(1), pod(2, port=9090)], [], LABELS).create
    assert [item["ports"][0]["port"] for item in made] == [8080, 9090]


def test_what_is_right_already_is_left_alone() -> None:
    pods = [pod(1), pod(2)]
    present = stored(make_plan(SERVICE, pods, [], LABELS).create)
    assert make_plan(SERVICE, pods, present, LABELS, changed="later") == ([], [], [])


def test_slices_are_kept_while_they_are_needed_and_then_go() -> None:
    present = stored(make_plan(SERVICE, [pod(1), pod(2, port=9090)], [], LABELS).create)
    plan = make_plan(SERVICE, [pod(1), pod(3)], present, LABELS)
    assert plan.create == []
    assert [(name_of(item), len(item["endpoints"])) for item in plan.update] == [("web-0", 2)]
    assert [name_of(item) for item in plan.delete] == ["web-1"]


def test_a_service_that_leads_nowhere_has_one_empty_slice() -> None:
    (made,) = make_plan(SERVICE, [], [], LABELS).create
    assert (made["endpoints"], made["ports"]) == ([], [])
    (empty,) = stored([{**made, "endpoints": None, "ports": None}])
    assert make_plan(SERVICE, [], [empty], LABELS) == ([], [], [])
    plan = make_plan(SERVICE, [pod(1)], [empty], LABELS, changed="later")
    assert [(name_of(item), len(item["endpoints"]), item["ports"][0]["port"]) for item in plan.update] == [("web-0", 1, 8080)]
    assert (plan.create, plan.delete) == ([], [])
    assert plan.update[0]["metadata"]["annotations"] == {"changed": "later"}


def test_the_last_slices_become_one_empty_one() -> None:
    present = stored(make_plan(SERVICE, [pod(1), pod(2, port=9090)], [], LABELS).create)
    plan = make_plan(SERVICE, [], present, LABELS)
    assert [(name_of(item), item["endpoints"], item["ports"]) for item in plan.update] == [("web-0", [], [])]
    assert [name_of(item) for item in plan.delete] == ["web-1"]


def test_endpoints_written_by_hand_are_mirrored_by_type_of_address_and_ports() -> None:
    words = endpoint_words(KUBERNETES)
    endpoints: Object = {
        "metadata": {
            "name": "outside", "namespace": "default", "uid": "u", "labels": {"a": "b"},
            "annotations": {"kept": "yes", words.last_applied: "x", words.trigger_time: "y"},
        },
        "subsets": [
            {
                "addresses": [{"ip": "192.0.2.1", "nodeName": "node-1"}, {"ip": "2001:db8::1"}],
                "notReadyAddresses": [{"ip": "192.0.2.2"}],
                "ports": [{"name": "db", "port": 5432, "protocol": "TCP"}],
            },
            {"addresses": [{"ip": "192.0.2.9"}]},
        ],
    }  # fmt: skip
    four, six, bare = mirrored_slices(endpoints, words)
    assert (four["addressType"], six["addressType"], bare["addressType"]) == ("IPv4", "IPv6", "IPv4")
    assert four["endpoints"] == [
        {"addresses": ["192.0.2.1"], "conditions": {"ready": True}, "nodeName": "node-1"},
        {"addresses": ["192.0.2.2"], "conditions": {"ready": False}},
    ]
    assert four["ports"] == [{"name": "db", "port": 5432, "protocol": "TCP"}]
    assert bare["ports"] == []
    assert four["metadata"]["annotations"] == {"kept": "yes"}
    assert four["metadata"]["labels"] == {
        "a": "b",
        "endpointslice.kubernetes.io/managed-by": "endpointslicemirroring-controller.k8s.io",
        "kubernetes.io/service-name": "outside",
    }


@pytest.mark.virtual_time
async def test_a_service_of_a_running_application_has_its_slices() -> None:
    async with running() as r:
        slices = r.client.resource(f"{r.client.dialect.group('discovery')}/v1", "endpointslices", "default")
        services = r.client.resource("v1", "services", "default")
        pods = r.client.resource("v1", "pods", "default")
        await services.create({"metadata": {"name": "web"}, "spec": {"selector": {"app": "web"}, "ports": [{"port": 80}]}})
        container = {"name": "main", "image": "nginx"}
        await pods.create({"metadata": {"name": "a", "labels": {"app": "web"}}, "spec": {"containers": [container]}})

        def ready(items: list[Object]) -> list[bool]:
            mine = [item for item in items if name_of(item).startswith("web-")]
            return [endpoint["conditions"]["ready"] for item in mine for endpoint in item.get("endpoints") or ()]

        await r.until(lambda items: ready(items) == [True], slices)
        (made,) = [item for item in await slices.list_all() if name_of(item).startswith("web-")]
        assert made["metadata"]["labels"]["endpointslice.kubernetes.io/managed-by"] == "endpointslice-controller.k8s.io"
        changed = made["metadata"]["annotations"]["endpoints.kubernetes.io/last-change-trigger-time"]
        (running_pod,) = await pods.list_all()
        assert changed == next(item["lastTransitionTime"] for item in running_pod["status"]["conditions"] if item["type"] == "Ready")
        endpoints = r.client.resource("v1", "endpoints", "default")
        written = made["metadata"]["annotations"]
        await r.until(lambda items: any(item["metadata"].get("annotations") == written for item in items), endpoints)
        await services.delete("web")
        await r.until(lambda items: not any(name_of(item).startswith("web-") for item in items), slices)


@pytest.mark.virtual_time
async def test_a_service_whose_selector_matches_nothing_has_one_empty_slice() -> None:
    async with running() as r:
        slices = r.client.resource("discovery.k8s.io/v1", "endpointslices", "default")
        services = r.client.resource("v1", "services", "default")
        await services.create({"metadata": {"name": "web"}, "spec": {"selector": {"app": "web"}, "ports": [{"port": 80}]}})

        def mine(items: list[Object]) -> list[Object]:
            return [item for item in items if name_of(item).startswith("web-")]

        (empty,) = mine(await r.until(lambda items: len(mine(items)) == 1, slices))
        assert empty["endpoints"] is None
        assert empty["ports"] is None
        container = {"name": "main", "image": "nginx"}
        await r.pods.create({"metadata": {"name": "a", "labels": {"app": "web"}}, "spec": {"containers": [container]}})
        (full,) = mine(await r.until(lambda items: any(item["endpoints"] for item in mine(items)), slices))
        assert name_of(full) == name_of(empty)
        await r.pods.delete("a")
        (left,) = mine(await r.until(lambda items: not any(item["endpoints"] for item in mine(items)), slices))
        assert (name_of(left), left["endpoints"], left["ports"]) == (name_of(empty), None, None)


@pytest.mark.virtual_time
async def test_a_slice_is_served_with_null_for_what_it_has_none_of() -> None:
    async with running() as r:
        slices = r.client.resource("discovery.k8s.io/v1", "endpointslices", "default")
        made = await slices.create({"metadata": {"name": "bare"}, "addressType": "IPv4", "endpoints": [], "ports": [{"port": 80}]})
        assert made["endpoints"] is None
        updated = await slices.update({**made, "ports": None, "endpoints": [{"addresses": ["192.0.2.1"]}]})
        assert updated["ports"] is None
        assert updated["endpoints"][0]["addresses"] == ["192.0.2.1"]
        assert (await slices.patch("bare", {"endpoints": None}))["endpoints"] is None
        applied = encode({"apiVersion": "discovery.k8s.io/v1", "kind": "EndpointSlice", "addressType": "IPv4"})
        path = "/apis/discovery.k8s.io/v1/namespaces/default/endpointslices/applied"
        headers = {"content-type": "application/apply-patch+yaml", "accept": "application/json"}
        answer = await r.client.transport.send(Request("PATCH", path, "fieldManager=someone", headers, applied))
        assert answer.status == 201
        assert b'"endpoints":null,"ports":null' in answer.body
        binary = await r.client.transport.send(Request("GET", path, headers={"accept": "application/vnd.kubernetes.protobuf"}))
        assert (binary.status, binary.body[:3]) == (200, b"k8s")


@pytest.mark.virtual_time
async def test_endpoints_written_by_hand_are_mirrored_as_long_as_the_service_has_no_selector() -> None:
    async with running() as r:
        slices = r.client.resource("discovery.k8s.io/v1", "endpointslices", "default")
        services, endpoints = (r.client.resource("v1", plural, "default") for plural in ("services", "endpoints"))

        def mine(items: list[Object]) -> list[Object]:
            return [item for item in items if item["metadata"]["labels"].get("kubernetes.io/service-name") == "outside"]

        def addresses(items: list[Object]) -> list[str]:
            return [address for item in mine(items) for endpoint in item["endpoints"] or () for address in endpoint["addresses"]]

        given = [{"addresses": [{"ip": "192.0.2.1"}], "ports": [{"port": 80, "protocol": "TCP"}]}]
        await endpoints.create({"apiVersion": "v1", "kind": "Endpoints", "metadata": {"name": "outside"}, "subsets": given})
        await r.clock.sleep(10)
        assert mine(await slices.list_all()) == []
        await services.create({"metadata": {"name": "outside"}, "spec": {"ports": [{"port": 80}]}})
        (made,) = mine(await r.until(lambda items: addresses(items) == ["192.0.2.1"], slices))
        assert made["metadata"]["ownerReferences"][0]["kind"] == "Endpoints"
        await endpoints.patch("outside", {"subsets": [{**given[0], "addresses": [{"ip": "192.0.2.2"}]}]})
        await r.until(lambda items: addresses(items) == ["192.0.2.2"], slices)

        def notes(items: list[Object]) -> Object:
            found: Object = next(iter(mine(items)))["metadata"].get("annotations") or {}
            return found

        await endpoints.patch("outside", {"metadata": {"annotations": {"note": "kept", "other": "goes"}}})
        await r.until(lambda items: notes(items) == {"note": "kept", "other": "goes"}, slices)
        await endpoints.patch("outside", {"metadata": {"annotations": {"other": None}}})
        await r.until(lambda items: notes(items) == {"note": "kept"}, slices)
        await endpoints.patch("outside", {"metadata": {"labels": {"endpointslice.kubernetes.io/skip-mirror": "true"}}})
        await r.until(lambda items: mine(items) == [], slices)
        await endpoints.patch("outside", {"metadata": {"labels": {"endpointslice.kubernetes.io/skip-mirror": None}}})
        await r.until(lambda items: len(mine(items)) == 1, slices)
        await endpoints.delete("outside")
        await r.until(lambda items: mine(items) == [], slices)
        whole = await slices.list_all()
        assert [name_of(item) for item in whole] == ["kubernetes"]


@pytest.mark.virtual_time
async def test_of_a_crowd_written_by_hand_a_thousand_are_mirrored_and_that_is_told() -> None:
    async with running(nodes=0) as r:
        slices = r.client.resource("discovery.k8s.io/v1", "endpointslices", "default")
        services, endpoints = (r.client.resource("v1", plural, "default") for plural in ("services", "endpoints"))
        await services.create({"metadata": {"name": "outside"}, "spec": {"ports": [{"port": 80}]}})
        ips = [{"ip": f"192.0.{number // 250}.{number % 250 + 1}"} for number in range(1_010)]
        subset = {"addresses": ips[:995], "notReadyAddresses": ips[995:], "ports": [{"port": 80, "protocol": "TCP"}]}
        await endpoints.create({"apiVersion": "v1", "kind": "Endpoints", "metadata": {"name": "outside"}, "subsets": [subset]})
        await r.clock.sleep(10)
        (made,) = [item for item in await slices.list_all() if item["metadata"]["labels"].get("kubernetes.io/service-name") == "outside"]
        ready = [endpoint["conditions"]["ready"] for endpoint in made["endpoints"]]
        assert (len(ready), sum(ready)) == (1_000, 995)
        told = "A max of 1000 addresses can be mirrored to EndpointSlices per Endpoints subset. 10 addresses were skipped"
        assert dict.fromkeys(await r.events_of("outside")) == {("TooManyAddressesToMirror", told): None}
