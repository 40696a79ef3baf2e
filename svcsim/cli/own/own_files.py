"""Whether what a server serves is still its own: people delete directories under a running cluster, as every test's clean-up may."""

import os
from pathlib import Path


class OwnFiles:
    """Files and directories as they were found, to see whether they are still the same."""

    def __init__(self, *paths: Path) -> None:
        self._found = {path: path.stat() for path in paths}

    def lost(self) -> Path | None:
        """One that is gone, or another one by now."""
        return next((path for path, found in self._found.items() if not self._is_there(path, found)), None)

    def _is_there(self, path: Path, found: os.stat_result) -> bool:
        try:
            return os.path.samestat(path.stat(), found)
        except (FileNotFoundError, NotADirectoryError):
            return False
        except OSError:
            return True  # it can't be seen just now, which doesn't mean that it is gone
