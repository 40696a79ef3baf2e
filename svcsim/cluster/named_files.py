"""The files that a cluster's settings name, looked at before the first of them is opened."""

from pathlib import Path

from svcsim.cluster.settings import settings
from svcsim.meta.configuration_error import ConfigurationError


def check_files(spec: object) -> None:
    """Raises `ConfigurationError` where a setting names a pipe: whoever opens one waits for its other end, maybe for ever."""
    for one in settings(spec):
        value = one.of(spec)
        for path in value if isinstance(value, tuple) else (value,):
            if isinstance(path, Path) and path.is_fifo():
                raise ConfigurationError(f"{one.flag}: {path} is a pipe, which nobody may ever write to; give it a file")
