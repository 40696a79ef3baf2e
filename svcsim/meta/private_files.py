"""Files with keys and tokens in them, which the cluster is given: theirs alone who started it.

A key that others on the machine can read is no secret any more, and nobody notices. As ssh does with private keys, such a file is refused,
and the line says how to mend it; as there, that goes for files of one's own. One that belongs to somebody else, as a file that was mounted
into a container does, has the mode that he gave it.
"""

import os
import stat
from pathlib import Path

from svcsim.meta.configuration_error import ConfigurationError
from svcsim.meta.files import read_file

_OTHERS = stat.S_IRWXG | stat.S_IRWXO


def check_private(option: str, path: Path) -> None:
    """Raises `ConfigurationError` where others may read or write a file of ours, or it can't be looked at."""
    try:
        found = path.stat()
    except OSError as error:
        raise ConfigurationError(f"{option}: {path}: {error.strerror or error}") from error
    if found.st_uid == os.getuid() and found.st_mode & _OTHERS:
        mode = stat.S_IMODE(found.st_mode)
        raise ConfigurationError(
            f"{option}: {path}: others can get at the secrets in it (its mode is {mode:04o}); to mend that: chmod 600 {path}"
        )


def read_private(option: str, path: Path) -> bytes:
    """The content of a file with secrets in it. Raises `ConfigurationError` where it can't be read, or others can read it too."""
    check_private(option, path)
    try:
        return read_file(path)
    except OSError as error:
        raise ConfigurationError(f"{option}: {path}: {error.strerror or error}") from error
