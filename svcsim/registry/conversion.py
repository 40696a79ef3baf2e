"""Conversion of objects from one version of a kind to another: the only way, whatever the converter.

Conversion is asynchronous and takes many objects at a time, because a converter may be a service on the network. If it is two functions of
this process, nothing waits: an await that never suspends costs no turn of the event loop. Each version knows the way to the stored one
and back, so two versions that are not stored are converted over the stored one, unless they share a converter, or differ in nothing but
what they declare.
"""

import asyncio
from collections.abc import Callable

from svcsim import limits
from svcsim.meta.aside import aside
from svcsim.meta.errors import StatusError
from svcsim.meta.types import Json, Object
from svcsim.registry.kind import Context, Conversion, ConversionError, ForeignConversion, Kind
from svcsim.registry.resource import Resource

_KEPT = ("name", "namespace", "uid")
"""What a foreign converter may not change, and what it is asked to repeat."""
CONVERTED_METADATA = ("labels", "annotations")
"""The metadata it may change."""


async def convert(objects: list[Object], source: Resource, to: Resource, context: Context, size_bytes: int) -> list[Object]:
    """Objects of the version ``source``, in their order, as the version ``to`` has them. Those given, of that size, stay as they are.

    Raises 500 for a foreign converter that fails or takes too long, and whatever `StatusError` a conversion refuses an object with.
    """
    if source is to or not objects:
        return objects
    if source.stored is not None and to.stored is not None and not _directly(source, to):
        objects = await convert(objects, source, source.stored, context, size_bytes)
        source = source.stored
    conversion = to.kind.conversion or source.kind.conversion
    if isinstance(conversion, ForeignConversion):
        converted = await _abroad(objects, source, to, conversion)
        converted = await aside(size_bytes, _as_declared, converted, source, to)
    else:
        assert conversion is not None, "one of two versions is not the stored one"
        change = conversion.to_stored if to.stored is None else conversion.from_stored
        converted = await aside(size_bytes, _each, change, objects, context)
    for obj in converted:
        to.stamp(obj)
    return converted


def _each(change: Callable[[Object, Context], Object], objects: list[Object], context: Context) -> list[Object]:
    return [change(obj, context) for obj in objects]


def table_form(resource: Resource, obj: Object, context: Context) -> Object:
    """What the cells of a table are read from: the stored form, for a version that shows the columns of that."""
    conversion = resource.kind.conversion
    return conversion.to_stored(obj, context) if isinstance(conversion, Conversion) else obj


def table_kind(resource: Resource) -> Kind:
    """The version whose columns a table shows."""
    return resource.storage_version.kind if isinstance(resource.kind.conversion, Conversion) else resource.kind


def _directly(source: Resource, to: Resource) -> bool:
    one, other = source.kind.conversion, to.kind.conversion
    if isinstance(one, Conversion) and isinstance(other, Conversion):
        return other.from_any
    return isinstance(one, ForeignConversion) and isinstance(other, ForeignConversion) and one.converter == other.converter


async def _abroad(objects: list[Object], source: Resource, to: Resource, conversion: ForeignConversion) -> list[Object]:
    """What a foreign converter makes of objects, as far as it may be trusted."""
    try:
        async with asyncio.timeout(limits.CONVERSION_S):
            answered = await conversion.converter(objects, to.group_version)
    except ConversionError as error:
        raise _failure(source, f"failed: {error}") from error
    except TimeoutError:
        raise _failure(source, f"failed: no answer within {limits.CONVERSION_S:.0f}s") from None
    if len(answered) != len(objects):
        raise _failure(source, f"returned {len(answered)} objects, expected {len(objects)}")
    return [_checked(source, to, index, (obj, answer)) for index, (obj, answer) in enumerate(zip(objects, answered, strict=True))]


def _checked(source: Resource, to: Resource, index: int, pair: tuple[Object, Json]) -> Object:
    """An object that came back, under the identity it went with."""
    obj, answer = pair
    if isinstance(answer, dict):
        wanted = {"groupVersion": (to.api_version, answer.get("apiVersion") or ""), "kind": (to.name, answer.get("kind") or "")}
        for name, (expected, received) in wanted.items():
            if expected != received:
                why = f"invalid {name} (expected {expected}, received {received})"
                raise _failure(source, f"returned invalid converted object at index {index}: {why}")
    before = obj.get("metadata") or {}
    after = answer.get("metadata") if isinstance(answer, dict) else None
    if not isinstance(after, dict):
        raise _failure(source, f"returned invalid converted object at index {index}: missing metadata")
    for name in _KEPT:
        if (after.get(name) or "") != (before.get(name) or ""):
            why = f"must have the same {name}: {before.get(name) or ''} != {after.get(name) or ''}"
            raise _failure(source, f"returned invalid converted object at index {index}: {why}")
    metadata = {name: value for name, value in before.items() if name not in CONVERTED_METADATA}
    for name in CONVERTED_METADATA:
        texts = after.get(name) or {}
        if not isinstance(texts, dict) or not all(isinstance(text, str) for text in texts.values()):
            raise _failure(source, f"returned invalid metadata of object at index {index}: {name} is not a map of strings")
        if texts:
            metadata[name] = texts
    return {**answer, "metadata": metadata}


def _as_declared(converted: list[Object], source: Resource, to: Resource) -> list[Object]:
    """What came back, without the fields that the version doesn't have. Whether values are of its types is for writes to judge."""
    return [_read(obj, index, source, to) for index, obj in enumerate(converted)]


def _read(obj: Object, index: int, source: Resource, to: Resource) -> Object:
    try:
        read, _ = to.compiled.decode(obj)
    except StatusError as error:
        raise _failure(source, f"returned invalid converted object at index {index}: {error.message}") from error
    return read


def _failure(source: Resource, why: str) -> StatusError:
    return StatusError(500, "", f"conversion webhook for {source.group_version}, Kind={source.name} {why}")
