"""An autoscaler is described as kubectl describes it, in version 2 and where only version 1 is served."""

import json
import shutil

import pytest

from tests.process import SVCSIM, answered, environment, served

pytestmark = pytest.mark.skipif(not shutil.which("kubectl"), reason="kubectl is not on the PATH")


def metric(kind, target, current, **source):
    """A metric, and what is measured of it."""
    field = kind[0].lower() + kind[1:]
    return {"type": kind, field: {**source, "target": target}}, {"type": kind, field: {**source, "current": current}}


FRONT = {"apiVersion": "v1", "kind": "Service", "name": "front"}
PERCENT, AVERAGE = {"type": "Utilization", "averageUtilization": 80}, {"type": "AverageValue", "averageValue": "100Mi"}
METRICS = (
    metric("Resource", PERCENT, {"averageUtilization": 40, "averageValue": "200m"}, name="cpu"),
    metric("Resource", AVERAGE, {"averageValue": "50Mi"}, name="memory"),
    metric("ContainerResource", PERCENT, {"averageUtilization": 30, "averageValue": "100m"}, name="cpu", container="app"),
    metric("ContainerResource", AVERAGE, {"averageValue": "2Gi"}, name="memory", container="app"),
    metric("Pods", AVERAGE, {"averageValue": "8"}, metric={"name": "qps"}),
    metric("Object", {"type": "Value", "value": "5"}, {"value": "3"}, metric={"name": "hits"}, describedObject=FRONT),
    metric("Object", AVERAGE, {"value": "9", "averageValue": "2"}, metric={"name": "hits"}, describedObject=FRONT),
    metric("External", {"type": "Value", "value": "30"}, {"value": "11"}, metric={"name": "queue"}),
    metric("External", AVERAGE, {"averageValue": "12"}, metric={"name": "queue"}),
)
UP = {
    "stabilizationWindowSeconds": 10,
    "selectPolicy": "Min",
    "policies": [{"type": "Pods", "value": 4, "periodSeconds": 60}, {"type": "Percent", "value": 100, "periodSeconds": 15}],
}
DOWN = {"policies": [{"type": "Percent", "value": 100, "periodSeconds": 15}]}
STATUS = {
    "currentReplicas": 2,
    "desiredReplicas": 3,
    "currentMetrics": [current for _, current in METRICS],
    "conditions": [
        {"type": "AbleToScale", "status": "True", "reason": "ReadyForNewScale", "message": "it can be scaled"},
        {"type": "ScalingActive", "status": "False", "reason": "Off", "message": "no"},
    ],
}
WEB = {"apiVersion": "apps/v1", "kind": "Deployment", "name": "web"}


def autoscaler(version, name, **spec):
    return {
        "apiVersion": f"autoscaling/{version}",
        "kind": "HorizontalPodAutoscaler",
        "metadata": {"name": name, "labels": {"a": "b", "c": "d"}, "annotations": {"note": "short"}},
        "spec": {"scaleTargetRef": WEB, "maxReplicas": 7, **spec},
    }


def tells(server, program):
    """Running a line by that program, at that server."""

    def tell(*words, stdin=""):
        done = answered([program, "--kubeconfig", str(server.kubeconfig), *words], environment(server.home), sent=stdin)
        assert done.returncode == 0, done.stderr
        return done.stdout

    return tell


def both(server):
    return tells(server, "kubectl"), tells(server, SVCSIM)


def test_with_all_that_it_can_have(tmp_path):
    spec = {"minReplicas": 2, "metrics": [wanted for wanted, _ in METRICS], "behavior": {"scaleUp": UP, "scaleDown": DOWN}}
    with served(tmp_path, "kubernetes", "--nodes", "0", "--ephemeral") as server:
        kubectl, svcsim = both(server)
        objects = [autoscaler("v2", "rich", **spec), autoscaler("v2", "plain"), autoscaler("v2", "fresh", **spec)]
        svcsim("create", "-f", "-", stdin=json.dumps({"apiVersion": "v1", "kind": "List", "items": objects}))
        svcsim("patch", "hpa", "rich", "--subresource=status", "--type=merge", "-p", json.dumps({"status": STATUS}))
        told = kubectl("describe", "hpa")
        assert "ScalingActive" in told
        assert svcsim("describe", "hpa") == told
        assert svcsim("describe", "hpa.v1.autoscaling", "rich") == kubectl("describe", "hpa.v1.autoscaling", "rich")


def test_where_only_version_1_is_served(tmp_path):
    status = {"currentReplicas": 1, "desiredReplicas": 2, "currentCPUUtilizationPercentage": 7}
    options = ("--nodes", "0", "--ephemeral", "--runtime-config", "autoscaling/v2=false")
    with served(tmp_path, "kubernetes", *options) as server:
        kubectl, svcsim = both(server)
        objects = [autoscaler("v1", name, targetCPUUtilizationPercentage=50) for name in ("measured", "fresh")]
        svcsim("create", "-f", "-", stdin=json.dumps({"apiVersion": "v1", "kind": "List", "items": objects}))
        svcsim("patch", "hpa", "measured", "--subresource=status", "--type=merge", "-p", json.dumps({"status": status}))
        told = kubectl("describe", "hpa")
        assert "Current CPU utilization:  7%" in told
        assert svcsim("describe", "hpa") == told
