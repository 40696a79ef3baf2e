"""patch: a change instead of a whole object. The media type says which kind of change.

Each kind is a function from the body to a patcher, in one table. Server-side apply is a verb of
its own that shares the method (`svcsim.server.verbs.apply`).
"""

from collections.abc import Callable
from typing import TypeAlias

from svcsim.meta import json_patch, merge_patch
from svcsim.meta.codec import decode_json
from svcsim.meta.errors import bad_request, unsupported_media_type
from svcsim.meta.http import Response
from svcsim.meta.types import Json, Object
from svcsim.registry.options import Target
from svcsim.registry.registry import Patcher
from svcsim.schema.common import object_struct
from svcsim.schema.strategic import strategic_merge
from svcsim.server.answers import record_response, shape_of
from svcsim.server.bodies import check_name, go_name, media_type
from svcsim.server.call import Call
from svcsim.server.verbs.apply import MEDIA_TYPE as APPLY
from svcsim.server.verbs.apply import apply
from svcsim.server.warnings import with_warnings
from svcsim.server.write_options import caller_of, write_options

PatchReader: TypeAlias = Callable[[bytes, Target], Patcher]
"""Reads a body into a patcher for what the path names."""


def read_merge_patch(body: bytes, target: Target) -> Patcher:  # noqa: ARG001 - a reader's signature
    """RFC 7386. Raises 400."""
    patch = _map(body)
    return lambda current: _object(merge_patch.apply(current, patch))


def read_strategic_patch(body: bytes, target: Target) -> Patcher:
    """A merge patch that knows from the schema how lists merge. Raises 400."""
    patch = _map(body)
    through = target.resource.subresource(target.subresource) if target.subresource else None
    schema = target.resource.kind.schema if through is None or through.body is None else through.body
    return lambda current: strategic_merge(current, patch, object_struct(schema))


def _map(body: bytes) -> Object:
    patch = decode_json(body)
    if type(patch) is not dict:
        raise bad_request(f"json: cannot unmarshal {go_name(patch)} into Go value of type map[string]interface {{}}")
    return patch


def read_json_patch(body: bytes, target: Target) -> Patcher:  # noqa: ARG001 - a reader's signature
    """RFC 6902. Raises 400, 413."""
    patch = decode_json(body)
    json_patch.parse(patch)
    return lambda current: _object(json_patch.apply(current, patch))


def _object(patched: Json) -> Object:
    if type(patched) is not dict:
        raise bad_request(f"json: cannot unmarshal {go_name(patched)} into an object: a patch has to leave an object")
    return patched


READERS: dict[str, PatchReader] = {
    "application/json-patch+json": read_json_patch,
    "application/merge-patch+json": read_merge_patch,
    "application/strategic-merge-patch+json": read_strategic_patch,
}
PATCH_TYPES = (*READERS, APPLY)


def _keeping_its_name(target: Target, patcher: Patcher) -> Patcher:
    """The patcher, which may not make another object of it (400)."""

    def patched(current: Object) -> Object:
        obj = patcher(current)
        check_name(target, obj)
        return obj

    return patched


async def patch(call: Call) -> Response:
    """Change an object."""
    media = media_type(call.request)
    if media == APPLY:
        return await apply(call)
    shape = shape_of(call)
    reader = READERS.get(media)
    if reader is None:
        raise unsupported_media_type(PATCH_TYPES)
    caller = caller_of(call, "PatchOptions")
    options = write_options(call, "PatchOptions")
    patcher = _keeping_its_name(call.target, reader(call.request.body, call.target))
    record = await call.services.registry.patch(call.target, patcher, caller, options)
    return with_warnings(record_response(call, shape, record), caller)
