"""Lists that were just answered, kept for who asks the same while nothing has changed.

Clients that page through a collection, and many clients that start at once, ask for the same bytes at the same revision. A page is good
for as long as the store's revision is the one it was made at, and for a few seconds at most, because the continue token in it ages. The
whole cache is small: it saves work, it isn't a second store.
"""

from svcsim import limits
from svcsim.clock import Clock
from svcsim.meta.http import Response


class PageCache:
    """Answers by path and query, all of one revision."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._revision = 0
        self._until_s = 0.0
        self._bytes = 0
        self._pages: dict[tuple[str, str], Response] = {}

    def find(self, path: str, query: str, revision: int) -> Response | None:
        """The answer given before at this revision, if it is still here."""
        if revision != self._revision or not self._pages or self._clock.now() > self._until_s:
            return None
        return self._pages.get((path, query))

    def keep(self, path: str, query: str, revision: int, response: Response) -> None:
        """Remember an answer, if it is worth it."""
        size = len(response.body)
        if not limits.PAGE_CACHE_SMALLEST_BYTES <= size <= limits.WHOLE_BODY_BYTES:
            return
        if revision != self._revision or self._bytes + size > limits.PAGE_CACHE_BYTES or self._clock.now() > self._until_s:
            self._pages.clear()
            self._bytes = 0
            self._revision = revision
            self._until_s = self._clock.now() + limits.PAGE_CACHE_S
        self._pages[path, query] = response
        self._bytes += size
