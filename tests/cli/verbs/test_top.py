"""``top``: byte for byte what kubectl prints on the same cluster, whose clock stands still; and what it says where nothing is known."""

import shlex
import shutil
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from svcsim.client.paths import CLOCK
from svcsim.meta.types import Object
from tests.cli.conftest import Outcome
from tests.process import ServerProcess, environment, served
from tests.wire.raw import Wire

KUBECTL = shutil.which("kubectl")
Run = Callable[[str], Outcome]
On = Callable[[str], Outcome]


PROXY = {"proxy.svcsim.dev/cpu": "20m", "proxy.svcsim.dev/memory": "8Mi"}


def pod(name: str, cpu: str, memory: str = "64Mi", *, app: str = "web", containers: tuple[str, ...] = ("main",)) -> Object:
    annotations = {"svcsim.dev/cpu": cpu, "svcsim.dev/memory": memory, **(PROXY if "proxy" in containers else {})}
    spec = {"containers": [{"name": one, "image": "nginx:1"} for one in containers]}
    return {"metadata": {"name": name, "labels": {"app": app}, "annotations": annotations}, "spec": spec}


PODS = (
    pod("small", "5m"),
    pod("large", "1500m", "2Gi", app="db"),
    pod("pair", "300m", "100Mi", containers=("main", "proxy")),
    pod("silent", "none"),
)


@pytest.fixture(scope="module")
def still(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Wire]:
    """A cluster in which all of these run, and time stands still."""
    with served(tmp_path_factory.mktemp("still"), "kubernetes", "--nodes", "2", "--seed", "1", "--ephemeral", "--clock", "x10") as server:
        wire = Wire(server)
        for one in PODS:
            wire.create("/api/v1/namespaces/default/pods", one)
        for one in PODS:
            wire.until(f"/api/v1/namespaces/default/pods/{one['metadata']['name']}", lambda found: found["status"]["phase"] == "Running")
        assert wire.ask("PUT", CLOCK, {"speed": 0}).status == 200
        yield wire
        wire.close()


@pytest.fixture
def on(still: Wire, run: Run) -> On:
    return lambda command: run(f"--kubeconfig {still.server.kubeconfig} {command}")


def kubectl_says(server: ServerProcess, home: Path, command: str) -> Outcome:
    words = ["kubectl", "--kubeconfig", str(server.kubeconfig), "--cache-dir", str(home / "cache"), *shlex.split(command)]
    done = subprocess.run(words, check=False, capture_output=True, text=True, timeout=60, env=environment(home))
    return Outcome(done.returncode, done.stdout, done.stderr)


@pytest.mark.skipif(KUBECTL is None, reason="no kubectl on the PATH")
@pytest.mark.parametrize(
    "command",
    [
        "top node",
        "top nodes --sort-by=memory",
        "top no --no-headers",
        "top node node-1",
        "top node --show-capacity",
        "top node -l kubernetes.io/hostname=node-2",
        "top node -l no=such",
        "top node none",
        "top node a b",
        "top node a -l b=c",
        "top node --sort-by=disk",
        "top pod",
        "top pods -A",
        "top po --sort-by=cpu",
        "top pod --sort-by=memory --no-headers",
        "top pod --containers",
        "top pod -A --containers --sort-by=cpu",
        "top pod --sum",
        "top pod --sum --no-headers",
        "top pod --sum --containers -A",
        "top pod large",
        "top pod pair --containers",
        "top pod -l app=web",
        "top pod -l app=none",
        "top pod -A -l app=none",
        "top pod -n kube-system",
        "top pod --field-selector=metadata.name=small",
        "top pod none",
        "top pod silent",
        "top pod --field-selector=metadata.name=silent",
        "top pod a b",
        "top pod a -l b=c",
        "top pod a --field-selector=b=c",
        "top pod --sort-by=disk",
        "top pod --use-protocol-buffers=false",
        "top pod --frob",
    ],
)
def test_it_prints_what_kubectl_prints(still: Wire, on: On, tmp_path: Path, command: str):
    wanted, found = kubectl_says(still.server, tmp_path, command), on(command)
    assert found == Outcome(wanted.status, wanted.out, wanted.err.replace("kubectl", "svcsim"))


def test_what_most_is_used_comes_first(on: On):
    lines = on("top pod --sort-by=cpu --no-headers").out.splitlines()
    assert [line.split() for line in lines] == [["large", "1500m", "2048Mi"], ["pair", "320m", "108Mi"], ["small", "5m", "64Mi"]]


def test_pods_of_which_nothing_is_known_for_long_are_named(still: Wire, on: On):
    assert on("top pod -l app=web --field-selector=metadata.name=silent") == Outcome(1, "", "error: metrics not available yet\n")
    assert still.ask("PUT", CLOCK, {"step": 120}).status == 200
    found = on("top pod --field-selector=metadata.name=silent")
    assert (found.status, found.out) == (1, "")
    assert found.err.startswith("error: Metrics not available for pod default/silent, age: 2m")


def test_a_node_that_tells_nothing_comes_last(still: Wire, on: On):
    node = {"metadata": {"name": "a-foreign-one"}, "status": {"allocatable": {"cpu": "1", "memory": "1Gi"}}}
    still.create("/api/v1/nodes", node)
    last = on("top node --no-headers").out.splitlines()[-1]
    assert last.split() == ["a-foreign-one", *["<unknown>"] * 4]
    still.delete("/api/v1/nodes/a-foreign-one")


def test_a_server_without_the_metrics_api_is_told(run: Run, stub):
    for what in ("node", "pod", "pod x"):
        assert run(f"--server {stub.url} top {what}") == Outcome(1, "", "error: Metrics API not available\n")


def test_names_are_completed(still: Wire, run: Run):
    found = run(f"__complete name:pods --kubeconfig {still.server.kubeconfig} top pod s")
    assert {"silent", "small"} <= set(found.out.split())
