"""What the store has, as a version shows it.

Nearly always that is what is stored, byte for byte. An object of a version that isn't stored, or one that was stored before its definition
changed how it is read, has to be decoded, brought into another form, and encoded again: once, where it is the same every time
(`kept_forms.py`). Where two versions differ in nothing but their names there is nothing to decode at all.
"""

from collections.abc import AsyncIterator, Sequence
from typing import TypeAlias

from svcsim.clock import turn
from svcsim.meta.aside import aside
from svcsim.meta.codec import decode_json
from svcsim.meta.types import Object
from svcsim.registry.core import Core, encode_body, revision_in, splice_revision
from svcsim.registry.listings import WholeList
from svcsim.registry.older_forms import in_version, is_lasting
from svcsim.registry.resource import Resource
from svcsim.registry.slices import slices, slices_by_size
from svcsim.storage.contract import Record

_Stored: TypeAlias = tuple[int, bytes]
"""The revision and the body of an object."""


async def record_in_version(core: Core, resource: Resource, record: Record) -> Record:
    """A record as this version shows it."""
    if resource.as_it_is:
        return record
    return (await converted_records(core, resource, [record]))[0]


async def records_in_version(core: Core, resource: Resource, records: list[Record]) -> list[Record]:
    """Records as this version shows them, converted as many at a time as leaves others their turns."""
    if resource.as_it_is:
        return records
    seen: list[Record] = []
    for part in slices(records):
        await core.turns.at(len(part))
        seen += await converted_records(core, resource, part)
        await turn()
    return seen


async def converted_records(core: Core, resource: Resource, records: Sequence[Record]) -> list[Record]:
    """A few records as a version shows them that isn't stored, or was another when they were stored."""
    bodies = await _shown(core, resource, [(record.revision, record.body) for record in records])
    return [record if body is record.body else record._replace(body=body, says=None) for record, body in zip(records, bodies, strict=True)]


async def whole_list_in_version(core: Core, resource: Resource, whole: WholeList) -> WholeList:
    """A long collection as this version shows it, slice by slice."""
    if resource.as_it_is:
        return whole

    async def rest() -> AsyncIterator[tuple[int, list[bytes]]]:
        async for revision, bodies in whole.rest:
            yield revision, await _bodies_in_version(core, resource, bodies)

    return WholeList(whole.revision, await _bodies_in_version(core, resource, whole.first), rest())


async def _bodies_in_version(core: Core, resource: Resource, bodies: list[bytes]) -> list[bytes]:
    seen: list[bytes] = []
    for part in slices_by_size(bodies, len):
        await core.turns.at(len(part))
        seen += await _shown(core, resource, [(revision_in(body), body) for body in part])
        await turn()
    return seen


async def _shown(core: Core, resource: Resource, stored: Sequence[_Stored]) -> list[bytes]:
    """Bodies as a version shows them: in one batch those that have to be looked at."""
    basis = resource.storage_version if resource.respells else resource
    found = [_known(core, basis, revision, body) for revision, body in stored]
    missing = [index for index, body in enumerate(found) if body is None]
    walked = iter(await _walked(core, basis, [stored[index] for index in missing]) if missing else ())
    bodies = [next(walked) if body is None else body for body in found]
    return bodies if basis is resource else [resource.prefix + body[len(basis.prefix) :] for body in bodies]


def _known(core: Core, resource: Resource, revision: int, body: bytes) -> bytes | None:
    """What is shown of an object, where that is known without a look at it."""
    if resource.stored is None and revision > resource.revised:
        return body
    kept = core.kept_forms.find(resource.form, revision) if resource.form else None
    return body if kept == b"" else kept


async def _walked(core: Core, resource: Resource, stored: Sequence[_Stored]) -> list[bytes]:
    """Bodies as a version shows them, which are decoded and encoded for it."""
    size_bytes = sum([len(body) for _, body in stored])
    before = await aside(size_bytes, _decoded, stored)
    objects = await in_version(core, resource, before, size_bytes)
    bodies = await aside(size_bytes, _encoded, resource, stored, objects)
    if resource.form:
        for obj, (revision, body), shown in zip(before, stored, bodies, strict=True):
            if is_lasting(core, resource, obj):
                core.kept_forms.keep(resource.form, revision, b"" if shown == body else shown)
    return bodies


def _decoded(stored: Sequence[_Stored]) -> list[Object]:
    return [decode_json(body) for _, body in stored]


def _encoded(resource: Resource, stored: Sequence[_Stored], objects: list[Object]) -> list[bytes]:
    return [splice_revision(encode_body(resource, obj), revision) for (revision, _), obj in zip(stored, objects, strict=True)]
