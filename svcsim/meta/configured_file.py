"""Files that options name."""

from pathlib import Path

from svcsim.meta.configuration_error import ConfigurationError


def configured_file(option: str, path: Path) -> bytes:
    """What is in it. Raises `ConfigurationError`."""
    try:
        return path.read_bytes()
    except OSError as error:
        raise ConfigurationError(f"{option}: {path} can't be read: {(error.strerror or str(error)).lower()}") from error
