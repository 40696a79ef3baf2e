"""Several versions of one kind, served from one stored form.

A version that isn't the stored one is converted at the registry's edge: what comes in goes to the stored form once admission has had its
say, what goes out comes from it. For the stored version itself, and that is nearly every request, nothing happens here. Who converts, and
that it may take a while, is the business of `conversion.py`.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Generic, TypeVar

from svcsim.apply.conversion import ConversionRequest, Conversions, Converted, KeptRequest
from svcsim.apply.reset_fields import ALL_FIELDS, FieldFilter
from svcsim.apply.typed import compare, spelled_out
from svcsim.apply.typed_write import tracked, with_untracked
from svcsim.meta import errors
from svcsim.meta.aside import aside
from svcsim.meta.field_selectors import FieldSelector
from svcsim.meta.objects import copy_json
from svcsim.meta.types import Object
from svcsim.registry import write_steps
from svcsim.registry.configuration import as_stored
from svcsim.registry.conversion import convert
from svcsim.registry.core import Core
from svcsim.registry.kind import Context, ForeignConversion
from svcsim.registry.options import ListOptions, Target, WatchOptions
from svcsim.registry.resource import Resource

if TYPE_CHECKING:
    from svcsim.apply.fieldset import FieldSet

Options = TypeVar("Options", ListOptions, WatchOptions)
T = TypeVar("T")


async def from_stored(resource: Resource, obj: Object, context: Context, size_bytes: int) -> Object:
    """A stored object as this version shows it."""
    if resource.stored is None:
        return obj
    return (await convert([obj], resource.stored, resource, context, size_bytes))[0]


async def to_stored(resource: Resource, obj: Object, context: Context, size_bytes: int) -> Object:
    """An object of this version in the form it is stored in."""
    if resource.stored is None:
        return obj
    return (await convert([obj], resource, resource.stored, context, size_bytes))[0]


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
    return options._replace(field_selector=renamed)


def stored_target(target: Target) -> Target:
    """A target's object or collection in the version it is stored in."""
    stored = target.resource.stored
    if stored is None:
        return target
    return target._replace(resource=stored, window=target.window and stored.windows.get(target.window.name))


def stored_written(target: Target) -> FieldFilter:
    """The fields of the stored form that a write may change.

    A version's subresources are its own: one that the other hasn't got takes nothing from that, and is held to its fields in its own.
    """
    resource, stored = target.resource, target.resource.stored
    if stored is None:
        return target.written
    if target.window is None:
        return stored.written if stored.has_status == resource.has_status else ALL_FIELDS
    window = stored.windows.get(target.window.name)
    return ALL_FIELDS if window is None else window.written


async def persisted_new(target: Target, obj: Object, context: Context, size_bytes: int) -> Object:
    """What will be stored of a new object, as the version asked for shows it.

    The object itself where nothing gets lost on the way, and where somebody outside of this process would have to be asked.
    """
    resource = target.resource
    if resource.stored is None or isinstance(resource.kind.conversion, ForeignConversion):
        return obj
    persisted = await to_stored(resource, await aside(size_bytes, copy_json, obj), context, size_bytes)
    await aside(size_bytes, write_steps.fill_defaults, resource.stored, persisted, context)
    if resource.has_status and resource.stored.kind.status is not None:
        write_steps.set_initial_status(resource.stored.kind.status, resource.stored, persisted, context)
    return await from_stored(resource, persisted, context, size_bytes)


async def persisted_update(target: Target, new: Object, seen: Object, old: Object, context: Context, size_bytes: int) -> Object:
    """What will be stored of a changed object, as in `persisted_new`; before, it is stored as ``old`` and shown as ``seen``."""
    resource = target.resource
    if resource.stored is None or isinstance(resource.kind.conversion, ForeignConversion):
        return await aside(size_bytes, target.written.restored, new, seen)
    restored = await aside(size_bytes, target.written.restored, new, seen)
    persisted = await to_stored(resource, await aside(size_bytes, copy_json, restored), context, size_bytes)
    await aside(size_bytes, write_steps.fill_defaults, resource.stored, persisted, context)
    persisted = await aside(size_bytes, stored_written(target).restored, persisted, old)
    return await from_stored(resource, persisted, context, size_bytes)


async def _persisted_apply(
    core: Core, target: Target, wanted: Object, seen: Object, old: Object, size_bytes: int, *, spelled: bool
) -> Converted:
    """What will be kept of what an applier wants, and which fields of it are written.

    What gets lost on the way is not. Nor is, in a version that isn't stored, what would not be there without something that is reset.
    Nulls and zeros that are never stored get lost nowhere: they take no part in conversions.
    """
    resource, written = target.resource, target.written
    spelled = spelled and resource.stored is not None
    new = await aside(size_bytes, as_stored, resource, wanted) if spelled else wanted
    if resource.stored is None and not written.written:  # nearly every apply: no time need be told for it
        return Converted((await aside(size_bytes, written.restored, new, seen),), resource.topology, written)
    context = core.context()
    persisted = await persisted_update(target, new, seen, old, context, size_bytes)
    carried: FieldSet = {}
    if written.written:
        carried = await aside(size_bytes, _removed, resource, new, persisted)
    elif not isinstance(resource.kind.conversion, ForeignConversion):
        stored = await to_stored(resource, await aside(size_bytes, copy_json, new), context, size_bytes)
        left = await aside(size_bytes, stored_written(target).emptied, stored)
        carried = await aside(size_bytes, _removed, resource, new, await from_stored(resource, left, context, size_bytes))
    if spelled:
        persisted = await aside(size_bytes, _spelled_out, resource, persisted, wanted, new)
    return Converted((persisted,), resource.topology, written.without(carried))


def _spelled_out(resource: Resource, persisted: Object, wanted: Object, stored: Object) -> Object:
    spelled = spelled_out(resource.topology, tracked(persisted), tracked(wanted), tracked(stored), everywhere=True)
    return with_untracked(spelled, persisted)


def _removed(resource: Resource, before: Object, after: Object) -> "FieldSet":
    return compare(resource.topology, tracked(before), tracked(after)).removed


@dataclass(frozen=True, slots=True)
class _Done(Generic[T]):
    """What came of it in the end."""

    result: T


def _next_step(steps: Conversions[T], answer: Converted | None) -> "ConversionRequest | KeptRequest | _Done[T]":
    """What is asked for next. A `StopIteration` can't be carried from one thread to another."""
    try:
        return steps.send(answer)
    except StopIteration as done:
        return _Done(done.value)


async def with_conversions(
    core: Core,
    target: Target,
    steps: Conversions[T],
    before: tuple[Object, Object] | None = None,
    *,
    size_bytes: int,
    spelled: bool = False,
) -> T:
    """What a write to ``target`` does to the ownership of fields, with the objects this asks for in other versions.

    ``before`` is the object before the write, as the version shows it and as it is stored; only an apply to what is there needs it.
    ``size_bytes`` is how long the objects are; ``spelled`` says whether nulls and zeros may stand in them that are never stored.
    """
    versions: dict[str, Resource | None] = {target.resource.api_version: target.resource}
    answer: Converted | None = None
    while True:
        wanted = await aside(size_bytes, _next_step, steps, answer)
        if isinstance(wanted, _Done):
            return wanted.result
        if isinstance(wanted, ConversionRequest):
            answer = await _converted(core, target, versions, wanted, size_bytes, spelled=spelled)
        else:
            assert before is not None, "an object that wasn't there keeps nothing"
            answer = await _persisted_apply(core, target, wanted.obj, *before, size_bytes, spelled=spelled)


async def _converted(
    core: Core, target: Target, versions: dict[str, Resource | None], wanted: ConversionRequest, size_bytes: int, *, spelled: bool
) -> Converted | None:
    """Objects in another version. ``versions`` are those met so far: for this write they stay, whatever happens meanwhile."""
    for name in (wanted.source, wanted.target):
        if name not in versions:
            versions[name] = core.scheme.version(target.resource, name)
    source, to = versions[wanted.source], versions[wanted.target]
    if source is None or to is None:
        return None
    given = [await aside(size_bytes, as_stored, source, obj) for obj in wanted.objects] if spelled else list(wanted.objects)
    objects = await convert(given, source, to, core.context(), size_bytes)
    window = target.window and to.windows.get(target.window.name)
    return Converted(tuple(objects), to.topology, to.written if window is None else window.written)
