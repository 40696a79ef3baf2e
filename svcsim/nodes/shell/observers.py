"""What a command tells the rest of its container while it runs."""

from typing import Protocol

from svcsim.nodes.shell.syntax import WhileClause


class Observer(Protocol):
    """Told by a command what it does. The process of a container has one that decides how far it has to be run."""

    def loop_begins(self, loop: WhileClause) -> None:
        """A loop begins that nothing ends but itself: neither ``set -e`` nor a time limit."""
        ...

    def turn_ended(self, variables: dict[str, str], now: float, *, is_limited: bool) -> None:
        """The outermost loop has finished a turn, which left these variables; the observer may change them.

        ``is_limited``: the loop has a time limit.
        """
        ...

    def never_ends(self) -> None:
        """The command goes on for ever from now on."""
        ...

    def asks_others(self) -> None:
        """A program sends a request to another container or host."""
        ...

    def puzzled(self, why: str) -> None:
        """A program can't interpret its arguments or its input. The observer may raise an error to end the command."""
        ...

    def heard_signal(self) -> str:
        """The name of a signal that has come in from outside since the last call, or an empty string."""
        ...


class NoObserver:
    """Takes no notice, and has no signals: for commands that a client runs."""

    def loop_begins(self, loop: WhileClause) -> None:
        pass

    def turn_ended(self, variables: dict[str, str], now: float, *, is_limited: bool) -> None:
        pass

    def never_ends(self) -> None:
        pass

    def asks_others(self) -> None:
        pass

    def puzzled(self, why: str) -> None:
        pass

    def heard_signal(self) -> str:
        return ""
