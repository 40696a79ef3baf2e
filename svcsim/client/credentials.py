"""Credentials that aren't written in the client configuration: those of a credential plugin, or of a file that other programs renew.

A source is asked before requests; it caches its credentials until they expire, or the server refuses them. Nothing is run or read again
before it is needed, and nothing but what the chosen configuration names.
"""

import threading
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple, TypeAlias

from svcsim import limits
from svcsim.client.plugin_config import Credentials, CredentialsError, Plugin, checked_token
from svcsim.wall import wall_time


class TokenFile(NamedTuple):
    """A token in a file that another program renews."""

    path: str

    def obtain(self) -> Credentials:
        """Read it. Raises `CredentialsError`."""
        try:
            token = checked_token(Path(self.path).read_text("ascii", "replace").strip(), f"tokenFile {self.path} has")
        except OSError as error:
            why = (error.strerror or str(error)).lower()
            raise CredentialsError(f"open {self.path}: {why}") from error
        if not token:
            raise CredentialsError(f"read empty token from file {self.path}")
        return Credentials(token, expires=wall_time() + limits.TOKEN_FILE_S)


Origin: TypeAlias = Plugin | TokenFile


class CredentialSource:
    """Credentials of one origin, for all users of the same configuration in this process. Threads may share it."""

    def __init__(self, origin: Origin) -> None:
        self._origin = origin
        self._kept: Credentials | None = None
        self._end: Callable[[], None] | None = None
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

    def current(self, *, aside: bool = False) -> Credentials:
        """What to show now. May wait for a program; raises `CredentialsError`.

        ``aside`` is for a thread that nobody sits in front of: whatever is run there has nothing to do with the terminal.
        """
        with self._lock:
            kept = self.fresh
            if kept is None:
                kept = self._kept = self._obtain(aside=aside)
            return kept

    def abandon(self) -> None:
        """Nothing waits any longer: end a program that is still running."""
        end = self._end
        if end is not None:
            end()

    def reject(self, refused: Credentials) -> None:
        """The server doesn't take these: they are asked for anew, unless that has happened meanwhile."""
        with self._lock:
            if self._kept is refused:
                self._kept = None

    def _obtain(self, *, aside: bool) -> Credentials:
        if isinstance(self._origin, TokenFile):
            return self._origin.obtain()
        from svcsim.client.credential_plugin import obtain  # noqa: PLC0415 - few have one, and running programs is slow to import

        try:
            return obtain(self._origin, self._started, aside=aside)
        finally:
            self._end = None

    def _started(self, end: Callable[[], None]) -> None:
        self._end = end
