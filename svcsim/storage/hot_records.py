"""The records that were read or written lately: most reads are of those, by clients that poll and controllers that look again.

A record is here only as long as it is the newest committed state of its key: every commit passes by. So reading it here gives what the
snapshot shows, without two looks into its tables and checks of their content, which cost more than the rest of a read.
"""

from collections import OrderedDict
from collections.abc import Iterable

from svcsim.limits import HOT_RECORD_BYTES, HOT_RECORDS_BYTES
from svcsim.storage.contract import Event, EventType, Key, Record

_OWN_BYTES = 1_000
"""What a record takes beside its body."""


class HotRecords:
    """The records that were read or written last, within a limit of bytes."""

    def __init__(self) -> None:
        self._records: OrderedDict[Key, Record] = OrderedDict()
        """The one that was asked for or written last is last."""
        self._bytes = 0

    def get(self, key: Key) -> Record | None:
        """The newest state of a key, if it is known."""
        found = self._records.get(key)
        if found is not None:
            self._records.move_to_end(key)
        return found

    def keep(self, record: Record) -> None:
        """Remember the newest state of a key, unless it is long."""
        self._forget(record.key)
        if len(record.body) > HOT_RECORD_BYTES:
            return
        self._records[record.key] = record
        self._bytes += _bytes(record)
        while self._bytes > HOT_RECORDS_BYTES:
            self._bytes -= _bytes(self._records.popitem(last=False)[1])

    def committed(self, events: Iterable[Event]) -> None:
        """What has become of those that are known; new ones that come with what they say are known from now on."""
        for event in events:
            record = event.record
            if record.key not in self._records and record.says is None:
                continue
            if event.type is EventType.DELETED:
                self._forget(record.key)
            else:
                self.keep(record)

    def _forget(self, key: Key) -> None:
        found = self._records.pop(key, None)
        if found is not None:
            self._bytes -= _bytes(found)


def _bytes(record: Record) -> int:
    return _OWN_BYTES + len(record.body) + record.memory_bytes  # what the envelope has of it, once more
