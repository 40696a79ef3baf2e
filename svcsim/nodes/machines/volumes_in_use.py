"""Which volumes a node's pods use.

Of those that are attached to the node its status tells that, so that nobody takes one away meanwhile. Of those that are for one pod alone
the node itself has to know who has them.
"""

from collections.abc import Callable, Iterable, Sequence


class VolumesInUse:
    """The volumes of one machine's pods, by the names by which a node's status calls them."""

    def __init__(self) -> None:
        self._of: dict[str, tuple[str, ...]] = {}
        self._users: dict[str, str] = {}
        """The UIDs of pods that have a volume for themselves, by its name."""
        self.on_change: Callable[[], None] = lambda: None

    def are_known(self, uid: str) -> bool:
        """Whether it has been said which ones a pod uses."""
        return uid in self._of

    def names(self) -> list[str]:
        """All of them, each once, in order."""
        return sorted(dict.fromkeys(name for names in self._of.values() for name in names))

    def user(self, volume: str) -> str:
        """The UID of the pod that has a volume for itself; empty if none has."""
        return self._users.get(volume, "")

    def take(self, uid: str, names: Sequence[str], alone: Iterable[str] = ()) -> None:
        """A pod uses these from now on: those that are attached for it, and, by names of their own, those that it has for itself."""
        before = self.names()
        self._of[uid] = tuple(names)
        self._users |= dict.fromkeys(alone, uid)
        if self.names() != before:
            self.on_change()

    def release(self, uid: str) -> None:
        """It uses none any more."""
        if uid in self._of:
            before = self.names()
            del self._of[uid]
            self._users = {volume: user for volume, user in self._users.items() if user != uid}
            if self.names() != before:
                self.on_change()
