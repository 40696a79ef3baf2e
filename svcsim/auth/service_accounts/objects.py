"""The objects that tokens rest on, as they are now: accounts, and what tokens are bound to.

Accounts are few and asked for with every request, so a lister has them. Pods, secrets and nodes are many, and a token names one of them at
the most: its record is looked up in the store, and read only if it has changed since the last time.
"""

from collections.abc import Callable
from typing import NamedTuple, TypeAlias

from svcsim import limits
from svcsim.auth.service_accounts.claims import Named
from svcsim.auth.service_accounts.outcome import InvalidTokenError
from svcsim.meta.objects import metadata_of, uid_of
from svcsim.meta.times import parse_time
from svcsim.meta.types import Key, Object
from svcsim.registry.core import decode_record
from svcsim.registry.lister import Lister
from svcsim.storage.contract import Record

FindRecord: TypeAlias = Callable[[Key], Record | None]
"""What was last committed of an object of the core group."""


class Standing(NamedTuple):
    """What matters of an object that a token is bound to."""

    revision: int
    uid: str
    deleted_s: float | None


class AccountObjects:
    def __init__(self, accounts: Lister, find: FindRecord) -> None:
        self._accounts = accounts
        self._find = find
        self._standings: dict[Key, Standing] = {}

    def account(self, namespace: str, wanted: Named, deleted_before_s: float) -> Object:
        """The account that is meant. Raises `InvalidTokenError` where it is no longer there."""
        found = self._accounts.get(namespace, wanted.name)
        if found is None:
            raise InvalidTokenError(f'serviceaccount "{wanted.name}" not found')
        if uid_of(found) != wanted.uid:
            raise InvalidTokenError(f"service account UID ({uid_of(found)}) does not match claim ({wanted.uid})")
        deleted_s = _deleted_s(found)
        if deleted_s is not None and deleted_s < deleted_before_s:
            raise InvalidTokenError(f"service account {namespace}/{wanted.name} has been deleted")
        return found

    def secret(self, namespace: str, name: str) -> Object | None:
        """A whole one."""
        record = self._find(Key("secrets", namespace, name))
        return None if record is None else decode_record(record)

    def check_bound(self, kind: str, namespace: str, wanted: Named, deleted_before_s: float) -> None:
        """Raises `InvalidTokenError` where the object is no longer there. ``kind`` is pod, secret or node."""
        found = self._standing(Key(f"{kind}s", namespace, wanted.name))
        if found is None or (found.deleted_s is not None and found.deleted_s < deleted_before_s):
            raise InvalidTokenError("service account token has been invalidated")
        if found.uid != wanted.uid:
            raise InvalidTokenError(f"{kind} UID ({found.uid}) does not match service account {kind} ref claim ({wanted.uid})")

    def _standing(self, key: Key) -> Standing | None:
        record = self._find(key)
        known = self._standings.pop(key, None)
        if record is None:
            return None
        if known is None or known.revision != record.revision:
            obj = decode_record(record)
            known = Standing(record.revision, uid_of(obj), _deleted_s(obj))
        if len(self._standings) >= limits.VERIFIED_TOKENS:
            del self._standings[next(iter(self._standings))]
        self._standings[key] = known
        return known


def _deleted_s(obj: Object) -> float | None:
    """By when it should be gone, if it is being deleted: until then it counts."""
    deleted = metadata_of(obj).get("deletionTimestamp")
    return None if deleted is None else parse_time(deleted)
