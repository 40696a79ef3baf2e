"""Feeds of one object: its YAML, and its description, as it is now."""

import asyncio
import io
from collections.abc import Mapping

from svcsim.chance import Chance
from svcsim.client.api import Client
from svcsim.client.discovery import ApiResource
from svcsim.client.informers import Informer
from svcsim.client.paths import query_string
from svcsim.clock import Clock
from svcsim.meta.errors import StatusError
from svcsim.meta.types import Object
from svcsim.printing.describe.kinds import describe
from svcsim.tui.feeds.cluster_time import ClusterTime
from svcsim.tui.feeds.texts import OnChange, nobody
from svcsim.tui.model.ink import Spans, printable
from svcsim.tui.model.rows import RowKey
from svcsim.tui.model.texts import describe_spans, yaml_lines, yaml_spans
from svcsim.tui.model.views import events_of

_PAUSE_S = 0.5
"""How long a description stands at least, however much changes."""
_AGES_EVERY_S = 5.0
"""How often it is made anew though nothing has changed but ages."""


class FollowedObject:
    """One object, followed. What was last seen of it stays when it goes."""

    def __init__(self, client: Client, clock: Clock, chance: Chance, resource: ApiResource, key: RowKey) -> None:
        self._key = key
        self._seen: Object = {}
        collection = client.resource(resource.api_version, resource.plural, key.namespace)
        self.informer = Informer(collection, clock, chance, field_selector=f"metadata.name={key.name}")

    def get(self) -> Object:
        """The object as it is now; empty until it is known."""
        self._seen = self.informer.cache.get(self._key.name, self._key.namespace) or self._seen
        return self._seen

    @property
    def gone(self) -> bool:
        """Whether it no longer exists."""
        cache = self.informer.cache
        return cache.synced.is_set() and cache.get(self._key.name, self._key.namespace) is None

    @property
    def problem(self) -> str:
        """Why what is shown may be out of date; empty while all is well."""
        return self.informer.reflector.problem or ("it was deleted; this is its last state" if self.gone else "")


class YamlFeed:
    """An object as YAML."""

    tail = False

    def __init__(self, client: Client, clock: Clock, chance: Chance, resource: ApiResource, key: RowKey) -> None:
        self.title = f"yaml {resource.singular}/{key.name}"
        self.on_change: OnChange = nobody
        self._managed_fields = False
        self._made_of: tuple[Object, bool] | None = None
        self._lines: list[str] = []
        self._object = FollowedObject(client, clock, chance, resource, key)
        self._object.informer.cache.add_handler(lambda *_: self.on_change())
        self._object.informer.reflector.on_problem = lambda _: self.on_change()

    @property
    def problem(self) -> str:
        """Why the text may be out of date."""
        return self._object.problem

    async def run(self) -> None:
        """Follow the object."""
        await self._object.informer.run()

    def read_again(self) -> None:
        """Believe nothing that is known of the object."""
        self._object.informer.reflector.read_again()

    def lines(self) -> list[str]:
        """The text as it is now."""
        obj = self._object.get()
        if obj and (self._made_of is None or self._made_of[0] is not obj or self._made_of[1] is not self._managed_fields):
            self._made_of, self._lines = (obj, self._managed_fields), yaml_lines(obj, managed_fields=self._managed_fields)
        return self._lines

    def spans(self, line: str) -> Spans:
        return yaml_spans(line)

    def toggle(self) -> str:
        """Show who owns which field, or not."""
        self._managed_fields = not self._managed_fields
        return "managed fields shown" if self._managed_fields else "managed fields hidden"


class DescriptionFeed:
    """An object as the command line describes it, made anew when it or its events change, and now and then for the ages in it.

    A description asks for what belongs to the object and is worked out while waiting for the answers, so it is made beside the event loop.
    """

    tail = False

    def __init__(self, client: Client, clock: Clock, chance: Chance, time: ClusterTime, resource: ApiResource, key: RowKey) -> None:
        self.title = f"describe {resource.singular}/{key.name}"
        self.on_change: OnChange = nobody
        self._client = client
        self._clock = clock
        self._time = time
        self._trouble = ""
        self._lines: list[str] = []
        self._due = asyncio.Event()
        self._object = FollowedObject(client, clock, chance, resource, key)
        events = events_of(resource, key, "")
        self._events = Informer(client.resource("v1", "events", key.namespace), clock, chance, field_selector=events.field_selector)
        for informer in (self._object.informer, self._events):
            informer.cache.add_handler(lambda *_: self._due.set())
            informer.reflector.on_problem = lambda _: self.on_change()

    @property
    def problem(self) -> str:
        """Why the text may be out of date."""
        return self._object.problem or self._trouble

    async def run(self) -> None:
        """Follow the object and its events."""
        async with asyncio.TaskGroup() as tasks:
            tasks.create_task(self._object.informer.run())
            tasks.create_task(self._events.run())
            tasks.create_task(self._keep_describing())

    def read_again(self) -> None:
        """Believe nothing that is known of the object and its events."""
        for informer in (self._object.informer, self._events):
            informer.reflector.read_again()

    async def _keep_describing(self) -> None:
        while True:
            await self._due.wait()
            self._due.clear()
            if not self._object.gone and (obj := self._object.get()):
                await self._describe(obj)
                self._clock.call_later(_AGES_EVERY_S, self._due.set)
            self.on_change()
            await self._clock.sleep(_PAUSE_S)

    async def _describe(self, obj: Object) -> None:
        text, reader = io.StringIO(), _ReaderOnLoop(self._client, asyncio.get_running_loop())
        try:
            await asyncio.to_thread(describe, obj, text, reader, self._time.now)
        except (StatusError, ConnectionError) as error:
            self._trouble = str(error)
        else:
            self._trouble, self._lines = "", [printable(line.rstrip()) for line in text.getvalue().rstrip("\n").split("\n")]

    def lines(self) -> list[str]:
        """The text as it is now."""
        return self._lines

    def spans(self, line: str) -> Spans:
        return describe_spans(line)

    def toggle(self) -> str:
        """There is nothing that is left out."""
        return ""


class _ReaderOnLoop:
    """Asks through the dashboard's own client, from another thread. See `svcsim.printing.describe.reader.Reader`."""

    def __init__(self, client: Client, loop: asyncio.AbstractEventLoop) -> None:
        self.dialect = client.dialect
        self._client = client
        self._loop = loop

    def get(self, path: str, query: Mapping[str, str | int | bool] | None = None) -> Object:
        """The JSON map at a path."""
        answer = asyncio.run_coroutine_threadsafe(self._client.get_json(path, query_string(query or {})), self._loop).result()
        return answer if isinstance(answer, dict) else {}
