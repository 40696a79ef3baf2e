"""What is agreed with an identity provider."""

from typing import NamedTuple

ALGORITHMS = ("RS256", "RS384", "RS512", "ES256", "ES384", "ES512", "PS256", "PS384", "PS512")
"""All that can be allowed: each with a public key. What is signed with a shared secret, or not at all, is nobody's word."""


class OidcSettings(NamedTuple):
    """The issuer whose tokens count, the audience they must have, and the claims that name the user."""

    issuer: str
    client_id: str
    username_claim: str = "sub"
    username_prefix: str = ""
    groups_claim: str = ""
    groups_prefix: str = ""
    required_claims: tuple[tuple[str, str], ...] = ()
    algorithms: tuple[str, ...] = ("RS256",)
