"""The steps of a write that are the same for every kind: decoding, defaults, the fields that are the server's, validation.

Pure functions on plain objects; `writes.py` says in which order. Creation gives an object its identity; an update keeps it. Neither
lets a client write what is the server's to write.
"""

from collections.abc import Iterator
from itertools import chain

from svcsim import limits
from svcsim.apply import managers as managed
from svcsim.apply.reset_fields import FieldFilter
from svcsim.meta import errors
from svcsim.meta.codec import encode_sorted, same_json, unknown_and_duplicate_fields
from svcsim.meta.errors import FieldError, StatusError
from svcsim.meta.findings import collected
from svcsim.meta.names import is_standard_finalizer, validate_metadata
from svcsim.meta.objects import copy_json
from svcsim.meta.quoting import quoted
from svcsim.meta.types import GroupKind, GroupVersionKind, Object
from svcsim.registry.kind import STATUS, Context, Rule, Status, UpdateRule
from svcsim.registry.options import Caller, Target, WriteOptions
from svcsim.registry.resource import Resource, Window

_SERVER_OWNED = ("uid", "creationTimestamp", "deletionTimestamp", "deletionGracePeriodSeconds", "generation", "selfLink", "managedFields")
_NOT_SENT = dict.fromkeys((*_SERVER_OWNED, "resourceVersion"))
"""What a new object says of itself in vain."""
_NOT_ADMITTED = ("uid", "creationTimestamp", "generation", "selfLink", "managedFields")
"""And what plugins say of it in vain: they may put it in as one that is being deleted, and its version is told of once it is complete."""
_LOOKED_AT = ("name", "generateName", "namespace", "labels", "annotations", "ownerReferences", "finalizers")
"""What `validate_metadata` looks at."""
_REPEATED_OWNERS = (
    ".metadata.ownerReferences contains duplicate entries{}; API server dedups owner references in 1.20+, and may reject such requests as "
    "early as 1.24; please fix your requests; duplicate UID(s) observed: {}"
)
_VERSIONED = "resourceVersion should not be set on objects to be created"
_GENERATED_BASE_CHARS = limits.DNS_LABEL_CHARS - 5


def decode(resource: Resource, sent: Object, caller: Caller, options: WriteOptions, before: Object | None = None) -> Object:
    """The object in its kind's shape, unknown fields pruned, and reported as the request wants it (``fieldValidation``).

    What it shares with ``before``, an object that was read earlier, isn't read again, and stays shared.
    """
    compiled = resource.compiled
    try:
        obj, unknown = compiled.decode(sent) if before is None else compiled.decode_changed(sent, before)
    except StatusError as error:
        raise undecodable(resource.gvk, error, options) from error
    report_findings(_strict_findings(unknown, options), resource.gvk, caller, options)
    obj.setdefault("metadata", {})
    resource.stamp(obj)
    return obj


def undecodable(gvk: GroupVersionKind, error: StatusError, options: WriteOptions) -> StatusError:
    """An error of decoding that says of which kind, or of which patch: then it is the patch that is wrong, which could be read itself."""
    if options.wrong_patch is not None:
        return options.wrong_patch(error)
    return errors.bad_request(_cannot_be_handled(gvk) + error.message)


def _cannot_be_handled(gvk: GroupVersionKind) -> str:
    return f'{gvk.kind} in version "{gvk.version}" cannot be handled as a {gvk.kind}: '


def _strict_findings(unknown: list[str], options: WriteOptions) -> list[str]:
    """What is unknown and what stands twice: as it stands in JSON; of others, the body is looked over for duplicates before it is read."""
    if unknown and options.json_body and options.field_validation != "Ignore":
        return unknown_and_duplicate_fields(options.json_body, unknown)
    return [*options.duplicates, *[f"unknown field {quoted(path)}" for path in unknown]]


def report_findings(findings: list[str], gvk: GroupVersionKind, caller: Caller, options: WriteOptions) -> None:
    """Tell of unknown and duplicate fields, or refuse them, as the request wants it (``fieldValidation``)."""
    if not findings or options.field_validation == "Ignore":
        return
    del findings[limits.UNKNOWN_FIELDS :]
    if options.field_validation == "Strict":
        raise errors.bad_request(f"{_cannot_be_handled(gvk)}strict decoding error: {', '.join(findings)}")
    caller.warnings.extend(findings)


def decode_body(target: Target, sent: Object, caller: Caller, options: WriteOptions, context: Context) -> Object:
    """What is sent to a subresource, in its shape and with its defaults: a body of its own, or the object. Raises 400."""
    window = target.window
    if window is None or window.compiled is None:
        obj = decode(target.resource, sent, caller, options)
        fill_defaults(target.resource, obj, context)
        return obj
    gvk = window.gvk
    try:
        obj, unknown = window.compiled.decode(sent)
    except StatusError as error:
        raise undecodable(gvk, error, options) from error
    report_findings(_strict_findings(unknown, options), gvk, caller, options)
    obj.setdefault("metadata", {})
    obj["kind"], obj["apiVersion"] = gvk.kind, str(gvk.group_version)
    window.compiled.default(obj)
    return obj


def fill_defaults(resource: Resource, obj: Object, context: Context) -> None:
    """The kind's defaults: its fields' own, then those that need the context."""
    resource.compiled.default(obj)
    resource.kind.strategy.fill(obj, context)


def fill_defaults_of(target: Target, obj: Object, context: Context) -> None:
    """Fill the defaults of an object that is sent to the target: a subresource may have a body of its own."""
    if target.compiled is target.resource.compiled:
        fill_defaults(target.resource, obj, context)
    else:
        target.compiled.default(obj)


def wipe_system_fields(target: Target, obj: Object) -> None:
    """Take from a new object what is the server's to say; raises 400 for metadata that can't be."""
    resource, metadata = target.resource, obj["metadata"]
    if is_revision(metadata.get("resourceVersion")):
        raise errors.bad_request(_VERSIONED)
    if not _NOT_SENT.keys().isdisjoint(metadata):
        for name in _NOT_SENT:
            metadata.pop(name, None)
    if resource.namespaced:
        metadata["namespace"] = target.namespace
    else:
        metadata.pop("namespace", None)
    status = resource.kind.status
    if status is not None and not status.set_by_create:
        obj.pop("status", None)


def give_identity(resource: Resource, metadata: Object, context: Context) -> bool:
    """Make a new object one of its own; whether its name was generated.

    Whatever changes it on its way in hasn't seen any of that yet, as in Kubernetes: a webhook can't go by what isn't there in a cluster.
    """
    metadata["uid"] = context.chance.uid()
    metadata["creationTimestamp"] = context.timestamp
    if resource.kind.generation:
        metadata["generation"] = 1
    if metadata.get("name") or not metadata.get("generateName"):
        return False
    generate_name(metadata, context)
    return True


def is_revision(version: str | None) -> bool:
    """Whether a resource version means a state of the store: ``0`` means any, and what is no number none that a new object could have."""
    return version is not None and version.isascii() and version.isdecimal() and int(version) > 0


def wipe_admitted_fields(target: Target, metadata: Object) -> None:
    """Reset the fields of a new object that plugins have set and that belong to the server.

    What is put where its path says might have been there: nobody looks at its version.
    """
    for name in _NOT_ADMITTED:
        metadata.pop(name, None)
    if target.name or not is_revision(metadata.get("resourceVersion")):
        metadata.pop("resourceVersion", None)
    if target.resource.namespaced:
        metadata["namespace"] = target.namespace
    else:
        metadata.pop("namespace", None)


def check_unversioned(metadata: Object) -> None:
    """Refuse (500) a new object that plugins have given a version: that isn't the client's fault."""
    if "resourceVersion" in metadata:
        raise StatusError(500, "", _VERSIONED)


def set_initial_status(status: Status, resource: Resource, obj: Object, context: Context) -> None:
    """Give a new object the status that its kind starts with, whatever the client or admission said of it."""
    if status.set_by_create:
        return
    started = status.initial(obj, context) if status.initial else resource.initial_status
    if started is None:
        obj.pop("status", None)
    else:
        obj["status"] = copy_json(started)


def merge_owner_references(metadata: Object, caller: Caller, *, admitted: bool = False) -> None:
    """Keep one of owner references that are the same, and tell of them. ``admitted``: a patch or a plugin may have brought them."""
    owners = metadata.get("ownerReferences") or ()
    if len(owners) < 2:
        return
    once: dict[bytes, Object] = {}
    repeated = [owner.get("uid", "") for owner in owners if once.setdefault(encode_sorted(owner), owner) is not owner]
    if repeated:
        metadata["ownerReferences"] = list(once.values())
        when = " after mutating admission happens" if admitted else ""
        caller.warnings.append(_REPEATED_OWNERS.format(when, ", ".join(repeated)))


def generate_name(metadata: Object, context: Context) -> None:
    """A name from ``generateName``, where there is none yet."""
    metadata["name"] = metadata["generateName"][:_GENERATED_BASE_CHARS] + context.chance.suffix()


def validate_new(resource: Resource, obj: Object, context: Context, requested: Resource, more: list[FieldError]) -> None:
    """All that is wrong with a new object, as one 422: in its stored form, and ``more`` in the version that was ``requested``."""
    of_schema, of_creation = resource.compiled.validate(obj), _asked(resource.kind.strategy.create_rules, obj, context)
    _check_nothing(chain(_findings(resource, obj, of_schema, context, obj["metadata"]), of_creation, more), resource, requested, obj)
    for warnings in resource.kind.strategy.warnings:
        for text in warnings(obj):
            context.warn(text)


def _check_nothing(findings: Iterator[FieldError], resource: Resource, requested: Resource, obj: Object) -> None:
    """Raise all that is found, in the order of its kind. Nearly always that is nothing, and nothing is made to collect it in."""
    for first in findings:
        found, order = collected(chain((first,), findings)), resource.kind.strategy.order
        raise _invalid(requested, obj, found if order is None else found.in_order(order))


def validate_answered(resource: Resource, obj: Object, context: Context) -> None:
    """All that is wrong with an object that is answered and not stored, as one 422. It needs no name."""
    strategy = resource.kind.strategy
    of_rules = _asked((*strategy.rules, *strategy.create_rules), obj, context)
    if findings := collected(chain(resource.compiled.validate(obj), of_rules)):
        raise _invalid(resource, obj, findings)


def validate_body(target: Target, window: Window, body: Object) -> None:
    """Refuse a body that is about another object than the path (400), or breaks the rules of its schema (422).

    Where the object itself is sent it need not be whole: what is stored of it is checked.
    """
    metadata, gvk = body["metadata"], target.gvk
    if (metadata.get("namespace") or target.namespace) != target.namespace:
        raise errors.namespace_mismatch()
    if (metadata.get("name") or target.name) != target.name:
        if window.declared.deletes:
            raise errors.bad_request(f"name in URL does not match name in {gvk.kind} object")
        raise errors.name_mismatch(metadata["name"], target.name)
    if window.compiled is not None and (findings := window.compiled.validate(body)):
        raise errors.invalid(GroupKind(gvk.group, gvk.kind), target.name, findings)


def check_create_rules(resource: Resource, obj: Object, context: Context) -> list[FieldError]:
    """What the rules of a version that isn't the stored one find in a new object."""
    strategy = resource.kind.strategy
    return collected(_asked((*strategy.rules, *strategy.create_rules), obj, context))


def check_update_rules(target: Target, new: Object, old: Object, context: Context) -> list[FieldError]:
    """What the rules of a version that isn't the stored one find in an update."""
    strategy = target.resource.kind.strategy
    changes = strategy.update_rules if target.window is None else ()
    return collected(chain(_asked(strategy.rules, new, context), _asked_of_change(changes, new, old, context)))


def _asked(rules: tuple[Rule, ...], obj: Object, context: Context) -> Iterator[FieldError]:
    for rule in rules:
        yield from rule(obj, context)


def _asked_of_change(rules: tuple[UpdateRule, ...], new: Object, old: Object, context: Context) -> Iterator[FieldError]:
    return (finding for rule in rules for finding in rule(new, old, context))


def _findings(
    resource: Resource, obj: Object, of_schema: list[FieldError], context: Context, metadata: Object | None
) -> Iterator[FieldError]:
    """What is wrong by the rules that hold for any object of the kind. ``metadata`` is None where it has been found right before."""
    kind = resource.kind
    if metadata is not None:
        yield from validate_metadata(metadata, "metadata", namespaced=kind.namespaced, name_rule=kind.name_rule)
        if not kind.custom and metadata.get("finalizers"):
            yield from _unqualified_finalizers(metadata, context)
    yield from of_schema
    yield from _asked(kind.strategy.rules, obj, context)


def _unqualified_finalizers(metadata: Object, context: Context) -> list[FieldError]:
    """A finalizer without a domain has to be one the cluster itself knows."""
    return [
        errors.invalid_value(f"metadata.finalizers[{index}]", name, "name is neither a standard finalizer name nor is it fully qualified")
        for index, name in enumerate(metadata.get("finalizers") or ())
        if "/" not in name and not is_standard_finalizer(name, context.dialect)
    ]


def _invalid(resource: Resource, obj: Object, findings: list[FieldError]) -> StatusError:
    metadata = obj["metadata"]
    return errors.invalid(resource.group_kind, metadata.get("name") or metadata.get("generateName") or "", findings)


def keep_system_fields(resource: Resource, new: Object, old: Object) -> None:
    """What an update may not change is as it was: identity, age, deletion.

    That there is a deletion, or another than there was, is refused once the object is validated.
    """
    before = old["metadata"]
    metadata = new["metadata"] = dict(new["metadata"])  # a patch's result shares with the stored object what it didn't change
    if not metadata.get("uid") and "uid" in before:
        metadata["uid"] = before["uid"]
    for name in ("creationTimestamp", "generation", "generateName", "managedFields"):
        metadata.pop(name, None)
        if name in before:
            metadata[name] = before[name]
    if "deletionTimestamp" in before:
        metadata["deletionTimestamp"] = before["deletionTimestamp"]
    if "deletionGracePeriodSeconds" in before:
        metadata.setdefault("deletionGracePeriodSeconds", before["deletionGracePeriodSeconds"])
    metadata.setdefault("name", before["name"])
    if resource.namespaced:
        metadata.setdefault("namespace", before["namespace"])
    else:
        metadata.pop("namespace", None)
    metadata.pop("selfLink", None)
    metadata["resourceVersion"] = before["resourceVersion"]


def settled(
    resource: Resource, window: Window | None, requested: Resource, written: FieldFilter, new: Object, old: Object, context: Context
) -> Object:
    """A changed object as it is to be stored: what may not be written is as it was, and what follows from the change has come about."""
    new = written.restored(new, old)
    settle = resource.kind.strategy.update if window is None else window.declared.update
    if settle is not None:
        settle(new, old, context)
    if resource.kind.generation and (window is None or window.declared.generation):
        bump_generation(requested, new, old)
    keep_times(new, old)
    return new


_LEFT_OUT = ("uid", "resourceVersion", "creationTimestamp", "deletionTimestamp", "deletionGracePeriodSeconds", "generation")


def left_out(new: Object, sent: Object) -> tuple[str, ...]:
    """What the server knows of an object that an update doesn't tell: who changes the update isn't shown that either."""
    metadata, told = new["metadata"], sent.get("metadata") or {}
    return tuple([name for name in _LEFT_OUT if name in metadata and told.get(name) in (None, "")])


def bump_generation(resource: Resource, new: Object, old: Object) -> None:
    """A change outside metadata is a new generation; a status is outside of that, too, where it is written by itself."""
    uncounted = ("metadata", "status") if resource.kind.status is not None else ("metadata",)
    for name in {**new, **old}:
        if name not in uncounted and not ((name in new) == (name in old) and same_json(new.get(name), old.get(name))):
            new["metadata"]["generation"] = (old["metadata"].get("generation") or 0) + 1
            return


def keep_times(new: Object, old: Object) -> None:
    """Where a write changes nothing but since when somebody owns what they own, they own it since they did.

    Whoever applies a configuration over and over that isn't stored as it is written, such as a Secret's ``stringData``, writes once.
    """
    entries, before = new["metadata"].get("managedFields"), old["metadata"].get("managedFields")
    if not entries or not before or entries == before:
        return
    metadata = {**new["metadata"], "managedFields": before}
    if same_json({**new, "metadata": metadata}, old) and managed.same_but_for_times(entries, before):
        new["metadata"] = metadata


def validate_update(target: Target, new: Object, old: Object, context: Context, requested: Resource, more: list[FieldError]) -> None:
    """All that is wrong with an update, as one 422. A subresource may have update rules of its own."""
    resource, window = target.resource, target.window
    of_window = None if window is None else window.declared.update_rules
    rules = resource.kind.strategy.update_rules if of_window is None else of_window
    of_schema = resource.compiled.validate_change(new, old)
    of_metadata, of_rules = _metadata_changes(new["metadata"], old["metadata"]), _asked_of_change(rules, new, old, context)
    checked = _findings(resource, new, of_schema, context, None if _is_named_alike(new["metadata"], old["metadata"]) else new["metadata"])
    _check_nothing(chain(of_metadata, checked, of_rules, more), resource, requested, new)
    if window is None or window.name != STATUS.name:
        for warnings in resource.kind.strategy.update_warnings:
            for text in warnings(new, old):
                context.warn(text)


def _is_named_alike(new: Object, old: Object) -> bool:
    """Whether metadata has nothing that has to be looked at again: it was stored, so it was right."""
    return [new.get(name) for name in _LOOKED_AT] == [old.get(name) for name in _LOOKED_AT]


def _metadata_changes(new: Object, old: Object) -> list[FieldError]:
    findings = [
        errors.invalid_value(f"metadata.{name}", new.get(name), "field is immutable")
        for name in ("name", "namespace", "uid", "deletionTimestamp", "deletionGracePeriodSeconds")
        if new.get(name) != old.get(name)
    ]
    if "deletionTimestamp" in old:
        added = [finalizer for finalizer in new.get("finalizers") or () if finalizer not in (old.get("finalizers") or ())]
        if added:
            listed = ", ".join(map(quoted, added))
            findings.append(
                errors.forbidden_field(
                    "metadata.finalizers",
                    f"no new finalizers can be added if the object is being deleted, found new finalizers []string{{{listed}}}",
                )
            )
    return findings


def can_be_removed(resource: Resource, obj: Object) -> bool:
    """Whether a deleted object has nothing left to wait for."""
    metadata = obj["metadata"]
    return (
        "deletionTimestamp" in metadata
        and not metadata.get("finalizers")
        and not metadata.get("deletionGracePeriodSeconds")
        and not resource.kind.strategy.held(obj)
    )
