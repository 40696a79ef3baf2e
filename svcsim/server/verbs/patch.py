"""patch: a change instead of a whole object. The media type says which kind of change.

Each kind is a function from the body to a patcher, in one table; strategic merge patch has its seat there. Server-side apply is a verb of
its own that shares the method (`svcsim.server.verbs.apply`).
"""

from collections.abc import Callable
from typing import TypeAlias

from svcsim.meta import json_patch, merge_patch
from svcsim.meta.codec import decode_json
from svcsim.meta.errors import bad_request, unsupported_media_type
from svcsim.meta.http import Response
from svcsim.meta.types import Json, Object
from svcsim.registry.registry import Patcher
from svcsim.server.answers import record_response, shape_of
from svcsim.server.bodies import go_name, media_type
from svcsim.server.call import Call
from svcsim.server.verbs.apply import MEDIA_TYPE as APPLY
from svcsim.server.verbs.apply import apply
from svcsim.server.warnings import with_warnings
from svcsim.server.write_options import caller_of, write_options

PatchReader: TypeAlias = Callable[[bytes], Patcher]


def read_merge_patch(body: bytes) -> Patcher:
    """RFC 7386. Raises 400."""
    patch = decode_json(body)
    if type(patch) is not dict:
        raise bad_request(f"json: cannot unmarshal {go_name(patch)} into Go value of type map[string]interface {{}}")
    return lambda current: _object(merge_patch.apply(current, patch))


def read_json_patch(body: bytes) -> Patcher:
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
}


async def patch(call: Call) -> Response:
    """Change an object."""
    media = media_type(call.request)
    if media == APPLY:
        return await apply(call)
    shape = shape_of(call)
    reader = READERS.get(media)
    if reader is None:
        raise unsupported_media_type((*READERS, APPLY))
    caller = caller_of(call, "PatchOptions")
    options = write_options(call, "PatchOptions")
    record = await call.services.registry.patch(call.target, reader(call.request.body), caller, options)
    return with_warnings(record_response(call, shape, record), caller)
