"""A server that reviews: it is sent an object with a ``spec`` and sends it back with a ``status``.

Where it has trouble of its own, it is asked again a few times, after short pauses; who can't be reached, or takes too long, is not: there
are others waiting. What it answers is anybody's, so all of it is checked, and what is said of a failure never shows the secret that it was
asked about.
"""

import logging

from svcsim import limits
from svcsim.clock import loop_sleep
from svcsim.meta.api_versions import kind_in_go
from svcsim.meta.types import Json, Object
from svcsim.outbound.exchange import ClosedError
from svcsim.outbound.outbound import Outbound
from svcsim.outbound.remote import OutboundError, RefusedError, Remote
from svcsim.wall import stopwatch

_LOG = logging.getLogger("svcsim.auth")


class WebhookError(Exception):
    """There is no answer to go by. The message says why in one line."""


class Reviewer:
    """One such server, asked for one kind of review."""

    def __init__(
        self,
        outbound: Outbound,
        remote: Remote,
        api_version: str,
        kind: str,
        deadline_s: float = limits.WEBHOOK_REVIEW_S,
        pauses_s: tuple[float, ...] = limits.WEBHOOK_REVIEW_PAUSES_S,
    ) -> None:
        self._outbound = outbound
        self._remote = remote
        self._api_version = api_version
        self._kind = kind
        self._deadline_s = deadline_s
        self._pauses_s = pauses_s
        self._complained_at_s: float | None = None

    async def status(self, spec: Object, *, secret: str = "") -> Object:
        """What it makes of a ``spec``. Raises `WebhookError`, in words that never have the ``secret``."""
        review = {"kind": self._kind, "apiVersion": self._api_version, "metadata": {}, "spec": spec}
        try:
            return self._checked(await self._asked(review))
        except (OutboundError, WebhookError) as error:
            message = without(secret, str(error))
            self._complain(message)
            raise WebhookError(message) from None  # what it came of may show the secret

    async def _asked(self, review: Object) -> Object:
        began = stopwatch()
        for pause_s in (*self._pauses_s, None):
            left_s = self._deadline_s - (stopwatch() - began)
            try:
                return await self._outbound.ask(self._remote, review, deadline_s=left_s, limit_bytes=limits.WEBHOOK_REVIEW_BYTES)
            except OutboundError as error:
                if pause_s is None or not _is_passing(error) or stopwatch() - began + pause_s >= self._deadline_s:
                    raise
            await loop_sleep(pause_s)
        raise AssertionError("the last attempt ends it")

    def _checked(self, answer: Object) -> Object:
        """The status in an answer, if it is one to what was asked."""
        if (answer.get("kind"), answer.get("apiVersion")) != (self._kind, self._api_version):
            said = kind_in_go(str(answer.get("apiVersion") or ""), str(answer.get("kind") or ""))[: limits.WEBHOOK_TOLD_CHARS]
            raise WebhookError(f"expected webhook response of {kind_in_go(self._api_version, self._kind)}, got {said}")
        status: Json = answer.get("status")
        if status is None:
            return {}
        if not isinstance(status, dict):
            raise WebhookError("the webhook's answer has a status that is no object")
        return status

    def _complain(self, message: str) -> None:
        """Log a failure for the administrator, but not for each failed request."""
        now_s = stopwatch()
        if self._complained_at_s is None or now_s - self._complained_at_s >= limits.WEBHOOK_TROUBLE_LOGGED_S:
            self._complained_at_s = now_s
            _LOG.warning("%s can't be had from %s: %s", self._kind, self._remote.name, message)


def _is_passing(error: OutboundError) -> bool:
    """Whether it may answer if it is asked again soon. One that says that it isn't available has to ask for that itself."""
    if isinstance(error, RefusedError):
        return error.wants_delay or error.status == 429 or (error.status >= 500 and error.status != 503)
    return isinstance(error, ClosedError)


def without(secret: str, text: str) -> str:
    """A text in which a secret doesn't stand."""
    return text.replace(secret, "…") if secret else text


def flag(status: Object, name: str) -> bool:
    """A field that is true or false; false where it isn't there. Raises `WebhookError`."""
    value = status.get(name)
    if value is not None and not isinstance(value, bool):
        raise WebhookError(f"the webhook's answer has a status.{name} that is neither true nor false")
    return bool(value)


def text(block: Object, name: str, path: str = "status") -> str:
    """A field that is a text; empty where it isn't there. Raises `WebhookError`."""
    value = block.get(name)
    if value is not None and not isinstance(value, str):
        raise WebhookError(f"the webhook's answer has a {path}.{name} that is no string")
    return value or ""


def texts(block: Object, name: str, path: str = "status") -> tuple[str, ...]:
    """A field that is a list of texts; empty where it isn't there. Raises `WebhookError`."""
    value = block.get(name)
    if value is not None and not (isinstance(value, list) and all(isinstance(one, str) for one in value)):
        raise WebhookError(f"the webhook's answer has a {path}.{name} that is no list of strings")
    return tuple(value or ())


def part(block: Object, name: str, path: str = "status") -> Object:
    """A field that is an object; an empty one where it isn't there. Raises `WebhookError`."""
    value = block.get(name)
    if value is not None and not isinstance(value, dict):
        raise WebhookError(f"the webhook's answer has a {path}.{name} that is no object")
    return value or {}
