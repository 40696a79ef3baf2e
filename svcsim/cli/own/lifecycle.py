"""``up`` and ``down``: starting a cluster in a process of its own, and stopping it.

``up`` returns when the cluster answers, or with one line that says why it doesn't and nothing left behind. What a cluster was started
with is kept, so that the next ``up`` without options starts it the same way.
"""

import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path
from typing import Annotated

import orjson
import typer

from svcsim.cli.failure import CommandError
from svcsim.cli.own.daemon import Settings, TakenError
from svcsim.cli.own.parameters import ClusterOption, Name, cluster_name, connect
from svcsim.cli.shared import state
from svcsim.client import kubeconfig
from svcsim.clock import stopwatch, wall_sleep
from svcsim.dialect import DIALECTS
from svcsim.meta.times import parse_duration
from svcsim.meta.types import Json, Object

STARTED_ELSEWHERE_S = 20.0
"""How long to wait for a cluster that another ``up`` is just starting."""
STOPPING_S = 15.0
"""How long a server gets to stop in good order before it is killed."""
POLL_S = 0.01

Dialect = Annotated[str, typer.Option(help="The words the cluster uses: svcapi or kubernetes.", metavar="NAME", show_default="svcapi")]
Nodes = Annotated[int | None, typer.Option(min=0, max=5000, help="How many simulated nodes.", metavar="N", show_default="3")]
Port = Annotated[int | None, typer.Option(min=0, max=65535, help="The port to serve on.", metavar="P", show_default="a free one")]
DataDir = Annotated[Path | None, typer.Option(help="Where to keep the data.", metavar="DIR", show_default=False)]
Durable = Annotated[
    str, typer.Option(help="What writes survive: full (power loss) or process (its end).", metavar="HOW", show_default="full")
]
History = Annotated[str, typer.Option(help="How long past revisions stay readable: 5m, 1h, forever.", metavar="TIME", show_default="5m")]
ClockOption = Annotated[str, typer.Option("--clock", help="real, paused, or a pace such as x10.", metavar="PACE", show_default="real")]
Seed = Annotated[int | None, typer.Option(help="Makes chance repeatable.", metavar="N", show_default=False)]
RuntimeConfig = Annotated[
    list[str] | None,
    typer.Option(
        help="What to serve, such as autoscaling/v1=false or api/beta=true.", metavar="KEY[=VALUE],…", show_default="all stable versions"
    ),
]
Ephemeral = Annotated[bool, typer.Option("--ephemeral", help="Keep nothing once the cluster stops.")]
Foreground = Annotated[bool, typer.Option("--foreground", help="Serve in this process, until Ctrl-C.")]
Purge = Annotated[bool, typer.Option("--purge", help="Delete the cluster's data too.")]


def up(  # noqa: PLR0913 - the options of the command line
    name: Name = "",
    *,
    cluster: ClusterOption = "",
    dialect: Dialect = "",
    nodes: Nodes = None,
    port: Port = None,
    data_dir: DataDir = None,
    durability: Durable = "",
    history: History = "",
    clock: ClockOption = "",
    seed: Seed = None,
    runtime_config: RuntimeConfig = None,
    ephemeral: Ephemeral = False,
    foreground: Foreground = False,
) -> None:
    """Start a cluster and return when it is ready."""
    home = state.cluster_dir(cluster_name(name, cluster))
    asked: dict[str, Json] = {
        "dialect": dialect,
        "nodes": nodes,
        "port": port,
        "data_dir": str(data_dir.expanduser().absolute()) if data_dir else "",
        "durability": durability,
        "history_s": _history(history) if history else "",
        "clock": clock,
        "seed": seed,
        "ephemeral": ephemeral or None,
        "runtime_config": ",".join(runtime_config or ()),
    }
    given = {key: value for key, value in asked.items() if value not in ("", None) or (key == "history_s" and history)}
    _check(given)
    if _told_running(home, given):
        return
    kept = {key: value for key, value in state.read_json(home.settings_file).items() if key in Settings._fields}
    settings = Settings(**{**kept, **given, "name": home.name})
    _check_data_directory(home, settings)
    start = _start_here if foreground else _start_detached
    try:
        start(home, settings, port_given=port is not None)
    except TakenError as error:  # another `up` was quicker
        if not _told_running(home, given):
            raise CommandError(str(error)) from error


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


def _history(text: str) -> float | None:
    if text == "forever":
        return None
    try:
        return parse_duration(text)
    except ValueError:
        raise CommandError(f'--history takes a duration such as 5m or 1h, or forever; not "{text}"') from None


def _check(given: dict[str, Json]) -> None:
    """Refuse values that mean nothing."""
    if given.get("dialect", "svcapi") not in DIALECTS:
        raise CommandError(f'unknown dialect "{given["dialect"]}"; there are: {", ".join(DIALECTS)}')
    if given.get("durability", "full") not in ("full", "process"):
        raise CommandError(f'--durability is full or process, not "{given["durability"]}"')
    clock = given.get("clock", "real")
    if clock in ("real", "paused"):
        return
    try:
        speed = float(clock.removeprefix("x"))
    except ValueError:
        speed = -1.0
    if not clock.startswith("x") or not 0 < speed <= 1000:
        raise CommandError(f'--clock is real, paused, or a pace from x0.1 to x1000, not "{clock}"')


def _told_running(home: state.ClusterDir, given: dict[str, Json]) -> bool:
    """Whether the cluster is up already; says so if it is."""
    record = _running(home)
    if record is None:
        return False
    _refuse_other_settings(home, record, given)
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


def _refuse_other_settings(home: state.ClusterDir, record: Object, given: dict[str, Json]) -> None:
    """A running cluster doesn't become another one; say so rather than pretend."""
    if "dialect" in given and given["dialect"] != record.get("dialect"):
        raise CommandError(
            f'cluster "{home.name}" is already running, in the {record.get("dialect")} dialect; stop it first: svcsim down {home.name}'
        )
    if "runtime_config" in given and given["runtime_config"] != record.get("runtimeConfig", ""):
        raise CommandError(
            f'cluster "{home.name}" is already running, with another --runtime-config; stop it first: svcsim down {home.name}'
        )


def _check_data_directory(home: state.ClusterDir, settings: Settings) -> None:
    if settings.ephemeral or not settings.data_dir:
        return
    directory = Path(settings.data_dir)
    try:
        content = list(directory.iterdir()) if directory.exists() else []
    except OSError as error:
        raise CommandError(f"can't use the data directory {directory}: {(error.strerror or str(error)).lower()}") from error
    if content and not (directory / "store").is_dir():
        raise CommandError(f'{directory} is not empty and holds no svcsim cluster; choose an empty directory for cluster "{home.name}"')


def _start_here(home: state.ClusterDir, settings: Settings, *, port_given: bool) -> None:
    import logging

    from svcsim.cli.own.daemon import StartError, run

    del port_given
    before = _Before(home, settings)
    logging.basicConfig(level=logging.WARNING, format="%(asctime)s %(levelname)s %(name)s: %(message)s")

    def ready(record: Object) -> None:
        before.keep_settings(settings, record)
        typer.echo(welcome(home.name, record, meant=_meant()))
        sys.stdout.flush()

    try:
        run(settings, ready)
    except TakenError:
        raise  # what is there is another's
    except StartError as error:
        before.restore()
        raise CommandError(str(error)) from error


def _start_detached(home: state.ClusterDir, settings: Settings, *, port_given: bool) -> None:
    before = _Before(home, settings)
    began = stopwatch()
    try:
        answer = _spawn(home, settings)
        if "error" in answer and not port_given and settings.port and f"port {settings.port} " in answer["error"]:
            settings = settings._replace(port=0)  # it was only the port of last time
            answer = _spawn(home, settings)
    except OSError as error:
        before.restore()
        raise CommandError(f"can't write to {home.path}: {(error.strerror or str(error)).lower()}") from error
    if answer.get("taken"):
        raise TakenError(answer["error"])  # what is there is another's
    if "error" in answer:
        before.restore()
        raise CommandError(answer["error"])
    before.keep_settings(settings, answer)
    typer.echo(welcome(home.name, answer, stopwatch() - began, meant=_meant()))


def _spawn(home: state.ClusterDir, settings: Settings) -> Object:
    """Start the server's process; what it tells when it is ready, or an ``error``."""
    home.path.mkdir(mode=0o700, parents=True, exist_ok=True)
    ours, theirs = os.pipe()
    os.set_inheritable(theirs, True)
    with home.log_file.open("ab") as log, os.fdopen(ours, "rb") as pipe:
        words = [sys.executable, "-m", "svcsim.cli.own.daemon", orjson.dumps(settings._asdict()).decode(), str(theirs)]
        subprocess.Popen(  # noqa: S603 - our own program
            words, stdin=subprocess.DEVNULL, stdout=log, stderr=log, pass_fds=(theirs,), start_new_session=True, cwd="/", env=_environment()
        )
        os.close(theirs)
        line = pipe.readline()
    if line:
        answer: Object = orjson.loads(line)
        return answer
    return {"error": f"the server ended before it was ready; see {home.log_file}: {_last_line(home.log_file)}"}


def _environment() -> dict[str, str]:
    """Ours, with what the server needs to be found and to find the same home from another directory."""
    package_root = str(Path(__file__).parents[3])
    path = os.pathsep.join(filter(None, (package_root, os.environ.get("PYTHONPATH"))))
    return {**os.environ, "SVCSIM_HOME": str(state.home()), "PYTHONPATH": path}


def _last_line(path: Path) -> str:
    lines = path.read_text("utf-8", "replace").strip().splitlines() if path.exists() else []
    return lines[-1] if lines else "it said nothing"


class _Before:
    """What was there before a start, so that a start that fails leaves nothing behind."""

    def __init__(self, home: state.ClusterDir, settings: Settings) -> None:
        self._home = home
        self._data = Path(settings.data_dir) if settings.data_dir and not settings.ephemeral else None
        self._was_there = home.path.exists()
        self._data_was_there = self._data is not None and self._data.exists()

    def keep_settings(self, settings: Settings, record: Object) -> None:
        """Write down how the cluster was started, and the port it got, for the next time."""
        if settings.ephemeral:
            return
        port = int(record["url"].rpartition(":")[2])
        kept = {**settings._replace(port=port)._asdict(), "dataDir": settings.data_dir}
        for name in ("name", "ephemeral", "runtime_config"):  # what is served is told anew at each start
            kept.pop(name)
        state.write_json(self._home.settings_file, kept)

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
        (f"svcsim{which} get nodes", "see its nodes"),
        (f"svcsim{which} apply -f app.yaml", "run an application"),
        (f"svcsim{which} ui", "watch it in the dashboard"),
        (f"svcsim kubeconfig{named} --merge", "use it from other clients"),
        (f"svcsim down{named}", "stop it; its data are kept" if record["dataDir"] else "stop it; nothing is kept"),
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
