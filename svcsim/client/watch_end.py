"""What the end of a watch means for a follower of a collection: go on where it ended, read the collection anew, or give up.

The decision is the same for a command that waits in the foreground and for a cache that follows for ever; how long each of them keeps
trying is its own affair.
"""

from enum import Enum, auto

from svcsim.meta.errors import StatusError

SHORT_WATCH_S = 1.0
"""A watch that ends sooner than this, and without an event that gets its reader on, counts as a failure: opening it again at once would
be a busy loop."""
_BUSY = (429, 500, 502, 503)
"""Answers of a server that starts, stops or has too much to do."""


class AfterEnd(Enum):
    """What comes after a watch that failed."""

    RESUME = auto()
    """Watch again from the last revision seen, as soon as the server answers."""
    RELIST = auto()
    """Read the collection anew: the server has forgotten that revision, or, being another one by now, never had it."""
    FAIL = auto()
    """The server refuses, and would again."""


def after_end(error: ConnectionError | StatusError) -> AfterEnd:
    """What to do about a watch that couldn't be opened, broke off, or ended with an ERROR event."""
    if isinstance(error, ConnectionError):
        return AfterEnd.RESUME
    if error.code == 410 or (error.code == 504 and _too_large_revision(error)):
        return AfterEnd.RELIST
    return AfterEnd.RESUME if error.code in _BUSY else AfterEnd.FAIL


def is_seen(revision: str, since: str) -> bool:
    """Whether a revision is no newer than another. What isn't a number can't be compared, and counts as new."""
    return revision.isdigit() and since.isdigit() and int(revision) <= int(since)


def is_progress(revision: str, since: str) -> bool:
    """Whether the next watch begins further on after an event of that revision. After one without a revision it would bring the same."""
    return revision not in ("", since) and not is_seen(revision, since)


def _too_large_revision(error: StatusError) -> bool:
    causes = (error.details or {}).get("causes") or []
    return "Too large resource version" in error.message or any(cause.get("reason") == "ResourceVersionTooLarge" for cause in causes)
