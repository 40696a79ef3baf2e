"""Several versions of one kind, served from one stored form.

A version that isn't the stored one is converted at the registry's edge: what comes in goes to the stored form before admission sees it,
what goes out comes from it. For the stored version itself, and that is nearly every request, nothing happens here.
"""

from dataclasses import replace

from svcsim.apply.ownership import Elsewhere, Sight
from svcsim.meta.types import Object
from svcsim.registry.core import Core, cut, decode_record
from svcsim.registry.kind import Context
from svcsim.registry.options import Target
from svcsim.registry.scheme import Resource
from svcsim.storage.contract import Record


def from_stored(resource: Resource, obj: Object, context: Context) -> Object:
    """A stored object as this version shows it."""
    conversion = resource.kind.conversion
    if conversion is None:
        return obj
    converted = conversion.from_stored(obj, context)
    resource.stamp(converted)
    return converted


def to_stored(resource: Resource, obj: Object, context: Context) -> Object:
    """An object of this version in the form it is stored in."""
    conversion = resource.kind.conversion
    if conversion is None:
        return obj
    converted = conversion.to_stored(obj, context)
    resource.hub.stamp(converted)
    return converted


def stored_target(target: Target) -> Target:
    """The same object or collection, in the version it is stored in."""
    return target if target.resource.stored is None else replace(target, resource=target.resource.stored)


def shown(core: Core, resource: Resource, record: Record) -> Record:
    """A record as this version shows it."""
    if resource.stored is None:
        return record
    body = cut(resource, from_stored(resource, decode_record(record), core.context()))
    return record._replace(body=body.head + str(record.revision).encode() + body.tail)


def elsewhere(core: Core, resource: Resource) -> Elsewhere | None:
    """How other versions show a write that was made in this one; None where there are no others."""
    if not core.scheme.has_versions(resource):
        return None

    def see(sight: Sight, api_version: str) -> Sight | None:
        other = core.scheme.version(resource, api_version)
        if other is None:
            return None
        context = core.context()

        def convert(obj: Object) -> Object:
            return from_stored(other, to_stored(resource, obj, context), context)

        return Sight(other.topology, None if sight.before is None else convert(sight.before), convert(sight.after))

    return see
