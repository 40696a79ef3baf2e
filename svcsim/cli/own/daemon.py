"""The process that serves a cluster: ``python -m svcsim.cli.own.daemon NAME SETTINGS PIPE``, started by ``svcsim up``.

It holds the cluster's lock while it lives, reports over a pipe to the process that started it when it is ready (or why it can't be), and
stops cleanly on SIGTERM. If that process has gone by then, it was interrupted: the user doesn't know of the cluster, so the server ends. It
also ends by itself when its directory is removed, or another cluster's is in its place: no command could find it any longer. Its later
output goes to ``server.log`` (`server_log`). ``up --foreground`` runs the same in its own process.
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
from svcsim.cli.own.own_files import OwnFiles
from svcsim.cli.own.server_log import LogLines, ServerLog
from svcsim.cli.shared import state
from svcsim.client import kubeconfig
from svcsim.client.config_lock import changing
from svcsim.client.kubeconfig import Access, KubeconfigError
from svcsim.clock import Clock, format_time
from svcsim.cluster import data_directory
from svcsim.cluster.settings import changed, from_json, to_json
from svcsim.cluster.spec import ClusterSpec
from svcsim.limits import STORE_RESERVE_BYTES
from svcsim.meta.files import make_directory
from svcsim.meta.locks import hold, stands_at
from svcsim.meta.types import Object
from svcsim.wall import stopwatch, wall_sleep, wall_time

logger = logging.getLogger(__name__)

LOCK_S = 0.5
"""How long to try for the cluster's lock: who only looks whether the cluster runs holds it for a moment too."""
POLL_S = 0.01
OWN_FILES_S = 1.0
"""How often to look whether the cluster's files are still there."""


Ready = Callable[[Object], None]
"""Is called once requests are answered: with the server's record, and a ``warning`` where there is something to heed."""


async def serve(name: str, spec: ClusterSpec, ready: Ready) -> int:
    """Serve until SIGTERM or SIGINT. Raises `StartError`.

    Gives the cluster's lock, which a process holds until it ends: who waits for it waits for that.
    """
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
        if stands_at(lock, cluster.lock_file):  # else what lies there now is another's
            cluster.server_file.unlink(missing_ok=True)
            if spec.data_dir is None and not cluster.settings_file.exists():
                shutil.rmtree(cluster.path, ignore_errors=True)  # nothing was kept here, and nothing is to be
    return lock


async def _serve_locked(spec: ClusterSpec, cluster: state.ClusterDir, ready: Ready, stopping: asyncio.Event) -> None:
    from svcsim.cluster.process import bound_threads, raise_descriptors, settle_process, tune_process

    tune_process()  # before the imports: of what they make nothing is garbage
    raise_descriptors()
    bound_threads()
    from svcsim.cluster.cluster import open_cluster  # slow, and needless where the lock is taken

    started = stopwatch()
    async with open_cluster(replace(spec, served=True)) as running:
        served = await running.serve()
        record: Object = {
            "pid": os.getpid(),
            "url": served.url,
            "started": format_time(wall_time()),
            "pki": str(served.ca_certificate.parent),
            **to_json(changed(spec, {"port": served.port, "seed": running.seed})),
        }
        own_files = OwnFiles(cluster.lock_file, *(() if spec.data_dir is None else (spec.data_dir / data_directory.STORE,)))
        _write_kubeconfig(cluster, served.url, served.ca_certificate.read_bytes(), served.token)
        kept = _KeptSettings(cluster, replace(spec, port=served.port))
        kept.write()
        running.on_pace(kept.keep_pace)
        state.write_json(cluster.server_file, record, synced=False)  # it says nothing any more once the machine went down
        logger.info("cluster %s is ready at %s after %.3f s", cluster.name, served.url, stopwatch() - started)
        short = _short_of_room(spec)
        if short:
            logger.warning("%s", short)
        ready({**record, "machines": len(running.nodes.machines), "warning": short})  # nodes may have been added and removed before
        await running.loaded.wait()
        settle_process()
        await _until_over(stopping, own_files)
        logger.info("cluster %s stops", cluster.name)


def _short_of_room(spec: ClusterSpec) -> str:
    """What to say of a disk that is nearly full; empty while it isn't, or nothing is kept on it."""
    free = None if spec.data_dir is None else shutil.disk_usage(spec.data_dir).free
    if free is None or free >= STORE_RESERVE_BYTES:
        return ""
    return f"the disk of {spec.data_dir} has {free // 1024} KiB left: deletions go through, other writes may be refused; make some room"


async def _until_over(stopping: asyncio.Event, own_files: OwnFiles) -> None:
    """Wait until the server is told to stop, or has nothing left to serve."""
    clock = Clock()  # the machine's pace, whatever the cluster's is
    while not stopping.is_set():
        lost = own_files.lost()
        if lost is not None:
            logger.error("%s is gone, or another cluster's by now, so this server ends", lost)
            return
        with contextlib.suppress(TimeoutError):
            async with clock.timeout(OWN_FILES_S):
                await stopping.wait()


def _lock(cluster: state.ClusterDir) -> int:
    deadline = stopwatch() + LOCK_S
    while (handle := _hold(cluster)) is None:
        if stopwatch() > deadline:
            raise TakenError(f'cluster "{cluster.name}" is already being started or served by another process')
        wall_sleep(POLL_S)
    return handle


def _hold(cluster: state.ClusterDir) -> int | None:
    try:
        make_directory(cluster.path)
        handle = hold(cluster.lock_file)
        if handle is not None:
            cluster.server_file.unlink(missing_ok=True)  # left behind by one that was killed
            state.note_holder(handle, os.getpid())
    except OSError as error:
        raise StartError(f"can't write to {error.filename or cluster.path}: {(error.strerror or str(error)).lower()}") from error
    return handle


class _StartErrors(contextlib.AbstractContextManager[None]):
    """Turns what goes wrong while a cluster opens into one line that says what to do."""

    def __init__(self, spec: ClusterSpec, cluster: state.ClusterDir) -> None:
        self._spec = spec
        self._cluster = cluster

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: object) -> None:
        from svcsim.meta.configuration_error import ConfigurationError
        from svcsim.meta.errors import StatusError
        from svcsim.storage.contract import FormatError, LockedError, StoreError

        if isinstance(error, ConfigurationError):
            raise StartError(str(error)) from error
        where = self._spec.data_dir or self._cluster.path
        if isinstance(error, KubeconfigError):
            raise StartError(str(error)) from error
        if isinstance(error, StatusError):
            raise StartError(f"what every cluster has can't be written to {where}: {error.message}") from error
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
        if isinstance(error, OSError) and error.errno in (errno.ENOSPC, errno.EDQUOT):
            raise StartError(f"there is no room on the disk for {error.filename or where}; make some and try again") from error
        if isinstance(error, OSError):
            raise StartError(f"{error.filename or where}: {(error.strerror or str(error)).lower()}") from error


def _write_kubeconfig(cluster: state.ClusterDir, url: str, ca_pem: bytes, token: str) -> None:
    """Write the administrator's client configuration. The namespace that was chosen in the one before stays, and so do other users."""
    with changing(cluster.kubeconfig):
        try:
            before = kubeconfig.read_file(cluster.kubeconfig) or {}
        except KubeconfigError as error:
            logger.warning("%s; it is written anew", error)
            before = {}
        own = f"svcsim-{cluster.name}"
        context = kubeconfig.find_entry(before, "contexts", own) or {}
        access = Access(url, namespace=str(context.get("namespace") or ""), ca_pem=ca_pem, token=token)
        content = kubeconfig.describe(own, access)
        for section in ("users", "contexts"):
            content[section] += [one for one in before.get(section) or () if one.get("name") != own]
        kubeconfig.write_file(cluster.kubeconfig, content)


class _KeptSettings:
    """How the cluster was started, with the port it got and the pace its clock was given since: what the next start goes by."""

    def __init__(self, cluster: state.ClusterDir, spec: ClusterSpec) -> None:
        self._cluster = cluster
        self._spec = spec
        self._one_by_one = asyncio.Lock()

    def write(self) -> None:
        spec, cluster = self._spec, self._cluster
        if spec.data_dir is None:
            return
        kept = replace(spec, data_dir=None if spec.data_dir == cluster.path else spec.data_dir)
        state.write_json(cluster.settings_file, to_json(kept, lambda one: one.kept))

    async def keep_pace(self, pace: float) -> None:
        async with self._one_by_one:
            self._spec = replace(self._spec, clock_speed=pace)
            try:
                await asyncio.to_thread(self.write)
            except OSError as error:
                where = error.filename or self._cluster.settings_file
                logger.error("the clock's pace is not kept: %s: %s", where, (error.strerror or str(error)).lower())  # noqa: TRY400


def run(name: str, spec: ClusterSpec, ready: Ready) -> None:
    """Serve in this process, on the fastest event loop there is, as the last thing it does."""
    with asyncio.Runner(loop_factory=new_loop) as runner:
        runner.run(serve(name, spec, ready))
    from svcsim.cluster.process import end_without_threads

    end_without_threads()


def new_loop() -> asyncio.AbstractEventLoop:
    """The fastest there is here."""
    if sys.platform == "win32":
        return asyncio.new_event_loop()
    import uvloop

    return uvloop.new_event_loop()


def main() -> int:
    """The detached process: the cluster's name, its settings as JSON, and the pipe's descriptor in its arguments."""
    name, spec, pipe = sys.argv[1], from_json(ClusterSpec, orjson.loads(sys.argv[2])), int(sys.argv[3])
    faulthandler.enable()  # a page of the store that the disk can't read ends the process: its log says where
    log = ServerLog(state.cluster_dir(name).log_file)
    log.setFormatter(LogLines())
    logging.basicConfig(level=logging.INFO, handlers=[log])

    starter = _Starter(pipe)
    try:
        run(name, spec, starter.tell)
    except StartError as error:
        logger.error("cluster %s ends: %s", name, error)  # noqa: TRY400 - the line says it all, and `up` shows it
        starter.tell({"error": str(error), "taken": isinstance(error, TakenError)})
        return 1
    return 0


class _Starter:
    """The command that started this process, at the other end of a pipe. It is told one thing."""

    def __init__(self, pipe: int) -> None:
        self._pipe: int | None = pipe

    def tell(self, message: Object) -> None:
        """Raises `StartError` where there is nobody any more."""
        pipe, self._pipe = self._pipe, None
        if pipe is None:
            return
        try:
            os.write(pipe, orjson.dumps(message) + b"\n")
        except BrokenPipeError as error:
            raise StartError("the command that started it was interrupted") from error
        finally:
            os.close(pipe)


if __name__ == "__main__":
    sys.exit(main())
