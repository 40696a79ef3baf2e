"""Create, update, patch and apply: the order of a write, written once for all kinds.

decode → default → ownership → admission: mutate → stored version → reset what may not be written → strategy → validation → admission:
validate → store. What the server itself adds after ownership is recorded belongs to nobody. Everything between reading the newest state
and handing the new one to the store builds on `Store.latest`, so writes to one object that arrive together follow each other within one
commit instead of failing on each other. Where something in between takes its time, such as a conversion, and another write comes first,
the write is tried again on top of that.
"""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import NamedTuple

from svcsim import limits
from svcsim.apply import managers as managed
from svcsim.apply import ownership
from svcsim.apply.fieldset import difference
from svcsim.apply.managers import Manager, Managers
from svcsim.apply.topology import Fields
from svcsim.apply.typed_write import TypedWrite, tracked
from svcsim.meta import errors
from svcsim.meta.aside import aside, aside_if_long
from svcsim.meta.codec import same_json
from svcsim.meta.types import Object
from svcsim.registry import write_steps
from svcsim.registry.admission import AdmissionRequest, ConcernedPlugins
from svcsim.registry.configuration import as_stored, read_configuration, waived_conflicts, with_annotation_renewed
from svcsim.registry.core import Core, check_size, dry_run_record, encode_body, key_of, response_record, shown_record, translate
from svcsim.registry.kind import Context
from svcsim.registry.later_moments import at_the_last, later_moments
from svcsim.registry.mutating_admission import mutated
from svcsim.registry.older_forms import is_outdated, read_as_shown, read_record, to_be_stored
from svcsim.registry.options import Caller, Target, WriteOptions
from svcsim.registry.preconditions import check_preconditions, check_uid, makes_condition
from svcsim.registry.resource import Resource, Window
from svcsim.registry.versions import (
    from_stored,
    persisted_new,
    persisted_update,
    stored_target,
    stored_written,
    to_stored,
    with_conversions,
)
from svcsim.storage.contract import Key, KeyExistsError, KeyMissingError, Record, RevisionMismatchError, StoreError

_OF_CONTENT = (400, 422)
"""How a write is refused for what is in it."""
Patcher = Callable[[Object], Object]
"""Gives the patched object for the current one, without changing it. Raises `StatusError`."""


class Proposal(NamedTuple):
    """What a write would make of an object, or of what its subresource shows of it."""

    obj: Object
    owners: Managers | None = None
    """Given where the write has settled them itself (apply)."""
    unchanged: bool = False
    """Whether it is known to leave everything as it is: then nothing has to be gone through again, if no plugin wants to see it."""
    before: Object | None = None
    """What it was made from, if that is not the object itself but what its subresource shows of it."""
    admitted: bool = False
    """Whether ``obj`` is a subresource's body that has been decoded and admitted."""


class Update(NamedTuple):
    """One try of an update: what is asked, and what it is built on."""

    target: Target
    current: Record
    old: Object
    """The current object, in the stored version."""
    seen: Object
    """The current object in the requested version."""
    caller: Caller
    options: WriteOptions
    context: Context
    size_bytes: int
    """The longer of what is there and what was sent."""
    outdated: bool
    """Whether the store has the object in another form than today's, so that it is to be stored anew, changed or not."""


Propose = Callable[[Object, Object, int], Awaitable[Proposal]]
"""Called with the current object in the version that is asked for, and as it is stored, and how long what is worked on is."""


@dataclass(slots=True)
class Writer:
    core: Core

    async def create(self, target: Target, sent: Object, caller: Caller, options: WriteOptions) -> Record:
        obj = sent
        if not options.read:
            obj = await aside(options.size_bytes, write_steps.decode, target.resource, sent, caller, options)
        return await self._create(target, obj, None, caller, options)

    async def update(self, target: Target, sent: Object, caller: Caller, options: WriteOptions) -> tuple[Record, bool]:
        """Replace an object; the second value says whether it was created."""
        if target.resource.kind.update_creates and target.window is None and self.core.latest(key_of(target)) is None:
            check_uid(target, (sent.get("metadata") or {}).get("uid"), "")
            return await self.create(target, sent, caller, options), True

        async def propose(_seen: Object, _old: Object, _size_bytes: int) -> Proposal:
            return Proposal(sent)

        return await self._modify(target, propose, caller, options), False

    async def patch(self, target: Target, patcher: Patcher, caller: Caller, options: WriteOptions) -> Record:
        """Change an object as a patch says."""

        async def propose(seen: Object, _old: Object, size_bytes: int) -> Proposal:
            before = self._viewed(target, seen)
            return Proposal(await aside(size_bytes, patcher, before), before=before)

        return await self._modify(target, propose, caller, options)

    async def apply(self, target: Target, sent: Object, caller: Caller, options: WriteOptions) -> tuple[Record, bool]:
        """Bring an applier's configuration into an object; the second value says whether that created it."""
        resource = target.resource
        if (sent.get("metadata") or {}).get("managedFields"):
            raise errors.bad_request("metadata.managedFields must be nil")
        config = await aside(options.size_bytes, read_configuration, target, sent, caller, options)
        metadata = config.stored["metadata"]
        key = self.core.context().dialect.key("last-applied-configuration", "kubectl")
        manager = Manager(caller.manager, managed.APPLY, resource.api_version, target.subresource)
        time = self.core.clock.timestamp()
        if target.window is None and self.core.latest(key_of(target)) is None:
            if metadata.get("uid"):
                why = f"uid mismatch: the provided object specified uid {metadata['uid']}, and no existing object was found"
                raise errors.conflict(resource.group_resource, target.name, why)
            created = TypedWrite(resource.topology, None, config.written, resource.written)
            steps = ownership.apply(created, {}, manager, time, force=options.force)
            applied = await with_conversions(self.core, target, steps, size_bytes=options.size_bytes)
            new = with_annotation_renewed(target, caller.manager, config.stored, config, key)
            return await self._create(target, new, applied.managers, caller, options), True

        async def propose(seen: Object, old: Object, size_bytes: int) -> Proposal:
            if metadata.get("uid") not in (None, "", seen["metadata"]["uid"]):
                finding = errors.invalid_value("metadata.uid", metadata["uid"], "field is immutable")
                raise errors.invalid(resource.group_kind, target.name, [finding])
            owners = await aside(size_bytes, managed.read_stored, seen["metadata"].get("managedFields") or ())
            write = TypedWrite(resource.topology, seen, config.written, target.written)
            stored = None if config.stored is config.written else config.stored
            waived = {} if options.force else await aside(size_bytes, waived_conflicts, target, caller.manager, seen, key)
            steps = ownership.apply(write, owners, manager, time, stored=stored, waived=waived, force=options.force)
            applied = await with_conversions(self.core, target, steps, (seen, old), size_bytes=size_bytes, spelled=stored is not None)
            whole = applied.obj if stored is None else await aside(size_bytes, as_stored, resource, applied.obj)
            whole = with_annotation_renewed(target, caller.manager, whole, config, key)
            revision = metadata.get("resourceVersion")
            proposed = self._viewed(target, whole)
            if makes_condition(revision):
                proposed["metadata"]["resourceVersion"] = revision
            same = not applied.changed and applied.managers == owners and whole == seen
            return Proposal(proposed, applied.managers, unchanged=same and not revision)

        return await self._modify(target, propose, caller, options._replace(field_validation="Ignore", duplicates=())), False

    async def merge(self, target: Target, body: Object, caller: Caller, options: WriteOptions) -> Record:
        """Bring the body of a subresource that is created (a binding) into its object. It has been admitted."""

        async def propose(_seen: Object, _old: Object, _size_bytes: int) -> Proposal:
            return Proposal(body, admitted=True)

        return await self._modify(target, propose, caller, options)

    async def _create(self, target: Target, obj: Object, owners: Managers | None, caller: Caller, options: WriteOptions) -> Record:
        core, requested = self.core, target.resource
        context = core.context(caller, requested.group_version.version)
        size_bytes = _work_bytes(requested, obj, options.size_bytes)
        manager = Manager(caller.manager, managed.UPDATE if owners is None else managed.APPLY, requested.api_version)
        started = await aside(size_bytes, _completed, target, obj, owners, caller, manager, context)
        if started is not None:
            await self._record_first_owners(target, obj, started, manager, context, size_bytes)
        request = AdmissionRequest("CREATE", target, obj, None, caller, "CreateOptions", options.given, size_bytes=size_bytes)
        concerned = core.admission.concerned("CREATE", target)
        obj = await mutated(concerned, request, context)
        size_bytes = request.size_bytes
        generated = write_steps.give_identity(requested, obj["metadata"], context)
        await concerned.complete(request)
        resource = requested
        findings: list[errors.FieldError] = []
        if requested.stored is not None:
            resource, (obj, findings) = requested.stored, await _new_as_stored(requested, requested.stored, obj, context, size_bytes)
        if requested.has_status and resource.kind.status is not None:
            write_steps.set_initial_status(resource.kind.status, resource, obj, context)
        resource.kind.strategy.create(obj, context)
        await aside_if_long(size_bytes, write_steps.validate_new, resource, obj, context, requested, findings)
        # What is answered is converted before anything is written, so that no write stands whose answer can't be given.
        seen = request.obj = obj if requested.stored is None else await from_stored(requested, obj, context, size_bytes)
        await concerned.validate(request)
        write_steps.check_unversioned(obj["metadata"])
        return await self._store_new(resource, obj, seen, request, concerned, context, generated=generated, waits=options.waits)

    async def _store_new(
        self,
        resource: Resource,
        obj: Object,
        seen: Object,
        request: AdmissionRequest,
        concerned: ConcernedPlugins,
        context: Context,
        *,
        generated: bool,
        waits: bool,
    ) -> Record:
        """Store an admitted object, unless that is only tried; where its ``generated`` name is taken, under another.

        It is answered as ``seen``.
        """
        core, requested, metadata = self.core, request.target.resource, obj["metadata"]
        for _ in range(limits.GENERATE_NAME_RETRIES):
            key = Key(resource.store_name, request.target.namespace, metadata["name"])
            asked, body = await to_be_stored(core, resource, obj, request.size_bytes)
            if requested.kind.definition is not None:
                _check_not_terminating(core, requested)
            check_size(body)
            if request.caller.dry_run:
                if core.latest(key) is None:
                    return response_record(requested, dry_run_record(resource, obj, body, key, 0), seen)
                break
            try:
                record = await core.store.create(key, asked, body, waits=waits)
                return record if requested.stored is None else await aside(request.size_bytes, shown_record, requested, record, seen)
            except KeyExistsError:
                if not generated:
                    break
                write_steps.generate_name(metadata, context)
                seen["metadata"] = {**seen["metadata"], "name": metadata["name"]}
                await concerned.validate(request)  # nobody has been asked about that name
            except StoreError as error:
                raise translate(error) from error
        there = core.latest(key)
        going = there is not None and "deletionTimestamp" in (await read_record(core, resource, there))["metadata"]
        raise errors.already_exists(requested.group_resource, metadata["name"], going=going)

    async def _modify(self, target: Target, propose: Propose, caller: Caller, options: WriteOptions, *, alone: bool = False) -> Record:
        later: frozenset[str] = frozenset()
        """Moments of what is there that can't be written again; looked for once something couldn't be."""
        for _ in range(limits.PATCH_RETRIES):
            current = self.core.latest(key_of(target))
            try:
                if current is None:
                    raise errors.not_found(target.resource.group_resource, target.name)
                size_bytes = max(len(current.body), options.size_bytes) * options.growth
                if size_bytes > limits.ASIDE_BYTES and not alone:
                    async with self.core.turn_of(current.key):
                        return await self._modify(target, propose, caller, options, alone=True)
                return await self._modify_current(target, current, propose, caller, options, later, size_bytes)
            except errors.StatusError as error:
                if current is not None and not later and error.code in _OF_CONTENT and (later := later_moments(current.body)):
                    continue
                # A refusal, too, may rest on a state that is not committed yet.
                await self.core.store.settled()
                raise
            except RevisionMismatchError:
                continue
            except KeyMissingError:
                raise errors.not_found(target.resource.group_resource, target.name) from None
            except StoreError as error:
                raise translate(error) from error
        raise errors.conflict(target.resource.group_resource, target.name, errors.MODIFIED)

    async def _modify_current(
        self,
        target: Target,
        current: Record,
        propose: Propose,
        caller: Caller,
        options: WriteOptions,
        later: frozenset[str],
        size_bytes: int,
    ) -> Record:
        """One try: read what is there, have it changed, and write that on top of it. ``later`` moments become the last one."""
        core, resource = self.core, target.resource
        old = await read_record(core, resource, current)
        size_bytes = _work_bytes(resource, old, size_bytes)
        outdated = core.store.is_stale(current.key)
        if not outdated and current.revision <= resource.storage_version.revised:
            outdated = await aside(size_bytes, is_outdated, current, old)
        seen = old if resource.stored is None else await read_as_shown(core, resource, current, old, size_bytes)
        if later:
            old = await aside(size_bytes, at_the_last, old, later)
            seen = await aside(size_bytes, at_the_last, seen, later)
        proposal = await propose(seen, old, size_bytes)
        if later:
            proposal = proposal._replace(obj=await aside(size_bytes, at_the_last, proposal.obj, later), unchanged=False)
        if proposal.unchanged and not outdated and not core.admission.concerned("UPDATE", target).names:
            await core.store.settled()
            return response_record(resource, current, seen)
        context = core.context(caller, resource.group_version.version)
        return await self._write(Update(target, current, old, seen, caller, options, context, size_bytes, outdated), proposal)

    def _viewed(self, target: Target, obj: Object) -> Object:
        """What a patch is applied to: the object, or what its subresource shows of it."""
        view = None if target.window is None else target.window.declared.view
        return obj if view is None else view(obj, self.core.context())

    async def _write(self, update: Update, proposal: Proposal) -> Record:
        """One try to write an update on top of the current record."""
        core, target, old = self.core, update.target, update.old
        check_preconditions(target, proposal.obj, update.seen)
        request: AdmissionRequest | None
        concerned = core.admission.concerned("UPDATE", target)
        if target.window is None or (target.window.compiled is None and target.window.declared.merge is None):
            new, request = await self._admit_object(update, proposal, concerned)
        else:
            new, request = await self._admit_body(update, target.window, proposal, concerned)
        if request is not None and request.size_bytes != update.size_bytes:
            update = update._replace(size_bytes=request.size_bytes)
        context, window, requested, resource = update.context, target.window, target.resource, target.resource
        more: list[errors.FieldError] = []
        written = stored_written(target)
        if resource.stored is not None:
            new = await aside(update.size_bytes, target.written.restored, new, update.seen)
            more = await aside_if_long(update.size_bytes, write_steps.check_update_rules, target, new, update.seen, context)
            new, target, resource = await to_stored(resource, new, context, update.size_bytes), stored_target(target), resource.stored
            await aside(update.size_bytes, write_steps.fill_defaults, resource, new, context)
        new = await aside(update.size_bytes, write_steps.settled, resource, window, requested, written, new, old, context)
        await aside_if_long(update.size_bytes, write_steps.validate_update, target, new, old, context, requested, more)
        # Before anything is written, as in a create:
        seen = new if requested.stored is None else await from_stored(requested, new, context, update.size_bytes)
        if request is not None:
            if window is None or window.compiled is None:
                request.obj = seen
            await concerned.validate(request)
        record = await self._replace(resource, update, new)
        return record if requested.stored is None else await aside(update.size_bytes, shown_record, requested, record, seen)

    async def _admit_object(self, update: Update, proposal: Proposal, concerned: ConcernedPlugins) -> tuple[Object, AdmissionRequest]:
        """The whole object that was sent, complete and with its owners, as mutating admission leaves it."""
        target, caller, options, context = update.target, update.caller, update.options, update.context
        changing = concerned.changing
        if options.read:
            sent = dict(proposal.obj)
            write_steps.keep_system_fields(target.resource, sent, update.seen)
        else:
            before = None if changing else update.seen
            sent = await aside(update.size_bytes, write_steps.decode, target.resource, proposal.obj, caller, options, before)
            write_steps.keep_system_fields(target.resource, sent, update.seen)
            patched = options.kind == "PatchOptions"
            await aside(update.size_bytes, write_steps.merge_owner_references, sent["metadata"], caller, admitted=patched)
            await aside(update.size_bytes, write_steps.fill_defaults, target.resource, sent, context)
        await self._record_owners(update, proposal, sent)
        request = AdmissionRequest("UPDATE", target, sent, update.seen, caller, options.kind, options.given, size_bytes=update.size_bytes)
        unseen = write_steps.left_out(sent, proposal.obj) if changing else ()
        for name in unseen:
            del sent["metadata"][name]
        new = await mutated(concerned, request, context)
        for name in unseen:
            new["metadata"].setdefault(name, update.seen["metadata"][name])
        await concerned.complete(request)
        return new, request

    async def _admit_body(
        self, update: Update, window: Window, proposal: Proposal, concerned: ConcernedPlugins
    ) -> tuple[Object, AdmissionRequest | None]:
        """The object with what a subresource's body says of it, as mutating admission leaves that."""
        target, caller, options, context = update.target, update.caller, update.options, update.context
        body, request = proposal.obj, None
        if not proposal.admitted:
            before = self._viewed(target, update.seen) if proposal.before is None else proposal.before
            sent = await aside(update.size_bytes, write_steps.decode_body, target, body, caller, options, context)
            if window.compiled is None:
                write_steps.keep_system_fields(target.resource, sent, update.seen)
            request = AdmissionRequest("UPDATE", target, sent, before, caller, options.kind, options.given, size_bytes=update.size_bytes)
            body = await mutated(concerned, request, context)
            update = update._replace(size_bytes=request.size_bytes)
        if window.declared.merge is None:
            raise errors.method_not_supported(target.resource.group_resource, "update")
        new = await aside(update.size_bytes, window.declared.merge, update.seen, body, context)
        write_steps.keep_system_fields(target.resource, new, update.seen)
        await self._record_owners(update, proposal, new)
        await aside(update.size_bytes, write_steps.fill_defaults, target.resource, new, context)  # of what only this made room for
        return new, request

    async def _replace(self, resource: Resource, update: Update, new: Object) -> Record:
        """Put the new state in the place of the current one, unless that is only tried; delete what was only waiting for this."""
        store, current, size_bytes = self.core.store, update.current, update.size_bytes
        if update.caller.dry_run:
            body = await aside(size_bytes, encode_body, resource, new)
            check_size(body, len(current.body))
            return dry_run_record(resource, new, body, current.key, current.revision)
        if write_steps.can_be_removed(resource, new):
            asked, body = await to_be_stored(self.core, resource, new, size_bytes)
            return await store.delete(current.key, asked, body, expected=current.revision)
        if not update.outdated and await aside(size_bytes, same_json, new, update.old):
            await store.settled()
            return current
        asked, body = await to_be_stored(self.core, resource, new, size_bytes)
        check_size(body, len(current.body))
        # What is going has to be able to go in a full store, too: its finalizers and its last reports. That is no way to make it grow.
        grown_bytes = len(body.head) + len(body.tail) - len(current.body)
        frees = "deletionTimestamp" in new["metadata"] and grown_bytes <= limits.TERMINATING_GROWTH_BYTES
        return await store.update(current.key, asked, body, expected=current.revision, frees=frees)

    async def _record_first_owners(
        self, target: Target, obj: Object, started: Managers, manager: Manager, context: Context, size_bytes: int
    ) -> None:
        """Record the field owners of a new object. An apply has done that already, except for fields that won't be stored."""
        resource = target.resource
        persisted = obj if resource.stored is None else await persisted_new(target, obj, context, size_bytes)
        if manager.operation == managed.UPDATE:
            write = TypedWrite(resource.topology, None, persisted, resource.written)
            if not started:
                await aside(size_bytes, _record_first_owner, obj, write, manager, context)
                return
            steps = ownership.update(write, started, manager, context.timestamp)
            owners = await with_conversions(self.core, target, steps, size_bytes=size_bytes)
        else:
            owners = started if persisted is obj else _owning(started, manager, resource.topology, obj, persisted)
        if owners:
            obj["metadata"]["managedFields"] = await aside(size_bytes, managed.write, owners)

    async def _record_owners(self, update: Update, proposal: Proposal, new: Object) -> None:
        """Record the field owners after an update; nothing is touched if they are unchanged.

        What counts is what will be stored, as the requested version shows it: fields that get lost on the way have no owner.
        """
        target, resource, caller = update.target, update.target.resource, update.caller
        entries: list[Object] | None
        if proposal.owners is not None:
            entries = await aside(update.size_bytes, managed.write, proposal.owners)
        else:
            persisted = await persisted_update(target, new, update.seen, update.old, update.context, update.size_bytes)
            manager = Manager(caller.manager, managed.UPDATE, resource.api_version, target.subresource)
            write = TypedWrite(resource.topology, update.seen, persisted, target.written)
            steps = ownership.entries_after(write, proposal.obj, manager, update.context.timestamp)
            entries = await with_conversions(self.core, target, steps, size_bytes=update.size_bytes)
        if entries:
            new["metadata"]["managedFields"] = entries
        elif entries is not None:
            new["metadata"].pop("managedFields", None)


def _completed(target: Target, obj: Object, owners: Managers | None, caller: Caller, manager: Manager, context: Context) -> Managers | None:
    """Make of what was sent a new object with its defaults, and without what is the server's to say; the managers it begins with.

    None where it has none but who sent it, and is stored as it was sent, as nearly all are: then the owner is recorded.
    """
    started = ownership.starting_managers(obj, None)[0] if owners is None else owners
    write_steps.wipe_system_fields(target, obj)
    write_steps.merge_owner_references(obj["metadata"], caller)
    write_steps.fill_defaults(target.resource, obj, context)
    resource = target.resource
    if started or owners is not None or resource.stored is not None:
        return started
    _record_first_owner(obj, TypedWrite(resource.topology, None, obj, resource.written), manager, context)
    return None


def _record_first_owner(obj: Object, write: TypedWrite, manager: Manager, context: Context) -> None:
    owners = ownership.first_managers(write, manager, context.timestamp)
    if owners:
        obj["metadata"]["managedFields"] = managed.write(owners)


def _owning(managers: Managers, manager: Manager, node: Fields, obj: Object, persisted: Object) -> Managers:
    """The managers, with fields that won't be stored taken from this manager's set."""
    own = managers.get(manager)
    if own is None:
        return managers
    fields = difference(own.fields, difference(node.every_field(tracked(obj)), node.every_field(tracked(persisted))))
    trimmed = {**managers, manager: own if fields == own.fields else own._replace(fields=fields)}
    return {other: owned for other, owned in trimmed.items() if owned.fields}


async def _new_as_stored(
    requested: Resource, stored: Resource, obj: Object, context: Context, size_bytes: int
) -> tuple[Object, list[errors.FieldError]]:
    """A new object in the version it is stored in, and what is wrong with it in the one in which it was sent."""
    if requested.kind.status is not None and stored.kind.status is None:
        write_steps.set_initial_status(requested.kind.status, requested, obj, context)
    findings = await aside_if_long(size_bytes, write_steps.check_create_rules, requested, obj, context)
    converted = await to_stored(requested, obj, context, size_bytes)
    await aside(size_bytes, write_steps.fill_defaults, stored, converted, context)
    return converted, findings


def _check_not_terminating(core: Core, resource: Resource) -> None:
    """A definition that began to go while an object was being created takes it no longer: nobody would delete that."""
    today = core.scheme.version(resource, resource.api_version)
    if today is None or "create" not in today.kind.verbs:
        raise errors.definition_terminating(resource.group_resource, "create")


def _work_bytes(resource: Resource, obj: Object, size_bytes: int) -> int:
    """How much an object counts as where it is asked what is done aside."""
    return max(size_bytes, limits.ASIDE_BYTES + 1) if resource.kind.slow(obj) else size_bytes
