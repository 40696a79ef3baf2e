"""Unmodified kubectl drains a node: it waits for disruption budgets, and tries again until they let the pods go."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from svcsim.meta.types import Object
from tests.wire.test_kubectl import DEPLOYMENT, KUBECTL, Kubectl, of_its_own

pytestmark = pytest.mark.skipif(KUBECTL is None, reason="no kubectl on the PATH")
NODE = "node-1"


@pytest.fixture
def kubectl(tmp_path: Path) -> Iterator[Kubectl]:
    """In a cluster of its own, because a node of it is drained."""
    with of_its_own(tmp_path, "--seed", "1", "--clock", "x20") as found:
        yield found


def drained(kubectl: Kubectl, *options: str) -> tuple[int, str]:
    """How it ends, and all it prints."""
    process = kubectl.start("drain", NODE, "--ignore-daemonsets", "--force", *options)
    printed = "".join(process.communicate())
    return process.returncode, printed


def web(replicas: int) -> Object:
    return {**DEPLOYMENT, "spec": {**DEPLOYMENT["spec"], "replicas": replicas}}


def on_node(kubectl: Kubectl) -> list[str]:
    path = "jsonpath={range .items[*]}{.metadata.name}{'\\n'}{end}"
    return kubectl.run("get", "pods", "-l", "app=web", "--field-selector", f"spec.nodeName={NODE}", "-o", path).split()


def test_a_drain_takes_pods_away_as_their_budget_lets_them_go(kubectl: Kubectl):
    kubectl.run("apply", "-f", "-", sent=web(4))
    kubectl.run("rollout", "status", "deployment/web")
    kubectl.run("create", "pdb", "web", "--selector=app=web", "--min-available=3")
    kubectl.run("wait", "pdb/web", "--for=jsonpath={.status.disruptionsAllowed}=1")
    pods = on_node(kubectl)
    assert len(pods) == 2
    code, printed = drained(kubectl)
    assert code == 0, printed
    assert all(f"evicting pod default/{pod}" in printed and f"pod/{pod} evicted" in printed for pod in pods)
    assert printed.count("(will retry after 5s): Cannot evict pod as it would violate the pod's disruption budget.") >= 1
    assert on_node(kubectl) == []
    kubectl.run("rollout", "status", "deployment/web")
    assert kubectl.run("get", "pdb", "web", "--no-headers").split()[:4] == ["web", "3", "N/A", "1"]


def test_a_drain_of_what_may_never_go_gives_up(kubectl: Kubectl):
    kubectl.run("apply", "-f", "-", sent=web(2))
    kubectl.run("rollout", "status", "deployment/web")
    kubectl.run("create", "pdb", "web", "--selector=app=web", "--max-unavailable=0")
    kubectl.run("wait", "pdb/web", "--for=condition=DisruptionAllowed=False")
    pods = on_node(kubectl)
    code, printed = drained(kubectl, "--timeout=2s")
    assert code != 0
    assert "Cannot evict pod as it would violate the pod's disruption budget." in printed
    assert on_node(kubectl) == pods
    assert pods
