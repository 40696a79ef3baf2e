"""Watch answers: a stream of events, one JSON document a line.

The registry yields batches of events whose lines are encoded once for all watchers; a plain watch joins a batch and hands it on. Tables
and metadata-only forms are made per watcher. When a watch breaks after its answer has begun, the client is told by a last ERROR event.
"""

from collections.abc import AsyncGenerator, AsyncIterator, Callable

from svcsim.meta.codec import decode_json, encode, encode_yaml
from svcsim.meta.errors import StatusError
from svcsim.meta.http import Response
from svcsim.meta.types import Json, Object
from svcsim.registry.registry import WatchEvent
from svcsim.server.answers import table_view
from svcsim.server.call import Call
from svcsim.server.negotiate import CONTENT_TYPES, Shape
from svcsim.server.partial import partial_object

Convert = Callable[[WatchEvent], bytes]


def watch_response(call: Call, shape: Shape, events: AsyncIterator[list[WatchEvent]]) -> Response:
    """The answer to a watch whose events come in batches."""
    if shape.as_ == "" and shape.media == "json":
        return Response(200, stream=_stream(call, events, None))
    if shape.as_ == "PartialObjectMetadataList":
        raise StatusError(406, "NotAcceptable", "you requested PartialObjectMetadataList, but the requested object is not a list")
    return Response(200, content_type=CONTENT_TYPES[shape.media], stream=_stream(call, events, _converter(call, shape)))


async def _stream(call: Call, events: AsyncIterator[list[WatchEvent]], convert: Convert | None) -> AsyncGenerator[bytes, None]:
    """Batches as bytes, and the panic shield of an answer that has begun."""
    watchers, resource = call.services.metrics.watchers, call.target.resource.store_name
    watchers[resource] = watchers.get(resource, 0) + 1
    try:
        async for batch in events:
            if convert is not None:
                yield b"".join([convert(event) for event in batch])
            elif len(batch) == 1:
                yield batch[0].line
            else:
                yield b"".join([event.line for event in batch])
    except StatusError as error:
        yield error_line(error)
    except Exception as failure:  # noqa: BLE001 - the shield: whatever breaks a watch is told as its last event
        yield error_line(call.services.incidents.report(failure, f"watch {call.request.path}"))
    finally:
        watchers[resource] -= 1
        if isinstance(events, AsyncGenerator):
            await events.aclose()


def error_line(error: StatusError) -> bytes:
    """The event that says a watch has broken."""
    return encode({"type": "ERROR", "object": error.status()}) + b"\n"


def _converter(call: Call, shape: Shape) -> Convert:
    """What makes of an event the line this watcher sees."""
    finish: Callable[[Json], bytes] = _yaml_document if shape.media == "yaml" else _json_line
    if shape.as_ == "Table":
        return _TableEvents(call, shape, finish)
    dialect, version = call.services.dialect, shape.version

    def convert(event: WatchEvent) -> bytes:
        obj: Object = decode_json(event.body)
        return finish({"type": event.type, "object": partial_object(dialect, version, obj) if shape.as_ else obj})

    return convert


class _TableEvents:
    """Each event as a table of one row. The columns are said once."""

    def __init__(self, call: Call, shape: Shape, finish: Callable[[Json], bytes]) -> None:
        self._call = call
        self._shape = shape
        self._finish = finish
        self._first = True
        table_view(call, shape)  # a bad includeObject is refused before the watch begins

    def __call__(self, event: WatchEvent) -> bytes:
        view = table_view(self._call, self._shape)  # anew for each event: ages are as of now
        table = view.event(decode_json(event.body), first=self._first)
        self._first = False
        return self._finish({"type": event.type, "object": table})


def _json_line(value: Json) -> bytes:
    return encode(value) + b"\n"


def _yaml_document(value: Json) -> bytes:
    return b"---\n" + encode_yaml(value)
