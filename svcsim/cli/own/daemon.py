"""The process that serves a cluster: ``python -m svcsim.cli.own.daemon NAME SETTINGS PIPE``, started by ``svcsim up``.

It holds the cluster's lock while it lives, tells its starter over a pipe when it is ready (or why it can't be), and stops cleanly on
SIGTERM. What it has to say afterwards goes to ``server.log`` (`server_log`). ``up --foreground`` runs the same in its own process.
"""

import asyncio
import contextlib
import errno
import faulthandler
import logging
import os
import shutil
import signal
import sys
from collections.abc import Callable
from dataclasses import replace

import orjson

from svcsim.cli.failure import StartError, TakenError
from svcsim.cli.own.server_log import ServerLog
from svcsim.cli.shared import state
from svcsim.client import kubeconfig
from svcsim.client.kubeconfig import Access
from svcsim.clock import format_time, stopwatch, wall_sleep, wall_time
from svcsim.cluster.settings import changed, from_json, to_json
from svcsim.cluster.spec import ClusterSpec
from svcsim.meta.types import Object

logger = logging.getLogger(__name__)

LOCK_S = 0.5
"""How long to try for the cluster's lock: who only looks whether the cluster runs holds it for a moment too."""
POLL_S = 0.01


Ready = Callable[[Object], None]
"""Is called with the server's record once requests are answered."""


async def serve(name: str, spec: ClusterSpec, ready: Ready) -> None:
    """Serve until SIGTERM or SIGINT. Raises `StartError`."""
    stopping = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, stopping.set)
    cluster = state.cluster_dir(name)
    lock = _lock(cluster)
    try:
        with _StartErrors(spec, cluster):
            await _serve_locked(spec, cluster, ready, stopping)
    finally:
        cluster.server_file.unlink(missing_ok=True)
        if spec.data_dir is None and not cluster.settings_file.exists():
            shutil.rmtree(cluster.path, ignore_errors=True)  # nothing was kept here, and nothing is to be
        os.close(lock)


async def _serve_locked(spec: ClusterSpec, cluster: state.ClusterDir, ready: Ready, stopping: asyncio.Event) -> None:
    from svcsim.cluster.cluster import open_cluster  # slow, and needless where the lock is taken
    from svcsim.cluster.process import settle_process, tune_process

    started = stopwatch()
    tune_process()
    async with open_cluster(replace(spec, served=True)) as running:
        served = await running.serve()
        record: Object = {
            "pid": os.getpid(),
            "url": served.url,
            "started": format_time(wall_time()),
            **to_json(changed(spec, {"port": served.port, "seed": running.seed})),
        }
        _write_kubeconfig(cluster, served.url, served.ca_certificate.read_bytes(), served.token)
        state.write_json(cluster.server_file, record)
        logger.info("cluster %s is ready at %s after %.3f s", cluster.name, served.url, stopwatch() - started)
        ready(record)
        settle_process()
        await stopping.wait()
        logger.info("cluster %s stops", cluster.name)


def _lock(cluster: state.ClusterDir) -> int:
    deadline = stopwatch() + LOCK_S
    while (handle := _hold(cluster)) is None:
        if stopwatch() > deadline:
            raise TakenError(f'cluster "{cluster.name}" is already being started or served by another process')
        wall_sleep(POLL_S)
    os.ftruncate(handle, 0)
    os.write(handle, str(os.getpid()).encode())
    return handle


def _hold(cluster: state.ClusterDir) -> int | None:
    try:
        cluster.path.mkdir(mode=0o700, parents=True, exist_ok=True)
        return state.hold(cluster.lock_file)
    except OSError as error:
        raise StartError(f"can't write to {cluster.path}: {(error.strerror or str(error)).lower()}") from error


class _StartErrors(contextlib.AbstractContextManager[None]):
    """Turns what goes wrong while a cluster opens into one line that says what to do."""

    def __init__(self, spec: ClusterSpec, cluster: state.ClusterDir) -> None:
        self._spec = spec
        self._cluster = cluster

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: object) -> None:
        from svcsim.admission.chain import UnknownPluginError
        from svcsim.registry.runtime_config import RuntimeConfigError
        from svcsim.storage.contract import FormatError, LockedError, StoreError

        if isinstance(error, RuntimeConfigError | UnknownPluginError):
            raise StartError(str(error)) from error
        where = self._spec.data_dir or self._cluster.path
        if isinstance(error, LockedError):
            raise StartError(f"the data directory {where} is in use by another process") from error
        if isinstance(error, FormatError):
            raise StartError(f"the data directory {where} can't be used: {error}") from error
        if isinstance(error, StoreError):
            raise StartError(f"the data in {where} can't be opened: {error}") from error
        if isinstance(error, PermissionError):
            raise StartError(f"no permission to use {error.filename or where}") from error
        if isinstance(error, OSError) and error.errno == errno.EADDRINUSE:
            port = self._spec.port
            raise StartError(f"port {port} is in use; choose another with --port, or leave it out for a free one") from error
        if isinstance(error, OSError):
            raise StartError(f"{error.filename or where}: {(error.strerror or str(error)).lower()}") from error


def _write_kubeconfig(cluster: state.ClusterDir, url: str, ca_pem: bytes, token: str) -> None:
    """Write the administrator's client configuration; the namespace that was chosen in the one before stays."""
    before = kubeconfig.read_file(cluster.kubeconfig) or {}
    contexts = before.get("contexts") or [{}]
    namespace = (contexts[0].get("context") or {}).get("namespace", "")
    access = Access(url, namespace=namespace, ca_pem=ca_pem, token=token)
    kubeconfig.write_file(cluster.kubeconfig, kubeconfig.describe(f"svcsim-{cluster.name}", access))


def run(name: str, spec: ClusterSpec, ready: Ready) -> None:
    """Serve in this process, on the fastest event loop there is."""
    with asyncio.Runner(loop_factory=_new_loop) as runner:
        runner.run(serve(name, spec, ready))


def _new_loop() -> asyncio.AbstractEventLoop:
    if sys.platform == "win32":
        return asyncio.new_event_loop()
    import uvloop

    return uvloop.new_event_loop()


def main() -> int:
    """The detached process: the cluster's name, its settings as JSON, and the pipe's descriptor in its arguments."""
    name, spec, pipe = sys.argv[1], from_json(ClusterSpec, orjson.loads(sys.argv[2])), int(sys.argv[3])
    faulthandler.enable()  # a page of the store that the disk can't read ends the process: its log says where
    log = ServerLog(state.cluster_dir(name).log_file)
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(levelname)s %(name)s: %(message)s", handlers=[log])

    def report(message: Object) -> None:
        with contextlib.suppress(BrokenPipeError):  # whoever started us has gone; the cluster is up all the same
            os.write(pipe, orjson.dumps(message) + b"\n")
        os.close(pipe)

    try:
        run(name, spec, report)
    except StartError as error:
        report({"error": str(error), "taken": isinstance(error, TakenError)})
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
