"""``up`` and ``down``: starting a cluster in a process of its own, and stopping it.

``up`` returns when the cluster answers, or with one line that says why it doesn't and nothing left behind. What a cluster was started
with is kept, so that the next ``up`` without options starts it the same way.
"""

import os
import shutil
import signal
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import orjson
import typer

from svcsim.cli.failure import CommandError, StartError, TakenError
from svcsim.cli.own import clock
from svcsim.cli.own.parameters import ClusterOption, Name, cluster_name, connect
from svcsim.cli.own.setting_options import with_setting_options
from svcsim.cli.shared import state
from svcsim.client import kubeconfig
from svcsim.clock import stopwatch, wall_sleep
from svcsim.cluster.settings import Setting, SettingError, asked_again, from_json, settings, to_json
from svcsim.cluster.spec import ClusterSpec
from svcsim.cluster.values import ClockSpeed
from svcsim.meta.types import Json, Object

STARTED_ELSEWHERE_S = 20.0
"""How long to wait for a cluster that another ``up`` is just starting."""
STOPPING_S = 15.0
"""How long a server gets to stop in good order before it is killed."""
POLL_S = 0.01

Ephemeral = Annotated[bool, typer.Option("--ephemeral", help="Delete all data when the cluster stops.")]
Foreground = Annotated[bool, typer.Option("--foreground", help="Run the server in the foreground, until Ctrl-C.")]
Purge = Annotated[bool, typer.Option("--purge", help="Also delete the cluster's data.")]


def _up(
    name: Name = "",
    *,
    cluster: ClusterOption = "",
    asked: dict[str, Json],
    ephemeral: Ephemeral = False,
    foreground: Foreground = False,
) -> None:
    """Start a cluster and return when it is ready."""
    home = state.cluster_dir(cluster_name(name, cluster))
    if _is_running(home, asked, ephemeral=ephemeral):
        return
    kept = _kept(home)
    spec = _wanted(kept or ClusterSpec(), asked)
    spec = replace(spec, data_dir=None if ephemeral else spec.data_dir or home.path)
    if kept is not None:
        _refuse_other_creation(home, kept, spec)
    _check_data_directory(home, spec)
    start = _start_here if foreground else _start_detached
    try:
        start(home, spec, port_given="port" in asked)
    except TakenError as error:  # another `up` was quicker
        if not _is_running(home, asked, ephemeral=ephemeral):
            raise CommandError(str(error)) from error


up = with_setting_options(ClusterSpec, _up)


def down(name: Name = "", cluster: ClusterOption = "", purge: Purge = False) -> None:
    """Stop a cluster. Its data are kept, unless --purge is given."""
    home = state.cluster_dir(cluster_name(name, cluster))
    if not home.path.is_dir():
        raise CommandError(f'there is no cluster "{home.name}"')
    content = kubeconfig.read_file(home.kubeconfig)
    ran = home.running()
    if ran:
        _stop(home)
        typer.echo(f'Cluster "{home.name}" stopped')
    if purge:
        _purge(home)
        typer.echo(f'Cluster "{home.name}" and its data are gone')
    elif not ran:
        typer.echo(f'Cluster "{home.name}" is not running')
    if content is not None and not home.path.is_dir():
        _remove_context(home.name, content)


# --- starting ---


def _kept(home: state.ClusterDir) -> ClusterSpec | None:
    """What the cluster was started with the last time; None if there was none. A cluster's own directory is no data directory there."""
    try:
        content = home.settings_file.read_bytes()
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        raise CommandError(f"can't read {home.settings_file}: {(error.strerror or str(error)).lower()}") from error
    try:
        return _settings(home.settings_file, orjson.loads(content))
    except orjson.JSONDecodeError as error:
        raise CommandError(f"{home.settings_file}: not JSON: {error}") from error


def _settings(file: Path, content: Json) -> ClusterSpec:
    """The settings that a file of ours holds."""
    try:
        return from_json(ClusterSpec, content)
    except SettingError as error:
        raise CommandError(f"{file}: {error}") from error


def _wanted(before: ClusterSpec, asked: dict[str, Json]) -> ClusterSpec:
    try:
        return asked_again(before, asked)
    except SettingError as error:  # settings that don't go together
        raise CommandError(str(error)) from error


def _is_running(home: state.ClusterDir, asked: dict[str, Json], *, ephemeral: bool) -> bool:
    """Whether the cluster is up already; says so if it is."""
    record = _running(home)
    if record is None:
        return False
    _refuse_other_settings(home, record, asked, ephemeral=ephemeral)
    typer.echo(f'Cluster "{home.name}" is already running at {record["url"]}')
    return True


def _running(home: state.ClusterDir) -> Object | None:
    """The record of the server that is up; waits for one that is just being started."""
    deadline = stopwatch() + STARTED_ELSEWHERE_S
    while home.running():
        record = state.read_json(home.server_file)
        if record:
            return record
        if stopwatch() > deadline:
            raise CommandError(f'cluster "{home.name}" is being started by another process, which does not get ready; see {home.log_file}')
        wall_sleep(POLL_S)
    return None


def _refuse_other_settings(home: state.ClusterDir, record: Object, asked: dict[str, Json], *, ephemeral: bool) -> None:
    """A running cluster doesn't become another one; say so rather than pretend."""
    says = {key: value for key, value in record.items() if key not in state.SERVER_FACTS}
    if "clock_speed" in asked:
        says["clock"] = _pace(home)
    has = _settings(home.server_file, says)
    for one in settings(ClusterSpec):
        if one.name in asked and _is_known(one, says) and not one.satisfied(asked[one.name], one.of(has)):
            way_out = f"change it with: {one.changed_with}" if one.changed_with else f"stop it first: svcsim down {home.name}"
            raise CommandError(f'cluster "{home.name}" is already running, {_other(one, has)}; {way_out}')
    if ephemeral and has.data_dir is not None:
        raise CommandError(f'cluster "{home.name}" is already running, and keeps its data; stop it first: svcsim down {home.name}')


def _is_known(one: Setting, says: Object) -> bool:
    """Whether a running server tells that setting; one of an older version doesn't tell all."""
    return one.json_path[0] in says or one.formerly in says


def _pace(home: state.ClusterDir) -> Json:
    """How the clock of a running cluster goes now, whatever it was started with."""
    session = connect(home.name)
    try:
        return ClockSpeed().to_json(float(session.get(clock.PATH)["speed"]))
    finally:
        session.close()


def _refuse_other_creation(home: state.ClusterDir, kept: ClusterSpec, wanted: ClusterSpec) -> None:
    """What was fixed when a cluster was made can't be changed by starting it again."""
    data = kept.data_dir or home.path
    if wanted.data_dir != data or not (data / "store").is_dir():
        return  # that one is still to be made
    for one in settings(ClusterSpec):
        if one.fixed and one.of(wanted) != one.of(kept):
            way_out = f"choose another name, or delete it first: svcsim down {home.name} --purge"
            raise CommandError(f'cluster "{home.name}" was made {_other(one, kept)}, for good; {way_out}')


def _other(one: Setting, has: ClusterSpec) -> str:
    return one.running_as.format(one.value.to_json(one.of(has)))


def _check_data_directory(home: state.ClusterDir, spec: ClusterSpec) -> None:
    directory = spec.data_dir
    if directory is None or directory == home.path:
        return
    try:
        content = list(directory.iterdir()) if directory.exists() else []
    except OSError as error:
        raise CommandError(f"can't use the data directory {directory}: {(error.strerror or str(error)).lower()}") from error
    if content and not (directory / "store").is_dir():
        raise CommandError(f'{directory} is not empty and holds no svcsim cluster; choose an empty directory for cluster "{home.name}"')


def _start_here(home: state.ClusterDir, spec: ClusterSpec, *, port_given: bool) -> None:
    import logging

    from svcsim.cli.own.daemon import run

    del port_given
    before = _Before(home, spec)
    logging.basicConfig(level=logging.WARNING, format="%(asctime)s %(levelname)s %(name)s: %(message)s")

    def ready(record: Object) -> None:
        before.keep_settings(spec, record)
        typer.echo(welcome(home.name, record, meant=_meant()))
        sys.stdout.flush()

    try:
        run(home.name, spec, ready)
    except TakenError:
        raise  # what is there is another's
    except StartError as error:
        before.restore()
        raise CommandError(str(error)) from error


def _start_detached(home: state.ClusterDir, spec: ClusterSpec, *, port_given: bool) -> None:
    before = _Before(home, spec)
    began = stopwatch()
    try:
        answer = _spawn(home, spec)
        if "error" in answer and not port_given and spec.port and f"port {spec.port} " in answer["error"]:
            spec = replace(spec, port=0)  # it was only the port of last time
            answer = _spawn(home, spec)
    except OSError as error:
        before.restore()
        raise CommandError(f"can't write to {home.path}: {(error.strerror or str(error)).lower()}") from error
    if answer.get("taken"):
        raise TakenError(answer["error"])  # what is there is another's
    if "error" in answer:
        before.restore()
        raise CommandError(answer["error"])
    before.keep_settings(spec, answer)
    typer.echo(welcome(home.name, answer, stopwatch() - began, meant=_meant()))


def _spawn(home: state.ClusterDir, spec: ClusterSpec) -> Object:
    """Start the server's process; what it tells when it is ready, or an ``error``."""
    home.path.mkdir(mode=0o700, parents=True, exist_ok=True)
    ours, theirs = os.pipe()
    os.set_inheritable(theirs, True)
    with home.log_file.open("ab") as log, os.fdopen(ours, "rb") as pipe:
        words = [sys.executable, "-m", "svcsim.cli.own.daemon", home.name, orjson.dumps(to_json(spec)).decode(), str(theirs)]
        process = subprocess.Popen(  # noqa: S603 - our own program
            words, stdin=subprocess.DEVNULL, stdout=log, stderr=log, pass_fds=(theirs,), start_new_session=True, cwd="/", env=_environment()
        )
        os.close(theirs)
        line = pipe.readline()
    if line:
        answer: Object = orjson.loads(line)
        return answer
    if process.wait() in _STORE_SIGNALS:
        return {"error": f"the store in {spec.data_dir or home.path} can't be read: it is damaged, or its disk fails; see {home.log_file}"}
    return {"error": f"the server ended before it was ready; see {home.log_file}: {_last_line(home.log_file)}"}


_STORE_SIGNALS = (-signal.SIGBUS, -signal.SIGABRT)
"""What ends a process that reads a page which the disk doesn't give, or which isn't what LMDB relies on."""


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

    def keep_settings(self, spec: ClusterSpec, record: Object) -> None:
        """Write down how the cluster was started, and the port it got, for the next time."""
        if spec.data_dir is None:
            return
        port = int(record["url"].rpartition(":")[2])
        kept = replace(spec, port=port, data_dir=self._data)
        state.write_json(self._home.settings_file, to_json(kept, lambda one: one.kept))

    def restore(self) -> None:
        """Take away what the start made."""
        if not self._was_there:
            shutil.rmtree(self._home.path, ignore_errors=True)
        if self._data is not None and not self._data_was_there:
            shutil.rmtree(self._data, ignore_errors=True)


def _meant() -> str:
    """The cluster that commands without flags talk to; empty where a client configuration says it."""
    cluster = connect().cluster()
    return cluster.name if cluster else ""


def welcome(name: str, record: Object, took_s: float | None = None, *, meant: str = state.DEFAULT_CLUSTER) -> str:
    """What to say about a cluster that is ready, and what to do next. ``meant`` is the cluster a command without flags talks to."""
    which = "" if meant == name else f" --cluster {name}"
    named = "" if name == state.DEFAULT_CLUSTER else f" {name}"
    nodes = record["nodes"]
    facts = f"{record['dialect']} dialect, {nodes} node{'' if nodes == 1 else 's'}"
    took = f" after {took_s:.2f} s" if took_s is not None else ""
    steps = [
        (f"svcsim{which} get nodes", "list its nodes"),
        (f"svcsim{which} apply -f app.yaml", "run an application"),
        (f"svcsim{which} ui", "watch it in the dashboard"),
        (f"svcsim kubeconfig{named} --merge", "use it from other clients"),
        (f"svcsim down{named}", "stop it and keep its data" if record["dataDir"] else "stop it; nothing is kept"),
    ]
    width = max(len(command) for command, _ in steps) + 3
    return f'Cluster "{name}" is ready at {record["url"]}{took} ({facts}).\n\n' + "\n".join(
        f"  {command:<{width}}{doc}" for command, doc in steps
    )


# --- stopping ---


def _stop(home: state.ClusterDir) -> None:
    pid = int(home.lock_file.read_text() or 0)
    for number, seconds in ((signal.SIGTERM, STOPPING_S), (signal.SIGKILL, 2.0)):
        try:
            if pid:
                os.kill(pid, number)
        except ProcessLookupError:
            pass
        except PermissionError as error:
            raise CommandError(f'no permission to stop cluster "{home.name}" (process {pid}); it is another user\'s') from error
        deadline = stopwatch() + seconds
        while stopwatch() < deadline:
            if not home.running():
                home.server_file.unlink(missing_ok=True)
                return
            wall_sleep(POLL_S)
    raise CommandError(f'cluster "{home.name}" (process {pid}) does not stop')


def _remove_context(name: str, content: Object) -> None:
    """Take out of the user's client configuration what ``kubeconfig --merge`` put there for a cluster that is gone for good."""
    target = kubeconfig.default_paths()[0]
    if kubeconfig.holds(target, content):
        kubeconfig.remove_from(target, f"svcsim-{name}")


def _purge(home: state.ClusterDir) -> None:
    data = home.data
    try:
        if data != home.path:
            for part in ("store", "pki"):
                shutil.rmtree(data / part, ignore_errors=True)
            if data.is_dir() and not any(data.iterdir()):
                data.rmdir()
        if home.path.is_dir():  # an ephemeral cluster's is gone by now
            shutil.rmtree(home.path)
    except OSError as error:
        raise CommandError(f"can't delete {error.filename}: {(error.strerror or str(error)).lower()}") from error
