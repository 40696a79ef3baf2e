"""The identity provider of a cluster, as its settings have it."""

from collections.abc import Iterator

from svcsim.auth.authorities import read_authorities
from svcsim.auth.oidc.provider import IdentityProvider
from svcsim.auth.oidc.settings import ALGORITHMS, OidcSettings
from svcsim.auth.oidc.tokens import OidcTokens
from svcsim.cluster.oidc_spec import OidcSpec
from svcsim.cluster.surroundings import Surroundings
from svcsim.meta.configuration_error import ConfigurationError
from svcsim.meta.go_urls import parse_url
from svcsim.outbound.remote import OutboundError, address_of_url

_ISSUER, _CLIENT = "--oidc-issuer-url", "--oidc-client-id"
_DISCOVERY = "/.well-known/openid-configuration"


def oidc_tokens(given: Surroundings) -> tuple[OidcTokens, ...]:
    """Who knows the provider's tokens: nobody where there is none. Raises `ConfigurationError` for what makes no sense together."""
    spec = given.spec.oidc
    if spec == OidcSpec():
        return ()
    for wrong in _wrong(spec):
        raise ConfigurationError(wrong)
    if spec.issuer_url in given.spec.service_accounts.issuers:
        raise ConfigurationError(f"{_ISSUER}: {spec.issuer_url} issues the tokens of service accounts; a token has one issuer")
    ca_pem = read_authorities("--oidc-ca-file", spec.ca_file).pem.encode() or None
    provider = IdentityProvider(spec.issuer_url, ca_pem, given.outbound)
    return (OidcTokens(settings_of(spec), provider, given.clock.now, given.dialect.key("credential-id", "authentication")),)


def settings_of(spec: OidcSpec) -> OidcSettings:
    """With what follows where nothing was said."""
    prefix = spec.username_prefix
    if not prefix and spec.username_claim != "email":
        prefix = f"{spec.issuer_url}#"
    required = [claim.partition("=") for claim in spec.required_claim]
    return OidcSettings(
        spec.issuer_url,
        spec.client_id,
        spec.username_claim,
        "" if prefix == "-" else prefix,
        spec.groups_claim,
        spec.groups_prefix,
        tuple((name, value) for name, _, value in required),
        spec.signing_algs,
    )


def _wrong(spec: OidcSpec) -> Iterator[str]:
    if not spec.issuer_url or not spec.client_id:
        yield f"{_ISSUER} and {_CLIENT} go together, and the other --oidc-* options need both: whose tokens, and for whom"
    try:
        address_of_url(spec.issuer_url)
        usable = parse_url(spec.issuer_url).user is None
    except OutboundError:
        usable = False
    if not usable or any(sign in spec.issuer_url for sign in "?# "):
        yield f"{_ISSUER}: {spec.issuer_url!r} is no https URL of a host and a path, without a query, a fragment or a user"
    if spec.issuer_url.rstrip("/").endswith(_DISCOVERY):
        yield f"{_ISSUER}: {spec.issuer_url} is where an issuer says what it is; give the URL before {_DISCOVERY}"
    if not spec.username_claim:
        yield "--oidc-username-claim names no claim; leave it out for sub"
    for algorithm in spec.signing_algs:
        if algorithm not in ALGORITHMS:
            yield f"--oidc-signing-algs: {algorithm!r} is not known; there are: {', '.join(ALGORITHMS)}"
    if not spec.signing_algs:
        yield f"--oidc-signing-algs names none; there are: {', '.join(ALGORITHMS)}"
    for claim in spec.required_claim:
        name, equals, value = claim.partition("=")
        if not name or not equals or not value:
            yield f"--oidc-required-claim: {claim!r} is not CLAIM=VALUE"
