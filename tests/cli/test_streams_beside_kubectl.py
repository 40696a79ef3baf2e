"""svcsim and kubectl reach into the same pods: what they print where something is wrong, and how they end, must be the same."""

import re
import shlex
import shutil
import signal
import subprocess
import sys

import pytest

from tests.process import SVCSIM, environment, ran, served, started
from tests.waiting import until

pytestmark = pytest.mark.skipif(not shutil.which("kubectl"), reason="no kubectl on the PATH")

PODS = """
apiVersion: v1
kind: Service
metadata: {name: two}
spec: {selector: {app: two}, ports: [{name: http, port: 80, targetPort: http}, {name: dns, port: 53, protocol: UDP}]}
---
apiVersion: v1
kind: Pod
metadata: {name: two, labels: {app: two}}
spec:
  initContainers: [{name: first, image: busybox, command: ["true"]}]
  containers:
  - {name: main, image: "nginx:1", ports: [{containerPort: 80, name: http}, {containerPort: 53, protocol: UDP}]}
  - {name: beside, image: busybox, command: [sleep, inf]}
---
apiVersion: v1
kind: Pod
metadata: {name: done}
spec: {restartPolicy: Never, containers: [{name: main, image: busybox, command: ["true"]}]}
---
apiVersion: v1
kind: Pod
metadata: {name: stuck}
spec: {containers: [{name: main, image: registry.invalid/x}]}
---
apiVersion: v1
kind: Service
metadata: {name: none}
spec: {selector: {app: none}, ports: [{port: 80}]}
---
apiVersion: apps/v1
kind: ReplicaSet
metadata: {name: one}
spec:
  replicas: 1
  selector: {matchLabels: {app: one}}
  template:
    metadata: {labels: {app: one}}
    spec: {containers: [{name: main, image: nginx, ports: [{containerPort: 53, name: dns, protocol: UDP}]}]}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: none}
spec:
  replicas: 0
  selector: {matchLabels: {app: none}}
  template: {metadata: {labels: {app: none}}, spec: {containers: [{name: main, image: nginx}]}}
"""

COMMANDS = """
exec two -c WRONG -- true
exec stuck -c WRONG -- true
exec done -c WRONG -- true
exec two -c first -- true
exec two -c main -- false
exec two -- nothing
exec stuck -- true
exec two -c '' -- hostname
exec -f two.yaml -- hostname
exec -f one-file -- hostname
exec -f none-at-once -- hostname
exec -f ended.yaml -- hostname
exec -f gone.yaml -- hostname
exec -f empty.yaml -- hostname
exec -f empty.yaml -c main -- hostname
exec -f service.yaml -- hostname
exec -f nothing.yaml -- hostname
exec -f two.yaml -f gone.yaml -- hostname
exec -f two.yaml -f nothing.yaml -- hostname
exec -f workload.yaml --pod-running-timeout=500ms -- true
exec -f map.yaml -- true
exec -f two.yaml --
exec -f two.yaml hostname
exec two -f two.yaml -- hostname
exec two -f two.yaml --
exec two -f two.yaml hostname
attach two -c WRONG
attach pod/two -c WRONG
attach pod two -c WRONG
attach pods pod/two -c WRONG
attach stuck -c WRONG
attach done -c WRONG
attach two -c first
attach deploy two
attach nothing two
attach two main
attach a b c
attach two --pod-running-timeout=0
exec two --pod-running-timeout=0 -- true
port-forward two 80 --pod-running-timeout=0
logs two -c WRONG
logs done --insecure-skip-tls-verify-backend
logs done --insecure-skip-tls-verify-backend=x
port-forward two 99999
port-forward two 99999999999999999999999
port-forward two 99999:80
port-forward two 80:99999
port-forward two 0
port-forward two 80:0
port-forward two http:80
port-forward two +80
port-forward two 53
port-forward two 80 :53
port-forward svc/two 53
port-forward svc/two dns
port-forward svc/two nope
port-forward rs/one nope
port-forward rs/one dns
port-forward svc/two 99999
port-forward two x
port-forward two 99999 x
port-forward two ''
port-forward two :
port-forward two 80:
port-forward two 18080:80 --address 192.0.2.1
port-forward two 18080:80 18081:81 --address 2001:db8::1,192.0.2.1
port-forward two 18080:80 --address nope
port-forward two 18080:80 --address localhost,nope
port-forward two 18080:80 --address ''
exec deploy/none --pod-running-timeout=500ms -- true
exec svc/none --pod-running-timeout=500ms -- true
attach deploy/none --pod-running-timeout=500ms
port-forward svc/none 80 --pod-running-timeout=500ms
logs deploy/none --pod-running-timeout=500ms
logs deploy/none --pod-running-timeout=500ms --all-pods
cp two:/nope x
cp two:/nope x -c beside
cp two:/etc file/x
cp two:/etc/passwd file/x
cp file two:/nope/x
cp file two:/etc/passwd/x
cp file two:/tmp -c WRONG
cp two:/etc/passwd x -c WRONG
cp file done:/tmp
cp nothing two:/x
cp two:/etc/passwd passwd
cp file two:/tmp
"""

COPIES = """
cp two:/m/f there
cp two:/m/f there/
cp two:/m/f new
cp two:/m/f new/
cp two:/m/f new/f
cp two:/m/f there/f
cp two:/m there
cp two:/m/ there/
cp two:/m new
cp two:/m/n/.. new
cp two:/m file
cp two:/m there/f
cp two:../../m/f new
cp two:../m new
cp two:m/../m/f new
cp two:./m new
cp default/two:/m new
cp two:/m/l new
cp two:/m/n/../../m/f new
"""
"""What is copied out of a pod to what is there, or isn't."""

_POD = "apiVersion: v1\nkind: Pod\nmetadata: {name: NAME}\nspec: {containers: [{name: main, image: nginx}, {name: beside, image: nginx}]}\n"
_ENDED = "status: {phase: Succeeded}\n"
MANIFESTS = {
    "two.yaml": (_TWO := _POD.replace("NAME", "two")),
    "one-file/two.yaml": _TWO,
    "none-at-once/below/two.yaml": _TWO,
    "ended.yaml": _TWO + _ENDED,
    "gone.yaml": _POD.replace("NAME", "gone"),
    "empty.yaml": "apiVersion: v1\nkind: Pod\nmetadata: {name: two}\n",
    "workload.yaml": "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: any}\nspec: {selector: {matchLabels: {app: none}}}\n",
    "service.yaml": "apiVersion: v1\nkind: Service\nmetadata: {name: any}\nspec: {selector: {app: two}}\n",
    "map.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: any}\n",
}
"""What ``-f`` is given; what stands there need not be so."""

_OWN_LOG = r"(?m)^E\d{4} .*\n"
"""kubectl's own log."""


@pytest.fixture(scope="module")
def cluster(tmp_path_factory):
    with served(tmp_path_factory.mktemp("cluster"), "kubernetes", "--nodes", "1", "--seed", "1", "--ephemeral", "--clock", "x10") as server:
        line = ["kubectl", "--kubeconfig", str(server.kubeconfig)]
        subprocess.run([*line, "apply", "-f", "-"], input=PODS, text=True, check=True, env=environment(server.home))
        waits = ("two --for=condition=Ready", "done --for=jsonpath={.status.phase}=Succeeded", "stuck --for=condition=PodScheduled")
        for wait in waits:
            subprocess.run([*line, "wait", "pod", *wait.split()], check=True, env=environment(server.home))
        yield server


@pytest.fixture
def ours(cluster, run_with_children):
    """Run svcsim."""

    def ours(*words):
        done = run_with_children(["--kubeconfig", str(cluster.kubeconfig), *words])
        return done.status, done.out, done.err

    return ours


@pytest.fixture
def theirs(cluster):
    """Run kubectl."""

    def theirs(*words):
        line = ["kubectl", "--kubeconfig", str(cluster.kubeconfig), *words]
        done = subprocess.run(line, capture_output=True, text=True, env=environment(cluster.home), check=False)
        return done.returncode, done.stdout, re.sub(_OWN_LOG, "", done.stderr).replace("'kubectl ", "'svcsim ")

    return theirs


@pytest.mark.parametrize("command", COMMANDS.strip().splitlines())
def test_both_say_the_same(command, ours, theirs, work_among):
    work_among({"file": "text\n", **MANIFESTS})
    words = shlex.split(command)
    assert ours(*words) == theirs(*words)


@pytest.mark.parametrize("command", COPIES.strip().splitlines())
def test_both_put_the_same_in_the_same_place(command, ours, theirs, work_among, tmp_path, monkeypatch):
    made = "mkdir -p /m/n; echo m >/m/f; echo n >/m/n/f; ln -sf f /m/l; ln -sf n/f /m/k"
    assert ours("exec", "two", "-q", "--", "sh", "-c", made) == (0, "", "")
    outcomes = []
    for run in (ours, theirs):
        place = tmp_path / run.__name__
        work_among({place / "there/f": "before\n", place / "file": "text\n"})
        monkeypatch.chdir(place)
        status, out, err = run(*shlex.split(command))
        left = {path.relative_to(place): path.read_text() if path.is_file() else "" for path in place.rglob("*")}
        outcomes.append((status, out, err.replace('"kubectl ', '"svcsim '), left))
    assert outcomes[0] == outcomes[1]


def test_a_port_that_is_taken_keeps_no_other_from_being_forwarded(cluster, ours):
    words = [SVCSIM, "--kubeconfig", str(cluster.kubeconfig), "port-forward", "svc/two"]
    holding = started([*words, ":http"], environment(cluster.home))
    taken = re.search(r"127\.0\.0\.1:(\d+)", holding.stdout.readline())[1]
    both = started([*words, f"{taken}:http", ":80"], environment(cluster.home))
    assert both.stdout.readline().endswith("-> 80\n")
    both.send_signal(signal.SIGINT)
    _, err = both.communicate(timeout=60)
    failures = [f"Error listen tcp4 127.0.0.1:{taken}: bind: address already in use", f"Error listen tcp6 [::1]:{taken}: bind: address alr"]
    assert err.startswith(f"Unable to listen on port {taken}: Listeners failed to create with the following errors: [unable to create ")
    assert all(failure in err for failure in failures)
    assert both.returncode == 0
    holding.send_signal(signal.SIGINT)
    holding.communicate(timeout=60)
    assert holding.returncode == 0, "as kubectl ends when a key ends it"


def test_who_means_a_workload_without_pods_waits_for_the_first(cluster, ours):
    env, kubeconfig = environment(cluster.home), str(cluster.kubeconfig)
    words = ["--kubeconfig", kubeconfig, "exec", "svc/none", "--", "hostname"]

    def lists() -> str:
        return ran("audit", "default", "--verb", "list", "--resource", "pods", "--tail", "-1", "-o", "json", env=env).stdout

    before = len(lists().splitlines())
    waiting = [
        subprocess.Popen([*command, *words], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=env)
        for command in ([sys.executable, "-m", "svcsim"], ["kubectl"])
    ]
    until(lambda: len(lists().splitlines()) >= before + len(waiting))
    assert ours("label", "pod", "two", "app=none", "--overwrite")[0] == 0
    try:
        assert [one.communicate(timeout=60)[0] for one in waiting] == [
            'Defaulted container "main" out of: main, beside, first (init)\ntwo\n'
        ] * 2
    finally:
        assert ours("label", "pod", "two", "app=two", "--overwrite")[0] == 0
