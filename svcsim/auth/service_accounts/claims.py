"""What a token of a service account says: written by the signer, read by the authenticator."""

from typing import NamedTuple

from svcsim.auth.service_account_names import user_of_account
from svcsim.auth.service_accounts.words import AccountWords
from svcsim.auth.token_requests import Claim
from svcsim.meta.objects import name_of, namespace_of, uid_of
from svcsim.meta.types import Json, Object


class Named(NamedTuple):
    """An object that a token names: a later one of the same name isn't meant."""

    name: str
    uid: str


class BoundClaims(NamedTuple):
    """What a token says that was requested."""

    subject: str
    audiences: tuple[str, ...]
    expires_s: float
    not_before_s: float
    issued_s: float
    namespace: str
    account: Named
    pod: Named | None
    secret: Named | None
    node: Named | None
    warn_after_s: float
    token_id: str


class LegacyClaims(NamedTuple):
    """What a token says that stands in a Secret."""

    subject: str
    audiences: tuple[str, ...]
    namespace: str
    account: Named
    secret: str


def claims_of(claim: Claim, issuer: str, now_s: float, token_id: str, words: AccountWords) -> Object:
    """A token's claims, in whole seconds."""
    now = int(now_s)
    namespace, name = namespace_of(claim.account), name_of(claim.account)
    own: Object = {"namespace": namespace}
    if claim.node is not None:
        own["node"] = _reference(claim.node)
    if claim.bound_to is not None and claim.bound_to is not claim.node:
        own[claim.bound_kind.lower()] = _reference(claim.bound_to)
    own["serviceaccount"] = _reference(claim.account)
    if claim.warn_after_s:
        own["warnafter"] = now + claim.warn_after_s
    return {
        "aud": list(claim.audiences),
        "exp": now + claim.lifetime_s,
        "iat": now,
        "iss": issuer,
        "jti": token_id,
        words.claim: own,
        "nbf": now,
        "sub": user_of_account(namespace, name),
    }


def legacy_claims_of(namespace: str, secret: str, account: Named, words: AccountWords) -> Object:
    """The claims of a token that is to stand in a Secret; it has no end."""
    return {
        "iss": words.legacy_issuer,
        words.legacy_namespace: namespace,
        words.legacy_secret: secret,
        words.legacy_account: account.name,
        words.legacy_uid: account.uid,
        "sub": user_of_account(namespace, account.name),
    }


def read_bound(claims: Object, words: AccountWords) -> BoundClaims:
    """Raises `ValueError` for what can't be read as such."""
    own = claims.get(words.claim)
    if not isinstance(own, dict):
        raise ValueError(f"the claim {words.claim} is missing")
    account = _read_reference(own.get("serviceaccount"))
    if account is None:
        raise ValueError("it names no service account")
    return BoundClaims(
        subject=_text(claims.get("sub")),
        audiences=_audiences(claims.get("aud")),
        expires_s=_time(claims.get("exp"), "exp"),
        not_before_s=_time(claims.get("nbf", 0), "nbf"),
        issued_s=_time(claims.get("iat", 0), "iat"),
        namespace=_text(own.get("namespace")),
        account=account,
        pod=_read_reference(own.get("pod")),
        secret=_read_reference(own.get("secret")),
        node=_read_reference(own.get("node")),
        warn_after_s=_time(own.get("warnafter") or 0, "warnafter"),
        token_id=_text(claims.get("jti") or ""),
    )


def read_legacy(claims: Object, words: AccountWords) -> LegacyClaims:
    """Raises `ValueError` for what can't be read as such."""
    needed = (
        ("sub", "sub"),
        ("namespace", words.legacy_namespace),
        ("secretName", words.legacy_secret),
        ("serviceAccountName", words.legacy_account),
        ("serviceAccountUID", words.legacy_uid),
    )
    for name, claim in needed:
        if not claims.get(claim) or not isinstance(claims[claim], str):
            raise ValueError(f"{name} claim is missing")
    subject, namespace, secret, name, uid = (claims[claim] for _, claim in needed)
    if subject != user_of_account(namespace, name):
        raise ValueError("sub claim is invalid")
    return LegacyClaims(subject, _audiences(claims.get("aud")), namespace, Named(name, uid), secret)


def _reference(obj: Object) -> Object:
    """A node that is gone has a name alone."""
    told = {"name": name_of(obj), "uid": uid_of(obj)}
    return {key: value for key, value in told.items() if value}


def _read_reference(value: Json) -> Named | None:
    if value is None:
        return None
    if not isinstance(value, dict):
        raise ValueError("a reference is no map")
    return Named(_text(value.get("name")), _text(value.get("uid") or ""))


def _text(value: Json) -> str:
    if not isinstance(value, str):
        raise ValueError("a claim is missing, or no text")
    return value


def _time(value: Json, claim: str) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise ValueError(f"the claim {claim} is missing, or no time")
    return float(value)


def _audiences(value: Json) -> tuple[str, ...]:
    """One, several or none."""
    found = [value] if isinstance(value, str) else value or []
    if not isinstance(found, list) or not all(isinstance(one, str) for one in found):
        raise ValueError("the claim aud is no list of texts")
    return tuple(found)
