"""``up`` and ``down``: starting a cluster in a process of its own, and stopping it.

``up`` returns when the cluster answers, or with one line that says why it doesn't and nothing left behind. What a cluster was started
with is kept, so that the next ``up`` without options starts it the same way.
"""

import contextlib
import os
import shutil
import signal
import stat
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Self

import orjson
import typer

from svcsim.cli.failure import CommandError, TakenError
from svcsim.cli.own.parameters import ClusterOption, Name, cluster_name, connect, one_name
from svcsim.cli.own.setting_options import with_setting_options
from svcsim.cli.own.starting import STOPPING_S, start_detached, start_here
from svcsim.cli.own.user_defaults import user_defaults
from svcsim.cli.shared import state, target
from svcsim.client import kubeconfig, paths
from svcsim.client.kubeconfig import KubeconfigError
from svcsim.cluster import data_directory
from svcsim.cluster.controller_choice import NODES, leaves_out_nodes
from svcsim.cluster.settings import Setting, SettingError, asked_again, from_json, settings
from svcsim.cluster.spec import ClusterSpec, settled
from svcsim.cluster.values import ClockSpeed
from svcsim.meta.locks import hold, is_free, stands_at
from svcsim.meta.types import Json, Object
from svcsim.wall import stopwatch, wall_sleep

STARTED_ELSEWHERE_S = 20.0
"""How long to wait for a cluster that another ``up`` is just starting."""
KILLED_S = 2.0
"""How long a server that was killed may take to be gone."""
LEAVING_S = 1.0
PID_S = 1.0
"""How long a server may take from holding its lock to saying whose it is."""
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
    if ephemeral and "data_dir" in asked:
        raise CommandError("--ephemeral keeps no data, and --data-dir says where to keep them; leave one of them out")
    if _is_running(home, asked, ephemeral=ephemeral):
        return
    before = kept(home)
    spec = settled(_wanted(user_defaults(ClusterSpec, before), asked))
    spec = replace(spec, data_dir=None if ephemeral else spec.data_dir or home.path)
    _refuse_nodes_left_out(spec, asked)
    if before is not None:
        _note_other_default(home, before, asked)
        _refuse_lost_store(home, before, spec)
        _refuse_other_creation(home, before, spec)
    _check_data_directory(home, spec)
    start = start_here if foreground else start_detached
    try:
        start(home, spec, port_given="port" in asked)
    except TakenError as error:  # another `up` was quicker
        if not _is_running(home, asked, ephemeral=ephemeral):
            raise CommandError(str(error)) from error


up = with_setting_options(ClusterSpec, _up)


def down(name: Name = "", cluster: ClusterOption = "", purge: Purge = False) -> None:
    """Stop a cluster. Its data are kept, unless --purge is given."""
    given = one_name(name, cluster)
    home = state.cluster_dir(cluster_name(given, ""))
    beside = "" if given else _say_which(home.name)
    if not home.path.is_dir():
        raise CommandError(f"there is no {target.named_or_default(given)}{beside}")
    if purge:
        _open_up(home.path)
    content = _own_kubeconfig(home)
    ran = home.running()
    if ran:
        _stop(home)
        typer.echo(f'Cluster "{home.name}" stopped')
    if purge:
        _purge(home)
        typer.echo(f'Cluster "{home.name}" and its data are gone')
    elif not ran:
        typer.echo(f'Cluster "{home.name}" is not running{beside}')
    if content is not None and not home.path.is_dir():
        _remove_context(home.name, content)


def _say_which(name: str) -> str:
    """What to add for those who named none, where others run."""
    others = target.also_running(name)
    return f"{others}; say which: svcsim down NAME" if others else ""


# --- starting ---


def kept(home: state.ClusterDir) -> ClusterSpec | None:
    """What the cluster was started with the last time; None if there was none. A cluster's own directory is no data directory there."""
    file = home.settings_file
    content = state.read_own(file)
    if content is None:
        return None
    try:
        return _settings(file, orjson.loads(content))
    except (CommandError, orjson.JSONDecodeError) as error:
        what = f"{file}: not JSON: {error}" if isinstance(error, orjson.JSONDecodeError) else str(error)
        raise CommandError(f"{what}; delete that file, and give the options of `svcsim up` once more that it was started with") from error


def _settings(file: Path, content: Json) -> ClusterSpec:
    """The settings that a file of ours holds."""
    try:
        return from_json(ClusterSpec, content)
    except SettingError as error:
        raise CommandError(f"{file}: {error}") from error


def _own_kubeconfig(home: state.ClusterDir) -> Object | None:
    """The administrator's client configuration, if there is one that can be read; the next start makes another."""
    try:
        return kubeconfig.read_file(home.kubeconfig)
    except KubeconfigError:
        return None


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
    _note_other_default(home, _settings(home.server_file, _says(record)), asked)
    return True


def _running(home: state.ClusterDir) -> Object | None:
    """The record of the server that is up; waits for one that is just being started."""
    deadline = stopwatch() + STARTED_ELSEWHERE_S
    while home.running():
        record = home.record()
        if record:
            return record
        if stopwatch() > deadline:
            raise CommandError(
                f'cluster "{home.name}" is being started by another process, which does not get ready, or {home.server_file} was lost; '
                f"see {home.log_file}, or stop it: svcsim down {home.name}"
            )
        wall_sleep(POLL_S)
    return None


def _refuse_other_settings(home: state.ClusterDir, record: Object, asked: dict[str, Json], *, ephemeral: bool) -> None:
    """A running cluster doesn't become another one; say so rather than pretend."""
    says = _says(record)
    if "clock_speed" in asked:
        says["clock"] = _pace(home)
    has = _settings(home.server_file, says)
    others = [
        one
        for one in settings(ClusterSpec)
        if one.name in asked and _is_known(one, says) and not one.satisfied(asked[one.name], one.of(has))
    ]
    if others:
        ways = list(dict.fromkeys(one.changed_with for one in others))
        if any(one.fixed for one in others):
            way_out = f", for good; {_another_name(home)}"
        elif len(ways) == 1 and ways[0]:
            way_out = f"; change it with: {ways[0]}"
        else:
            way_out = f"; stop it first: svcsim down {home.name}"
        differences = " and ".join(_other(one, has) for one in others)
        raise CommandError(f'cluster "{home.name}" is already running, {differences}{way_out}')
    _refuse_nodes_left_out(has, asked)
    if ephemeral and has.data_dir is not None:
        raise CommandError(f'cluster "{home.name}" is already running, and keeps its data; stop it first: svcsim down {home.name}')


def _says(record: Object) -> Object:
    """The settings in a running server's record."""
    return {key: value for key, value in record.items() if key not in state.SERVER_FACTS}


def _note_other_default(home: state.ClusterDir, has: ClusterSpec, asked: dict[str, Json]) -> None:
    """Tell those who made something their default that a cluster was made before, with something else."""
    wanted = user_defaults(ClusterSpec, None)
    for one in settings(ClusterSpec):
        if one.fixed and one.name not in asked and one.of(wanted) not in (one.default, one.of(has)):
            typer.echo(f'Cluster "{home.name}" was made {_other(one, has)}, for good; your default is for new clusters', err=True)


def _is_known(one: Setting, says: Object) -> bool:
    """Whether a running server tells that setting; one of an older version doesn't tell all."""
    return one.json_path[0] in says or one.formerly in says


def _pace(home: state.ClusterDir) -> Json:
    """How the clock of a running cluster goes now, whatever it was started with."""
    session = connect(home.name)
    try:
        return ClockSpeed().to_json(float(session.get(paths.CLOCK)["speed"]))
    finally:
        session.close()


def _refuse_nodes_left_out(wanted: ClusterSpec, asked: dict[str, Json]) -> None:
    """Nodes that are asked for by their number, while --controllers, now or at the last start, leaves out what simulates them."""
    if asked.get("nodes") and leaves_out_nodes(wanted.controllers):
        words = ",".join(wanted.controllers)
        raise CommandError(
            f"--nodes {asked['nodes']} asks for simulated nodes, and --controllers {words} switches them off; "
            f"leave out --nodes, or -{NODES}"
        )


def _refuse_other_creation(home: state.ClusterDir, kept: ClusterSpec, wanted: ClusterSpec) -> None:
    """What was fixed when a cluster was made can't be changed by starting it again."""
    data = kept.data_dir or home.path
    if wanted.data_dir != data or not (data / data_directory.STORE).is_dir():
        return  # that one is still to be made
    for one in settings(ClusterSpec):
        if one.fixed and one.of(wanted) != one.of(kept):
            raise CommandError(f'cluster "{home.name}" was made {_other(one, kept)}, for good; {_another_name(home)}')


def _another_name(home: state.ClusterDir) -> str:
    """What to do where a cluster is for good another one than was asked for."""
    return f"choose another name, or delete it first: svcsim down {home.name} --purge"


def _refuse_lost_store(home: state.ClusterDir, kept: ClusterSpec, wanted: ClusterSpec) -> None:
    """A cluster's settings are written down once it is ready: from then on it has a store, and no empty one takes its place."""
    data = kept.data_dir or home.path
    data_file = data_directory.data_file(data)
    if wanted.data_dir != data or data_file.exists():
        return
    missing = next(path for path in (data, data_file.parent, data_file) if not path.exists())
    raise CommandError(
        f'the data of cluster "{home.name}" are gone: there is no {missing}; put it back, '
        f"or delete what is left with: svcsim down {home.name} --purge"
    )


def _other(one: Setting, has: ClusterSpec) -> str:
    value = one.value.to_json(one.of(has))
    if "{}" in one.running_as and value in ([], "", None):
        return f"without {one.flag}"
    return one.running_as.format(",".join(value) if isinstance(value, list) else value)


def _check_data_directory(home: state.ClusterDir, spec: ClusterSpec) -> None:
    directory = spec.data_dir
    if directory is None or directory == home.path:
        return
    try:
        content = list(directory.iterdir()) if directory.exists() else []
    except OSError as error:
        raise CommandError(f"can't use the data directory {directory}: {(error.strerror or str(error)).lower()}") from error
    if content and not (directory / data_directory.STORE).is_dir():
        raise CommandError(f'{directory} is not empty and holds no svcsim cluster; choose an empty directory for cluster "{home.name}"')


# --- stopping ---


def _stop(home: state.ClusterDir) -> None:
    """End the process that serves a cluster. One that another command starts meanwhile is none of ours."""
    pid = _pid(home)
    if pid is None:
        return
    leaves = (home.record() or {}).get("dataDir") == "" and not home.settings_file.exists()
    with _Life(home, pid) as life:
        for number, seconds in ((signal.SIGTERM, STOPPING_S), (signal.SIGKILL, KILLED_S)):
            try:
                os.kill(pid, number)
            except ProcessLookupError:
                pass
            except PermissionError as error:
                raise CommandError(f'no permission to stop cluster "{home.name}" (process {pid}); it is another user\'s') from error
            deadline = stopwatch() + seconds
            while stopwatch() < deadline:
                if life.is_over():
                    if leaves:
                        _await_leaving(home)
                    return
                wall_sleep(POLL_S)
    raise CommandError(f'cluster "{home.name}" (process {pid}) does not stop')


class _Life:
    """A server's process: it holds the cluster's lock until it has ended, also where it has taken the lock's file away before."""

    def __init__(self, home: state.ClusterDir, pid: int) -> None:
        self._home = home
        self._pid = pid
        self._lock: int | None = None

    def __enter__(self) -> Self:
        with contextlib.suppress(FileNotFoundError):
            self._lock = os.open(self._home.lock_file, os.O_RDWR)
        return self

    def __exit__(self, *raised: object) -> None:
        if self._lock is not None:
            os.close(self._lock)

    def is_over(self) -> bool:
        """Whether it has ended; who has the lock under its name by now is another."""
        if _pid(self._home) == self._pid:
            return False
        return self._lock is None or stands_at(self._lock, self._home.lock_file) or is_free(self._lock)


def _await_leaving(home: state.ClusterDir) -> None:
    """Wait until the directory of an ephemeral cluster is gone, the lock in it first: the server takes it away before it ends."""
    deadline = stopwatch() + LEAVING_S
    while home.path.is_dir() and stopwatch() < deadline:
        wall_sleep(POLL_S)


def _pid(home: state.ClusterDir) -> int | None:
    """The process that serves a cluster; None if none does. Raises `CommandError` if it isn't known, so that no other process is ended."""
    deadline = stopwatch() + PID_S
    while home.running():
        told = [pid for pid in (home.holder(), (home.record() or {}).get("pid")) if type(pid) is int and pid > 0]
        if told and len(set(told)) == 1:
            return told[0]
        if stopwatch() > deadline:
            raise CommandError(
                f'cluster "{home.name}" runs, but which process serves it can\'t be told, because {home.lock_file} was changed; '
                "look for svcsim.cli.own.daemon among the processes, and end it"
            )
        wall_sleep(POLL_S)
    return None


def _remove_context(name: str, content: Object) -> None:
    """Take out of the user's client configuration what ``kubeconfig --merge`` put there for a cluster that is gone for good."""
    path = kubeconfig.default_paths()[0]
    if kubeconfig.holds(path, content):
        kubeconfig.remove_from(path, f"svcsim-{name}")


def _open_up(directory: Path) -> None:
    """Have readable what is to be deleted: whether it is served, where its data are, what stands in it. Another's stays as it is."""
    _give_access(directory, 0o700)
    for path in directory.iterdir():
        if not path.is_symlink():
            _give_access(path, 0o700 if path.is_dir() else 0o600)


def _give_access(path: Path, mode: int) -> None:
    has = stat.S_IMODE(path.stat().st_mode)
    if has & mode != mode:
        with contextlib.suppress(PermissionError):  # deleting it will tell
            path.chmod(has | mode)


def _purge(home: state.ClusterDir) -> None:
    if not home.path.is_dir():  # an ephemeral cluster's is gone by now
        return
    data = home.data
    try:
        lock = None if home.lock_file.is_dir() else hold(home.lock_file)
        if lock is None and home.running():
            raise CommandError(f'cluster "{home.name}" is just being started by another process')
        if data != home.path:
            for part in data_directory.PARTS:
                if (data / part).exists():
                    shutil.rmtree(data / part)
            if data.is_dir() and not any(data.iterdir()):
                data.rmdir()
        shutil.rmtree(home.path)
    except OSError as error:
        raise CommandError(f"can't delete {error.filename}: {(error.strerror or str(error)).lower()}") from error
