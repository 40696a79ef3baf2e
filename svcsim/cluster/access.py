"""Who is asking, and whether they may: every authenticator and authorizer of a cluster, in the order they are asked, as one tuple each.

To add one, add it here and nowhere else. What each goes by at start (keys, files, flags) it reads itself, from what it is given.
"""

from typing import NamedTuple

from svcsim.auth.authentication import AUTHENTICATED, MASTERS, Authenticator, AuthenticatorUnion, InProcess
from svcsim.auth.authorization import Authorizer, AuthorizerUnion, Masters
from svcsim.auth.bearer_token import BearerToken, StaticTokens, TokenAuthenticator
from svcsim.auth.open_paths import OpenPaths
from svcsim.auth.x509 import X509
from svcsim.cluster.service_accounts import AccountTokens
from svcsim.cluster.surroundings import Surroundings
from svcsim.meta.types import User


class Access(NamedTuple):
    """Those who decide about every request, and about tokens that came in the body of one."""

    authenticator: AuthenticatorUnion
    tokens: BearerToken
    authorizer: AuthorizerUnion
    audiences: tuple[str, ...]
    """The API server's own names, which tokens are for that don't say whom they are for."""


def access(given: Surroundings, account_tokens: AccountTokens) -> Access:
    """All of it, put together."""
    audiences = account_tokens.trusted.audiences
    tokens = BearerToken(*token_authenticators(given, account_tokens), incidents=given.incidents, audiences=audiences)
    authenticator = AuthenticatorUnion(*authenticators(given, tokens), incidents=given.incidents)
    return Access(authenticator, tokens, AuthorizerUnion(*authorizers(given), incidents=given.incidents), audiences)


def authenticators(given: Surroundings, tokens: BearerToken) -> tuple[Authenticator, ...]:
    """All ways to know who makes a request."""
    return (
        InProcess(),
        X509(given.dialect, () if given.credentials is None else (given.credentials.read_ca_fingerprint(),)),
        tokens,
    )


def token_authenticators(given: Surroundings, account_tokens: AccountTokens) -> tuple[TokenAuthenticator, ...]:
    """All kinds of bearer tokens."""
    administrator = User(given.dialect.administrator, (MASTERS, AUTHENTICATED))
    return (
        StaticTokens({} if given.credentials is None else {given.credentials.read_admin_token(): administrator}),
        account_tokens.authenticator,
    )


def authorizers(_given: Surroundings) -> tuple[Authorizer, ...]:
    """All who may allow."""
    return (
        Masters(),
        OpenPaths(),
    )
