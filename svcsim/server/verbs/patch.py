"""patch: a change instead of a whole object. The media type says which kind of change.

Each kind is a function from the body to what it says, in one table. Server-side apply is a verb of
its own that shares the method (`svcsim.server.verbs.apply`).
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http import HTTPStatus
from typing import NamedTuple, TypeAlias

from svcsim.meta import json_patch, merge_patch
from svcsim.meta.aside import aside
from svcsim.meta.codec import decode_sent_json, duplicate_fields
from svcsim.meta.errors import StatusError, bad_request, invalid_patch, rejected_patch, unsupported_media_type, unsupported_patch_type
from svcsim.meta.http import Response
from svcsim.meta.types import Json, Object
from svcsim.registry.options import Target, WriteOptions
from svcsim.registry.writes import Patcher
from svcsim.schema.element_order import spelled
from svcsim.schema.scalars import UnreadableError
from svcsim.schema.strategic import strategic_merge
from svcsim.server.content.bodies import as_object, check_kind, check_name, check_namespace, go_name, media_type, metadata_of
from svcsim.server.requests.call import Call
from svcsim.server.verbs.answers import record_response, shape_of
from svcsim.server.verbs.apply import MEDIA_TYPE as APPLY
from svcsim.server.verbs.apply import apply
from svcsim.server.verbs.write_options import caller_of, write_options


class Patch(NamedTuple):
    patcher: Patcher
    strict_errors: list[str]
    """What in the body itself, not in what it makes, is unknown or stands twice."""
    wrong: Callable[[StatusError], StatusError]
    """What is told where it makes no object of the kind it is for."""
    growth: int = 1
    """How many times as long as it and the object what comes of it may be."""


_HANDED = WriteOptions("PatchOptions", read=True)
_HIDDEN = "(not shown)"
"""Instead of a patch that may have a secret in it."""
PatchReader: TypeAlias = Callable[[bytes, Target], Patch]
"""Reads a body into a patch for what the path names."""


def read_merge_patch(body: bytes, target: Target) -> Patch:
    """RFC 7386. Raises 400."""
    patch = _map(body)
    return Patch(lambda current: _object(merge_patch.apply(current, patch)), duplicate_fields(body, patch), _wrong(body, target))


def read_strategic_patch(body: bytes, target: Target) -> Patch:
    """A merge patch that knows from the schema how lists merge, and which kind it is: what it says of that itself is let go. Raises 400."""
    patch = {name: value for name, value in _map(body).items() if name not in ("kind", "apiVersion")}
    compiled = None if target.window is None else target.window.compiled
    schema = (target.resource.compiled if compiled is None else compiled).schema

    def wrong(error: StatusError) -> StatusError:
        shown = _HIDDEN if target.resource.kind.confidential else spelled(patch)
        return invalid_patch(shown, error.unconverted if isinstance(error, UnreadableError) else error.message)

    return Patch(lambda current: strategic_merge(current, patch, schema), duplicate_fields(body, patch), wrong)


def _map(body: bytes) -> Object:
    patch = decode_sent_json(body)
    if type(patch) is not dict:
        raise bad_request(f"json: cannot unmarshal {go_name(patch)} into Go value of type map[string]interface {{}}")
    return patch


def _wrong(body: bytes, target: Target) -> Callable[[StatusError], StatusError]:
    return lambda error: invalid_patch(_HIDDEN if target.resource.kind.confidential else body.decode(errors="replace"), error.message)


def read_json_patch(body: bytes, target: Target) -> Patch:
    """RFC 6902. Raises 400, 413, and 422 for operations nobody knows."""
    patch = decode_sent_json(body)
    with _rejections():
        json_patch.parse(patch)
    unknown = [f'unknown field "[{index}].{name}"' for index, item in enumerate(patch) for name in item if name not in json_patch.MEMBERS]
    strict_errors = [f"json patch {error}" for error in [*unknown, *duplicate_fields(body, patch)]]
    return Patch(lambda current: _json_patched(current, patch), strict_errors, _wrong(body, target), json_patch.growth(patch))


def _json_patched(current: Object, patch: Json) -> Object:
    with _rejections():
        return _object(json_patch.apply(current, patch))


@contextmanager
def _rejections() -> Iterator[None]:
    """What rejects a JSON patch is answered as 422."""
    try:
        yield
    except json_patch.RejectedError:
        raise rejected_patch() from None


def _object(patched: Json) -> Object:
    if type(patched) is not dict:
        raise bad_request(f"json: cannot unmarshal {go_name(patched)} into an object: a patch has to leave an object")
    return patched


STRATEGIC = "application/strategic-merge-patch+json"
READERS: dict[str, PatchReader] = {
    "application/json-patch+json": read_json_patch,
    "application/merge-patch+json": read_merge_patch,
    STRATEGIC: read_strategic_patch,
}
PATCH_TYPES = (*READERS, APPLY)
CUSTOM_PATCH_TYPES = tuple(known for known in PATCH_TYPES if known != STRATEGIC)
"""What custom resources take, and what shows a part of them: nobody knows the merge keys of their lists."""


def _checking_identity(call: Call, patch: Patch) -> Patcher:
    """The patcher, which may not make another object of it (400), or one of another kind (422)."""

    def checked(current: Object) -> Object:
        patched = patch.patcher(current)
        try:
            obj = as_object(patched)
            check_kind(call.services.scheme, call.target, obj)
            metadata_of(call.target, obj)
        except StatusError as error:
            raise error if error.code == HTTPStatus.UNPROCESSABLE_ENTITY else patch.wrong(error) from None
        check_namespace(call.target, obj)
        check_name(call.target, obj)
        return obj

    return checked


async def patch(call: Call) -> Response:
    if call.request.handed is not None:
        return await _handed(call, call.request.handed)
    media = media_type(call.request)
    if media == APPLY:
        return await apply(call)
    shape = shape_of(call)
    reader = READERS.get(media)
    custom = call.target.resource.kind.custom
    if reader is None or (media == STRATEGIC and custom):
        raise unsupported_media_type(CUSTOM_PATCH_TYPES) if custom else unsupported_patch_type()
    caller = caller_of(call, "PatchOptions")
    read = await aside(len(call.request.body), reader, call.request.body, call.target)
    options = write_options(call, "PatchOptions", tuple(read.strict_errors))._replace(wrong_patch=read.wrong, growth=read.growth)
    record = await call.services.registry.patch(call.target, _checking_identity(call, read), caller, options)
    return await record_response(call, shape, record)


async def _handed(call: Call, patch: Object) -> Response:
    """Take a patch that a component hands over: of its answer, the version is all that is wanted."""

    def patched(current: Object) -> Object:
        return {**current, **patch, "metadata": {**current["metadata"], **patch["metadata"]}}

    record = await call.services.registry.patch(call.target, patched, caller_of(call, "PatchOptions"), _HANDED)
    return Response(200, b'{"metadata":{"resourceVersion":"%d"}}' % record.revision)
