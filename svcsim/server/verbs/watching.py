"""Watch answers: a stream of events, one JSON document a line.

The registry yields batches of events whose lines are encoded once for all watchers; a plain watch (`plain_watch.py`) hands them on. Tables
and metadata-only forms are made per watcher, long ones aside. When a watch breaks after its answer has begun, the client gets a last ERROR
event.
"""

from collections.abc import AsyncGenerator, Awaitable, Callable, Iterable, Sequence

from svcsim.meta.aside import aside
from svcsim.meta.codec import decode_json, encode, encode_yaml
from svcsim.meta.errors import StatusError
from svcsim.meta.http import LineStream, Response
from svcsim.meta.types import Object
from svcsim.registry.watch_events import WatchEvent
from svcsim.registry.watching import Watching
from svcsim.server.content.negotiate import JSON_TYPE, PLAIN, YAML_TYPE, Shape
from svcsim.server.content.partial import partial_object
from svcsim.server.content.protobuf import encode_protobuf, encode_watch_event, frame
from svcsim.server.content.table import revision_metadata
from svcsim.server.http.websocket import handshake, wants_websocket
from svcsim.server.requests.call import Call
from svcsim.server.verbs.answers import table_view
from svcsim.server.verbs.plain_watch import PlainWatch

Convert = Callable[[WatchEvent], bytes]
Encode = Callable[[list[WatchEvent]], Awaitable[Sequence[bytes]]]
"""Makes of a batch the bytes that one watcher sees of each event."""
Finish = Callable[[str, Object], bytes]


def watch_response(call: Call, shape: Shape, events: Watching) -> Response:
    """The answer to a watch whose events come in batches: a stream of them, or of single events for a client that asks for a WebSocket."""
    if shape == PLAIN and not wants_websocket(call.request):
        return Response(200, stream=LineStream(PlainWatch(call, events)))
    if shape.as_ == "PartialObjectMetadataList":
        raise StatusError(406, "NotAcceptable", "you requested PartialObjectMetadataList, but the requested object is not a list")
    encoded, content_type = _encoder(call, shape), _content_type(call, shape)
    if wants_websocket(call.request):
        return Response(101, b"", content_type, handshake(call.request), _stream(call, shape, events, encoded, _apart))
    return Response(200, content_type=content_type, stream=_stream(call, shape, events, encoded, _joined))


def _content_type(call: Call, shape: Shape) -> str:
    if shape.media == "protobuf":
        return f"{call.services.dialect.protobuf_media_type};stream=watch"
    return YAML_TYPE if shape.media == "yaml" else JSON_TYPE


def _joined(encoded: Sequence[bytes]) -> Sequence[bytes]:
    """A batch as one piece."""
    return encoded if len(encoded) == 1 else (b"".join(encoded),)


def _apart(encoded: Sequence[bytes]) -> Sequence[bytes]:
    """Each event as a piece."""
    return encoded


async def _stream(
    call: Call, shape: Shape, events: Watching, encoded: Encode, pieces: Callable[[Sequence[bytes]], Iterable[bytes]]
) -> AsyncGenerator[bytes, None]:
    """Batches as bytes, and the panic shield of an answer that has begun."""
    watchers, resource = call.services.metrics.watchers, call.target.resource.store_name
    watchers[resource] = watchers.get(resource, 0) + 1
    try:
        async for batch in events:
            for piece in pieces(await encoded(batch)):
                yield piece
    except StatusError as error:
        yield error_event(call, shape, error)
    except Exception as failure:  # noqa: BLE001 - the shield: whatever breaks a watch becomes its last event
        yield error_event(call, shape, call.services.incidents.report(failure, f"watch {call.request.path}"))
    finally:
        watchers[resource] -= 1
        await events.aclose()


def error_event(call: Call, shape: Shape, error: StatusError) -> bytes:
    """The event that says a watch has broken."""
    return _finisher(call, shape)("ERROR", error.status())


def _line(event: WatchEvent) -> bytes:
    return event.line + b"\n"


def _encoder(call: Call, shape: Shape) -> Encode:
    """What makes of a batch the bytes this watcher sees."""
    convert = _converter(call, shape)
    if shape.media == "protobuf" and not shape.as_ and not wants_websocket(call.request):

        async def shared(batch: list[WatchEvent]) -> Sequence[bytes]:
            return await call.services.encoded_events.encoded(batch, convert)

        return shared

    async def encoded(batch: list[WatchEvent]) -> Sequence[bytes]:
        return await aside(sum([len(event.body) for event in batch]), _each, convert, batch)

    return encoded


def _each(convert: Convert, batch: list[WatchEvent]) -> list[bytes]:
    return [convert(event) for event in batch]


def _converter(call: Call, shape: Shape) -> Convert:
    """What makes of an event the bytes this watcher sees."""
    if shape == PLAIN:
        return _line
    dialect, version, finish = call.services.dialect, shape.version, _finisher(call, shape)
    if shape.as_ == "Table":
        return _TableEvents(call, shape, finish)
    if shape.as_:
        return lambda event: finish(event.type, partial_object(dialect, version, decode_json(event.body)))
    return lambda event: finish(event.type, decode_json(event.body))


def _finisher(call: Call, shape: Shape) -> Finish:
    """What makes of an event's type and object the bytes that are sent."""
    if shape.media == "protobuf":
        scheme, target = call.services.scheme, call.target
        framed = bytes if wants_websocket(call.request) else frame  # a WebSocket keeps messages apart by itself
        return lambda kind, obj: framed(encode_watch_event(kind, encode_protobuf(scheme, target, obj)))
    return _yaml_document if shape.media == "yaml" else _json_line


class _TableEvents:
    """Each event as a table of one row. The columns are said once."""

    def __init__(self, call: Call, shape: Shape, finish: Finish) -> None:
        self._call = call
        self._shape = shape
        self._finish = finish
        self._first = True
        table_view(call, shape)  # a bad includeObject is refused before the watch begins

    def __call__(self, event: WatchEvent) -> bytes:
        view = table_view(self._call, self._shape)  # anew for each event: ages are as of now
        obj = decode_json(event.body)
        rows = [] if event.type == "BOOKMARK" else [view.row(obj)]  # a bookmark has nothing a column could show
        table = view.table(rows, revision_metadata(obj), described=self._first)
        self._first = False
        return self._finish(event.type, table)


def _json_line(kind: str, obj: Object) -> bytes:
    return encode({"type": kind, "object": obj}) + b"\n"


def _yaml_document(kind: str, obj: Object) -> bytes:
    return b"---\n" + encode_yaml({"type": kind, "object": obj})
