"""``svcsim audit``: the last requests of a served cluster, as people read them."""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator

import pytest

from svcsim.dialect import DIALECTS
from tests.audit_log import logged
from tests.process import ServerProcess, environment, ran, served
from tests.wire.raw import Wire

Run = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture(scope="module", params=list(DIALECTS))
def server(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServerProcess]:
    """A server that was asked this and that."""
    with served(tmp_path_factory.mktemp("home"), request.param, "--nodes", "1") as one:
        wire = Wire(one)
        wire.create("/api/v1/namespaces/default/configmaps", {"metadata": {"name": "settings"}}, fieldManager="x")
        wire.ask("GET", "/apis/apps/v1/namespaces/default/deployments/web/scale")
        wire.ask("DELETE", "/api/v1/namespaces/default/configmaps/gone")
        wire.ask("GET", "/api/v1/namespaces/default/pods", token="")
        wire.ask("GET", "/api/v1/nodes", token="wrong")
        wire.ask("GET", "/version", token="")
        wire.close()
        yield one


@pytest.fixture
def audit(server: ServerProcess) -> Run:
    def run(*words: str) -> subprocess.CompletedProcess[str]:
        return ran("audit", *words, env=environment(server.home))

    return run


def rows(done: subprocess.CompletedProcess[str]) -> list[list[str]]:
    """Without times, and without what the command itself asks."""
    assert done.returncode == 0, done.stderr
    found = [line.split("   ") for line in done.stdout.splitlines()]
    cells = [[cell.strip() for cell in row if cell.strip()] for row in found]
    return [row[1:6] + row[7:] for row in cells if "/svcsim/v1/clock" not in row]


def test_the_table_says_who_what_and_why(server: ServerProcess, audit: Run) -> None:
    admin, why = server.dialect.administrator, ["static token", "group system:masters"]
    viewer = "system:public-info-viewer"
    public = f'ClusterRoleBinding "{viewer}" of ClusterRole "{viewer}" to Group "system:unauthenticated"'
    assert rows(audit()) == [
        ["USER", "VERB", "WHAT", "NAMESPACE", "CODE", "KNOWN BY", "WHY"],
        [admin, "create", "configmaps", "default", "201", *why],
        [admin, "get", "deployments.apps/web/scale", "default", "404", *why],
        [admin, "delete", "configmaps/gone", "default", "404", *why],
        ["system:anonymous", "list", "pods", "default", "403", "anonymous", "nothing allows it"],
        ["<unknown>", "list", "nodes", "<none>", "401", "<none>", "Unauthorized"],
        ["system:anonymous", "get", "/version", "<none>", "200", "anonymous", f"RBAC: allowed by {public}"],
    ]


@pytest.mark.parametrize(
    ("words", "codes"),
    [
        (["--denied"], ["403", "401"]),
        (["--code", "404"], ["404", "404"]),
        (["--code", "4xx", "--verb", "get,list"], ["404", "403", "401"]),
        (["--user", "system:anonymous"], ["403", "200"]),
        (["--resource", "configmaps"], ["201", "404"]),
        (["--resource", "deployments/scale"], ["404"]),
        (["--resource", "deployments.apps"], ["404"]),
        (["--resource", "deploy/scale"], ["404"]),
        (["--resource", "cm"], ["201", "404"]),
        (["--resource", "ConfigMap"], ["201", "404"]),
        (["-n", "default", "--verb", "list"], ["403"]),
        (["--since", "1h", "--denied"], ["403", "401"]),
        (["--denied", "--tail", "1"], ["401"]),
    ],
    ids=" ".join,
)
def test_requests_are_picked_by_flags(audit: Run, words: list[str], codes: list[str]) -> None:
    assert [row[4] for row in rows(audit(*words))[1:]] == codes


def test_json_is_a_line_a_request(audit: Run) -> None:
    entries = [json.loads(line) for line in audit("-o", "json", "--resource", "nodes").stdout.splitlines()]
    assert [(entry["verb"], entry["code"]) for entry in entries] == [("list", 401)]


def test_components_are_shown_where_that_is_asked(audit: Run) -> None:
    assert "system:kube-" not in audit().stdout
    assert "system:kube-" in audit("--components", "-o", "wide", "--tail=-1").stdout
    assert "<in process>" in audit("--components", "-o", "wide", "--tail=-1").stdout


def test_nothing_found_is_said(audit: Run) -> None:
    done = audit("--user", "nobody")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "No requests found.\n")


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["--since", "soon"], "--since takes a duration such as 90s or 10m"),
        (["--since", "-5m"], '--since takes a duration such as 90s or 10m; not "-5m"'),
        (["--since", ""], "--since takes a duration such as 90s or 10m"),
        (["--resource", "nosuch"], 'the server doesn\'t have a resource type "nosuch"'),
        (["--verb", "frob"], "--verb takes some of get, list, watch"),
        (["--verb", ""], "--verb takes some of get, list, watch"),
        (["--code", "7xx"], '--code takes a status such as 404, or a class of them such as 4xx; not "7xx"'),
        (["--code", ""], "--code takes a status such as 404"),
        (["--tail", "-2"], "--tail takes how many of the last requests to show, or -1 for all; not -2"),
        (["--code", "4x"], '--code takes a status such as 404, or a class of them such as 4xx; not "4x"'),
        (["-o", "yaml"], 'unable to match a printer suitable for the output format "yaml", allowed formats are: json, wide'),
        (["nowhere"], 'there is no cluster "nowhere"'),
    ],
)
def test_a_mistake_is_one_line(audit: Run, words: list[str], told: str) -> None:
    done = audit(*words)
    assert done.returncode == 1
    (line,) = done.stderr.splitlines()
    assert line.startswith("error: ")
    assert told in line


def test_what_comes_is_followed(server: ServerProcess) -> None:
    command = [sys.executable, "-m", "svcsim", "audit", "-f", "--tail", "0", "--resource", "secrets", "-o", "json"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment(server.home)) as following:
        wire = Wire(server)
        seen = None
        while seen is None:
            wire.ask("GET", "/api/v1/namespaces/default/secrets/followed")
            os.set_blocking(following.stdout.fileno(), True)
            seen = json.loads(following.stdout.readline()) if _has_line(following) else None
        assert (seen["name"], seen["code"]) == ("followed", 404)
        following.terminate()
        wire.close()


def test_the_end_of_the_cluster_is_told(tmp_path) -> None:
    command = [sys.executable, "-m", "svcsim", "audit", "-f", "--tail", "0", "-o", "json"]
    with served(tmp_path, "kubernetes", "--nodes", "0") as server:
        following = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment(tmp_path))
        wire = Wire(server)
        while not _has_line(following):
            wire.ask("GET", "/api/v1/nodes")
        wire.close()
    with following:
        assert following.stderr.read() == "error: the cluster has stopped: no more requests come\n"
        assert following.wait() == 1


def _has_line(process: subprocess.Popen[str]) -> bool:
    import select

    return bool(select.select([process.stdout], [], [], 0.2)[0])


@pytest.mark.skipif(shutil.which("kubectl") is None, reason="kubectl is not on the PATH")
def test_requests_of_kubectl_are_there_too(tmp_path) -> None:
    log = tmp_path / "audit.log"
    with served(tmp_path / "home", "kubernetes", "--nodes", "0", "--audit-log-path", str(log)) as server:
        kubectl = ["kubectl", "--kubeconfig", str(server.kubeconfig)]
        subprocess.run([*kubectl, "create", "configmap", "by-kubectl", "--from-literal=a=b"], check=True, capture_output=True)
        words = [sys.executable, "-m", "svcsim", "audit", "--verb", "create", "-o", "wide"]
        shown = subprocess.run(words, capture_output=True, text=True, env=environment(server.home), check=False).stdout
        assert "kubectl/" in shown
        assert "configmaps" in shown
    (event,) = [one for one in logged(log) if one["objectRef" if "objectRef" in one else "stage"]
                and (one.get("objectRef") or {}).get("name") == "by-kubectl"]  # fmt: skip
    assert (event["verb"], event["userAgent"].startswith("kubectl/")) == ("create", True)


@pytest.mark.parametrize("output", ["", "wide"])
def test_nobody_who_asks_writes_a_row_of_his_own(server: ServerProcess, audit: Run, output: str) -> None:
    wire = Wire(server)
    wire.ask("GET", "/api/v1/namespaces/x%0Aforged%09row%1b%5b31m/pods", token="", headers={"User-Agent": "a\tb"})
    wire.ask("GET", f"/api/v1/namespaces/{'n' * 3000}/pods", token="")
    wire.ask("GET", "/api/v1/namespaces/z%E2%80%A8forged%E2%80%AE/pods", token="")
    wire.ask("GET", "/y%0Aforged%1b%5d0;t%07", token="")
    wire.close()
    shown = audit("--denied", *(("-o", output) if output else ())).stdout
    assert r"x\nforged\trow^[[31m" in shown
    assert "\x1b" not in shown
    assert r"z\u2028forged\u202e" in shown
    assert not any(line.startswith("forged") for line in shown.splitlines())
    assert max(map(len, shown.splitlines())) < 1000
