"""svcsim and kubectl cordon, drain and taint the same nodes: what they print and leave must be the same."""

import re
import shlex
import shutil
import subprocess

import pytest

from tests.process import environment, served

pytestmark = pytest.mark.skipif(not shutil.which("kubectl"), reason="no kubectl on the PATH")

_POD_SPEC = "containers: [{name: main, image: nginx}], nodeSelector: {kubernetes.io/hostname: node-1}, terminationGracePeriodSeconds: 1"
_SET = """
---
apiVersion: apps/v1
kind: %s
metadata: {name: %s}
spec:
  selector: {matchLabels: {app: %s}}
  template: {metadata: {labels: {app: %s}}, spec: {%s}}
"""
MANIFESTS = {
    "loose.yaml": f"""
apiVersion: v1
kind: Pod
metadata: {{name: loose, labels: {{app: loose}}}}
spec: {{{_POD_SPEC}}}
---
apiVersion: v1
kind: Pod
metadata: {{name: scratch, labels: {{app: scratch}}}}
spec: {{{_POD_SPEC}, volumes: [{{name: tmp, emptyDir: {{}}}}]}}
""",
    "sets.yaml": _SET % ("ReplicaSet", "web", "web", "web", _POD_SPEC) + _SET % ("DaemonSet", "agents", "agents", "agents", _POD_SPEC),
    "budget.yaml": """
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata: {name: web}
spec: {minAvailable: 1, selector: {matchLabels: {app: web}}}
""",
}

SEQUENCES = {
    "cordon": """
cordon
cordon node-1 -l a=b
cordon nothing
cordon pods/x
cordon node/node-1 --dry-run=client
cordon node-1 --dry-run=server
cordon node-1
cordon node-1
get node node-1 -o jsonpath={.spec.unschedulable}
cordon node-1 node-2 node-3
cordon -l kubernetes.io/hostname=node-2
cordon -l a=b
cordon -l 'a in'
cordon a/b/c
cordon --frob node-1
uncordon node-1
uncordon node-1
uncordon node/node-1 node-2
uncordon
uncordon -l a=b node-1
get nodes -o jsonpath={.items[*].spec.unschedulable}
""",
    "taint": """
taint
taint nodes
taint nodes node-1
taint nodes node-1 a
taint nodes node-1 a=b
taint nodes node-1 a=b:Never
taint nodes.v1 node-1 a=b:NoSchedule
taint no.v1 node-1 a-
taint nodes.v1/node-1 a=b:NoSchedule
taint Nodes.v2.metrics.k8s.io nope a=b:NoSchedule
taint foo.v1 node-1 a=b:NoSchedule
taint PODS.v1 x a=b:NoSchedule
taint nodes node-1 a=b=c:NoSchedule
taint nodes node-1 a=b:NoSchedule:x
taint nodes node-1 a b:NoSchedule
taint nodes node-1 b-
taint nodes b:NoSchedule node-1
taint nodes b:NoSchedule
taint pods node-1 b:NoSchedule
taint nodes node-1 a=b:NoSchedule a=c:NoSchedule
taint nodes node-1 a=b:NoSchedule a-
taint nodes node-1 a=b:NoSchedule a:NoExecute-
taint nodes node-1 a:NoExecute- a-
taint nodes node-1 'a b=c:NoSchedule'
taint nodes node-1 'a=b c:NoSchedule'
taint nodes --all -l a=b a=b:NoSchedule
taint nodes nothing a=b:NoSchedule
taint nodes nothing node-1 nowhere a=b:NoSchedule
taint nodes node-1 a=b:NoSchedule
taint nodes node-1 a=c:NoSchedule
taint nodes node-1 a=c:NoSchedule --overwrite
taint nodes node-1 c:PreferNoSchedule a-
taint nodes node-1 d=e:PreferNoSchedule --dry-run=client
taint nodes node-1 d=e:PreferNoSchedule --dry-run=server
taint nodes node-1 d=e:PreferNoSchedule -o name
taint no node-1 c- x-
taint no node-1 x:NoSchedule- y-
taint nodes -l kubernetes.io/hostname=node-2 g=h:NoSchedule
taint nodes --all d:PreferNoSchedule-
taint node node-2 g:NoSchedule- -o jsonpath={.spec.taints}
taint node node-1 c-
taint nodes --all z=:NoSchedule
taint nodes --all z-
taint NODE node-1 s:NoSchedule
taint No node-1 s-
taint nodes. node-1 s:NoSchedule
taint node node/node-1 s-
taint node node/node-1 node-2 s:NoSchedule
taint node nodes/node-1 no/node-2 s-
taint node pod/nothing s:NoSchedule
taint node namespace/default s:NoSchedule
taint node node/a/b s:NoSchedule
taint pods a=b:NoSchedule
taint pods --all -l a=b a=b:NoSchedule
taint deploy node-1 a=b:NoSchedule a-
taint flurbs node-1 a=b:NoSchedule
taint flurbs/node-1 a=b:NoSchedule
get nodes -o jsonpath={.items[*].spec.taints}
""",
    "refused drains": """
drain
drain node-1 -l a=b
drain nothing
drain -l a=b
drain node-1 --pod-selector='a in'
!apply -f loose.yaml -f sets.yaml
!wait pod/loose pod/scratch --for=condition=Ready
!rollout status ds/agents
!wait rs/web --for=jsonpath={.status.readyReplicas}=1
drain node-1
drain node-1 --ignore-daemonsets
drain node-1 --ignore-daemonsets --force
drain node-1 --ignore-daemonsets --delete-emptydir-data
drain node-1 --force --delete-emptydir-data
drain node-1 --ignore-daemonsets --force --delete-emptydir-data --dry-run=client
drain node-1 --ignore-daemonsets --force --delete-emptydir-data --dry-run=server
drain node-1 node-2 --ignore-daemonsets
drain node-1 --ignore-daemonsets --pod-selector=app=web --dry-run=server
uncordon node-1 node-2
""",
    "drains": """
!apply -f loose.yaml -f sets.yaml
!wait pod/loose pod/scratch --for=condition=Ready
!rollout status ds/agents
!wait rs/web --for=jsonpath={.status.readyReplicas}=1
drain node-1 --ignore-daemonsets --pod-selector=app=scratch --force --delete-emptydir-data --timeout=60s
drain node-1 --ignore-daemonsets --force --grace-period=0
get pods -l app=loose
uncordon node-1
""",
    "drains that delete": """
!apply -f loose.yaml -f sets.yaml
!wait pod/loose pod/scratch --for=condition=Ready
!rollout status ds/agents
!wait rs/web --for=jsonpath={.status.readyReplicas}=1
drain node-1 --ignore-daemonsets --force --delete-emptydir-data --disable-eviction
get pods -l app!=agents --field-selector spec.nodeName=node-1
uncordon node-1
""",
    "drains in vain": """
!apply -f sets.yaml -f budget.yaml
!wait rs/web --for=jsonpath={.status.readyReplicas}=1
!wait pdb/web --for=jsonpath={.status.currentHealthy}=1
drain node-1 --ignore-daemonsets --pod-selector=app=web --timeout=2s
drain node-1 --pod-selector=app=web --timeout=2s --disable-eviction --grace-period=30
uncordon node-1
""",
}


@pytest.fixture(scope="module")
def cluster(tmp_path_factory):
    """One whose nodes are taken out of service."""
    with served(tmp_path_factory.mktemp("cluster"), "kubernetes", "--nodes", "2", "--seed", "1", "--ephemeral", "--clock", "x10") as server:
        yield server


@pytest.fixture
def theirs(cluster):
    """Run kubectl."""

    def theirs(*words):
        line = ["kubectl", "--kubeconfig", str(cluster.kubeconfig), *words]
        done = subprocess.run(line, capture_output=True, text=True, env=environment(cluster.home), check=False)
        return done.returncode, done.stdout, done.stderr

    return theirs


@pytest.fixture
def ours(cluster, run):
    """Run svcsim."""

    def ours(*words):
        done = run(["--kubeconfig", str(cluster.kubeconfig), *words])
        return done.status, done.out, done.err

    return ours


@pytest.mark.parametrize("name", list(SEQUENCES))
def test_both_print_the_same_and_leave_the_same(name, ours, theirs, work_among):
    work_among(MANIFESTS)

    def does(program, namespace):
        assert theirs("create", "namespace", namespace)[0] == 0
        told = []
        for command in SEQUENCES[name].strip().splitlines():
            prepared = command.startswith("!")
            status, out, err = (theirs if prepared else program)("-n", namespace, *shlex.split(command.removeprefix("!")))
            assert not prepared or status == 0, err
            told += [] if prepared else [(command, status, neutral(out), neutral(err))]
        assert theirs("delete", "namespace", namespace)[0] == 0
        return told

    others = does(theirs, f"{name.replace(' ', '-')}-by-kubectl")
    mine = does(ours, f"{name.replace(' ', '-')}-by-svcsim")
    for one, other in zip(mine, others, strict=True):
        assert one == other


def neutral(text):
    """Without what differs from time to time, lines and the words of each in order: kubectl says what is alike in any order."""
    text = re.sub(r"\b(web|agents)-\w{5}\b", r"\1-xxxxx", text)
    text = re.sub(r"by-(svcsim|kubectl)", "by-NAME", text)
    text = re.sub(r"'kubectl ", "'svcsim ", text)
    text = text.replace("cannot delete cannot delete", "cannot delete")  # a slip of some of kubectl's versions
    return sorted(" ".join(sorted(re.split(r"[ ,;\[\]]+", line))) for line in text.splitlines())
