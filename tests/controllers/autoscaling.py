"""Workloads that say how much they use, and autoscalers for them."""

from svcsim.client.api import Collection
from svcsim.meta.types import Json, Object
from tests.controllers.running import Running, deployment

SYNC_S = 15.0


def workload(name: str = "web", replicas: int = 1, *, cpu: str = "", memory: str = "", request: str = "100m", **template: Json) -> Object:
    """A deployment whose pods use so much."""
    obj = deployment(name, replicas)
    pod = obj["spec"]["template"]
    usage = {"svcsim.dev/cpu": cpu, "svcsim.dev/memory": memory}
    pod["metadata"]["annotations"] = {**{key: text for key, text in usage.items() if text}, **template}
    pod["spec"]["containers"][0]["resources"] = {"requests": {"cpu": request, "memory": "100Mi"}}
    return obj


def autoscaler(name: str = "web", *metrics: Object, least: int = 1, most: int = 10, target: str = "web", **spec: Json) -> Object:
    """An autoscaler of a deployment, by half of the requested cpu unless metrics are given."""
    return {
        "apiVersion": "autoscaling/v2",
        "kind": "HorizontalPodAutoscaler",
        "metadata": {"name": name, "namespace": "default"},
        "spec": {
            "scaleTargetRef": {"apiVersion": "apps/v1", "kind": "Deployment", "name": target},
            "minReplicas": least,
            "maxReplicas": most,
            "metrics": list(metrics) or [by_utilization(50)],
            **spec,
        },
    }


def by_utilization(percent: int, resource: str = "cpu") -> Object:
    return {"type": "Resource", "resource": {"name": resource, "target": {"type": "Utilization", "averageUtilization": percent}}}


def behavior(**directions: Object) -> Object:
    return {"behavior": directions}


def autoscalers(r: Running) -> Collection:
    return r.client.resource("autoscaling/v2", "horizontalpodautoscalers", "default")


async def size(r: Running, name: str = "web") -> int:
    """How many replicas a deployment is to have."""
    found: int = (await r.deployments.get(name))["spec"]["replicas"]
    return found


async def conditions(r: Running, name: str = "web") -> dict[str, tuple[str, str, str]]:
    """Status, reason and message of each condition."""
    status = (await autoscalers(r).get(name))["status"]
    return {one["type"]: (one["status"], one["reason"], one["message"]) for one in status.get("conditions", [])}


async def begun(r: Running, obj: Object, scaler: Object, ready_s: float = 400.0) -> None:
    """Have a workload run for so long that its pods are past their start, and then an autoscaler look at it once."""
    await r.deployments.create(obj)
    await r.rolled_out(obj["metadata"]["name"])
    await r.clock.sleep(ready_s)
    await autoscalers(r).create(scaler)
    await r.clock.sleep(SYNC_S + 1)
