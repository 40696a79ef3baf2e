"""An authenticated user, who is in the group of all authenticated users.

Except if the user is said to be unauthenticated, which a proxy or an impersonating caller may do.
"""

from collections.abc import Iterable, Mapping
from types import MappingProxyType

from svcsim.auth.authentication import ANONYMOUS, AUTHENTICATED, UNAUTHENTICATED
from svcsim.meta.types import User


def known_user(name: str, groups: Iterable[str] = (), uid: str = "", extra: Mapping[str, tuple[str, ...]] = MappingProxyType({})) -> User:
    """The user with one group more, unless one of the groups says it already."""
    named = tuple(groups)
    if name != ANONYMOUS.user.name and AUTHENTICATED not in named and UNAUTHENTICATED not in named:
        named = (*named, AUTHENTICATED)
    return User(name, named, uid, extra)
