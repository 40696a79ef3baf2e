"""Create, update, patch and apply: the order of a write, written once for all kinds.

decode → default → ownership → admission: mutate → strategy → validation → admission: validate → store. What the server itself adds after
ownership is recorded belongs to nobody. Everything between reading the newest state and handing the new one to the store builds on
`Store.latest`, so writes to one object that arrive together follow each other within one commit instead of failing on each other.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

from svcsim import limits
from svcsim.apply import managers as managed
from svcsim.apply import ownership
from svcsim.apply.managers import Manager, Managers
from svcsim.apply.ownership import Sight
from svcsim.meta import errors
from svcsim.meta.objects import copy_json
from svcsim.meta.types import Object
from svcsim.registry import preparing
from svcsim.registry.core import Core, cut, decode_record, envelope, key_of, translate, unsaved
from svcsim.registry.kind import Context, Subresource
from svcsim.registry.options import Caller, Target, WriteOptions
from svcsim.registry.versions import from_stored, only_status, other_versions, shown, stored_target, to_stored, with_status
from svcsim.storage.contract import KeyExistsError, KeyMissingError, Record, RevisionMismatchError, StoreError

Patcher = Callable[[Object], Object]
"""Gives the patched object for the current one, without changing it. Raises `StatusError`."""


class Proposal(NamedTuple):
    """What a write would make of an object. ``owners`` are given where the write has settled them itself (apply)."""

    obj: Object
    owners: Managers | None = None
    same: bool = False
    """Whether it is known to leave everything as it is: then nothing has to be gone through again."""


Propose = Callable[[Object], Proposal]


@dataclass(slots=True)
class Writer:
    """The writing verbs."""

    core: Core

    async def create(self, target: Target, sent: Object, caller: Caller, options: WriteOptions) -> Record:
        """Store a new object, or write through a sub-resource that is created (a binding)."""
        if target.subresource:
            return await self._create_through(target, sent, caller, options)
        obj = preparing.decode(target.resource, sent, caller, options)
        return await self._create(target, obj, None, caller)

    async def update(self, target: Target, sent: Object, caller: Caller, options: WriteOptions) -> tuple[Record, bool]:
        """Replace an object; the second value says whether it was created."""
        if self.core.store.latest(key_of(target)) is None and target.resource.kind.update_creates and not target.subresource:
            return await self.create(target, sent, caller, options), True
        return await self._modify(target, lambda _: Proposal(sent), caller, options), False

    async def patch(self, target: Target, patcher: Patcher, caller: Caller, options: WriteOptions) -> Record:
        """Change an object as a patch says."""
        return await self._modify(target, lambda old: Proposal(patcher(self._shown(target, old))), caller, options)

    async def apply(self, target: Target, sent: Object, caller: Caller, options: WriteOptions) -> tuple[Record, bool]:
        """Bring an applier's configuration into an object; the second value says whether that created it."""
        resource = target.resource
        if (sent.get("metadata") or {}).get("managedFields"):
            raise errors.bad_request("metadata.managedFields must be nil")
        config = _configuration(target, sent, caller, options)
        manager = Manager(caller.manager, managed.APPLY, resource.api_version, target.subresource)
        time = self.core.clock.timestamp()
        if not target.subresource and self.core.store.latest(key_of(target)) is None:
            if config["metadata"].get("uid"):
                why = "uid mismatch: the provided object specified uid " + config["metadata"]["uid"] + ", and no existing object was found"
                raise errors.conflict(resource.group_resource, target.name, why)
            applied = ownership.apply(Sight(resource.topology, None, config), {}, manager, time, force=options.force)
            return await self._create(target, applied.obj, applied.managers, caller), True

        def propose(old: Object) -> Proposal:
            owners = managed.read_stored(old["metadata"].get("managedFields") or ())
            wanted = {**config, "metadata": {n: v for n, v in config["metadata"].items() if n != "resourceVersion"}}
            sight = Sight(resource.topology, old, wanted)
            versions = other_versions(self.core, resource)
            applied = ownership.apply(sight, owners, manager, time, force=options.force, versions=versions)
            revision = config["metadata"].get("resourceVersion")
            proposed = self._shown(target, applied.obj)
            if revision:
                proposed["metadata"]["resourceVersion"] = revision
            settled = not revision and "uid" not in config["metadata"] and applied.managers == owners and applied.obj == old
            return Proposal(proposed, applied.managers, same=settled)

        return await self._modify(target, propose, caller, WriteOptions("Ignore")), False

    async def _create(self, target: Target, obj: Object, owners: Managers | None, caller: Caller) -> Record:
        core, resource = self.core, target.resource
        context = core.context()
        started = ownership.owners(obj, None)[0] if owners is None else owners
        preparing.begin_life(target, obj, context)
        preparing.fill_defaults(resource, obj, context)
        metadata = obj["metadata"]
        generated = not metadata.get("name") and bool(metadata.get("generateName"))
        if generated:
            preparing.generate_name(metadata, context)
        if owners is None:
            manager = Manager(caller.manager, managed.UPDATE, resource.api_version)
            wanted = {name: value for name, value in obj.items() if name != "status"} if resource.has_status else obj
            started = ownership.update(Sight(resource.topology, None, wanted), started, manager, context.timestamp)
        if started:
            metadata["managedFields"] = managed.write(started)
        asked, also = resource, []
        if resource.stored is not None:
            also = preparing.rules_of_new(resource, obj, context)
            obj, target, resource = to_stored(resource, obj, context), stored_target(target), resource.stored
            preparing.fill_defaults(resource, obj, context)
            metadata = obj["metadata"]
        await core.admission.mutate("CREATE", target, obj, None, caller)
        if resource.kind.status is not None:
            preparing.start_status(resource.kind.status, resource, obj, context)
        resource.kind.strategy.create(obj, context)
        preparing.check_new(resource, obj, context, asked, also)
        await core.admission.validate("CREATE", target, obj, None, caller)
        for _ in range(limits.GENERATE_NAME_RETRIES):
            key = key_of(target)._replace(name=metadata["name"])
            if caller.dry_run:
                if core.store.latest(key) is None:
                    return shown(core, asked, unsaved(resource, obj, key, 0))
                break
            try:
                return shown(core, asked, await core.store.create(key, envelope(resource, obj), cut(resource, obj)))
            except KeyExistsError:
                if not generated:
                    break
                preparing.generate_name(metadata, context)
            except StoreError as error:
                raise translate(error) from error
        raise errors.already_exists(asked.group_resource, metadata["name"])

    async def _modify(self, target: Target, propose: Propose, caller: Caller, options: WriteOptions) -> Record:
        for _ in range(limits.PATCH_RETRIES):
            current = self.core.store.latest(key_of(target))
            try:
                if current is None:
                    raise errors.not_found(target.resource.group_resource, target.name)
                old = decode_record(current)
                seen = from_stored(target.resource, old, self.core.context())
                proposal = propose(seen)
                if proposal.same:
                    await self.core.store.settled()
                    return shown(self.core, target.resource, current)
                record = await self._write(target, current, old, seen, proposal, caller, options)
                return shown(self.core, target.resource, record)
            except errors.StatusError:
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

    def _shown(self, target: Target, old: Object) -> Object:
        """What a patch is applied to: the object, or what its sub-resource shows of it."""
        through = _subresource(target)
        if through is None or through.view is None:
            return old
        return through.view(old, self.core.context())

    async def _write(
        self, target: Target, current: Record, old: Object, seen: Object, proposal: Proposal, caller: Caller, options: WriteOptions
    ) -> Record:
        """One try to write an update on top of ``current``, whose object is ``old``, shown to the client as ``seen``."""
        core, resource, sent = self.core, target.resource, proposal.obj
        _check_preconditions(target, sent, seen)
        context = core.context()
        new = _merge(target, sent, seen, caller, options, context)
        preparing.carry_identity(resource, new, seen)
        if not target.subresource:
            preparing.fill_defaults(resource, new, context)
            if resource.has_status:
                new = with_status(resource, new, old, context)
        self._record_owners(target, proposal, new, seen, caller, context)
        asked, also = resource, []
        if resource.stored is not None:
            also = preparing.rules_of_change(target, new, seen, context)
            new, target, resource = to_stored(resource, new, context), stored_target(target), resource.stored
            preparing.fill_defaults(resource, new, context)
        await core.admission.mutate("UPDATE", target, new, old, caller)
        through = _subresource(target)
        if through is None:
            resource.kind.strategy.update(new, old, context)
        if resource.kind.generation and (through is None or through.generation):
            preparing.count_generation(new, old)
        preparing.check_update(target, new, old, context, asked, also)
        await core.admission.validate("UPDATE", target, new, old, caller)
        if caller.dry_run:
            return unsaved(resource, new, current.key, current.revision)
        if preparing.released(resource, new):
            return await core.store.delete(current.key, envelope(resource, new), cut(resource, new), expected=current.revision)
        if new == old:
            await core.store.settled()
            return current
        body = cut(resource, new)
        # What is going has to be able to go in a full store, too: its finalizers and its last reports. That is no way to make it grow.
        grown_bytes = len(body.head) + len(body.tail) - len(current.body)
        frees = "deletionTimestamp" in new["metadata"] and grown_bytes <= limits.TERMINATING_GROWTH_BYTES
        return await core.store.update(current.key, envelope(resource, new), body, expected=current.revision, frees=frees)

    def _record_owners(self, target: Target, proposal: Proposal, new: Object, old: Object, caller: Caller, context: Context) -> None:
        """Write down who owns which fields now; nothing is touched where that stays as it was."""
        resource = target.resource
        if proposal.owners is not None:
            owners, changed = proposal.owners, True
        else:
            started, changed = ownership.owners(proposal.obj, old)
            manager = Manager(caller.manager, managed.UPDATE, resource.api_version, target.subresource)
            sight = Sight(resource.topology, old, new)
            owners = ownership.update(sight, started, manager, context.timestamp, other_versions(self.core, resource))
            changed = changed or owners is not started
        if changed:
            entries = managed.write(owners)
            if entries:
                new["metadata"]["managedFields"] = entries
            else:
                new["metadata"].pop("managedFields", None)

    async def _create_through(self, target: Target, sent: Object, caller: Caller, options: WriteOptions) -> Record:
        through = _subresource(target)
        if through is None or through.merge is None or through.body is None:
            raise errors.method_not_supported(target.resource.group_resource, "create")
        return await self._modify(target, lambda _: Proposal(sent), caller, options)


def _subresource(target: Target) -> Subresource | None:
    return target.resource.subresource(target.subresource) if target.subresource else None


def _configuration(target: Target, sent: Object, caller: Caller, options: WriteOptions) -> Object:
    """What is applied, as fields of the object itself."""
    resource, through = target.resource, _subresource(target)
    if through is None or through.body is None:
        config = preparing.decode(resource, sent, caller, options)
        preparing.restrict(resource, config, target.subresource)
        return config
    if through.applied is None:
        raise errors.method_not_supported(resource.group_resource, "patch")
    body = preparing.decode_body(through, through.body, sent, caller, options)
    config = {**through.applied(body), "metadata": {n: v for n, v in (body.get("metadata") or {}).items() if n == "resourceVersion"}}
    resource.stamp(config)
    return config


def _merge(target: Target, sent: Object, old: Object, caller: Caller, options: WriteOptions, context: Context) -> Object:
    """The whole new object: what was sent, or the stored one with its sub-resource's part replaced."""
    through = _subresource(target)
    if through is not None and through.body is not None:
        if through.merge is None:
            raise errors.method_not_supported(target.resource.group_resource, "update")
        return through.merge(copy_json(old), preparing.decode_body(through, through.body, sent, caller, options), context)
    new = preparing.decode(target.resource, sent, caller, options)
    if through is None:
        return new
    preparing.fill_defaults(target.resource, new, context)
    return through.merge(copy_json(old), new, context) if through.merge is not None else only_status(target.resource, new, old, context)


def _check_preconditions(target: Target, sent: Object, old: Object) -> None:
    """What the sent object assumes of the stored one has to be so."""
    metadata = sent.get("metadata") or {}
    resource = target.resource
    if not isinstance(metadata, dict):
        raise errors.bad_request("json: cannot unmarshal metadata into Go value of type v1.ObjectMeta")
    revision = metadata.get("resourceVersion")
    if revision and revision != old["metadata"]["resourceVersion"]:
        raise errors.conflict(resource.group_resource, target.name, errors.MODIFIED)
    if not revision and not resource.kind.unconditional_update:
        finding = errors.invalid_value("metadata.resourceVersion", 0, "must be specified for an update")
        raise errors.invalid(resource.group_kind, target.name, [finding])
    uid = metadata.get("uid")
    if uid and uid != old["metadata"]["uid"]:
        why = f"Precondition failed: UID in precondition: {uid}, UID in object meta: {old['metadata']['uid']}"
        raise errors.conflict(resource.group_resource, target.name, why)
