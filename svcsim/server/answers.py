"""Answers: objects, collections and errors in the form the client negotiated.

The usual one, JSON as it is stored, is passed on as bytes; every other form is made from the decoded object here.
"""

from svcsim.meta.codec import decode_json, encode, encode_pretty, encode_yaml
from svcsim.meta.errors import StatusError
from svcsim.meta.http import Request, Response
from svcsim.meta.types import Json, Object
from svcsim.registry.registry import Listing
from svcsim.registry.scheme import Resource
from svcsim.server.call import Call
from svcsim.server.lists import list_metadata, records_response
from svcsim.server.negotiate import CONTENT_TYPES, PLAIN, Shape
from svcsim.server.partial import partial_list, partial_object
from svcsim.server.query import Query, text
from svcsim.server.table import TableView, include_object, revision_metadata
from svcsim.storage.contract import Record

_HANDS_ON = ("curl", "Wget", "Mozilla/5.0")
"""User agents that people read the answers of: they get indented JSON without asking."""
_NO = ("0", "false", "False", "FALSE", "f", "F")


def shape_of(call: Call) -> Shape:
    """The form the client asks for. Raises 406."""
    return call.services.negotiator.shape(call.request.headers.get("accept", ""))


def wants_pretty(request: Request, query: Query) -> bool:
    """Whether JSON is to be indented."""
    if query and "pretty" in query:
        return text(query, "pretty") not in _NO
    return request.headers.get("user-agent", "").startswith(_HANDS_ON)


def is_plain(call: Call, shape: Shape) -> bool:
    """Whether what is stored is what is served, byte for byte."""
    return shape == PLAIN and not wants_pretty(call.request, call.info.query)


def record_response(call: Call, shape: Shape, record: Record, status: int = 200) -> Response:
    """One object as the store has it."""
    if is_plain(call, shape):
        return Response(status, record.body)
    return object_response(call, shape, decode_json(record.body), status)


def object_response(call: Call, shape: Shape, obj: Object, status: int = 200) -> Response:
    """One object in the form asked for."""
    if shape.as_ == "Table":
        obj = table_view(call, shape).table([obj], revision_metadata(obj))
    elif shape.as_ == "PartialObjectMetadata":
        obj = partial_object(call.services.dialect, shape.version, obj)
    elif shape.as_:
        raise StatusError(406, "NotAcceptable", f"you requested {shape.as_}, but the requested object is not a list")
    return value_response(call, shape, obj, status)


def list_response(call: Call, shape: Shape, listing: Listing) -> Response:
    """A collection in the form asked for."""
    return collection_response(call, shape, list_metadata(listing), listing.records)


def collection_response(call: Call, shape: Shape, metadata: Object, records: list[Record]) -> Response:
    """Records of one kind in the form asked for."""
    resource = call.target.resource
    if is_plain(call, shape):
        return records_response(resource, metadata, records)
    objects = [decode_json(record.body) for record in records]
    if shape.as_ == "Table":
        body = table_view(call, shape).table(objects, metadata)
    elif shape.as_ == "PartialObjectMetadataList":
        body = partial_list(call.services.dialect, shape.version, metadata, objects)
    elif shape.as_:
        raise StatusError(406, "NotAcceptable", f"you requested {shape.as_}, but the requested object is a list")
    else:
        body = _whole_list(resource, metadata, objects)
    return value_response(call, shape, body)


def _whole_list(resource: Resource, metadata: Object, objects: list[Object]) -> Object:
    items = [{name: value for name, value in obj.items() if name not in ("kind", "apiVersion")} for obj in objects]
    return {"kind": f"{resource.kind.name}List", "apiVersion": resource.api_version, "metadata": metadata, "items": items}


def table_view(call: Call, shape: Shape) -> TableView:
    """The table maker for this request. Raises 400 for a bad ``includeObject``."""
    include = include_object(text(call.info.query, "includeObject"))
    return TableView(call.target.resource, call.services.context(), shape.version, include)


def value_response(call: Call, shape: Shape, value: Json, status: int = 200) -> Response:
    """A JSON value, encoded as the client wants it."""
    if shape.media == "yaml":
        return Response(status, encode_yaml(value), CONTENT_TYPES["yaml"])
    pretty = wants_pretty(call.request, call.info.query)
    return Response(status, encode_pretty(value) if pretty else encode(value))


def error_response(error: StatusError, request: Request) -> Response:
    """A failure as its Status object; in YAML only where JSON isn't taken at all."""
    body = error.status()
    if request.headers.get("accept") in ("application/yaml", "application/x-yaml"):
        return Response(error.code, encode_yaml(body), CONTENT_TYPES["yaml"], dict(error.headers))
    return Response(error.code, encode(body), headers=dict(error.headers))
