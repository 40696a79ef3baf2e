"""Clusters brought up, looked at and taken down, as people do it: with the real command and real processes."""

import json
import os
import signal
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from svcsim import limits
from svcsim.cli.shared import state
from tests.waiting import until

from_scratch = pytest.mark.servers_from_scratch

ROOT = Path(__file__).resolve().parents[3]


@from_scratch
def test_the_life_of_a_cluster(svcsim, home):
    """Up, up again, status, use, down, up with the same data, purge."""
    code, out, err = svcsim("up", "--nodes", "1", "--dialect", "kubernetes")
    assert (code, err) == (0, "")
    url = out.split(" is ready at ")[1].split()[0]
    assert "svcsim get nodes" in out

    assert svcsim("up") == (0, f'Cluster "default" is already running at {url}\n', "")
    code, out, err = svcsim("up", "--dialect", "svcapi")
    way_out = "choose another name, or delete it first: svcsim down default --purge"
    assert (code, err) == (1, f'error: cluster "default" is already running, in the kubernetes dialect, for good; {way_out}\n')

    told = json.loads(svcsim("status", "-o", "json")[1])
    assert {"pid", "url", "dialect", "revision", "objects", "rssBytes", "uptimeSeconds"} <= set(told)
    assert (told["url"], told["dialect"]) == (url, "kubernetes")
    assert f"URL:          {url}\n" in svcsim("status")[1]

    assert svcsim("create", "-f", "tests/cli/golden/manifests/cmnew.yaml") == (0, "configmap/new created\n", "")
    assert svcsim("get", "configmap", "new", "-o", "jsonpath={.data.a}") == (0, "1", "")

    assert svcsim("down") == (0, 'Cluster "default" stopped\n', "")
    assert svcsim("down") == (0, 'Cluster "default" is not running\n', "")
    assert svcsim("clusters")[1].splitlines()[1].split() == ["default", "stopped", "kubernetes"]

    code, out, err = svcsim("up")
    assert (code, err) == (0, "")
    assert url in out, "the port is the one of last time"
    assert "kubernetes dialect, 1 node" in out, "and so is the rest"
    assert svcsim("get", "configmap", "new", "-o", "name") == (0, "configmap/new\n", "")

    assert svcsim("down", "--purge") == (0, 'Cluster "default" stopped\nCluster "default" and its data are gone\n', "")
    assert state.all_clusters() == []


def test_a_cluster_that_is_ready_tells_how_many_nodes_it_has_by_now(svcsim, home):
    svcsim("up", "a", "--nodes", "2", "--durability", "process")
    svcsim("--cluster", "a", "nodes", "add", "--count", "3", "--prefix", "spare")
    svcsim("--cluster", "a", "nodes", "remove", "node-1")
    svcsim("down", "a")
    assert "dialect, 4 nodes)" in svcsim("up", "a")[1]


@from_scratch
def test_a_killed_server_is_not_running_and_its_data_are_kept(svcsim, home):
    svcsim("up", "a", "--nodes", "0", "--durability", "process")
    svcsim("--cluster", "a", "create", "-f", "tests/cli/golden/manifests/cmnew.yaml")
    _kill(state.cluster_dir("a"))
    assert svcsim("status", "a")[2] == 'error: cluster "a" is stopped; start it with: svcsim up a\n'
    assert svcsim("up", "a")[0] == 0
    assert svcsim("--cluster", "a", "get", "configmap", "new", "-o", "name") == (0, "configmap/new\n", "")


def test_the_pace_that_was_last_given_is_that_of_the_next_start_however_the_process_ended(svcsim, home):
    svcsim("up", "a", "--nodes", "0", "--durability", "process")
    assert _pace(svcsim("clock", "speed", "x3")[1]) == "x3"
    _kill(state.cluster_dir("a"))
    svcsim("up", "a")
    assert _pace(svcsim("clock")[1]) == "x3"
    svcsim("clock", "pause")
    svcsim("clock", "advance", "1h")
    svcsim("down", "a")
    svcsim("up", "a")
    assert _pace(svcsim("clock")[1]) == "paused"
    svcsim("down", "a")
    svcsim("up", "a", "--clock", "x2")
    assert _pace(svcsim("clock")[1]) == "x2", "what is asked for at the start counts"
    svcsim("clock", "advance", "1h")
    _kill(state.cluster_dir("a"))
    svcsim("up", "a")
    assert _pace(svcsim("clock")[1]) == "x2", "it stood only while it was being wound on"
    until_default = ("--for=jsonpath={.metadata.name}=default", "namespace/default", "--timeout", "1h")
    assert _pace(svcsim("clock", "until", *until_default)[1]) == "paused"
    _kill(state.cluster_dir("a"))
    svcsim("up", "a")
    assert _pace(svcsim("clock")[1]) == "paused"


def test_time_never_goes_back_behind_what_was_told_however_the_process_ended(svcsim, home):
    svcsim("up", "a", "--nodes", "0", "--durability", "process", "--clock", "x1000")
    for _ in range(2):
        told = _time(svcsim("clock")[1])
        _kill(state.cluster_dir("a"))
        svcsim("up", "a", "--clock", "paused")
        assert _time(svcsim("clock")[1]) >= told
        svcsim("clock", "speed", "x1000")


def _time(told: str) -> str:
    return told.partition(" ")[0]


def _pace(told: str) -> str:
    """The pace that a clock was given, however much of it a busy machine reaches."""
    return told.partition("(")[2].rstrip(")\n").partition(",")[0]


def _kill(cluster):
    os.kill(cluster.server()["pid"], signal.SIGKILL)
    until(lambda: not cluster.running())


def test_two_clusters_live_beside_each_other(svcsim, home):
    assert svcsim("up", "a", "--nodes", "0", "--ephemeral")[0] == 0
    assert svcsim("up", "b", "--nodes", "2", "--ephemeral")[0] == 0
    assert svcsim("--cluster", "a", "get", "nodes", "-o", "name")[1] == ""
    assert svcsim("--cluster", "b", "get", "nodes", "-o", "name")[1] == "node/node-1\nnode/node-2\n"
    assert [line.split()[0] for line in svcsim("clusters")[1].splitlines()[1:]] == ["a", "b"]
    svcsim("down", "a")
    assert not state.cluster_dir("a").path.exists(), "an ephemeral cluster leaves nothing behind"
    assert svcsim("--cluster", "a", "get", "nodes")[2] == 'error: there is no cluster "a"; start it with: svcsim up a; running: b\n'


def test_the_configuration_is_complete_and_can_be_put_where_clients_look(svcsim, home, tmp_path):
    svcsim("up", "--nodes", "0", "--ephemeral")
    code, out, _ = svcsim("kubeconfig")
    assert code == 0
    assert "certificate-authority-data: " in out
    assert "token: " in out
    target = tmp_path / ".kube" / "config"
    assert svcsim("kubeconfig", "--merge")[1] == f'Context "svcsim-default" is in {target}, and is the current one\n'
    assert target.stat().st_mode & 0o777 == 0o600
    assert svcsim("--kubeconfig", str(target), "get", "--raw", "/readyz") == (0, "ok", "")
    assert svcsim("kubeconfig", "--remove")[0] == 0
    assert svcsim("--kubeconfig", str(target), "config", "get-contexts", "-o", "name")[1] == ""


def test_a_cluster_is_used_once_chosen_and_its_merged_context_goes_with_it(svcsim, home, tmp_path):
    target = tmp_path / ".kube" / "config"
    assert "  svcsim get nodes " in svcsim("up", "--nodes", "0", "--ephemeral")[1]
    assert "  svcsim --cluster k get nodes " in svcsim("up", "k", "--nodes", "1", "--dialect", "kubernetes")[1]
    svcsim("kubeconfig", "--merge")
    told = svcsim("kubeconfig", "k", "--merge")[1]
    assert told.startswith(f'Context "svcsim-k" is in {target}, where "svcsim-default" stays the current one; ')
    assert told.endswith("switch with: svcsim config use-context svcsim-k\n")
    assert svcsim("config", "use-context", "svcsim-k") == (
        0,
        'Switched to context "svcsim-k".\n',
        "(for kubectl and other clients; for svcsim's own commands: svcsim use k)\n",
    )
    assert svcsim("get", "nodes")[2].startswith('No resources found\n(this was cluster "default"; also running: k; ')
    assert svcsim("use", "k") == (0, 'Commands go to cluster "k" from now on\n', "")
    assert svcsim("get", "nodes", "-o", "name") == (0, "node/node-1\n", "")
    svcsim("down", "k", "--purge")
    assert svcsim("config", "get-contexts", "-o", "name")[1] == "svcsim-default\n"
    told = 'error: there is no cluster "k" (chosen with: svcsim use); start it with: svcsim up k; running: default\n'
    assert svcsim("get", "nodes") == (1, "", told), "none takes its place"
    svcsim("use", "--forget")
    assert svcsim("get", "nodes")[2] == "No resources found\n"
    svcsim("down")
    assert svcsim("config", "get-contexts", "-o", "name")[1] == "", "an ephemeral cluster never comes back"


@from_scratch
def test_a_port_in_use_is_told_and_nothing_is_left_behind(svcsim, home):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        code, out, err = svcsim("up", "--port", str(port))
    assert (code, out) == (1, "")
    assert err == f"error: port {port} is in use; choose another with --port, or leave it out for a free one\n"
    assert not state.cluster_dir().path.exists()


def test_a_foreign_data_directory_is_left_alone(svcsim, home, tmp_path):
    (tmp_path / "photos").mkdir()
    (tmp_path / "photos" / "cat.jpg").write_text("miaow")
    code, _, err = svcsim("up", "--data-dir", str(tmp_path / "photos"))
    assert (code, err) == (
        1,
        f'error: {tmp_path}/photos is not empty and holds no svcsim cluster; choose an empty directory for cluster "default"\n',
    )
    assert [path.name for path in (tmp_path / "photos").iterdir()] == ["cat.jpg"]
    assert not state.cluster_dir().path.exists()


def test_a_data_directory_in_use_is_told(svcsim, home, tmp_path):
    assert svcsim("up", "a", "--nodes", "0", "--data-dir", str(tmp_path / "data"))[0] == 0
    code, _, err = svcsim("up", "b", "--nodes", "0", "--data-dir", str(tmp_path / "data"))
    assert (code, err) == (1, f"error: the data directory {tmp_path}/data is in use by another process\n")
    assert not state.cluster_dir("b").path.exists()
    assert svcsim("down", "a", "--purge")[0] == 0
    assert not (tmp_path / "data").exists()


def test_a_data_directory_of_the_other_dialect_is_told(svcsim, home, tmp_path):
    svcsim("up", "a", "--nodes", "0", "--data-dir", str(tmp_path / "data"))
    svcsim("down", "a")
    code, _, err = svcsim("up", "b", "--dialect", "kubernetes", "--data-dir", str(tmp_path / "data"))
    assert code == 1
    assert err.startswith(f"error: the data directory {tmp_path}/data can't be used: ")
    assert len(err.splitlines()) == 1


def test_a_home_that_is_a_file_is_told(svcsim, home):
    home.write_text("in the way")
    code, _, err = svcsim("up")
    assert (code, len(err.splitlines())) == (1, 1)
    assert err.startswith("error: can't write to ")
    home.unlink()


@pytest.mark.skipif(os.geteuid() == 0, reason="the administrator may write anywhere")
def test_a_directory_without_permission_is_told(svcsim, home, tmp_path):
    locked = tmp_path / "locked"
    locked.mkdir(mode=0o500)
    code, _, err = svcsim("up", "--data-dir", str(locked / "data"))
    assert (code, len(err.splitlines())) == (1, 1)
    assert "permission" in err


def test_a_server_in_the_foreground_ends_with_control_c(home):
    words = [sys.executable, "-m", "svcsim", "up", "--foreground", "--ephemeral", "--nodes", "0"]
    with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=ROOT) as process:
        assert "is ready at https://127.0.0.1:" in process.stdout.readline()
        process.send_signal(signal.SIGINT)
        assert process.wait(20) == 0
        assert process.stderr.read() == ""
    assert not state.cluster_dir().path.exists()


@from_scratch
def test_the_servers_log_is_printed(svcsim, home):
    svcsim("up", "--nodes", "0", "--ephemeral")
    assert "cluster default is ready at https://" in svcsim("logs-server")[1]
    assert svcsim("logs-server", "--tail", "0") == (0, "", "")


def test_the_servers_log_does_not_grow_without_end(svcsim, home):
    svcsim("up", "--nodes", "0")
    svcsim("down")
    log = state.cluster_dir().log_file
    os.truncate(log, limits.SERVER_LOG_BYTES)
    svcsim("up")
    assert log.stat().st_size < limits.SERVER_LOG_BYTES
    assert log.with_name("server.log.1").stat().st_size == limits.SERVER_LOG_BYTES


@from_scratch
def test_a_store_that_is_cut_short_while_it_is_served_ends_the_server_with_a_word(svcsim, home):
    """The page can't be read, and nothing can be said of what else can't. What there is to do is told by the next start."""
    code, out, _ = svcsim("up", "--nodes", "0")
    assert code == 0
    cluster = state.cluster_dir("default")
    os.truncate(cluster.path / "store" / "data.mdb", 4096)
    code, _, err = svcsim("get", "configmaps", "-A")
    assert code == 1
    assert err
    assert not cluster.running()
    assert "Fatal Python error: Bus error" in svcsim("logs-server")[1]
    code, out, err = svcsim("up")
    assert (code, out) == (1, "")
    assert "data.mdb is damaged: it is cut short" in err
    assert err.endswith("put a copy of it back, or delete the cluster and its data and begin anew\n")
    assert svcsim("down", "--purge")[0] == 0
    assert svcsim("up", "--nodes", "0")[0] == 0


def test_status_tells_what_the_cluster_was_asked_to_be(svcsim, home, tmp_path):
    svcsim("up", "--nodes", "0", "--ephemeral")
    told = svcsim("status")[1]
    assert "Schedulers:   default-scheduler\n" in told
    assert "Services:     10.96.0.0/16, node ports 30000-32767\n" in told
    assert "Pods:         10.224.0.0/11, of which each node gets a /24\n" in told
    assert "Stages:" not in told
    svcsim("down", "--purge")
    stages = tmp_path / "own.yaml"
    stages.write_text("{apiVersion: svcsim.dev/v1, kind: Stage, metadata: {name: x}, match: {kind: Pod}, delete: true}")
    networks = ("--service-cluster-ip-range=10.0.0.0/24,fd00::/112", "--cluster-cidr=10.1.0.0/16,fd01::/48")
    more = ("--stages=pod-fast", f"--stages={stages}", "--scheduler-names=a,b", "--node-cidr-mask-size-ipv4=20", "--controllers=*,-job")
    assert svcsim("up", "--nodes", "0", "--ephemeral", *networks, *more)[0] == 0
    told = svcsim("status")[1]
    assert f"Stages:       pod-fast, {stages}\n" in told
    assert "Schedulers:   a, b\n" in told
    assert "Services:     10.0.0.0/24, fd00::/112, node ports 30000-32767\n" in told
    assert "Pods:         10.1.0.0/16, fd01::/48, of which each node gets a /20 and a /64\n" in told
    answer = json.loads(svcsim("status", "-o", "json")[1])
    asked = answer["settings"]
    assert (asked["stages"], asked["schedulerNames"]) == (["pod-fast", str(stages)], ["a", "b"])
    assert (asked["serviceClusterIPRange"], asked["serviceNodePortRange"]) == ("10.0.0.0/24,fd00::/112", "30000-32767")
    assert answer["nodeRanges"] == [{"network": "10.1.0.0/16", "maskSize": 20}, {"network": "fd01::/48", "maskSize": 64}]
    svcsim("down", "--purge")
    svcsim("up", "--nodes", "0", "--ephemeral", "--no-allocate-node-cidrs", "--controllers=*,-scheduler")
    assert "Pods:" not in (told := svcsim("status")[1])
    assert "Schedulers:" not in told


def test_status_tells_which_controllers_are_switched_off(svcsim, home):
    svcsim("up", "--nodes", "0", "--ephemeral", "--controllers=*,-deployment,-job")
    assert "Switched off: deployment-controller, job-controller\n" in svcsim("status")[1]
    assert json.loads(svcsim("status", "-o", "json")[1])["controllersOff"] == ["deployment-controller", "job-controller"]
    svcsim("down", "--purge")
    svcsim("up", "--nodes", "0", "--ephemeral")
    assert "Switched off" not in svcsim("status")[1], "all of them run"
    svcsim("down", "--purge")
    svcsim("up", "--nodes", "0", "--ephemeral", "--controllers=job")
    (line,) = [line for line in svcsim("status")[1].splitlines() if line.startswith("Switched off:")]
    assert line.count(",") == 7
    assert line.endswith(" more")
