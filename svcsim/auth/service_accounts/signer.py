"""Makes the tokens of service accounts: those that are requested, and those that stand in Secrets."""

from svcsim.auth.service_accounts.claims import Named, claims_of, legacy_claims_of
from svcsim.auth.service_accounts.keys import AccountKeys
from svcsim.auth.service_accounts.words import AccountWords
from svcsim.auth.token_requests import Claim
from svcsim.chance import Chance
from svcsim.registry.kind import Context


class AccountTokenSigner:
    """Signs with the cluster's key, in its issuer's name."""

    def __init__(self, keys: AccountKeys, issuer: str, words: AccountWords, chance: Chance) -> None:
        self._keys = keys
        self._issuer = issuer
        self._words = words
        self._chance = chance

    async def sign(self, claim: Claim, context: Context) -> str:
        return self._keys.signing.sign(claims_of(claim, self._issuer, context.now, self._chance.uid(), self._words))

    def sign_legacy(self, namespace: str, secret: str, account: str, uid: str) -> str:
        """The token of an account for the Secret of that name. It is good for as long as the Secret holds it."""
        return self._keys.signing.sign(legacy_claims_of(namespace, secret, Named(account, uid), self._words))
