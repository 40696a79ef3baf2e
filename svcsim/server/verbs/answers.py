"""Answers: objects and collections in the form the client negotiated.

The usual one, JSON as it is stored, is passed on as bytes; every other form is made from the decoded object here, aside where that is long
work. The functions that do the work are pure: what they are given was decoded for this answer alone.
"""

from collections.abc import Callable, Sequence
from typing import TypeVar

from svcsim.clock import turn
from svcsim.meta.aside import aside
from svcsim.meta.codec import decode_json, encode, encode_yaml
from svcsim.meta.errors import StatusError
from svcsim.meta.http import Response
from svcsim.meta.types import Object
from svcsim.registry.listings import Listing
from svcsim.registry.slices import slices
from svcsim.server.content.json_form import END, json_body, wants_pretty
from svcsim.server.content.lists import list_metadata, records_response
from svcsim.server.content.negotiate import PLAIN, YAML_TYPE, Shape
from svcsim.server.content.partial import partial_list, partial_object
from svcsim.server.content.protobuf import PARTIAL_OBJECT_METADATA, encode_list, encode_protobuf, item_encoder
from svcsim.server.content.table import TableView, include_object, revision_metadata
from svcsim.server.requests.call import Call
from svcsim.server.requests.query import text
from svcsim.storage.contract import Record

T = TypeVar("T")
_NOTHING = b"[]}"
"""How a list ends that stands last in an object, and that nothing is in."""


def shape_of(call: Call) -> Shape:
    """The form the client asks for. Raises 406."""
    target = call.target
    return call.services.negotiator.shape(call.request.headers.get("accept", ""), custom=target.custom, tabular=target.tabular)


def is_plain(call: Call, shape: Shape) -> bool:
    """Whether what is stored is what is served, byte for byte."""
    return shape == PLAIN and not wants_pretty(call.request, call.info.query)


async def record_response(call: Call, shape: Shape, record: Record, status: int = 200) -> Response:
    """One object as the store has it, or what the request's subresource shows of it."""
    window = call.target.window
    if (window is None or window.declared.view is None) and is_plain(call, shape):
        return Response(status, record.body + END)
    return await aside(len(record.body), _shown, call, shape, record, status)


def _shown(call: Call, shape: Shape, record: Record, status: int) -> Response:
    window = call.target.window
    obj = decode_json(record.body)
    if window is not None and window.declared.check_shown is not None:
        window.declared.check_shown(obj)
    if window is not None and window.declared.view is not None:
        obj = window.declared.view(obj, call.services.registry.core.context())
    return object_response(call, shape, obj, status)


def object_response(call: Call, shape: Shape, obj: Object, status: int = 200) -> Response:
    """One object in the form asked for."""
    if shape.as_ == "Table":
        view = table_view(call, shape)
        obj = view.table([view.row(obj)], revision_metadata(obj))
    elif shape.as_ == "PartialObjectMetadata":
        obj = partial_object(call.services.dialect, shape.version, obj)
    elif shape.as_:
        raise _wrong_form(shape, "not a list")
    return value_response(call, shape, obj, status)


async def list_response(call: Call, shape: Shape, listing: Listing) -> Response:
    """A collection in the form asked for."""
    response = await collection_response(call, shape, list_metadata(listing), listing.records)
    response.held = listing.held
    return response


async def collection_response(call: Call, shape: Shape, metadata: Object, records: list[Record]) -> Response:
    """Records of one kind in the form asked for. A long conversion lets others have their turn."""
    resource, dialect, version = call.target.resource, call.services.dialect, shape.version
    if is_plain(call, shape):
        return records_response(resource, metadata, records)
    size_bytes = sum([len(record.body) for record in records])
    if shape.as_ == "Table":
        view = table_view(call, shape)
        return await _made_list(call, shape, view.table([], metadata), "rows", records, view.row)
    if shape.media == "protobuf":
        return await _protobuf_list(call, shape, metadata, records)
    if shape.as_ == "PartialObjectMetadataList":
        whole = partial_list(dialect, version, metadata, [])
        return await _made_list(call, shape, whole, "items", records, lambda obj: partial_object(dialect, version, obj))
    if shape.as_:
        raise _wrong_form(shape, "a list")
    items = await _converted(records, _itself if resource.kind.custom else _item)
    body = {"kind": resource.kind.list_name, "apiVersion": resource.api_version, "metadata": metadata, "items": items}
    return await aside(size_bytes, value_response, call, shape, body)


async def _made_list(
    call: Call, shape: Shape, whole: Object, name: str, records: list[Record], make: Callable[[Object], Object]
) -> Response:
    """A list of what is made of each object: what stands last in ``whole``, under that name.

    As compact JSON each is encoded at once: all of them together would be more objects than the garbage collector goes through at no cost.
    """
    if shape.media != "json" or wants_pretty(call.request, call.info.query):
        items = await _converted(records, make)
        return await aside(sum([len(record.body) for record in records]), value_response, call, shape, {**whole, name: items})
    encoded = await _converted(records, lambda obj: encode(make(obj)))
    return Response(200, encode(whole).removesuffix(_NOTHING) + b"[" + b",".join(encoded) + b"]}" + END)


async def _protobuf_list(call: Call, shape: Shape, metadata: Object, records: list[Record]) -> Response:
    """A list as protobuf, item by item: objects and messages are never in memory together for the whole list."""
    kind, api_version, schema = call.target.resource.name, call.target.resource.api_version, call.target.resource.kind.schema
    list_name = call.target.resource.kind.list_name
    if shape.as_:
        api_version = f"{call.services.dialect.group('meta')}/{shape.version}"
        kind, schema = PARTIAL_OBJECT_METADATA.name, PARTIAL_OBJECT_METADATA
        list_name = f"{kind}List"
    if shape.as_ == kind:
        raise _wrong_form(shape, "a list")
    items = await _converted(records, item_encoder(schema))
    return Response(200, encode_list(api_version, list_name, metadata, items), call.services.dialect.protobuf_media_type)


def _wrong_form(shape: Shape, what: str) -> StatusError:
    return StatusError(406, "NotAcceptable", f"you requested {shape.as_}, but the requested object is {what}")


async def _converted(records: list[Record], convert: Callable[[Object], T]) -> list[T]:
    items: list[T] = []
    for part in slices(records):
        items += await aside(sum([len(record.body) for record in part]), _each, convert, part)
        await turn()
    return items


def _each(convert: Callable[[Object], T], records: Sequence[Record]) -> list[T]:
    return [convert(decode_json(record.body)) for record in records]


def _itself(obj: Object) -> Object:
    return obj


def _item(obj: Object) -> Object:
    """Less what is the same of all items; those of custom kinds repeat it."""
    del obj["kind"], obj["apiVersion"]
    return obj


def table_view(call: Call, shape: Shape) -> TableView:
    """The table maker for this request. Raises 400 for a bad ``includeObject``."""
    include = include_object(text(call.info.query, "includeObject"))
    return TableView(call.target, call.services.registry.core.context(), shape.version, include)


def value_response(call: Call, shape: Shape, value: Object, status: int = 200) -> Response:
    """A JSON value, encoded as the client wants it."""
    if shape.media == "yaml":
        return Response(status, encode_yaml(value), YAML_TYPE)
    if shape.media == "protobuf":
        body = encode_protobuf(call.services.scheme, call.target, value)
        return Response(status, body, call.services.dialect.protobuf_media_type)
    return Response(status, json_body(value, pretty=wants_pretty(call.request, call.info.query)))
