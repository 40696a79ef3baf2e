"""What the slices of a service are to be, and that they come to be."""

import pytest

from svcsim import limits
from svcsim.controllers.endpoints.slices import make_plan
from svcsim.meta.objects import name_of
from svcsim.meta.types import Object
from tests.controllers.running import running

LABELS = {"a": "b"}
SERVICE: Object = {
    "metadata": {"name": "web", "namespace": "default", "uid": "u"},
    "spec": {"selector": {"app": "web"}, "ports": [{"name": "http", "port": 80, "targetPort": "web", "protocol": "TCP"}]},
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


def test_many_pods_are_told_in_several_slices() -> None:
    count = 2 * limits.SLICE_ENDPOINTS + 1
    made = make_plan(SERVICE, [pod(number) for number in range(count)], [], LABELS).create
    assert [len(item["endpoints"]) for item in made] == [limits.SLICE_ENDPOINTS, limits.SLICE_ENDPOINTS, 1]


def test_pods_that_serve_at_other_ports_have_slices_of_their_own() -> None:
    made = make_plan(SERVICE, [pod(1), pod(2, port=9090)], [], LABELS).create
    assert [item["ports"][0]["port"] for item in made] == [8080, 9090]


def test_what_is_right_already_is_left_alone() -> None:
    pods = [pod(1), pod(2)]
    present = stored(make_plan(SERVICE, pods, [], LABELS).create)
    assert make_plan(SERVICE, pods, present, LABELS) == ([], [], [])


def test_slices_are_kept_while_they_are_needed_and_then_go() -> None:
    present = stored(make_plan(SERVICE, [pod(1), pod(2, port=9090)], [], LABELS).create)
    plan = make_plan(SERVICE, [pod(1), pod(3)], present, LABELS)
    assert plan.create == []
    assert [(name_of(item), len(item["endpoints"])) for item in plan.update] == [("web-0", 2)]
    assert [name_of(item) for item in plan.delete] == ["web-1"]


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
        await services.delete("web")
        await r.until(lambda items: not any(name_of(item).startswith("web-") for item in items), slices)
