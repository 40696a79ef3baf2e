"""Following a collection as rows of the table its server makes of it, so that every kind shows its own columns.

The same reflector that keeps the controllers' caches is given a collection whose items are tables: a page of a list is one, and so is
every event. What comes in is gathered until the next frame asks for it; of several changes of one object only the last one counts, so
what is gathered never grows beyond the number of objects.
"""

from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass
from typing import Literal, NamedTuple

from svcsim import limits
from svcsim.chance import Chance
from svcsim.client.answers import error_from, read_answer, refuses
from svcsim.client.api import Client, Collection, Page, Watch
from svcsim.client.paths import Options, query_string, watch_options
from svcsim.client.reflector import Reflector
from svcsim.clock import Clock
from svcsim.meta.http import Request
from svcsim.meta.types import Object
from svcsim.tui.feeds.cluster_time import ClusterTime
from svcsim.tui.feeds.texts import OnChange
from svcsim.tui.model.rows import Column, Row, RowKey, RowReader, key_of
from svcsim.tui.model.views import View


@dataclass(slots=True)
class TableCollection(Collection):
    """A collection whose items are the server's tables of its objects. ``progress`` is called with the number of objects listed so far."""

    progress: Callable[[int], None] = lambda _count: None

    async def pages(self, *, label_selector: str = "", field_selector: str = "") -> AsyncIterator[Page]:
        """The whole collection, each page as one table; no more of it than a dashboard keeps."""
        token, count = "", 0
        while True:
            options: Options = {
                "labelSelector": label_selector,
                "fieldSelector": field_selector,
                "limit": limits.RELIST_PAGE_OBJECTS,
                "continue": token,
            }
            response = await self.client.transport.send(self._request(options))
            if refuses(response.status):
                raise error_from(response.status, response.body)
            table: Object = read_answer(response.body)
            meta = table["metadata"]
            token, remaining = meta.get("continue", ""), meta.get("remainingItemCount")
            yield Page([table], meta["resourceVersion"], token, remaining)
            count += len(table.get("rows") or ())
            self.progress(count)
            if not token or count > limits.DASHBOARD_ROWS:
                return

    def watch(
        self, resource_version: str = "", *, label_selector: str = "", field_selector: str = "", timeout_s: int = 0, bookmarks: bool = True
    ) -> Watch:
        """Follow the collection from a revision; every event's object is a table of one row."""
        options = watch_options(resource_version, label_selector, field_selector, timeout_s, bookmarks=bookmarks)
        return Watch(self.client, self._request(options))

    def _request(self, options: Options) -> Request:
        accept = f"application/json;as=Table;v=v1;g={self.client.dialect.group('meta')},application/json"
        return Request("GET", self.path, query_string({**options, "includeObject": "Metadata"}), {"accept": accept})


class Connection(NamedTuple):
    """How the following goes. ``retry_s`` is how long until it is tried again; ``quiet_s`` how long nothing has been heard."""

    state: Literal["connecting", "connected", "reconnecting"]
    problem: str = ""
    retry_s: float = 0.0
    revision: str = ""
    quiet_s: float = 0.0


class Batch(NamedTuple):
    """What came in since the last frame. ``whole`` stands before ``changes``; None where the collection wasn't read anew."""

    whole: list[Row] | None
    columns: tuple[Column, ...]
    changes: dict[RowKey, Row | None]


class TableFeed:
    """Follows what a view shows. ``on_change`` is called whenever there is something to take or the connection changes.

    ``on_back`` is called when the cluster answers again after it didn't. It may be another one by then, made anew under the same name,
    whose revisions mean something else: this feed reads everything again, and whoever is called sees to the others.
    """

    def __init__(
        self,
        client: Client,
        clock: Clock,
        chance: Chance,
        time: ClusterTime,
        view: View,
        on_change: OnChange,
        on_back: OnChange,
    ) -> None:
        resource = view.resource
        collection = TableCollection(client, resource.api_version, resource.plural, view.namespace, self._listed)
        self._reflector = Reflector(
            collection,
            clock,
            chance,
            self,
            label_selector=view.label_selector,
            field_selector=view.field_selector,
            longest_wait_s=limits.DASHBOARD_RECONNECT_LONGEST_S,
        )
        self._reflector.on_problem = self._on_problem
        self._clock = clock
        self._time = time
        self._on_change = on_change
        self._on_back = on_back
        self._reader = RowReader([])
        self._whole: list[Row] | None = None
        self._changes: dict[RowKey, Row | None] = {}
        self._heard_at = clock.now()
        self.loading = 0
        """Rows listed so far, until the whole collection is there."""
        self.synced = False

    async def run(self) -> None:
        await self._reflector.run()

    @property
    def connection(self) -> Connection:
        """How it goes right now."""
        now = self._clock.now()
        if self._reflector.problem:
            return Connection("reconnecting", self._reflector.problem, max(self._reflector.retry_at - now, 0.0), self._reflector.revision)
        if not self.synced:
            return Connection("connecting")
        return Connection("connected", "", 0.0, self._reflector.revision, now - self._heard_at)

    def take(self) -> Batch:
        """What came in since this was last asked."""
        batch = Batch(self._whole, self._reader.columns, self._changes)
        self._whole, self._changes = None, {}
        return batch

    def replace(self, items: list[Object]) -> None:
        """The whole collection, as tables."""
        now = self._time.now()
        definitions: list[Object] = next((table["columnDefinitions"] for table in items if table.get("columnDefinitions")), [])
        self._reader = RowReader(definitions)
        self._whole = [self._reader.read(row, now) for table in items for row in table.get("rows") or ()]
        self._changes = {}
        self.synced = True
        self._heard()

    def apply(self, change: str, obj: Object) -> None:
        """One change, as a table of one row."""
        now = self._time.now()
        for row in obj.get("rows") or ():
            self._changes[key_of(row)] = None if change == "DELETED" else self._reader.read(row, now)
        self._heard()

    def _listed(self, count: int) -> None:
        self.loading = count
        self._heard()

    def _heard(self) -> None:
        self._heard_at = self._clock.now()
        self._on_change()

    def _on_problem(self, problem: str) -> None:
        if not problem:
            self._reflector.read_again()
            self._on_back()
        self._on_change()
