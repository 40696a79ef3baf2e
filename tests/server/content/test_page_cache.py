"""A page is given again for as long as nothing of its resource was written."""

from pathlib import Path

from svcsim import limits
from svcsim.clock import Clock
from svcsim.meta.http import Response
from svcsim.server.content.page_cache import PageCache
from svcsim.storage.contract import Body, Envelope, Key
from svcsim.storage.store import LmdbStore

PAGE = Response(200, b"x" * limits.PAGE_CACHE_SMALLEST_BYTES)


async def _write(store: LmdbStore, resource: str, name: str) -> None:
    await store.create(Key(resource, "", name), Envelope("", {}, {}, ()), Body(b'{"r":"', b'"}'))


async def test_a_write_of_its_resource_voids_a_page_and_another_does_not(tmp_path: Path):
    store = LmdbStore.open(tmp_path / "store", dialect="svcapi", durability="none")
    pages = PageCache(Clock(), store)
    await _write(store, "pods", "one")
    pages.keep("pods", "/pods", "limit=1", store.revision, PAGE)

    await _write(store, "leases", "beat")
    assert pages.find("pods", "/pods", "limit=1") is PAGE
    assert pages.find("pods", "/pods", "limit=2") is None

    await _write(store, "pods", "two")
    assert pages.find("pods", "/pods", "limit=1") is None
    await store.close()


async def test_a_page_that_was_overtaken_while_it_was_made_is_not_kept(tmp_path: Path):
    store = LmdbStore.open(tmp_path / "store", dialect="svcapi", durability="none")
    pages = PageCache(Clock(), store)
    at = store.revision
    await _write(store, "pods", "one")

    pages.keep("pods", "/pods", "", at, PAGE)

    assert pages.find("pods", "/pods", "") is None
    await store.close()


async def test_the_oldest_pages_make_room_for_new_ones(tmp_path: Path):
    store = LmdbStore.open(tmp_path / "store", dialect="svcapi", durability="none")
    pages = PageCache(Clock(), store)
    large = Response(200, b"x" * limits.WHOLE_BODY_BYTES)

    for number in range(limits.PAGE_CACHE_BYTES // limits.WHOLE_BODY_BYTES + 1):
        pages.keep("pods", "/pods", f"limit={number}", 0, large)

    assert pages.find("pods", "/pods", "limit=0") is None
    assert pages.find("pods", "/pods", "limit=1") is large
    await store.close()
