"""Those who wait for something to become of a pod: they are told of every change by whoever follows all pods, and ask nobody.

Nobody waits for most pods ever, so a change costs a look at an empty map.
"""

import asyncio
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from svcsim.meta.indexed import ObjectKey
from svcsim.meta.types import Object


class Life:
    """One pod, as one who follows it sees it."""

    def __init__(self) -> None:
        self._pod: Object | None = None
        self._told = asyncio.Event()

    def tell(self, pod: Object | None) -> None:
        """The pod has changed, or is gone."""
        self._pod = pod
        self._told.set()

    async def until(self, reached: Callable[[Object | None], bool]) -> Object | None:
        """Wait for a change by which something is reached; the pod then, None if it is gone."""
        while True:
            await self._told.wait()
            self._told.clear()
            if reached(self._pod):
                return self._pod


class Lives:
    """The pods that somebody follows."""

    def __init__(self) -> None:
        self._followed: dict[ObjectKey, dict[Life, None]] = {}

    @contextmanager
    def follow(self, namespace: str, name: str) -> Iterator[Life]:
        """Be told of a pod for as long as this lasts."""
        key, life = ObjectKey(namespace, name), Life()
        self._followed.setdefault(key, {})[life] = None
        try:
            yield life
        finally:
            followers = self._followed[key]
            del followers[life]
            if not followers:
                del self._followed[key]

    def tell(self, key: ObjectKey, pod: Object | None) -> None:
        """A pod has changed, or is gone."""
        if self._followed:
            for life in self._followed.get(key, ()):
                life.tell(pod)
