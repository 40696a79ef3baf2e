"""Which of svcsim's clusters is meant where the command line may or may not name one.

The first of these names it: ``--cluster``, ``$SVCSIM_CLUSTER``, the choice that ``svcsim use`` remembers. A name is a name: where that
cluster is stopped or gone, no other one takes its place. Where nothing names one, commands that talk to a server take the one called
``default`` if it runs, else the only one that runs; where several could be meant they say so and do nothing. The user's own client
configuration is none of this: what stands there was not made for svcsim and is used when it is asked for alone (`session`).
"""

import os
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import orjson

from svcsim.cli.failure import CommandError
from svcsim.cli.shared import state
from svcsim.cli.shared.state import ClusterDir

VARIABLE = "SVCSIM_CLUSTER"
HOW_TO_CHOOSE = "choose one with --cluster NAME, or for all commands with: svcsim use NAME"


class StoppedError(CommandError):
    """The cluster that is meant is there, and doesn't run."""

    def __init__(self, message: str, cluster: ClusterDir) -> None:
        super().__init__(message)
        self.cluster = cluster


class Named(NamedTuple):
    """A cluster by its name, and who named it: empty for the command line."""

    name: str
    by: str = ""

    def __str__(self) -> str:
        return f'cluster "{self.name}"' + (f" ({self.by})" if self.by else "")


def named(given: str = "") -> Named | None:
    """Which cluster the command line, the environment or the remembered choice names; None where none of them does."""
    if given:
        return Named(given)
    if variable := os.environ.get(VARIABLE):
        return Named(variable, f"named by ${VARIABLE}")
    if name := remembered():
        return Named(name, "chosen with: svcsim use")
    return None


def named_or_default(given: str = "") -> Named:
    """The cluster to start or stop. Nothing is stopped because it happens to be the only one."""
    return named(given) or Named(state.DEFAULT_CLUSTER)


def meant(given: str = "") -> ClusterDir:
    """The running cluster to talk to. Raises `CommandError`, which says what runs and how to choose, and `StoppedError`."""
    choice = named(given)
    if choice is not None:
        return _running(choice)
    default = state.cluster_dir()
    if _seen(default.running):
        return _running(Named(default.name))
    running = running_clusters()
    if len(running) > 1:
        raise CommandError(f"several clusters are running: {listed(running)}; {HOW_TO_CHOOSE}")
    if not running:
        raise _nothing_runs()
    return running[0]


def meant_unless_configured(given: str = "") -> ClusterDir | None:
    """The cluster as in `meant`; None if the client configuration in the environment is meant. Raises likewise."""
    if not given and os.environ.get("KUBECONFIG") and not os.environ.get(VARIABLE):
        return None
    return meant(given)


def looked_at(given: str = "") -> ClusterDir:
    """The cluster to look at from outside, running or not."""
    try:
        return meant(given)
    except StoppedError as error:
        return error.cluster


def running_clusters() -> list[ClusterDir]:
    """The clusters that answer, by name. One whose directory the user may not read isn't among them."""
    return [cluster for cluster in state.all_clusters() if _seen(cluster.server)]


def _seen(ask: Callable[[], object]) -> bool:
    """Whether what is asked of a cluster's files is so, as far as they may be read."""
    try:
        return bool(ask())
    except OSError:
        return False


def listed(clusters: list[ClusterDir]) -> str:
    return ", ".join(cluster.name for cluster in clusters)


def also_running(name: str) -> str:
    """What to add to a line about a cluster: those that run beside it; empty where there are none."""
    others = [cluster for cluster in running_clusters() if cluster.name != name]
    return f"; running: {listed(others)}" if others else ""


def _running(choice: Named) -> ClusterDir:
    cluster = state.cluster_dir(choice.name)
    if cluster.server() is not None:
        return cluster
    others = also_running(choice.name)
    if cluster.running():
        if cluster.server_file.exists():  # only a server that is ready has written it
            again = f"svcsim down {choice.name}, then svcsim up {choice.name}"
            raise CommandError(f"{choice} runs, but {cluster.server_file} is damaged; start it anew: {again}{others}")
        raise CommandError(f"{choice} is just being started; try again in a moment{others}")
    start = f"svcsim up {choice.name}"
    if cluster.path.is_dir():
        raise StoppedError(f"{choice} is stopped; start it with: {start}{others}", cluster)
    raise CommandError(f"there is no {choice}; start it with: {start}{others}")


def _nothing_runs() -> CommandError:
    found = state.all_clusters()
    stopped = [cluster for cluster in found if cluster.hidden is None]
    unseen = "".join(f"; can't look at {cluster.name}: {cluster.hidden}" for cluster in found if cluster.hidden is not None)
    foreign = "; ~/.kube/config is used only with --context NAME" if (Path.home() / ".kube" / "config").exists() else ""
    if len(stopped) == 1:
        name = stopped[0].name
        return StoppedError(f'no cluster is running; start "{name}" again with: svcsim up {name}{unseen}{foreign}', stopped[0])
    others = f" (stopped: {listed(stopped)})" if stopped else ""
    return CommandError(f"no cluster is running{others}; start one with: svcsim up{unseen}{foreign}")


# --- the choice that is remembered ---


def choice_file() -> Path:
    return state.home() / "chosen.json"


def remembered() -> str:
    """The name that ``svcsim use`` was given last; empty where there is none. What can't be read names nobody, and isn't passed over."""
    path = choice_file()
    again = "choose again with: svcsim use NAME, or: svcsim use --forget"
    try:
        content = state.read_own(path)
    except CommandError as error:
        raise CommandError(f"{error}; {'delete it' if path.is_dir() else again}") from error
    if content is None:
        return ""
    try:
        name = orjson.loads(content)["cluster"]
    except (ValueError, TypeError, KeyError):
        name = None
    if not isinstance(name, str) or not name:
        raise CommandError(f"{path} doesn't say which cluster was chosen; {again}")
    return name


def remember(name: str) -> None:
    """Let commands that name no cluster go to this one from now on."""
    state.write_json(choice_file(), {"cluster": name})


def forget() -> None:
    """Forget the choice."""
    choice_file().unlink(missing_ok=True)
