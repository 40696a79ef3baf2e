"""What a client shows that isn't written in its configuration: what a program gives (a credential plugin), or a file that others renew.

A source is asked before requests; it keeps what it found until that expires, or the server doesn't take it. Nothing is run or read again
before somebody asks, and nothing but what the chosen configuration names.
"""

import threading
from pathlib import Path
from typing import NamedTuple, TypeAlias

from svcsim import limits
from svcsim.client.plugin_config import Credentials, CredentialsError, Plugin
from svcsim.wall import wall_time


class TokenFile(NamedTuple):
    """A token that somebody else renews in its place."""

    path: str

    def obtain(self) -> Credentials:
        """Read it. Raises `CredentialsError`."""
        try:
            token = Path(self.path).read_text().strip()
        except OSError as error:
            raise CredentialsError(f"unable to read tokenFile {self.path}: {error.strerror or error}") from error
        return Credentials(token, expires=wall_time() + limits.TOKEN_FILE_S)


Origin: TypeAlias = Plugin | TokenFile


class CredentialSource:
    """Credentials of one origin, for everybody in this process who asks by the same configuration. Threads may share it."""

    def __init__(self, origin: Origin) -> None:
        self._origin = origin
        self._kept: Credentials | None = None
        self._lock = threading.Lock()

    def __eq__(self, other: object) -> bool:
        """Two are the same where they ask the same: a configuration read again is no other one."""
        return isinstance(other, CredentialSource) and self._origin == other._origin

    def __hash__(self) -> int:
        return hash(self._origin)

    @property
    def fresh(self) -> Credentials | None:
        """What is kept and hasn't expired, which takes no waiting."""
        kept = self._kept
        return kept if kept is not None and (kept.expires is None or kept.expires > wall_time()) else None

    def current(self) -> Credentials:
        """What to show now. May wait for a program; raises `CredentialsError`."""
        with self._lock:
            kept = self.fresh
            if kept is None:
                kept = self._kept = _obtain(self._origin)
            return kept

    def reject(self, refused: Credentials) -> None:
        """The server doesn't take these: they are asked for anew, unless that has happened meanwhile."""
        with self._lock:
            if self._kept is refused:
                self._kept = None


def _obtain(origin: Origin) -> Credentials:
    if isinstance(origin, TokenFile):
        return origin.obtain()
    from svcsim.client.credential_plugin import obtain  # noqa: PLC0415 - few have one, and running programs is slow to import

    return obtain(origin)
