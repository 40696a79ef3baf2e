"""Where the command line keeps what it knows: one directory a cluster, below ``$SVCSIM_HOME``.

``clusters/NAME/`` holds the store and the keys (unless ``--data-dir`` puts them elsewhere), ``server.json`` (who serves it and where,
written once the daemon is ready), ``server.log``, ``kubeconfig`` and ``lock``. Whether a cluster runs is seen by the lock, which the
daemon holds while it lives: unlike a process id it can't be somebody else's.
"""

import os
import sys
from pathlib import Path
from typing import NamedTuple

import orjson

from svcsim.meta.types import Object

DEFAULT_CLUSTER = "default"

SERVER_FACTS = ("pid", "url", "started", "pki")
"""What a running server's record says beside the settings it runs with."""


def home() -> Path:
    """``$SVCSIM_HOME``, else ``svcsim`` in the platform's directory for a user's data."""
    configured = os.environ.get("SVCSIM_HOME")
    if configured:
        return Path(configured).expanduser().absolute()
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local") / "svcsim"
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Application Support" / "svcsim"
    return Path(os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share") / "svcsim"


class ClusterDir(NamedTuple):
    """A cluster's directory and what stands in it."""

    name: str
    path: Path

    @property
    def server_file(self) -> Path:
        """Who serves the cluster, where, and with which settings."""
        return self.path / "server.json"

    @property
    def settings_file(self) -> Path:
        """The settings of the last start, for the next one."""
        return self.path / "cluster.json"

    @property
    def log_file(self) -> Path:
        return self.path / "server.log"

    @property
    def kubeconfig(self) -> Path:
        """A client configuration for the administrator."""
        return self.path / "kubeconfig"

    @property
    def lock_file(self) -> Path:
        """Held by the daemon while it lives."""
        return self.path / "lock"

    @property
    def data(self) -> Path:
        """Where store and keys are."""
        return Path(read_json(self.settings_file).get("dataDir") or self.path)

    def server(self) -> Object | None:
        """What the daemon reported when it became ready; None while none runs."""
        record = read_json(self.server_file)
        return record if record and self.running() else None

    def running(self) -> bool:
        """Whether a daemon holds the lock, ready or not."""
        held = hold(self.lock_file, create=False, shared=True)
        if held is None:
            return self.lock_file.exists()
        os.close(held)
        return False


def cluster_dir(name: str = DEFAULT_CLUSTER) -> ClusterDir:
    """The directory of a cluster, whether it is there or not."""
    return ClusterDir(name, home() / "clusters" / name)


def all_clusters() -> list[ClusterDir]:
    """Every cluster that has a directory, by name."""
    root = home() / "clusters"
    if not root.is_dir():
        return []
    return [ClusterDir(path.name, path) for path in sorted(root.iterdir()) if (path / "lock").exists()]


def hold(path: Path, *, create: bool = True, shared: bool = False) -> int | None:
    """Take the lock on a file: a descriptor that holds it until it is closed, or None if another process has it (or it isn't there).

    Who only looks takes it ``shared``, so that two who look don't take each other for a server.
    """
    while True:
        try:
            handle = os.open(path, os.O_RDWR | (os.O_CREAT if create else 0), 0o600)
        except (FileNotFoundError, NotADirectoryError):
            return None
        try:
            _lock(handle, shared=shared)
        except OSError:
            os.close(handle)
            return None
        if _stands_at(handle, path):
            return handle
        os.close(handle)  # deleted while we took it: a lock nobody else would ever meet


def _stands_at(handle: int, path: Path) -> bool:
    try:
        return os.path.samestat(os.fstat(handle), path.stat())
    except FileNotFoundError:
        return False


if sys.platform == "win32":
    import msvcrt

    def _lock(handle: int, *, shared: bool) -> None:
        del shared  # there is no such lock
        msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)

else:
    import fcntl

    def _lock(handle: int, *, shared: bool) -> None:
        fcntl.flock(handle, (fcntl.LOCK_SH if shared else fcntl.LOCK_EX) | fcntl.LOCK_NB)


def read_json(path: Path) -> Object:
    """A file's map; empty if there is none or it can't be read as one."""
    try:
        value = orjson.loads(path.read_bytes())
    except (OSError, orjson.JSONDecodeError):
        return {}
    return value if isinstance(value, dict) else {}


def write_json(path: Path, value: Object) -> None:
    """Replace a file in one step, readable by its owner alone."""
    draft = path.with_name(f"{path.name}.{os.getpid()}.tmp")
    handle = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(handle, "wb") as file:
        file.write(orjson.dumps(value, option=orjson.OPT_INDENT_2) + b"\n")
    draft.replace(path)
