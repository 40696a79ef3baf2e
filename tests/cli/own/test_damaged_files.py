"""A cluster's own files missing, empty, cut, overwritten, of another type or unreadable: all commands answer, and nothing is lost.

What a file says that can be said anew is; where only its owner can say it, the file is named with what to do.
"""

import contextlib
import ctypes
import os
import shutil
import signal
import subprocess

import pytest

from svcsim.cli.shared import state

FILES = ("lock", "server.json", "cluster.json", "kubeconfig")
UNREADABLE = "unreadable"
PR_CAPBSET_DROP = 24
ALL_ACCESS = (1, 2)
"""The capabilities by which an administrator reads what nobody may."""


def missing(path):
    path.unlink(missing_ok=True)


def cut_to(share):
    return lambda path: path.write_bytes(path.read_bytes()[: path.stat().st_size // share] if share and path.exists() else b"")


def overwritten(content):
    return lambda path: path.write_bytes(content)


def another_type(path):
    path.unlink(missing_ok=True)
    path.mkdir()


DAMAGES = {
    "missing": missing,
    "empty": cut_to(0),
    "half": cut_to(2),
    "garbage": overwritten(b"\xff\x00[[{garbage" * 9),
    "another JSON": overwritten(b'{"contexts": [5], "url": 7, "pid": "x", "dataDir": 4, "clusters": {}}\n'),
    "a directory": another_type,
    UNREADABLE: lambda path: (path.touch(), path.chmod(0)),
}
NAMED = {("cluster.json", damage) for damage in DAMAGES if damage != "missing"} | {
    (name, damage) for name in FILES for damage in ("a directory", UNREADABLE)
} - {("server.json", UNREADABLE)}
"""Where `up` can't go on by itself. A directory in the place of a client configuration can't be one that crashed: nobody's is deleted."""


def as_others():
    """Give up what lets an administrator read everything."""
    if os.geteuid() == 0:
        libc = ctypes.CDLL(None)
        for capability in ALL_ACCESS:
            libc.prctl(PR_CAPBSET_DROP, capability, 0, 0, 0)


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """A cluster's directory with an object in it, to be copied."""
    return tmp_path_factory.mktemp("made") / "c"


@pytest.fixture
def cluster(svcsim, home, made):
    """That cluster, stopped."""
    found = state.cluster_dir("c")
    if made.exists():
        shutil.copytree(made, found.path)
    else:
        assert svcsim("up", "c", "--nodes", "0", "--durability", "process")[0] == 0
        assert svcsim("--cluster", "c", "create", "-f", "tests/cli/golden/manifests/cmnew.yaml")[0] == 0
        os.kill(found.holder(), signal.SIGKILL)  # so that what only a running one has is there too
        while found.running():
            pass
        shutil.copytree(found.path, made)
    return found


@pytest.mark.parametrize("damage", DAMAGES)
@pytest.mark.parametrize("name", FILES)
def test_a_stopped_cluster_with_a_damaged_file(svcsim, cluster, name, damage):
    more = {"preexec_fn": as_others} if damage == UNREADABLE else {}
    DAMAGES[damage](cluster.path / name)

    def run(*words):
        code, out, err = svcsim(*words, **more)
        assert "Traceback" not in out + err
        assert code in (0, 1)
        assert len(err.splitlines()) == code, "an error is one line"
        return code, out, err

    run("clusters")
    run("status", "c")
    run("--cluster", "c", "get", "configmaps")
    run("down", "c")
    code, _, err = run("up", "c")
    if (name, damage) in NAMED:
        assert code == 1
        assert str(cluster.path / name) in err
        assert not cluster.running()
    else:
        assert (code, err) == (0, "")
        assert run("--cluster", "c", "get", "configmap", "new", "-o", "name") == (0, "configmap/new\n", "")
    assert svcsim("down", "c", "--purge")[0] == 0
    assert not cluster.path.exists()


@pytest.mark.parametrize("damage", ["missing", "empty", "garbage", "another JSON"])
@pytest.mark.parametrize("name", ["server.json", "cluster.json", "kubeconfig"])
def test_a_running_cluster_with_a_damaged_file(svcsim, cluster, name, damage):
    assert svcsim("up", "c")[0] == 0
    DAMAGES[damage](cluster.path / name)
    for words in (("clusters",), ("status", "c"), ("--cluster", "c", "get", "configmaps")):
        code, out, err = svcsim(*words)
        assert "Traceback" not in out + err
        assert len(err.splitlines()) == code
    assert svcsim("down", "c") == (0, 'Cluster "c" stopped\n', "")
    assert not cluster.running()
    assert svcsim("down", "c", "--purge")[0] == 0
    assert not cluster.path.exists()


def test_a_lock_file_that_names_nobody_ends_nobody(svcsim, cluster):
    assert svcsim("up", "c")[0] == 0
    cluster.lock_file.write_text(str(os.getpid()))
    code, _, err = svcsim("down", "c")
    assert code == 1
    assert str(cluster.lock_file) in err
    cluster.lock_file.write_text("nobody")
    assert svcsim("down", "c")[0] == 0, "the server's own record says it too"
    assert not cluster.running()


@pytest.fixture
def small_disk(tmp_path, monkeypatch):
    """A file system of a megabyte that the clusters are on, where that can be had, and how to give it another size."""
    disk = tmp_path / "disk"
    disk.mkdir()
    if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", disk], capture_output=True, check=False).returncode:
        pytest.skip("mounting a small file system takes root")
    monkeypatch.setenv("SVCSIM_HOME", str(disk / "home"))
    yield disk, lambda size: subprocess.run(["mount", "-o", f"remount,size={size}", disk], check=True)
    subprocess.run(["umount", "-l", disk], check=True)


def fill(path):
    with path.open("ab", buffering=0) as file, contextlib.suppress(OSError):
        while file.write(bytes(4096)):
            pass


def test_a_full_disk_keeps_a_cluster_from_being_made_and_not_from_being_started(svcsim, home, small_disk):
    disk, resize = small_disk
    code, out, err = svcsim("up", "c", "--nodes", "1")
    assert (code, out, err.count("\n")) == (1, "", 1)
    assert "the disk or the store's map is full" in err
    assert state.all_clusters() == [], "nothing is left behind"

    resize("24m")
    assert svcsim("up", "c", "--nodes", "1")[0] == 0
    assert svcsim("--cluster", "c", "create", "-f", "tests/cli/golden/manifests/cmnew.yaml")[0] == 0
    fill(disk / "filler")
    assert svcsim("down", "c") == (0, 'Cluster "c" stopped\n', "")
    fill(disk / "more")
    code, _, err = svcsim("up", "c")
    assert (code, err) == (0, "")
    assert svcsim("--cluster", "c", "get", "configmap", "new", "-o", "name") == (0, "configmap/new\n", "")
    assert svcsim("down", "c", "--purge")[0] == 0
    assert state.all_clusters() == []


@pytest.mark.parametrize("told", [b'"name":"new"', b"resource/configmaps"])
def test_pages_that_end_the_server_are_named(svcsim, cluster, told):
    """They aren't looked over after a kill, which leaves them whole: that somebody has changed them shows as the server falls over them."""
    for words in (("up", "c"), ("down", "c"), ("up", "c")):
        assert svcsim(*words)[0] == 0
    os.kill(cluster.holder(), signal.SIGKILL)
    while cluster.running():
        pass
    data_file, page_bytes = cluster.path / "store" / "data.mdb", os.sysconf("SC_PAGESIZE")
    with data_file.open("r+b") as file:
        while page := file.read(page_bytes):
            if told in page:
                file.seek(-page_bytes, os.SEEK_CUR)
                file.write(bytes(page_bytes))
    code, out, err = svcsim("up", "c")
    assert (code, out, err.count("\n")) == (1, "", 1)
    assert f"{data_file} is damaged: " in err
    assert not cluster.running()
