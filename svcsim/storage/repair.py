"""Looking over the entries of a store that is being opened, and making anew what follows from the log.

The log has every record whole, so ``live`` and ``past`` can be told from it. An entry of ``live`` that is damaged is written again from
the newest record of its key; where that one is damaged too, the entry stays, so that the object is known to be there and can be deleted. An
entry of ``past`` shows history only: with one damaged, the history before the newest revision is given up, which every reader knows how to
meet. What ``meta`` holds follows from nothing else: a store without it is refused.
"""

import logging
import struct
from collections import Counter
from collections.abc import Iterator
from itertools import islice
from operator import lt
from pathlib import Path
from typing import NamedTuple
from zlib import crc32

import lmdb

from svcsim.limits import COMPACTION_BATCH_RECORDS
from svcsim.storage.contract import CorruptError, DamagedFileError, EventType
from svcsim.storage.engine import Cursor, Transaction
from svcsim.storage.files import FORMAT_KEY, Tables
from svcsim.storage.layout import INTACT, RESOURCE, REVISION, LogRecord, is_intact, opened, past_key, read_log, sealed, state_value
from svcsim.storage.resources import RESOURCE_KEY, entries

logger = logging.getLogger(__name__)

COMPACTED_KEY = b"compacted"
"""In ``meta``: revisions before this one can't be read any more."""
REVISION_KEY = b"revision"
"""In ``meta``: the newest revision. The log can't tell once its newest record, a deletion, is compacted."""


class Contents(NamedTuple):
    """What a store was found to hold."""

    revision: int
    compacted: int
    counted: dict[bytes, int]
    """Objects, by the part of a stem that stands before the name."""


def look_over(tables: Tables, data_file: Path) -> Contents:
    """Check every entry but the records of the log, and mend what can be mended. Raises `DamagedFileError`."""
    try:
        with tables.env.begin() as txn:
            if tables.is_unchecked:
                _check_totals(txn, tables)
            _check_meta(txn, tables)
            live, past = _damaged(txn.cursor(tables.live)), _damaged(txn.cursor(tables.past))
            revision = _number(txn, tables, REVISION_KEY)
            astray = _astray(txn.cursor(tables.log), revision)
        if live or past or astray:
            with tables.env.begin(write=True) as txn:
                _mend_log(txn, tables, astray)
                _mend_live(txn, tables, live)
                _drop_nameless(txn, tables)
                _give_up_past(txn, tables, past, revision)
        with tables.env.begin() as txn:
            return Contents(revision, _number(txn, tables, COMPACTED_KEY), _counted(txn.cursor(tables.live)))
    except (CorruptError, lmdb.CorruptedError, lmdb.PageNotFoundError, struct.error, ValueError) as error:
        raise DamagedFileError(data_file, str(error)) from error


def _check_totals(txn: Transaction, tables: Tables) -> None:
    """Whether the pages that nobody has looked at hold as many entries as they should, in their order: none of them leads astray."""
    for table in (tables.meta, tables.live, tables.past, tables.log):
        cursor = txn.cursor(table)
        keys = list(cursor.iternext(True, False)) if cursor.set_range(b"\0") else []
        if len(keys) != txn.stat(table)["entries"] or not all(map(lt, keys, keys[1:])):
            raise CorruptError("a table has other entries than are recorded")


def _check_meta(txn: Transaction, tables: Tables) -> None:
    for key, value in _entries(txn.cursor(tables.meta)):
        if key != FORMAT_KEY:
            opened(key, value)


def _number(txn: Transaction, tables: Tables, name: bytes) -> int:
    value = txn.get(name, None, tables.meta)
    number: int = 0 if value is None else REVISION.unpack(opened(name, value))[0]
    return number


def _entries(cursor: Cursor) -> Iterator[tuple[bytes, bytes]]:
    return cursor.iternext() if cursor.set_range(b"\0") else iter(())


def _damaged(cursor: Cursor) -> list[bytes]:
    """Keys of entries whose checksum doesn't fit."""
    found: list[bytes] = []
    entries = _entries(cursor)
    while batch := list(islice(entries, COMPACTION_BATCH_RECORDS)):
        if any(map(INTACT.__ne__, map(crc32, [value for _, value in batch], map(crc32, [key for key, _ in batch])))):
            found += [key for key, value in batch if not is_intact(key, value)]
    return found


def _counted(cursor: Cursor) -> dict[bytes, int]:
    return Counter(stem[: stem.index(b"\0", RESOURCE.size)] for stem, _ in _entries(cursor))


# --- the log ---


def _astray(cursor: Cursor, revision: int) -> list[bytes]:
    """Keys at the end of the log that no revision has reached: further writes could not be put behind them."""
    return [number for number, _ in cursor.iternext()] if cursor.set_range(REVISION.pack(revision + 1)) else []


def _mend_log(txn: Transaction, tables: Tables, astray: list[bytes]) -> None:
    """Put records whose key was damaged where they belong, if they can say where that is."""
    for key in astray:
        value = txn.pop(key, tables.log)
        own = REVISION.pack(REVISION.unpack_from(value)[0]) if value is not None and crc32(value) == INTACT else None
        if value is not None and own is not None and own not in astray and txn.get(own, None, tables.log) is None:
            txn.put(own, value, db=tables.log)
        logger.warning("the log of the store had a record under revision %d, which is none; mended", REVISION.unpack(key)[0])


# --- the index ---


def _mend_live(txn: Transaction, tables: Tables, damaged: list[bytes]) -> None:
    """Write damaged entries anew. A key that was damaged was another one before: that one is missing now."""
    if not damaged:
        return
    newest = _newest_records(txn.cursor(tables.log))
    for stem in damaged:
        value = txn.get(stem, None, tables.live) or b""
        belongs = _record_of(txn, tables, value)
        if belongs is not None and belongs.stem != stem and txn.get(belongs.stem, None, tables.live) is None:
            txn.delete(stem, db=tables.live)
    for record in newest.values():
        found = txn.get(record.stem, None, tables.live)
        intact = found is not None and is_intact(record.stem, found)
        if not intact and record.type is not EventType.DELETED and not _is_superseded(txn, tables, record):
            txn.put(record.stem, state_value(record.stem, record.revision, record.packed), db=tables.live)
            logger.warning("an entry of the store's index was damaged, and has been made anew from the log: %r", record.stem)


def _drop_nameless(txn: Transaction, tables: Tables) -> None:
    """Take out damaged entries whose key can't be anybody's: nobody could ask for them, and they would stand in the way of every list."""
    numbers = [number for _, number in entries(txn, tables.meta, RESOURCE_KEY)]
    for stem in _damaged(txn.cursor(tables.live)):
        namespace, parted, name = stem[RESOURCE.size :].partition(b"\0")
        if stem[: RESOURCE.size] not in numbers or not parted or not name or b"\0" in name or not _is_text(namespace + name):
            txn.delete(stem, db=tables.live)
            logger.error("an object of the store is lost: its entry in the index, %r, and its record are damaged", stem)


def _is_text(text: bytes) -> bool:
    try:
        text.decode(errors="surrogatepass")
    except UnicodeDecodeError:
        return False
    return True


def _record_of(txn: Transaction, tables: Tables, value: bytes) -> LogRecord | None:
    """The record a damaged entry of ``live`` refers to, if that much of it can be read."""
    number = value[: REVISION.size]
    logged = txn.get(number, None, tables.log) if len(number) == REVISION.size else None
    if logged is None:
        return None
    try:
        return read_log(logged, REVISION.unpack(number)[0])
    except CorruptError:
        return None


def _is_superseded(txn: Transaction, tables: Tables, record: LogRecord) -> bool:
    """Whether there was a later one, which can't be read."""
    return txn.get(past_key(record.stem, record.revision), None, tables.past) is not None


def _newest_records(cursor: Cursor) -> dict[bytes, LogRecord]:
    """The newest record of each key that has one which can be read, without its body."""
    newest: dict[bytes, LogRecord] = {}
    for number, value in _entries(cursor):
        try:
            record = read_log(value, REVISION.unpack(number)[0])
        except CorruptError:
            continue
        newest[record.stem] = record._replace(body=b"")
    return newest


def _give_up_past(txn: Transaction, tables: Tables, damaged: list[bytes], revision: int) -> None:
    if not damaged:
        return
    for key in damaged:
        txn.delete(key, db=tables.past)
    txn.put(COMPACTED_KEY, sealed(REVISION.pack(revision), COMPACTED_KEY), db=tables.meta)
    logger.warning("the store's index of the past was damaged: the history before revision %d is given up", revision)
