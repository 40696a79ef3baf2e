"""A query as a whole: read once, and asked of many values."""

from collections.abc import Callable
from functools import lru_cache
from typing import NamedTuple

from svcsim import limits
from svcsim.meta.jq.errors import JqError, SpentError
from svcsim.meta.jq.filters import Context, JqFilter
from svcsim.meta.jq.parser import read
from svcsim.meta.jq.work import Work
from svcsim.meta.types import Json


def _no_clock() -> float:
    return 0.0


class Query(NamedTuple):
    """A query that has been read."""

    text: str
    filter: JqFilter
    now: Callable[[], float] = _no_clock
    """The time, in seconds since 1970, for who asks for it."""

    def timed(self, now: Callable[[], float]) -> "Query":
        """The query with another clock."""
        return self._replace(now=now)

    def results(self, value: Json) -> list[Json] | None:
        """What it finds; None where it breaks off, as where nothing is iterated over."""
        try:
            return self.found(value)
        except JqError:
            return None

    def found(self, value: Json) -> list[Json]:
        """What it finds. Raises `JqError`, which is a `SpentError` where it does too much."""
        work = Work(self.now)
        found: list[Json] = []
        try:
            for one in self.filter.values(value, Context(work)):
                work.make(items=1)
                found.append(one)
        except RecursionError:  # the limits of levels and depth leave room; this is for what they miss
            raise SpentError("the query has too many levels") from None
        work.look_through(*found)
        return found


@lru_cache(maxsize=limits.JQ_QUERIES)
def parse(text: str) -> Query:
    """The query that a text is. Raises `JqError`."""
    if len(text) > limits.JQ_QUERY_CHARS:
        raise JqError(f"longer than {limits.JQ_QUERY_CHARS} characters")
    return Query(text, read(text))
