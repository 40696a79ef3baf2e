"""Long work on many objects, slice by slice, so that others get their turns."""

from collections.abc import Callable, Iterator, Sequence
from typing import TypeVar

from svcsim import limits
from svcsim.storage.contract import Record

T = TypeVar("T")


def slices(records: list[Record]) -> Iterator[Sequence[Record]]:
    """Records in their order, as many at a time as can be decoded and made into something else in one turn of the event loop."""
    return slices_by_size(records, lambda record: len(record.body))


def slices_by_size(items: Sequence[T], size_bytes: Callable[[T], int]) -> Iterator[Sequence[T]]:
    """Items other than records in slices of the same total size."""
    start, size = 0, 0
    for end, item in enumerate(items):
        more = size_bytes(item)
        if end > start and (end - start == limits.CONVERTED_SLICE_RECORDS or size + more > limits.CONVERTED_SLICE_BYTES):
            yield items[start:end]
            start, size = end, 0
        size += more
    if start < len(items):
        yield items[start:]
