"""Bootstrap tokens: ``id.secret``, kept in one Secret each, whose name the token's public part tells.

So the one Secret is read when a token comes, and nothing is held for those that never do. Nothing that is wrong with one tells a client
more than 401 does.
"""

import base64
import hmac
import re
from collections.abc import Callable
from typing import Final

from svcsim.auth.authentication import Answer, Identity, Rejected
from svcsim.auth.known_user import known_user
from svcsim.clock import Clock
from svcsim.dialect import Dialect
from svcsim.meta.objects import is_terminating, name_of
from svcsim.meta.times import parse_time
from svcsim.meta.types import Object

_TOKEN = re.compile(r"([a-z0-9]{6})\.([a-z0-9]{16})")
_GROUP = re.compile(r"system:bootstrappers:[a-z0-9:-]{0,255}[a-z0-9]")
BOOTSTRAPPERS: Final = "system:bootstrappers"
_PREFIX = "bootstrap-token-"


class BootstrapTokens:
    def __init__(self, find: Callable[[str, str], Object | None], clock: Clock, dialect: Dialect) -> None:
        """``find`` gives the Secret of a namespace and a name, as it is committed."""
        self._find, self._clock, self._dialect = find, clock, dialect

    async def authenticate_token(self, token: str, _audiences: tuple[str, ...]) -> Answer:
        """No opinion on tokens of other forms."""
        form = _TOKEN.fullmatch(token)
        if form is None:
            return None
        token_id, token_secret = form.groups()
        found = self._find(self._dialect.system_namespace, f"{_PREFIX}{token_id}")
        if found is None or found.get("type") != self._dialect.key("token", "bootstrap") or is_terminating(found):
            return Rejected("there is no such bootstrap token")
        data = texts(found)
        if not hmac.compare_digest(data.get("token-secret", "").encode(), token_secret.encode()):
            return Rejected(f"bootstrap token {token_id}: its secret is another")
        if data.get("token-id") != token_id or name_of(found) != f"{_PREFIX}{token_id}":
            return Rejected(f"bootstrap token {token_id}: its Secret is of another token")
        if has_expired(data, self._clock.now()):
            return Rejected(f"bootstrap token {token_id} has expired")
        if data.get("usage-bootstrap-authentication") != "true":
            return Rejected(f"bootstrap token {token_id} is not for authentication")
        extra = data.get("auth-extra-groups")
        groups = extra.split(",") if extra else []
        if not all(map(_GROUP.fullmatch, groups)):
            return Rejected(f"bootstrap token {token_id} names groups it may not")
        return Identity(known_user(f"system:bootstrap:{token_id}", sorted({BOOTSTRAPPERS, *groups})), method="bootstrap token")


def texts(secret: Object) -> dict[str, str]:
    """What stands in a Secret."""
    return {key: base64.b64decode(value).decode(errors="replace") for key, value in (secret.get("data") or {}).items()}


def has_expired(data: dict[str, str], now_s: float) -> bool:
    """Whether its time is over; one that can't be read is."""
    expiration = data.get("expiration", "")
    try:
        return bool(expiration) and parse_time(expiration) <= now_s
    except ValueError:
        return True
