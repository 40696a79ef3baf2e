"""Which of the volumes that are attached to a node its pods use: what the node's status tells, so that nobody takes one away meanwhile."""

from collections.abc import Callable, Sequence


class VolumesInUse:
    """The volumes of one machine's pods, by the names by which a node's status calls them."""

    def __init__(self) -> None:
        self._of: dict[str, tuple[str, ...]] = {}
        self.on_change: Callable[[], None] = lambda: None

    def are_known(self, uid: str) -> bool:
        """Whether it has been said which ones a pod uses."""
        return uid in self._of

    def names(self) -> list[str]:
        """All of them, each once, in order."""
        return sorted(dict.fromkeys(name for names in self._of.values() for name in names))

    def take(self, uid: str, names: Sequence[str]) -> None:
        """A pod uses these from now on."""
        before = self.names()
        self._of[uid] = tuple(names)
        if self.names() != before:
            self.on_change()

    def release(self, uid: str) -> None:
        """It uses none any more."""
        if uid in self._of:
            before = self.names()
            del self._of[uid]
            if self.names() != before:
                self.on_change()
