"""Who is asking, and whether they may: every authenticator and authorizer of a cluster, in the order they are asked, as one tuple each.

To add one, add it here and nowhere else. What each goes by at start (keys, files, flags) it reads itself, from what it is given.
"""

from collections.abc import Callable, Mapping
from typing import Final, NamedTuple, TypeAlias

from svcsim.auth.always import AlwaysAllow, AlwaysDeny
from svcsim.auth.authentication import ANONYMOUS, AUTHENTICATED, MASTERS, Authenticator, AuthenticatorUnion, Identity, InProcess
from svcsim.auth.authorities import read_authorities
from svcsim.auth.authorization import Authorizer, AuthorizerUnion, Masters
from svcsim.auth.bearer_token import BearerToken, StaticTokens, TokenAuthenticator
from svcsim.auth.node_authorizer.authorizer import NodeAuthorizer
from svcsim.auth.open_paths import OpenPaths
from svcsim.auth.rbac.authorizer import Rbac
from svcsim.auth.rbac.bindings import Bindings
from svcsim.auth.token_file import read_token_file
from svcsim.auth.validity import Validity
from svcsim.auth.x509 import X509
from svcsim.cluster.authorization_spec import AuthorizationMode
from svcsim.cluster.default_roles.objects import rules_of_nodes
from svcsim.cluster.oidc import oidc_tokens
from svcsim.cluster.proxies import request_headers
from svcsim.cluster.service_accounts import AccountTokens
from svcsim.cluster.spec import ClusterSpec
from svcsim.cluster.surroundings import Surroundings
from svcsim.cluster.tls import CLIENT_CA
from svcsim.cluster.webhooks import access_webhook, check_wanted, token_webhooks
from svcsim.meta.types import Object, User
from svcsim.registry.core import decode_record
from svcsim.storage.contract import Key


class Access(NamedTuple):
    """Those who decide about every request, and about tokens that came in the body of one."""

    authenticator: AuthenticatorUnion
    tokens: BearerToken
    authorizer: AuthorizerUnion
    of_components: AuthorizerUnion
    """Who decides about the cluster's own components: their roles, whatever users are judged by, so that the cluster lives in any mode."""
    audiences: tuple[str, ...]
    """The API server's own names, which tokens are for that don't say whom they are for."""


def access(given: Surroundings, account_tokens: AccountTokens) -> Access:
    """All of it, put together."""
    audiences = account_tokens.trusted.audiences
    tokens = BearerToken(*token_authenticators(given, account_tokens), incidents=given.incidents, audiences=audiences)
    authenticator = AuthenticatorUnion(
        *authenticators(given, tokens), incidents=given.incidents, without_credentials=_without_credentials(given.spec)
    )
    check_wanted(given)
    modes = {mode: MODES[mode](given) for mode in dict.fromkeys((*given.spec.authorization.modes, *OF_COMPONENTS))}
    authorizer, of_components = (AuthorizerUnion(*one, incidents=given.incidents) for one in authorizers(given, modes))
    return Access(authenticator, tokens, authorizer, of_components, audiences)


def authenticators(given: Surroundings, tokens: BearerToken) -> tuple[Authenticator, ...]:
    """All ways to know who makes a request."""
    own = given.credentials
    validity = Validity(given.clock.now, () if own is None else (own.read_admin_fingerprint(),))
    others = read_authorities(CLIENT_CA, given.spec.credentials.client_ca_file).fingerprints
    return (
        InProcess(),
        *request_headers(given.spec.request_header, validity),
        X509(given.dialect, others if own is None else (own.read_ca_fingerprint(), *others), validity),
        tokens,
    )


def _without_credentials(spec: ClusterSpec) -> Identity | None:
    """Who a request without credentials is, if anybody: where everybody may do everything, they have to say who they are."""
    refused = spec.credentials.anonymous_auth is False or "AlwaysAllow" in spec.authorization.modes
    return None if refused else ANONYMOUS


def token_authenticators(given: Surroundings, account_tokens: AccountTokens) -> tuple[TokenAuthenticator, ...]:
    """All kinds of bearer tokens. Which is asked first makes no difference but to who waits: accounts' tokens come with most requests."""
    administrator = User(given.dialect.administrator, (MASTERS, AUTHENTICATED))
    own = {} if given.credentials is None else {given.credentials.read_admin_token(): administrator}
    return (
        account_tokens.authenticator,
        StaticTokens({**read_token_file(given.spec.credentials.token_auth_file), **own}),
        *((_bootstrap_tokens(given),) if given.spec.certificates.bootstrap_tokens else ()),
        *oidc_tokens(given),
        *token_webhooks(given, account_tokens.trusted.audiences),
    )


def _bootstrap_tokens(given: Surroundings) -> TokenAuthenticator:
    from svcsim.auth.bootstrap_tokens import BootstrapTokens  # noqa: PLC0415 - most clusters have none

    def find(namespace: str, name: str) -> Object | None:
        record = given.store.get(Key("secrets", namespace, name))
        return None if record is None else decode_record(record)

    return BootstrapTokens(find, given.clock, given.dialect)


MODES: dict[AuthorizationMode, Callable[[Surroundings], Authorizer]] = {
    "Node": lambda given: NodeAuthorizer(given.store, given.dialect, rules_of_nodes(given.dialect)),
    "RBAC": lambda given: Rbac(Bindings(given.listers, given.dialect)),
    "Webhook": access_webhook,
    "AlwaysAllow": lambda _: AlwaysAllow(),
    "AlwaysDeny": lambda _: AlwaysDeny(),
}
"""Who decides in each mode."""


OF_COMPONENTS: Final[tuple[AuthorizationMode, ...]] = ("Node", "RBAC")

Authorizers: TypeAlias = tuple[Authorizer, ...]


def authorizers(given: Surroundings, modes: Mapping[AuthorizationMode, Authorizer]) -> tuple[Authorizers, Authorizers]:
    """All who may allow users, and all who may allow components: administrators come first, then the modes as they were chosen."""
    spec = given.spec.authorization
    return (
        (Masters(), OpenPaths(spec.always_allow_paths), *(modes[mode] for mode in spec.modes)),
        (Masters(), *(modes[mode] for mode in OF_COMPONENTS)),
    )
