"""Where the command line keeps what it knows: one directory a cluster, below ``$SVCSIM_HOME``.

``clusters/NAME/`` holds the store and the keys (unless ``--data-dir`` puts them elsewhere), ``server.json`` (who serves it and where,
written once the daemon is ready), ``server.log``, ``kubeconfig`` and ``lock``. The lock shows whether a cluster runs: the daemon holds it
while it lives, and unlike a process id it can't be reused by another process.
"""

import os
import sys
from pathlib import Path
from typing import NamedTuple

import orjson

from svcsim.cli.failure import CommandError
from svcsim.meta.files import write_whole
from svcsim.meta.locks import hold
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

    def record(self) -> Object | None:
        """What a daemon wrote down when it became ready, running or not; None where that can't be read as such."""
        record = read_json(self.server_file)
        return record if isinstance(record.get("url"), str) else None

    @property
    def data(self) -> Path:
        """Where store and keys are; the cluster's own directory where the settings can't be read as such."""
        kept = read_json(self.settings_file).get("dataDir")
        return Path(kept) if isinstance(kept, str) and "\0" not in kept and Path(kept).is_absolute() else self.path

    def server(self) -> Object | None:
        """What the daemon reported when it became ready; None while none runs."""
        record = self.record()
        return record if record and self.running() else None

    @property
    def hidden(self) -> str | None:
        """Why it can't be found out whether the cluster runs, with the file that prevents it; None if it can."""
        try:
            self.server()
            self.running()
        except OSError as error:
            return f"{error.filename or self.path}: {(error.strerror or str(error)).lower()}"
        return None

    def running(self) -> bool:
        """Whether a daemon holds the lock, ready or not."""
        try:
            held = hold(self.lock_file, create=False, shared=True)
        except IsADirectoryError:
            return False
        if held is None:
            return self.lock_file.exists()
        note_holder(held, None)
        os.close(held)
        return False

    def holder(self) -> int | None:
        """The process that serves the cluster; None where none does, or it has only just begun."""
        if not self.running():
            return None
        try:
            text = _content(self.lock_file).decode("ascii", "replace").strip()
        except FileNotFoundError:  # the server of an ephemeral cluster has taken it away just now
            return None
        return int(text) if text.isdecimal() and text.isascii() else None


def cluster_dir(name: str = DEFAULT_CLUSTER) -> ClusterDir:
    """The directory of a cluster, whether it is there or not."""
    return ClusterDir(name, home() / "clusters" / name)


def all_clusters() -> list[ClusterDir]:
    """Every cluster that has a directory, by name."""
    root = home() / "clusters"
    if not root.is_dir():
        return []
    return [ClusterDir(path.name, path) for path in sorted(root.iterdir()) if path.is_dir()]


def note_holder(lock: int, pid: int | None) -> None:
    """Write into a lock file that is held whose it is. Always as many bytes: what is there already can be written on a full disk."""
    if pid is not None or os.fstat(lock).st_size:
        os.lseek(lock, 0, os.SEEK_SET)
        os.write(lock, b"%-19s\n" % (b"" if pid is None else str(pid).encode()))


def read_own(path: Path) -> bytes | None:
    """The content of a file of ours; None if there is none. Raises `CommandError` for one that may not be read."""
    try:
        return path.read_bytes()
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        raise CommandError(f"can't read {path}: {(error.strerror or str(error)).lower()}") from error


def read_json(path: Path) -> Object:
    """A file's map; empty if there is none or what is there is none. Raises `OSError` for one that may not be read."""
    try:
        value = orjson.loads(_content(path))
    except (FileNotFoundError, NotADirectoryError, IsADirectoryError, orjson.JSONDecodeError):
        return {}
    return value if isinstance(value, dict) else {}


def _content(path: Path) -> bytes:
    """The content of a file. Raises `OSError` that names it, also if reading fails and not opening."""
    try:
        return path.read_bytes()
    except OSError as error:
        raise OSError(error.errno, error.strerror or str(error), str(path)) from error


def write_json(path: Path, value: Object, *, synced: bool = True) -> None:
    """Give a file a map, in one step."""
    write_whole(path, orjson.dumps(value, option=orjson.OPT_INDENT_2) + b"\n", synced=synced)
