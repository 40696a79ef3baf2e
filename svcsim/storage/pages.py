"""Looking over a data file before LMDB reads it.

LMDB trusts its file: a page that is not what its parent says it is ends the process (a failed assertion, a bus error), or leads a search
past entries that are there. So every page that is in use is visited first, by way of the trees, with ordinary reads, which fail with an
error and not with a signal. Each has to be the page and of the sort its parent expects, its entries within it, packed and in order; no page
may be in use twice, or both in use and free; and the totals are as they were recorded. What stands in the entries is not looked at here:
they have checksums.

The format is LMDB's own, of the 0.9 series. Of what can be wrong only the head of an overflow page is put right: it says nothing that
doesn't follow from the entry which refers to it, and LMDB goes by it when it gives the pages back.
"""

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import repeat
from operator import gt, lt
from pathlib import Path
from struct import Struct, error, unpack_from
from typing import NamedTuple

from svcsim.storage.contract import DamagedFileError, FormatError

PAGE_HEAD = Struct("<QHHHH")
"""Own number, padding, flags, end of the entries' offsets, start of the entries."""
OVERFLOW_HEAD = Struct("<QHHL")
"""Own number, padding, flags, number of pages."""
NODE_HEAD = Struct("<HHHH")
"""In a leaf: size of the value, low and high half; flags; length of the key. In a branch the child's number takes the first three."""
META = Struct("<LLQQ48s48sQQ")
"""Magic, version, address, map size, table of free pages, table of tables, last page, number of the transaction."""
TREE = Struct("<LHHQQQQQ")
"""Page size (of the table of free pages), flags, depth, pages: branch, leaf, overflow; entries, root."""
PAGE_NUMBER = Struct("<Q")

MAGIC, VERSION = 0xBEEFC0DE, 1
BRANCH, LEAF, OVERFLOW, META_PAGE = 1, 2, 4, 8
BIG, TABLE = 1, 2
"""Flags of an entry: its value stands on overflow pages; its value is a table's description."""
INTEGER_KEYS = 0x8
NO_DIRECTORY = 0x4000
"""LMDB keeps how a file was first opened among the flags of the table of free pages."""
NO_ROOT = 2**64 - 1
FIRST_PAGE = 2
DEEPEST = 32
"""LMDB's own limit."""
PAGE_SIZES = (4096, 8192, 16384, 32768, 65536)


class Meta(NamedTuple):
    page_bytes: int
    free: bytes
    main: bytes
    last_page: int
    transaction: int


Keys = Callable[[bytes], bytes]
"""Makes keys comparable as bytes."""
Leaf = tuple[bytes, tuple[int, ...]]
"""A page, and where its entries are."""

FREE_PAGES, TABLES = "table of free pages", "table of tables"


def check_pages(path: Path, tables: Sequence[bytes]) -> None:
    """Look over a data file that has to hold just these tables. Raises `DamagedFileError`, and `FormatError` for what is no data file."""
    fd = os.open(path, os.O_RDWR | os.O_CLOEXEC)
    try:
        _check(fd, tables)
    except OSError as problem:
        raise DamagedFileError(path, f"it can't be read: {(problem.strerror or str(problem)).lower()}") from problem
    except (error, IndexError) as problem:
        raise DamagedFileError(path, str(problem)) from problem
    except _DamageError as damage:
        raise DamagedFileError(path, str(damage)) from None
    except _ForeignFileError as foreign:
        raise FormatError(f"{path} is not a store's data file ({foreign}); give another directory") from None
    finally:
        os.close(fd)


def rewrite_heads(path: Path) -> None:
    """Put on disk what is read of both heads: what was being written when the disk failed may be on it, or not, or be there later."""
    fd = os.open(path, os.O_RDWR | os.O_CLOEXEC | os.O_DSYNC)
    try:
        size = 2 * _meta(fd, 0, os.pread(fd, PAGE_SIZES[0], 0)).page_bytes
        os.pwrite(fd, os.pread(fd, size, 0), 0)
    except _DamageError as damage:
        raise DamagedFileError(path, str(damage)) from None
    finally:
        os.close(fd)


class _DamageError(Exception):
    """What is wrong, in words."""


class _ForeignFileError(Exception):
    """What says that it was never ours."""


def _check(fd: int, tables: Sequence[bytes]) -> None:
    meta = newest_meta(fd)
    pages = _Pages(fd, meta)
    free = list(pages.walk(meta.free, FREE_PAGES, INTEGER_KEYS, _as_number))
    described = dict(pages.values(pages.walk(meta.main, TABLES, 0)))
    if sorted(described) != sorted(tables) or any(len(tree) != TREE.size for tree in described.values()):
        raise _DamageError("it doesn't hold the tables of a store")
    for name, tree in described.items():
        for _ in pages.walk(tree, f"table {name.decode()}", 0):
            pass
    for key, value in pages.values(free):
        if PAGE_NUMBER.unpack(key)[0] > meta.transaction:
            raise _DamageError("the table of free pages speaks of a later transaction")
        count = PAGE_NUMBER.unpack_from(value)[0]
        numbers = unpack_from(f"<{min(count, len(value))}Q", value, PAGE_NUMBER.size)
        if not all(map(gt, numbers, numbers[1:])):
            raise _DamageError("the table of free pages is in the wrong order")
        pages.free(numbers)
    pages.check_all_seen()
    pages.mend()


def newest_meta(fd: int) -> Meta:
    """The state LMDB would open; raises what `check_pages` makes errors of."""
    size = os.fstat(fd).st_size
    if size == 0:
        raise _DamageError("it is empty")
    first = _meta(fd, 0, os.pread(fd, PAGE_SIZES[0], 0))
    second = _meta(fd, 1, os.pread(fd, first.page_bytes, first.page_bytes))
    if second.page_bytes != first.page_bytes:
        raise _DamageError("its two heads have different page sizes")
    newest = second if first.transaction < second.transaction else first
    if abs(first.transaction - second.transaction) > 1 or newest is not (first, second)[newest.transaction & 1]:
        raise _DamageError("its two heads are not of two transactions that follow each other")
    return newest


def _meta(fd: int, number: int, page: bytes) -> Meta:
    if len(page) < PAGE_HEAD.size + META.size:
        raise _DamageError("it is cut short")
    own, _, flags, _, _ = PAGE_HEAD.unpack_from(page)
    magic, version, _, _, free, main, last_page, transaction = META.unpack_from(page, PAGE_HEAD.size)
    if magic != MAGIC and not number and unpack_from("<L", os.pread(fd, 4, PAGE_SIZES[0] + PAGE_HEAD.size).ljust(4))[0] != MAGIC:
        raise _ForeignFileError("it doesn't begin as one")
    if (own, flags, magic, version) != (number, META_PAGE, MAGIC, VERSION):
        raise _DamageError(f"head {number} of 2 is not one")
    page_bytes = TREE.unpack(free)[0]
    if page_bytes not in PAGE_SIZES:
        raise _DamageError(f"head {number} of 2 has no page size")
    return Meta(page_bytes, free, main, last_page, transaction)


class _Place(NamedTuple):
    """Where in a tree a page is expected, and the keys it may have."""

    number: int
    depth: int
    """1 for a leaf."""
    first: bytes
    end: bytes | None
    what: str
    as_key: Keys

    def damage(self, why: str) -> _DamageError:
        return _DamageError(f"page {self.number}, of the {self.what}, {why}")


@dataclass(slots=True)
class _Totals:
    branches: int = 0
    leaves: int = 0
    overflows: int = 0
    entries: int = 0


class _Pages:
    """The pages of a file, and which of them have been seen."""

    def __init__(self, fd: int, meta: Meta) -> None:
        self._fd = fd
        self._page_bytes = meta.page_bytes
        self._count = meta.last_page + 1
        self._there = os.fstat(fd).st_size // meta.page_bytes
        self._seen = bytearray(min(self._count, self._there))
        self._seen[:FIRST_PAGE] = b"\1" * FIRST_PAGE
        self._never_written: dict[int, None] = {}
        """Free pages behind the end of the file, by right: they were taken and given back within one transaction."""
        self._bad_heads: list[tuple[int, bytes]] = []

    def walk(self, tree: bytes, what: str, wanted_flags: int, as_key: Keys = bytes) -> Iterator[Leaf]:
        """Visit a table's pages, and hand out its leaves."""
        _, flags, depth, branches, leaves, overflows, entries, root = TREE.unpack(tree)
        if flags & ~NO_DIRECTORY != wanted_flags or depth > DEEPEST or (root == NO_ROOT) != (depth == 0):
            raise _DamageError(f"the description of the {what} makes no sense")
        totals = _Totals()
        if depth:
            yield from self._subtree(_Place(root, depth, b"", None, what, as_key), totals)
        if (totals.branches, totals.leaves, totals.overflows, totals.entries) != (branches, leaves, overflows, entries):
            raise _DamageError(f"the {what} has other totals than are recorded")

    def free(self, pages: Iterable[int]) -> None:
        """These are recorded as free."""
        for number in pages:
            if self._there <= number < self._count and number not in self._never_written:
                self._never_written[number] = None
            else:
                self._take(number, 1, "list of free pages")

    def check_all_seen(self) -> None:
        """Every page is in use or free."""
        if self._count > self._there + len(self._never_written):
            raise _DamageError(f"it is cut short: {self._there} of {self._count} pages are there")
        if not all(self._seen):
            raise _DamageError(f"page {self._seen.index(0)} is neither in use nor free")

    def mend(self) -> None:
        """Write the heads of overflow pages that were not as they have to be."""
        for number, head in self._bad_heads:
            os.pwrite(self._fd, head, number * self._page_bytes)

    def values(self, leaves: Iterable[Leaf]) -> Iterator[tuple[bytes, bytes]]:
        """What stands in leaves; long values are fetched."""
        for page, offsets in leaves:
            for at in offsets:
                low, high, flags, key_bytes = NODE_HEAD.unpack_from(page, at)
                value_at, size = at + NODE_HEAD.size + key_bytes, low | high << 16
                key, value = page[at + NODE_HEAD.size : value_at], page[value_at : value_at + size]
                if flags == BIG:
                    begin = PAGE_NUMBER.unpack_from(page, value_at)[0] * self._page_bytes + PAGE_HEAD.size
                    value = os.pread(self._fd, size, begin)
                yield key, value

    def _take(self, number: int, count: int, what: str) -> None:
        if number < 0 or number + count > self._count:
            raise _DamageError(f"the {what} refers to a page that there isn't")
        if number + count > self._there:
            raise _DamageError(f"it is cut short: {self._there} of {self._count} pages are there")
        if any(self._seen[number : number + count]):
            raise _DamageError(f"page {number}, of the {what}, is used twice")
        self._seen[number : number + count] = b"\1" * count

    def _subtree(self, place: _Place, totals: _Totals) -> Iterator[Leaf]:
        if place.depth == 1:
            yield self._leaf(place, totals)
            return
        totals.branches += 1
        children = self._children(place, *self._page(place, BRANCH))
        if place.depth > 2:
            for child in children:
                yield from self._subtree(child, totals)
        else:  # nearly all of a large store's pages are leaves below such a branch
            for child in children:
                yield self._leaf(child, totals)

    def _page(self, place: _Place, sort: int) -> Leaf:
        """A page, and the offsets of its entries in the order of their keys."""
        number, page_bytes = place.number, self._page_bytes
        self._take(number, 1, place.what)
        page = os.pread(self._fd, page_bytes, number * page_bytes)
        own, _, flags, lower, upper = PAGE_HEAD.unpack_from(page)
        if own != number or flags != sort:
            raise place.damage("is not the page that it should be")
        count = (lower - PAGE_HEAD.size) // 2
        if lower % 2 or not lower <= upper <= page_bytes or count < (2 if sort == BRANCH else 1):
            raise place.damage("has a head that makes no sense")
        offsets = unpack_from(f"<{count}H", page, PAGE_HEAD.size)
        if min(offsets) != upper or max(offsets) > page_bytes - NODE_HEAD.size:
            raise place.damage("refers to entries that aren't in it")
        return page, offsets

    def _children(self, place: _Place, page: bytes, offsets: tuple[int, ...]) -> Iterator[_Place]:
        heads = [NODE_HEAD.unpack_from(page, at) for at in offsets]
        keys = [page[at + NODE_HEAD.size : at + NODE_HEAD.size + head[3]] for at, head in zip(offsets, heads, strict=True)]
        _check_packed(place, offsets, [at + 9 + head[3] & ~1 for at, head in zip(offsets, heads, strict=True)], len(page))
        # The first child's key is never looked at: it stands for all that is smaller than the second one's.
        firsts = [place.first, *map(place.as_key, keys[1:])]
        _check_order(place, firsts)
        for (low, high, higher, _), first, end in zip(heads, firsts, [*firsts[1:], place.end], strict=True):
            yield _Place(low | high << 16 | higher << 32, place.depth - 1, first, end, place.what, place.as_key)

    def _leaf(self, place: _Place, totals: _Totals) -> Leaf:
        """Check a leaf and its entries.

        Most of a large store's time goes here, so it is a few passes over all entries rather than one that does everything.
        """
        page, offsets = leaf = self._page(place, LEAF)
        low, high, flags, key_bytes = zip(*map(NODE_HEAD.unpack_from, repeat(page), offsets), strict=True)
        keys = [page[at + 8 : at + 8 + size] for at, size in zip(offsets, key_bytes, strict=True)]
        ends = [at + 9 + key_size + size & ~1 for at, key_size, size in zip(offsets, key_bytes, low, strict=True)]
        totals.leaves += 1
        totals.entries += len(offsets)
        if any(flags) or any(high):
            for i, flag in enumerate(flags):
                if flag == BIG:
                    value_at = offsets[i] + NODE_HEAD.size + key_bytes[i]
                    ends[i] = value_at + PAGE_NUMBER.size + 1 & ~1
                    number = PAGE_NUMBER.unpack_from(page, value_at)[0]
                    totals.overflows += self._overflow(place, number, low[i] | high[i] << 16)
                elif high[i] or (flag and (flag != TABLE or place.what != TABLES)):
                    raise place.damage("has an entry of an unknown sort, or one that is longer than a page")
        _check_packed(place, offsets, ends, len(page))
        _check_order(place, keys if place.as_key is bytes else [*map(place.as_key, keys)])
        return leaf

    def _overflow(self, place: _Place, number: int, size: int) -> int:
        """Check the pages of a long value; how many there are."""
        count = (PAGE_HEAD.size - 1 + size) // self._page_bytes + 1
        self._take(number, count, place.what)
        head = OVERFLOW_HEAD.pack(number, 0, OVERFLOW, count)
        found = os.pread(self._fd, len(head), number * self._page_bytes)
        if OVERFLOW_HEAD.unpack(found)[0::2] != OVERFLOW_HEAD.unpack(head)[0::2] or found[12:] != head[12:]:
            self._bad_heads.append((number, head))
        return count


def _check_packed(place: _Place, begins: Sequence[int], ends: list[int], page_bytes: int) -> None:
    """Entries fill the end of a page without gaps, but for one byte where it takes one to begin at an even place."""
    # Each is at least as long as its head. So if sorted ends are the sorted begins, it is each one's own end that the next one begins at.
    if sorted(ends) != [*sorted(begins)[1:], page_bytes]:
        raise place.damage("has entries that overlap")


def _check_order(place: _Place, keys: list[bytes]) -> None:
    if not all(map(lt, keys, keys[1:])) or keys[0] < place.first or (place.end is not None and keys[-1] >= place.end):
        raise place.damage("has its entries in the wrong order")


def _as_number(key: bytes) -> bytes:
    """A key of the table of free pages, which are numbers as the machine has them, so that bytes compare like numbers."""
    return key[::-1]
