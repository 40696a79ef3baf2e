"""Request bodies: from bytes and a ``Content-Type`` to an object, and the checks that it is what the path says.

JSON, YAML and protobuf are read.
"""

from http import HTTPStatus
from typing import NamedTuple

from svcsim import limits
from svcsim.meta.aside import aside
from svcsim.meta.codec import check_values, decode_sent_json, decode_yaml_strict, duplicate_fields, encode
from svcsim.meta.errors import (
    StatusError,
    bad_request,
    invalid,
    invalid_value,
    name_mismatch,
    namespace_mismatch,
    unsupported_media_type,
)
from svcsim.meta.http import Request
from svcsim.meta.quoting import quoted
from svcsim.meta.types import GroupKind, GroupVersion, GroupVersionKind, Json, Object
from svcsim.registry.options import Target
from svcsim.registry.other_kinds import not_convertible, not_registered
from svcsim.registry.scheme import Scheme
from svcsim.schema.scalars import WrongTypeError
from svcsim.server.content.protobuf import decode_protobuf

JSON_TYPE = "application/json"
YAML_TYPES = ("application/yaml", "application/x-yaml", "text/yaml")

_HEADER_STRUCT = 'struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }'
_SUMMARY_BYTES = 30
_WITH_SECRETS = ("Secret", "TokenRequest", "TokenReview")
"""Kinds that have somebody's passwords or tokens in them: errors are told, logged and audited."""
_GO_NAMES = {list: "array", str: "string", bool: "bool", int: "number", float: "number", type(None): "null"}


class Sent(NamedTuple):
    value: Json
    duplicates: tuple[str, ...] = ()
    """What stood twice in it, in words."""


def media_type(request: Request) -> str:
    """The body's media type without its parameters, lower case; JSON where none is given."""
    header = request.headers.get("content-type")
    if not header or header == JSON_TYPE:
        return JSON_TYPE
    return header.partition(";")[0].strip().lower() or JSON_TYPE


async def read_value(request: Request, scheme: Scheme, target: Target) -> Sent:
    """The body as a JSON value. Raises 400, 413 and 415."""
    return await aside(len(request.body), _read_value, request, scheme, target)


def _read_value(request: Request, scheme: Scheme, target: Target) -> Sent:
    media = media_type(request)
    if media == JSON_TYPE:
        value = decode_sent_json(request.body)
        return Sent(value, tuple(duplicate_fields(request.body, value)))
    if media in YAML_TYPES:
        value, duplicates = decode_yaml_strict(request.body)
        return Sent(value, tuple(duplicates))
    if media == scheme.dialect.protobuf_media_type and not target.resource.kind.custom:
        value = decode_protobuf(scheme, target, request.body)
        return Sent(check_values(value) if len(request.body) > limits.OBJECT_VALUES else value)
    raise unsupported_media_type((JSON_TYPE, YAML_TYPES[0], scheme.dialect.protobuf_media_type))


async def read_object(request: Request, scheme: Scheme, target: Target) -> tuple[Object, tuple[str, ...]]:
    """The body as a map, and what stood twice in it; null stands for an empty one. Raises 400, 413 and 415."""
    try:
        sent = await read_value(request, scheme, target)
        obj = {} if sent.value is None and request.body else as_object(sent.value)
    except StatusError as error:
        if error.code != HTTPStatus.BAD_REQUEST:
            raise
        why = f"the object provided is unrecognized (must be of type {target.gvk.kind}): {error.message} ({_summary(request.body, target)})"
        raise bad_request(why) from error
    return obj, sent.duplicates


def _summary(body: bytes, target: Target) -> str:
    """How a body begins: as text where that looks like JSON, in hexadecimal digits otherwise. What begins may be a secret."""
    if not body:
        return "<empty>"
    if target.gvk.kind in _WITH_SECRETS:
        return f"{len(body)} bytes"
    shown = body[:_SUMMARY_BYTES]
    text = shown.decode(errors="replace") if shown.startswith(b"{") else shown.hex()
    return f"{text} ..." if len(body) > _SUMMARY_BYTES else text


def as_object(value: Json) -> Object:
    """The value as a map. Raises 400."""
    if type(value) is not dict:
        raise bad_request(
            f"couldn't get version/kind; json parse error: json: cannot unmarshal {go_name(value)} into Go value of type {_HEADER_STRUCT}"
        )
    for name in ("kind", "apiVersion"):
        if not isinstance(value.get(name, ""), str | type(None)):
            what = f"Go struct field .{name} of type string"
            raise bad_request(f"couldn't get version/kind; json parse error: json: cannot unmarshal {go_name(value[name])} into {what}")
    return value


def go_name(value: Json) -> str:
    """The type of a JSON value in the words of clients' error messages."""
    return _GO_NAMES.get(type(value), "object")


def check_kind(scheme: Scheme, target: Target, obj: Object) -> None:
    """A body has to be of the kind and version its path names; what it doesn't say is taken from there. Raises 400.

    Custom resources leave nothing out: only their definition knows them.
    """
    gvk = target.gvk
    if target.custom:
        _check_custom_kind(gvk, obj)
        return
    kind, expected, api_version = obj.get("kind") or gvk.kind, gvk.kind, obj.get("apiVersion") or ""
    if kind == expected and api_version == "":
        return
    group_version = gvk.group_version
    if kind == expected and api_version == str(group_version):
        return
    sent_version = GroupVersion.parse(api_version) if api_version else group_version
    earlier = target.window.declared.earlier if target.window is not None else ()
    if kind == expected and any(sent_version == (one.name(scheme.dialect), one.version) for one in earlier):
        return
    if scheme.find_kind(sent_version, kind) is None:
        why = not_registered(sent_version, kind)
    elif kind == expected:
        raise _wrong_version(api_version, gvk)
    else:
        why = not_convertible(sent_version.version, kind, gvk)
    raise bad_request(f"{kind} in version {quoted(sent_version.version)} cannot be handled as a {expected}: {why}")


def _check_custom_kind(gvk: GroupVersionKind, obj: Object) -> None:
    """A custom resource has to say itself what it is. Raises 400, and 422 for another kind."""
    kind, api_version = obj.get("kind") or "", obj.get("apiVersion") or ""
    if not kind:
        what = f"Object 'Kind' is missing in '{encode(obj).decode()}'"
        raise bad_request(f"{gvk.kind} in version {quoted(gvk.version)} cannot be handled as a {gvk.kind}: {what}")
    if api_version != str(gvk.group_version):
        raise _wrong_version(api_version, gvk)
    if kind != gvk.kind:
        metadata = obj.get("metadata")
        name = str(metadata.get("name") or "") if isinstance(metadata, dict) else ""
        raise invalid(GroupKind(gvk.group, kind), name, [invalid_value("kind", kind, f"must be {gvk.kind}")])


def _wrong_version(api_version: str, gvk: GroupVersionKind) -> StatusError:
    return bad_request(f"the API version in the data ({api_version}) does not match the expected API version ({gvk.group_version})")


def check_namespace(target: Target, obj: Object) -> None:
    """A body that names a namespace has to name the path's. Raises 400."""
    namespace = metadata_of(target, obj).get("namespace")
    if namespace and namespace != target.namespace:
        raise namespace_mismatch()


def check_name(target: Target, obj: Object) -> None:
    """A body that replaces an object has to name it, and its namespace if any. Raises 400."""
    metadata = metadata_of(target, obj)
    name, namespace = metadata.get("name"), metadata.get("namespace")
    if not name:
        raise bad_request(f"the name of the object ({target.name} based on URL) was undeterminable: name must be provided")
    if name != target.name:
        raise name_mismatch(name, target.name)
    if namespace and namespace != target.namespace:
        raise bad_request(f"the namespace of the object ({namespace}) does not match the namespace on the request ({target.namespace})")


def metadata_of(target: Target, obj: Object) -> Object:
    """A body's metadata; empty where there is none. Raises 400 where it is no map."""
    metadata = obj.get("metadata")
    if metadata is None:
        return {}
    if type(metadata) is not dict:
        kind, version = target.gvk.kind, target.gvk.version
        wrong = WrongTypeError(metadata, "v1.ObjectMeta")
        wrong.within(kind, "metadata")
        raise wrong.refusal(f"{kind} in version {quoted(version)} cannot be handled as a {kind}: ")
    return metadata
