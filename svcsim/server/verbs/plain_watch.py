"""The watch nearly everybody asks for: JSON, one event a line, just as the registry shares it among all who follow.

Nothing is made for the one watcher here, so it is a plain iterator with as few steps as can be: with five hundred watchers of one object,
each step is taken five hundred times an event.
"""

from svcsim.meta.codec import encode
from svcsim.meta.errors import StatusError
from svcsim.meta.http import LineBatches, Told
from svcsim.registry.watch_events import WatchEvent
from svcsim.registry.watching import Watching
from svcsim.server.requests.call import Call


class PlainWatch(LineBatches):
    """Batches of lines, and the panic shield of an answer that has begun."""

    def __init__(self, call: Call, events: Watching) -> None:
        self._call = call
        self._events = events
        self._watchers = call.services.metrics.watchers
        self._resource = call.target.resource.store_name
        self._watchers[self._resource] = self._watchers.get(self._resource, 0) + 1
        self._over = False
        self._closed = False

    async def __anext__(self) -> list[bytes]:
        return [event.line for event in await self._next()]

    async def told(self) -> list[Told]:
        return [Told(event.line, None if event.obj is None else {"type": event.type, "object": event.obj}) for event in await self._next()]

    async def _next(self) -> list[WatchEvent]:
        """The next events; if the watch breaks, a last one that says why."""
        if self._over:
            raise StopAsyncIteration
        try:
            return await anext(self._events)
        except StopAsyncIteration:
            raise
        except StatusError as error:
            failure = error
        except Exception as unforeseen:  # noqa: BLE001 - the shield: whatever breaks a watch becomes its last event
            failure = self._call.services.incidents.report(unforeseen, f"watch {self._call.request.path}")
        self._over = True
        return [WatchEvent.of("ERROR", encode(failure.status()))]

    async def aclose(self) -> None:
        """The client has gone, or has had enough."""
        if not self._closed:
            self._closed = True
            self._watchers[self._resource] -= 1
            await self._events.aclose()
