"""The bytes on disk: four tables, their keys and values, and nothing else.

Worked example. The object ``pods default/web`` is created (revision 7), changed (9) and deleted (12). ``pods`` has the number 1, so the
key's *stem* is ``00 01 "default" 00 "web"``. After the deletion the tables hold, while nothing is compacted::

    log   7  -> ADDED,    previous 0, stem, envelope, body           every write, under its revision: what happened, and the bytes served
    log   9  -> MODIFIED, previous 7, stem, envelope, body
    log  12  -> DELETED,  previous 9, stem, and where in the body of 9 its revision stands (the last state is 9's under the number 12)
    live     -> nothing; before revision 12 it held  stem -> 9, envelope      the newest state of what exists now, one small entry a key
    past     -> stem 00 ~7 -> until 9,  envelope                     the states that were superseded, newest first (~ is the complement)
                stem 00 ~9 -> until 12, envelope
    meta     -> counters, the format, what the cluster itself wants to keep

A state of revision r that was superseded at u is visible at every R with r <= R < u; so a list at R is the entries of ``live`` not newer
than R together with the entries of ``past`` visible at R, and neither table's pages hold bodies: a selector over 100,000 objects reads
compact pages in key order. The body is one more lookup in ``log``, for what is returned alone.

Compacting up to C = 9 reads the log's records up to 9 and forgets what each of them superseded: ``log 7`` and ``past stem ~7``. Up to 12 it
forgets ``log 9``, ``past stem ~9`` and the deletion ``log 12`` itself. The state visible at C stays, so the state before any event after C
can always be read.

A deletion whose last state differs from the one before in more than its revision has envelope and body of its own, like any write. One
that does not, refers to the record it supersedes: so deleting takes hardly any room. Both are forgotten in the same step, and until then
the reference holds.

Each value ends with a CRC-32, little-endian, of what stands before it, and in all tables but the log of its key in front of that (a
record of the log says itself which it is). The CRC-32 over all of it is then one constant, which makes the check a single call without
cutting the value up. The bytes of ``live`` and ``past`` that a checksum shows to be damaged follow from the log (`repair.py`).
"""

import struct
from typing import NamedTuple
from zlib import crc32

import msgpack

from svcsim.storage.contract import CorruptError, Envelope, EventType, Key

FORMAT = 3
"""The version of all this. A reader of version n opens stores of version n and of no other."""

REVISION = struct.Struct(">Q")
"""A revision as a key of the log, and wherever one stands alone: big-endian, so that the order of bytes is the order of numbers."""
RESOURCE = struct.Struct(">H")
"""A resource's number, which stands for its name at the front of every key."""
CHECKSUM = struct.Struct("<I")
STATE_HEAD_BYTES = REVISION.size
"""The head of a value in ``live`` (the revision) and ``past`` (the revision that superseded it); the envelope follows."""
LOG_HEAD = struct.Struct(">QQBHI")
"""Own revision, previous revision (0: none), event type, length of the stem, length of the envelope; stem, envelope, body follow.

With `DELETED_AS_IT_WAS` for a type, there is no envelope, and a `CUT` in the place of the body."""
DELETED_AS_IT_WAS = 4
"""Besides the event types: a deletion whose last state is the previous record's, under another revision."""
CUT = struct.Struct(">I")
"""Where in the previous record's body its revision stands."""

INTACT = 0x2144DF1C
"""The CRC-32 of any bytes followed by their own CRC-32."""
NEWEST = 2**64 - 1
"""Revisions are complemented against this where newer ones have to sort first."""
STEM_BYTES = 500
"""What LMDB's limit of 511 bytes a key leaves for the stem once the revision of ``past`` is taken off."""
AFTER_VERSIONS = b"\x01"
"""``stem + AFTER_VERSIONS`` sorts after every version of the stem and before every other stem: names have no control characters."""
ONLY_THIS = b"\0"
"""``stem + ONLY_THIS`` sorts right after the stem: nothing stands between."""


_EVENT_TYPES = {kind.value: kind for kind in EventType}


class State(NamedTuple):
    """A visible state as ``live`` or ``past`` has it: enough to decide whether the record is wanted."""

    stem: bytes
    revision: int
    packed: bytes
    """The envelope, packed."""


class LogRecord(NamedTuple):
    """One write, as the log has it."""

    revision: int
    previous: int
    type: EventType
    stem: bytes
    packed: bytes
    """The envelope, packed."""
    body: bytes
    cut: int | None = None
    """For a deletion that refers to the previous record: where the revision is in that record's body. Envelope and body are not stored."""


def pack_envelope(envelope: Envelope) -> bytes:
    """An envelope as bytes; a pair of its labels or fields always packs to the same run of bytes (`pair_needle`)."""
    packed: bytes = msgpack.packb(envelope)
    return packed


def unpack_envelope(packed: bytes) -> Envelope:
    """The inverse of `pack_envelope`."""
    return Envelope._make(msgpack.unpackb(packed, use_list=False))


def pair_needle(name: str, value: str) -> bytes:
    """The bytes that stand in every packed envelope which has this pair among its labels or its fields."""
    needle: bytes = msgpack.packb(name) + msgpack.packb(value)
    return needle


def sealed(content: bytes, key: bytes = b"") -> bytes:
    """A value with its checksum, which takes in the key."""
    return content + CHECKSUM.pack(crc32(content, crc32(key)))


def is_intact(key: bytes, value: bytes) -> bool:
    """Whether a value of any table but the log is what was stored under that key."""
    return crc32(value, crc32(key)) == INTACT


def opened(key: bytes, value: bytes) -> bytes:
    """What `sealed` was given. Raises `CorruptError`."""
    if not is_intact(key, value):
        raise CorruptError(f"the entry {key!r} is damaged: its checksum does not fit")
    return value[: -CHECKSUM.size]


def stem_of(prefix: bytes, key: Key) -> bytes:
    """A key as bytes, behind its resource's number. Sorts like ``(namespace, name)``."""
    return prefix + f"{key.namespace}\0{key.name}".encode(errors="surrogatepass")


def key_of(stem: bytes, resource: str) -> Key:
    """The inverse of `stem_of`."""
    namespace, name = stem[RESOURCE.size :].decode(errors="surrogatepass").split("\0")
    return Key(resource, namespace, name)


def past_key(stem: bytes, revision: int) -> bytes:
    """Where the superseded state of that revision stands; also where to look for the newest one not newer than it."""
    return stem + b"\0" + REVISION.pack(NEWEST - revision)


def after_prefix(prefix: bytes) -> bytes:
    """The first key behind all that start with a prefix."""
    return (int.from_bytes(prefix) + 1).to_bytes(len(prefix))


def state_value(key: bytes, revision: int, packed: bytes) -> bytes:
    """A value of ``live`` (with the state's revision) or of ``past`` (with the revision that superseded it), for its key there."""
    return sealed(REVISION.pack(revision) + packed, key)


def log_value(revision: int, previous: int, kind: EventType, stem: bytes, packed: bytes, body: bytes, cut: int | None) -> bytes:
    """A value of the log, of what a `LogRecord` has."""
    if cut is None:
        head = LOG_HEAD.pack(revision, previous, kind, len(stem), len(packed))
        return sealed(b"".join((head, stem, packed, body)))
    head = LOG_HEAD.pack(revision, previous, DELETED_AS_IT_WAS, len(stem), 0)
    return sealed(b"".join((head, stem, CUT.pack(cut))))


def read_body(value: bytes, state: State) -> bytes:
    """The body in a value of the log, having checked that it is whole and that state's. Raises `CorruptError`.

    The hot path of every read: what a list of thousands does once a record.
    """
    own, _, _, stem_bytes, envelope_bytes = _log_head(value, state.revision)
    envelope_at = LOG_HEAD.size + stem_bytes
    if own != state.revision or value[LOG_HEAD.size : envelope_at] != state.stem:
        raise CorruptError(f"the record of revision {state.revision} belongs to another key or revision")
    return value[envelope_at + envelope_bytes : -CHECKSUM.size]


def read_log(value: bytes, revision: int) -> LogRecord:
    """Take a value of the log apart, having checked it. Raises `CorruptError`."""
    own, previous, kind, stem_bytes, envelope_bytes = _log_head(value, revision)
    if own != revision:
        raise CorruptError(f"the record of revision {revision} is damaged: it says it is {own}")
    envelope_at = LOG_HEAD.size + stem_bytes
    body_at = envelope_at + envelope_bytes
    stem, packed, body = value[LOG_HEAD.size : envelope_at], value[envelope_at:body_at], value[body_at : -CHECKSUM.size]
    if kind == DELETED_AS_IT_WAS:
        return LogRecord(own, previous, EventType.DELETED, stem, b"", b"", CUT.unpack(body)[0])
    return LogRecord(own, previous, _EVENT_TYPES[kind], stem, packed, body)


def recut(body: bytes, cut: int, old: int, new: int) -> bytes:
    """A body under another revision. Raises `CorruptError` when the old one does not stand where it should."""
    digits = b"%d" % old
    if not body.startswith(digits, cut):
        raise CorruptError(f"the record of revision {new} is damaged: it refers to a place that is none in revision {old}")
    return b"%b%d%b" % (body[:cut], new, body[cut + len(digits) :])


def _log_head(value: bytes, revision: int) -> tuple[int, int, int, int, int]:
    if crc32(value) != INTACT:
        raise CorruptError(f"the record of revision {revision} is damaged: its checksum does not fit")
    return LOG_HEAD.unpack_from(value)
