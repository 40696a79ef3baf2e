"""Power failures of a whole cluster's directory: starts, serves, stops and purges what each may leave on the disk.

One real first start, with a write that is answered, and one restart are recorded
(`tests.crash.recorded_disk`); each image is what the disk may hold had the power failed at a random moment of them. Whatever moment that
was, the cluster starts; from the moment it was called ready it starts without any options, and what was answered is there.
"""

import asyncio
import contextlib
import gc
import hashlib
import io
import os
import shutil
import signal
import tempfile
import threading
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path

from svcsim.chance import Chance
from svcsim.cli.failure import CommandError, StartError
from svcsim.cli.main import run as command
from svcsim.cli.own import daemon, lifecycle
from svcsim.cli.shared import state
from svcsim.client import kubeconfig
from svcsim.client.blocking import BlockingTransport
from svcsim.cluster import cluster as cluster_module
from svcsim.cluster.spec import ClusterSpec
from svcsim.meta.http import Request
from svcsim.meta.types import Object
from tests.crash.recorded_disk import Recorder, image, whole
from tests.soak.progress import strikes

NAME = "c"
COLLECTED_EVERY = 50
PATH = "/api/v1/namespaces/default/configmaps"
BODY = b'{"metadata":{"name":"kept"},"data":{"a":"1"}}'


def main(count: int, seed: int) -> str:
    """Try so many images. Raises `AssertionError` in the end if any of them failed, which were printed."""
    chance = Chance(seed)
    with tempfile.TemporaryDirectory() as scratch:
        recorder = recorded(Path(scratch) / "recorded")
        failed = 0
        seen: set[tuple[bool, bool, bytes]] = set()
        for number in strikes(count):
            home = Path(scratch) / "image"
            point = chance.integer(0, len(recorder.operations))
            image(recorder.operations[:point], home, chance)
            ready, answered = point >= recorder.marks["ready"], point >= recorder.marks["answered"]
            what = (ready, answered, fingerprint(home))
            told = "" if what in seen else tried(home, ready=ready, answered=answered)
            seen.add(what)
            if told:
                failed += 1
                print(f"image {number}, after operation {point} of {len(recorder.operations)}: {told}", flush=True)
            shutil.rmtree(home)
            if not number % COLLECTED_EVERY:
                gc.unfreeze()  # a server that starts keeps what is there from being looked at ever again: here, what the ones before left
                gc.collect()
    assert not failed, f"{failed} of {count} images failed"
    return f"{count} images of {len(recorder.operations)} operations, {len(seen)} of them different: none failed"


def fingerprint(home: Path) -> bytes:
    """The same for images that hold the same: such are tried once."""
    digest = hashlib.sha256()
    for path, data in ((path, read(home, path)) for path in contents(home)):
        digest.update(f"{path}\0{data is None}\0{len(data or b'')}\0".encode() + (data or b""))
    return digest.digest()


def recorded(home: Path) -> Recorder:
    """A first start, a write, a stop, and a restart, as they were done to the disk. Leaves the functions of `os` as they were."""
    home.mkdir()
    recorder = Recorder(home)
    genuine = cluster_module.open_cluster
    cluster_module.open_cluster = partial(genuine, probe=recorder.probe)
    recorder.start()
    try:
        served(home, ClusterSpec(nodes=1), write, on_ready=partial(recorder.mark, "ready"))
        recorder.mark("answered")
        served(home, lifecycle.kept(cluster_of(home)), look)
    finally:
        cluster_module.open_cluster = genuine
        recorder.stop()
    whole(recorder.operations, home.parent / "whole")
    differing = [path for path in contents(home) | contents(home.parent / "whole") if read(home, path) != read(home.parent / "whole", path)]
    assert differing == [], f"something writes these past the one way to write a file: {differing}"
    return recorder


def contents(root: Path) -> dict[Path, None]:
    return {path.relative_to(root): None for path in sorted(root.rglob("*")) if not path.name.startswith("server.log")}


def read(root: Path, path: Path) -> bytes | None:
    file = root / path
    return file.read_bytes() if file.is_file() else (b"" if file.is_dir() else None)


def cluster_of(home: Path) -> state.ClusterDir:
    os.environ["SVCSIM_HOME"] = str(home)
    return state.cluster_dir(NAME)


def served(
    home: Path, spec: ClusterSpec | None, use: Callable[[BlockingTransport], str], on_ready: Callable[[], None] = lambda: None
) -> str:
    """Serve a cluster until it was used once; what the use says. Raises `StartError`."""
    cluster = cluster_of(home)
    spec = spec or ClusterSpec(nodes=1)
    spec = replace(spec, data_dir=spec.data_dir or cluster.path)
    said: list[str] = []

    def use_and_stop() -> None:
        try:
            access = kubeconfig.resolve(kubeconfig.load([cluster.kubeconfig]))
            with BlockingTransport(access) as transport:
                said.append(use(transport))
        finally:
            os.kill(os.getpid(), signal.SIGTERM)

    def ready(record: Object) -> None:
        on_ready()
        threading.Thread(target=use_and_stop).start()

    with asyncio.Runner(loop_factory=daemon.new_loop) as runner:
        os.close(runner.run(daemon.serve(NAME, spec, ready)))  # this process goes on
    return said[0] if said else "its client failed"


def write(transport: BlockingTransport) -> str:
    response = transport.send(Request("POST", PATH, "", {"content-type": "application/json"}, BODY))
    assert response.status == 201, response.body
    return ""


def look(transport: BlockingTransport) -> str:
    response = transport.send(Request("GET", f"{PATH}/kept", "", {}, b""))
    return "" if response.status == 200 else f"an answered write is lost: {response.status}"


def tried(home: Path, *, ready: bool, answered: bool) -> str:
    """What is wrong with what an image's cluster does; empty if nothing is."""
    cluster = cluster_of(home)
    try:
        spec = lifecycle.kept(cluster)
        if ready and spec is None:
            return "it was ready, and its settings are gone"
        told = served(home, spec, look if answered else (lambda _: ""))
    except (StartError, CommandError) as error:
        return f"it doesn't start: {error}"
    for words, wanted in ((["clusters"], 0), (["status", NAME], 1), (["down", NAME], 0), (["down", NAME, "--purge"], 0)):
        with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()) as errors:
            if command(words) != wanted:
                told += f"; {' '.join(words)}: {errors.getvalue()}"
    return told + ("; its directory is still there" if cluster.path.exists() else "")
