"""Delete and deletecollection: two phases, grace, finalizers, propagation."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from svcsim import limits
from svcsim.clock import format_time
from svcsim.meta import errors
from svcsim.meta.aside import aside
from svcsim.meta.names import FOREGROUND, ORPHAN
from svcsim.meta.objects import copy_json
from svcsim.meta.pods import deletion_asked_at
from svcsim.meta.side_by_side import side_by_side
from svcsim.meta.types import Object
from svcsim.registry import write_steps
from svcsim.registry.admission import AdmissionRequest
from svcsim.registry.conversion import CONVERTED_METADATA
from svcsim.registry.core import Core, cut_of, cut_open, decode_record, dry_run_record, encode_body, key_of, response_record, translate
from svcsim.registry.kind import Context, Orphans, Permit
from svcsim.registry.listings import Listing
from svcsim.registry.older_forms import read_record, read_shown, to_be_stored
from svcsim.registry.options import Caller, DeleteOptions, ListOptions, Target
from svcsim.registry.reads import list_page
from svcsim.registry.resource import Resource
from svcsim.registry.shown import records_in_version
from svcsim.registry.slices import slices
from svcsim.registry.versions import from_stored
from svcsim.storage.contract import CorruptError, CutRecord, Envelope, Key, KeyMissingError, Record, RevisionMismatchError, StoreError

_PROPAGATION = {"Orphan": ORPHAN, "Foreground": FOREGROUND}


class Deletion(NamedTuple):
    """What a delete came to: the object as it was or is, in the version asked for, and whether it is gone or only terminating."""

    record: Record
    gone: bool


class Ending(NamedTuple):
    """What a deletion makes of an object: its last state, or one in which it is terminating."""

    final: Object
    gone: bool


@dataclass(slots=True)
class Deleter:
    core: Core

    async def delete(
        self,
        target: Target,
        caller: Caller,
        options: DeleteOptions,
        *,
        admitted: bool = False,
        listed: Record | None = None,
        alone: bool = False,
    ) -> Deletion:
        """Delete an object, or begin to.

        With ``admitted``, admission has agreed to the request that this follows from, and isn't asked. ``listed`` is the object as a list
        in this version has just shown it: it isn't converted again unless it has changed since. ``alone`` says that nobody else is at
        the object, large as it may be.
        """
        for _ in range(limits.PATCH_RETRIES):
            core = self.core
            try:
                current = core.store.latest(key_of(target), listed if target.resource.as_it_is else None)
            except CorruptError as error:
                if not options.ignore_read_error or target.window is not None:
                    raise translate(error) from error
                return await self._discard(target, caller, options)
            if current is None:
                await core.store.settled()
                raise errors.not_found(target.resource.group_resource, target.name)
            size_bytes = len(current.body)
            if size_bytes > limits.ASIDE_BYTES and not alone:
                async with core.turn_of(current.key):
                    return await self.delete(target, caller, options, admitted=admitted, listed=listed, alone=True)
            seen = await self._seen(target, current, listed)
            _check_preconditions(target, seen, options)
            if not admitted:
                request = AdmissionRequest("DELETE", target, None, seen, caller, "DeleteOptions", options.given)
                await _admitted(core, request)
            try:
                return await self._begin_or_finish(target, current, seen, caller, options)
            except RevisionMismatchError:
                if options.resource_version:
                    break
            except KeyMissingError:
                raise errors.not_found(target.resource.group_resource, target.name) from None
            except StoreError as error:
                raise translate(error) from error
        raise errors.conflict(target.resource.group_resource, target.name, errors.MODIFIED)

    async def _seen(self, target: Target, current: Record, listed: Record | None) -> Object:
        """The object in the version asked for."""
        if listed is not None and listed.revision == current.revision and target.resource.stored is not None:
            return await aside(len(listed.body), decode_record, listed)
        return await read_shown(self.core, target.resource, current)

    async def _discard(self, target: Target, caller: Caller, options: DeleteOptions) -> Deletion:
        """Delete an object that can't be read: at once, whatever its finalizers are, and without a look at what it was."""
        core, resource = self.core, target.resource.storage_version
        request = AdmissionRequest("DELETE", target, None, None, caller, "DeleteOptions", options.given)
        await _admitted(core, request)
        key = key_of(target)
        known = core.store.known(key)
        metadata = {"name": target.name, **({"namespace": target.namespace} if target.namespace else {}), "uid": known.uid if known else ""}
        obj: Object = {"metadata": metadata}
        resource.stamp(obj)
        try:
            record = await core.store.discard(key, known or Envelope("", {}, {}, ()), encode_body(resource, obj))
        except KeyMissingError:
            raise errors.not_found(target.resource.group_resource, target.name) from None
        except StoreError as error:
            raise translate(error) from error
        return Deletion(record, gone=True)

    async def evict(self, target: Target, body: Object, caller: Caller, permit: Permit | None) -> Deletion:
        """Delete an object as the body of a subresource of it says, which has been admitted: the deletion itself need not be.

        With ``permit``, which may hold the deletion to the object as it has been seen; if it changes meanwhile, that is asked again.
        """
        given = body.get("deleteOptions") or {}
        caller = replace(caller, dry_run=caller.dry_run or "All" in (given.get("dryRun") or ()))
        target, options = target._replace(window=None), DeleteOptions.from_object(given)
        if permit is None:
            return await self.delete(target, caller, options, admitted=True)
        for _ in range(limits.PATCH_RETRIES):
            seen = await self._evictable(target, options)
            try:
                revision = await permit(seen, options.resource_version, dry_run=caller.dry_run)
                return await self.delete(target, caller, options._replace(resource_version=revision), admitted=True)
            except errors.StatusError as error:
                if error.reason != "Conflict" or options.resource_version:
                    raise
        raise errors.conflict(target.resource.group_resource, target.name, errors.MODIFIED)

    async def _evictable(self, target: Target, options: DeleteOptions) -> Object:
        """The object, if it is there and is the one that is meant."""
        current = self.core.latest(key_of(target))
        if current is None:
            await self.core.store.settled()
            raise errors.not_found(target.resource.group_resource, target.name)
        obj = await read_record(self.core, target.resource, current)
        _check_preconditions(target, obj, options)
        return obj

    async def delete_collection(self, target: Target, caller: Caller, which: ListOptions, options: DeleteOptions) -> Listing:
        """Delete all that a list would show, and show it as it was deleted; what vanishes meanwhile is fine."""
        listing = await list_page(self.core, self.core.store, target, which)
        deleted: list[Record] = []

        async def delete_one(record: Record) -> Record | None:
            one = Target(target.resource, record.key.namespace, record.key.name)
            try:
                return (await self.delete(one, caller, options, listed=record)).record
            except errors.StatusError as error:
                if error.reason != "NotFound":
                    raise
            return None

        for part in slices(await records_in_version(self.core, target.resource, listing.records)):
            gone: dict[Key, Record] = {}
            if self._ends_at_once(target, caller, options):  # asked each time: a policy may come into force meanwhile
                gone = await self._delete_together(target, caller, options, part)
            left = [record for record in part if record.key not in gone]
            outcomes = await side_by_side(left, delete_one, limits.DELETIONS_AT_ONCE)
            gone |= {record.key: record for record in outcomes if record is not None}
            deleted += [gone[record.key] for record in part if record.key in gone]
        return listing._replace(records=deleted)

    def _ends_at_once(self, target: Target, caller: Caller, options: DeleteOptions) -> bool:
        """Whether nobody is asked about the objects of a collection before they go, and only their finalizers can hold them."""
        kind = target.resource.kind
        plain = target.resource.as_it_is and not kind.custom and kind.orphans is None and kind.strategy.ends_at_once
        whatever_is_there = not options.uid and not options.resource_version and options.propagation in ("", "Background")
        return plain and whatever_is_there and not caller.dry_run and not self.core.admission.concerned("DELETE", target).names

    async def _delete_together(
        self, target: Target, caller: Caller, options: DeleteOptions, records: Sequence[Record]
    ) -> dict[Key, Record]:
        """Delete those of a collection's objects that go at once as they are; gives their last states.

        Nothing else has a turn before all of it is on its way: nobody is concerned with the deletions, and that stays so.
        """
        core = self.core
        plain = [record for record in records if _is_unheld(record)]
        request = AdmissionRequest("DELETE", target, None, None, caller, "DeleteOptions", options.given)
        for _ in plain:  # nobody objects, but what passes is counted
            await _admitted(core, request)
        try:
            removed = await core.store.delete_as_they_are([CutRecord(record, cut_of(record.body)) for record in plain])
        except StoreError as error:
            raise translate(error) from error
        return {record.key: record for record in removed if record is not None}

    async def _begin_or_finish(self, target: Target, current: Record, seen: Object, caller: Caller, options: DeleteOptions) -> Deletion:
        """``seen`` is the object in the version that was asked for: of a custom one, more is wanted only where it is stored."""
        core, requested, size_bytes = self.core, target.resource, len(current.body)
        custom, context = requested.kind.custom, core.context(caller)
        resource = requested if custom and caller.dry_run else requested.storage_version
        old = seen if resource is requested else await read_record(core, resource, current)
        ending = await _ending(resource, old, caller, options, context, size_bytes)
        if resource is requested:
            seen = ending.final
        elif ending.final is not old:
            # Before anything is written: an answer that can't be given is no deletion.
            seen = _ended(seen, ending.final) if custom else await from_stored(requested, ending.final, context, size_bytes)
        record = await self._written(resource, current, old, ending, dry_run=caller.dry_run)
        return Deletion(await aside(size_bytes, response_record, requested, record, seen), ending.gone)

    async def _written(self, resource: Resource, current: Record, old: Object, ending: Ending, *, dry_run: bool) -> Record:
        """Write what a deletion comes to, unless that is only tried."""
        core, final, size_bytes = self.core, ending.final, len(current.body)
        if dry_run:
            body = await aside(size_bytes, encode_body, resource, final)
            return dry_run_record(resource, final, body, current.key, current.revision)
        if final is old and not resource.kind.custom:  # it goes as it is stored
            asked, cut = current.envelope, cut_open(current.body)._replace(says=final)
        else:
            asked, cut = await to_be_stored(core, resource, final, size_bytes)
        if ending.gone:
            return await core.store.delete(current.key, asked, cut, expected=current.revision)
        if final == old:
            await core.store.settled()
            return current
        return await core.store.update(current.key, asked, cut, expected=current.revision, frees=True)


async def _ending(resource: Resource, old: Object, caller: Caller, options: DeleteOptions, context: Context, size_bytes: int) -> Ending:
    """Have a copy of an object begin to end, or end sooner, as it is wished."""
    strategy, default_grace_s = resource.kind.strategy, resource.kind.strategy.grace(old, context)
    given_s = options.grace_period_s
    wished_s = 1 if given_s is not None and given_s < 0 else given_s  # as short as it can be and still is one
    new = {**old, "metadata": dict(old["metadata"])} if strategy.terminate is None else await aside(size_bytes, copy_json, old)
    metadata = new["metadata"]
    already = "deletionTimestamp" in metadata
    if not _goes_on(metadata, wished_s):
        _propagate(metadata, options, resource.kind.orphans, caller)
        if already:
            _shorten(new, wished_s, context.now)
        else:
            _begin(new, default_grace_s, wished_s, context.now)
            if resource.kind.generation:
                metadata["generation"] = (metadata.get("generation") or 0) + 1
            if strategy.terminate is not None:
                strategy.terminate(new, context)
    gone = write_steps.can_be_removed(resource, new)
    # A trial shows when the end would come only of what is given time for it; what would simply be gone is shown as it is.
    as_it_was = not (caller.dry_run and default_grace_s is not None)
    return Ending(old if gone and not already and as_it_was else new, gone)


def _is_unheld(record: Record) -> bool:
    """Whether an object surely has no finalizers and isn't on its way out: nothing in it looks like either."""
    body = record.body
    return len(body) <= limits.ASIDE_BYTES and b'"finalizers":' not in body and b'"deletionTimestamp":' not in body


def _ended(seen: Object, final: Object) -> Object:
    """A custom object as it is shown, with the changes of a deletion, which only concern metadata that no conversion may change."""
    converted = {name: seen["metadata"][name] for name in CONVERTED_METADATA if name in seen["metadata"]}
    kept = {name: value for name, value in final["metadata"].items() if name not in CONVERTED_METADATA}
    return {**seen, "metadata": {**kept, **converted}}


def _check_preconditions(target: Target, old: Object, options: DeleteOptions) -> None:
    metadata, resource = old["metadata"], target.resource.group_resource
    if options.uid and options.uid != metadata["uid"]:
        why = (
            f"the UID in the precondition ({options.uid}) does not match the UID in record ({metadata['uid']}). "
            "The object might have been deleted and then recreated"
        )
        raise errors.conflict(resource, target.name, why)
    if options.resource_version and options.resource_version != metadata["resourceVersion"]:
        why = (
            f"the ResourceVersion in the precondition ({options.resource_version}) does not match the ResourceVersion in record "
            f"({metadata['resourceVersion']}). The object might have been modified"
        )
        raise errors.conflict(resource, target.name, why)


async def _admitted(core: Core, request: AdmissionRequest) -> None:
    """Raise what keeps an object from being deleted."""
    concerned = core.admission.concerned("DELETE", request.target)
    await concerned.mutate(request)
    await concerned.validate(request)


def _propagate(metadata: Object, options: DeleteOptions, orphans: Orphans | None, caller: Caller) -> None:
    """The finalizer that makes the garbage collector orphan or delete the dependents first."""
    propagation = options.propagation
    if not propagation and orphans is not None:
        if orphans.warning and orphans.warning not in caller.warnings:
            caller.warnings.append(orphans.warning)
        if not any(name in _PROPAGATION.values() for name in metadata.get("finalizers") or ()):
            propagation = "Orphan"
    if not propagation:
        return
    wanted = _PROPAGATION.get(propagation)
    finalizers = [name for name in metadata.get("finalizers") or () if name not in _PROPAGATION.values() or name == wanted]
    if wanted is not None and wanted not in finalizers:
        finalizers.append(wanted)
    if finalizers:
        metadata["finalizers"] = finalizers
    else:
        metadata.pop("finalizers", None)


def _goes_on(metadata: Object, wished_s: int | None) -> bool:
    """Whether an object has its time to end already, and a deletion that wishes for no less changes nothing."""
    before_s = metadata.get("deletionGracePeriodSeconds") or 0
    return "deletionTimestamp" in metadata and before_s > 0 and (wished_s is None or wished_s >= before_s)


def _begin(obj: Object, default_s: int | None, wished_s: int | None, now: float) -> None:
    """What ends at once ends at once, whatever is wished for."""
    grace_s = 0 if default_s is None else default_s if wished_s is None else wished_s
    obj["metadata"]["deletionTimestamp"] = format_time(now + grace_s)
    obj["metadata"]["deletionGracePeriodSeconds"] = grace_s


def _shorten(obj: Object, wished_s: int | None, now: float) -> None:
    """The time that an object has is less than it was, and is counted from where it began."""
    metadata = obj["metadata"]
    if wished_s is not None and wished_s < (metadata.get("deletionGracePeriodSeconds") or 0):
        asked_at = deletion_asked_at(obj)
        metadata["deletionTimestamp"] = format_time((now if asked_at is None else asked_at) + wished_s)
        metadata["deletionGracePeriodSeconds"] = wished_s
