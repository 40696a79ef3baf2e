"""Following a collection: what is there, then every change, whatever happens to the connection or the server meanwhile.

The one loop behind ``get -w``, ``events -w``, ``wait`` and everything else that waits for an object. A watch that ends or breaks off goes
on from the last revision seen, also after the server was away for a while (`outage`); where that revision can't be watched from any more,
the collection is read anew. `client.watch_end` decides between the two, as it does for caches that follow in the background.
"""

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from svcsim import limits
from svcsim.cli.failure import CommandError
from svcsim.cli.shared.listing import list_pages, typed_items
from svcsim.cli.shared.outage import Outage
from svcsim.cli.shared.paused_clock import tell_if_paused
from svcsim.client.answers import read_event
from svcsim.client.backoff import Backoff
from svcsim.client.watch_end import SHORT_WATCH_S, AfterEnd, after_end, is_progress, is_seen
from svcsim.meta.errors import StatusError
from svcsim.meta.types import Object
from svcsim.wall import stopwatch, wall_sleep

if TYPE_CHECKING:
    from svcsim.cli.shared.discovery import Resource
    from svcsim.cli.shared.session import Query, Session
    from svcsim.client.blocking import BlockingStream

WEEK_S = 7 * 24 * 3600.0
LISTED = "LISTED"


class Collection(NamedTuple):
    """What is followed: objects of one type, perhaps in one namespace, perhaps picked by selectors."""

    resource: "Resource"
    namespace: str
    selector: str = ""
    field_selector: str = ""
    chunk_size: int = 500
    accept: str = "application/json"

    def pages(self, session: "Session") -> list[Object]:
        """All of it now, as the server's answers."""
        pages = list_pages(
            session,
            self.resource,
            self.namespace,
            selector=self.selector,
            field_selector=self.field_selector,
            chunk_size=self.chunk_size,
            accept=self.accept,
        )
        return list(pages)


class Change(NamedTuple):
    """What one step of following brings."""

    type: str
    """ADDED, MODIFIED or DELETED, or LISTED where the collection was read: then ``object`` is a page of it."""
    object: Object
    since: str = ""
    """For a page: objects up to this revision have been passed on already; empty if none have."""


def follow(
    session: "Session",
    collection: Collection,
    since: str = "",
    *,
    list_first: bool = False,
    seconds: float = math.inf,
    patience_s: float = limits.OUTAGE_S,
) -> Iterator[Change]:
    """Every change after revision ``since``; with ``list_first`` the collection before that, where no watch can begin at ``since``.

    Ends when ``seconds`` are over. Raises what the server refuses, and `ConnectionError` when it stays away longer than ``patience_s``.
    """
    return _Follower(session, collection, since, stopwatch() + seconds, patience_s).changes(list_first=list_first)


def states(session: "Session", resource: "Resource", namespace: str, name: str, timeout_s: float) -> Iterator[Object | None]:
    """One object now and after every change, None while it isn't there; ends when the time is up."""
    one = Collection(resource, namespace, field_selector=f"metadata.name={name}")
    for change in follow(session, one, list_first=True, seconds=timeout_s, patience_s=timeout_s):
        if change.type == LISTED:
            yield next(iter(typed_items(change.object)), None)
        else:
            yield None if change.type == "DELETED" else change.object
        if timeout_s > 0:
            tell_if_paused(session)  # what was shown wasn't it


def timed_out(resource: "Resource", name: str) -> CommandError:
    """The error of a wait for one object that took too long."""
    return CommandError(f"timed out waiting for the condition on {resource.plural}/{name}")


def revision_of(obj: Object) -> str:
    """The revision of an object, a list or a Table; of a Table in an event, which has none, that of its row."""
    own: str = (obj.get("metadata") or {}).get("resourceVersion", "")
    rows = obj.get("rows") or []
    return own or (revision_of(rows[0].get("object") or {}) if rows else "")


class _Follower:
    """How far following has got."""

    def __init__(self, session: "Session", collection: Collection, since: str, deadline: float, patience_s: float) -> None:
        self._session = session
        self._collection = collection
        self._since = since
        self._deadline = deadline
        self._outage = Outage(session, patience_s)
        self._backoff = Backoff(limits.RECONNECT_FIRST_S, limits.OUTAGE_PAUSE_S)
        self._got_on = False

    def changes(self, *, list_first: bool) -> Iterator[Change]:
        while True:
            began, self._got_on = stopwatch(), False
            try:
                if list_first:
                    yield from self._listed()
                    list_first = False
                if self._over():
                    return
                yield from self._watched()
            except BrokenPipeError:
                raise  # it is our reader who has gone, not the server
            except (ConnectionError, StatusError) as error:
                if self._over():
                    return
                after = after_end(error)
                if after is AfterEnd.FAIL:
                    raise
                if after is AfterEnd.RESUME:
                    self._outage.wait(error)
                    continue
                list_first = True
            if self._got_on or stopwatch() - began >= SHORT_WATCH_S:
                self._backoff.reset()
            else:
                wall_sleep(max(0.0, min(self._backoff.next(), self._deadline - stopwatch())))

    def _over(self) -> bool:
        return stopwatch() >= self._deadline

    def _listed(self) -> Iterator[Change]:
        pages = self._collection.pages(self._session)
        self._outage.over()
        seen, newest = self._since, revision_of(pages[-1])
        if newest != seen and is_seen(newest, seen):
            seen = ""  # another cluster under the same name: all of it is new
        self._since = newest
        yield from (Change(LISTED, page, seen) for page in pages)

    def _watched(self) -> Iterator[Change]:
        """One watch, to its end."""
        path = self._collection.resource.path(self._collection.namespace)
        with self._session.stream(path, self._query(), self._collection.accept) as stream:
            self._outage.over()
            self._limit(stream)
            for line in filter(None, stream):
                change = _change(line)
                revision = revision_of(change.object)
                self._got_on = self._got_on or is_progress(revision, self._since)
                is_new = not is_seen(revision, self._since)
                self._since = revision or self._since
                if is_new and change.type != "BOOKMARK":
                    yield change
                if self._over():
                    return
                self._limit(stream)

    def _limit(self, stream: "BlockingStream") -> None:
        """Hear no longer than the time that is left: the user's, which the cluster, whose clock may stand still, can't tell."""
        if not math.isinf(self._deadline):
            stream.wait(self._deadline - stopwatch())

    def _query(self) -> "Query":
        return {
            "watch": True,
            "resourceVersion": self._since,
            "labelSelector": self._collection.selector,
            "fieldSelector": self._collection.field_selector,
            "allowWatchBookmarks": True,
        }


def _change(line: bytes) -> Change:
    """An event. Raises `StatusError` for an ERROR event."""
    event = read_event(line)
    return Change(event["type"], event["object"])
