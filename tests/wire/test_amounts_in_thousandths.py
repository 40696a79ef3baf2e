"""Amounts of resources are whole thousandths, wherever they stand: what is less is rounded up."""

from svcsim.meta.types import Object
from tests.wire.raw import Wire

FINE = {"requests": {"cpu": "100u", "memory": "500.000050m"}, "limits": {"cpu": "1500u", "memory": 1.0005}}
ROUNDED = {"requests": {"cpu": "1m", "memory": "501m"}, "limits": {"cpu": "2m", "memory": "1001m"}}


def pod_spec(**more: object) -> Object:
    return {"schedulerName": "nobody", "containers": [{"name": "c", "image": "i", "resources": FINE}], **more}


def test_of_containers_and_in_templates(wire: Wire, ns: str) -> None:
    pod = wire.create(
        f"/api/v1/namespaces/{ns}/pods",
        {
            "metadata": {"name": "p"},
            "spec": pod_spec(
                initContainers=[
                    {"name": "first", "image": "i", "resources": {"limits": {"cpu": "0.0000001"}}},
                ]
            ),
        },
    )
    assert pod["spec"]["containers"][0]["resources"] == ROUNDED
    assert pod["spec"]["initContainers"][0]["resources"] == {"limits": {"cpu": "1m"}, "requests": {"cpu": "1m"}}
    template = {"metadata": {"labels": {"a": "b"}}, "spec": pod_spec()}
    body = {"metadata": {"name": "d"}, "spec": {"replicas": 0, "selector": {"matchLabels": {"a": "b"}}, "template": template}}
    made = wire.create(f"/apis/apps/v1/namespaces/{ns}/deployments", body)
    assert made["spec"]["template"]["spec"]["containers"][0]["resources"] == ROUNDED


def test_of_quotas_limit_ranges_and_volumes(wire: Wire, ns: str) -> None:
    place = f"/api/v1/namespaces/{ns}"
    quota = wire.create(f"{place}/resourcequotas", {"metadata": {"name": "q"}, "spec": {"hard": {"cpu": "100u", "pods": "7"}}})
    assert quota["spec"]["hard"] == {"cpu": "1m", "pods": "7"}
    item = {"type": "Container", "max": {"cpu": "0.0101"}, "maxLimitRequestRatio": {"cpu": "1.00001"}}
    limits = wire.create(f"{place}/limitranges", {"metadata": {"name": "l"}, "spec": {"limits": [item]}})["spec"]["limits"][0]
    assert (limits["max"], limits["default"], limits["maxLimitRequestRatio"]) == ({"cpu": "11m"}, {"cpu": "11m"}, {"cpu": "1001m"})
    wanted = {"accessModes": ["ReadWriteOnce"], "storageClassName": "none", "resources": {"requests": {"storage": "1.00001"}}}
    claim = wire.create(f"{place}/persistentvolumeclaims", {"metadata": {"name": "c"}, "spec": wanted})
    assert claim["spec"]["resources"]["requests"] == {"storage": "1001m"}


def test_of_nodes_in_any_way_they_are_written(wire: Wire) -> None:
    name = wire.fresh("n")
    wire.create("/api/v1/nodes", {"metadata": {"name": name}})
    told = wire.patch(f"/api/v1/nodes/{name}/status", {"status": {"capacity": {"cpu": "1.0001", "memory": "1Gi"}}})["status"]
    assert told["capacity"] == told["allocatable"] == {"cpu": "1001m", "memory": "1Gi"}
    wire.delete(f"/api/v1/nodes/{name}")
