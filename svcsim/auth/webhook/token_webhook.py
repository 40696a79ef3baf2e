"""Tokens that a server outside of this process knows: it is sent a TokenReview and tells whose the token is.

What it decides, for or against, is remembered; that it can't be asked is not, and counts as a rejection, so that a token nobody else knows
either is refused.
"""

import hashlib
from functools import partial

from svcsim import limits
from svcsim.auth.authentication import Answer, Identity, Rejected
from svcsim.auth.known_user import known_user
from svcsim.auth.webhook.decisions import Decisions, Kept
from svcsim.auth.webhook.reviewer import Reviewer, WebhookError, flag, part, text, texts, without
from svcsim.clock import Clock
from svcsim.meta.codec import encode
from svcsim.meta.types import Object, User


class TokenWebhook:
    """Asks one server about tokens."""

    def __init__(self, reviewer: Reviewer, clock: Clock, audiences: tuple[str, ...], ttl_s: float) -> None:
        """``audiences`` are the API server's own names, for which a token is good that the server says nothing more about."""
        self._reviewer = reviewer
        self._audiences = audiences
        self._ttl_s = ttl_s
        self._decisions: Decisions[Identity | Rejected] = Decisions(clock)

    async def authenticate_token(self, token: str, audiences: tuple[str, ...]) -> Answer:
        """What the server decides, or has decided."""
        try:
            question = hashlib.sha256("\0".join((*audiences, token)).encode()).digest()
        except UnicodeEncodeError:
            return Rejected("the token is no text, which a webhook could be asked about")
        try:
            return await self._decisions.decided(question, partial(self._ask, token, audiences))
        except WebhookError as error:
            return Rejected(f"the token webhook failed: {error}")

    async def _ask(self, token: str, audiences: tuple[str, ...]) -> Kept[Identity | Rejected]:
        status = await self._reviewer.status({"token": token, "audiences": list(audiences)}, secret=token)
        return Kept(self._answer(status, token, audiences), self._ttl_s, len(encode(status)))

    def _answer(self, status: Object, token: str, audiences: tuple[str, ...]) -> Identity | Rejected:
        if not flag(status, "authenticated"):
            told = without(token, text(status, "error"))[: limits.WEBHOOK_TOLD_CHARS]
            return Rejected(f"the token webhook refused the token{told and ': '}{told}", told)
        good_for = texts(status, "audiences") or self._audiences
        shared = tuple(audience for audience in audiences if audience in good_for)
        if not shared:
            return Rejected("the token is for others, says the token webhook")
        return Identity(_user(part(status, "user")), shared, "token webhook")


def _user(told: Object) -> User:
    """The user an answer tells of. Raises `WebhookError`."""
    name = text(told, "username", "status.user")
    if not name:
        raise WebhookError("the webhook's answer has no status.user.username")
    extra = part(told, "extra", "status.user")
    return known_user(
        name,
        texts(told, "groups", "status.user"),
        text(told, "uid", "status.user"),
        {key: texts(extra, key, "status.user.extra") for key in extra},
    )
