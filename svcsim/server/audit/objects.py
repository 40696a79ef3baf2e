"""The objects in audit events: what a request carried and what it was answered with, read from their bodies.

Bodies are read a second time here, so that no verb has to keep for the few requests that are audited in full what it has read. What isn't
an object, or is no good, stands in no event.
"""

from svcsim.meta.aside import aside
from svcsim.meta.codec import decode_json, decode_yaml
from svcsim.meta.errors import StatusError
from svcsim.meta.http import Request, Response
from svcsim.meta.types import Json, Object
from svcsim.registry.options import Target
from svcsim.registry.scheme import Scheme
from svcsim.server.content.bodies import JSON_TYPE, media_type, read_value
from svcsim.server.content.negotiate import YAML_TYPES
from svcsim.server.content.protobuf import decode_protobuf
from svcsim.server.verbs.apply import MEDIA_TYPE as APPLY


async def sent_object(request: Request, target: Target, verb: str, scheme: Scheme) -> Json:
    """What a request carries, whatever form it has; None where that is nothing, or can't be read."""
    if not request.body or (target.window is not None and target.window.declared.handler):
        return None
    try:
        if verb == "patch":
            read = decode_yaml if media_type(request) == APPLY else decode_json
            return await aside(len(request.body), read, request.body)
        return (await read_value(request, scheme, target)).value
    except StatusError:
        return None  # the verb has said so


async def answered_object(response: Response, target: Target | None, scheme: Scheme) -> Json:
    """What an answer shows; None where that is no object, or one of a form that only its reader knows."""
    if target is not None and target.window is not None and target.window.declared.handler:
        return None
    media = response.content_type.partition(";")[0]
    try:
        if media == JSON_TYPE:
            return await aside(len(response.body), decode_json, response.body)
        if media in YAML_TYPES:
            return await aside(len(response.body), decode_yaml, response.body)
        if media == scheme.dialect.protobuf_media_type and target is not None:
            return await aside(len(response.body), decode_protobuf, scheme, target, response.body)
    except StatusError:
        pass
    return None


def without_managers(value: Json) -> Json:
    """An object, a list or a table, less who manages which fields. What is given is changed."""
    if isinstance(value, dict):
        for one in (value, *_inner(value, "items"), *_rows(value)):
            metadata = one.get("metadata")
            if isinstance(metadata, dict):
                metadata.pop("managedFields", None)
    return value


def _inner(value: Object, name: str) -> list[Object]:
    found = value.get(name)
    return [one for one in found if isinstance(one, dict)] if isinstance(found, list) else []


def _rows(value: Object) -> list[Object]:
    return [row["object"] for row in _inner(value, "rows") if isinstance(row.get("object"), dict)]
