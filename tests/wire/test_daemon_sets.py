"""Unmodified kubectl rolls DaemonSets to new templates and back; svcsim's own commands say the same of them."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from svcsim.meta.types import Object
from tests.wire.test_kubectl import KUBECTL, Kubectl, of_its_own

pytestmark = pytest.mark.skipif(KUBECTL is None, reason="no kubectl on the PATH")
AGENT: Object = {
    "apiVersion": "apps/v1",
    "kind": "DaemonSet",
    "metadata": {"name": "agent", "annotations": {"kubernetes.io/change-cause": "first"}},
    "spec": {
        "selector": {"matchLabels": {"app": "agent"}},
        "template": {"metadata": {"labels": {"app": "agent"}}, "spec": {"containers": [{"name": "main", "image": "agent:1"}]}},
    },
}
DONE = 'daemon set "agent" successfully rolled out'


@pytest.fixture
def kubectl(tmp_path: Path) -> Iterator[Kubectl]:
    """In a cluster of its own, because a node of it is drained."""
    with of_its_own(tmp_path, "--seed", "1", "--clock", "x20") as found:
        yield found


def images(kubectl: Kubectl) -> list[str]:
    path = "jsonpath={.items[*].spec.containers[0].image}"
    return kubectl.run("get", "pods", "-l", "app=agent", "-o", path).split()


def test_a_daemon_set_is_rolled_out_undone_and_restarted(kubectl: Kubectl):
    kubectl.run("apply", "-f", "-", sent=AGENT)
    assert DONE in kubectl.run("rollout", "status", "ds/agent", "--timeout=60s")
    assert images(kubectl) == ["agent:1"] * 2
    kubectl.run("set", "image", "ds/agent", "main=agent:2")
    kubectl.run("annotate", "ds/agent", "kubernetes.io/change-cause=second", "--overwrite")
    told = kubectl.run("rollout", "status", "ds/agent", "--timeout=60s")
    assert DONE in told
    assert images(kubectl) == ["agent:2"] * 2
    history = kubectl.run("rollout", "history", "ds/agent").splitlines()
    assert [line.split() for line in history[:3]] == [["daemonset.apps/agent"], ["REVISION", "CHANGE-CAUSE"], ["1", "first"]]
    assert history[3].split()[0] == "2"
    assert "agent:1" in kubectl.run("rollout", "history", "ds/agent", "--revision=1")
    assert kubectl.run("rollout", "undo", "ds/agent") == "daemonset.apps/agent rolled back\n"
    assert DONE in kubectl.run("rollout", "status", "ds/agent", "--timeout=60s")
    assert images(kubectl) == ["agent:1"] * 2
    assert [line.split()[0] for line in kubectl.run("rollout", "history", "ds/agent").splitlines()[2:] if line] == ["2", "3"]
    (text,) = kubectl.run("get", "controllerrevisions", "-o", "jsonpath={.items[?(@.revision==3)].data}").splitlines()
    assert text == json.dumps(json.loads(text), sort_keys=True, separators=(",", ":")), "clients hold the bytes against their own"
    before = kubectl.run("get", "pods", "-l", "app=agent", "-o", "name").split()
    assert kubectl.run("rollout", "restart", "ds/agent") == "daemonset.apps/agent restarted\n"
    assert DONE in kubectl.run("rollout", "status", "ds/agent", "--timeout=60s")
    kubectl.run("wait", "--for=delete", *before, "--timeout=60s")
    after = kubectl.run("get", "pods", "-l", "app=agent", "-o", "name").split()
    assert len(after) == 2
    assert not any(name in before for name in after)


def test_a_drain_leaves_daemons_where_they_are(kubectl: Kubectl):
    kubectl.run("apply", "-f", "-", sent=AGENT)
    kubectl.run("rollout", "status", "ds/agent", "--timeout=60s")
    assert "cannot delete DaemonSet-managed Pods" in kubectl.run("drain", "node-1", fails=True)
    kubectl.run("uncordon", "node-1")
    process = kubectl.start("drain", "node-1", "--ignore-daemonsets")
    out, err = process.communicate(timeout=60)
    assert process.returncode == 0
    assert "ignoring DaemonSet-managed Pods: default/agent-" in err
    assert "node/node-1 drained" in out
    assert len(images(kubectl)) == 2
    assert "Desired Number of Nodes Scheduled: 2" in kubectl.run("describe", "ds", "agent")
