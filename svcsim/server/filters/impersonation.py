"""Impersonation: requests in the name of another user.

The caller must be allowed to impersonate each part of the other identity: the user, every group, the uid and all extra values. Each takes a
permission of its own (the verb ``impersonate``), which is checked for the real caller before anything is replaced. Then nothing of the
caller is left: the request goes on as if the other user had made it, without the headers, so that no server behind this one reads them
again.
"""

from collections.abc import Iterator, Mapping
from typing import NamedTuple
from urllib.parse import unquote_to_bytes

from svcsim.auth.attributes import Attributes
from svcsim.auth.authentication import ANONYMOUS, AUTHENTICATED, UNAUTHENTICATED
from svcsim.auth.authorization import Authorizer
from svcsim.auth.service_account_names import account_of_user, groups_of_account
from svcsim.dialect import Dialect
from svcsim.meta.errors import bad_request
from svcsim.meta.http import Request
from svcsim.meta.types import User
from svcsim.server.filters.authorization import check

_MARK = "impersonate-"
_USER, _GROUP, _UID, _EXTRA = "impersonate-user", "impersonate-group", "impersonate-uid", "impersonate-extra-"
"""What follows this prefix of a header is the key of an extra value of the user."""


class _Wanted(NamedTuple):
    """The identity that a request's headers ask for."""

    name: str
    groups: tuple[str, ...]
    uid: str
    extra: Mapping[str, tuple[str, ...]]


async def impersonated(authorizer: Authorizer, caller: User, request: Request, dialect: Dialect) -> User:
    """The user that the request is made as: the caller, where it doesn't say otherwise.

    Raises 400 for headers that name no user, and 403 where the caller may not be one of the things they name.
    """
    if _MARK not in " ".join(request.headers):  # every request comes by here, and one look costs less than one at each header
        return caller
    wanted = _wanted(request)
    if wanted is None:
        return caller
    for attributes in _questions(caller, wanted, dialect):
        check(attributes, await authorizer.authorize(attributes))
    request.headers = {name: value for name, value in request.headers.items() if not _is_ours(name)}
    request.repeated = {name: values for name, values in request.repeated.items() if not _is_ours(name)}
    return User(wanted.name, _groups(wanted), wanted.uid, wanted.extra)


def _is_ours(name: str) -> bool:
    return name.startswith(_EXTRA) or name in (_USER, _GROUP, _UID)


def _wanted(request: Request) -> _Wanted | None:
    """None where nothing is wanted. A header that came several times counts once where there can be one value: the first time."""
    name, uid = (_text(next(iter(request.header_values(header)), "")) for header in (_USER, _UID))
    groups = tuple(map(_text, request.header_values(_GROUP)))
    extra: dict[str, tuple[str, ...]] = {}
    for header in request.headers:
        if header.startswith(_EXTRA):
            key = _key(header.removeprefix(_EXTRA))
            extra[key] = (*extra.get(key, ()), *map(_text, request.header_values(header)))
    if name:
        return _Wanted(name, groups, uid, extra)
    if groups or uid or extra:
        raise bad_request("Impersonate-Group, Impersonate-Uid and Impersonate-Extra-* need Impersonate-User: they are a user's")
    return None


def _text(value: str) -> str:
    """A header's value. What isn't UTF-8 could be taken for several names, so it is none."""
    if not value.isascii():
        try:
            value.encode()
        except UnicodeEncodeError:
            raise bad_request("Impersonate-* headers have to be UTF-8") from None
    return value


def _key(spelled: str) -> str:
    """The name of an extra thing: percent signs stand for bytes that a header's name can't have."""
    try:
        return unquote_to_bytes(spelled).decode()
    except UnicodeDecodeError:
        raise bad_request("Impersonate-Extra-* headers have to be UTF-8 in their names") from None


def _questions(caller: User, wanted: _Wanted, dialect: Dialect) -> Iterator[Attributes]:
    """All that the caller has to be allowed, one after the other."""
    account = account_of_user(wanted.name)
    if account is not None:
        namespace, name = account
        yield Attributes(caller, "impersonate", "", "v1", "serviceaccounts", namespace=namespace, name=name)
    else:
        yield Attributes(caller, "impersonate", "", "v1", "users", name=wanted.name)
    for group in wanted.groups:
        yield Attributes(caller, "impersonate", "", "v1", "groups", name=group)
    told_of_users = dialect.group("authentication")
    for key, values in wanted.extra.items():
        for value in values:
            yield Attributes(caller, "impersonate", told_of_users, "v1", "userextras", key, name=value)
    if wanted.uid:
        yield Attributes(caller, "impersonate", told_of_users, "v1", "uids", name=wanted.uid)


def _groups(wanted: _Wanted) -> tuple[str, ...]:
    """The impersonated groups; without any, those of a service account. One more says whether the user is authenticated."""
    groups = wanted.groups
    account = account_of_user(wanted.name)
    if not groups and account is not None:
        groups = groups_of_account(account[0])
    if wanted.name == ANONYMOUS.user.name:
        return groups if UNAUTHENTICATED in groups else (*groups, UNAUTHENTICATED)
    return groups if AUTHENTICATED in groups or UNAUTHENTICATED in groups else (*groups, AUTHENTICATED)
