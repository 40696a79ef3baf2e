"""Client configurations are changed by one program at a time: what another has just put there would be lost.

kubectl keeps to the same rule by the same file, so that neither loses what the other writes.
"""

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from svcsim.meta.client_configuration import KubeconfigError
from svcsim.meta.files import make_directory
from svcsim.wall import stopwatch, wall_sleep, wall_time

_PATIENCE_S = 5.0
_POLL_S = 0.01


@contextmanager
def changing(path: Path) -> Iterator[None]:
    """While this lasts nobody else changes the file. Raises `KubeconfigError` where it can't be had, and for what `OSError` comes up."""
    path = path.resolve()
    lock = path.with_name(f"{path.name}.lock")
    try:
        make_directory(path.parent)
        _take(lock)
    except OSError as error:
        raise KubeconfigError(f'can\'t write config file "{path}": {error.strerror or error}') from error
    try:
        yield
    finally:
        with suppress(FileNotFoundError):
            lock.unlink()


def _take(lock: Path) -> None:
    begun = stopwatch()
    while True:
        try:
            os.close(os.open(lock, os.O_CREAT | os.O_EXCL, 0o600))
        except FileExistsError:
            _look_at(lock, stopwatch() - begun)
        else:
            return


def _look_at(lock: Path, waited_s: float) -> None:
    """Wait a little for another's lock. Nobody needs one for seconds: an old one was left behind by a program that was killed."""
    with suppress(FileNotFoundError):
        if wall_time() - lock.stat().st_mtime > _PATIENCE_S:
            lock.unlink()
            return
    if waited_s > _PATIENCE_S:
        raise KubeconfigError(f"other programs go on changing {lock.with_suffix('')}; if there are none, delete {lock}")
    wall_sleep(_POLL_S)
