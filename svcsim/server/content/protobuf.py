"""Protobuf bodies: which schema an object of a request is spelled by, and the frames of a watch.

The messages themselves are the schema's business (`svcsim.schema.protobuf`); here it is found out which schema that is. Custom resources
and what is made for people (tables) have no protobuf form.
"""

from collections.abc import Callable

from svcsim.meta.errors import StatusError, not_acceptable
from svcsim.meta.types import GroupVersion, Object
from svcsim.registry.options import Target
from svcsim.registry.scheme import Scheme
from svcsim.schema.common import DELETE_OPTIONS, LIST_META, STATUS, list_struct, object_struct
from svcsim.schema.protobuf import decode_envelope, decode_message, encode_envelope, encode_message
from svcsim.schema.types import Struct
from svcsim.schema.wire import LENGTH, sized, tag

PARTIAL_OBJECT_METADATA = Struct("PartialObjectMetadata", doc="Any object's metadata alone.")
_WITHOUT_GROUP = {"Status": STATUS, "DeleteOptions": DELETE_OPTIONS}
_OF_META = {
    "PartialObjectMetadata": object_struct(PARTIAL_OBJECT_METADATA),
    "PartialObjectMetadataList": list_struct(PARTIAL_OBJECT_METADATA, "PartialObjectMetadataList"),
}
_METADATA, _ITEM = tag(1, LENGTH), tag(2, LENGTH)
"""The fields of a list message."""
_FRAME_LENGTH_BYTES = 4


def encode_protobuf(scheme: Scheme, target: Target, obj: Object) -> bytes:
    """An object of the request as a body. Raises 406 where it has no such form."""
    kind, api_version = obj["kind"], obj["apiVersion"]
    struct = _struct(scheme, target, kind, api_version)
    if struct is None:
        raise _no_form(kind)
    return encode_envelope(api_version, kind, encode_message(obj, struct))


def encode_status(status: Object) -> bytes:
    """A Status as a body."""
    return encode_envelope("v1", "Status", encode_message(status, STATUS))


def item_encoder(schema: Struct) -> Callable[[Object], bytes]:
    """What makes of an object an item of a list, for `encode_list`. ``schema`` is without kind, version and metadata."""
    struct = object_struct(schema)
    return lambda obj: sized(_ITEM, encode_message(obj, struct))


def encode_list(api_version: str, kind: str, metadata: Object, items: list[bytes]) -> bytes:
    """A list as a body, of items that are encoded already."""
    return encode_envelope(api_version, kind, b"".join((sized(_METADATA, encode_message(metadata, LIST_META)), *items)))


def decode_protobuf(scheme: Scheme, target: Target, body: bytes) -> Object:
    """The object in a body. One whose kind isn't known here has nothing but that kind. Raises 400.

    What the envelope doesn't say is taken from the request: kind and version are optional there.
    """
    api_version, kind, raw = decode_envelope(body)
    kind = kind or target.gvk.kind
    if not api_version and kind == target.gvk.kind:
        api_version = str(target.gvk.group_version)
    struct = _struct(scheme, target, kind, api_version)
    named: Object = {"kind": kind, "apiVersion": api_version}
    return named if struct is None else {**named, **decode_message(raw, struct)}


def encode_watch_event(kind: str, body: bytes) -> bytes:
    """One event of a watch as a message, in which the object stands in its envelope."""
    return sized(tag(1, LENGTH), kind.encode()) + sized(tag(2, LENGTH), sized(tag(1, LENGTH), body))


def frame(message: bytes) -> bytes:
    """A message with its length before it, as it stands in a stream of them."""
    return len(message).to_bytes(_FRAME_LENGTH_BYTES, "big") + message


def _struct(scheme: Scheme, target: Target, kind: str, api_version: str) -> Struct | None:
    """The schema of a kind that may stand in this request."""
    if kind in _WITHOUT_GROUP:
        return _WITHOUT_GROUP[kind]
    window = target.window
    if window is not None and window.compiled is not None and window.gvk.kind == kind:
        return window.compiled.schema
    group_version = GroupVersion.parse(api_version)
    if kind in _OF_META and group_version.group == scheme.dialect.group("meta"):
        return _OF_META[kind]
    resource = scheme.find_kind(group_version, kind)
    if resource is not None:
        return object_struct(resource.kind.schema)
    listed = scheme.find_kind(group_version, kind.removesuffix("List"))
    return list_struct(listed.kind.schema, listed.kind.list_name) if listed is not None else None


def _no_form(kind: str) -> StatusError:
    error = not_acceptable(("application/json", "application/yaml"))
    error.message = f"{kind} has no protobuf form: {error.message}"
    return error
