"""Files with keys and tokens that the cluster is given: only the user who started it may read them.

A key that others on the machine can read is no longer secret, and nobody notices. Such a file is refused, as ssh does with private keys,
and the message says how to fix it. As with ssh, that applies to the user's own files. A file of another owner, such as one that was mounted
into a container, has the mode that its owner chose.
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
