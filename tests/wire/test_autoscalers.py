"""Unmodified kubectl has a workload scaled by itself, and sees it happen; svcsim's own command does the same."""

import json
from collections.abc import Iterator

import pytest

from svcsim.client.paths import CLOCK
from svcsim.meta.types import Object
from tests.cli.conftest import outcome
from tests.wire.test_kubectl import DEPLOYMENT, KUBECTL, Kubectl, of_its_own

pytestmark = pytest.mark.skipif(KUBECTL is None, reason="no kubectl on the PATH")


@pytest.fixture(scope="module")
def kubectl(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Kubectl]:
    """In a cluster of its own, whose time goes fast."""
    with of_its_own(tmp_path_factory.mktemp("autoscaled"), "--seed", "1", "--clock", "x60") as found:
        yield found


def using(name: str, cpu: str) -> Object:
    obj: Object = json.loads(json.dumps(DEPLOYMENT).replace('"web"', f'"{name}"'))
    template = obj["spec"]["template"]
    template["metadata"]["annotations"] = {"svcsim.dev/cpu": cpu}
    template["spec"]["containers"][0]["resources"] = {"requests": {"cpu": "100m"}}
    return obj


def test_a_deployment_is_autoscaled(kubectl: Kubectl):
    kubectl.run("apply", "-f", "-", sent=using("web", "240m shared"))
    kubectl.run("rollout", "status", "deployment/web", "--timeout=60s")
    assert kubectl.run("autoscale", "deployment", "web", "--min=2", "--max=5", "--cpu-percent=60") == (
        "horizontalpodautoscaler.autoscaling/web autoscaled\n"
    )
    kubectl.run("wait", "hpa/web", "--for=jsonpath={.status.desiredReplicas}=4", "--timeout=60s")
    kubectl.run("wait", "hpa/web", "--for=jsonpath={.status.currentReplicas}=4", "--timeout=60s")
    kubectl.run("wait", "hpa/web", "--for=condition=ScalingActive", "--timeout=60s")
    header, row = kubectl.run("get", "hpa", "web").splitlines()
    assert header.split() == ["NAME", "REFERENCE", "TARGETS", "MINPODS", "MAXPODS", "REPLICAS", "AGE"]
    assert row.split()[:2] == ["web", "Deployment/web"]
    assert row.split()[-4:-1] == ["2", "5", "4"]
    described = kubectl.run("describe", "hpa", "web")
    assert "New size: 4; reason: cpu resource utilization (percentage of request) above target" in described
    assert "AbleToScale" in described
    assert kubectl.run("get", "deployment", "web", "-o", "jsonpath={.spec.replicas}") == "4"
    first = kubectl.run("get", "horizontalpodautoscalers.v1.autoscaling", "web", "-o", "jsonpath={.spec.targetCPUUtilizationPercentage}")
    assert first == "60"


def test_own_autoscale_does_the_same(kubectl: Kubectl, capsys: pytest.CaptureFixture[str]):
    kubectl.run("apply", "-f", "-", sent=using("shop", "90m"))
    found = outcome(f"--kubeconfig {kubectl.wire.server.kubeconfig} autoscale deployment shop --min=2 --max=3 --cpu-percent=60", capsys)
    assert found.out == "horizontalpodautoscaler.autoscaling/shop autoscaled\n"
    kubectl.run("wait", "hpa/shop", "--for=jsonpath={.status.desiredReplicas}=3", "--timeout=60s")


@pytest.mark.parametrize(
    ("flags", "metrics"),
    [
        ("--cpu=70%", [("cpu", {"type": "Utilization", "averageUtilization": 70})]),
        ("--cpu=0.5", [("cpu", {"type": "AverageValue", "averageValue": "500m"})]),
        (
            "--memory=200Mi --cpu=150%",
            [
                ("cpu", {"type": "Utilization", "averageUtilization": 150}),
                ("memory", {"type": "AverageValue", "averageValue": "200Mi"}),
            ],
        ),
    ],
)
def test_own_autoscale_takes_targets_of_both_sorts(
    kubectl: Kubectl, capsys: pytest.CaptureFixture[str], flags: str, metrics: list[tuple[str, Object]]
):
    kubectl.run("apply", "-f", "-", sent=using("shop", "90m"))
    own = f"--kubeconfig {kubectl.wire.server.kubeconfig} autoscale deployment shop --max=3 --name=other {flags} --dry-run=server -o json"
    found = json.loads(outcome(own, capsys).out)
    assert found["apiVersion"] == "autoscaling/v2"
    assert [(one["resource"]["name"], one["resource"]["target"]) for one in found["spec"]["metrics"]] == metrics


@pytest.mark.parametrize(
    ("flags", "why"),
    [
        ("--cpu=x%", '--cpu=x%: "x" is not a percentage above 0'),
        ("--cpu=0%", '--cpu=0%: "0" is not a percentage above 0'),
        ("--memory=lots", "--memory=lots: quantities must match the regular expression"),
        ("--cpu=50% --cpu-percent=50", "--cpu and --cpu-percent say the same; give only one of them"),
    ],
)
def test_own_autoscale_says_what_is_wrong_with_a_target(kubectl: Kubectl, capsys: pytest.CaptureFixture[str], flags: str, why: str):
    found = outcome(f"--kubeconfig {kubectl.wire.server.kubeconfig} autoscale deployment shop --max=3 {flags}", capsys)
    assert (found.status, found.out) == (1, "")
    assert found.err.startswith(f"error: {why}")


def test_a_second_version_is_applied_and_shown_as_it_is(kubectl: Kubectl):
    metric = {"type": "External", "external": {"metric": {"name": "queue"}, "target": {"type": "AverageValue", "averageValue": "10"}}}
    spec: Object = {
        "scaleTargetRef": {"apiVersion": "apps/v1", "kind": "Deployment", "name": "quiet"},
        "minReplicas": 0,
        "maxReplicas": 4,
        "metrics": [metric],
        "behavior": {"scaleDown": {"stabilizationWindowSeconds": 0}},
    }
    scaler = {"apiVersion": "autoscaling/v2", "kind": "HorizontalPodAutoscaler", "metadata": {"name": "quiet"}, "spec": spec}
    kubectl.run("apply", "-f", "-", sent=using("quiet", "1m"))
    kubectl.run("annotate", "namespace", "default", "metrics.svcsim.dev/queue=0")
    kubectl.run("apply", "-f", "-", sent=scaler)
    kubectl.run("wait", "deployment/quiet", "--for=jsonpath={.spec.replicas}=0", "--timeout=60s")
    kubectl.run("annotate", "--overwrite", "namespace", "default", "metrics.svcsim.dev/queue=31")
    kubectl.run("wait", "deployment/quiet", "--for=jsonpath={.spec.replicas}=4", "--timeout=60s")
    assert "queue" in kubectl.run("describe", "hpa", "quiet")


def test_a_clock_that_is_stepped_is_what_it_goes_by(kubectl: Kubectl):
    wire, path = kubectl.wire, "/apis/autoscaling/v2/namespaces/default/horizontalpodautoscalers"
    kubectl.run("apply", "-f", "-", sent=using("slow", "90m"))
    kubectl.run("rollout", "status", "deployment/slow", "--timeout=60s")
    assert wire.ask("PUT", CLOCK, {"speed": 0}).status == 200
    kubectl.run("autoscale", "deployment", "slow", "--min=3", "--max=4", "--cpu-percent=60")
    assert wire.ask("PUT", CLOCK, {"step": 14}).status == 200
    assert "conditions" not in wire.get(f"{path}/slow")["status"]
    assert wire.ask("PUT", CLOCK, {"step": 2}).status == 200
    assert wire.get(f"{path}/slow")["status"]["desiredReplicas"] == 3
    assert wire.ask("PUT", CLOCK, {"speed": 60}).status == 200
