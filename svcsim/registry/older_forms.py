"""Objects stored under a schema that has changed since, or in a former storage version.

The store keeps an object as it was written until it is written again. An object that was written before its definition last changed how
objects are read is brought into today's form when it is read: converted to the requested version, unless it is stored in that one, without
fields that are no longer declared, and with defaults that were added since. A write that doesn't change such an object as it is shown still
stores it again: that is how objects are moved to another version.

Nothing that is written after that change is in an older form, whatever the write had been checked by (`to_be_stored`).
"""

from svcsim.meta import errors
from svcsim.meta.aside import aside
from svcsim.meta.codec import same_json
from svcsim.meta.errors import StatusError
from svcsim.meta.objects import name_of, revision_of
from svcsim.meta.types import Object
from svcsim.registry.conversion import convert
from svcsim.registry.core import Core, decode_record, encode_body, envelope, read
from svcsim.registry.kind import ForeignConversion
from svcsim.registry.resource import Resource
from svcsim.storage.contract import Body, Envelope, Record


async def read_record(core: Core, resource: Resource, record: Record) -> Object:
    """The object a record holds, in today's form of the stored version. It isn't to be changed."""
    size_bytes = len(record.body)
    obj = await aside(size_bytes, read, record)
    return (await renewed(core, resource, [obj], size_bytes))[0] if resource.storage_version.revised else obj


async def read_as_shown(core: Core, resource: Resource, record: Record, today: Object, size_bytes: int) -> Object:
    """The object a record holds, which is ``today`` in the stored version, as another version shows it: converted once."""
    if record.revision > resource.storage_version.revised:
        return (await convert([today], resource.storage_version, resource, core.context(), size_bytes))[0]
    return await read_shown(core, resource, record)


async def read_shown(core: Core, resource: Resource, record: Record) -> Object:
    """The object a record holds, as this version shows it. It isn't to be changed."""
    size_bytes = len(record.body)
    return (await in_version(core, resource, [await aside(size_bytes, read, record)], size_bytes))[0]


async def in_version(core: Core, resource: Resource, objects: list[Object], size_bytes: int) -> list[Object]:
    """Objects as the store has them, as this version shows them. Raises what a conversion raises.

    One that was stored in another version than is stored now, when that was the stored one, comes straight from that; in this version, it
    is shown as it lies.
    """
    if resource.stored is None:
        return await renewed(core, resource, objects, size_bytes)
    places = [index for index, obj in enumerate(objects) if _lies_elsewhere(core, resource.storage_version, obj)]
    straight = dict(zip(places, await _renewed(core, resource, [objects[index] for index in places], size_bytes), strict=True))
    today = await renewed(core, resource, [obj for index, obj in enumerate(objects) if index not in straight], size_bytes)
    converted = iter(await convert(today, resource.stored, resource, core.context(), size_bytes))
    return [straight[index] if index in straight else next(converted) for index in range(len(objects))]


def _lies_elsewhere(core: Core, storage_version: Resource, obj: Object) -> bool:
    """Whether the store has an object in a version that isn't the stored one any more, and is still known."""
    if revision_of(obj) > storage_version.revised or obj["apiVersion"] == storage_version.api_version:
        return False
    return core.scheme.version(storage_version, obj["apiVersion"]) is not None


async def renewed(core: Core, resource: Resource, objects: list[Object], size_bytes: int) -> list[Object]:
    """Objects as the store has them, in today's form. Raises what a conversion raises."""
    storage_version = resource.storage_version
    revised = storage_version.revised
    places = [index for index, obj in enumerate(objects) if revision_of(obj) <= revised] if revised else []
    if not places:
        return objects
    found = list(objects)
    for index, obj in zip(places, await _renewed(core, storage_version, [objects[index] for index in places], size_bytes), strict=True):
        found[index] = obj
    return found


async def to_be_stored(core: Core, resource: Resource, obj: Object, size_bytes: int) -> tuple[Envelope, Body]:
    """What a write stores of an object, to be stored before anything is waited for.

    Should the object's definition have changed since the write began, or be about to, it is stored in the form of then. Raises 404 for a
    version that is there no longer.
    """
    while True:
        body = await aside(size_bytes, encode_body, resource, obj)
        definition = resource.kind.definition
        if definition is None:
            return envelope(resource, obj), body
        if core.store.pending(definition.key):
            await core.store.settled()
        today = core.scheme.version(resource, resource.api_version)
        if today is None:
            raise errors.not_found(resource.group_resource, name_of(obj))
        if today.storage_version is resource:
            return envelope(resource, obj), body
        resource = today.storage_version
        obj = (await _renewed(core, resource, [obj], size_bytes))[0]


async def _renewed(core: Core, resource: Resource, objects: list[Object], size_bytes: int) -> list[Object]:
    """Objects in whatever form, in that of a version."""
    if not objects:
        return []
    found = list(objects)
    for api_version in dict.fromkeys(obj["apiVersion"] for obj in objects):
        source = core.scheme.version(resource, api_version)
        if source is None or source is resource:
            continue  # a version that isn't even known any more has no other form than its own
        places = [index for index, obj in enumerate(objects) if obj["apiVersion"] == api_version]
        converted = await convert([objects[index] for index in places], source, resource, core.context(), size_bytes)
        for index, obj in zip(places, converted, strict=True):
            found[index] = obj
    return await aside(size_bytes, _completed, resource, found)


def _completed(resource: Resource, objects: list[Object]) -> list[Object]:
    return [_complete(resource, obj) for obj in objects]


def _complete(resource: Resource, obj: Object) -> Object:
    read = _pruned(resource, obj)
    try:
        resource.compiled.default(read)
    except StatusError:  # more defaults have come since than an object may have: it stays as it was, so that it can be read and deleted
        return _pruned(resource, obj)
    return read


def _pruned(resource: Resource, obj: Object) -> Object:
    read, _ = resource.compiled.decode(obj)
    resource.stamp(read)
    return read


def is_lasting(core: Core, resource: Resource, obj: Object) -> bool:
    """Whether a stored object will be shown the same next time: not if somebody outside of this process has to bring it up to date."""
    source = core.scheme.version(resource, obj["apiVersion"])
    return source is None or not isinstance(source.kind.conversion, ForeignConversion)


def is_outdated(record: Record, obj: Object) -> bool:
    """Whether the store has an object, whose kind has been revised since, in another form than today's, which is ``obj``."""
    return not same_json(decode_record(record), obj)
