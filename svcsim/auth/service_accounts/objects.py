"""The objects that tokens rest on, as they are now: accounts, and what tokens are bound to.

Accounts are few and asked for with every request, so a lister has them. Pods, secrets and nodes are many, and a token names one of them at
the most: that is read from the store.
"""

from collections.abc import Callable
from typing import NamedTuple, TypeAlias

from svcsim.auth.service_accounts.claims import Named
from svcsim.auth.service_accounts.outcome import InvalidTokenError
from svcsim.meta.objects import metadata_of, uid_of
from svcsim.meta.times import parse_time
from svcsim.meta.types import Object
from svcsim.registry.lister import Lister

FindCommitted: TypeAlias = Callable[[str, str, str], Object | None]
"""The object of a plural of the core group, in a namespace or cluster-wide, of a name, as it was last committed."""


class AccountObjects(NamedTuple):
    accounts: Lister
    find: FindCommitted

    def account(self, namespace: str, wanted: Named, deleted_before_s: float) -> Object:
        """The account that is meant. Raises `InvalidTokenError` where it is no longer there."""
        found = self.accounts.get(namespace, wanted.name)
        if found is None:
            raise InvalidTokenError(f'serviceaccount "{wanted.name}" not found')
        if is_deleted(found, deleted_before_s):
            raise InvalidTokenError(f"service account {namespace}/{wanted.name} has been deleted")
        if uid_of(found) != wanted.uid:
            raise InvalidTokenError(f"service account UID ({uid_of(found)}) does not match claim ({wanted.uid})")
        return found

    def check_bound(self, kind: str, namespace: str, wanted: Named, deleted_before_s: float) -> None:
        """Raises `InvalidTokenError` where the object is no longer there. ``kind`` is Pod, Secret or Node."""
        found = self.find(f"{kind.lower()}s", namespace, wanted.name)
        if found is None or is_deleted(found, deleted_before_s):
            raise InvalidTokenError("service account token has been invalidated")
        if uid_of(found) != wanted.uid:
            why = f"does not match service account {kind.lower()} ref claim ({wanted.uid})"
            raise InvalidTokenError(f"{kind if kind != 'Secret' else 'secret'} UID ({uid_of(found)}) {why}")


def is_deleted(obj: Object, before_s: float) -> bool:
    """Whether it should have been gone by then: what is being deleted counts until its time is up."""
    deleted = metadata_of(obj).get("deletionTimestamp")
    return deleted is not None and parse_time(deleted) < before_s
