"""From the claims of a token whose signature is good to the user that they are about."""

from svcsim.auth.authentication import Rejected
from svcsim.auth.known_user import known_user
from svcsim.auth.oidc.settings import OidcSettings
from svcsim.meta.types import Json, Object, User

_SKEW_S = 300.0
"""How far a provider's clock may be ahead. None of it prolongs a token."""


def wrong_claims(claims: Object, settings: OidcSettings, now: float) -> str:
    """What keeps a token from counting, for us and now; empty if nothing does."""
    audiences = claims.get("aud")
    if settings.client_id not in (audiences if isinstance(audiences, list) else (audiences,)):
        return "the token is for somebody else"
    ends: Json = claims.get("exp")
    if not _is_number(ends) or not now < ends:
        return "the token has expired"
    for when in ("nbf", "iat"):
        begins = claims.get(when, now)
        if not _is_number(begins) or begins > now + _SKEW_S:
            return f"the token is not valid yet ({when})"
    if not isinstance(claims.get("azp", ""), str):
        return "the claim azp is no text"
    for name, value in settings.required_claims:
        if claims.get(name) != value:
            return f"the claim {name} is not what is required"
    return ""


def user_of(claims: Object, settings: OidcSettings, credential_key: str) -> User | Rejected:
    """Whom it is about. ``credential_key`` is by which a user's extra has what the token is known by."""
    name = claims.get(settings.username_claim)
    if not isinstance(name, str) or not name:
        return Rejected(f"the claim {settings.username_claim} names no user")
    if settings.username_claim == "email" and claims.get("email_verified", True) is not True:
        return Rejected("the address in the claim email is not verified")
    groups = _groups(claims.get(settings.groups_claim)) if settings.groups_claim else ()
    if groups is None:
        return Rejected(f"the claim {settings.groups_claim} is no list of texts")
    token_id = claims.get("jti")
    extra = {credential_key: (f"JTI={token_id}",)} if isinstance(token_id, str) and token_id else {}
    return known_user(settings.username_prefix + name, (settings.groups_prefix + group for group in groups), extra=extra)


def _groups(claim: Json) -> tuple[str, ...] | None:
    """A text is one group; None for what is neither that nor a list of texts."""
    found = [claim] if isinstance(claim, str) else [] if claim is None else claim
    return tuple(found) if isinstance(found, list) and all(isinstance(one, str) for one in found) else None


def _is_number(value: Json) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)
