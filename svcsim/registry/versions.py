"""Several versions of one kind, served from one stored form.

A version that isn't the stored one is converted at the registry's edge: what comes in goes to the stored form once admission has had its
say, what goes out comes from it. For the stored version itself, and that is nearly every request, nothing happens here. Who converts, and
that it may take a while, is the business of `conversion.py`.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import TypeVar

from svcsim.apply.conversion import ConversionRequest, Conversions, Converted
from svcsim.clock import turn
from svcsim.meta import errors
from svcsim.meta.objects import copy_json
from svcsim.meta.selectors import FieldSelector
from svcsim.meta.types import Object
from svcsim.registry import write_steps
from svcsim.registry.admission import AdmissionRequest
from svcsim.registry.conversion import convert
from svcsim.registry.core import Core, decode_record, response_record
from svcsim.registry.kind import Context, ForeignConversion
from svcsim.registry.options import ListOptions, Target, WatchOptions
from svcsim.registry.scheme import Resource
from svcsim.registry.slices import slices
from svcsim.storage.contract import Record

Options = TypeVar("Options", ListOptions, WatchOptions)
T = TypeVar("T")


async def from_stored(resource: Resource, obj: Object, context: Context) -> Object:
    """A stored object as this version shows it."""
    if resource.stored is None:
        return obj
    return (await convert([obj], resource.stored, resource, context))[0]


async def to_stored(resource: Resource, obj: Object, context: Context) -> Object:
    """An object of this version in the form it is stored in."""
    if resource.stored is None:
        return obj
    return (await convert([obj], resource, resource.stored, context))[0]


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
    return obj if same else await to_stored(request.resource, obj, context)


async def persisted_new(target: Target, obj: Object, context: Context) -> Object:
    """What will be stored of a new object, as the version asked for shows it.

    The object itself where nothing gets lost on the way, and where somebody outside of this process would have to be asked.
    """
    resource = target.resource
    if resource.stored is None or isinstance(resource.kind.conversion, ForeignConversion):
        return obj
    persisted = await to_stored(resource, copy_json(obj), context)
    write_steps.fill_defaults(resource.stored, persisted, context)
    if resource.stored.kind.status is not None:
        write_steps.set_initial_status(resource.stored.kind.status, resource.stored, persisted, context)
    return await from_stored(resource, persisted, context)


async def persisted_update(target: Target, new: Object, seen: Object, old: Object, context: Context) -> Object:
    """The same of a change, of the object that is stored as ``old`` and shown as ``seen``."""
    resource = target.resource
    if resource.stored is None or isinstance(resource.kind.conversion, ForeignConversion):
        # What is reset is reset by whole fields, and the sets of fields know that; what alone is written may be a part of what is there.
        return target.written.restored(new, seen) if target.written.written else new
    persisted = await to_stored(resource, copy_json(new), context)
    write_steps.fill_defaults(resource.stored, persisted, context)
    persisted = stored_target(target).written.restored(persisted, old)
    return await from_stored(resource, persisted, context)


async def record_in_version(core: Core, resource: Resource, record: Record) -> Record:
    """A record as this version shows it."""
    if resource.stored is None:
        return record
    return (await converted_records(core, resource, [record]))[0]


async def records_in_version(core: Core, resource: Resource, records: list[Record]) -> list[Record]:
    """Records as this version shows them, converted as many at a time as leaves others their turns."""
    if resource.stored is None:
        return records
    seen: list[Record] = []
    for part in slices(records):
        seen += await converted_records(core, resource, part)
        await turn()
    return seen


async def converted_records(core: Core, resource: Resource, records: Sequence[Record]) -> list[Record]:
    """A few records as a version that isn't stored shows them, in one batch."""
    assert resource.stored is not None
    objects = await convert([decode_record(record) for record in records], resource.stored, resource, core.context())
    return [response_record(resource, record, obj) for record, obj in zip(records, objects, strict=True)]


async def with_conversions(core: Core, target: Target, steps: Conversions[T]) -> T:
    """What a write to ``target`` does to the ownership of fields, with the objects this asks for in other versions."""
    versions: dict[str, Resource | None] = {target.resource.api_version: target.resource}
    answer: Converted | None = None
    while True:
        try:
            wanted = steps.send(answer)
        except StopIteration as done:
            result: T = done.value
            return result
        answer = await _converted(core, target, versions, wanted)


async def _converted(core: Core, target: Target, versions: dict[str, Resource | None], wanted: ConversionRequest) -> Converted | None:
    """Objects in another version. ``versions`` are those met so far: for this write they stay, whatever happens meanwhile."""
    for name in (wanted.source, wanted.target):
        if name not in versions:
            versions[name] = core.scheme.version(target.resource, name)
    source, to = versions[wanted.source], versions[wanted.target]
    if source is None or to is None:
        return None
    objects = await convert(list(wanted.objects), source, to, core.context())
    window = target.window and to.windows.get(target.window.name)
    return Converted(tuple(objects), to.topology, to.written if window is None else window.written)
