"""Which claim each PersistentVolume is bound to, and the Secrets it takes to mount it: kept once a node has asked for one of them.

Volumes are read and decoded once, and what is kept of each is a few names.
"""

import asyncio
import logging
from collections.abc import Iterable
from typing import NamedTuple

from svcsim.auth.node_authorizer.references import CLAIMS, secrets_of
from svcsim.meta.codec import decode_json
from svcsim.meta.types import Key, Object
from svcsim.storage.contract import CompactedError, Damage, Event, EventType, Store

logger = logging.getLogger(__name__)

VOLUMES = "persistentvolumes"


class _Bound(NamedTuple):
    claim: Key
    secrets: tuple[Key, ...]


class Volumes:
    """The bound PersistentVolumes, found by their names and by the Secrets they need."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._bound: dict[str, _Bound] = {}
        self._by_secret: dict[Key, dict[str, None]] = {}
        self._begun = self._filled = False
        self._changed: dict[str, None] = {}
        """While volumes are being read: what has changed since, and so stays as it is."""
        self._lock = asyncio.Lock()
        store.on_commit(VOLUMES, self._follow)

    async def claim_of(self, volume: str) -> Key | None:
        """The claim a volume is bound to, if there is such a volume and it is bound."""
        await self._ready()
        bound = self._bound.get(volume)
        return None if bound is None else bound.claim

    async def claims_with(self, secret: Key) -> Iterable[Key]:
        """The claims whose volumes can't be mounted without a Secret."""
        await self._ready()
        return tuple(self._bound[volume].claim for volume in self._by_secret.get(secret, ()))

    async def _ready(self) -> None:
        if not self._filled:
            async with self._lock:
                await self._fill()

    async def _fill(self) -> None:
        self._begun = True
        while not self._filled:
            try:
                async for _, bodies in self._store.bodies(VOLUMES, on_damage=_leave_out):
                    self._take(bodies)
            except CompactedError:
                continue  # the history is shorter than this took: once more, from a newer state
            self._filled = True
        self._changed.clear()

    def _take(self, bodies: Iterable[bytes]) -> None:
        for body in bodies:
            volume = decode_json(body)
            name = volume["metadata"]["name"]
            if name not in self._changed:
                self._put(name, _read(volume))

    def _follow(self, event: Event) -> None:
        if not self._begun:
            return
        name = event.record.key.name
        if not self._filled:
            self._changed[name] = None
        self._put(name, None if event.type is EventType.DELETED else _read(decode_json(event.record.body)))

    def _put(self, name: str, bound: _Bound | None) -> None:
        before = self._bound.pop(name, None)
        for secret in before.secrets if before is not None else ():
            self._by_secret[secret].pop(name, None)
            if not self._by_secret[secret]:
                del self._by_secret[secret]
        if bound is not None:
            self._bound[name] = bound
            for secret in bound.secrets:
                self._by_secret.setdefault(secret, {})[name] = None


def _read(volume: Object) -> _Bound | None:
    reference = volume["spec"].get("claimRef")
    if reference is None:
        return None
    claim = Key(CLAIMS, reference.get("namespace") or "", reference.get("name") or "")
    return _Bound(claim, tuple(dict.fromkeys(secrets_of(volume, claim))))


def _leave_out(damage: Damage) -> None:
    logger.error("a damaged object can't be taken into account: %s", damage.error)
