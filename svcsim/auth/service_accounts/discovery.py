"""OpenID discovery: how others verify tokens of this cluster's accounts by themselves, who issues them and with which keys."""

from collections.abc import Callable

from svcsim.auth.service_accounts.keys import AccountKeys
from svcsim.meta.codec import encode
from svcsim.meta.go_urls import parse_url

KEYS_PATH = "/openid/v1/jwks"


class IssuerDocuments:
    """The two documents, made whenever they are asked for: that is seldom."""

    def __init__(self, keys: AccountKeys, issuer: str, keys_url: Callable[[], str]) -> None:
        """``keys_url`` is where the keys can be had: known only once the cluster is served."""
        self._keys = keys
        self._issuer = issuer
        self._keys_url = keys_url

    def configuration(self) -> bytes:
        document = {
            "issuer": self._issuer,
            "jwks_uri": self._keys_url(),
            "response_types_supported": ["id_token"],
            "subject_types_supported": ["public"],
            "id_token_signing_alg_values_supported": sorted(dict.fromkeys(key.algorithm for key in self._keys.public)),
        }
        return encode(document)

    def keys(self) -> bytes:
        return encode({"keys": [key.jwk() for key in self._keys.public]})


def is_discoverable(issuer: str) -> bool:
    """Whether an issuer's name is a URL that OpenID lets be one; others sign, and nobody can look up how."""
    try:
        url = parse_url(issuer)
    except ValueError:
        return False
    return url.scheme == "https" and bool(url.host) and not url.query and not url.fragment
