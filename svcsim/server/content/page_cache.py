"""Lists that were just answered, kept for clients that ask the same while nothing has changed.

Clients that page through a collection, and many clients that start at once, ask for the same bytes. A page is good for as long as nothing
of its resource was written, and for a few seconds at most, because the continue token in it ages. The whole cache is small: it saves
work, it isn't a second store.
"""

from typing import NamedTuple

from svcsim import limits
from svcsim.clock import Clock
from svcsim.meta.http import Response
from svcsim.storage.contract import Store


class _Page(NamedTuple):
    response: Response
    changed: int
    revision: int
    until_s: float


class PageCache:
    """Answers by path and query."""

    def __init__(self, clock: Clock, store: Store) -> None:
        self._clock = clock
        self._store = store
        self._bytes = 0
        self._pages: dict[tuple[str, str], _Page] = {}

    def find(self, resource: str, path: str, query: str) -> Response | None:
        """The answer given before, if it would be given again."""
        page = self._pages.get((path, query))
        if page is None:
            return None
        if page.changed == self._store.changed(resource) and page.revision >= self._store.compacted and self._clock.now() <= page.until_s:
            return page.response
        self._drop((path, query))
        return None

    def keep(self, resource: str, path: str, query: str, revision: int, response: Response) -> None:
        """Remember an answer made at this revision, if it is the newest of the resource and worth it."""
        size, changed = len(response.body), self._store.changed(resource)
        if changed > revision or not limits.PAGE_CACHE_SMALLEST_BYTES <= size <= limits.WHOLE_BODY_BYTES:
            return
        self._drop((path, query))
        while self._bytes + size > limits.PAGE_CACHE_BYTES:
            self._drop(next(iter(self._pages)))
        self._pages[path, query] = _Page(response, changed, revision, self._clock.now() + limits.PAGE_CACHE_S)
        self._bytes += size

    def clear(self) -> None:
        """Forget them all: something is served in another way from now on."""
        self._pages.clear()
        self._bytes = 0

    def _drop(self, asked: tuple[str, str]) -> None:
        page = self._pages.pop(asked, None)
        if page is not None:
            self._bytes -= len(page.response.body)
