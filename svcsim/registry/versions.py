"""Several versions of one kind, served from one stored form.

A version that isn't the stored one is converted at the registry's edge: what comes in goes to the stored form once admission has had its
say, what goes out comes from it. For the stored version itself, and that is nearly every request, nothing happens here.
"""

from collections.abc import Callable
from dataclasses import replace
from typing import TypeVar

from svcsim.apply.conversion import Conversion, Converted
from svcsim.meta import errors
from svcsim.meta.selectors import FieldSelector
from svcsim.meta.types import Object
from svcsim.registry.admission import AdmissionRequest
from svcsim.registry.core import Core, cut, decode_record, whole
from svcsim.registry.kind import Context
from svcsim.registry.options import ListOptions, Target, WatchOptions
from svcsim.registry.scheme import Resource
from svcsim.storage.contract import Record

Options = TypeVar("Options", ListOptions, WatchOptions)


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


def in_stored_fields(resource: Resource, options: Options) -> Options:
    """A selection with its fields under their names in the stored version. Raises 400 for those this version doesn't know."""
    fields = resource.kind.conversion.fields if resource.kind.conversion is not None else {}
    selector = options.field_selector
    if not fields or selector is None:
        return options
    names = {**fields, "metadata.name": "metadata.name", "metadata.namespace": "metadata.namespace"}
    for requirement in selector.requirements:
        if requirement.field not in names:
            raise errors.bad_request(f"field label not supported: {requirement.field}")
    renamed = FieldSelector([requirement._replace(field=names[requirement.field]) for requirement in selector.requirements])
    return replace(options, field_selector=renamed)


def stored_target(target: Target) -> Target:
    """The same object or collection, in the version it is stored in."""
    stored = target.resource.stored
    if stored is None:
        return target
    return replace(target, resource=stored, window=target.window and stored.windows.get(target.window.name))


async def stored_object(request: AdmissionRequest, obj: Object, context: Context) -> Object:
    """An object of an admission request in the form it is stored in, for plugins that know that one alone. Not to be changed."""
    same = request.target.window is not None and request.target.window.compiled is not None
    return obj if same else to_stored(request.resource, obj, context)


def shown(core: Core, resource: Resource, record: Record) -> Record:
    """A record as this version shows it."""
    if resource.stored is None:
        return record
    body = cut(resource, from_stored(resource, decode_record(record), core.context()))
    return record._replace(body=whole(body, record.revision))


def converter(core: Core, target: Target) -> Callable[[Conversion], Converted | None]:
    """What answers a write to ``target`` that asks for objects in other versions."""

    def convert(wanted: Conversion) -> Converted | None:
        source, there = (core.scheme.version(target.resource, version) for version in (wanted.source, wanted.target))
        if source is None or there is None:
            return None
        context = core.context()
        objects = tuple(from_stored(there, to_stored(source, obj, context), context) for obj in wanted.objects)
        window = target.window and there.windows.get(target.window.name)
        return Converted(objects, there.topology, there.written if window is None else window.written)

    return convert
