"""A cluster's own files missing, empty, cut, overwritten, of another type or unreadable: all commands answer, and nothing is lost.

What a file says that can be said anew is; where only its owner can say it, the file is named with what to do.
"""

import contextlib
import ctypes
import os
import shutil
import signal
import subprocess

import orjson
import pytest

from svcsim.cli.shared import state
from tests.waiting import until

FILES = ("lock", "server.json", "cluster.json", "kubeconfig")
KEYS = ("ca.crt", "ca.key", "server.crt", "server.key", "admin.crt", "admin.key", "admin.token", "sa.key", "sa.pub")
UNREADABLE = "unreadable"
PR_CAPBSET_DROP = 24
CAPABILITY_VERSION = 0x20080522
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
    """Give up what lets an administrator read everything, here and in all programs that are begun from here."""
    if os.geteuid() == 0:
        libc = ctypes.CDLL(None)
        header, sets = (ctypes.c_uint32 * 2)(CAPABILITY_VERSION, 0), (ctypes.c_uint32 * 6)()
        assert libc.capget(header, sets) == 0
        for capability in ALL_ACCESS:
            libc.prctl(PR_CAPBSET_DROP, capability, 0, 0, 0)
            for held in range(3):  # effective, permitted and inheritable ones
                sets[held] &= ~(1 << capability)
        assert libc.capset(header, sets) == 0


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
        until(lambda: not found.running())
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
    assert svcsim("down", "c", "--purge", **more)[0] == 0
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
    assert (code, err.count("\n")) == (0, 1)
    assert err.startswith(f"warning: the disk of {disk}/home/clusters/c has ")
    assert err.endswith(" KiB left: deletions go through, other writes may be refused; make some room\n")
    assert svcsim("--cluster", "c", "get", "configmap", "new", "-o", "name") == (0, "configmap/new\n", "")
    assert svcsim("down", "c", "--purge")[0] == 0
    assert state.all_clusters() == []


def test_a_cluster_that_was_killed_on_a_full_disk_is_started_again_and_emptied(svcsim, home, small_disk):
    """What it kept back of the disk is nearly gone, and others have taken nearly all else."""
    disk, resize = small_disk
    resize("24m")
    assert svcsim("up", "c", "--nodes", "1")[0] == 0
    assert svcsim("--cluster", "c", "create", "-f", "tests/cli/golden/manifests/cmnew.yaml")[0] == 0
    cluster = state.cluster_dir("c")
    os.kill(cluster.holder(), signal.SIGKILL)
    until(lambda: not cluster.running())
    os.truncate(cluster.path / "store" / "ballast", 600_000)
    fill(disk / "filler")
    os.truncate(disk / "filler", (disk / "filler").stat().st_size - 300_000)
    for _ in range(3):
        code, _, err = svcsim("up", "c")
        assert (code, err.count("\n"), "make some room" in err) == (0, 1, True)
        os.kill(cluster.holder(), signal.SIGKILL)
        until(lambda: not cluster.running())
    assert svcsim("up", "c")[0] == 0
    assert svcsim("--cluster", "c", "delete", "configmap", "new") == (0, 'configmap "new" deleted\n', "")
    assert svcsim("down", "c")[0] == 0


@pytest.mark.parametrize("told", [b'"name":"new"', b"resource/configmaps"])
def test_pages_that_end_the_server_are_named(svcsim, cluster, told):
    """They aren't looked over after a kill, which leaves them whole: that somebody has changed them shows as the server falls over them."""
    for words in (("up", "c"), ("down", "c"), ("up", "c")):
        assert svcsim(*words)[0] == 0
    os.kill(cluster.holder(), signal.SIGKILL)
    until(lambda: not cluster.running())
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


@pytest.mark.parametrize("damage", ["empty", "half", "garbage", "another JSON", "a directory", UNREADABLE])
def test_a_choice_that_cannot_be_read_is_no_trouble_to_who_names_a_cluster(svcsim, cluster, home, damage):
    more = {"preexec_fn": as_others} if damage == UNREADABLE else {}
    assert svcsim("use", "c")[0] == 0
    DAMAGES[damage](home / "chosen.json")
    code, out, err = svcsim("up", "c", **more)
    assert (code, "is ready" in out) == (0, True)
    assert "svcsim down c" in out, "the name is spelled where nothing can be chosen"
    assert err.startswith("warning: ")
    assert len(err.splitlines()) == 1
    assert str(home / "chosen.json") in err
    assert svcsim("--cluster", "c", "get", "configmap", "new", "-o", "name", **more) == (0, "configmap/new\n", "")
    cure = "delete it" if damage == "a directory" else "choose again with: svcsim use NAME"
    for words in (("get", "configmaps"), ("up",), ("down",)):
        code, out, err = svcsim(*words, **more)
        assert (code, out, cure in err) == (1, "", True)
    assert svcsim("down", "c", **more) == (0, 'Cluster "c" stopped\n', "")


@pytest.mark.parametrize("name", ["", "lock", "server.json", "cluster.json"])
def test_what_may_not_be_read_hides_no_other_cluster(svcsim, cluster, name):
    """`cluster` is the one that can't be looked at; another one runs beside it."""
    assert svcsim("up", "other", "--nodes", "0", "--durability", "process")[0] == 0
    more = {"preexec_fn": as_others}
    (cluster.path / name).chmod(0)
    code, out, err = svcsim("clusters", **more)
    assert (code, err) == (0, "")
    rows = {row.split()[0]: row.split()[1] for row in out.splitlines()[1:]}
    assert rows == {"c": "stopped" if name == "cluster.json" else "unknown", "other": "running"}
    code, out, err = svcsim("clusters", "-o", "json", **more)
    assert (code, err) == (0, "")
    found = {item["name"]: item for item in orjson.loads(out)}
    assert str(cluster.path) in found["c"]["hidden"]
    assert "hidden" not in found["other"]
    assert svcsim("get", "configmaps", "-o", "name", **more)[0] == 0
    code, _, err = svcsim("status", "c", **more)
    assert (code, str(cluster.path) in err) == (1, True)
    assert svcsim("down", "c", "--purge", **more) == (0, 'Cluster "c" and its data are gone\n', "")
    assert not cluster.path.exists()
    assert svcsim("down", "other", **more)[0] == 0


def test_nothing_runs_but_what_may_not_be_looked_at_is_told(svcsim, cluster):
    cluster.path.chmod(0)
    code, _, err = svcsim("get", "configmaps", preexec_fn=as_others)
    assert (code, err.splitlines()[0]) == (
        1,
        f"error: no cluster is running; start one with: svcsim up; can't look at c: {cluster.server_file}: permission denied",
    )
    cluster.path.chmod(0o700)


@pytest.mark.parametrize("damage", ["a directory", UNREADABLE])
@pytest.mark.parametrize(
    "name", ["ca.crt", "ca.key", "server.crt", "server.key", "admin.crt", "admin.key", "admin.token", "sa.key", "sa.pub"]
)
def test_a_key_that_cannot_be_read_is_named(svcsim, cluster, name, damage):
    path = cluster.path / "pki" / name
    DAMAGES[damage](path)
    code, out, err = svcsim("up", "c", preexec_fn=as_others)
    assert (code, out, err.count("\n")) == (1, "", 1)
    assert str(path) in err
    assert not cluster.running()


@pytest.mark.parametrize("lost", ["store/data.mdb", "store"])
def test_a_store_that_is_gone_is_not_replaced_by_an_empty_one(svcsim, cluster, lost):
    aside = cluster.path.parent / "aside"
    (cluster.path / lost).rename(aside)
    told = f'error: the data of cluster "c" are gone: there is no {cluster.path / lost}; put it back, '
    assert svcsim("up", "c") == (1, "", f"{told}or delete what is left with: svcsim down c --purge\n")
    assert not (cluster.path / lost).exists()
    aside.rename(cluster.path / lost)
    assert svcsim("up", "c")[0] == 0
    assert svcsim("--cluster", "c", "get", "configmap", "new", "-o", "name") == (0, "configmap/new\n", "")
    assert svcsim("down", "c", "--purge")[0] == 0
    assert svcsim("up", "c", "--nodes", "0")[0] == 0


def test_a_data_directory_that_is_gone_is_told_and_another_can_be_used(svcsim, tmp_path):
    assert svcsim("up", "c", "--nodes", "0", "--data-dir", str(tmp_path / "data"))[0] == 0
    assert svcsim("down", "c")[0] == 0
    shutil.rmtree(tmp_path / "data")
    code, _, err = svcsim("up", "c")
    assert (code, f"there is no {tmp_path / 'data'}; put it back" in err) == (1, True)
    assert not (tmp_path / "data").exists()
    assert svcsim("up", "c", "--data-dir", str(tmp_path / "new"))[0] == 0


def test_a_seal_without_what_it_seals_is_told(svcsim, home):
    """Also where what the cluster was started with is lost as well."""
    assert svcsim("up", "c", "--nodes", "0")[0] == 0
    assert svcsim("down", "c")[0] == 0
    path = state.cluster_dir("c").path
    (path / "cluster.json").unlink()
    (path / "store" / "data.mdb").unlink()
    code, _, err = svcsim("up", "c", "--nodes", "0")
    assert (code, f"{path / 'store' / 'data.mdb'} is gone, and what seals it is there; put it back" in err) == (1, True)
