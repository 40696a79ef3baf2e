"""A disk that fails: at the start, under load, at the end; once, or for good; each call that writes, with each error a disk has.

Whatever it is, a command ends with 0, or with 1 and one line; nothing hangs; a server that can't write says so to whoever asks; and once
the disk is well again, everything that was ever answered is there.
"""

import errno
import shutil
import subprocess
import sys
import tempfile
import threading
from collections import Counter
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path

import orjson

from svcsim.chance import Chance
from svcsim.cli.shared import state
from svcsim.client import kubeconfig
from svcsim.client.blocking import BlockingTransport
from svcsim.meta.http import Request, Response
from tests.process import ROOT, environment
from tests.soak.failing_disk import CALLS, FOR_GOOD, FailingDisk
from tests.soak.progress import strikes

ERRORS = (errno.EIO, errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
PASSES = (0, 0, 1, 2, 3, 5, 8, 13, 21, 34)
NAME = "c"
MAPS = "/api/v1/namespaces/default/configmaps"
WRITERS = 3
WRITES = 25
"""Of each writer while the disk fails."""
COMMAND_S = 30.0
"""A command that takes longer hangs."""
REFUSED = (500, 507)


@dataclass
class Fault:
    """What the disk does wrong."""

    call: str
    error: int
    passes: int
    times: int

    def __str__(self) -> str:
        often = "for good" if self.times == FOR_GOOD else "once"
        return f"{self.call} fails with {errno.errorcode[self.error]} after {self.passes}, {often}"


@dataclass
class Cluster:
    """A cluster on such a disk, and what it has answered."""

    home: Path
    disk: FailingDisk
    answered: dict[str, None] = field(default_factory=dict)

    @property
    def files(self) -> state.ClusterDir:
        return state.ClusterDir(NAME, self.home / "clusters" / NAME)

    def failing(self, fault: Fault) -> AbstractContextManager[None]:
        return self.disk.failing(fault.call, fault.error, passes=fault.passes, times=fault.times)

    def command(self, *words: str) -> tuple[int, str]:
        """How a command ended, and what it said. It ends in time, and says what is wrong in one line."""
        surroundings = {**environment(self.home), **self.disk.environment}
        line = [sys.executable, "-m", "svcsim", *words]
        done = subprocess.run(line, check=False, capture_output=True, text=True, env=surroundings, cwd=ROOT, timeout=COMMAND_S)
        assert done.returncode in (0, 1), (words, done)
        assert len(done.stderr.splitlines()) == done.returncode, (words, done)
        return done.returncode, done.stdout + done.stderr

    def well(self, *words: str) -> str:
        """The same of a command that has to succeed."""
        code, said = self.command(*words)
        assert code == 0, f"{words}: {said}{self.log()}"
        return said

    def log(self) -> str:
        return self.files.log_file.read_text() if self.files.log_file.exists() else ""

    def client(self) -> BlockingTransport:
        return BlockingTransport(kubeconfig.resolve(kubeconfig.load([self.files.kubeconfig])))

    def write(self, client: BlockingTransport, name: str) -> Response:
        """Create an object; one whose creation is confirmed is there from now on."""
        body = orjson.dumps({"metadata": {"name": name}, "data": {"text": name * 200}})
        response = client.send(Request("POST", MAPS, "", {"content-type": "application/json"}, body))
        assert response.status == 201 or response.status in REFUSED, response
        if response.status == 201:
            self.answered[name] = None
        else:
            assert orjson.loads(response.body)["kind"] == "Status", response
        return response

    def check(self) -> None:
        """Everything that was answered is there, and more can be written."""
        with self.client() as client:
            listed = orjson.loads(client.send(Request("GET", MAPS, "", {}, b"")).body)
            there = {item["metadata"]["name"]: (item.get("data") or {}).get("text") for item in listed["items"]}
            lost = [name for name in self.answered if there.get(name) != name * 200]
            assert not lost, f"answered, and lost: {lost}; {self.log()}"
            answer = self.write(client, f"check-{len(self.answered)}")
            assert answer.status == 201, f"it writes no more: {answer.body!r}"


def main(count_: int, seed: int) -> str:
    """Fail so often; a line of figures."""
    results: Counter[str] = Counter()
    with tempfile.TemporaryDirectory() as scratch:
        home = Path(scratch).resolve() / "home"
        disk = FailingDisk(Path(scratch), home)
        for number in strikes(count_):
            chance = Chance(seed).fork(f"fault {number}")
            results.update([_one(Cluster(home, disk), chance)])
            shutil.rmtree(home)
    return ", ".join([f"faults {count_}", *[f"{what} {often}" for what, often in sorted(results.items())], "answered and lost 0"])


def _one(cluster: Cluster, chance: Chance) -> str:
    fault = Fault(chance.choice(CALLS), chance.choice(ERRORS), chance.choice(PASSES), chance.choice((1, FOR_GOOD)))
    moment = chance.choice(tuple(MOMENTS))
    try:
        MOMENTS[moment](cluster, fault, chance)
    except (AssertionError, subprocess.TimeoutExpired) as problem:
        raise AssertionError(f"{moment}, {fault}: {problem}") from problem
    finally:
        cluster.disk.heal()
        cluster.command("down", NAME, "--purge")
    return moment


def _first_start(cluster: Cluster, fault: Fault, chance: Chance) -> None:
    durability = chance.choice(("full", "process"))
    with cluster.failing(fault):
        code, said = cluster.command("up", NAME, "--nodes", "1", "--durability", durability)
    if code:
        assert not cluster.files.running(), said
        assert not cluster.files.path.exists(), f"{said}: {list(cluster.files.path.iterdir())} is left behind"
        cluster.well("up", NAME)
    cluster.check()
    _restart(cluster)


def _later_start(cluster: Cluster, fault: Fault, chance: Chance) -> None:
    _start(cluster, chance)
    cluster.check()
    cluster.well("down", NAME)
    with cluster.failing(fault):
        code, said = cluster.command("up", NAME)
    if code:
        assert not cluster.files.running(), said
        cluster.well("up", NAME)
    cluster.check()
    _restart(cluster)


def _load(cluster: Cluster, fault: Fault, chance: Chance) -> None:
    _start(cluster, chance)
    with cluster.failing(fault):
        refused = _write_together(cluster)
        if refused:
            assert fault.call == "write" or "the store can't write" in cluster.log(), "not a word in the log"
        if refused and fault.times == FOR_GOOD:
            _check_told(cluster)
        if chance.choice((True, False)):
            _stop(cluster, fault)
    if cluster.files.running():
        cluster.check()
        _check_well(cluster)
        cluster.well("down", NAME)
    cluster.well("up", NAME)
    cluster.check()


def _end(cluster: Cluster, fault: Fault, chance: Chance) -> None:
    _start(cluster, chance)
    cluster.check()
    with cluster.failing(fault):
        _stop(cluster, fault)
    cluster.well("up", NAME)
    cluster.check()


MOMENTS: dict[str, Callable[[Cluster, Fault, Chance], None]] = {
    "first start": _first_start,
    "later start": _later_start,
    "load": _load,
    "end": _end,
}


def _start(cluster: Cluster, chance: Chance) -> None:
    cluster.well("up", NAME, "--nodes", "1", "--durability", chance.choice(("full", "process")))


def _stop(cluster: Cluster, fault: Fault) -> None:
    """Stop it while the disk fails. Where not even its lock can be read, nobody can tell which process that would be."""
    code, said = cluster.command("down", NAME)
    assert code == 0 or (fault.call in ("open", "read") and str(cluster.files.path) in said), said
    cluster.disk.heal()
    if code:
        cluster.well("down", NAME)
    assert not cluster.files.running(), "it still runs"


def _restart(cluster: Cluster) -> None:
    cluster.well("down", NAME)
    cluster.well("up", NAME)
    cluster.check()


def _write_together(cluster: Cluster) -> int:
    """Several writers at once; how many writes were refused. Every one of them is answered."""
    numbers, refused, answers = count(), [0] * WRITERS, [0] * WRITERS

    def write(writer: int) -> None:
        with cluster.client() as client:
            for _ in range(WRITES):
                refused[writer] += cluster.write(client, f"load-{next(numbers)}").status in REFUSED
                answers[writer] += 1

    threads = [threading.Thread(target=write, args=(writer,)) for writer in range(WRITERS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert answers == [WRITES] * WRITERS, f"{answers} answers; {cluster.log()}"
    return sum(refused)


def _check_well(cluster: Cluster) -> None:
    """A server whose disk is well again is ready, and speaks of no trouble."""
    with cluster.client() as client:
        ready = client.send(Request("GET", "/readyz", "", {}, b""))
    told = cluster.well("status", NAME)
    assert ready.status == 200, ready.body
    assert "Trouble" not in told, told


def _check_told(cluster: Cluster) -> None:
    """A server that can't write lives, is not ready, and says why."""
    with cluster.client() as client:
        assert client.send(Request("GET", "/readyz", "", {}, b"")).status == 500, "it calls itself ready"
        assert client.send(Request("GET", "/livez", "", {}, b"")).status == 200
        assert client.send(Request("GET", MAPS, "", {}, b"")).status == 200, "what is there can be read"
    assert "Trouble: " in cluster.well("status", NAME)
