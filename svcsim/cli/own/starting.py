"""Starting a cluster's server, here or in a process of its own.

Either it is up when this returns, and the user was told; or nothing runs, nothing new is left behind, and one line says why. That holds for
Ctrl-C too, and if the starting process is killed: the server checks that it is still there before it stays.
"""

import os
import shutil
import signal
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import orjson
import typer

from svcsim.cli.failure import CommandError, ExitRequest, StartError, TakenError
from svcsim.cli.shared import state, target
from svcsim.cluster.controller_choice import leaves_out_nodes
from svcsim.cluster.settings import to_json
from svcsim.cluster.spec import ClusterSpec
from svcsim.dialect import KUBERNETES
from svcsim.meta.files import make_directory
from svcsim.meta.types import Object
from svcsim.wall import stopwatch

INTERRUPTED = 130
STOPPING_S = 15.0
"""How long a server gets to stop in good order before it is killed."""


def start_here(home: state.ClusterDir, spec: ClusterSpec, *, port_given: bool) -> None:
    """Serve in this process until Ctrl-C. Raises `TakenError`, `CommandError`."""
    import logging

    from svcsim.cli.own.daemon import run
    from svcsim.cli.own.server_log import LogLines

    del port_given
    before = _Before(home, spec)
    output = logging.StreamHandler()
    output.setFormatter(LogLines())
    logging.basicConfig(level=logging.WARNING, handlers=[output])

    def ready(record: Object) -> None:
        _greet(welcome(home.name, record, meant=_meant()), record)
        sys.stdout.flush()

    try:
        run(home.name, spec, ready)
    except TakenError:
        raise  # what is there is another's
    except StartError as error:
        before.restore()
        raise CommandError(str(error)) from error


def start_detached(home: state.ClusterDir, spec: ClusterSpec, *, port_given: bool) -> None:
    """Start a process that serves, and return when it does. Raises `TakenError`, `CommandError`."""
    before = _Before(home, spec)
    began = stopwatch()
    server = _ServerProcess(home)
    try:
        answer = server.start(spec)
        if answer.get("unreadable"):
            answer = server.start(spec)  # all pages are looked over this time: that names what is wrong, or mends it
        if "error" in answer and not port_given and spec.port and f"port {spec.port} " in answer["error"]:
            answer = server.start(replace(spec, port=0))  # it was only the port of last time
        if answer.get("taken"):
            raise TakenError(answer["error"])  # what is there is another's
    except KeyboardInterrupt:
        server.end()
        before.restore()
        typer.echo(f'interrupted: cluster "{home.name}" was not started', err=True)
        raise ExitRequest(INTERRUPTED) from None
    except OSError as error:
        before.restore()
        raise CommandError(f"can't write to {error.filename or home.path}: {(error.strerror or str(error)).lower()}") from error
    if "error" in answer:
        before.restore()
        seen = f"; see {home.log_file}" if answer.get("logged") and home.log_file.exists() else ""
        raise CommandError(f"{answer['error']}{seen}")
    _greet(welcome(home.name, answer, stopwatch() - began, meant=_meant()), answer)


_STORE_SIGNALS = (-signal.SIGBUS, -signal.SIGABRT)
"""What ends a process that reads a page which the disk doesn't give, or which isn't what LMDB relies on."""


class _ServerProcess:
    """The process that one command starts to serve a cluster."""

    def __init__(self, home: state.ClusterDir) -> None:
        self._home = home
        self._process: subprocess.Popen[bytes] | None = None

    def start(self, spec: ClusterSpec) -> Object:
        """What it tells when it is ready, or an ``error``; ``logged`` where the log may say more."""
        home = self._home
        make_directory(home.path)
        ours, theirs = os.pipe()
        os.set_inheritable(theirs, True)
        with home.log_file.open("ab") as log, os.fdopen(ours, "rb") as pipe:
            words = [sys.executable, "-m", "svcsim.cli.own.daemon", home.name, orjson.dumps(to_json(spec)).decode(), str(theirs)]
            self._process = subprocess.Popen(  # noqa: S603 - our own program
                words,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                pass_fds=(theirs,),
                start_new_session=True,
                cwd="/",
                env=_environment(),
            )
            os.close(theirs)
            line = pipe.readline()
        if line:
            answer: Object = orjson.loads(line)
            if "error" in answer:
                self.end()  # nothing of it runs any more when people read that
            return answer
        if self._process.wait() in _STORE_SIGNALS:
            why = f"the store in {spec.data_dir or home.path} can't be read: it is damaged, or its disk fails"
            return {"error": why, "logged": True, "unreadable": True}
        return {"error": f"the server ended before it was ready: {_last_line(home.log_file)}", "logged": True}

    def end(self) -> None:
        """See that it doesn't run, if it was started at all."""
        if self._process is None:
            return
        self._process.terminate()
        try:
            self._process.wait(STOPPING_S)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()


def _environment() -> dict[str, str]:
    """Ours, with what the server needs to be found and to find the same home from another directory."""
    package_root = str(Path(__file__).parents[3])
    path = os.pathsep.join(filter(None, (package_root, os.environ.get("PYTHONPATH"))))
    return {**os.environ, "SVCSIM_HOME": str(state.home()), "PYTHONPATH": path}


def _last_line(path: Path) -> str:
    lines = path.read_text("utf-8", "replace").strip().splitlines() if path.exists() else []
    return lines[-1] if lines else "it printed nothing"


class _Before:
    """What was there before a start, so that a start that fails leaves nothing behind."""

    def __init__(self, home: state.ClusterDir, spec: ClusterSpec) -> None:
        self._home = home
        self._data = None if spec.data_dir == home.path else spec.data_dir
        self._was_there = home.path.exists()
        self._data_was_there = self._data is not None and self._data.exists()

    def restore(self) -> None:
        """Take away what the start made."""
        if not self._was_there:
            shutil.rmtree(self._home.path, ignore_errors=True)
        if self._data is not None and not self._data_was_there:
            shutil.rmtree(self._data, ignore_errors=True)


def _named_by_default() -> str:
    """The cluster that is started and stopped where nobody says which; empty, with a word about it, where that can't be read."""
    try:
        return target.named_or_default().name
    except CommandError as error:  # it doesn't keep the one that was named from being ready
        typer.echo(f"warning: {error}", err=True)
        return ""


def _meant() -> str:
    """The cluster that commands without flags talk to; empty where a client configuration says it, or nothing does."""
    try:
        cluster = target.meant_unless_configured()
    except CommandError:
        return ""
    return cluster.name if cluster else ""


def _greet(words: str, answer: Object) -> None:
    """Say that a cluster is ready, and what to heed."""
    typer.echo(words)
    if answer["warning"]:
        typer.echo(f"warning: {answer['warning']}", err=True)


def welcome(name: str, record: Object, took_s: float | None = None, *, meant: str = state.DEFAULT_CLUSTER) -> str:
    """What to say about a cluster that is ready, and what to do next. ``meant`` is the cluster a command without flags talks to."""
    which = "" if meant == name else f" --cluster {name}"
    named = "" if _named_by_default() == name else f" {name}"
    nodes = record["machines"]
    told = "the simulated nodes switched off" if leaves_out_nodes(record["controllers"]) else f"{nodes} node{'' if nodes == 1 else 's'}"
    facts = f"{record['dialect']} dialect, {told}"
    took = f" after {took_s:.2f} s" if took_s is not None else ""
    steps = [
        (f"svcsim{which} get nodes", "list its nodes"),
        (f"svcsim{which} apply -f app.yaml", "run an application"),
        (f"svcsim{which} ui", "watch it in the dashboard"),
        *_for_clients(record["dialect"], named),
        (f"svcsim down{named}", "stop it and keep its data" if record["dataDir"] else "stop it; nothing is kept"),
    ]
    width = max(len(command) for command, _ in steps) + 3
    return f'Cluster "{name}" is ready at {record["url"]}{took} ({facts}).\n\n' + "\n".join(
        f"  {command:<{width}}{doc}" for command, doc in steps
    )


def _for_clients(dialect: str, named: str) -> list[tuple[str, str]]:
    if dialect == KUBERNETES.name:
        return [(f"svcsim kubeconfig{named} --merge", "use it from kubectl and other Kubernetes clients")]
    return [
        (f"svcsim kubeconfig{named} --merge", f"use it from clients that speak the {dialect} dialect"),
        (f"svcsim up k8s --dialect {KUBERNETES.name}", "start one for kubectl and other Kubernetes clients"),
    ]
