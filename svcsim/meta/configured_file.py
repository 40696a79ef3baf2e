"""Files that options name."""

from pathlib import Path

from svcsim.meta.configuration_error import ConfigurationError
from svcsim.meta.files import read_file


def configured_file(option: str, path: Path) -> bytes:
    """What is in it. Raises `ConfigurationError`."""
    try:
        return read_file(path)
    except OSError as error:
        raise ConfigurationError(f"{option}: {path} can't be read: {(error.strerror or str(error)).lower()}") from error
