"""What every verb needs: the store, the scheme, time and chance, and how an object becomes a record and back."""

import asyncio
from dataclasses import dataclass, field
from weakref import WeakValueDictionary

from svcsim import limits
from svcsim.chance import Chance
from svcsim.clock import Clock, format_time
from svcsim.dialect import Dialect
from svcsim.meta import errors
from svcsim.meta.codec import decode_json, encode
from svcsim.meta.go_values import query_text
from svcsim.meta.objects import order_metadata
from svcsim.meta.slice_turns import SliceTurns
from svcsim.meta.types import Object
from svcsim.registry.admission import Admission
from svcsim.registry.kept_forms import KeptForms
from svcsim.registry.kind import Context
from svcsim.registry.options import Caller, Target
from svcsim.registry.resource import Resource
from svcsim.registry.scheme import Scheme
from svcsim.storage.contract import (
    Body,
    CompactedError,
    CorruptError,
    Envelope,
    FutureRevisionError,
    Key,
    ListsTooLargeError,
    Record,
    Store,
    StoreError,
    StoreFullError,
)

_REVISION_MARK = b'"resourceVersion":"'


IGNORE_READ_ERROR = "ignoreStoreReadErrorWithClusterBreakingPotential"
"""The option of a deletion that may take an object which can't be read."""


@dataclass(slots=True)
class Core:
    """The registry's surroundings, given once."""

    scheme: Scheme
    store: Store
    clock: Clock
    chance: Chance
    admission: Admission
    token_key: bytes
    """Signs continue tokens."""
    kept_forms: KeptForms = field(default_factory=KeptForms)
    turns: SliceTurns = field(default_factory=lambda: SliceTurns(limits.GIVEN_SLICES_A_TURN, limits.CONVERTED_SLICE_RECORDS))
    """At making something of a slice of what was read."""
    _turns: "WeakValueDictionary[Key, asyncio.Lock]" = field(default_factory=WeakValueDictionary)

    @property
    def dialect(self) -> Dialect:
        return self.scheme.dialect

    def latest(self, key: Key) -> Record | None:
        """The newest state written, committed or not: what a write builds on. Raises `StatusError` if it can't be read."""
        try:
            return self.store.latest(key)
        except StoreError as error:
            raise translate(error) from error

    def turn_of(self, key: Key) -> asyncio.Lock:
        """Writes that are done aside let others in between: those of one object wait for each other, instead of failing on each other."""
        return self._turns.setdefault(key, asyncio.Lock())

    def context(self, caller: Caller | None = None, version: str = "") -> Context:
        """What a kind's hooks may know, as of now."""
        now = self.clock.now()
        if caller is None:
            return Context(self.scheme.dialect, now, self.clock.timestamp_of(now), self.chance)
        timestamp = self.clock.timestamp_of(now) if caller.made_at is None else format_time(caller.made_at)
        return Context(self.scheme.dialect, now, timestamp, self.chance, caller.user, caller.warnings, version)


def key_of(target: Target) -> Key:
    """Where the object of a request is kept."""
    return Key(target.resource.store_name, target.namespace, target.name)


def encode_body(resource: Resource, obj: Object) -> Body:
    """Encode an object, open where the store writes its revision. What is stored is handed on with it: it isn't to be changed any more.

    Within the metadata, the revision stands before all text a user is free to choose, so its first mark is the one.
    """
    rest: Object = {"metadata": None, **obj}  # which comes first, wherever it stood
    rest["metadata"] = order_metadata({**obj["metadata"], "resourceVersion": ""})
    rest.pop("kind", None)
    rest.pop("apiVersion", None)
    text = encode(rest)
    at = text.index(_REVISION_MARK) + len(_REVISION_MARK)
    if obj.get("apiVersion") != resource.api_version:  # it was converted, and nothing in it had to be changed
        obj = dict(obj)
        resource.stamp(obj)
    return Body(resource.prefix + text[1:at], text[at:], obj if len(text) <= limits.ASIDE_BYTES else None)


def check_size(body: Body, was_bytes: int = 0) -> None:
    """Refuse (413) what is too long to be stored, unless it is no longer than what it takes the place of."""
    size_bytes = len(body.head) + len(body.tail)
    if size_bytes > max(limits.OBJECT_BYTES, was_bytes):
        raise errors.object_too_large(size_bytes, limits.OBJECT_BYTES)


def cut_of(body: bytes) -> int:
    """Where in an encoded object its revision stands."""
    return body.index(_REVISION_MARK) + len(_REVISION_MARK)


def revision_in(body: bytes) -> int:
    """The revision of an encoded object."""
    start = cut_of(body)
    return int(body[start : body.index(b'"', start)])


def with_revision(body: bytes, revision: int) -> bytes:
    """An encoded object under another revision."""
    start = cut_of(body)
    return b"%b%d%b" % (body[:start], revision, body[body.index(b'"', start) :])


def cut_open(body: bytes) -> Body:
    """An encoded object, open where its revision stands."""
    start = cut_of(body)
    return Body(body[:start], body[body.index(b'"', start) :])


def envelope(resource: Resource, obj: Object) -> Envelope:
    """What filters ask about the object."""
    metadata = obj["metadata"]
    owners = tuple(owner["uid"] for owner in metadata.get("ownerReferences") or ())
    return Envelope(metadata["uid"], metadata.get("labels") or {}, selectable_fields(resource, obj), owners)


def selectable_fields(resource: Resource, obj: Object) -> dict[str, str]:
    """The values of an object that can be selected by."""
    fields = {}
    for path, default, read in resource.selectable:
        value = read(obj)
        if type(value) is not str or not value:
            value = default if value in (None, "") else query_text(value)
        fields[path] = value
    return fields


def decode_record(record: Record) -> Object:
    """The object a record holds: a fresh one, free to be changed."""
    obj: Object = decode_json(record.body)
    return obj


def read(record: Record) -> Object:
    """The object a record holds, which others may share: it isn't to be changed."""
    known = said(record)
    return decode_record(record) if known is None else known


def said(record: Record) -> Object | None:
    """The object a record holds, shared as in `read`, if it is known without decoding it."""
    obj = record.says
    return None if obj is None else {**obj, "metadata": {**obj["metadata"], "resourceVersion": str(record.revision)}}


def dry_run_record(resource: Resource, obj: Object, body: Body, key: Key, revision: int) -> Record:
    """The record a dry run answers with: what would have been stored, under the revision it was built on."""
    return Record(key, revision, envelope(resource, obj), splice_revision(body, revision))


def splice_revision(body: Body, revision: int) -> bytes:
    """An encoded object with its revision in place; none for 0, which stands for an object that isn't stored."""
    if revision:
        return body.head + str(revision).encode() + body.tail
    return body.head[: -len(b"," + _REVISION_MARK)] + body.tail[len(b'"') :]


def response_record(resource: Resource, record: Record, obj: Object) -> Record:
    """The record of what was stored, as it is answered: ``obj`` is the same in the version that was asked for."""
    return record if resource.stored is None else shown_record(resource, record, obj)


def shown_record(resource: Resource, record: Record, obj: Object) -> Record:
    """The record with another body: what it holds, in the form it is shown in."""
    return record._replace(body=splice_revision(encode_body(resource, obj), record.revision), says=None)


def translate(error: StoreError) -> errors.StatusError:
    """The one place where a failure of the store becomes the client's error."""
    if isinstance(error, CompactedError):
        return errors.expired(f"too old resource version: {error.revision} ({error.compacted})")
    if isinstance(error, FutureRevisionError):
        return errors.too_large_resource_version(error.revision, error.current)
    if isinstance(error, StoreFullError):
        return errors.insufficient_storage(str(error))
    if isinstance(error, ListsTooLargeError):
        return errors.too_many_requests("The lists that others are reading take all the memory there is for them")
    if isinstance(error, CorruptError):
        return errors.storage_read_error(f"{error}; it can be deleted with the option {IGNORE_READ_ERROR}")
    return errors.StatusError(500, "InternalError", f"Internal error occurred: the store failed: {error}")
