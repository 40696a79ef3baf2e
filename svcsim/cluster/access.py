"""Who is asking, and whether they may: every authenticator and authorizer of a cluster, in the order they are asked, as one tuple each.

To add one, add it here and nowhere else. What each goes by at start (keys, files, flags) it reads itself, from what it is given.
"""

from collections.abc import Callable
from typing import NamedTuple

from svcsim.auth.always import AlwaysAllow, AlwaysDeny
from svcsim.auth.authentication import AUTHENTICATED, MASTERS, Authenticator, AuthenticatorUnion, InProcess
from svcsim.auth.authorization import Authorizer, AuthorizerUnion, Masters
from svcsim.auth.bearer_token import BearerToken, StaticTokens, TokenAuthenticator
from svcsim.auth.open_paths import OpenPaths
from svcsim.auth.rbac.authorizer import Rbac
from svcsim.auth.rbac.bindings import Bindings
from svcsim.auth.x509 import X509
from svcsim.cluster.authorization_spec import AuthorizationMode
from svcsim.cluster.surroundings import Surroundings
from svcsim.meta.types import Object, User
from svcsim.registry.core import decode_record
from svcsim.storage.contract import Key


class Access(NamedTuple):
    """Those who decide about every request, and about tokens that came in the body of one."""

    authenticator: AuthenticatorUnion
    tokens: BearerToken
    authorizer: AuthorizerUnion
    audiences: tuple[str, ...]
    """The API server's own names, which tokens are for that don't say whom they are for."""


def access(given: Surroundings) -> Access:
    """All of it, put together."""
    audiences = (f"https://{given.dialect.default_service}.default.svc.cluster.local",)
    tokens = BearerToken(*token_authenticators(given), incidents=given.incidents, audiences=audiences)
    authenticator = AuthenticatorUnion(*authenticators(given, tokens), incidents=given.incidents)
    return Access(authenticator, tokens, AuthorizerUnion(*authorizers(given), incidents=given.incidents), audiences)


def authenticators(given: Surroundings, tokens: BearerToken) -> tuple[Authenticator, ...]:
    """All ways to know who makes a request."""
    return (
        InProcess(),
        X509(given.dialect, () if given.credentials is None else (given.credentials.read_ca_fingerprint(),)),
        tokens,
    )


def token_authenticators(given: Surroundings) -> tuple[TokenAuthenticator, ...]:
    """All kinds of bearer tokens."""
    administrator = User(given.dialect.administrator, (MASTERS, AUTHENTICATED))
    return (
        StaticTokens({} if given.credentials is None else {given.credentials.read_admin_token(): administrator}),
        *((_bootstrap_tokens(given),) if given.spec.certificates.bootstrap_tokens else ()),
    )


def _bootstrap_tokens(given: Surroundings) -> TokenAuthenticator:
    from svcsim.auth.bootstrap_tokens import BootstrapTokens  # noqa: PLC0415 - most clusters have none

    def find(namespace: str, name: str) -> Object | None:
        record = given.store.get(Key("secrets", namespace, name))
        return None if record is None else decode_record(record)

    return BootstrapTokens(find, given.clock, given.dialect)


MODES: dict[AuthorizationMode, Callable[[Surroundings], Authorizer]] = {
    "RBAC": lambda given: Rbac(Bindings(given.listers, given.dialect)),
    "AlwaysAllow": lambda _: AlwaysAllow(),
    "AlwaysDeny": lambda _: AlwaysDeny(),
}
"""Who decides in each mode."""


def authorizers(given: Surroundings) -> tuple[Authorizer, ...]:
    """All who may allow: administrators and open paths come first, then the modes as they were chosen."""
    spec = given.spec.authorization
    return (
        Masters(),
        OpenPaths(spec.always_allow_paths),
        *(MODES[mode](given) for mode in spec.modes if mode in MODES),
    )
